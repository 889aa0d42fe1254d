#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Judges the ticks of one up ramp whose timer came late, by the tracepoint
ramp:ramp_tick.

    func_late.py START STEP FULL LARGEST_PACKET <TRACE

Tick k allows START + k * STEP, at most FULL (0: no bound), however late it begins:
what ticks before it did not use is lost. All are in the unit of the ramp,
LARGEST_PACKET is in bytes.

Prints a JSON object: ticks, how many of them passed unseen (late), the most that
passed at once (longest), ticks after such a gap in which something left (resumed),
and those that are wrong.
"""

import json
import sys

from func_tick import TICK, judge


def allowed(index, start, step, full):
    """What the description says, and nothing else."""
    allowance = start + index * step
    return min(allowance, full) if full else allowance


def main():
    """Reads the trace from stdin."""
    start, step, full, largest = (int(word) for word in sys.argv[1:5])
    result = {'ticks': 0, 'late': 0, 'longest': 0, 'resumed': 0, 'wrong': 0,
              'examples': []}
    due, gap = 0, False

    for line in sys.stdin:
        match = TICK.search(line.rstrip())
        if not match:
            continue
        index, over, used = (int(match[key]) for key in ('index', 'over', 'used'))
        if (index != due or judge(match, largest, False) == 'wrong' or
                int(match['allowance']) != allowed(index, start, step, full)):
            result['wrong'] += 1
            result['examples'].append(match[0])
        result['ticks'] += 1
        result['late'] += over - 1
        result['longest'] = max(result['longest'], over - 1)
        result['resumed'] += gap and used > 0
        due, gap = index + over, over > 1
    del result['examples'][3:]
    print(json.dumps(result))
    return 0


if __name__ == '__main__':
    sys.exit(main())
