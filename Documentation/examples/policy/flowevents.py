# SPDX-License-Identifier: GPL-2.0
"""Flows without an entry, as the kernel reports them: packets that act_sample gives to the
generic netlink family psample."""

import ipaddress
import select
import socket
import struct
from dataclasses import dataclass

from pyroute2.netlink import genlmsg
from pyroute2.netlink.exceptions import NetlinkError
from pyroute2.netlink.generic import GenericNetlinkSocket

# Of psample: a group for each device, as what it says of interfaces has 16 bits. All users
# share one family, and few of them have such high ones.
GROUPS = 1 << 31
BUFFER = 4 << 20
# Of Linux, and not in Python.
SO_RCVBUFFORCE = 33
HEAD = 128
TCP, UDP = 6, 17
# Headers of IPv6 before the one that counts: hop by hop, routing, destination.
EXTENSIONS = (0, 43, 60)


class Lost(Exception):
    """The kernel had more than the socket holds."""


class Sample(genlmsg):
    """include/uapi/linux/psample.h"""
    nla_map = (
        ('PSAMPLE_ATTR_IIFINDEX', 'uint16'),
        ('PSAMPLE_ATTR_OIFINDEX', 'uint16'),
        ('PSAMPLE_ATTR_ORIGSIZE', 'uint32'),
        ('PSAMPLE_ATTR_SAMPLE_GROUP', 'uint32'),
        ('PSAMPLE_ATTR_GROUP_SEQ', 'uint32'),
        ('PSAMPLE_ATTR_SAMPLE_RATE', 'uint32'),
        ('PSAMPLE_ATTR_DATA', 'cdata'),
    )


@dataclass(frozen=True, order=True)
class Flow:
    """A 5-tuple, as the endpoint sees it."""
    proto: int
    own: str
    own_port: int
    peer: str
    peer_port: int

    @property
    def version(self):
        """4 or 6."""
        return ipaddress.ip_address(self.own).version


def group_of(ifindex):
    """The group of a device."""
    return GROUPS | ifindex


def skip_extensions(data, proto, at):
    """What comes after them, and where."""
    while proto in EXTENSIONS:
        proto, at = data[at], at + (data[at + 1] + 1) * 8
    return proto, at


def flow_of(data, incoming):
    """The flow of a packet that the endpoint sent (INCOMING to us) or gets; None if it is
    not of IP, or a fragment."""
    if len(data) < 34:
        return None
    kind = struct.unpack_from('>H', data, 12)[0]
    try:
        if kind == 0x0800:
            proto, at = data[23], 14 + (data[14] & 15) * 4
            source, target = data[26:30], data[30:34]
            if struct.unpack_from('>H', data, 20)[0] & 0x3fff:
                return None
        elif kind == 0x86dd and len(data) >= 54:
            proto, at = skip_extensions(data, data[20], 54)
            source, target = data[22:38], data[38:54]
        else:
            return None
        ports = (0, 0)
        if proto in (TCP, UDP):
            ports = struct.unpack_from('>HH', data, at)
        left = (str(ipaddress.ip_address(source)), ports[0])
        right = (str(ipaddress.ip_address(target)), ports[1])
    except (IndexError, ValueError, struct.error):
        return None
    own, peer = (left, right) if incoming else (right, left)
    return Flow(proto, *own, *peer)


class Events:
    """Listens. Has to be there before what samples is."""

    def __init__(self):
        self.socket = GenericNetlinkSocket()
        self.socket.bind('psample', Sample)
        self.socket.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, BUFFER)
        self.socket.add_membership('packets')

    def wait(self, seconds):
        """[(ifindex, flow)] of what has come within SECONDS."""
        if not select.select([self.socket], [], [], max(0, seconds))[0]:
            return []
        found = []
        try:
            messages = self.socket.get()
        except OSError as error:
            raise Lost(str(error)) from None
        except NetlinkError as error:
            raise Lost(str(error)) from None
        for message in messages:
            group = message.get_attr('PSAMPLE_ATTR_SAMPLE_GROUP')
            if not group or group < GROUPS:
                continue
            # What is forwarded has come in somewhere, too.
            leaves = message.get_attr('PSAMPLE_ATTR_OIFINDEX')
            data = message.get_attr('PSAMPLE_ATTR_DATA') or b''
            flow = flow_of(bytes(data), leaves is None)
            if flow:
                found.append((group - GROUPS, flow))
        return found
