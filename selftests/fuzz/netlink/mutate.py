# SPDX-License-Identifier: GPL-2.0
"""Messages made of attributes, right ones and wrong ones.

A message is a list of (type with flags, payload). What a mutator returns says what
has to become of it: True if it must be refused, None if nobody knows.
"""

import struct

from kinds import UNKNOWN
from netlink import NLA_F_NESTED


def pack(message):
    """As bytes."""
    parts = []
    for kind, payload in message:
        size = 4 + len(payload)
        parts.append(struct.pack('HH', size, kind) + payload +
                     bytes(-size % 4))
    return b''.join(parts)


class Mutator:
    """Knows the kinds of the attributes of one sort of messages."""

    def __init__(self, kinds, answers, flags=True):
        self.kinds, self.answers, self.flags = kinds, answers, flags
        self.types = sorted(kinds)

    def good(self, rng, env, kind):
        """An attribute that may be."""
        how = self.kinds[kind]
        return kind | how.flags, how.good(rng, env)

    def mutate(self, rng, env, message):
        """Returns (name, bytes, whether it must be refused)."""
        mutator = rng.choice(self.MUTATORS)
        data, refuse = mutator(self, rng, env, list(message))
        return mutator.__name__, data, refuse

    def bad_value(self, rng, env, message):
        """A value beyond its bounds, in place of a right one or behind all."""
        kind = rng.choice(self.types)
        if message and rng.randrange(2):
            kind = rng.choice(message)[0] & 0x3fff
        how = self.kinds[kind]
        # Alone, nothing else can be why it is refused.
        if not rng.randrange(2):
            message = []
        # Of duplicates the last counts.
        message = [m for m in message if m[0] & 0x3fff != kind]
        message.insert(rng.randint(0, len(message)),
                       (kind | how.flags, how.bad(rng, env)))
        return pack(message), True

    def bad_length(self, rng, env, message):
        """A number of another length, which even a duplicate does not heal."""
        numbers = [kind for kind in self.types
                   if hasattr(self.kinds[kind], 'wrong_length')]
        kind = rng.choice(numbers)
        message.insert(rng.randint(0, len(message)),
                       (kind, self.kinds[kind].wrong_length(rng)))
        if rng.randrange(2):
            message.append(self.good(rng, env, kind))
        return pack(message), True

    def duplicate(self, rng, env, message):
        """The same attribute again, with another right value."""
        for _ in range(rng.randint(1, 4)):
            kind = rng.choice(message)[0] & 0x3fff if message else \
                rng.choice(self.types)
            message.append(self.good(rng, env, kind))
        return pack(message), None

    def unknown(self, rng, _env, message):
        """An attribute that nobody knows."""
        kind = rng.choice((0, self.types[-1] + 20, UNKNOWN, 0x3fff))
        message.insert(rng.randint(0, len(message)),
                       (kind, rng.randbytes(rng.randrange(12))))
        return pack(message), True

    def answer(self, rng, _env, message):
        """One that only answers have."""
        if not self.answers:
            return pack(message), None
        message.insert(rng.randint(0, len(message)),
                       (rng.choice(self.answers),
                        rng.randbytes(rng.choice((4, 8)))))
        return pack(message), True

    def nesting(self, rng, _env, message):
        """Nested where it must not be, or the reverse."""
        if not message:
            return pack(message), None
        at = rng.randrange(len(message))
        kind, payload = message[at]
        message[at] = kind ^ NLA_F_NESTED, payload
        return pack(message), self.flags or None

    def deeper(self, rng, env, message):
        """The whole of it once more inside."""
        kind = rng.choice(self.types)
        return pack([(kind | NLA_F_NESTED, pack(message))]), None

    def cut(self, rng, _env, message):
        """Ends in the middle of an attribute."""
        last = [m for m in message if m[1]]
        if not last:
            return pack(message), None
        data = pack(last)
        padding = -len(last[-1][1]) % 4
        keep = rng.randint(1, len(last[-1][1]))
        return data[:len(data) - padding - keep], True

    def trailing(self, rng, _env, message):
        """Something behind the last one that is no attribute."""
        return pack(message) + rng.randbytes(rng.randint(1, 3)), True

    def flips(self, rng, _env, message):
        """Bits anywhere."""
        data = bytearray(pack(message))
        if not data:
            return bytes(data), None
        for _ in range(rng.randint(1, 4)):
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        return bytes(data), None

    def noise(self, rng, _env, _message):
        """Anything."""
        return rng.randbytes(rng.choice((1, 4, 8, 60, 500))), None

    def sizes(self, rng, _env, message):
        """An attribute that says it is shorter or longer."""
        data = bytearray(pack(message))
        if len(data) >= 4:
            struct.pack_into('H', data, 0, rng.choice((0, 1, 3, 4, 5, 2**16 - 1,
                                                       rng.randrange(2**16))))
        return bytes(data), None

    def long(self, rng, env, message):
        """The same again and again."""
        if not message:
            return pack(message), None
        data = pack(message)
        return data * min(rng.randint(2, 50), 30000 // max(len(data), 1)), None

    MUTATORS = [bad_value] * 5 + [
        bad_length, bad_length, duplicate, duplicate, unknown, answer, nesting,
        deeper, cut, trailing, flips, flips, noise, sizes, long]
