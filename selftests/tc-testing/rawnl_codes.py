# SPDX-License-Identifier: GPL-2.0
"""
Options about ladders, rate codes, peers and rails, of a ramp qdisc with four bands
and a limit of 777: what it must refuse, and what looks odd but is right.
"""

import socket
import struct

from rawnl_cases import BANDS, ENTRY, LIMIT, size_cases
from netlink import NLA_F_NESTED, attr, nest, u8, u32, u64

# include/uapi/linux/ramp.h
(LADDER, BAND_LADDERS, ADJUST, _, FEEDBACK, BAND_FEEDBACKS, VALIDITY,
 ETHERTYPE, OBEY, OBEY_MIN, RAIL) = range(28, 39)
AT, RATE = 1, 2
OBEY_FROM = 61
BAND, OF_BAND = 1, 2
LADDER_MAX, LADDER_STEPS_MAX, FEEDBACK_MAX, FROM_MAX = 16, 64, 16, 16

FULL = 10000
SIXTEEN = ([600 * i for i in range(1, 17)], [600 * i for i in range(15, -1, -1)])


def u16s(kind, values):
    """An attribute that is an array of two bytes each."""
    return attr(kind, struct.pack(f'{len(values)}H', *values))


def ladder(kind, ats=(), rates=()):
    """A ladder, of thresholds and of rates; without any, none."""
    if not ats:
        return nest(kind)
    return nest(kind, u16s(AT, ats), u16s(RATE, rates))


def band_ladder(*ladders):
    """Ladders of bands, from (band, thresholds, rates), or (band,) for auto."""
    return nest(BAND_LADDERS, *(
        nest(ENTRY, u32(BAND, band), *(ladder(OF_BAND, *steps) for _ in steps[:1]))
        for band, *steps in ladders))


def band_feedback(*pairs):
    """Devices of bands, from pairs of band and ifindex."""
    return nest(BAND_FEEDBACKS, *(nest(ENTRY, u32(BAND, band),
                                       u32(OF_BAND, ifindex))
                                  for band, ifindex in pairs))


def steps_cases():
    """(what is wrong, the contents of a ladder)."""
    good = u16s(AT, (5000,)) + u16s(RATE, (5000,))
    yield 'thresholds without rates', u16s(AT, (5000,))
    yield 'rates without thresholds', u16s(RATE, (5000,))
    yield ('more thresholds than rates',
           u16s(AT, (5000, 7000)) + u16s(RATE, (5000,)))
    yield ('more rates than thresholds',
           u16s(AT, (5000,)) + u16s(RATE, (5000, 2000)))
    yield 'no thresholds and no rates', u16s(AT, ()) + u16s(RATE, ())
    yield 'half a threshold', attr(AT, b'\1') + attr(RATE, b'\1')
    yield ('one and a half', attr(AT, b'\x88\x13\x99') +
           attr(RATE, b'\x88\x13\x99'))
    yield ('17 steps', u16s(AT, range(500, 9000, 500)) +
           u16s(RATE, range(8500, 0, -500)))
    yield ('thousands of steps', u16s(AT, range(1, 10001)) +
           u16s(RATE, range(9999, -1, -1)))
    yield ('thresholds as a nest',
           attr(AT | NLA_F_NESTED, b'\x88\x13') + u16s(RATE, (5000,)))
    yield 'an unknown attribute', good + u32(3, 0)
    yield 'attribute 0', u32(0, 0) + good
    yield 'bytes left over', good + b'\0\0'
    for at in (0, FULL + 1, 0xffff):
        yield f'threshold {at}', u16s(AT, (at,)) + u16s(RATE, (5000,))
    for rate in (FULL, FULL + 1, 0xffff):
        yield f'rate {rate}', u16s(AT, (5000,)) + u16s(RATE, (rate,))
    for what, ats, rates in (
            ('a threshold twice', (5000, 5000), (5000, 2000)),
            ('thresholds that fall', (7000, 5000), (5000, 2000)),
            ('a rate twice', (5000, 7000), (5000, 5000)),
            ('rates that rise', (5000, 7000), (2000, 5000)),
            ('the last threshold out of range', (5000, FULL + 1), (5000, 0)),
            ('thresholds 2 % apart', (5000, 5100), (5000, 2000)),
            ('thresholds exactly as far apart as they give way',
             (4850, 5000), (5000, 2000))):
        yield what, u16s(AT, ats) + u16s(RATE, rates)


