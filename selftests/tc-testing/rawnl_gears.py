# SPDX-License-Identifier: GPL-2.0
"""
Options about gears, for a ramp qdisc that has none and a limit of 777: what it must
refuse, and what looks odd but is right.
"""

import struct

from rawnl_cases import LIMIT, U64_MAX, size_cases
from rawnl_codes import FULL, u16s
from netlink import NLA_F_NESTED, attr, nest, u8, u32, u64

# include/uapi/linux/ramp.h
(GEARS, UP, DOWN, MIN, MAX, FOLLOW, PORTS, FREEZE, DWELL, IDLE, POWER, CLOCK,
 PERCENT, CPUS, TOP, FREEZE_NOW) = range(39, 55)
UP_TIME, DOWN_TIME, FIT, POWER_PORTS = range(57, 61)
IFINDEX = 1
GEARS_MAX, PORTS_MAX, CPUS_MAX = 16, 64, 64
FREEZE_AUTO = U64_MAX
FOLLOW_LAST, CLOCK_LAST = 3, 1
SHARES_MAX, SHARE_MAX = 16, 2 * FULL

SECOND = 10**9
MBIT = 125000


def u32s(kind, values):
    """An attribute that is an array of four bytes each."""
    return attr(kind, struct.pack(f'{len(values)}I', *values))


def u64s(kind, values):
    """An attribute that is an array of eight bytes each."""
    return attr(kind, struct.pack(f'{len(values)}Q', *values))


FOUR = u64s(GEARS, [MBIT, 2 * MBIT, 3 * MBIT, 4 * MBIT])


def list_cases():
    """Malformed lists; each goes with four good gears."""
    name = 'gears'
    for what, rates in (
            ('one', (MBIT,)), ('17', range(MBIT, 18 * MBIT, MBIT)),
            ('thousands', range(1000, 9000)),
            ('that fall', (2 * MBIT, MBIT)), ('two alike', (MBIT, MBIT)),
            ('the last not above', (MBIT, 3 * MBIT, 3 * MBIT)),
            ('a rate of 0', (0, MBIT)), ('999 bytes/s', (999, MBIT)),
            ('2^40 + 1 bytes/s', (MBIT, 2**40 + 1)),
            ('2^64 - 1 bytes/s', (MBIT, U64_MAX))):
        yield f'{name}: {what}', u64s(GEARS, list(rates)), name
    for size in (1, 7, 9, 12, 15, 17, 20):
        yield f'{name}: {size} bytes', attr(GEARS, b'\1' * size), name
    yield (f'{name}: an unexpected nest flag',
           attr(GEARS | NLA_F_NESTED, FOUR[4:]), name)

    for name, kind, worst in (('gear-up', UP, 0), ('gear-down', DOWN, FULL)):
        for n in (2, 3, 5, 17, 1000):
            yield f'{name}: {n} for four gears', FOUR + u16s(kind, [5000] * n), name
        yield f'{name}: none', FOUR + attr(kind, b''), name
        yield f'{name}: one byte', FOUR + attr(kind, b'\1'), name
        yield f'{name}: three bytes', FOUR + attr(kind, b'\1' * 3), name
        yield (f'{name}: an unexpected nest flag',
               FOUR + attr(kind | NLA_F_NESTED, b'\x88\x13'), name)
        for value in (worst, FULL + 1, 0xffff):
            yield f'{name}: {value}', FOUR + u16s(kind, (value,)), name
            yield (f'{name}: one of four is {value}',
                   FOUR + u16s(kind, (5000, 5000, value, 5000)), name)
    yield ('gear-up: as low as gear-down',
           FOUR + u16s(UP, (3000,)) + u16s(DOWN, (3000,)), 'gear-up|gear-down')
    yield ('gear-down: above gear-up in one gear',
           FOUR + u16s(UP, (5000, 5000, 5000, 5000)) +
           u16s(DOWN, (4000, 4000, 6000, 4000)), 'gear-up|gear-down')

    for name, kind, worst in (('gear-up', UP_TIME, 999),
                              ('gear-down', DOWN_TIME, SECOND + 1)):
        for n in (2, 3, 5, 17, 900):
            yield (f'{name}: {n} times for four gears',
                   FOUR + u64s(kind, [100000] * n), name)
        yield f'{name}: no time', FOUR + attr(kind, b''), name
        for size in (1, 4, 7, 9, 33):
            yield (f'{name}: a time of {size} bytes',
                   FOUR + attr(kind, b'\1' * size), name)
        for value in (worst, SECOND + 1, U64_MAX):
            yield f'{name}: {value} ns', FOUR + u64s(kind, (value,)), name
            yield (f'{name}: one of four is {value} ns',
                   FOUR + u64s(kind, (100000, 100000, value, 100000)), name)
    yield ('gear-up: a time as short as gear-down',
           FOUR + u64s(UP_TIME, (30000,)) + u64s(DOWN_TIME, (30000,)),
           'gear-up|gear-down')
    for one, other in ((UP, DOWN_TIME), (UP, UP_TIME), (DOWN, UP_TIME)):
        yield (f'gear-up: of two kinds, {one} and {other}',
               FOUR + u16s(one, (5000,)) + u64s(other, (10000,)),
               'gear-up, gear-down')
    yield from size_cases('gear-fit', FIT, 4, 'gear-fit')
    yield 'gear-fit: more than all', u32(FIT, FULL + 1), 'gear-fit'

    name = 'power'
    for n in (1, 3, 5, 17, 1000):
        yield f'{name}: {n} for four gears', FOUR + u32s(POWER, [5] * n), name
    for size in (1, 3, 15):
        yield f'{name}: {size} bytes', FOUR + attr(POWER, b'\1' * size), name
    yield (f'{name}: an unexpected nest flag',
           FOUR + attr(POWER | NLA_F_NESTED, bytes(16)), name)


