# SPDX-License-Identifier: GPL-2.0
"""Netlink messages byte by byte, and their answers; those about qdiscs and classes."""

import os
import socket
import struct

NLMSG_ERROR = 2
NLMSG_DONE = 3
RTM_NEWQDISC = 36
RTM_DELQDISC = 37
RTM_GETQDISC = 38
RTM_NEWTCLASS = 40
RTM_DELTCLASS = 41
RTM_GETTCLASS = 42
NLM_F_REQUEST = 0x1
NLM_F_ACK = 0x4
NLM_F_ACK_TLVS = 0x200
NLM_F_ROOT = 0x100
NLM_F_REPLACE = 0x100
NLM_F_DUMP = 0x300
NLM_F_EXCL = 0x200
NLM_F_CREATE = 0x400
# Not known to older Pythons.
NETLINK_GENERIC = 16
SOL_NETLINK = 270
NETLINK_ADD_MEMBERSHIP = 1
NETLINK_CAP_ACK = 10
NETLINK_EXT_ACK = 11
NLMSGERR_ATTR_MSG = 1
NLA_F_NESTED = 0x8000
NLA_TYPE_MASK = 0x3fff
GENL_ID_CTRL, CTRL_CMD_GETFAMILY = 16, 3
CTRL_ATTR_FAMILY_ID, CTRL_ATTR_FAMILY_NAME, CTRL_ATTR_MCAST_GROUPS = 1, 2, 7
CTRL_ATTR_MCAST_GRP_ID = 2
TCA_KIND = 1
TCA_OPTIONS = 2
TCA_STATS2 = 7
TCA_STATS_APP = 4
TC_H_ROOT = 0xffffffff
HANDLE = 0x10000


def attr(kind, payload):
    """One attribute, padded."""
    size = 4 + len(payload)
    return struct.pack('HH', size, kind) + payload + bytes(-size % 4)


def u8(kind, value):
    """An attribute of one byte."""
    return attr(kind, struct.pack('B', value))


def u32(kind, value):
    """An attribute of four bytes."""
    return attr(kind, struct.pack('I', value))


def u64(kind, value):
    """An attribute of eight bytes."""
    return attr(kind, struct.pack('Q', value))


def nest(kind, *attrs):
    """A nested attribute."""
    return attr(kind | NLA_F_NESTED, b''.join(attrs))


def genl(command, *attrs):
    """What a message of a generic family says."""
    return struct.pack('BBxx', command, 1) + b''.join(attrs)


def attributes(data):
    """Yields type and payload of each attribute in data."""
    at = 0
    while len(data) - at >= 4:
        size, kind = struct.unpack_from('HH', data, at)
        if size < 4:
            return
        yield kind & NLA_TYPE_MASK, data[at + 4:at + size]
        at += (size + 3) & ~3


def attrs_of(data):
    """The attributes in data, by type; of duplicates the last."""
    return dict(attributes(data))


def reason(flags, payload):
    """(errno, extack message) of an answer that says what became of a request."""
    err = -struct.unpack_from('i', payload)[0]
    text = b''
    if flags & NLM_F_ACK_TLVS:
        # Behind the error and the header of the request.
        text = attrs_of(payload[20:]).get(NLMSGERR_ATTR_MSG, b'')
    return err, text.rstrip(b'\0').decode()


