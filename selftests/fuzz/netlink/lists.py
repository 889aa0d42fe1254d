# SPDX-License-Identifier: GPL-2.0
"""Kinds of attributes that are lists: steps of ladders, bands, devices."""

import struct

from kinds import UNKNOWN, WHOLE, Nest, attributes, by_type
from netlink import attr, nest, u32


class Steps(Nest):
    """Thresholds that rise and rates that fall, as many of each."""

    AT, RATE = 1, 2

    @staticmethod
    def pack(numbers):
        """As bytes."""
        return struct.pack(f'{len(numbers)}H', *numbers)

    def parts(self, rng, env):
        count = rng.choice((0, 1, 2, 3, 16, rng.randint(1, 16)))
        if not count:
            return []
        # Far enough from each other for most values of adjust.
        if rng.randrange(4):
            at = [(i + 1) * (WHOLE // count) for i in range(count)]
        else:
            at = sorted(rng.sample(range(1, WHOLE + 1), count))
        rate = sorted(rng.sample(range(WHOLE), count), reverse=True)
        return [attr(self.AT, self.pack(at)), attr(self.RATE, self.pack(rate))]

    def wrong(self, rng, env):
        return rng.choice((
            attr(self.AT, self.pack([100])),
            attr(self.RATE, self.pack([100])),
            attr(self.AT, b'') + attr(self.RATE, b''),
            attr(self.AT, b'\1') + attr(self.RATE, b'\1'),
            attr(self.AT, self.pack([1, 2])) + attr(self.RATE, self.pack([1])),
            attr(self.AT, self.pack([2, 1])) +
            attr(self.RATE, self.pack([2, 1])),
            attr(self.AT, self.pack([1, 2])) +
            attr(self.RATE, self.pack([1, 2])),
            attr(self.AT, self.pack([0])) + attr(self.RATE, self.pack([1])),
            attr(self.AT, self.pack([WHOLE + 1])) +
            attr(self.RATE, self.pack([1])),
            attr(self.AT, self.pack([1])) +
            attr(self.RATE, self.pack([WHOLE])),
            attr(self.AT, self.pack(range(1, 18))) +
            attr(self.RATE, self.pack(range(18, 1, -1))),
        ))

    def value(self, payload):
        said = by_type(payload)
        return tuple(struct.unpack(f'{len(said.get(kind, b"")) // 2}H',
                                   said.get(kind, b''))
                     for kind in (self.AT, self.RATE))

    def within(self, value, _env):
        at, rate = value
        return (len(at) == len(rate) <= 16 and
                list(at) == sorted(set(at)) and
                list(rate) == sorted(set(rate), reverse=True) and
                all(0 < n <= WHOLE for n in at) and
                all(0 <= n < WHOLE for n in rate))


class OfBands(Nest):
    """Entries of BAND and something else."""

    ENTRY = 1

    def entry(self, rng, env, band):
        """What is said of a band, as bytes."""
        raise NotImplementedError

    def parts(self, rng, env):
        count = rng.choice((0, 1, 1, 2, env.bands))
        return [nest(self.ENTRY, self.entry(rng, env, rng.randrange(env.bands)))
                for _ in range(count)]

    def wrong(self, rng, env):
        entry = self.entry(rng, env, rng.choice((16, 17, 2**31, 2**32 - 1)))
        return rng.choice((
            nest(self.ENTRY, entry), nest(UNKNOWN, self.entry(rng, env, 0)),
            nest(self.ENTRY), attr(self.ENTRY, self.entry(rng, env, 0)),
            nest(self.ENTRY, self.entry(rng, env, 0), u32(UNKNOWN, 0)),
            nest(self.ENTRY, self.entry(rng, env, 0), b'\1'),
        ))

    def said(self, entry):
        """What an entry says of its band, None: nothing any more."""
        raise NotImplementedError

    def value(self, payload):
        """By band; None is of those that are named to have nothing."""
        found = {}
        for _, entry in attributes(payload):
            parts = by_type(entry)
            found[int.from_bytes(parts.get(1, b''), 'little')] = self.said(
                parts)
        return found

    @staticmethod
    def merged(old, new, bands):
        """What is in force after a message."""
        return {band: said for band, said in {**old, **new}.items()
                if said is not None and band < bands}


class BandLimits(OfBands):
    """BAND and PACKETS, 0: as limit; or BAND and BYTES."""

    def entry(self, rng, env, band):
        if not rng.randrange(3):
            return u32(1, band) + u32(3, rng.randint(
                2**10, env.limit_bytes or 2**30))
        return u32(1, band) + u32(2, rng.choice(
            (0, 1, env.limit or 1000, rng.randint(1, env.limit or 1000))))

    def said(self, entry):
        packets, size = (int.from_bytes(entry.get(n, b''), 'little')
                         for n in (2, 3))
        return (packets, size) if packets or size else None

    def within(self, value, env):
        return all(band < env.bands and packets <= (env.limit or 2**20) and
                   size <= (env.limit_bytes or 2**30)
                   for band, (packets, size) in value.items())


class BandFeedbacks(OfBands):
    """BAND and IFINDEX, 0: as feedback."""

    def entry(self, rng, env, band):
        return u32(1, band) + u32(2, rng.choice((0, *env.ethernet)))

    def said(self, entry):
        return int.from_bytes(entry.get(2, b''), 'little') or None

    def within(self, value, env):
        return all(band < env.bands and ifindex in env.there
                   for band, ifindex in value.items())


class BandLadders(OfBands):
    """BAND and steps; without them, those of ladder."""

    STEPS = Steps()

    def entry(self, rng, env, band):
        if not rng.randrange(4):
            return u32(1, band)
        return u32(1, band) + nest(2, *self.STEPS.parts(rng, env))

    def wrong(self, rng, env):
        if rng.randrange(2):
            return nest(self.ENTRY, u32(1, 0),
                        nest(2, self.STEPS.wrong(rng, env)))
        return super().wrong(rng, env)

    def said(self, entry):
        return self.STEPS.value(entry[2]) if 2 in entry else None

    def within(self, value, env):
        return (all(band < env.bands and self.STEPS.within(steps, env)
                    for band, steps in value.items()) and
                sum(len(steps[0]) for steps in value.values()) <= 64)


class Devices(Nest):
    """Devices, each once."""

    def __init__(self, which, most):
        self.which, self.most = which, most

    def parts(self, rng, env):
        devices = getattr(env, self.which)
        return [u32(1, rng.choice(devices))
                for _ in range(rng.choice((0, 1, 2, len(devices))))]

    def wrong(self, rng, env):
        return rng.choice((
            u32(2, env.ethernet[0]), attr(1, b'\1'), attr(1, bytes(8)),
            u32(1, 2**31 - 2), u32(1, 0), u32(1, 2**32 - 1),
            nest(1, u32(1, env.ethernet[0])),
            b''.join(u32(1, 10**6 + i) for i in range(self.most + 1))))

    def value(self, payload):
        return tuple(dict.fromkeys(
            int.from_bytes(data, 'little') for _, data in attributes(payload)))

    def within(self, value, env):
        return (len(value) <= self.most and
                all(ifindex in env.there for ifindex in value))
