#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Ramps that obey, and that the core refuses when they are made.

    obey_gone.py send DEV           sends a code, again and again, until it is killed
    obey_gone.py fail DEV FILE MS   lets who hears the next code be slow (module
                                    ramp_hold), and makes ramps, each of which is
                                    refused, until one was heard; prints as JSON
                                    whether one was, how many were made, and the ms
                                    that the slowest took
"""

import json
import socket
import struct
import sys
import time

from codes import whole
from netlink import TCA_OPTIONS, Tc, attr, nest, u32

TCA_RATE = 5
TCA_RAMP_OBEY = 36
TRIES = 30


def send(iface):
    """The code of one sender; who hears it for the first time has to look."""
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as sock:
        sock.bind((iface, 0))
        frame = whole({'codes': [[0, 5000]]}, sock.getsockname()[4])
        while True:
            sock.send(frame)


def refused(iface, hold, held_ms):
    """Makes ramps with an estimator that there cannot be."""
    link = Tc(socket.if_nametoindex(iface))
    wrong = nest(TCA_OPTIONS, u32(TCA_RAMP_OBEY, 1)) + \
        attr(TCA_RATE, struct.pack('bB', 100, 1))
    made, longest, after = 0, 0, None
    with open(hold, 'w', encoding='ascii') as file:
        file.write(held_ms)
    end = time.monotonic() + TRIES
    while time.monotonic() < end:
        begin = time.monotonic()
        made += not link.add(wrong)[0]
        now = time.monotonic()
        longest = max(longest, now - begin)
        if after is None:
            with open(hold, encoding='ascii') as file:
                if int(file.read()) == 0:
                    after, end = now, now + 1
    print(json.dumps({'held': after is not None, 'made': made,
                      'longest': int(longest * 1000)}))


if __name__ == '__main__':
    if sys.argv[1] == 'send':
        send(sys.argv[2])
    else:
        refused(*sys.argv[2:])
