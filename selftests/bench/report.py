#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""What the benches measured: one file of rows, tables, and data for the picture.

    report.py collect FOLDER        writes bench.json, bench.txt and data/ into it
    report.py compare OLD NEW [PERCENT]

Rows are described in Documentation/bench.rst. To compare two files is to compare
what does not depend on the machine: instructions, and ratios within a run. Something
is worse when its median is, by more than PERCENT (2 unless said otherwise), and the
middle halves of the rounds do not overlap. Ends with 1 when something is.
"""

import glob
import json
import os
import re
import subprocess
import sys
import time

SCHEMA = 1
PERCENT = 2.0
PORTS = re.compile(r'([a-z]+)([0-9]+)$')
# What the test of the costs of teams calls its contestants.
TEAMS = {'random': 'random', 'spread': 'spread-frame', 'flow': 'spread-flowlet',
         'hash': 'loadbalance'}
# Of these less is better, of all others more.
COSTS = ('instructions', 'ns')


def lines(path):
    """The objects in a file that has one in a line."""
    with open(path, encoding='utf-8') as file:
        return [json.loads(line) for line in file if line.strip()]


def row(part, name, unit, value, **more):
    """A row, with all of its keys."""
    made = {'part': part, 'name': name, 'x': None, 'to': None, 'cpus': 1,
            'unit': unit, 'value': value, 'low': None, 'high': None,
            'rounds': None}
    made.update(more)
    return made


def converted(part, entries):
    """Rows of what the tests of costs hand back, which have a form of their own."""
    for e in entries:
        if part == 'instructions':
            yield row(part, e['name'], 'instructions', e['total'])
        elif part == 'ports':
            name, ports = PORTS.match(e['name']).groups()
            yield row(part, TEAMS[name], 'instructions', e['total'],
                      x=int(ports))
        elif part == 'rail':
            where = 'queues' if e['name'].endswith('-mq') else 'devices'
            yield row(part, where, 'ratio', e['ratio'], to='no rail', cpus=2,
                      low=e['low'], high=e['high'])
        else:
            yield row(e['part'], e['name'], e['unit'], e['value'],
                      **{key: e[key] for key in
                         ('x', 'to', 'cpus', 'low', 'high', 'rounds')
                         if key in e})


def behaviour(path):
    """What the tests of behaviour printed: (test, text)."""
    test = name = ''
    with open(path, encoding='utf-8') as file:
        for line in file:
            if line.startswith('# test '):
                test = line.split()[2]
            elif line.startswith(('ok ', 'not ok ')):
                name = line.split(' - ', 1)[-1].rstrip()
            elif line.startswith('# '):
                text = line[2:].rstrip()
                # What within() and holds() measured is nothing without its name.
                if re.match(r'-?[0-9.]+(,| [<>=!]+) ', text):
                    text = f'{name}: {text}'
                yield {'test': test, 'text': text}


def tree():
    """Which commit was measured, if there is one."""
    done = subprocess.run(['git', 'describe', '--always', '--dirty'],
                          capture_output=True, text=True, check=False)
    return done.stdout.strip() or None


def number(value):
    """As short as it may be."""
    if value >= 10000:
        return f'{value:,.0f}'.replace(',', ' ')
    return f'{value:.3f}' if value < 10 else f'{value:.1f}'


def span(r):
    """The middle half of the rounds."""
    if r['low'] is None:
        return ''
    return f"{number(r['low'])} .. {number(r['high'])}"


class Report:
    """All rows of a run, and how they are shown."""

    def __init__(self, rows, said):
        self.rows = rows
        self.said = said
        self.text = []

    def of(self, **want):
        """Rows with these values."""
        return [r for r in self.rows
                if all(r[key] == value for key, value in want.items())]

    def one(self, **want):
        """The only such row, or None."""
        found = self.of(**want)
        return found[0] if found else None

    def say(self, text=''):
        """Another line."""
        self.text.append(text)

    def table(self, title, head, body):
        """Aligned, the first column to the left."""
        if not body:
            return
        widths = [max(len(str(line[i])) for line in [head] + body)
                  for i in range(len(head))]
        self.say(title)
        self.say()
        for line in [head] + body:
            self.say('  ' + '  '.join(
                str(cell).ljust(width) if i == 0 else str(cell).rjust(width)
                for i, (cell, width) in enumerate(zip(line, widths))).rstrip())
        self.say()

    def instructions(self):
        """Of each qdisc, beside the two FIFOs."""
        rows = self.of(part='instructions')
        base = {name: self.one(part='instructions', name=name)
                for name in ('pfifo', 'fiforef')}
        if not all(base.values()):
            return
        self.table('Instructions per packet (generator and device included)',
                   ['qdisc', 'total', 'to pfifo', 'to fiforef'],
                   [[r['name'], number(r['value'])] +
                    [f"{r['value'] - base[name]['value']:+.0f}"
                     for name in base] for r in rows])

    def speeds(self, part, title, unit='packets/s'):
        """Packets per second by one CPU and by two, and the ratios."""
        body = []
        for r in self.of(part=part, cpus=1, unit=unit, to=None):
            two = self.one(part=part, cpus=2, unit=unit, to=None,
                           name=r['name'])
            body.append([r['name'], number(r['value']), span(r),
                         number(two['value']) if two else '',
                         span(two) if two else ''])
        for r in self.of(part=part, cpus=2, unit=unit, to=None):
            if not self.one(part=part, cpus=1, unit=unit, to=None,
                            name=r['name']):
                body.append([r['name'], '', '', number(r['value']), span(r)])
        self.table(title, ['', '1 CPU', 'middle half', '2 CPUs',
                           'middle half'], body)
        self.table(f'{title}: ratios', ['', 'to', 'CPUs', 'ratio',
                                        'middle half'],
                   [[r['name'], r['to'], r['cpus'], f"{r['value']:.3f}",
                     span(r)] for r in self.of(part=part, unit='ratio')])

    def curves(self, part, title):
        """One line for each name, one column for each number."""
        rows = [r for r in self.rows if r['part'] == part and
                r['x'] is not None and r['to'] is None]
        lists = {}
        for name in dict.fromkeys(r['name'] for r in rows):
            of = sorted((r for r in rows if r['name'] == name),
                        key=lambda r: r['x'])
            lists.setdefault(tuple(r['x'] for r in of), []).append(
                [name] + [number(r['value']) for r in of])
        for counts, body in lists.items():
            self.table(title, ['how many'] + [str(x) for x in counts], body)

    def written(self):
        """The whole of it."""
        self.instructions()
        self.speeds('qdisc', 'Packets per second through a root qdisc')
        self.table('Two CPUs on a rail of 8, to no rail',
                   ['each with', 'ratio', 'middle half'],
                   [[f"its own of 2 {r['name']}", f"{r['value']:.3f}", span(r)]
                    for r in self.of(part='rail')])
        self.table('Actions: instructions per packet',
                   ['action', 'total', 'to ok'],
                   [[r['name'], number(r['value']), f"{r['value'] - ok:+.0f}"]
                    for ok in [r['value'] for r in self.of(
                        part='action', unit='instructions', name='ok')]
                    for r in self.of(part='action', unit='instructions')])
        self.speeds('action', 'Actions: ns per packet', 'ns')
        self.speeds('team', 'Frames per second through a team of 4 ports')
        self.curves('ports', 'Instructions per frame by ports of a team')
        self.curves('scale', 'Instructions per packet by what a qdisc has')
        self.curves('buckets', 'ns per packet by filters with an action')
        self.curves('buckets-more', 'ns per packet by 1000 filters, and so many'
                    ' buckets more')
        test = None
        for line in self.said:
            if line['test'] != test:
                test = line['test']
                self.say(f'Behaviour, in virtual time: {test}')
            self.say(f"  {line['text']}")
        return '\n'.join(self.text).rstrip() + '\n'

    def data(self, folder):
        """Files for the picture."""
        os.makedirs(folder, exist_ok=True)

        def write(name, body):
            with open(os.path.join(folder, name + '.dat'), 'w',
                      encoding='ascii') as file:
                for line in body:
                    file.write('\t'.join(str(cell) for cell in line) + '\n')

        for cpus in (1, 2):
            for part, unit in (('qdisc', 'packets/s'), ('action', 'ns'),
                               ('team', 'packets/s')):
                write(f'{part}{cpus}', (
                    [f'"{r["name"]}"'] + [
                        1e3 * cpus / v if unit == 'ns' else v / 1e6
                        for v in (r['value'], r['low'], r['high'])]
                    for r in self.of(part=part, cpus=cpus, unit=unit,
                                     to=None)))
        for part in ('scale', 'ports', 'buckets'):
            names = dict.fromkeys(r['name'] for r in self.of(part=part))
            for name in names:
                rows = sorted((r for r in self.of(part=part, name=name, to=None)),
                              key=lambda r: r['x'])
                write(f'{part}-{name}', ([r['x'], r['value']] for r in rows))
        base = self.one(part='instructions', name='fiforef')
        write('instructions', (
            [f'"{r["name"]}"', r['value'] - base['value']]
            for r in self.of(part='instructions') if base))


def collect(folder):
    """Rows of all parts, in one file, and what is made of them."""
    rows, said = [], []
    for path in sorted(glob.glob(os.path.join(folder, 'rows', '*.json'))):
        part = os.path.basename(path)[:-len('.json')]
        rows += converted(part, lines(path))
    log = os.path.join(folder, 'behaviour.log')
    if os.path.exists(log):
        said = list(behaviour(log))
    if not rows and not said:
        print('nothing was measured', file=sys.stderr)
        return 1
    with open(os.path.join(folder, 'bench.json'), 'w',
              encoding='utf-8') as file:
        json.dump({'schema': SCHEMA, 'tree': tree(),
                   'time': time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime()),
                   'rows': rows, 'behaviour': said}, file, indent=1)
        file.write('\n')
    report = Report(rows, said)
    text = report.written()
    with open(os.path.join(folder, 'bench.txt'), 'w',
              encoding='utf-8') as file:
        file.write('# SPDX-License-Identifier: GPL-2.0\n\n' + text)
    print(text)
    report.data(os.path.join(folder, 'data'))
    return 0


def load(path):
    """Rows of a file that can be compared, by what they are of."""
    with open(path, encoding='utf-8') as file:
        bench = json.load(file)
    if bench['schema'] != SCHEMA:
        sys.exit(f"{path}: schema {bench['schema']}, not {SCHEMA}")
    return {(r['part'], r['name'], r['x'], r['to'], r['cpus'], r['unit']): r
            for r in bench['rows'] if r['unit'] in ('instructions', 'ratio')}


def apart(old, new):
    """Do the middle halves of the rounds not overlap? Exact values have none."""
    if old['low'] is None or new['low'] is None:
        return True
    return old['high'] < new['low'] or new['high'] < old['low']


def compare(old_path, new_path, percent=PERCENT):
    """What became worse, what better, and what is there once only."""
    old, new = load(old_path), load(new_path)
    worse = better = 0
    for key in old.keys() & new.keys():
        change = 100 * (new[key]['value'] / old[key]['value'] - 1)
        if abs(change) <= percent or not apart(old[key], new[key]):
            continue
        bad = (change > 0) == (key[5] in COSTS)
        worse += bad
        better += not bad
        part, name, x, to, cpus, unit = key
        print(f"{'worse' if bad else 'better'}: {part} {name}"
              f"{'' if x is None else f' {x}'}{f' to {to}' if to else ''},"
              f" {cpus} CPU(s), {unit}: {number(old[key]['value'])} ->"
              f" {number(new[key]['value'])} ({change:+.1f} %)")
    for name, one, other in (('gone', old, new), ('new', new, old)):
        for key in one.keys() - other.keys():
            print(f"{name}: {' '.join(str(k) for k in key if k is not None)}")
    print(f'{len(old.keys() & new.keys())} compared, {worse} worse, '
          f'{better} better')
    return 1 if worse else 0


def main():
    """Command line."""
    if len(sys.argv) == 3 and sys.argv[1] == 'collect':
        return collect(sys.argv[2])
    if len(sys.argv) in (4, 5) and sys.argv[1] == 'compare':
        return compare(*sys.argv[2:4], *map(float, sys.argv[4:]))
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == '__main__':
    sys.exit(main())