def power_port_cases(devices):
    """Malformed shares of power; each goes with four good gears and a port."""
    name = 'power-ports'
    port = FOUR + nest(PORTS, u32(IFINDEX, devices[0]))
    two = u16s(POWER_PORTS, (5000, FULL))
    for n in (1, SHARES_MAX + 1, 1000):
        yield f'{name}: {n}', port + u16s(POWER_PORTS, [5000] * n), name
    for size in (1, 3, 33):
        yield (f'{name}: {size} bytes',
               port + attr(POWER_PORTS, b'\1' * size), name)
    for value in (SHARE_MAX + 1, 0xffff):
        for shares in ((value, FULL), (5000, value)):
            yield (f'{name}: {shares[0]} and {shares[1]}',
                   port + u16s(POWER_PORTS, shares), name)
    yield (f'{name}: an unexpected nest flag',
           port + attr(POWER_PORTS | NLA_F_NESTED, bytes(4)), name)
    yield f'{name}: no port', FOUR + two, 'power-ports: needs gear-ports'
    yield (f'{name}: no gear and no port', two,
           'power-ports: needs gear-ports')
    yield (f'{name}: an empty list of ports', two + nest(PORTS),
           'power-ports: needs gear-ports')

    name = 'power: .*with power-ports'
    for n in (2, 4, 16, 17):
        yield (f'power: {n} with power-ports',
               port + two + u32s(POWER, [5] * n), name)
    yield ('power: one, and power-ports none',
           port + attr(POWER_PORTS, b'') + u32s(POWER, (5,)), name)
    for size in (1, 2, 3, 5):
        yield (f'power: {size} bytes with power-ports',
               port + two + attr(POWER, b'\1' * size), name)


def range_cases():
    """Ranges that four gears do not have."""
    name = 'gear-range'
    for kind in (MIN, MAX):
        yield from size_cases(name, kind, 4, name)
    for low, high in ((0, 1), (0, 3), (2, 1), (1, 4), (4, 4), (1, 16),
                      (1, 2**32 - 1), (2**32 - 1, 2**32 - 1)):
        yield (f'{name}: {low}:{high}', FOUR + u32(MIN, low) + u32(MAX, high),
               name)
    yield f'{name}: no lowest', FOUR + u32(MAX, 2), name
    yield f'{name}: no highest', FOUR + u32(MIN, 2), name


