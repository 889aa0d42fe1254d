# SPDX-License-Identifier: GPL-2.0
"""Specifications of netlink with what a stage has, in the order of its numbers."""

import re

from ctext import Miss
from uapi import ORDER, feature_of, feature_of_field

# Of which feature a list is as a whole, by its name; all others are of the core.
LISTS = {
    'rails': 'members member',
    'gears': 'gear-reason gear-follow gear-times port-times devices-attrs',
    None: '''peer-why codes code clock ladder-attrs band-ladders-attrs band-ladder-attrs
          band-feedbacks-attrs band-feedback-attrs''',
}
# What names of rows are called in the headers.
PREFIXES = {
    'state': 'RAMP_STATE_',
    'ramp': 'RAMP_A_',
    'ramp-attrs': 'TCA_RAMP_',
}


def feature_of_list(name):
    """Of which feature it is."""
    for feature, names in LISTS.items():
        if name in names.split():
            return feature
    return 'core'


def name_of(item):
    """What it is called."""
    match = re.search(r'(?m)^ +(?:- )?(?:name|value): (\S+)$', item)
    return match[1] if match else ''


def items(text, width):
    """What comes before a list whose marks are that far in, its items, and the rest."""
    mark = re.compile(rf'(?m)^ {{{width}}}-(?=[ \n])')
    first = mark.search(text)
    if not first:
        return text, [], ''
    end = re.compile(rf'(?m)^ {{0,{width}}}(?=[^ \n-])').search(text, first.end())
    stop = end.start() if end else len(text)
    body = text[first.start():stop]
    at = [match.start() for match in mark.finditer(body)] + [len(body)]
    return text[:first.start()], [body[a:b] for a, b in zip(at, at[1:])], text[stop:]


def keep(text, width, of, features):
    """A list with those of the features, each behind those of the features before it."""
    head, rows, tail = items(text, width)
    kept = sorted((row for row in rows if of(name_of(row)) in features),
                  key=lambda row: ORDER.index(of(name_of(row))))
    return head + ''.join(kept) + tail


def arrange_list(item, features):
    """A definition or a set of attributes."""
    name = name_of(item)
    if name.startswith('tc-ramp'):
        struct = name.replace('-', '_')
        return keep(item, 6, lambda row: feature_of_field(struct, row.replace('-', '_')),
                    features)
    if name in PREFIXES:
        return keep(item, 6, lambda row: feature_of(
            PREFIXES[name] + row.upper().replace('-', '_')), features)
    return item


def arrange_section(section, features):
    """What begins at the left."""
    if section.startswith(('definitions:', 'attribute-sets:')):
        section = keep(section, 2, feature_of_list, features)
        head, rows, tail = items(section, 2)
        return head + ''.join(arrange_list(row, features) for row in rows) + tail
    if section.startswith('operations:'):
        return keep(section, 4, lambda name: feature_of(
            'RAMP_CMD_' + name.upper().replace('-', '_')), features)
    if section.startswith('sub-messages:') and 'rails' not in features:
        return re.sub(r'(?m)^ +- value: ramp_mq\n(?: {8}.*\n)*', '', section)
    return section


def arrange(tree, features):
    """Of sch_ramp."""
    for path in tree.match('Documentation/netlink/specs/ramp*.yaml'):
        sections = re.split(r'(?m)^(?=[a-z-]+:)', tree[path])
        text = ''.join(arrange_section(section, features) for section in sections)
        if text == tree[path]:
            raise Miss(f'{path}: nothing is absent')
        tree[path] = re.sub(r'\n{3,}', '\n\n', text)
