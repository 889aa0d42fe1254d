# SPDX-License-Identifier: GPL-2.0
"""What netlink attributes hold: values that are right, wrong ones, and what is read.

Of each kind, good() makes a payload whose every number is in its documented range
(together with others it may still be refused), bad() one that must be refused
whatever else a message says, value() what a payload says in a form that compares,
and within() whether such a value is in the documented range.
"""

import struct

from netlink import NLA_F_NESTED, attr, u32, u64

U64_MAX = 2**64 - 1
UNKNOWN = 99
# enum ramp_unit
PACKETS, RATE, PPS, PERCENT, BANDS = range(5)
WHOLE = 10000
LIMIT_MAX = 2**20
RATE_MIN, RATE_MAX = 1000, 2**40


_HEAD = struct.Struct('HH').unpack_from


def attributes(data):
    """Type with its flags and payload of each attribute, in their order."""
    at, end = 0, len(data)
    while end - at >= 4:
        size, kind = _HEAD(data, at)
        if size < 4 or size > end - at:
            break
        yield kind, data[at + 4:at + size]
        at += (size + 3) & ~3


def by_type(data):
    """Payloads by type; of duplicates the last."""
    return {kind & 0x3fff: payload for kind, payload in attributes(data)}


def number(rng, low, high):
    """Often a bound or next to it, else of any magnitude."""
    what = rng.randrange(8)
    if what < 3:
        return (low, high, min(low + 1, high))[what]
    if what < 6:
        # As many of each length.
        bits = rng.randint(0, max(high - low, 1).bit_length())
        return min(high, low + rng.getrandbits(bits) if bits else low)
    return rng.randint(low, high)


class Number:
    """An unsigned number, LOW .. HIGH, or one of some others."""

    flags = 0

    def __init__(self, size, low, high, *others):
        self.size, self.low, self.high, self.others = size, low, high, others

    def pack(self, number_):
        """As bytes."""
        return number_.to_bytes(self.size, 'little')

    def good(self, rng, _env):
        """In its range."""
        if self.others and not rng.randrange(4):
            return self.pack(rng.choice(self.others))
        return self.pack(number(rng, self.low, self.high))

    def wrong_length(self, rng):
        """Of any length but its own."""
        size = rng.choice([n for n in (0, 1, 2, 3, 4, 5, 7, 8, 9, 16)
                           if n != self.size])
        return rng.randbytes(size)

    def bad(self, rng, _env):
        """One beyond a bound, far beyond it, or not of its length."""
        most = 2**(8 * self.size) - 1
        beyond = [n for n in (self.low - 1, self.high + 1, most)
                  if 0 <= n <= most and n not in self.others and
                  not self.low <= n <= self.high]
        if beyond and rng.randrange(4):
            return self.pack(rng.choice(beyond))
        return self.wrong_length(rng)

    def value(self, payload):
        """The number."""
        return int.from_bytes(payload, 'little')

    def within(self, value, _env):
        """Whether it is one that may be."""
        return self.low <= value <= self.high or value in self.others


class Exempt(Number):
    """A bitmap of bands."""

    def __init__(self):
        super().__init__(4, 0, 2**32 - 1)

    def good(self, rng, env):
        return self.pack(rng.getrandbits(env.bands) if rng.randrange(3) else 0)

    def within(self, value, env):
        return value < (1 << env.bands) - 1 or not value


class Bytes:
    """A map of 16 bands by priority."""

    flags = 0

    def good(self, rng, env):
        """Bands that there are."""
        return bytes(rng.randrange(env.bands) for _ in range(16))

    def bad(self, rng, _env):
        """A band that cannot be, or too few, or too many."""
        if rng.randrange(2):
            return bytes(15) + bytes([rng.randint(16, 255)])
        return bytes(rng.choice((0, 1, 15, 17, 32)))

    def value(self, payload):
        """The bands."""
        return tuple(payload)

    def within(self, value, env):
        """Whether there are these bands."""
        return len(value) == 16 and max(value) < env.bands