def port_cases(devices):
    """Malformed lists of devices."""
    name = 'gear-ports'
    good = u32(IFINDEX, devices[0])
    yield f'{name}: no nest flag', attr(PORTS, good), name
    yield f'{name}: one byte', attr(PORTS | NLA_F_NESTED, b'\1'), name
    yield f'{name}: garbage', attr(PORTS | NLA_F_NESTED, b'\xa5' * 23), name
    yield (f'{name}: bytes left over',
           attr(PORTS | NLA_F_NESTED, good + b'\0\0'), name)
    yield f'{name}: an index of one byte', nest(PORTS, u8(IFINDEX, 1)), name
    yield f'{name}: an index of eight bytes', nest(PORTS, u64(IFINDEX, 1)), name
    for kind in (0, 2, 77):
        yield f'{name}: an attribute {kind}', nest(PORTS, good, u32(kind, 1)), name
    for ifindex in (0, 99999, 2**31 - 1, 2**31, 2**32 - 1):
        yield (f'{name}: device {ifindex}',
               nest(PORTS, good, u32(IFINDEX, ifindex)), name)
    yield (f'{name}: {PORTS_MAX + 1} devices',
           nest(PORTS, *(u32(IFINDEX, dev) for dev in devices)), name)


def gear_number_cases():
    """Malformed numbers."""
    for name, kind, right in (('gear-follow', FOLLOW, 4), ('clock', CLOCK, 4),
                              ('dwell', DWELL, 8), ('idle', IDLE, 8)):
        yield from size_cases(name, kind, right, name)
    for size in (0, 1, 4, 12):
        yield f'freeze: {size} bytes', attr(FREEZE, bytes(size)), 'freeze'
    yield 'freeze: 1 s and 1 ns', u64(FREEZE, SECOND + 1), 'freeze'
    yield 'freeze: 2^63', u64(FREEZE, 2**63), 'freeze'
    yield 'freeze: 2^64 - 2', u64(FREEZE, U64_MAX - 1), 'freeze'
    yield 'dwell: 60 s and 1 ns', u64(DWELL, 60 * SECOND + 1), 'dwell'
    yield 'idle: 0', u64(IDLE, 0), 'idle'
    yield 'idle: 999999 ns', u64(IDLE, 999999), 'idle'
    yield 'idle: 60 s and 1 ns', u64(IDLE, 60 * SECOND + 1), 'idle'
    yield 'gear-follow: 4', u32(FOLLOW, FOLLOW_LAST + 1), 'gear-follow'
    yield 'clock: 2', u32(CLOCK, CLOCK_LAST + 1), 'clock'
    # 4 Mbit/s for 1 s are 7813 frames of 64 bytes, for 10 ms 79.
    yield ('freeze: no room',
           FOUR + u64(FREEZE, SECOND) + u32(LIMIT, 1000), 'freeze')
    yield ('limit: no room for freeze',
           FOUR + u64(FREEZE, SECOND // 100) + u32(LIMIT, 60), 'freeze|limit')
    for name, options in (('gear_top', u32(TOP, 1)),
                          ('freeze_now', u64(FREEZE_NOW, 1))):
        yield f'{name} is only in answers', options, name


def clock_cases():
    """Malformed lists of percentages and of CPUs."""
    for n in (1, 3, 5, 17):
        yield (f'clock: {n} percentages for four gears',
               FOUR + u16s(PERCENT, [5000] * n), 'clock')
    for value in (0, FULL + 1, 0xffff):
        yield (f'clock: a percentage of {value}',
               FOUR + u16s(PERCENT, (5000, value, 5000, 5000)), 'clock')
    for size in (1, 3):
        yield f'clock: {size} bytes', FOUR + attr(PERCENT, b'\1' * size), 'clock'
    for size in (1, 3, 5):
        yield f'cpus: {size} bytes', attr(CPUS, bytes(size)), 'cpus'
    for cpu in (99999, 2**31, 2**32 - 1):
        yield f'cpus: CPU {cpu}', u32s(CPUS, (0, cpu)), 'cpus'
    yield f'cpus: {CPUS_MAX + 1}', u32s(CPUS, [0] * (CPUS_MAX + 1)), 'cpus'
    yield 'cpus: thousands', u32s(CPUS, range(10000)), 'cpus'
    yield ('cpus: an unexpected nest flag',
           attr(CPUS | NLA_F_NESTED, bytes(4)), 'cpus')


def gear_cases(devices):
    """
    (name, bytes, what the message must match) of all malformed options; devices
    are the ifindexes of one more device than there may be ports.
    """
    yield from list_cases()
    yield from power_port_cases(devices)
    yield from range_cases()
    yield from port_cases(devices)
    yield from gear_number_cases()
    yield from clock_cases()


def gears_accepted(devices):
    """(name, options, {attribute: what it is then}) of changes in turn."""
    two = u64s(GEARS, [1000, 2**40])
    sixteen = u64s(GEARS, range(MBIT, 17 * MBIT, MBIT))
    each = u16s(UP, range(5000, 5160, 10))
    watts = u32s(POWER, range(16))
    zero = bytes(4)
    yield 'no gears are nothing', attr(GEARS, b''), {GEARS: b''}
    yield 'the least and the largest rate', two, {GEARS: two[4:]}
    yield ('16 gears, each with a threshold and a power',
           sixteen + each + watts,
           {GEARS: sixteen[4:], UP: each[4:], POWER: watts[4:]})
    yield ('of duplicate gears the last wins', two + FOUR,
           {GEARS: FOUR[4:], UP: struct.pack('H', 7000), POWER: b''})
    yield ('a range of one gear', u32(MIN, 2) + u32(MAX, 2),
           {MIN: struct.pack('I', 2), MAX: struct.pack('I', 2),
            TOP: struct.pack('I', 2)})
    yield ('a range of 0:0 is none', u32(MIN, 0) + u32(MAX, 0),
           {MIN: zero, MAX: zero, TOP: struct.pack('I', 3)})
    yield ('freeze: auto', u64(FREEZE, FREEZE_AUTO),
           {FREEZE: struct.pack('Q', FREEZE_AUTO)})
    yield 'freeze: 0', u64(FREEZE, 0), {FREEZE: bytes(8)}
    whole = nest(PORTS, *(u32(IFINDEX, dev) for dev in devices[:PORTS_MAX]))
    first = u32(IFINDEX, devices[0])
    yield f'{PORTS_MAX} ports', whole, {PORTS: whole[4:]}
    yield ('a port that is named twice is there once',
           nest(PORTS, first, first), {PORTS: first})
    yield 'an empty list of ports is none', nest(PORTS), {PORTS: b''}
    yield 'an empty list of CPUs is none', attr(CPUS, b''), {CPUS: b''}
    shares = u16s(POWER_PORTS, (0, SHARE_MAX))
    most = u16s(POWER_PORTS, range(SHARES_MAX))
    watts = u32s(POWER, (2**32 - 1,))
    yield ('shares of power, the least and the largest, of a power',
           shares + watts + nest(PORTS, first),
           {POWER_PORTS: shares[4:], POWER: watts[4:]})
    yield (f'{SHARES_MAX} shares keep the power', most,
           {POWER_PORTS: most[4:], POWER: watts[4:]})
    yield ('of duplicate shares the last wins, and no share is by gear',
           most + attr(POWER_PORTS, b''), {POWER_PORTS: b'', POWER: b''})
    yield 'no port again', nest(PORTS), {PORTS: b''}
    yield ('gears are taken away, the rest is kept', attr(GEARS, b''),
           {GEARS: b''})
