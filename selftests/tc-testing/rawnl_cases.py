# SPDX-License-Identifier: GPL-2.0
"""Options of the ramp qdisc that it must refuse, for one that has four bands."""

from netlink import NLA_F_NESTED, attr, nest, u8, u32, u64

# include/uapi/linux/ramp.h
(PAD, LIMIT, RATE, DETECT, QUEUE, INGRESS, WINDOW, MONITOR, TICK, START, STEP,
 PAUSE, HOLD, DOWN_STEP, FLOOR, CEASE, LIMIT_NOW, LIMIT_NEED, RATE_NOW, BANDS,
 PRIOMAP, EXEMPT, BAND_LIMITS, SPLIT_GSO, MEMBERS, ADAPTIVE,
 CEASE_TIME) = range(1, 28)
UNIT, LOW, HIGH, DELTA = 2, 3, 4, 5
VALUE = 3
ENTRY = 1
BAND, BAND_PACKETS, BAND_BYTES = 1, 2, 3
LIMIT_BYTES, LIMIT_BYTES_NOW = 55, 56
PACKETS, BYTES, PPS, PERCENT, OF_BANDS = range(5)
CEASE_FULL, CEASE_AUTO, CEASE_BY_TIME = range(3)
XSTATS_SIZE, CLASS_XSTATS_SIZE = 592, 96

U64_MAX = 2**64 - 1


def level(kind, unit, low, high):
    """A level, LOW:HIGH."""
    return nest(kind, u32(UNIT, unit), u64(LOW, low), u64(HIGH, high))


def delta(kind, unit, value):
    """A level, +DELTA."""
    return nest(kind, u32(UNIT, unit), u64(DELTA, value))


def band_limit(*pairs):
    """Limits of bands, from pairs of band and packets."""
    return nest(BAND_LIMITS, *(nest(ENTRY, u32(BAND, band),
                                    u32(BAND_PACKETS, packets))
                               for band, packets in pairs))


def amount(kind, unit, value):
    """An amount."""
    return nest(kind, u32(UNIT, unit), u64(VALUE, value))


def level_cases(name, kind, good, wrong):
    """Malformed levels. good and wrong are units it does and does not take."""
    yield f'{name}: no nest flag', attr(kind, u32(UNIT, good)), name
    yield f'{name}: empty', nest(kind), name
    yield f'{name}: one byte', attr(kind | NLA_F_NESTED, b'\1'), name
    yield f'{name}: garbage', attr(kind | NLA_F_NESTED, b'\xa5' * 23), name
    yield (f'{name}: LOW without HIGH',
           nest(kind, u32(UNIT, good), u64(LOW, 100)), name)
    yield (f'{name}: HIGH without LOW',
           nest(kind, u32(UNIT, good), u64(HIGH, 100)), name)
    yield (f'{name}: no unit', nest(kind, u64(LOW, 1), u64(HIGH, 2)), name)
    yield f'{name}: unit only', nest(kind, u32(UNIT, good)), name
    yield f'{name}: unit 99', level(kind, 99, 1, 2), name
    yield f'{name}: unit 2^32 - 1', level(kind, 2**32 - 1, 1, 2), name
    for unit in wrong:
        yield f'{name}: unit {unit} of others', level(kind, unit, 1, 2), name
    yield (f'{name}: unit of one byte',
           nest(kind, u8(UNIT, good), u64(LOW, 1), u64(HIGH, 2)), name)
    yield (f'{name}: LOW of four bytes',
           nest(kind, u32(UNIT, good), u32(LOW, 1), u64(HIGH, 2)), name)
    yield (f'{name}: HIGH of no bytes',
           nest(kind, u32(UNIT, good), u64(LOW, 1), attr(HIGH, b'')), name)
    yield (f'{name}: an unknown attribute',
           nest(kind, u32(UNIT, good), u64(LOW, 1), u64(HIGH, 2),
                u32(77, 0)), name)
    yield (f'{name}: attribute 0',
           nest(kind, u32(UNIT, good), u64(LOW, 1), u64(HIGH, 2),
                u32(0, 0)), name)
    yield (f'{name}: bytes left over', attr(
        kind | NLA_F_NESTED, u32(UNIT, good) + u64(LOW, 1) + u64(HIGH, 2) +
        b'\0\0'), name)
    yield f'{name}: LOW above HIGH', level(kind, good, 2, 1), name
    yield f'{name}: 10001 hundredths', level(kind, PERCENT, 1, 10001), name
    yield f'{name}: HIGH 2^64 - 1', level(kind, PERCENT, 1, U64_MAX), name
    yield f'{name}: both 2^64 - 1', level(kind, good, U64_MAX, U64_MAX), name
    yield (f'{name}: thresholds and DELTA',
           nest(kind, u32(UNIT, good), u64(LOW, 1), u64(HIGH, 2),
                u64(DELTA, 1)), name)
    yield (f'{name}: LOW and DELTA',
           nest(kind, u32(UNIT, good), u64(LOW, 0), u64(DELTA, 1)), name)
    yield (f'{name}: HIGH and DELTA',
           nest(kind, u32(UNIT, good), u64(DELTA, 1), u64(HIGH, 2)), name)
    yield (f'{name}: DELTA without a unit', nest(kind, u64(DELTA, 1)), name)
    yield (f'{name}: DELTA of four bytes',
           nest(kind, u32(UNIT, good), u32(DELTA, 1)), name)
    yield (f'{name}: DELTA of no bytes',
           nest(kind, u32(UNIT, good), attr(DELTA, b'')), name)
    yield f'{name}: DELTA 0', delta(kind, good, 0), name
    yield f'{name}: DELTA 2^64 - 1', delta(kind, good, U64_MAX), name
    yield f'{name}: DELTA of 10001 hundredths', delta(kind, PERCENT, 10001), name
    yield f'{name}: DELTA of unit 99', delta(kind, 99, 1), name
    for unit in wrong:
        yield f'{name}: DELTA of unit {unit} of others', delta(kind, unit, 1), name


