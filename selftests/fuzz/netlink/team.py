# SPDX-License-Identifier: GPL-2.0
"""Fuzzes the options of team mode spread, through the family of the team driver.

After each message all options are read: what was accepted must read back, what was
refused must have changed nothing but spread_error, which must say why.
"""

import struct

from netlink import attr, attrs_of, genl, nest, u32
from kinds import attributes, number
from wire import Bad, Family

OPTIONS_SET, OPTIONS_GET = 1, 2
TEAM_IFINDEX, LIST_OPTION = 1, 2
ITEM = 1
NAME, CHANGED, TYPE, DATA, REMOVED, PORT, INDEX = range(1, 8)
U32, STRING, FLAG, BINARY, S32 = 3, 5, 6, 11, 14

# What may be set: the greatest number, or what words are taken.
GLOBAL = {
    'spread_interval': (0, 10**6), 'spread_flowlet': (0, 10**6),
    'spread_escape': None, 'spread_classes': None,
    'spread_index': ('none', 'priority', 'mark', 'vlan', 'dst', 'ip'),
    'spread_empty': ('all', 'drop')}
OF_PORT = {
    'spread_sets': (0, 2**32 - 1), 'spread_weight': (1, 1000),
    'spread_capacity': (0, 10**7)}


class Team:
    """One team and its options."""

    def __init__(self, rng, ifindex, ports, log):
        self.rng, self.ifindex, self.ports, self.log = rng, ifindex, ports, log
        # A team whose changes nobody listens to says that they failed.
        self.family, self.events = Family('team'), Family('team')
        self.events.listen()
        self.options = {}
        self.options = self.read()

    def body(self, command, *parts):
        """What a message about the team says."""
        return genl(command, u32(TEAM_IFINDEX, self.ifindex), *parts)

    def ask(self, *items):
        """Sets options."""
        for _ in self.events.heard():
            pass
        return self.family.ask_message(self.family.family, 0, self.body(
            OPTIONS_SET, nest(LIST_OPTION, *(nest(ITEM, item)
                                             for item in items))))

    def read(self):
        """All options of the mode: (type, data) by name and port."""
        self.family.send_message(self.family.family, 0,
                                 self.body(OPTIONS_GET))
        found, more = {}, True
        while more:
            more = False
            for kind, flags, payload in self.family.messages():
                # Several parts, the last of which says so.
                more = bool(flags & 2) and kind != 3
                if kind != self.family.family:
                    continue
                for _, item in attributes(attrs_of(payload[4:]).get(
                        LIST_OPTION, b'')):
                    said = attrs_of(item)
                    name = said[NAME].rstrip(b'\0').decode()
                    port = struct.unpack('I', said[PORT])[0] if PORT in said \
                        else 0
                    data = said.get(DATA, b'')
                    if said[TYPE][0] == FLAG:
                        data = DATA in said
                    found[name, port] = said[TYPE][0], data
        return found

    def settable(self, options):
        """Those that only a message changes."""
        return {(name, port): value for (name, port), value in options.items()
                if name in GLOBAL or name in OF_PORT}

    # ---- what is asked for

    def _number(self, rng, bounds):
        """A number and whether it may be; as bytes."""
        low, high = bounds
        good = rng.randrange(3) > 0
        value = number(rng, low, high)
        if not good and (low or high < 2**32 - 1):
            value = rng.choice([n for n in (low - 1, high + 1, 2**32 - 1)
                                if 0 <= n < 2**32 and not low <= n <= high])
        return struct.pack('I', value), low <= value <= high

    @staticmethod
    def _classes(rng):
        """Bounds of classes and whether they may be."""
        count = rng.choice((1, 2, 3, 7, 8))
        bounds = [rng.randint(0, 110) for _ in range(count)]
        if rng.randrange(3):
            bounds = sorted(rng.sample(range(1, 101), min(count, 7)))
        text = ','.join(map(str, bounds))
        good = (len(bounds) <= 7 and bounds == sorted(set(bounds)) and
                bounds[0] > 0 and bounds[-1] <= 100)
        if not rng.randrange(8):
            text = rng.choice(('', ',', '1,', 'x', '1,,2', '-1', ' 1', '1 '))
            good = False
        if len(text) > 31:
            # Longer than any option is.
            good = None
        return text.encode() + b'\0', good

    def _wanted(self, rng, name):
        """Type, data, and whether they may be."""
        bounds = {**GLOBAL, **OF_PORT}[name]
        if name == 'spread_escape':
            return FLAG, None if rng.randrange(2) else b'', True
        if name == 'spread_classes':
            data, good = self._classes(rng)
            return STRING, data, good
        if isinstance(bounds[0], str):
            good = rng.randrange(4) > 0
            word = rng.choice(bounds) if good else rng.choice(
                ('', 'x', bounds[0] + 'x', bounds[0][:-1], 'None'))
            return STRING, word.encode() + b'\0', good
        data, good = self._number(rng, bounds)
        return U32, data, good

    def _item(self, rng):
        """One option: its attributes, key, data, and whether it may be."""
        name = rng.choice((*GLOBAL, *OF_PORT))
        port = rng.choice(self.ports) if name in OF_PORT else 0
        kind, data, good = self._wanted(rng, name)
        parts = [attr(NAME, name.encode() + b'\0'),
                 attr(TYPE, struct.pack('B', kind))]
        if data is not None:
            parts.append(attr(DATA, data))
        if port:
            parts.append(u32(PORT, port))
        want = data is not None if kind == FLAG else data
        return parts, (name, port), want, good

    def _spoil(self, rng, parts, key):
        """An option that is not what it says. Of some the team driver says that
        they were set, and does nothing.
        """
        what = rng.randrange(8)
        if not what:
            parts[1] = attr(TYPE, struct.pack('B', rng.choice(
                (0, 4, 15, 255, BINARY, S32))))
        elif what == 1:
            parts[0] = attr(NAME, b'spread_nothing\0')
        elif what == 2 and key[1]:
            parts[-1] = u32(PORT, 2**31 - 5)
        elif what == 3:
            del parts[rng.randrange(2)]
        elif what == 4 and len(parts) > 2:
            parts[2] = attr(DATA, rng.randbytes(rng.choice((0, 1, 3, 5, 40))))
        elif what == 5 and not key[1]:
            parts.append(attr(INDEX, rng.randbytes(4)))
        elif what == 6:
            rng.shuffle(parts)
        else:
            data = bytearray(b''.join(parts))
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
            parts[:] = [bytes(data)]

    # ---- steps

    def configure(self):
        """Sets one option."""
        rng = self.rng
        parts, key, want, good = self._item(rng)
        name = 'good' if good else 'bad_value'
        if not rng.randrange(8):
            name, good = 'spoilt', None
            self._spoil(rng, parts, key)
        self.log.append(('team', name, 0, b''.join(parts).hex()))
        verdict = self.ask(b''.join(parts))
        now = self.read()
        was, is_now = self.settable(self.options), self.settable(now)
        if verdict[0]:
            if good:
                raise Bad(f'{key}: {want} was refused: {verdict}')
            if was != is_now:
                raise Bad(f'{key}: refused, and yet {was} became {is_now}')
            if name == 'bad_value' and good is False and \
               not now['spread_error', 0][1].rstrip(b'\0'):
                raise Bad(f'{key}: refused, and nobody says why')
        else:
            if good is False:
                raise Bad(f'{key}: {want} was accepted')
            if good:
                was[key] = now[key][0], want
                if was != is_now:
                    raise Bad(f'{key}: {want} was accepted, {is_now[key]} is '
                              f'shown, or another one has changed')
                if now['spread_error', 0][1].rstrip(b'\0'):
                    raise Bad('an error after what was accepted')
        self.options = now
        return name, not verdict[0]

    def several(self):
        """Many in one message, some of them wrong."""
        rng = self.rng
        items = [b''.join(self._item(rng)[0])
                 for _ in range(rng.randint(2, 20))]
        self.log.append(('team', 'several', 0,
                         ' '.join(item.hex() for item in items)))
        verdict = self.ask(*items)
        self.options = self.read()
        return 'several', not verdict[0]

    def outer(self):
        """What is around the options is wrong."""
        rng = self.rng
        data = rng.randbytes(rng.choice((0, 4, 20)))
        body = rng.choice((
            self.body(OPTIONS_SET), self.body(OPTIONS_SET, data),
            self.body(OPTIONS_SET, attr(LIST_OPTION, data)),
            self.body(OPTIONS_SET, nest(LIST_OPTION, nest(ITEM, data))),
            genl(OPTIONS_SET, nest(LIST_OPTION, data)),
            genl(rng.choice((0, 4, 200)), data)))
        self.family.ask_message(self.family.family, 0, body)
        now = self.read()
        if self.settable(now) != self.settable(self.options):
            raise Bad('options have changed without a name')
        self.options = now

    def step(self):
        """One message."""
        what = self.rng.randrange(16)
        if what < 14:
            return self.configure()
        if what < 15:
            return self.several()
        self.outer()
        return None

    def sent(self, port):
        """What the mode says that it sent to a port."""
        self.options = self.read()
        return int(self.options['spread_tx', port][1].rstrip(b'\0'))