class Array:
    """A list of numbers, none or LEAST .. MOST of them."""

    flags = 0

    def __init__(self, size, low, high, most=16, least=1, rising=False,
                 empty=True):
        self.size, self.low, self.high = size, low, high
        self.most, self.least, self.rising = most, least, rising
        self.empty = empty

    def pack(self, numbers):
        """As bytes."""
        return b''.join(n.to_bytes(self.size, 'little') for n in numbers)

    def numbers(self, rng, count):
        """So many of them."""
        found = [number(rng, self.low, self.high) for _ in range(count)]
        if not self.rising:
            return found
        return sorted(rng.sample(range(self.low, self.high), count)
                      if len(set(found)) < count else found)

    def good(self, rng, env):
        """One for each gear, or a single one, or as many as it is."""
        what = rng.randrange(8)
        if not what and self.empty:
            return b''
        if what < 4 and env.gears and not self.rising:
            count = env.gears
        elif what < 6:
            count = self.least
        else:
            count = rng.randint(self.least, self.most)
        return self.pack(self.numbers(rng, count))

    def bad(self, rng, _env):
        """Too many, no whole number of them, or one that cannot be."""
        what = rng.randrange(3)
        if not what:
            return self.pack(self.numbers(rng, self.least)[:1] *
                             (self.most + 1))
        if what == 1 or self.high >= 2**(8 * self.size) - 1:
            return self.pack(self.numbers(rng, self.least)) + b'\1'
        numbers = self.numbers(rng, max(self.least, 1))
        numbers[-1] = self.high + 1
        return self.pack(numbers)

    def value(self, payload):
        """The numbers."""
        return tuple(int.from_bytes(payload[i:i + self.size], 'little')
                     for i in range(0, len(payload), self.size))

    def within(self, value, _env):
        """Whether all may be, and as many."""
        if not value:
            return self.empty
        return (self.least <= len(value) <= self.most and
                all(self.low <= n <= self.high for n in value) and
                (not self.rising or all(a < b for a, b in
                                        zip(value, value[1:]))))


class Cpus(Array):
    """CPUs of this machine, each once."""

    def good(self, rng, env):
        if not rng.randrange(4):
            return b''
        return self.pack([rng.randrange(env.cpus)
                          for _ in range(rng.randint(1, 4))])

    def bad(self, rng, _env):
        return self.pack([rng.choice((4096, 2**31, 2**32 - 1))])

    def value(self, payload):
        return tuple(dict.fromkeys(super().value(payload)))


class Addresses(Array):
    """Addresses of stations, none of them of a group."""

    def __init__(self, most):
        super().__init__(6, 0, 2**48 - 1, most)

    def numbers(self, rng, count):
        return [rng.randrange(1, 2**47) * 2 for _ in range(count)]

    def bad(self, rng, env):
        if rng.randrange(2):
            return super().bad(rng, env)
        return self.pack([2, rng.choice((0, rng.randrange(2**47) * 2 + 1))])

    def within(self, value, _env):
        return (len(value) <= self.most and
                not any(n & 1 or not n for n in value))


class Nest:
    """Attributes in an attribute."""

    flags = NLA_F_NESTED

    def parts(self, rng, env):
        """Its attributes, as bytes each."""
        raise NotImplementedError

    def good(self, rng, env):
        """All of them."""
        return b''.join(self.parts(rng, env))

    def wrong(self, _rng, _env):
        """What else is wrong by itself."""
        return u32(UNKNOWN, 0)

    def bad(self, rng, env):
        """With an attribute that is unknown, or junk, or wrong inside."""
        what = rng.randrange(4)
        if not what:
            return self.good(rng, env) + u32(UNKNOWN, 0)
        if what == 1:
            return self.good(rng, env) + rng.randbytes(rng.randint(1, 3))
        return self.wrong(rng, env)

    def value(self, payload):
        """What is in it."""
        raise NotImplementedError

    def within(self, _value, _env):
        """Whether all of it may be."""
        raise NotImplementedError


