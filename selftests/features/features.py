#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""What of ramp can be left out of the build, and what belongs to it: the one list.

    features.py --check			does it know all that the kernel does?
    features.py --builds		all that is built: features, a line each
    features.py --machines		those that are tested in a machine
    features.py --ids FEATURE...	cases of tdc for a module with these and no other
    features.py --tests FEATURE...	network tests, likewise

Cases and tests of a build are those that its features have more than the build without
its last one, so that each runs once.
"""

import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.join(HERE, '../..')
sys.path[:0] = [os.path.join(TOP, 'selftests', folder) for folder in
                ('tc-testing', 'net/lib', 'fuzz/netlink')]
sys.dont_write_bytecode = True

import tdc_cases  # noqa: E402
from tables import ANSWERS, NUMBER  # noqa: E402

# Each attribute, with the words for tc that send it. The first of them is its name in
# messages; where tc sends another one before it, there is only the name.
ATTRIBUTES = {
    'rails': {
        'RAIL': 'rail 7',
    },
    'codes': {
        'LADDER': 'ladder 50%:50%',
        'BAND_LADDERS': 'band-ladder 0 50%:50%',
        'ADJUST': 'adjust 3%',
        'FEEDBACK': 'feedback none',
        'BAND_FEEDBACKS': 'band-feedback 0 none',
        'VALIDITY': 'validity 1s',
        'ETHERTYPE': 'ethertype 0x88b5',
    },
    'peers': {
        'OBEY': 'obey min 10%',
        'OBEY_MIN': 'min',
        'OBEY_FROM': 'from',
    },
    'gears': {
        'GEARS': 'gears 1gbit,2gbit',
        'GEAR_UP': 'gear-up 70%',
        'GEAR_UP_TIME': 'gear-up 200us',
        'GEAR_DOWN': 'gear-down 20%',
        'GEAR_DOWN_TIME': 'gear-down 50us',
        'GEAR_FIT': 'gear-fit 90%',
        'GEAR_MIN': 'gear-range 1:1',
        'GEAR_MAX': 'gear-range',
        'GEAR_FOLLOW': 'gear-follow auto',
        'GEAR_PORTS': 'gear-ports none',
        'FREEZE': 'freeze 0',
        'DWELL': 'dwell 10ms',
        'IDLE': 'idle 100ms',
        'POWER': 'power 28,67',
        'POWER_PORTS': 'power-ports 30%,100%',
        'CLOCK': 'clock none',
        'CLOCK_PERCENT': 'clock',
        'CLOCK_CPUS': 'cpus none',
    },
}
# Those that stay.
CORE = '''LIMIT RATE DETECT QUEUE INGRESS WINDOW MONITOR TICK START STEP PAUSE HOLD
    DOWN_STEP FLOOR CEASE BANDS PRIOMAP EXEMPT BAND_LIMITS SPLIT_GSO MEMBERS ADAPTIVE
    CEASE_TIME LIMIT_BYTES'''.split()

# Features that one has no use without.
NEEDS = {'peers': ['codes']}
# What else names a feature in a case of tdc.
WORDS = {'rails': ['ramp_mq'], 'peers': ['no-obey'], 'codes': [], 'gears': []}
# Network tests that a feature takes, of those that run with it alone; '' is none.
TESTS = {
    '': ['func_bands', 'time_slope'],
    'rails': ['time_rail', 'time_rail_leave'],
    'codes': ['time_ladder', 'func_code_frame'],
    'peers': ['time_obey'],
    'gears': ['time_gear_rule', 'time_gear_freeze'],
}


def name(feature, attribute):
    """What a refusal calls it."""
    return ATTRIBUTES[feature][attribute].split()[0]


def with_needs(feature):
    """A feature and those that it needs, in their order."""
    return [*NEEDS.get(feature, []), feature]


def machines():
    """None, and each by itself."""
    return [[], *(with_needs(feature) for feature in ATTRIBUTES)]


def builds():
    """Those, and all but each with those that need it."""
    yield from machines()
    for feature in ATTRIBUTES:
        yield [other for other in ATTRIBUTES if feature not in with_needs(other)]


def words(feature):
    """The words by which a case of tdc is known to be about a feature."""
    return {name(feature, attribute) for attribute in ATTRIBUTES[feature]
            if attribute not in ('OBEY_MIN', 'OBEY_FROM')} | set(WORDS[feature])


def features_of(case):
    """The features that a case of tdc takes, by the words in it."""
    text = json.dumps([case.get(part) for part in (
        'setup', 'cmdUnderTest', 'verifyCmd', 'matchPattern', 'matchJSON')])
    found = {word.replace('_', '-') if word != 'ramp_mq' else word
             for word in re.findall(r'[A-Za-z][\w-]*', text)}
    return {feature for feature in ATTRIBUTES if found & words(feature)}


def ids(have):
    """The ids of the cases for these features."""
    last = set(have[-1:])
    for _, cases in tdc_cases.files():
        for case in cases:
            takes = features_of(case)
            if 'ramp' in case['category'] and takes <= set(have) and last <= takes:
                yield case['id']


def unknown():
    """Attributes that a user can name, and of which this list does not know what they are
    of; or the other way round."""
    listed = {*CORE, *(one for feature in ATTRIBUTES.values() for one in feature)}
    named = {attribute for attribute, number in NUMBER.items()
             if number not in ANSWERS and attribute not in ('UNSPEC', 'PAD')}
    return sorted(f'{attribute} is no attribute' if attribute in listed else
                  f'of which feature is {attribute}?' for attribute in listed ^ named)


def main():
    """Command line."""
    what, *have = sys.argv[1:]
    if what == '--check':
        found = unknown()
        print(*found, sep='\n')
        return int(len(found) > 0)
    if what == '--builds':
        lines = [' '.join(features) for features in builds()]
    elif what == '--machines':
        lines = [' '.join(features) for features in machines()]
    elif what == '--ids':
        lines = list(ids(have))
    elif what == '--tests':
        lines = TESTS[''.join(have[-1:])]
    else:
        sys.exit(__doc__)
    print(*lines, sep='\n')
    return 0


if __name__ == '__main__':
    sys.exit(main())
