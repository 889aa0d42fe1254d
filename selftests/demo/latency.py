#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""How long frames took: a table, and what latency.gp draws.

    latency.py FOLDER RATES QDISCS

RATES and QDISCS are words. Each phase of the load is a row: its mean and its longest delay.
"""

import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'net', 'lib'))
import capture  # noqa: E402

MS = 1000000
BIN = 50000                 # ns of a step in the plot
# When a phase of the load begins, in ms, and what it is.
PHASES = [(0, '10 %'), (2, 'rise to 90 %'), (5.5, '90 %, after the rise'), (7.9, '10 % again'),
          (10.9, 'burst of 44')]
END = 14


def read(folder, name):
    """Pairs of when a frame was sent since the load began, and its delay, in ns."""
    path = os.path.join(folder, name)
    with open(path + '.sent', encoding='ascii') as file:
        sent = json.load(file)
    frames = list(capture.frames(path + '.pcap'))
    lost = capture.check(frames, sent['sent'] + sent['refused']).lost
    if lost:
        raise SystemExit(f'{name}: {lost} frames were lost')
    return [(frame.sent - sent['first_ns'], frame.time - frame.sent) for frame in frames]


def table(delays, rate, qdiscs):
    """Prints mean and longest delay in us, by phase."""
    print(f'{rate:22}' + ''.join(f'{qdisc:>16}' for qdisc in qdiscs))
    for i, (begin, phase) in enumerate(PHASES):
        end = PHASES[i + 1][0] if i + 1 < len(PHASES) else END
        row = ''
        for qdisc in qdiscs:
            some = [d for t, d in delays[qdisc] if begin * MS <= t < end * MS]
            row += f'{sum(some) / len(some) / 1e3:>8.0f}{max(some) / 1e3:>8.0f}'
        print(f'{phase:22}{row}')


def main():
    """Reads, tells, writes."""
    folder, rates, qdiscs = sys.argv[1], sys.argv[2].split(), sys.argv[3].split()
    print('Delay in us, mean and longest, by phase of the load')
    for rate in rates:
        delays = {qdisc: read(folder, f'{qdisc}-{rate}') for qdisc in qdiscs}
        table(delays, rate, qdiscs)
        for qdisc in qdiscs:
            longest = {}
            for time, delay in delays[qdisc]:
                longest[time // BIN] = max(longest.get(time // BIN, 0), delay)
            with open(os.path.join(folder, f'latency-{qdisc}-{rate}.dat'), 'w',
                      encoding='ascii') as file:
                for index, delay in sorted(longest.items()):
                    print(f'{index * BIN / MS:g} {delay / MS:.4f}', file=file)
    return 0


if __name__ == '__main__':
    sys.exit(main())
