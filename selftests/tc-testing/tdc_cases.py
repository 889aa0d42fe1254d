#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Writes the cases in tc-tests/ as tdc wants them.

    tdc_cases.py FOLDER		a file for each of tc-tests/*/*.json
    tdc_cases.py --ids		their ids, in this order

A file there has
    words   texts; @NAME@ in any string stands for one of them
    every   what each case of the file has that does not say otherwise
    cases   a case has an id, a kind of kinds.json, what this kind asks for (with:
            what comes behind the command, says: what tc must say, options: what it
            must show ...), and whatever of a tdc case is not as the kind has it
A file that is a list has cases as tdc wants them.
dummies are devices that are there during a case: {"gp": 3} makes gp1, gp2 and gp3.
"""

import glob
import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
FIELDS = ('id', 'name', 'category', 'plugins', 'setup', 'cmdUnderTest',
          'expExitCode', 'verifyCmd', 'matchPattern', 'matchJSON', 'matchCount',
          'teardown')


def said(value, words):
    """A value with the words that it names."""
    if isinstance(value, str):
        if value[1:-1] in words and value == f'@{value[1:-1]}@':
            return said(words[value[1:-1]], words)
        new = re.sub(r'@(\w+)@', lambda found: words[found[1]], value)
        return new if new == value else said(new, words)
    if isinstance(value, list):
        return [said(one, words) for one in value]
    if isinstance(value, dict):
        return {key: said(one, words) for key, one in value.items()}
    return value


def case(kinds, words, every, own):
    """One case of a file."""
    words = {**words, **every, **kinds[own['kind']], **own}
    made = {field: said(words[field], words) for field in FIELDS
            if words.get(field) is not None}
    for name, count in reversed(words.get('dummies', {}).items()):
        each = f"bash -c 'for i in $(seq {count}); do $IP link"
        made['setup'] = [f"{each} add {name}$i type dummy; done'", *made['setup']]
    for name, count in words.get('dummies', {}).items():
        each = f"bash -c 'for i in $(seq {count}); do $IP link"
        made['teardown'] = [*made['teardown'], [
            f"{each} del {name}$i 2>/dev/null; done; true'", 0]]
    return made


def files():
    """Each file's place below tc-tests/, and its cases."""
    def load(path):
        with open(path, encoding='utf-8') as file:
            return json.load(file)

    top = os.path.join(HERE, 'tc-tests')
    common = load(os.path.join(top, 'kinds.json'))
    for path in sorted(glob.glob(os.path.join(top, '*/*.json'))):
        found = load(path)
        if isinstance(found, list):
            yield os.path.relpath(path, top), found
            continue
        words = {**common['words'], **found.get('words', {})}
        every = {**common['every'], **found.get('every', {})}
        yield os.path.relpath(path, top), [
            case(common['kinds'], words, every, own) for own in found['cases']]


def main():
    """Command line."""
    for place, cases in files():
        if sys.argv[1] == '--ids':
            print(*(one['id'] for one in cases), sep='\n')
            continue
        path = os.path.join(sys.argv[1], place)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w', encoding='utf-8') as file:
            json.dump(cases, file, indent=4)
            file.write('\n')
    return 0


if __name__ == '__main__':
    sys.exit(main())
