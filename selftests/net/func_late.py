#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Judges the ticks of one up ramp whose timer came late, by the tracepoint
ramp:ramp_tick.

    func_late.py START STEP FULL LARGEST_PACKET <TRACE

Tick k allows START + k * STEP, at most FULL (0: no bound), however late it begins:
what ticks before it did not use is lost. When packets wait at its end, it climbs on.
Those that are not seen, and not late, pay for a packet larger than an allowance, and
for nothing else. All are in the unit of the ramp, LARGEST_PACKET is in bytes. A
marker "hold" says that softirqs are kept off for 90 ms from here on.

Prints a JSON object: ticks, how many of them passed unseen (late), the most that
passed at once (longest), ticks after such a gap in which something left (resumed),
holds after which the ramp still had packets (held), and ticks that are wrong.
"""

import json
import re
import sys

from func_tick import TICK, judge

# Seconds, and what happened.
WHEN = re.compile(r' (\d+\.\d+): (ramp_tick|tracing_mark_write): ')
HOLD = 0.09


def allowed(index, start, step, full):
    """What the description says, and nothing else."""
    allowance = start + index * step
    return min(allowance, full) if full else allowance


def main():
    """Reads the trace from stdin."""
    start, step, full, largest = (int(word) for word in sys.argv[1:5])
    result = {'ticks': 0, 'late': 0, 'longest': 0, 'resumed': 0, 'held': 0,
              'wrong': 0, 'examples': []}
    due, gap, owed, holds = 0, False, 0, []

    for line in sys.stdin:
        when = WHEN.search(line)
        match = TICK.search(line.rstrip())
        if when and not match:
            holds.append(float(when[1]) + HOLD)
        if not match:
            continue
        index, paid, over, late, used = (
            int(match[key]) for key in ('index', 'paid', 'over', 'late', 'used'))
        # The ramp is over, and climbs on from its last tick with what waits.
        if index < due:
            base = int(match['allowance']) - index * step
            result['wrong'] += base > allowed(due - 1, start, step, full)
            start, full, due = base, 0, index
        allowance = allowed(index, start, step, full)
        owed += max(used - (allowance - paid), 0) - paid
        unseen = [allowed(n, start, step, full)
                  for n in range(index + 1, index + over)]
        if (index != due or judge(match, largest, False) == 'wrong' or
                int(match['allowance']) != allowance or owed < 0 or
                sum(unseen[:over - 1 - late]) > owed):
            result['wrong'] += 1
            result['examples'].append(match[0])
        owed -= min(owed, sum(unseen))
        result['ticks'] += 1
        result['late'] += late
        result['longest'] = max(result['longest'], late)
        result['resumed'] += gap and used > 0
        due, gap = index + over, late > 0
        while used and holds and holds[0] <= float(when[1]):
            result['held'] += 1
            holds.pop(0)
    del result['examples'][3:]
    print(json.dumps(result))
    return 0


if __name__ == '__main__':
    sys.exit(main())
