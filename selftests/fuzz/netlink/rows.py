#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Do others say of a parameter what the kernel's row of it says?

Reads the rows of net/sched/ramp (struct ramp_attr), and compares names, sizes and bounds
with the table of the netlink fuzzer, syzkaller's description, the specification for YNL,
the list of features, and the parameters of tc. Says what differs.
"""

import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, '../../features'), HERE]
sys.dont_write_bytecode = True

import features  # noqa: E402
from kinds import Number  # noqa: E402
from names import SYZKALLER, enums, text_of  # noqa: E402
from tables import ANSWERS, KINDS, NUMBER, OF_RAIL  # noqa: E402

SCHED = 'net/sched/ramp/'
UAPI = 'include/uapi/linux/ramp.h'
SPEC = 'Documentation/netlink/specs/ramp-tc.yaml'
TC = 'iproute2-patch/q_ramp.c'
# Files with rows, and of which feature those are that do not say it. By macro of a number:
# the structure that its field is in.
FILES = {'config_netlink.c': None, 'code_attr.c': 'codes', 'gear_attr.c': 'gears'}
NUMBERS = {'RAMP_QDISC': 'ramp_config', 'RAMP_SHARED': 'ramp_config',
           'RAMP_CODE': 'ramp_code_config', 'RAMP_PEER': 'ramp_code_config',
           'RAMP_GEAR': 'ramp_gear_config'}
SIZES = {'u32': 4, 'u64': 8}
# The kernel's own; what answers are kept in has room for so much and a zero.
KERNEL = {'NSEC_PER_SEC': 10**9, 'NSEC_PER_MSEC': 10**6, 'NSEC_PER_USEC': 10**3,
          'SZ_1K': 2**10, 'SZ_1G': 2**30, 'U16_MAX': 2**16 - 1, 'U32_MAX': 2**32 - 1,
          'ETH_P_802_3_MIN': 0x600}
MESSAGE = 79

# Where others say less than the row, and why. What a row does not bound is bounded by what
# reads it.
NARROWER = {
    'tables.py': {'GEAR_MIN': (0, 15), 'GEAR_MAX': (0, 15)},
    SYZKALLER: {
        # A few, so that there are others on it.
        'RAIL': (0, 4), 'EXEMPT': (0, 0xffff), 'FREEZE': (0, 10**9),
        'GEAR_MIN': (0, 15), 'GEAR_MAX': (0, 15)},
    SPEC: {},
}
# What numbers of a kind are in tc.
TC_SIZES = {'time': 8, 'freeze': 8, 'rate': 8, 'percent': 4, 'flag': 4, 'choice': 4,
            'fit': 4, 'bands': 4, 'exempt': 4, 'rail': 4, 'ethertype': 4}


class Row:
    """What the kernel's row of a parameter says."""

    def __init__(self, name, text, feature, flags):
        self.name, self.text, self.feature = name, text, feature
        self.of_rail = 'of_rail' in flags
        self.size = self.low = self.high = None

    def says(self):
        """What users know it by."""
        return self.text.split(':')[0]


def split(text):
    """The arguments of a macro, of which strings and brackets are whole."""
    parts, depth, part = [], 0, ''
    for token in re.findall(r'"(?:\\.|[^"\\])*"|[^"]', text, re.S):
        depth += token in '({['
        depth -= token in ')}]'
        if token == ',' and not depth:
            parts.append(' '.join(part.split()))
            part = ''
        else:
            part += token
    return [*parts, ' '.join(part.split())]


def constants():
    """Whatever bounds may be made of, as text or number."""
    found = dict(KERNEL)
    for path in (UAPI, *(SCHED + header for header in ('ramp.h', 'gear.h'))):
        text = text_of(path)
        found.update(enums(text))
        found.update(re.findall(r'(?m)^#define (RAMP_\w+)[ \t]+(\S[^\n/]*?)\s*(?:/\*.*)?$',
                                text))
    return found


def number(expression, known):
    """What a bound is."""
    text = str(expression)
    while True:
        text = re.sub(r'\bBIT(?:_ULL)?\(', '2**(', re.sub(r'\b(\d\w*?)U?LL\b', r'\1', text))
        name = re.search(r'\b[A-Z_]\w*', text)
        if not name:
            break
        text = re.sub(rf'\b{name[0]}\b', f'({known[name[0]]})', text)
    text = text.replace('/', '//')
    if not re.fullmatch(r'[\dxa-f()+*/~ -]+', text):
        raise ValueError(f'not a bound: {expression}')
    value = eval(text)  # pylint: disable=eval-used
    return value if value >= 0 else value + 2**64


def structures():
    """{structure: {field: type}} of what parameters are in."""
    found = {}
    for header in ('ramp.h', 'code_config.h', 'gear.h'):
        for name, body in re.findall(r'(?ms)^struct (\w+) \{\n(.*?)^\}', text_of(SCHED + header)):
            found[name] = {field: kind for kind, field in
                           re.findall(r'(?m)^\t(?:struct )?(\w+)\s+(\w+)[;\[]', body)}
    return found


def width(known, struct, field):
    """Bytes of a field, or 0 if it is none that a row can have."""
    for part in field.split('.'):
        struct = known.get(struct, {}).get(part)
    return SIZES.get(struct, 0)