def ladder_cases():
    """Malformed ladders."""
    good = u16s(AT, (5000,)) + u16s(RATE, (5000,))
    yield 'ladder: no nest flag', attr(LADDER, good), 'ladder'
    yield 'ladder: one byte', attr(LADDER | NLA_F_NESTED, b'\1'), 'ladder'
    yield ('ladder: garbage', attr(LADDER | NLA_F_NESTED, b'\xa5' * 23),
           'ladder')
    for what, steps in steps_cases():
        yield f'ladder: {what}', attr(LADDER | NLA_F_NESTED, steps), 'ladder'
    yield ('ladder: too many steps for the limit',
           ladder(LADDER, *SIXTEEN) + u32(LIMIT, 20), 'ladder')
    yield ('ladder: good, and an adjustment that is too large for it',
           ladder(LADDER, (4000, 5000), (5000, 0)) + u32(ADJUST, 2000),
           'ladder')


def list_cases(name, kind, good):
    """Malformed lists, whose entries are as good."""
    yield f'{name}: no nest flag', attr(kind, good), name
    yield f'{name}: one byte', attr(kind | NLA_F_NESTED, b'\1'), name
    yield f'{name}: garbage', attr(kind | NLA_F_NESTED, b'\xa5' * 23), name
    yield (f'{name}: bytes left over',
           attr(kind | NLA_F_NESTED, good + b'\0\0'), name)
    for other in (0, 2, 77):
        yield (f'{name}: an attribute {other} in the list',
               nest(kind, good, attr(other | NLA_F_NESTED, good[4:])), name)


def band_ladder_cases():
    """Malformed ladders of bands."""
    name = 'band-ladder'
    steps = u16s(AT, (5000,)) + u16s(RATE, (5000,))
    of_one = nest(OF_BAND, steps)
    good = nest(ENTRY, u32(BAND, 1), of_one)
    yield from list_cases(name, BAND_LADDERS, good)
    entries = [
        ('no nest flag', attr(ENTRY, u32(BAND, 1) + of_one)),
        ('empty', nest(ENTRY)),
        ('no band', nest(ENTRY, of_one)),
        ('band of one byte', nest(ENTRY, u8(BAND, 1), of_one)),
        ('band of eight bytes', nest(ENTRY, u64(BAND, 1), of_one)),
        ('a ladder without nest flag',
         nest(ENTRY, u32(BAND, 1), attr(OF_BAND, steps))),
        ('a ladder of one byte',
         nest(ENTRY, u32(BAND, 1), attr(OF_BAND | NLA_F_NESTED, b'\1'))),
        ('an unknown attribute',
         nest(ENTRY, u32(BAND, 1), of_one, u32(3, 0))),
        ('attribute 0', nest(ENTRY, u32(0, 0), u32(BAND, 1), of_one)),
        ('garbage', attr(ENTRY | NLA_F_NESTED, b'\x5a' * 19)),
    ]
    entries += [(f'its ladder: {what}',
                 nest(ENTRY, u32(BAND, 1), attr(OF_BAND | NLA_F_NESTED, wrong)))
                for what, wrong in steps_cases()]
    # Of a good ladder, what is wrong may be said of ladders in general.
    for what, entry in entries:
        yield (f'{name}: an entry: {what}', nest(BAND_LADDERS, entry),
               f'{name}|ladder')
        yield (f'{name}: a good entry, then one: {what}',
               nest(BAND_LADDERS, nest(ENTRY, u32(BAND, 2), of_one), entry),
               f'{name}|ladder')
    for band in (4, 16, 31, 32, 2**32 - 1):
        yield (f'{name}: band {band}',
               band_ladder((1, (5000,), (5000,)), (band, (5000,), (5000,))),
               name)
        yield f'{name}: auto of band {band}', band_ladder((band,)), name
    yield (f'{name}: for more bands than there will be',
           band_ladder((3, (5000,), (5000,))) + u32(BANDS, 3), name)
    many = [(band, *(values[:13] for values in SIXTEEN)) for band in range(5)]
    yield (f'{name}: {LADDER_STEPS_MAX + 1} steps in all bands',
           u32(BANDS, 5) + band_ladder(*many), name)