def amount_cases(name, kind):
    """Malformed amounts."""
    yield f'{name}: no nest flag', attr(kind, u32(UNIT, PERCENT)), name
    yield f'{name}: empty', nest(kind), name
    yield f'{name}: garbage', attr(kind | NLA_F_NESTED, b'\x5a' * 21), name
    yield f'{name}: no unit', nest(kind, u64(VALUE, 5)), name
    yield f'{name}: no value', nest(kind, u32(UNIT, PERCENT)), name
    yield f'{name}: unit 99', amount(kind, 99, 5), name
    yield f'{name}: unit of ingress', amount(kind, PPS, 5), name
    yield f'{name}: unit of members', amount(kind, OF_BANDS, 5), name
    yield (f'{name}: value of four bytes',
           nest(kind, u32(UNIT, PERCENT), u32(VALUE, 5)), name)
    yield (f'{name}: unit of eight bytes',
           nest(kind, u64(UNIT, PERCENT), u64(VALUE, 5)), name)
    yield (f'{name}: an unknown attribute',
           nest(kind, u32(UNIT, PERCENT), u64(VALUE, 500), u32(9, 0)), name)
    for unit in (PACKETS, BYTES, PERCENT):
        yield f'{name}: 0 of unit {unit}', amount(kind, unit, 0), name
        yield (f'{name}: 2^64 - 1 of unit {unit}',
               amount(kind, unit, U64_MAX), name)
    yield f'{name}: 10001 hundredths', amount(kind, PERCENT, 10001), name


def size_cases(name, kind, right, starts):
    """Numbers of right bytes that have others."""
    for size, what in ((0, 'no bytes'), (1, 'one byte'), (2, 'two bytes'),
                       (12 - right, f'{12 - right} bytes'),
                       (12, 'twelve bytes')):
        yield f'{name}: {what}', attr(kind, bytes(size)), starts
    yield (f'{name}: an unexpected nest flag',
           attr(kind | NLA_F_NESTED, bytes(right)), starts)
    yield f'{name}: all bits set', attr(kind, b'\xff' * right), starts