def rows():
    """{name: row} of all tables."""
    known, fields, found = constants(), structures(), {}
    for file, feature in FILES.items():
        for macro, body in re.findall(
                r'(?ms)^\t(RAMP_[A-Z_]+)\(((?:struct \w+, )?TCA_RAMP_.*?)\),\n(?=\t)',
                text_of(SCHED + file)):
            words = split(body)
            struct = NUMBERS.get(macro)
            if words[0].startswith('struct '):
                struct = words.pop(0).split()[1]
            name = words.pop(0)[len('TCA_RAMP_'):]
            texts = re.findall(r'"((?:\\.|[^"\\])*)"', body)
            if 'RAMP_SAYS' in body:
                texts.reverse()
            says = re.search(r'RAMP_(RAIL|PEER)\w*', macro + body)
            row = Row(name, ': '.join(texts), feature,
                      macro.replace('SHARED', 'of_rail') + body.replace('RAMP_PLACE', 'of_rail'))
            if says:
                row.feature = says[1].lower() + 's'
            if struct:
                # What is left are the field and its bounds.
                words = [word for word in words if not re.match(r'"|RAMP_SAYS|\.', word)]
                row.size = width(fields, struct, words[0])
                row.low, row.high = (number(word, known) for word in words[1:3])
            found[name] = row
    return found


def of_fuzzer():
    """(name, size, low, high) of the netlink fuzzer."""
    for name, kind in KINDS.items():
        if isinstance(kind, Number):
            every = kind.low, kind.high, *kind.others
            yield name, kind.size, min(every), max(every)


def of_syzkaller():
    """(name, size, low, high), of enumerations without bounds."""
    text = text_of(SYZKALLER).split('\nramp_policy [\n')[1].split('\n]')[0]
    for name, bits, bounds in re.findall(
            r'nlattr\[TCA_RAMP_(\w+), (?:flags\[\w+, )?int(32|64)(?:\[(\w+:\w+)\])?\]', text):
        low, high = (int(word, 0) for word in bounds.split(':')) if bounds else (None, None)
        yield name, int(bits) // 8, low, high


def of_spec():
    """Likewise; without checks there is nothing to compare."""
    text = text_of(SPEC)
    text = text[text.index('name: ramp-attrs\n'):]
    text = text[:text.index('\n    name: ', 1) if '\n    name: ' in text[1:] else len(text)]
    for block in re.split(r'(?m)^      -\n', text)[1:]:
        word = dict(re.findall(r'(?m)^ +(name|type|min|max|enum): (\S+)$', block))
        if word.get('type') not in SIZES:
            continue
        low = high = None
        if 'max' in word or 'min' in word:
            low, high = int(word.get('min', 0)), int(word.get('max', 2**64 - 1))
        yield word['name'].upper().replace('-', '_'), SIZES[word['type']], low, high


def compare(where, found, table):
    """Yields what is wrong with what others say of numbers."""
    seen = set()
    for name, size, low, high in found:
        row = table.get(name)
        if row is None:
            yield f'{where}: {name} has no row'
            continue
        if row.size is None:
            continue
        seen.add(name)
        if size != row.size:
            yield f'{where}: {name} has {size} bytes, its row {row.size}'
        bounds = NARROWER[where].get(name, (row.low, row.high))
        if low is not None and (low, high) != bounds:
            yield f'{where}: {name} is {low}..{high}, its row {row.low}..{row.high}'
    for name, row in table.items():
        if row.size is not None and name not in seen:
            yield f'{where}: {name} is a number in its row alone'


def compare_tc(table):
    """Yields what is wrong with keywords and sizes of tc."""
    text = text_of(TC)
    found = re.findall(r'(?s)\{ \.keyword = "([\w-]+)",(.*?)\},?\n', text)
    if not found:
        yield f'{TC}: no parameters'
    for keyword, body in found:
        kind = re.search(r'&ramp_type_(\w+)', body)
        for name in re.findall(r'TCA_RAMP_(\w+)', body):
            row = table.get(name)
            if row is None or row.says() != keyword:
                yield f'{TC}: {keyword} is {name}, whose row is of {row and row.says()}'
            elif row.size and TC_SIZES.get(kind[1], row.size) != row.size:
                yield f'{TC}: {keyword} has {TC_SIZES[kind[1]]} bytes, its row {row.size}'


def compare_features(table):
    """Yields rows that are of another feature, or have another name there."""
    for name, row in table.items():
        if NUMBER[name] in ANSWERS:
            continue
        feature = next((one for one in features.ATTRIBUTES
                        if name in features.ATTRIBUTES[one]), None)
        if feature != row.feature:
            yield f'features.py: {name} is of {feature}, its row of {row.feature}'
        elif feature and features.name(feature, name) != row.says():
            yield (f'features.py: {name} is called {features.name(feature, name)}, in its row '
                   f'{row.says()}')


def problems():
    """Yields all."""
    table = rows()
    for name in sorted(set(NUMBER) - set(table) - {'UNSPEC', 'PAD'}):
        yield f'{name} has no row'
    for name, row in table.items():
        if name not in NUMBER:
            yield f'{name} has a row, and is no attribute'
            return
        if row.size == 0:
            yield f'{name}: its field is neither u32 nor u64'
        left = f'{row.says()}: left out of this build (CONFIG_NET_SCH_RAMP_' \
               f'{(row.feature or "").upper()})'
        if len(row.text) > MESSAGE or row.feature and len(left) > MESSAGE:
            yield f'{name}: what its row says is too long for an answer'
        if row.of_rail != (name in OF_RAIL + ['RAIL']):
            yield f'tables.py: OF_RAIL and the row of {name} differ'
    yield from compare('tables.py', of_fuzzer(), table)
    yield from compare(SYZKALLER, of_syzkaller(), table)
    yield from compare(SPEC, of_spec(), table)
    yield from compare_features(table)
    yield from compare_tc(table)


def main():
    """Prints them."""
    found = list(problems())
    print(*found, sep='\n')
    return int(len(found) > 0)


if __name__ == '__main__':
    sys.exit(main())
