#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""TCP flows, and what the kernel says of them at their end.

    spread_tcp.py serve FLOWS           prints "ready", then one line as JSON when
                                        all flows have ended: segments that came
                                        out of order
    spread_tcp.py send ADDRESS FLOWS SECONDS [--first PORT] [--pausing COUNT
                       --burst BYTES --pause MS]
                                        one line as JSON: segments sent, sent
                                        again, of these needless, bytes that
                                        arrived, and how often the sender found
                                        that the path reorders

Flow N has the source port PORT + N, so that a hash program does the same in each
run. COUNT of them pause after so many bytes, the others send all they can. No clock
is polled: who cannot send waits, which lets virtual time pass.
"""

import argparse
import json
import socket
import struct
import sys
import threading
import time

PORT = 4951
CHUNK = b'\0' * 65536
TCP_INFO_SIZE = 232
# struct tcp_info
TOTAL_RETRANS, BYTES_ACKED, DATA_SEGS_OUT = (100, 'I'), (120, 'Q'), (156, 'I')
DSACK_DUPS, RCV_OOOPACK = (216, 'I'), (224, 'I')


def info(sock, *fields):
    """Returns fields of the kernel's tcp_info."""
    data = sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, TCP_INFO_SIZE)
    return [struct.unpack_from('=' + kind, data, offset)[0]
            for offset, kind in fields]


def receive(sock, results):
    """Reads all of one flow."""
    while sock.recv(1 << 20):
        pass
    results.append(info(sock, RCV_OOOPACK)[0])
    sock.close()


def serve(args):
    """The receiver."""
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(('', PORT))
    listener.listen(args.flows)
    print('ready', flush=True)
    results, threads = [], []
    for _ in range(args.flows):
        sock, _ = listener.accept()
        threads.append(threading.Thread(target=receive, args=(sock, results)))
        threads[-1].start()
    for thread in threads:
        thread.join()
    print(json.dumps({'flows': len(results), 'out_of_order': sum(results)}))


def reorderings():
    """What TCP of this namespace counted when segments overtook others."""
    with open('/proc/net/netstat', encoding='ascii') as file:
        lines = [line.split() for line in file]
    count = {}
    for names, values in zip(lines[::2], lines[1::2]):
        if names[0] == 'TcpExt:':
            count = dict(zip(names[1:], map(int, values[1:])))
    return count['TCPSACKReorder'] + count['TCPTSReorder']


def transmit(sock, pausing, args, results):
    """Sends one flow, and waits until all of it has arrived."""
    end = time.monotonic() + args.seconds
    while time.monotonic() < end:
        if pausing:
            sock.sendall(CHUNK[:args.burst])
            time.sleep(args.pause / 1000)
        else:
            sock.sendall(CHUNK)
    sock.shutdown(socket.SHUT_WR)
    # Its end comes when the receiver has read all.
    sock.recv(1)
    results.append(info(sock, DATA_SEGS_OUT, TOTAL_RETRANS, DSACK_DUPS,
                        BYTES_ACKED))
    sock.close()


def send(args):
    """The sender."""
    results, threads = [], []
    for number in range(args.flows):
        sock = socket.socket()
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind(('', args.first + number))
        sock.settimeout(args.seconds + 30)
        sock.connect((args.address, PORT))
        threads.append(threading.Thread(target=transmit,
                                        args=(sock, number < args.pausing,
                                              args, results)))
    before = reorderings()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sums = [sum(column) for column in zip(*results)]
    print(json.dumps(dict(zip(('sent', 'again', 'needless', 'bytes'), sums),
                          reorderings=reorderings() - before,
                          flows=len(results))))


def main():
    """Does what was asked."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest='command', required=True)
    sub = commands.add_parser('serve')
    sub.add_argument('flows', type=int)
    sub = commands.add_parser('send')
    sub.add_argument('address')
    sub.add_argument('flows', type=int)
    sub.add_argument('seconds', type=float)
    sub.add_argument('--first', type=int, default=40000)
    sub.add_argument('--pausing', type=int, default=0)
    sub.add_argument('--burst', type=int, default=30000)
    sub.add_argument('--pause', type=float, default=100)
    args = parser.parse_args()
    (serve if args.command == 'serve' else send)(args)
    return 0


if __name__ == '__main__':
    sys.exit(main())