def scalar_cases():
    """Malformed numbers."""
    for name, kind, right in (('limit', LIMIT, 4), ('rate', RATE, 8),
                              ('detect', DETECT, 4), ('window', WINDOW, 8),
                              ('monitor', MONITOR, 8), ('tick', TICK, 8),
                              ('pause', PAUSE, 8), ('hold', HOLD, 8),
                              ('cease', CEASE, 4), ('bands', BANDS, 4),
                              ('exempt', EXEMPT, 4),
                              ('split-gso', SPLIT_GSO, 4),
                              ('adaptive', ADAPTIVE, 4)):
        yield from size_cases(name, kind, right, name)
    yield from size_cases('time of cease', CEASE_TIME, 8, 'cease')
    for name, kind in (('detect', DETECT), ('cease', CEASE)):
        yield f'{name}: 99', u32(kind, 99), name
    for name, kind in (('window', WINDOW), ('monitor', MONITOR),
                       ('tick', TICK)):
        yield f'{name}: 0', u64(kind, 0), name
        yield f'{name}: 2^63', u64(kind, 2**63), name
    yield 'rate: 999 bytes/s', u64(RATE, 999), 'rate'
    yield 'rate: 2^40 + 1 bytes/s', u64(RATE, 2**40 + 1), 'rate'
    yield 'limit: 2^20 + 1', u32(LIMIT, 2**20 + 1), 'limit'
    for size in (0, 1023, 2**30 + 1, 2**32 - 1):
        yield f'limit: {size} bytes', u32(LIMIT_BYTES, size), 'limit'
    yield ('limit: packets and bytes', u32(LIMIT, 500) + u32(LIMIT_BYTES, 5000),
           'limit')
    yield 'time of cease: 0', u64(CEASE_TIME, 0), 'cease'
    yield 'cease: by time, without a time', u32(CEASE, CEASE_BY_TIME), 'cease'
    for name, kind in (('split-gso', SPLIT_GSO), ('adaptive', ADAPTIVE)):
        yield f'{name}: 2', u32(kind, 2), name
    yield 'bands: 0', u32(BANDS, 0), 'bands'
    yield 'bands: 17', u32(BANDS, 17), 'bands'


def band_cases():
    """What bands there are not. CONFIG has four."""
    for size in (0, 1, 15, 17, 64):
        yield (f'priomap: {size} bytes', attr(PRIOMAP, bytes(size)), 'priomap')
    yield ('priomap: an unexpected nest flag',
           attr(PRIOMAP | NLA_F_NESTED, bytes(16)), 'priomap')
    yield ('priomap: a band too many', attr(PRIOMAP, bytes(15) + b'\4'),
           'priomap')
    yield 'priomap: all 255', attr(PRIOMAP, b'\xff' * 16), 'priomap'
    yield ('priomap: for more bands than there will be',
           attr(PRIOMAP, bytes(15) + b'\3') + u32(BANDS, 3), 'priomap')
    yield 'exempt: all four', u32(EXEMPT, 0xf), 'exempt'
    yield 'exempt: band 4', u32(EXEMPT, 0x10), 'exempt'
    yield 'exempt: band 31', u32(EXEMPT, 1 << 31), 'exempt'
    yield ('exempt: for more bands than there will be',
           u32(EXEMPT, 4) + u32(BANDS, 2), 'exempt')


def band_limit_cases():
    """Malformed limits of bands."""
    name = 'band-limit'
    good = nest(ENTRY, u32(BAND, 1), u32(BAND_PACKETS, 5))
    yield f'{name}: no nest flag', attr(BAND_LIMITS, good), name
    yield (f'{name}: one byte', attr(BAND_LIMITS | NLA_F_NESTED, b'\1'), name)
    yield (f'{name}: garbage', attr(BAND_LIMITS | NLA_F_NESTED, b'\xa5' * 23),
           name)
    yield (f'{name}: bytes left over',
           attr(BAND_LIMITS | NLA_F_NESTED, good + b'\0\0'), name)
    for kind in (0, 2, 77):
        yield (f'{name}: an attribute {kind} in the list',
               nest(BAND_LIMITS, good, nest(kind, u32(BAND, 1),
                                            u32(BAND_PACKETS, 5))), name)
    entries = (
        ('no nest flag', attr(ENTRY, u32(BAND, 1) + u32(BAND_PACKETS, 5))),
        ('empty', nest(ENTRY)),
        ('no band', nest(ENTRY, u32(BAND_PACKETS, 5))),
        ('neither packets nor bytes', nest(ENTRY, u32(BAND, 1))),
        ('packets and bytes', nest(ENTRY, u32(BAND, 1), u32(BAND_PACKETS, 5),
                                   u32(BAND_BYTES, 5000))),
        ('1023 bytes', nest(ENTRY, u32(BAND, 1), u32(BAND_BYTES, 1023))),
        ('band of one byte', nest(ENTRY, u8(BAND, 1), u32(BAND_PACKETS, 5))),
        ('packets of eight bytes',
         nest(ENTRY, u32(BAND, 1), u64(BAND_PACKETS, 5))),
        ('an unknown attribute',
         nest(ENTRY, u32(BAND, 1), u32(BAND_PACKETS, 5), u32(4, 0))),
        ('attribute 0',
         nest(ENTRY, u32(0, 0), u32(BAND, 1), u32(BAND_PACKETS, 5))),
        ('garbage', attr(ENTRY | NLA_F_NESTED, b'\x5a' * 19)),
    )
    for what, entry in entries:
        yield f'{name}: an entry: {what}', nest(BAND_LIMITS, entry), name
        yield (f'{name}: a good entry, then one: {what}',
               nest(BAND_LIMITS, good, entry), name)
    for band in (4, 16, 31, 32, 2**32 - 1):
        yield f'{name}: band {band}', band_limit((1, 5), (band, 5)), name
    for packets in (778, 2**20 + 1, 2**32 - 1):
        yield f'{name}: {packets} packets', band_limit((1, packets)), name
    yield (f'{name}: for more bands than there will be',
           band_limit((3, 5)) + u32(BANDS, 3), name)