class Level(Nest):
    """UNIT, and LOW and HIGH or DELTA."""

    UNIT, LOW, HIGH, DELTA = 2, 3, 4, 5

    def __init__(self, units, least=0, open_top=False):
        self.units, self.least, self.open_top = units, least, open_top

    @staticmethod
    def most(unit):
        """The greatest number of a unit."""
        return {PACKETS: LIMIT_MAX, PERCENT: WHOLE, BANDS: 16}.get(unit,
                                                                   RATE_MAX)

    def parts(self, rng, env):
        unit = rng.choice(self.units)
        most = self.most(unit)
        if not rng.randrange(3):
            return [u32(self.UNIT, unit),
                    u64(self.DELTA, number(rng, 1, most))]
        high = number(rng, self.least + 1, most)
        if self.open_top and not rng.randrange(3):
            return [u32(self.UNIT, unit), u64(self.LOW, high - 1),
                    u64(self.HIGH, 0)]
        return [u32(self.UNIT, unit),
                u64(self.LOW, number(rng, self.least, high - 1)),
                u64(self.HIGH, high)]

    def wrong(self, rng, env):
        unit = self.units[0]
        most = self.most(unit)
        return rng.choice((
            b'', u32(self.UNIT, unit), u32(self.UNIT, unit) + u64(self.LOW, 1),
            u32(self.UNIT, unit) + u64(self.HIGH, 1),
            u32(self.UNIT, unit) + u64(self.DELTA, 0),
            u32(self.UNIT, unit) + u64(self.DELTA, most + 1),
            u32(self.UNIT, unit) + u64(self.LOW, 1) + u64(self.HIGH, most + 1),
            u32(self.UNIT, unit) + u64(self.LOW, 5) + u64(self.HIGH, 5),
            u32(self.UNIT, 5) + u64(self.DELTA, 1),
            u64(self.DELTA, 1) + u64(self.LOW, 1),
            u32(self.UNIT, unit) + u64(self.DELTA, 1) + u64(self.LOW, 1),
            attr(self.UNIT, b'\0\0') + u64(self.DELTA, 1),
        ))

    def value(self, payload):
        said = by_type(payload)
        unit, low, high, delta = (
            int.from_bytes(said.get(kind, b''), 'little')
            for kind in (self.UNIT, self.LOW, self.HIGH, self.DELTA))
        return unit, low, high, delta

    def within(self, value, _env):
        unit, low, high, delta = value
        most = self.most(unit)
        if unit not in self.units:
            return False
        if delta:
            return delta <= most and not low and not high
        if self.open_top and not high:
            return low < most
        return self.least <= low < high <= most


class Amount(Nest):
    """UNIT and VALUE."""

    UNIT, VALUE = 2, 3
    UNITS = (PACKETS, RATE, PERCENT)

    def parts(self, rng, env):
        unit = env.unit if rng.randrange(8) else rng.choice(self.UNITS)
        if unit == RATE and rng.randrange(2):
            amount = number(rng, 10**5, 10**9)
        else:
            amount = number(rng, 1, Level.most(unit))
        return [u32(self.UNIT, unit), u64(self.VALUE, amount)]

    def wrong(self, rng, env):
        unit = rng.choice(self.UNITS)
        return rng.choice((
            b'', u32(self.UNIT, unit), u64(self.VALUE, 1),
            u32(self.UNIT, unit) + u64(self.VALUE, 0),
            u32(self.UNIT, unit) + u64(self.VALUE, Level.most(unit) + 1),
            u32(self.UNIT, PPS) + u64(self.VALUE, 1),
            u32(self.UNIT, BANDS) + u64(self.VALUE, 1),
            u32(self.UNIT, unit) + u32(self.VALUE, 1),
        ))

    def value(self, payload):
        said = by_type(payload)
        return (int.from_bytes(said.get(self.UNIT, b''), 'little'),
                int.from_bytes(said.get(self.VALUE, b''), 'little'))

    def within(self, value, _env):
        return (value[0] in self.UNITS and
                0 <= value[1] <= Level.most(value[0]))
