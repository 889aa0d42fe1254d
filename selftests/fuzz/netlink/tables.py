# SPDX-License-Identifier: GPL-2.0
"""The attributes of qdisc ramp: their numbers, what they hold, what follows them.

selftests/lint compares the numbers with include/uapi/linux/ramp.h.
"""

from kinds import (BANDS, PACKETS, PERCENT, PPS, RATE, RATE_MAX, RATE_MIN,
                   U64_MAX, WHOLE, Addresses, Amount, Array, Bytes, Cpus, Exempt,
                   Level, Number)
from lists import BandFeedbacks, BandLadders, BandLimits, Devices, Steps

US, MS, S = 10**3, 10**6, 10**9

NAMES = (
    'UNSPEC PAD LIMIT RATE DETECT QUEUE INGRESS WINDOW MONITOR TICK START STEP '
    'PAUSE HOLD DOWN_STEP FLOOR CEASE LIMIT_NOW LIMIT_NEED RATE_NOW BANDS '
    'PRIOMAP EXEMPT BAND_LIMITS SPLIT_GSO MEMBERS ADAPTIVE CEASE_TIME LADDER '
    'BAND_LADDERS ADJUST - FEEDBACK BAND_FEEDBACKS VALIDITY ETHERTYPE '
    'OBEY OBEY_MIN RAIL GEARS GEAR_UP GEAR_DOWN GEAR_MIN GEAR_MAX GEAR_FOLLOW '
    'GEAR_PORTS FREEZE DWELL IDLE POWER CLOCK CLOCK_PERCENT CLOCK_CPUS '
    'GEAR_TOP FREEZE_NOW LIMIT_BYTES LIMIT_BYTES_NOW GEAR_UP_TIME '
    'GEAR_DOWN_TIME GEAR_FIT POWER_PORTS OBEY_FROM').split()
NUMBER = {name: number for number, name in enumerate(NAMES) if name != '-'}

DETECT_OFF, DETECT_QUEUE, DETECT_INGRESS = 0, 1, 2
CEASE_FULL, CEASE_AUTO, CEASE_TIME = range(3)