def structure_cases():
    """What is wrong with the options as a whole: any message will do."""
    good = u32(LIMIT, 500)
    yield 'unknown attribute 99', u32(99, 1), '.'
    yield 'unknown attribute 16383', u32(0x3fff, 1), '.'
    yield 'attribute 0', u32(0, 1), '.'
    yield 'padding with content', attr(PAD, bytes(8)), '.'
    for name, options in (('limit_now', u32(LIMIT_NOW, 5)),
                          ('limit_need', u32(LIMIT_NEED, 5)),
                          ('limit_bytes_now', u32(LIMIT_BYTES_NOW, 5)),
                          ('rate_now', u64(RATE_NOW, 10**9))):
        yield f'{name} is only in answers', options, name
    for n in (1, 2, 3):
        yield f'{n} bytes left over', good + b'\1' * n, '.'
    yield 'attribute shorter than its header', good + b'\3\0\2\0', '.'
    yield 'attribute longer than the options', good + b'\x28\0\2\0' * 2, '.'
    yield 'attribute of length 0', good + bytes(4), '.'
    yield ('half of the options: good, then bad', good + u64(TICK, 1), 'tick')
    yield ('half of the options: bad, then good', u64(TICK, 1) + good, 'tick')
    # Percent of an explicit rate would be fine, packets are not.
    yield ('start and step of different kinds',
           amount(START, PACKETS, 2) + amount(STEP, PERCENT, 500),
           'start|step')


def all_cases():
    """(name, bytes, what the message must match) of all malformed options."""
    yield from structure_cases()
    yield from scalar_cases()
    yield from level_cases('queue', QUEUE, PACKETS, (BYTES, PPS, OF_BANDS))
    yield from level_cases('ingress', INGRESS, BYTES, (PACKETS, OF_BANDS))
    yield from level_cases('members', MEMBERS, OF_BANDS,
                           (PACKETS, BYTES, PPS, PERCENT))
    yield ('queue: LOW 0', level(QUEUE, PACKETS, 0, 5), 'queue')
    yield 'queue: HIGH 0', level(QUEUE, PACKETS, 1, 0), 'queue'
    yield 'ingress: both 0', level(INGRESS, BYTES, 0, 0), 'ingress'
    yield 'members: HIGH 5', level(MEMBERS, OF_BANDS, 1, 5), 'members'
    yield 'members: LOW 5, HIGH 0', level(MEMBERS, OF_BANDS, 5, 0), 'members'
    yield 'members: LOW 17, HIGH 0', level(MEMBERS, OF_BANDS, 17, 0), 'members'
    yield 'members: DELTA 5', delta(MEMBERS, OF_BANDS, 5), 'members'
    yield from band_cases()
    yield from band_limit_cases()
    for name, kind in (('start', START), ('step', STEP),
                       ('down-step', DOWN_STEP), ('floor', FLOOR)):
        yield from amount_cases(name, kind)