class Netlink:
    """Talks to one of the kernel's families of messages."""

    # Bytes that are read at a time.
    room = 1 << 18

    def __init__(self, family=socket.NETLINK_ROUTE):
        self.sock = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, family)
        self.sock.bind((0, 0))
        self.sock.setsockopt(SOL_NETLINK, NETLINK_EXT_ACK, 1)
        self.sock.setsockopt(SOL_NETLINK, NETLINK_CAP_ACK, 1)
        self.sock.settimeout(10)

    def send_message(self, kind, flags, body):
        """Sends one message: a header before body."""
        self.sock.send(struct.pack('IHHII', 16 + len(body), kind,
                                   flags | NLM_F_REQUEST, 1, 0) + body)

    def messages(self):
        """The messages of one answer, as (type, flags, payload)."""
        data = self.sock.recv(self.room)
        at = 0
        while len(data) - at >= 16:
            size, kind, flags = struct.unpack_from('IHH', data, at)
            yield kind, flags, data[at + 16:at + size]
            at += (size + 3) & ~3

    def verdict(self):
        """Waits for what became of a message: (errno, extack message)."""
        while True:
            for answer, flags, payload in self.messages():
                if answer == NLMSG_ERROR:
                    return reason(flags, payload)

    def ask_message(self, kind, flags, body):
        """Sends one message; returns (errno, extack message)."""
        self.send_message(kind, flags | NLM_F_ACK, body)
        return self.verdict()

    def dumped(self, new):
        """The payloads of the messages of type new that answer a dump."""
        done = False
        while not done:
            for kind, _, payload in self.messages():
                if kind in (NLMSG_DONE, NLMSG_ERROR):
                    done = True
                elif kind == new:
                    yield payload

    def answers(self, kind, flags, body):
        """Sends one message that is acknowledged, or a dump; yields the payloads that
        answer it. An error is an exception."""
        self.send_message(kind, flags, body)
        while True:
            for answer, aflags, payload in self.messages():
                if answer == NLMSG_DONE:
                    return
                if answer == NLMSG_ERROR:
                    err, _ = reason(aflags, payload)
                    if err:
                        raise OSError(err, os.strerror(err))
                    return
                yield payload

    def resolve(self, name):
        """The attributes of a generic family; none if there is no such family."""
        self.send_message(GENL_ID_CTRL, 0, genl(CTRL_CMD_GETFAMILY, attr(
            CTRL_ATTR_FAMILY_NAME, name.encode() + b'\0')))
        for kind, _, payload in self.messages():
            if kind == GENL_ID_CTRL:
                return attrs_of(payload[4:])
        return {}

    def number_of(self, name):
        """The number of a generic family, or None."""
        number = self.resolve(name).get(CTRL_ATTR_FAMILY_ID)
        return number and struct.unpack('H', number)[0]

    def groups(self, name):
        """The numbers of a generic family's groups."""
        found = self.resolve(name).get(CTRL_ATTR_MCAST_GROUPS, b'')
        return [struct.unpack('I', attrs_of(group)[CTRL_ATTR_MCAST_GRP_ID])[0]
                for _, group in attributes(found)]

    def join(self, group):
        """Hears what is sent to a group."""
        self.sock.setsockopt(SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, group)


class Tc(Netlink):
    """Talks to the kernel about the root qdisc of one device."""

    def __init__(self, ifindex):
        super().__init__()
        self.ifindex = ifindex

    def message(self, body, handle=HANDLE, parent=TC_H_ROOT):
        """What a message about the device says."""
        return struct.pack('BxxxiIII', socket.AF_UNSPEC, self.ifindex, handle,
                           parent, 0) + body

    def ask(self, kind, flags, body, handle=HANDLE, parent=TC_H_ROOT):
        """Sends a message; returns (errno, extack message)."""
        return self.ask_message(kind, flags, self.message(body, handle, parent))

    def modify(self, options, flags=0):
        """add (with flags) or change, with the options given as bytes."""
        return self.ask(RTM_NEWQDISC, flags, attr(TCA_KIND, b'ramp\0') +
                        options)

    def add(self, options=b''):
        """Creates the qdisc."""
        return self.modify(options, NLM_F_CREATE | NLM_F_EXCL)

    def remove(self):
        """Deletes the qdisc."""
        return self.ask(RTM_DELQDISC, 0, b'')

    def dump(self, get, new):
        """All objects of the device, as (handle, attributes)."""
        found = []
        self.send_message(get, NLM_F_DUMP, self.message(b'', parent=0))
        for payload in self.dumped(new):
            ifindex, handle = struct.unpack_from('iI', payload, 4)
            if ifindex == self.ifindex:
                found.append((handle, attrs_of(payload[20:])))
        return found

    def root(self):
        """The attributes of the ramp at the root, or None."""
        for _, found in self.dump(RTM_GETQDISC, RTM_NEWQDISC):
            if found.get(TCA_KIND) == b'ramp\0':
                return found
        return None

    def shown(self):
        """The options of the ramp at the root, or None."""
        found = self.root()
        return None if found is None else found.get(TCA_OPTIONS, b'')

    def classes(self):
        """The classes of the ramp at the root, as (handle, attributes)."""
        return self.dump(RTM_GETTCLASS, RTM_NEWTCLASS)
