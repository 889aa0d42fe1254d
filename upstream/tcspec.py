# SPDX-License-Identifier: GPL-2.0
"""The kernel's tc.yaml with what a stage has of ramp. This tree has a specification of its
own for that (ramp-tc.yaml), in which all other kinds are without content.

A band's counters are not those of the qdisc, and tc.yaml has one table for both: so
classes get a table, with all that there is in the other one."""

import re

from ctext import Miss
from specs import items, name_of

PATH = 'Documentation/netlink/specs/tc.yaml'
OURS = 'Documentation/netlink/specs/ramp-tc.yaml'
# Of ramp-tc.yaml: what tc.yaml has itself is not taken.
KINDS = ('ramp', 'ramp_mq')
# Names that say in a file of their own whose they are, and do not in tc.yaml.
SHORT = ('unit', 'detect', 'cease', 'state', 'gear-reason', 'gear-follow', 'gear-times',
         'port-times', 'level-attrs', 'amount-attrs', 'band-limits-attrs', 'band-limit-attrs',
         'devices-attrs')
APP, STATS = 'tca-stats-app-msg', 'tca-stats-attrs'
CLASS_APP, CLASS_STATS = 'tca-class-stats-app-msg', 'tca-class-stats-attrs'


def sections(text):
    """{name: text} of what begins at the left."""
    return {re.match(r'[a-z-]+|', part)[0]: part
            for part in re.split(r'(?m)^(?=[a-z-]+:)', text)}


def rows(section):
    """{name: text} of a list of definitions, sets or messages."""
    return {name_of(row): row.rstrip('\n') + '\n' for row in items(section, 2)[1]}


def once(text, old, new):
    """Replaces what is there once."""
    if text.count(old) != 1:
        raise Miss(f'{PATH}: {text.count(old)} times {old!r}')
    return text.replace(old, new)


def own(theirs, ours):
    """What is ramp's alone, with the header that it is in."""
    found = ''
    for name, row in ours.items():
        if name in theirs or name.startswith(('class-', 'stats-', 'gnet-', 'tcmsg')):
            continue
        lines = row.split('\n')
        for at, line in enumerate(lines):
            # The name is the item's, not that of an entry of it.
            if re.match(r' {4}name: ', line):
                bare = line.split(': ')[1]
                if bare in SHORT:
                    lines[at] = f'    name: ramp-{bare}'
            else:
                lines[at] = re.sub(
                    rf'^( +(?:enum|struct|nested-attributes): )({"|".join(SHORT)})$',
                    r'\1ramp-\2', line)
            if re.match(r' {4}(type: |name-prefix: )', line):
                lines[at] += '\n    header: linux/ramp.h'
        found += '\n'.join(lines)
    return found


def formats(ours, message):
    """(kind, format) of a message."""
    for kind in KINDS:
        match = re.search(rf'(?m)^      - value: {kind}\n((?:        .*\n)*)', ours[message])
        if match:
            yield kind, f'      -\n        value: {kind}\n{match[1]}'


def add_formats(row, new):
    """A message with formats more, in alphabetical order where it has one."""
    head, have, tail = items(row, 6)
    for kind, text in new:
        behind = [at for at, one in enumerate(have)
                  if re.search(r'value: (\w+)', one)[1] > kind]
        have.insert(behind[0] if behind else len(have), text)
    return head + ''.join(have) + tail


def merge(base, spec):
    """@base is the kernel's, @spec that of a stage."""
    theirs, ours = sections(base), sections(spec)
    definitions = own(rows(theirs['definitions']), rows(ours['definitions']))
    sets, messages = rows(theirs['attribute-sets']), rows(theirs['sub-messages'])
    our_messages = rows(ours['sub-messages'])
    by_class = re.sub(rf'\b{STATS}\b', CLASS_STATS, re.sub(
        rf'\b{APP}\b', CLASS_APP, once(sets['attrs'], 'name: attrs\n', 'name: class-attrs\n')))
    stats = once(once(sets[STATS], f'name: {STATS}\n', f'name: {CLASS_STATS}\n'),
                 f'sub-message: {APP}\n', f'sub-message: {CLASS_APP}\n')
    classes = once(messages[APP], f'name: {APP}\n', f'name: {CLASS_APP}\n')
    text = base
    for old, new in (
            (messages['options-msg'],
             add_formats(messages['options-msg'], formats(our_messages, 'options-msg'))),
            (messages[APP], add_formats(messages[APP], formats(our_messages, 'app-msg')) +
             add_formats(classes, formats(our_messages, 'class-app-msg'))),
            (sets['attrs'], sets['attrs'] + by_class),
            (sets[STATS], sets[STATS] + stats),
            ('\nattribute-sets:\n', '\n' + definitions + 'attribute-sets:\n'),
            ('\nsub-messages:\n', '\n' + own(sets, rows(ours['attribute-sets'])) +
             'sub-messages:\n')):
        text = once(text, old, new)
    head, tail = text.split('      name: gettclass\n')
    return head + '      name: gettclass\n' + tail.replace(
        'attribute-set: attrs\n', 'attribute-set: class-attrs\n', 1)