def feedback_cases(devices):
    """Malformed lists of devices; devices are too many that exist."""
    name = 'feedback'
    good = u32(1, devices[0])
    yield from list_cases(name, FEEDBACK, good)
    for size in (0, 1, 2, 8):
        yield (f'{name}: a device of {size} bytes',
               nest(FEEDBACK, good, attr(1, bytes(size))), name)
    yield (f'{name}: a device with a nest flag',
           nest(FEEDBACK, attr(1 | NLA_F_NESTED, good[4:])), name)
    for ifindex in (0, 99999, 2**31 - 1, 2**31, 2**32 - 1):
        yield (f'{name}: device {ifindex}',
               nest(FEEDBACK, good, u32(1, ifindex)), name)
    yield (f'{name}: the loopback device',
           nest(FEEDBACK, good, u32(1, socket.if_nametoindex('lo'))), name)
    yield (f'{name}: {len(devices)} devices',
           nest(FEEDBACK, *(u32(1, device) for device in devices)), name)


def band_feedback_cases(device):
    """Malformed lists of devices of bands; device is one that exists."""
    name = 'band-feedback'
    good = nest(ENTRY, u32(BAND, 1), u32(OF_BAND, device))
    yield from list_cases(name, BAND_FEEDBACKS, good)
    entries = (
        ('no nest flag', attr(ENTRY, u32(BAND, 1) + u32(OF_BAND, device))),
        ('empty', nest(ENTRY)),
        ('no band', nest(ENTRY, u32(OF_BAND, device))),
        ('no device', nest(ENTRY, u32(BAND, 1))),
        ('band of one byte', nest(ENTRY, u8(BAND, 1), u32(OF_BAND, device))),
        ('device of eight bytes',
         nest(ENTRY, u32(BAND, 1), u64(OF_BAND, device))),
        ('an unknown attribute',
         nest(ENTRY, u32(BAND, 1), u32(OF_BAND, device), u32(3, 0))),
        ('attribute 0',
         nest(ENTRY, u32(0, 0), u32(BAND, 1), u32(OF_BAND, device))),
        ('garbage', attr(ENTRY | NLA_F_NESTED, b'\x5a' * 19)),
    )
    for what, entry in entries:
        yield f'{name}: an entry: {what}', nest(BAND_FEEDBACKS, entry), name
        yield (f'{name}: a good entry, then one: {what}',
               nest(BAND_FEEDBACKS, good, entry), name)
    for band in (4, 16, 31, 32, 2**32 - 1):
        yield (f'{name}: band {band}',
               band_feedback((1, device), (band, device)), name)
    for ifindex in (99999, 2**31 - 1, 2**31, 2**32 - 1,
                    socket.if_nametoindex('lo')):
        yield (f'{name}: device {ifindex}',
               band_feedback((1, device), (2, ifindex)), name)
    yield (f'{name}: for more bands than there will be',
           band_feedback((3, device)) + u32(BANDS, 3), name)


def number_cases():
    """Malformed numbers."""
    for name, kind, right in (('adjust', ADJUST, 4),
                              ('validity', VALIDITY, 8),
                              ('ethertype', ETHERTYPE, 4),
                              ('obey', OBEY, 4), ('min', OBEY_MIN, 4)):
        yield from size_cases(name, kind, right, name)
    # Each of its numbers is one of a rail.
    for case in size_cases('rail', RAIL, 4, 'rail'):
        if case[1] != u32(RAIL, 2**32 - 1):
            yield case
    for taken in (0x0800, 0x0806, 0x8100, 0x86dd, 0x88cc):
        yield f'ethertype: {taken:#x} of others', u32(ETHERTYPE, taken), 'ethertype'
    yield 'adjust: 0', u32(ADJUST, 0), 'adjust'
    yield 'adjust: 5001 hundredths', u32(ADJUST, 5001), 'adjust'
    yield 'validity: 0', u64(VALIDITY, 0), 'validity'
    yield 'validity: 9999999 ns', u64(VALIDITY, 9999999), 'validity'
    yield 'validity: 10 s and 1 ns', u64(VALIDITY, 10**10 + 1), 'validity'
    yield 'validity: 2^63', u64(VALIDITY, 2**63), 'validity'
    yield 'ethertype: 0', u32(ETHERTYPE, 0), 'ethertype'
    yield 'ethertype: a length', u32(ETHERTYPE, 0x5ff), 'ethertype'
    yield 'ethertype: 0x10000', u32(ETHERTYPE, 0x10000), 'ethertype'
    yield 'obey: 2', u32(OBEY, 2), 'obey'
    yield 'min: 10001 hundredths', u32(OBEY_MIN, 10001), 'min'


