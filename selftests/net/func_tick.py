#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Judges ticks by the tracepoint ramp:ramp_tick.

    func_tick.py [--peeked] LARGEST_PACKET <TRACE

No tick may let more leave than it allowed, less what it paid for larger packets
of ticks before. Two excesses are the law's own: a packet larger than all that a
tick allows goes whole, and a parent that had been shown a packet (--peeked) gets
it, one per tick. LARGEST_PACKET is in bytes.

Prints a JSON object: ticks, those whose whole allowance was used, those with an
excess of each kind, and those that are wrong.
"""

import json
import re
import sys

TICK = re.compile(
    r'ramp_tick: ifindex=(?P<ifindex>\d+) handle=(?P<handle>[0-9a-f]+): '
    r'dir=(?P<dir>up|down) index=(?P<index>\d+) allowance=(?P<allowance>\d+) '
    r'paid=(?P<paid>\d+) used=(?P<used>\d+) over=(?P<over>\d+) '
    r'late=(?P<late>\d+) '
    r'unit=(?P<unit>packets|bytes)$')


def judge(tick, largest, peeked):
    """Returns 'free', 'full', 'large', 'peeked' or 'wrong'."""
    allowance, used = int(tick['allowance']), int(tick['used'])
    room = allowance - int(tick['paid'])
    if tick['unit'] == 'packets':
        largest = 1
    excess = used - room

    if room < 0:
        return 'wrong'
    if excess <= 0:
        return 'full' if used and room - used < largest else 'free'
    # It went with the last of the room, so less than itself is in excess.
    if largest > allowance and room > 0 and excess < largest:
        return 'large'
    if peeked and excess <= largest:
        return 'peeked'
    return 'wrong'


def main():
    """Reads the trace from stdin."""
    peeked = '--peeked' in sys.argv[1:]
    largest = int(sys.argv[-1])
    result = {'ticks': 0, 'over': 0, 'up': 0, 'down': 0, 'free': 0, 'full': 0,
              'large': 0, 'peeked': 0, 'wrong': 0, 'lost': 0, 'examples': []}

    for line in sys.stdin:
        if 'LOST' in line:
            result['lost'] += 1
        # The last tick of what a qdisc was told before may end with its first packet.
        if ' ramp_tick: ' not in line or ' dir=always ' in line:
            continue
        match = TICK.search(line.rstrip())
        if not match:
            print('not understood: ' + line.strip(), file=sys.stderr)
            return 1
        kind = judge(match, largest, peeked)
        result['ticks'] += 1
        result['over'] += int(match['over'])
        result[match['dir']] += 1
        result[kind] += 1
        if kind == 'wrong' and len(result['examples']) < 3:
            result['examples'].append(match[0])
    print(json.dumps(result))
    return 0


if __name__ == '__main__':
    sys.exit(main())
