#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Frames of many flows, as raw packets.

    flows.py udp DEVICE FIRST COUNT PER_SECOND      a frame of each flow
    flows.py udp6 DEVICE FIRST COUNT PER_SECOND     the same of IPv6
    flows.py back DEVICE FIRST COUNT PER_SECOND     of udp, what the peer sends
    flows.py tcp DEVICE PORT COUNT PER_SECOND [OWN_PORT]
        one connection: a SYN, and a second later frames without PDUs
    flows.py nvme DEVICE PORT COUNT PER_SECOND [OWN_PORT]
        the same, and the first frame after the SYN is an ICReq
"""

import socket
import struct
import sys
import time

OWN, PEER = bytes((10, 9, 0, 2)), bytes((10, 9, 0, 1))
OWN6, PEER6 = (bytes.fromhex('fd' + '00' * 14) + bytes((number,)) for number in (2, 1))
MACS = bytes((2, 0, 0, 0, 0, 1)) + bytes((2, 0, 0, 0, 0, 2))
# ICReq: its header, then version, alignment, digests and a maximum.
ICREQ = struct.pack('<BBBBI', 0, 0, 128, 0, 128) + bytes(120)
# Nothing that begins as a PDU does.
DATA = b'\xff' * 1000
SYN, ACK = 0x02, 0x10


def ip_frame(proto, segment, source=OWN, target=PEER):
    """On Ethernet; the sum is the kernel's business where it matters."""
    head = struct.pack('>BBHHHBBH', 0x45, 0, 20 + len(segment), 0, 0, 64, proto, 0)
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
    if kind == 'udp6':
        head = struct.pack('>IHBB', 6 << 28, len(segment), 17, 64)
        return MACS + b'\x86\xdd' + head + OWN6 + PEER6 + segment
    return ip_frame(17, segment, *((PEER, OWN) if kind == 'back' else (OWN, PEER)))


def tcp(own_port, port, flags, payload=b''):
    """Of one connection."""
    return ip_frame(6, struct.pack('>HHIIBBHHH', own_port, port, 1, 1, 0x50, flags, 1000, 0, 0) +
                    payload)


def frames(kind, first, count, own_port):
    """All of them; None is a second in which nothing comes."""
    if kind in ('udp', 'udp6', 'back'):
        for flow in range(first, first + count):
            yield udp(kind, flow)
        return
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