def addresses(*lasts):
    """An attribute of addresses that end in these bytes."""
    return attr(OBEY_FROM, b''.join(bytes((2, 0, 0, 0, 0, last))
                                    for last in lasts))


def from_cases():
    """Malformed lists of addresses."""
    name = 'from'
    yield f'{name}: too many', addresses(*range(FROM_MAX + 1)), name
    for size in (1, 5, 7, 95):
        yield f'{name}: {size} bytes', attr(OBEY_FROM, b'\2' * size), name
    for what, addr in (('a group', '01005e000001'), ('all', 'ffffffffffff'),
                       ('nobody', '000000000000')):
        yield (f'{name}: the address of {what}, behind one that is right',
               attr(OBEY_FROM, bytes.fromhex('020000000001' + addr)), name)
    yield (f'{name}: an unexpected nest flag',
           attr(OBEY_FROM | NLA_F_NESTED, bytes.fromhex('020000000001')), name)


def code_cases(devices):
    """
    (name, bytes, what the message must match) of all malformed options; devices
    are the ifindexes of one more Ethernet device than a list may have.
    """
    yield from number_cases()
    yield from from_cases()
    yield from ladder_cases()
    yield from band_ladder_cases()
    yield from feedback_cases(devices)
    yield from band_feedback_cases(devices[0])


def lists_accepted(devices):
    """(name, options, {attribute: what it is then}) of changes in turn."""
    some = ladder(LADDER, (5000, 7000), (5000, 2000))
    twice = band_ladder((2, (1000,), (9000,)), (2, (2000,), (8000,)))
    yield ('a ladder of 16 steps', ladder(LADDER, *SIXTEEN),
           {LADDER: ladder(LADDER, *SIXTEEN)[4:]})
    yield ('of duplicate ladders the last wins',
           ladder(LADDER, (5000,), (1,)) + some, {LADDER: some[4:]})
    yield ('no ladders of bands are nothing to change', nest(BAND_LADDERS),
           {LADDER: some[4:], BAND_LADDERS: b''})
    yield ('of duplicate ladders of a band the last wins', twice,
           {BAND_LADDERS: band_ladder((2, (2000,), (8000,)))[4:]})
    yield ('a ladder without steps is none', band_ladder((2, (), ())),
           {BAND_LADDERS: band_ladder((2, (), ()))[4:]})
    yield ('an entry without a ladder is auto', band_ladder((2,)),
           {BAND_LADDERS: b''})
    many = [(band, *SIXTEEN) for band in range(4)]
    yield (f'{LADDER_STEPS_MAX} steps in all bands', band_ladder(*many),
           {BAND_LADDERS: band_ladder(*many)[4:]})
    yield ('an empty ladder is none', nest(LADDER), {LADDER: b''})

    whole = nest(FEEDBACK, *(u32(1, dev) for dev in devices[:FEEDBACK_MAX]))
    first = u32(1, devices[0])
    yield (f'{FEEDBACK_MAX} devices', whole, {FEEDBACK: whole[4:]})
    yield ('a device that is named twice is there once',
           nest(FEEDBACK, first, first), {FEEDBACK: first})
    yield ('of duplicate devices of a band the last wins',
           band_feedback((1, devices[1]), (1, devices[2])),
           {BAND_FEEDBACKS: band_feedback((1, devices[2]))[4:]})
    yield ('a device of a band that is 0 is none of its own',
           band_feedback((1, 0)), {BAND_FEEDBACKS: b'', FEEDBACK: first})
    yield 'an empty list of devices is none', nest(FEEDBACK), {FEEDBACK: b''}


def codes_accepted(devices):
    """The same for all that looks odd, but is right."""
    yield from lists_accepted(devices)
    least = struct.pack('I', 2000)
    zero = bytes(4)
    yield ('a min alone does not obey', u32(OBEY_MIN, 2000),
           {OBEY: zero, OBEY_MIN: least})
    yield ('obeying keeps the min', u32(OBEY, 1),
           {OBEY: struct.pack('I', 1), OBEY_MIN: least})
    yield ('a min of 0', u32(OBEY_MIN, 0), {OBEY_MIN: zero})
    most = addresses(*range(FROM_MAX))
    yield ('16 addresses to obey', most, {OBEY_FROM: most[4:]})
    yield ('not obeying keeps it as well', u32(OBEY, 0),
           {OBEY: zero, OBEY_MIN: zero, OBEY_FROM: most[4:]})
    yield 'no addresses to obey are any', addresses(), {OBEY_FROM: b''}
