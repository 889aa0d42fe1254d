#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Flows of an endpoint in both directions, and what became of each frame.

    mpolice_flows.py HOST VM [--log FILE] [--until FILE] FLOW...

HOST and VM are the two ends of a veth pair, as NETNS:DEVICE; the endpoint (a
virtual machine, say) is behind VM, and the policies are on HOST's device. A FLOW is
one argument of these words:

    NAME to|from ADDRESS PEER PROTO PORT[:OWN] SIZE PROFILE

to:      from the host's side, through the egress of HOST's device
from:    from the endpoint, through the ingress of HOST's device
ADDRESS  of the endpoint, PEER of the other side; IPv4, or IPv6 if they have colons
PROTO    tcp, udp, icmp or a number
PORT     of the peer, and OWN of the endpoint (default 40000)
SIZE     bytes of a frame with its Ethernet header
PROFILE  as of ramp-send: RATEpps:TIME,xN,... with times in s, ms or us

All flows keep one schedule, exact to a nanosecond. A frame that was let through is
seen by a socket bound to its protocol at the other end, behind the filters. Prints
a JSON object: of each flow what was sent and received, packets and bytes. --log
writes to FILE one line per frame, in the order in which they were sent: NAME SEQ
SIZE SENT RECEIVED, times in ns of CLOCK_REALTIME, RECEIVED 0 if it was not. With
--until all flows end when FILE exists.
"""

import argparse
import ctypes
import errno
import heapq
import ipaddress
import json
import os
import socket
import struct
import sys
import time

CLONE_NEWNET = 0x40000000
SO_RCVBUFFORCE, SO_SNDBUFFORCE = 33, 32
SO_TIMESTAMPNS = 35
SOL_PACKET, PACKET_STATISTICS = 263, 6
PR_SET_TIMERSLACK = 29
ETH_P_IP, ETH_P_IPV6 = 0x0800, 0x86dd
MARK = struct.Struct('!IIQ')
MAGIC = 0x4d504f4c
ETH = 14
PROTOCOLS = {'icmp': 1, 'tcp': 6, 'udp': 17}
UNITS = {'s': 10**9, 'ms': 10**6, 'us': 10**3}
LIBC = ctypes.CDLL(None, use_errno=True)
# How often it is looked for the end.
LOOK = 10**8


def checksum(data):
    """Of an IPv4 header."""
    total = sum(struct.unpack(f'!{len(data) // 2}H', data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff


def parse_time(text):
    """Returns ns."""
    for unit in ('ms', 'us', 's'):
        if text.endswith(unit):
            return round(float(text[:-len(unit)]) * UNITS[unit])
    if float(text):
        raise ValueError(f"'{text}' is not a time")
    return 0


def schedule(profile):
    """Yields the times of the frames, ns from the begin."""
    begin = 0
    for piece in profile.split(','):
        if piece.startswith('x'):
            for _ in range(int(piece[1:])):
                yield begin
            continue
        rate, length = piece.split(':')
        length = parse_time(length)
        rate = int(rate.removesuffix('pps'))
        for number in range((rate * length + 10**9 - 1) // 10**9):
            yield begin + number * 10**9 // rate
        begin += length


class Flow:
    """One flow: its frames, and its counters."""

    def __init__(self, number, words):
        (self.name, self.way, address, peer, proto, ports, size,
         self.profile) = words.split()
        if self.way not in ('to', 'from'):
            raise ValueError(f"'{self.way}' is neither to nor from")
        self.number = number
        self.size = int(size)
        self.protocol = ETH_P_IPV6 if ':' in address else ETH_P_IP
        own, other = (ipaddress.ip_address(a).packed for a in (address, peer))
        theirs, _, mine = ports.partition(':')
        ports = [int(mine or 40000), int(theirs)]
        if self.way == 'to':
            own, other = other, own
            ports.reverse()
        proto = int(PROTOCOLS.get(proto, proto))
        head = self.network(proto, own, other)
        head += self.transport(proto, *ports)
        if self.size < len(head) + MARK.size:
            raise ValueError(f'{self.name}: at least {len(head) + MARK.size} bytes')
        self.head = head
        self.fill = bytes(self.size - len(head) - MARK.size)
        self.sent = 0
        self.received = []

    def network(self, proto, source, target):
        """Ethernet and IP."""
        ether = struct.pack('!6s6sH', b'\x02\0\0\0\0\2', b'\x02\0\0\0\0\1',
                            self.protocol)
        length = self.size - ETH
        if self.protocol == ETH_P_IPV6:
            return ether + struct.pack('!IHBB16s16s', 6 << 28, length - 40,
                                       proto, 64, source, target)
        fields = [0x45, 0, length, 0, 0, 64, proto, 0, source, target]
        fields[7] = checksum(struct.pack('!BBHHHBBH4s4s', *fields))
        return ether + struct.pack('!BBHHHBBH4s4s', *fields)

    def transport(self, proto, source, target):
        """What filters look at; nobody checks the rest."""
        if proto == 6:
            return struct.pack('!HHIIBBHHH', source, target, 0, 0, 0x50, 0x10,
                               65535, 0, 0)
        if proto == 17:
            return struct.pack('!HHHH', source, target, self.size - ETH - 20, 0)
        return bytes(8)

    def next_frame(self):
        """The bytes of one more frame."""
        self.sent += 1
        self.received.append(0)
        return b''.join((self.head,
                         MARK.pack(MAGIC, self.number, self.sent - 1),
                         self.fill))


class End:
    """Sockets at one end of the pair."""

    def __init__(self, place):
        name, _, self.device = place.partition(':')
        fd = os.open(f'/run/netns/{name}', os.O_RDONLY)
        if LIBC.setns(fd, CLONE_NEWNET):
            raise OSError(ctypes.get_errno(), f'setns {name}')
        os.close(fd)
        self.out = self.open(0)
        self.out.setsockopt(socket.SOL_SOCKET, SO_SNDBUFFORCE, 1 << 28)
        self.ins = [self.open(proto) for proto in (ETH_P_IP, ETH_P_IPV6)]
        for sock in self.ins:
            sock.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 1 << 29)
            sock.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
            sock.setblocking(False)

    def open(self, proto):
        """A packet socket."""
        sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW,
                             socket.htons(proto))
        sock.bind((self.device, proto))
        return sock

    def drain(self, flows):
        """Notes all that has arrived; returns how much."""
        count = 0
        for sock in self.ins:
            while True:
                try:
                    data, control, _, address = sock.recvmsg(65536, 64)
                except BlockingIOError:
                    break
                if address[2] == socket.PACKET_OUTGOING:
                    continue
                offset = data.find(MAGIC.to_bytes(4, 'big'), 30)
                if offset < 0:
                    continue
                _, number, seq = MARK.unpack_from(data, offset)
                seconds, nanos = struct.unpack_from('=qq', control[0][2])
                flow = flows[number]
                if flow.received[seq]:
                    raise RuntimeError(f'{flow.name}: frame {seq} came twice')
                if len(data) != flow.size:
                    raise RuntimeError(f'{flow.name}: {len(data)} bytes')
                flow.received[seq] = seconds * 10**9 + nanos
                count += 1
        return count

    def lost(self):
        """Frames for which a socket had no room."""
        return sum(struct.unpack('=II', sock.getsockopt(
            SOL_PACKET, PACKET_STATISTICS, 8))[1] for sock in self.ins)


def times_of(flow):
    """Frames of one flow, for a merge."""
    for when in schedule(flow.profile):
        yield when, flow.number


def run(host, virtual, flows, until):
    """Sends all; returns flow, number, time of each frame."""
    LIBC.prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0)
    # On a whole millisecond, which makes times easy to read.
    start = (time.monotonic_ns() // 10**6 + 20) * 10**6
    to_real = time.time_ns() - time.monotonic_ns()
    log = []
    awake = look = 0
    for when, number in heapq.merge(*map(times_of, flows)):
        flow = flows[number]
        if until and when >= look:
            if os.path.exists(until):
                break
            look = when + LOOK
        # One reading of the clock per wake-up: in time travel it takes time.
        if start + when > awake:
            awake = time.monotonic_ns()
            if start + when > awake:
                time.sleep((start + when - awake) / 10**9)
                awake = time.monotonic_ns()
        log.append((flow, flow.sent, awake + to_real))
        end = host if flow.way == 'to' else virtual
        try:
            end.out.send(flow.next_frame())
        except OSError as error:
            # So the kernel says that a filter at egress has dropped it.
            if error.errno != errno.ENOBUFS:
                raise
    # Frames may wait for a softirq. Six times nothing: nothing comes any more.
    quiet = 0
    while quiet < 6:
        time.sleep(0.05)
        quiet = 0 if host.drain(flows) + virtual.drain(flows) else quiet + 1
    if host.lost() + virtual.lost():
        raise RuntimeError('a receiver had no room')
    return log


def main():
    """Command line."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('host')
    parser.add_argument('vm')
    parser.add_argument('flow', nargs='*')
    parser.add_argument('--log')
    parser.add_argument('--until')
    args = parser.parse_intermixed_args()

    flows = [Flow(number, line) for number, line in enumerate(args.flow)]
    log = run(End(args.host), End(args.vm), flows, args.until)
    if args.log:
        with open(args.log, 'w', encoding='ascii') as file:
            for flow, seq, when in log:
                print(flow.name, seq, flow.size, when, flow.received[seq],
                      file=file)
    result = {}
    for flow in flows:
        count = sum(map(bool, flow.received))
        result[flow.name] = {'sent': flow.sent,
                             'sent_bytes': flow.sent * flow.size,
                             'received': count,
                             'received_bytes': count * flow.size}
    print(json.dumps(result))
    return 0


if __name__ == '__main__':
    sys.exit(main())
