#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Tells what a day with gears was like, and writes what day.gp draws.

    day.py FOLDER HOUR_NS FRAME_BYTES GEARS POWER LOAD

GEARS and POWER as tc takes them (in mbit and W), LOAD in percent at each hour.
"""

import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'net', 'lib'))
import capture  # noqa: E402

PARTS = 10                  # an hour has so many in the picture
EVENT = re.compile(r' (\d+)\.(\d{6}): ramp_gear: .*from=(\d+) to=(\d+) '
                   r'reason=(\w+)')


def read(path):
    """The text of a file."""
    with open(path, encoding='ascii') as file:
        return file.read()


class Day:
    """What was recorded."""

    def __init__(self, folder, hour):
        path = os.path.join(folder, 'day')
        self.hour = hour
        self.frames = list(capture.frames(path + '.pcap'))
        self.sent = json.loads(read(path + '.sent'))
        self.qdisc = json.loads(read(path + '.qdisc'))[0]
        self.begin = self.sent['first_ns']
        offset = int(read(os.path.join(folder, 'offset')))
        self.moves = []
        for line in read(path + '.trace').splitlines():
            match = EVENT.search(line)
            if match:
                sec, usec, old, new, reason = match.groups()
                time = int(sec) * 10**9 + int(usec) * 1000 + offset
                self.moves.append((time, int(old), int(new), reason))

    def held(self, hours=24):
        """(from, to, gear) in ns since the begin, of the whole day."""
        end = hours * self.hour
        time, gear = 0, self.moves[0][1]
        for moved, _, new, _ in self.moves:
            at = min(max(moved - self.begin, 0), end)
            if at > time:
                yield time, at, gear
            time, gear = at, new
        if end > time:
            yield time, end, gear

    def parts(self, value):
        """The mean of value(gear) in each part of the day."""
        length = self.hour // PARTS
        sums = [0] * (24 * PARTS)
        for begin, end, gear in self.held():
            while begin < end:
                part = begin // length
                stop = min(end, (part + 1) * length)
                sums[part] += (stop - begin) * value(gear)
                begin = stop
        return [total / length for total in sums]

    def egress(self):
        """Mbit/s in each part of the day, as they arrived."""
        length = self.hour // PARTS
        sizes = capture.bins(self.frames, self.begin, length, 24 * PARTS,
                             size=True)
        return [size * 8e3 / length for size in sizes]

    def spent(self, gears):
        """ns in each gear."""
        times = [0] * gears
        for begin, end, gear in self.held():
            times[gear] += end - begin
        return times


def tell(day, rates, power, frame):
    """Prints what happened."""
    verdict = capture.check(day.frames, day.sent['sent'] + day.sent['refused'])
    times = day.spent(len(rates))
    delay = max(got.time - got.sent for got in day.frames)
    taken = sum(time * watts for time, watts in zip(times, power)) / day.hour
    last = 100 * (1 - taken / 24 / power[-1])
    counted = day.qdisc

    print(f'''
A day of a port with gears, in which an hour takes a second: {day.sent['sent']} frames
of {frame} bytes, at most {rates[-1]:g} Mbit/s. Power is that of a pipeline which takes
100 W without gears.

  gear      rate     power   of the day''')
    for gear, (rate, watts, time) in enumerate(zip(rates, power, times)):
        name = '(idle)' if not gear else f'{rate:g} Mbit/s'
        print(f'  {gear:4}{name:>10}{watts:8.2f} W'
              f'{100 * time / (24 * day.hour):10.1f} %')
    print(f'''
  taken in a day          {taken:8.1f} Wh
  without gears           {2400:8.1f} Wh
  saved                   {100 - taken / 24:8.1f} %   ({last:.1f} % of the last gear's)
  changes of gears        {counted['gear_changes']:8d}     ({counted['flaps']} of them flaps)
  lost                    {verdict.lost:8d}
  out of order            {verdict.reordered:8d}
  longest delay           {delay / 1e6:8.1f} ms  (at 10000 times the rate {delay / 1e10:.3f} ms)

The qdisc itself has counted {counted['energy_mj'] / 1e3:.1f} J, with what came before and after,
and {counted['saved_pct']:g} % saved.
''')
    return taken, verdict


def main():
    """Reads, tells, writes."""
    folder, hour, frame = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    rates = [float(word.removesuffix('mbit')) for word in sys.argv[4].split(',')]
    power = [float(word) for word in sys.argv[5].split(',')]
    load = [float(word) for word in sys.argv[6].split()]
    day = Day(folder, hour)

    with open(os.path.join(folder, 'day.dat'), 'w', encoding='ascii') as file:
        rows = zip(day.egress(), day.parts(lambda gear: rates[gear]),
                   day.parts(lambda gear: power[gear]))
        for part, values in enumerate(rows):
            line = ' '.join(f'{value:.3f}' for value in values) + '\n'
            file.write(f'{part / PARTS:.4f} {line}')
        # Where the last part ends.
        file.write(f'24 {line}')
    with open(os.path.join(folder, 'day-load.dat'), 'w',
              encoding='ascii') as file:
        for number, percent in enumerate(load):
            file.write(f'{number} {percent * rates[-1] / 100:.3f}\n')
    with open(os.path.join(folder, 'day-gears.dat'), 'w',
              encoding='ascii') as file:
        for begin, end, gear in day.held():
            file.write(f'{begin / hour:.6f} {gear}\n{end / hour:.6f} {gear}\n')
    taken, verdict = tell(day, rates, power, frame)
    with open(os.path.join(folder, 'day-labels.gp'), 'w',
              encoding='ascii') as file:
        file.write(f'top = {rates[-1]:g}\ngears = {len(rates)}\n'
                   f'saved = {100 - taken / 24:.1f}\ntaken = {taken:.0f}\n'
                   f'lost = {verdict.lost}\n'
                   f'changes = {day.qdisc["gear_changes"]}\n')
    return 0


if __name__ == '__main__':
    sys.exit(main())
