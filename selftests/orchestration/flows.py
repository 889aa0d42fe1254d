#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Frames of many flows, as raw packets.

    flows.py udp DEVICE FIRST COUNT PER_SECOND      a frame of each flow
    flows.py udp6 DEVICE FIRST COUNT PER_SECOND     the same of IPv6
    flows.py hops DEVICE FIRST COUNT PER_SECOND     of IPv6, with two extension headers
    flows.py tagged DEVICE FIRST COUNT PER_SECOND   of udp, in VLAN 5
    flows.py pieces DEVICE FIRST COUNT PER_SECOND   of udp, the first fragment of each
    flows.py back DEVICE FIRST COUNT PER_SECOND     of udp, what the peer sends
    flows.py tcp DEVICE PORT COUNT PER_SECOND [OWN_PORT]
        one connection: a SYN, and a second later frames without PDUs
    flows.py nvme DEVICE PORT COUNT PER_SECOND [OWN_PORT]
        the same, and the first frame after the SYN is an ICReq
    flows.py data DEVICE PORT COUNT PER_SECOND [OWN_PORT]
        the same without a SYN and without PDUs
    flows.py gre DEVICE FIRST COUNT PER_SECOND
        COUNT frames of one flow without ports
    flows.py pdus DEVICE PORT COUNT PER_SECOND
        COUNT frames of a connection for each header that a PDU may have, which begins the
        first of them
    flows.py others DEVICE PORT COUNT PER_SECOND
        the same with what looks like one, and is none

RAMP_OWN is the IPv4 address of who sends, by default 10.9.0.2.
"""

import os
import socket
import struct
import sys
import time

OWN = socket.inet_aton(os.environ.get('RAMP_OWN', '10.9.0.2'))
PEER = bytes((10, 9, 0, 1))
OWN6, PEER6 = (bytes.fromhex('fd' + '00' * 14) + bytes((number,)) for number in (2, 1))
MACS = bytes((2, 0, 0, 0, 0, 1)) + bytes((2, 0, 0, 0, 0, 2))
# ICReq: its header, then version, alignment, digests and a maximum.
ICREQ = struct.pack('<BBBBI', 0, 0, 128, 0, 128) + bytes(120)
# Nothing that begins as a PDU does.
DATA = b'\xff' * 1000
SYN, ACK = 0x02, 0x10
# Of the fragment field: more follow.
MORE = 0x2000
# Type, flags, length of the header, offset of data, length (NVMe/TCP 1.0, 3.6.2).
PDUS = (
    (0, 0, 128, 0, 128),        # ICReq
    (1, 0, 128, 0, 128),        # ICResp
    (2, 0, 24, 0, 152),         # H2CTermReq
    (3, 0, 24, 0, 24),          # C2HTermReq
    (4, 0, 72, 0, 72),          # CapsuleCmd
    (4, 3, 72, 76, 4176),       # the same with digests and data
    (5, 0, 24, 0, 24),          # CapsuleResp
    (5, 1, 24, 0, 28),          # the same with a digest
    (6, 4, 24, 24, 4120),       # H2CData, the last one
    (7, 12, 24, 24, 1048),      # C2HData, the last one, which is the answer
    (9, 0, 24, 0, 24),          # R2T
)
OTHERS = tuple(struct.pack('<BBBBI', *pdu).ljust(200, b'\0') for pdu in (
    (0, 0, 8, 0, 128),          # a header of another length
    (1, 0, 128, 0, 129),        # more than a header
    (2, 0, 24, 0, 153),         # too much of an error
    (4, 0, 72, 0, 71),          # less than its header
    (4, 0, 72, 0, 4168),        # data without a place
    (5, 4, 24, 0, 24),          # an unknown flag
    (6, 0, 24, 0, 4120),        # data in the header
    (7, 0, 24, 24, 24),         # no data
    (7, 0, 24, 24, (16 << 20) + 1),
    (8, 0, 24, 0, 24),          # no type
    (255, 0, 24, 0, 24),
)) + (
    struct.pack('<BBBBI', 0, 0, 128, 0, 128).ljust(127, b'\0'),  # a header that is cut off
    b'GET / HTTP/1.1\r\nHost: storage\r\n\r\n',
    b'\x16\x03\x01\x00\x80'.ljust(133, b'\x01'),                # TLS
    b'\0' * 200,
    b'\0',
)


def ip_frame(proto, segment, source=OWN, target=PEER, fragment=0):
    """On Ethernet; the sum is the kernel's business where it matters."""
    head = struct.pack('>BBHHHBBH', 0x45, 0, 20 + len(segment), 0, fragment, 64,
                       proto, 0)
    words = struct.unpack('>10H', head + source + target)
    total = sum(words)
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    head = head[:10] + struct.pack('>H', total ^ 0xffff)
    return MACS + b'\x08\x00' + head + source + target + segment


def udp(kind, flow):
    """Two ports tell flows apart."""
    payload = b'.' * 64
    ports = (20000 + flow % 40000, 6000 + flow // 40000)
    if kind == 'back':
        ports = ports[::-1]
    segment = struct.pack('>HHHH', *ports, 8 + len(payload), 0) + payload
    if kind in ('udp6', 'hops'):
        first = 17
        if kind == 'hops':
            # Hop by hop, then a destination's, each of which is only padding.
            segment = bytes((60, 0, 1, 4, 0, 0, 0, 0, 17, 0, 1, 4, 0, 0, 0, 0)) + segment
            first = 0
        head = struct.pack('>IHBB', 6 << 28, len(segment), first, 64)
        return MACS + b'\x86\xdd' + head + OWN6 + PEER6 + segment
    frame = ip_frame(17, segment, *((PEER, OWN) if kind == 'back' else (OWN, PEER)),
                     MORE if kind == 'pieces' else 0)
    return frame[:12] + b'\x81\x00\x00\x05' + frame[12:] if kind == 'tagged' else frame


def tcp(own_port, port, flags, payload=b''):
    """Of one connection."""
    return ip_frame(6, struct.pack('>HHIIBBHHH', own_port, port, 1, 1, 0x50, flags, 1000, 0, 0) +
                    payload)


def frames(kind, first, count, own_port):
    """All of them; None is a second in which nothing comes."""
    if kind in ('udp', 'udp6', 'hops', 'tagged', 'pieces', 'back'):
        for flow in range(first, first + count):
            yield udp(kind, flow)
        return
    if kind in ('pdus', 'others'):
        begins = OTHERS if kind == 'others' else [
            struct.pack('<BBBBI', *pdu).ljust(200, b'\0') for pdu in PDUS]
        for number, begin in enumerate(begins):
            for payload in [begin] + [DATA] * (count - 1):
                yield tcp(41000 + number, first, ACK, payload)
        return
    if kind == 'gre':
        yield from [ip_frame(47, bytes(100))] * count
        return
    if kind != 'data':
        yield tcp(own_port, first, SYN)
        yield None
    for number in range(count):
        icreq = kind == 'nvme' and not number
        yield tcp(own_port, first, ACK, ICREQ if icreq else DATA)


def main():
    """Command line."""
    kind, device = sys.argv[1:3]
    first, count, per_second, *rest = (int(word) for word in sys.argv[3:])
    out = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
    out.bind((device, 0))
    burst = max(1, per_second // 100)
    for number, frame in enumerate(frames(kind, first, count, rest[0] if rest else 40000), 1):
        if frame is None:
            time.sleep(1)
            continue
        out.send(frame)
        if number % burst == 0:
            time.sleep(burst / per_second)
    return 0


if __name__ == '__main__':
    sys.exit(main())
