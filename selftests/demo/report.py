#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Tells what the demo recorded, in words, and writes what plot.gp draws.

    report.py FOLDER TICK_NS FRAME_BYTES RAMP_PARAMETERS
"""

import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'net', 'lib'))
import capture  # noqa: E402

BEFORE, AFTER = 5, 45       # ticks that are shown around the load
MS = 1000000


class Act:
    """What was recorded of one load through one qdisc."""

    def __init__(self, folder, name, tick):
        path = os.path.join(folder, name)
        self.frames = list(capture.frames(path + '.pcap'))
        with open(path + '.sent', encoding='ascii') as file:
            self.sent = json.load(file)
        with open(path + '.qdisc', encoding='ascii') as file:
            self.qdisc = next(q for q in json.load(file) if 'parent' in q)
        self.begin = self.sent['first_ns']
        self.end = self.sent['last_ns']
        self.tick = tick
        self.origin = self.begin - BEFORE * tick
        count = (self.end - self.origin) // tick + AFTER
        self.bins = capture.bins(self.frames, self.origin, tick, count,
                                 size=True)

    def rows(self):
        """Time since the load began in ms, and Mbit/s, for each tick."""
        for index, size in enumerate(self.bins):
            time = self.origin + index * self.tick - self.begin
            yield time / MS, size * 8e3 / self.tick

    def steepest(self):
        """The largest changes from tick to tick: (rise, fall) in Mbit/s."""
        rates = [rate for _, rate in self.rows()]
        steps = [b - a for a, b in zip(rates, rates[1:])]
        return max(steps), -min(steps)

    def delays(self):
        """How long the frames took: (mean, largest) in ms."""
        times = [frame.time - frame.sent for frame in self.frames]
        return sum(times) / len(times) / MS, max(times) / MS

    def since(self, time):
        """ms since the load began."""
        return (time - self.begin) / MS


def first_ticks(act, frame, count):
    """Frames in the first ticks that had any."""
    sizes = [size // frame for size in act.bins]
    start = next(i for i, size in enumerate(sizes) if size)
    return ', '.join(str(size) for size in sizes[start:start + count])


def judged(act):
    """What became of the frames that were sent."""
    return capture.check(act.frames, act.sent['sent'] + act.sent['refused'])


def lost(act):
    """How many of them did not arrive."""
    return judged(act).lost


def tell(plain, ramp, frame, parameters):
    """Prints what happened."""
    price = f'a loss of {lost(ramp)}' if lost(ramp) else 'delay, not loss'
    both = (plain, ramp)
    rises = [act.steepest()[0] for act in both]
    falls = [act.steepest()[1] for act in both]
    name, tick = plain.qdisc['kind'], ramp.tick / MS
    load = ramp.since(ramp.end)

    print(f'''
A link of 1 Gbit/s is idle. At 0 ms a source begins to fill it, with frames of
{frame} bytes, and stops {load:.0f} ms later. The box between them has the default qdisc
({name}) on its port, and then the plain line, which names nothing but the speed
    tc qdisc add ... ramp {parameters}

Frames in the first {tick:g} ms, in the {tick:g} ms after that, ...
  {name:10} {first_ticks(plain, frame, 11)} ...
  ramp       {first_ticks(ramp, frame, 11)} ...
''')
    print(f'{"":30}{name:>10}{"ramp":>10}')
    for what, form, values in (
            (f'steepest rise, Mbit/s in {tick:g} ms', '.1f', rises),
            (f'steepest fall, Mbit/s in {tick:g} ms', '.1f', falls),
            ('delay, mean, ms', '.2f', [act.delays()[0] for act in both]),
            ('delay, largest, ms', '.2f', [act.delays()[1] for act in both]),
            ('frames sent', 'd', [act.sent['sent'] for act in both]),
            ('lost', 'd', [lost(act) for act in both]),
            ('out of order', 'd', [judged(act).reordered for act in both])):
        print(f'{what:30}{values[0]:>10{form}}{values[1]:>10{form}}')
    print(f'''
What a box draws follows what it sends: the step up in its current is
{rises[0] / rises[1]:.0f} times smaller. The price is {price}. Down the rate goes as it
likes: who needs that in steps, too, takes a detector (man tc-ramp).
''')


def main():
    """Reads, tells, writes."""
    folder, tick, frame = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    plain = Act(folder, 'default', tick)
    ramp = Act(folder, 'ramp', tick)

    for act, name in ((plain, 'default'), (ramp, 'ramp')):
        with open(os.path.join(folder, name + '.dat'), 'w',
                  encoding='ascii') as file:
            for time, rate in act.rows():
                file.write(f'{time:.4f} {rate:.3f}\n')
    with open(os.path.join(folder, 'labels.gp'), 'w',
              encoding='ascii') as file:
        file.write(f'begin = 0\nend = {ramp.since(ramp.end):.3f}\n'
                   f'tick = {tick / MS:g}\n'
                   f'plain = "{plain.qdisc["kind"]}"\n'
                   f'plain_rise = {plain.steepest()[0]:.1f}\n'
                   f'ramp_rise = {ramp.steepest()[0]:.1f}\n'
                   f'delay = {ramp.delays()[1]:.1f}\n'
                   f'lost = {lost(plain) + lost(ramp)}\n')
    tell(plain, ramp, frame, ' '.join(sys.argv[4].split()))
    return 0


if __name__ == '__main__':
    sys.exit(main())
