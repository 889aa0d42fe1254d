#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Large packets that are segmented on their way.

    func_gso.py send ADDRESS PORT COUNT [--first N] [--priority N] [--gap SECONDS]
                     [--segments N]
    func_gso.py receive FOLDER PORT...
    func_gso.py tcp-send ADDRESS PORT BYTES
    func_gso.py tcp-receive FOLDER PORT
    func_gso.py frames FILE MSS
    func_gso.py guest DEVICE COUNT SEGMENTS [--tap] [--size N] [--offset N]

send hands over COUNT large packets, number N (0) and so on, of N (40) datagrams of
SIZE bytes each, which are numbered, too; prints how many were sent and refused.
receive makes FOLDER/ready when it listens, and counts datagrams by port until
FOLDER/enough exists and nothing came for a moment; prints for each port how many
came, how many of them twice, and how many after a later one. The tcp ones send a
stream, and print what it was (SHA-256). frames looks at a pcap with TCP over IPv4: its
segments of MSS bytes, their bytes on the wire, and those of the longest packet. guest
sends large TCP packets as a virtual machine does, out of DEVICE, or into the host at a
tap: how many segments of N (1000) bytes they are, the host has to count. With an offset
below 5, their TCP headers are no headers.
"""

import argparse
import fcntl
import hashlib
import json
import os
import random
import select
import socket
import struct
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), 'lib'))
from capture import records  # noqa: E402

SEGMENTS, SIZE = 40, 1000
UDP_SEGMENT = 103
SOL_PACKET, PACKET_VNET_HDR = 263, 15
IP_RECVERR = 11
TUNSETIFF = 0x400454ca
SO_RCVBUFFORCE, SO_SNDBUFFORCE = 33, 32
BUFFER = 64 << 20
QUIET = 1


def send(args):
    """Numbers every datagram."""
    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sock.setsockopt(socket.SOL_SOCKET, SO_SNDBUFFORCE, BUFFER)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_PRIORITY, args.priority)
    # Or nobody is told that a qdisc refused.
    sock.setsockopt(socket.IPPROTO_IP, IP_RECVERR, 1)
    sock.setsockopt(socket.IPPROTO_UDP, UDP_SEGMENT, SIZE)
    sock.connect((args.address, args.port))
    sent = refused = 0
    for number in range(args.first, args.first + args.count):
        first = number * args.segments
        data = b''.join(struct.pack('!Q', first + i).ljust(SIZE, b'x')
                        for i in range(args.segments))
        try:
            sock.send(data)
            sent += 1
        except OSError as error:
            if error.errno != 105:  # ENOBUFS
                raise
            refused += 1
        if args.gap:
            time.sleep(args.gap)
    print(json.dumps({'sent': sent, 'refused': refused}))


def receive(args):
    """All ports together: what is left unread would be lost."""
    socks = {}
    found = {}
    last = {}
    seen = {}
    for port in args.port:
        sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        sock.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, BUFFER)
        sock.bind(('0.0.0.0', port))
        sock.setblocking(False)
        socks[sock] = port
        found[port] = {'received': 0, 'doubled': 0, 'reordered': 0}
        last[port], seen[port] = -1, set()
    with open(args.folder + '/ready', 'w', encoding='ascii'):
        pass
    while True:
        ready, _, _ = select.select(list(socks), [], [], QUIET)
        if not ready and os.path.exists(args.folder + '/enough'):
            break
        for sock in ready:
            port = socks[sock]
            while True:
                try:
                    data = sock.recv(65536)
                except BlockingIOError:
                    break
                number = struct.unpack_from('!Q', data)[0]
                found[port]['received'] += 1
                found[port]['doubled'] += number in seen[port]
                found[port]['reordered'] += number < last[port]
                seen[port].add(number)
                last[port] = max(last[port], number)
    print(json.dumps(found))


def guest_sender(args):
    """What takes a frame behind a virtio_net_hdr."""
    if args.tap:
        tap = os.open('/dev/net/tun', os.O_RDWR)
        # IFF_TAP | IFF_NO_PI | IFF_VNET_HDR
        fcntl.ioctl(tap, TUNSETIFF, struct.pack('16sH22x', args.device.encode(), 0x5002))
        return lambda frame: os.write(tap, frame)
    sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
    sock.setsockopt(SOL_PACKET, PACKET_VNET_HDR, 1)
    sock.bind((args.device, 0))
    return sock.send


def guest(args):
    """With a virtio_net_hdr, from which the kernel takes all but the count."""
    headers = 14 + 20 + 20
    send_frame = guest_sender(args)
    # VIRTIO_NET_HDR_F_NEEDS_CSUM, VIRTIO_NET_HDR_GSO_TCPV4
    head = struct.pack('=BBHHHH', 1, 1, headers, args.size, 14 + 20, 16)
    total = headers - 14 + args.segments * args.size
    ether = b'\x02\0\0\0\0\2' + b'\x02\0\0\0\0\1' + b'\x08\0'
    network = struct.pack('!BBHHHBBH4s4s', 0x45, 0, total, 0, 0x4000, 64, 6, 0,
                          socket.inet_aton('10.0.0.1'), socket.inet_aton('10.0.0.9'))
    transport = struct.pack('!HHIIBBHHH', 40000, 80, 1, 1, args.offset << 4, 0x10, 1000,
                            0, 0)
    frame = head + ether + network + transport + bytes(args.segments * args.size)
    for _ in range(args.count):
        try:
            send_frame(frame)
        except OSError as error:
            if error.errno != 105:  # ENOBUFS: it was dropped
                raise


def tcp_send(args):
    """Random bytes, which nothing can make up."""
    with socket.create_connection((args.address, args.port), 20) as sock:
        block = random.Random(1).randbytes(1 << 16)
        digest = hashlib.sha256()
        for number in range(args.bytes >> 16):
            data = struct.pack('!Q', number) + block[8:]
            digest.update(data)
            sock.sendall(data)
    print(digest.hexdigest())


def tcp_receive(args):
    """Until the other side closes."""
    with socket.create_server(('0.0.0.0', args.port)) as server:
        with open(args.folder + '/ready', 'w', encoding='ascii'):
            pass
        server.settimeout(60)
        sock, _ = server.accept()
        digest = hashlib.sha256()
        while True:
            data = sock.recv(1 << 20)
            if not data:
                break
            digest.update(data)
    print(digest.hexdigest())


def frames(args):
    """What is no TCP is one segment."""
    found = {'segments': 0, 'bytes': 0, 'longest': 0}
    for _, length, data in records(args.file):
        headers, segments = length, 1
        if data[12:14] == b'\x08\x00' and data[23] == socket.IPPROTO_TCP:
            tcp = 14 + (data[14] & 15) * 4
            headers = tcp + (data[tcp + 12] >> 4) * 4
            segments = max(1, -(-(length - headers) // args.mss))
        size = length + (segments - 1) * headers
        found['segments'] += segments
        found['bytes'] += size
        found['longest'] = max(found['longest'], size)
    print(json.dumps(found))


def main():
    """Command line."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest='command', required=True)
    sub = commands.add_parser('send')
    sub.set_defaults(run=send)
    sub.add_argument('address')
    sub.add_argument('port', type=int)
    sub.add_argument('count', type=int)
    sub.add_argument('--priority', type=lambda text: int(text, 0), default=0)
    sub.add_argument('--first', type=int, default=0)
    sub.add_argument('--gap', type=float, default=0)
    sub.add_argument('--segments', type=int, default=SEGMENTS)
    sub = commands.add_parser('receive')
    sub.set_defaults(run=receive)
    sub.add_argument('folder')
    sub.add_argument('port', type=int, nargs='+')
    sub = commands.add_parser('tcp-send')
    sub.set_defaults(run=tcp_send)
    sub.add_argument('address')
    sub.add_argument('port', type=int)
    sub.add_argument('bytes', type=int)
    sub = commands.add_parser('tcp-receive')
    sub.set_defaults(run=tcp_receive)
    sub.add_argument('folder')
    sub.add_argument('port', type=int)
    sub = commands.add_parser('guest')
    sub.add_argument('device')
    sub.add_argument('count', type=int)
    sub.add_argument('segments', type=int)
    sub.add_argument('--tap', action='store_true')
    sub.add_argument('--size', type=int, default=SIZE)
    sub.add_argument('--offset', type=int, default=5)
    sub.set_defaults(run=guest)
    sub = commands.add_parser('frames')
    sub.set_defaults(run=frames)
    sub.add_argument('file')
    sub.add_argument('mss', type=int)
    args = parser.parse_args()
    args.run(args)
    return 0


if __name__ == '__main__':
    sys.exit(main())