KINDS = {
    'LIMIT': Number(4, 0, 2**20),
    'LIMIT_BYTES': Number(4, 2**10, 2**30),
    'RATE': Number(8, RATE_MIN, RATE_MAX, 0),
    'DETECT': Number(4, 0, 5),
    'QUEUE': Level((PACKETS, PERCENT), 1),
    'INGRESS': Level((RATE, PPS, PERCENT)),
    'MEMBERS': Level((BANDS,), 0, True),
    'WINDOW': Number(8, MS, 10 * S),
    'MONITOR': Number(8, MS, 60 * S),
    'TICK': Number(8, 50 * US, S),
    'START': Amount(), 'STEP': Amount(), 'DOWN_STEP': Amount(),
    'FLOOR': Amount(),
    'PAUSE': Number(8, 0, 10 * S),
    'HOLD': Number(8, 0, 60 * S),
    'CEASE': Number(4, 0, 2),
    'CEASE_TIME': Number(8, 50 * US, 3600 * S),
    'BANDS': Number(4, 1, 16),
    'PRIOMAP': Bytes(),
    'EXEMPT': Exempt(),
    'BAND_LIMITS': BandLimits(),
    'SPLIT_GSO': Number(4, 0, 1),
    'ADAPTIVE': Number(4, 0, 1),
    'LADDER': Steps(),
    'BAND_LADDERS': BandLadders(),
    'ADJUST': Number(4, 1, WHOLE // 2),
    'FEEDBACK': Devices('ethernet', 16),
    'BAND_FEEDBACKS': BandFeedbacks(),
    'VALIDITY': Number(8, 10 * MS, 10 * S),
    'ETHERTYPE': Number(4, 0x600, 0xffff),
    'OBEY': Number(4, 0, 1),
    'OBEY_MIN': Number(4, 0, WHOLE),
    'OBEY_FROM': Addresses(16),
    'RAIL': Number(4, 0, 2**32 - 1),
    'GEARS': Array(8, RATE_MIN, RATE_MAX, 16, 2, True),
    'GEAR_UP': Array(2, 1, WHOLE, empty=False),
    'GEAR_DOWN': Array(2, 0, WHOLE - 1, empty=False),
    'GEAR_UP_TIME': Array(8, US, S, empty=False),
    'GEAR_DOWN_TIME': Array(8, 0, S, empty=False),
    'GEAR_FIT': Number(4, 0, WHOLE),
    'GEAR_MIN': Number(4, 0, 15),
    'GEAR_MAX': Number(4, 0, 15),
    'GEAR_FOLLOW': Number(4, 0, 3),
    'GEAR_PORTS': Devices('devices', 64),
    'FREEZE': Number(8, 0, S, U64_MAX),
    'DWELL': Number(8, 0, 60 * S),
    'IDLE': Number(8, MS, 60 * S),
    'POWER': Array(4, 0, 2**32 - 1),
    'POWER_PORTS': Array(2, 0, 2 * WHOLE, 16, 2),
    'CLOCK': Number(4, 0, 1),
    'CLOCK_PERCENT': Array(2, 1, WHOLE),
    'CLOCK_CPUS': Cpus(4, 0, 2**32 - 1, 64),
}
KIND = {NUMBER[name]: kind for name, kind in KINDS.items()}

# What only answers have.
ANSWERS = [NUMBER[name] for name in
           'PAD LIMIT_NOW LIMIT_NEED LIMIT_BYTES_NOW RATE_NOW GEAR_TOP '
           'FREEZE_NOW'.split()]
# What moves by itself.
MOVING = NUMBER['FREEZE_NOW']

OF_RAIL = ('RATE DETECT QUEUE MEMBERS INGRESS WINDOW MONITOR TICK START STEP '
           'DOWN_STEP FLOOR PAUSE HOLD CEASE CEASE_TIME ADAPTIVE').split()
AMOUNTS = 'START STEP DOWN_STEP FLOOR'.split()
OF_BANDS = 'PRIOMAP BAND_LIMITS BAND_LADDERS BAND_FEEDBACKS'.split()
THRESHOLDS = 'GEAR_UP GEAR_DOWN GEAR_UP_TIME GEAR_DOWN_TIME'.split()
OF_GEARS = THRESHOLDS + 'GEAR_MIN GEAR_MAX POWER CLOCK_PERCENT'.split()
# Of two kinds, of which one is shown.
ABSENT = [NUMBER[name] for name in THRESHOLDS + ['CEASE_TIME', 'LIMIT_BYTES']]


def _follows():
    """By attribute: what else may change it when it is not named itself."""
    found = {name: set() for name in KINDS}
    for name in OF_RAIL:
        found[name].add('RAIL')
    for name in AMOUNTS:
        found[name].update(AMOUNTS)
    for name in OF_BANDS:
        found[name].add('BANDS')
    for name in OF_GEARS:
        found[name].add('GEARS')
    found['POWER'].add('POWER_PORTS')
    found['LIMIT'].add('LIMIT_BYTES')
    found['LIMIT_BYTES'].add('LIMIT')
    for name in THRESHOLDS:
        found[name].update(THRESHOLDS)
    found['CEASE'].add('CEASE_TIME')
    found['CEASE_TIME'].add('CEASE')
    return {NUMBER[name]: {NUMBER[by] for by in others}
            for name, others in found.items()}


FOLLOWS = _follows()

# Each alone is right whatever else is in force, on a qdisc without rail.
ALWAYS = [NUMBER[name] for name in
          'MONITOR PAUSE HOLD ADAPTIVE SPLIT_GSO DWELL IDLE VALIDITY ETHERTYPE '
          'OBEY_MIN OBEY_FROM WINDOW'.split()]
