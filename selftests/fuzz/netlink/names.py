#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Do the fuzzers know all attributes, by their right numbers?

Reads the enums of include/uapi/linux, and compares them with the tables of the
netlink fuzzer and with the names in syzkaller's description. Says what differs.
"""

import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.join(HERE, '../../..')
sys.path[:0] = [os.path.join(HERE, '../../tc-testing'),
                os.path.join(HERE, '../../net/lib'), HERE]
sys.dont_write_bytecode = True

import rails  # noqa: E402
import rawnl_mpolice_msg as msg  # noqa: E402
from tables import ANSWERS, KIND, NUMBER  # noqa: E402

UAPI = 'ramp.h', 'ramp_family.h', 'mpolice.h', 'tc_act/tc_mpolice.h'
SYZKALLER = 'Documentation/syzkaller/socket_netlink_ramp.txt'
ATTRIBUTE = re.compile(r'(TCA_RAMP|TCA_MPOLICE|RAMP_A|MPOLICE_A)_\w+')


def text_of(path):
    """A file of the tree."""
    with open(os.path.join(TOP, path), encoding='utf-8') as file:
        return file.read()


def enums(text):
    """The number of each name."""
    found = {}
    text = re.sub(r'/\*.*?\*/', '', text, flags=re.S)
    for body in re.findall(r'^enum[^{;]*{(.*?)}', text, re.M | re.S):
        number = 0
        for entry in body.split(','):
            name, _, value = (part.strip() for part in entry.partition('='))
            if not name:
                continue
            number = int(value, 0) if value else number
            found[name] = number
            number += 1
    return found


def compare(what, have, want):
    """Prints what differs; returns how much."""
    wrong = 0
    for name in sorted(have.keys() | want.keys()):
        if have.get(name) != want.get(name):
            print(f'{what}: {name} is {have.get(name)}, the header has '
                  f'{want.get(name)}')
            wrong += 1
    return wrong


def short(names, prefix):
    """Attributes of one enum, by what follows its prefix."""
    return {name[len(prefix):]: number for name, number in names.items()
            if name.startswith(prefix)}


def main():
    """Compares all."""
    names = {}
    for header in UAPI:
        names.update(enums(text_of('include/uapi/linux/' + header)))
    attributes = {name: number for name, number in names.items()
                  if ATTRIBUTE.fullmatch(name)}
    nested = re.compile(r'(LEVEL|AMOUNT|BAND_LIMIT|LADDER|BAND_LADDER|FEEDBACK|'
                        r'BAND_FEEDBACK|GEAR_PORTS)S?_\w+')
    flat = {name: number for name, number in
            short(attributes, 'TCA_RAMP_').items()
            if not nested.fullmatch(name)}
    wrong = compare('tables.py', NUMBER, flat)
    for name, number in NUMBER.items():
        if name != 'UNSPEC' and number not in KIND and number not in ANSWERS:
            print(f'tables.py: nothing is known of {name}')
            wrong += 1
    for prefix, mine in (('TCA_MPOLICE_', ''), ('MPOLICE_A_BUCKET_', 'B_')):
        want = {name: number for name, number in
                short(attributes, prefix).items() if name != 'UNSPEC'}
        have = {name: getattr(msg, mine + name, None) for name in want}
        wrong += compare(prefix, have, want)
    wrong += compare('rails.py', {
        name: getattr(rails, name) for name in ('RAIL', 'STATE', 'MEMBERS')}, {
        name: names['RAMP_A_' + name] for name in ('RAIL', 'STATE', 'MEMBERS')})

    said = {match.group() for match in
            ATTRIBUTE.finditer(text_of(SYZKALLER))}
    want = {name for name in attributes
            if not name.endswith(('_UNSPEC', '_PAD'))}
    for name in sorted(said ^ want):
        print(f'{SYZKALLER}: {name} is ' +
              ('no attribute' if name in said else 'missing'))
        wrong += 1
    return int(wrong > 0)


if __name__ == '__main__':
    sys.exit(main())
