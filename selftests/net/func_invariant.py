#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Reads a ramp's counters many times, at random moments, and checks each reading.

    func_invariant.py DEV SAMPLES [STOPFILE]

Takes at least SAMPLES readings, and goes on until STOPFILE exists. Every reading
is one netlink message, whose counters were taken together; starting tc for each
would be slow. Prints a JSON object: how many readings, in how many packets were
waiting, in how many something had moved since the one before, and the readings
that contradict enqueued = dequeued + dropped + queued.
"""

import json
import os
import random
import socket
import struct
import sys
import time

NLMSG_ERROR, NLMSG_DONE = 2, 3
NLM_F_REQUEST, NLM_F_DUMP = 0x1, 0x300
RTM_GETQDISC = 38
TCA_KIND, TCA_STATS2 = 1, 7
TCA_STATS_APP = 4
NLMSG = struct.Struct('=IHHII')
TCMSG = struct.Struct('=BxxxiIII')
# The head of struct tc_ramp_xstats, whose layout only grows at its end.
XSTATS = struct.Struct('=IIQQQQQ')
NAMES = ('state', 'allowance_unit', 'allowance', 'enqueued', 'dequeued',
         'dropped', 'queued')


def attributes(data):
    """Yields type and payload of each netlink attribute in data."""
    while len(data) >= 4:
        length, kind = struct.unpack_from('=HH', data)
        if length < 4:
            return
        yield kind & 0x3fff, data[4:length]
        data = data[(length + 3) & ~3:]


def messages(sock):
    """Yields type and payload of each message until the end of a dump."""
    while True:
        data = sock.recv(65536)
        while len(data) >= NLMSG.size:
            length, kind, _, _, _ = NLMSG.unpack_from(data)
            if kind == NLMSG_DONE:
                return
            if kind == NLMSG_ERROR:
                raise OSError(-struct.unpack_from('=i', data, NLMSG.size)[0],
                              'netlink')
            yield kind, data[NLMSG.size:length]
            data = data[(length + 3) & ~3:]


def read_counters(sock, ifindex):
    """Returns the counters of the device's ramp, or None if it has none."""
    body = TCMSG.pack(socket.AF_UNSPEC, ifindex, 0, 0, 0)
    sock.send(NLMSG.pack(NLMSG.size + len(body), RTM_GETQDISC,
                         NLM_F_REQUEST | NLM_F_DUMP, 0, 0) + body)
    found = None
    for _, payload in messages(sock):
        if TCMSG.unpack_from(payload)[1] != ifindex:
            continue
        tca = dict(attributes(payload[TCMSG.size:]))
        if tca.get(TCA_KIND) != b'ramp\0':
            continue
        app = dict(attributes(tca[TCA_STATS2]))[TCA_STATS_APP]
        found = dict(zip(NAMES, XSTATS.unpack_from(app)))
    return found


def main():
    """Samples and judges."""
    device, samples = sys.argv[1], int(sys.argv[2])
    stop = sys.argv[3] if len(sys.argv) > 3 else None
    ifindex = socket.if_nametoindex(device)
    sock = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)
    sock.bind((0, 0))
    random.seed(1)

    result = {'samples': 0, 'waiting': 0, 'moved': 0, 'queued_max': 0,
              'bad': 0, 'examples': []}
    last = None
    while result['samples'] < samples or (stop and not os.path.exists(stop)):
        # A moment that nothing else knows of. Asleep, since polling the clock
        # would stop the time where work costs none.
        time.sleep(random.uniform(0.00005, 0.002))
        now = read_counters(sock, ifindex)
        if now is None:
            print('no ramp on ' + device, file=sys.stderr)
            return 1
        result['samples'] += 1
        result['waiting'] += now['queued'] > 0
        result['moved'] += last is not None and (
            now['enqueued'], now['dequeued']) != (
            last['enqueued'], last['dequeued'])
        result['queued_max'] = max(result['queued_max'], now['queued'])
        if now['enqueued'] != now['dequeued'] + now['dropped'] + now['queued']:
            result['bad'] += 1
            if len(result['examples']) < 3:
                result['examples'].append(now)
        last = now
    print(json.dumps(result))
    return 0


if __name__ == '__main__':
    sys.exit(main())
