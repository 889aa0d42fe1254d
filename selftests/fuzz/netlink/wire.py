# SPDX-License-Identifier: GPL-2.0
"""Sends messages to the kernel and reads its answers, with few system calls."""

import socket
import struct

from netlink import (NETLINK_GENERIC, NLM_F_ACK, NLM_F_DUMP, NLM_F_REQUEST,
                     NLMSG_DONE, NLMSG_ERROR, Netlink, attrs_of, reason)

RTM_NEWLINK, RTM_GETLINK = 16, 18
IFLA_STATS64 = 23
SO_RCVTIMEO = 20
# Without it, who asks for a qdisc is not told.
NLM_F_ECHO = 0x8


class Bad(Exception):
    """What the kernel did is not what it should do."""


class Wire(Netlink):
    """A socket whose memory is used again and again."""

    def __init__(self, family=socket.NETLINK_ROUTE):
        super().__init__(family)
        # One that Python waits for is asked first whether it can be read.
        self.sock.settimeout(None)
        self.sock.setsockopt(socket.SOL_SOCKET, SO_RCVTIMEO,
                             struct.pack('qq', 30, 0))
        self.buffer = bytearray(1 << 16)
        self.view = memoryview(self.buffer)

    def messages(self):
        """The messages of one answer, as (type, flags, payload)."""
        size = self.sock.recv_into(self.buffer)
        at = 0
        while size - at >= 16:
            length, kind, flags = struct.unpack_from('IHH', self.buffer, at)
            yield kind, flags, bytes(self.view[at + 16:at + length])
            at += (length + 3) & ~3

    @staticmethod
    def packed(kind, flags, body):
        """One message."""
        size = 16 + len(body)
        return struct.pack('IHHII', size, kind, flags | NLM_F_REQUEST, 1,
                           0) + body + bytes(-size % 4)

    def change_and_get(self, change, get):
        """Sends both at once, as (type, flags, body): the second asks for an object.

        Returns ((errno, message), the object or None).
        """
        kind, flags, body = change
        self.sock.send(self.packed(kind, flags | NLM_F_ACK, body) +
                       self.packed(get[0], get[1], get[2]))
        verdict = found = None
        answers = 0
        while answers < 2:
            for kind, flags, payload in self.messages():
                answers += 1
                if kind != NLMSG_ERROR:
                    found = payload
                elif verdict is None:
                    verdict = reason(flags, payload)
        return verdict, found

    def get(self, kind, body):
        """One object, or None."""
        self.sock.send(self.packed(kind, NLM_F_ECHO, body))
        for answer, _, payload in self.messages():
            return None if answer == NLMSG_ERROR else payload
        return None

    def dump_all(self, kind, body):
        """All objects; a dump that was interrupted is an error by itself."""
        self.sock.send(self.packed(kind, NLM_F_DUMP, body))
        found, done = [], False
        while not done:
            for answer, _, payload in self.messages():
                if answer == NLMSG_DONE:
                    done = True
                elif answer == NLMSG_ERROR:
                    raise Bad(f'a dump ended with {reason(0, payload)}')
                else:
                    found.append(payload)
        return found


class Family(Wire):
    """A generic netlink family."""

    def __init__(self, name):
        super().__init__(NETLINK_GENERIC)
        self.name = name
        self.family = self.number_of(name)
        if self.family is None:
            raise Bad(f'there is no family {name}')

    def listen(self):
        """Joins all groups; what comes is read by heard()."""
        for group in self.groups(self.name):
            self.join(group)
        self.sock.setblocking(False)

    def heard(self):
        """The payloads of what has come."""
        while True:
            try:
                yield from (payload for _, _, payload in self.messages())
            except BlockingIOError:
                return
            except OSError as error:
                # ENOBUFS: a slow listener loses some.
                if error.errno != 105:
                    raise


class Links(Wire):
    """Asks for the counters of devices."""

    def sent(self, ifindex):
        """Packets that a device has sent or dropped, and its bytes."""
        answer = self.get(RTM_GETLINK, struct.pack('BxHiII', 0, 0, ifindex, 0,
                                                   0))
        stats = struct.unpack_from(
            '8Q', attrs_of(answer[16:])[IFLA_STATS64])
        return stats[1] + stats[7]
