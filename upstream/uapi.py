# SPDX-License-Identifier: GPL-2.0
"""The numbers of a stage: what a feature has stands behind what those before it have, so
that what a program was built with for a later stage fits an earlier one."""

import re

import ctext
from ctext import Miss

# What a name begins with, by feature; all others are of the core. None: never upstream.
NAMES = [
    ('rails', ['TCA_RAMP_RAIL', 'RAMP_A_RAIL', 'RAMP_A_STATE', 'RAMP_A_MEMBER',
               'RAMP_CMD_RAIL']),
    (None, ['TCA_RAMP_CLOCK', 'RAMP_CLOCK', 'TCA_RAMP_UNUSED']),
    ('gears', ['TCA_RAMP_GEAR', 'RAMP_GEAR', 'TCA_RAMP_POWER', 'RAMP_POWER',
               'TCA_RAMP_FREEZE', 'RAMP_FREEZE', 'TCA_RAMP_DWELL', 'TCA_RAMP_IDLE',
               'RAMP_STATE_FROZEN', 'RAMP_A_GEAR', 'RAMP_CMD_GEAR']),
    (None, ['TCA_RAMP_LADDER', 'RAMP_LADDER', 'TCA_RAMP_BAND_LADDER', 'TCA_RAMP_ADJUST',
            'TCA_RAMP_FEEDBACK', 'RAMP_FEEDBACK', 'TCA_RAMP_BAND_FEEDBACK',
            'TCA_RAMP_VALIDITY', 'TCA_RAMP_ETHERTYPE', 'TCA_RAMP_OBEY', 'RAMP_OBEY',
            'RAMP_PEER', 'RAMP_A_CODE', 'RAMP_A_WHY', 'RAMP_CMD_CODE', 'RAMP_CMD_PEER']),
]
FIELDS = {
    'tc_ramp_xstats': [
        (None, '''codes_sent codes_refreshed frames_sent frames_lost codes_received
               codes_stale codes_malformed codes_ignored codes_expired peer_rate'''),
        ('gears', '''gear gear_min gear_max gears gear_ns gear_changes flaps freezes
                  freeze_ns_min freeze_ns_avg freeze_ns_max range_drops energy_mj saved
                  port_rows port_row ports_up ports port_ns'''),
    ],
    'tc_ramp_class_xstats': [
        (None, '''level code next_up next_down codes_sent peer_rate peer_delayed
               flaps'''),
    ],
}
ORDER = ['core', 'rails', 'gears']


def feature_of(name):
    """Of which feature an enumerator or a macro is."""
    bare = name.lstrip('_')
    for feature, prefixes in NAMES:
        if bare.startswith(tuple(prefixes)):
            return feature
    return 'core'


def feature_of_field(struct, name):
    """The same of a counter."""
    for feature, names in FIELDS.get(struct, []):
        if name in names.split():
            return feature
    return 'core'


def sorted_rows(rows, of, features):
    """Those of the features, each behind those of the features before it."""
    kept = [row for row in rows if of(row) in features]
    return sorted(kept, key=lambda row: ORDER.index(of(row)))


def arrange_docs(text, of, features):
    """Rows of a kernel-doc comment."""
    found = ctext.doc_rows(text, 0)
    if not found:
        return text
    rows = [text[begin:end] for _, begin, end in found]
    names = dict(zip(rows, (name for name, *_ in found)))
    kept = sorted_rows(rows, lambda row: of(names[row]), features)
    return text[:found[0][1]] + ''.join(kept) + text[found[-1][2]:]


def arrange_block(block, features):
    """What is between two blank lines: an enum, a struct, a macro; '' if it goes."""
    macro = re.search(r'(?m)^#define (\w+)', block)
    opening = re.search(r'(?m)^(enum|struct)(?: (\w+))? \{$', block)
    if macro and not opening:
        names = re.findall(r'(?m)^#define (\w+)', block)
        return block if feature_of(names[0]) in features else ''
    if not opening:
        return block
    kind, name = opening[1], opening[2]

    def of(word):
        if kind == 'struct':
            return feature_of_field(name, word)
        return feature_of(word)

    end = ctext.line_start(block, ctext.closing(block, opening.end() - 1) - 1)
    rows = ctext.items(block[opening.end() + 1:end])
    last = [row for row in rows if ctext.row_name(row).endswith('_MAX') and
            ctext.row_name(row).startswith('__')]
    rows = [row for row in rows if row not in last]
    kept = sorted_rows(rows, lambda row: of(ctext.row_name(row)), features)
    if not kept or (kind == 'enum' and name and feature_of(name.upper()) not in features):
        return ''
    return arrange_docs(block[:opening.end()], of, features) + '\n' + \
        ''.join(kept + last) + block[end:]


def header(text, features):
    """A header of the user's interface."""
    blocks = re.split(r'\n\n', text)
    # A blank line within an enum or a comment does not end it.
    whole = []
    for block in blocks:
        if whole and (whole[-1].count('{') > whole[-1].count('}') or
                      whole[-1].count('/*') > whole[-1].count('*/')):
            whole[-1] += '\n\n' + block
        else:
            whole.append(block)
    kept = [arrange_block(block, features) for block in whole]
    return '\n\n'.join(block for block in kept if block)


def arrange(tree, features):
    """Of all interfaces."""
    for path in ('include/uapi/linux/ramp.h', 'include/uapi/linux/ramp_family.h'):
        tree[path] = header(tree[path], features)
    total = 0
    for path in tree.match('net/sched/ramp/*.c'):
        tree[path], rows = ctext.drop_table_rows(
            tree[path], lambda name: feature_of(name) not in features)
        total += rows
    # Rows of rails are among others, and so are those of clocks; those of gears are in a
    # file that is not there.
    if not total and ('gears' in features or 'rails' not in features):
        raise Miss('no table has a row of what is absent')
