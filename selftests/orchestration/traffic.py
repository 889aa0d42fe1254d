#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Traffic of a day, from one host to others, each packet with a number.

    traffic.py send PORT KBIT SECONDS_OF_AN_HOUR HOURS ADDRESS...   KBIT: of each, at 100 %
    traffic.py receive PORT FILE        until SIGTERM; then what came to FILE, as JSON

The sender prints, as JSON, how many packets went to each address in each hour.
"""

import collections
import json
import os
import signal
import socket
import struct
import sys
import time

FRAME = 1250
PAYLOAD = FRAME - 14 - 28
TICK = 0.01
# Percent of the peak at each full hour, and at the end: the day of the demo.
LOAD = (34, 22, 12, 5, 2, 2, 9, 21, 34, 44, 50, 53, 55, 55, 56, 58, 62, 70, 80, 91, 97, 94, 76, 52,
        34)
HEAD = struct.Struct('>IIH')


def load_at(hour):
    """A straight line from hour to hour."""
    whole = int(hour) % 24
    return (LOAD[whole] + (hour % 1) * (LOAD[whole + 1] - LOAD[whole])) / 100


def send(port, kbit, hour_seconds, hours, addresses):
    """Sends until the hours are over."""
    out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    # What is left of it after a loop of some hops is no loss.
    out.setsockopt(socket.IPPROTO_IP, socket.IP_TTL, 255)
    sender = int.from_bytes(os.urandom(4), 'big')
    sent = {address: [0] * hours for address in addresses}
    credit = dict.fromkeys(addresses, 0.0)
    numbers = dict.fromkeys(addresses, 0)
    began = now = time.monotonic()
    while True:
        time.sleep(TICK)
        before, now = now, time.monotonic()
        hour = (now - began) / hour_seconds
        if hour >= hours:
            break
        share = load_at(hour) * kbit * 1000 * (now - before) / (FRAME * 8)
        for address in addresses:
            credit[address] += share
            while credit[address] >= 1:
                credit[address] -= 1
                head = HEAD.pack(sender, numbers[address], int(hour))
                out.sendto(head.ljust(PAYLOAD, b'.'), (address, port))
                numbers[address] += 1
                sent[address][int(hour)] += 1
    print(json.dumps({'sender': sender, 'sent': sent}))


class Stop(Exception):
    """It was told to."""


def stop(*_):
    """Ends a wait, too."""
    raise Stop


def receive(port, path):
    """Counts by sender and hour; a number that came before is a double."""
    inlet = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    inlet.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
    inlet.bind(('', port))
    signal.signal(signal.SIGTERM, stop)
    came = collections.defaultdict(lambda: collections.defaultdict(int))
    seen, doubles = set(), 0
    try:
        while True:
            sender, number, hour = HEAD.unpack_from(inlet.recv(2048))
            if (sender, number) in seen:
                doubles += 1
                continue
            seen.add((sender, number))
            came[sender][hour] += 1
    except Stop:
        pass
    with open(path, 'w', encoding='ascii') as file:
        json.dump({'came': came, 'doubles': doubles}, file)


def main():
    """Command line."""
    if sys.argv[1] == 'send':
        send(int(sys.argv[2]), float(sys.argv[3]), float(sys.argv[4]), int(sys.argv[5]),
             sys.argv[6:])
    else:
        receive(int(sys.argv[2]), sys.argv[3])
    return 0


if __name__ == '__main__':
    sys.exit(main())
