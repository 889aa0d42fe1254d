# SPDX-License-Identifier: GPL-2.0
"""Fuzzes the family ramp: asks for rails, and listens to events."""

import struct

from kinds import Number, attributes
from mutate import Mutator, pack
from netlink import attrs_of, genl, reason
from tables import NUMBER
from wire import Bad, Family

RAIL, STATE, MEMBERS = 15, 16, 17
EVENT_IFINDEX = 2
IFINDEX, HANDLE, PARENT = 1, 2, 3
RAIL_GET = 5
COMMANDS = (1, 2, 3, 4, 5, 6)
HEADER = 4


class Rails:
    """The rails of a round, as the qdiscs have made them."""

    def __init__(self, rng, qdiscs, log):
        self.rng, self.qdiscs, self.log = rng, qdiscs, log
        self.family, self.events = Family('ramp'), Family('ramp')
        self.events.listen()
        self.mutator = Mutator({RAIL: Number(4, 0, 2**32 - 1)}, [STATE])
        self.heard = 0

    def members(self, rail):
        """Who is on a rail, or on any if rail is None."""
        return {(rail_, device.ifindex, device.handle & 0xffff0000)
                for device in self.qdiscs.devices if device.shown is not None
                for rail_ in (device.shown[NUMBER['RAIL']],)
                if rail_ and rail in (rail_, None)}

    @staticmethod
    def read(payload):
        """What an answer says: (rail, ifindex, handle) of each member."""
        attrs = attrs_of(payload[HEADER:])
        rail, = struct.unpack('I', attrs[RAIL])
        found = set()
        for _, entry in attributes(attrs[MEMBERS]):
            member = attrs_of(entry)
            found.add((rail, *(struct.unpack('I', member[kind])[0]
                               for kind in (IFINDEX, HANDLE))))
        return found

    def ask(self):
        """One rail, rightly or not."""
        rng = self.rng
        rail = rng.choice((0, 1, 2, 3, 2**32 - 1))
        message = [(RAIL, struct.pack('I', rail))]
        name, refuse, data = 'good', None, pack(message)
        if rng.randrange(2):
            name, data, refuse = self.mutator.mutate(rng, None, message)
        self.log.append(('rail', name, 0, data.hex()))
        self.family.send_message(self.family.family, 0, genl(RAIL_GET, data))
        for kind, flags, payload in self.family.messages():
            if kind == self.family.family:
                if refuse:
                    raise Bad('answered what cannot be')
                found = self.read(payload)
                if found != self.members(next(iter(found))[0]):
                    raise Bad(f'on the rail are {found}')
                return name, True
            if not reason(flags, payload)[1]:
                raise Bad('no rail, and nobody says why')
            if name == 'good' and self.members(rail):
                raise Bad(f'rail {rail} is not there')
        return name, False

    def command(self):
        """What is no request is none."""
        rng = self.rng
        command = rng.choice([c for c in (*COMMANDS, 0, 7, 255)
                              if c != RAIL_GET])
        verdict = self.family.ask_message(
            self.family.family, 0, genl(command, rng.randbytes(4 * rng.randrange(8))))
        if not verdict[0]:
            raise Bad(f'command {command} was accepted')

    def dump(self):
        """All rails, and nobody else."""
        found = set()
        for payload in self.family.dump_all(
                self.family.family, genl(RAIL_GET)):
            found |= self.read(payload)
        if found != self.members(None):
            raise Bad(f'on rails are {found}')

    def listen(self):
        """Events say who, and all of each is attributes."""
        for payload in self.events.heard():
            if payload[0] not in COMMANDS or payload[0] == RAIL_GET:
                raise Bad(f'event {payload[0]}')
            size = sum((4 + len(data) + 3) & ~3
                       for _, data in attributes(payload[HEADER:]))
            if size != len(payload) - HEADER:
                raise Bad(f'event {payload.hex()}')
            attrs = attrs_of(payload[HEADER:])
            if EVENT_IFINDEX not in attrs:
                raise Bad(f'an event of nobody: {payload.hex()}')
            self.heard += 1

    def step(self):
        """One message."""
        what = self.rng.randrange(8)
        self.listen()
        if what < 5:
            return self.ask()
        if what < 7:
            self.dump()
        else:
            self.command()
        return None

    def end(self):
        """The last look."""
        self.dump()
        self.listen()
