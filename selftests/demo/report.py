#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Tells what the demo recorded, in words, and writes what plot.gp draws.

    report.py FOLDER TICK_NS FRAME_BYTES RAMP_PARAMETERS
"""

import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'net', 'lib'))
import capture  # noqa: E402

BEFORE, AFTER = 10, 45      # ticks that are shown around the load
MS = 1000000
EVENT = re.compile(r' (\d+)\.(\d{6}): (ramp_\w+): (.*)')


class Act:
    """What was recorded of one load through one qdisc."""

    def __init__(self, folder, name, tick):
        path = os.path.join(folder, name)
        self.frames = list(capture.frames(path + '.pcap'))
        with open(path + '.sent', encoding='ascii') as file:
            self.sent = json.load(file)
        with open(path + '.qdisc', encoding='ascii') as file:
            self.qdisc = next(q for q in json.load(file) if 'parent' in q)
        with open(os.path.join(folder, 'offset'), encoding='ascii') as file:
            offset = int(file.read())
        self.events = []
        with open(path + '.trace', encoding='ascii') as file:
            for line in file:
                match = EVENT.search(line)
                if match:
                    sec, usec, kind, rest = match.groups()
                    time = int(sec) * 10**9 + int(usec) * 1000 + offset
                    fields = dict(word.split('=', 1) for word in rest.split()
                                  if '=' in word)
                    self.events.append((time, kind, fields))
        self.begin = self.sent['first_ns']
        self.end = self.sent['last_ns']
        self.tick = tick
        # Ticks of the ramp and of the picture are the same ones.
        self.origin = self.begin
        surges = self.surges('up')
        if surges:
            self.origin = surges[0] - (surges[0] - self.begin) // tick * tick
            if self.origin > self.begin:
                self.origin -= tick
        self.origin -= BEFORE * tick
        count = (self.end - self.origin) // tick + AFTER
        self.bins = capture.bins(self.frames, self.origin, tick, count,
                                 size=True)

    def surges(self, way):
        """Times of the surges that began a ramp this way."""
        return [time for time, kind, fields in self.events
                if kind == 'ramp_surge' and fields['dir'] == way and
                fields['act'] in ('ramp', 'turn')]

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


def first_ticks(act, frame, count=6):
    """Frames in the first ticks that had any."""
    sizes = [size // frame for size in act.bins]
    start = next(i for i, size in enumerate(sizes) if size)
    return ', '.join(str(size) for size in sizes[start:start + count])


def passed_unseen(ramp):
    """The frames that were sent before the surge was seen."""
    up = ramp.surges('up')[0]
    return [frame for frame in ramp.frames if frame.sent <= up]


def judged(act):
    """What became of the frames that were sent."""
    return capture.check(act.frames, act.sent['sent'] + act.sent['refused'])


def lost(act):
    """How many of them did not arrive."""
    return judged(act).lost


def tell(plain, ramp, frame, parameters):
    """Prints what happened."""
    up, down = ramp.surges('up')[0], ramp.surges('down')[0]
    ticks = [fields for _, kind, fields in ramp.events if kind == 'ramp_tick']
    ups = sum(fields['dir'] == 'up' for fields in ticks)
    downs = sum(fields['dir'] == 'down' and fields['over'] != '0'
                for fields in ticks)
    over = sum(int(f['used']) > int(f['allowance']) - int(f['paid'])
               for f in ticks)
    seen = len(passed_unseen(ramp))
    waiting = next(int(fields['queued']) for time, kind, fields in ramp.events
                   if kind == 'ramp_surge' and time == down)
    price = f'a loss of {lost(ramp)}' if lost(ramp) else 'delay, not loss'
    both = (plain, ramp)
    rises = [act.steepest()[0] for act in both]
    falls = [act.steepest()[1] for act in both]

    name, tick = plain.qdisc['kind'], ramp.tick / MS
    load = ramp.since(ramp.end)

    print(f'''
A link of 100 Mbit/s is idle. At 0 ms a source begins to fill it, with frames of
{frame} bytes, and stops {load:.0f} ms later. The box between them has the default qdisc
({name}) on its port, and then
    ramp {parameters}

The way up
  seen       {ramp.since(up):6.2f} ms after the load began, by its first {seen} frames
  ticks      {ups:3d} of {tick:g} ms until the full rate
  frames in the first ticks
  {name:10} {first_ticks(plain, frame)} ...
  ramp       {first_ticks(ramp, frame)} ...
The way down
  seen       {ramp.since(down) - load:6.2f} ms after the load ended, with {waiting} frames waiting
  ticks      {downs:3d} until the last of them had left
''')
    print(f'{"":30}{name:>10}{"ramp":>10}')
    for what, form, values in (
            ('steepest rise, Mbit/s a tick', '.1f', rises),
            ('steepest fall, Mbit/s a tick', '.1f', falls),
            ('delay, mean, ms', '.2f', [act.delays()[0] for act in both]),
            ('delay, largest, ms', '.2f', [act.delays()[1] for act in both]),
            ('frames sent', 'd', [act.sent['sent'] for act in both]),
            ('lost', 'd', [lost(act) for act in both]),
            ('out of order', 'd', [judged(act).reordered for act in both])):
        print(f'{what:30}{values[0]:>10{form}}{values[1]:>10{form}}')
    print(f'''
In {len(ticks)} ticks ramp let more pass than the tick allowed in {over} of them.
What a box draws follows what it sends: the step in its current is {rises[0] / rises[1]:.0f} times
smaller on the way up, and {falls[0] / falls[1]:.0f} times on the way down. The price is {price}.
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
                   f'up = {ramp.since(ramp.surges("up")[0]):.3f}\n'
                   f'down = {ramp.since(ramp.surges("down")[0]):.3f}\n'
                   f'tick = {tick / MS:g}\n'
                   f'plain = "{plain.qdisc["kind"]}"\n'
                   f'passed = {len(passed_unseen(ramp))}\n'
                   f'plain_rise = {plain.steepest()[0]:.1f}\n'
                   f'ramp_rise = {ramp.steepest()[0]:.1f}\n'
                   f'plain_fall = {plain.steepest()[1]:.1f}\n'
                   f'ramp_fall = {ramp.steepest()[1]:.1f}\n'
                   f'delay = {ramp.delays()[1]:.1f}\n'
                   f'lost = {lost(plain) + lost(ramp)}\n')
    tell(plain, ramp, frame, ' '.join(sys.argv[4].split()))
    return 0


if __name__ == '__main__':
    sys.exit(main())
