#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""What links of the lab did, seen from outside: by the kernel's counters, and not by what
the controller says.

    outside.py record FILE              in a router's namespace, until SIGTERM
    outside.py judge SETTINGS FILE...   SETTINGS: JSON, see judge()
    outside.py ways COSTS HOST...       COSTS: JSON, [{"from", "to", "cost"}] of routers;
                                        host h1 is at router r1

Rows of FILE are "TIME DEVICE UP BYTES", 20 times a second. The verdict is JSON, times in
hours of the day:

    shut, back      [hour, link], as they went down and came up
    cut_off         how often a router could not be reached over links that are up
    carried         the most that a link carried in the fifth of a second before it was
                    shut, in bytes: a frame of the traffic has 1250
    before          [link, the bytes that it carried in the hour before], of each that was shut
    full_at_shut    the highest share of its rate that any link carried in the cycle
                    before one was shut
    full_too_long   the longest time, in cycles, in which a link was fuller than headroom,
                    others were shut, and none came back
    up              the mean number of links that were up

Ways are JSON, too: [router, host, [the next routers of the cheapest ways]].
"""

import json
import os
import signal
import sys
import time

STEP = 0.05
NET = '/sys/class/net'


class Stop(Exception):
    """It was told to."""


def stop(*_):
    """Ends a wait, too."""
    raise Stop


def word_of(path):
    """The first word of a file."""
    with open(path, encoding='ascii') as file:
        return file.read().split()[0]


def has_carrier(device):
    """At once: the kernel may take a second, here an hour, until operstate says so."""
    try:
        return word_of(f'{NET}/{device}/carrier') == '1'
    except OSError:
        # It is down.
        return False


def record(path):
    """All routers look at the same moments."""
    signal.signal(signal.SIGTERM, stop)
    devices = sorted(name for name in os.listdir(NET) if name.startswith('to-r'))
    with open(path, 'w', encoding='ascii') as file:
        try:
            number = int(time.monotonic() / STEP)
            while True:
                number += 1
                time.sleep(max(0, number * STEP - time.monotonic()))
                for device in devices:
                    up = has_carrier(device)
                    sent = word_of(f'{NET}/{device}/statistics/tx_bytes')
                    print(number, device, int(up), sent, file=file)
        except Stop:
            pass


def read(path):
    """{moment: {device: (up, bytes)}}."""
    rows = {}
    with open(path, encoding='ascii') as file:
        for line in file:
            number, device, up, sent = line.split()
            rows.setdefault(int(number), {})[device] = (up == '1', int(sent))
    return rows


class Links:
    """Of each moment what is up, and what it has carried."""

    def __init__(self, links, seen):
        self.links = links
        self.moments = sorted(set.intersection(*(set(rows) for rows in seen.values())))
        self.up = {link: [] for link in links}
        self.sent = {link: [] for link in links}
        for moment in self.moments:
            for link in links:
                left, right = link.split('-')
                ends = [seen[left][moment].get(f'to-{right}'),
                        seen[right][moment].get(f'to-{left}')]
                self.up[link].append(all(end and end[0] for end in ends))
                self.sent[link].append([end[1] if end else 0 for end in ends])

    def carried(self, link, first, last):
        """Bytes of the fuller way, between two moments."""
        first = max(0, first)
        return max(b - a for a, b in zip(self.sent[link][first], self.sent[link][last]))

    def connected(self, moment):
        """Whether links that are up connect all routers."""
        around = {}
        for link in self.links:
            for router in link.split('-'):
                around.setdefault(router, [])
            if self.up[link][moment]:
                left, right = link.split('-')
                around[left].append(right)
                around[right].append(left)
        seen = {next(iter(around))}
        todo = list(seen)
        while todo:
            for peer in around[todo.pop()]:
                if peer not in seen:
                    seen.add(peer)
                    todo.append(peer)
        return len(seen) == len(around)


def judge(settings, paths):
    """SETTINGS: links, rate (bit/s), headroom, cycle and hour (seconds), hours, began (of
    the clock that record() has)."""
    seen = {os.path.basename(path).rpartition('-')[2]: read(path) for path in paths}
    links = Links(settings['links'], seen)
    first = settings['began'] / STEP
    last = first + settings['hours'] * settings['hour'] / STEP
    inside = [i for i, moment in enumerate(links.moments) if first <= moment < last]
    cycle = max(1, round(settings['cycle'] / STEP))

    def share(link, i):
        """Of its rate, in a cycle."""
        return links.carried(link, i - cycle, i) * 8 / (cycle * STEP) / settings['rate']

    found = {'shut': [], 'back': [], 'cut_off': 0, 'carried': 0, 'full_at_shut': 0.0,
             'full_too_long': 0.0, 'moments': len(inside), 'before': []}
    an_hour = round(settings['hour'] / STEP)
    up, since = 0, inside[0]
    for i in inside:
        hour = (links.moments[i] - first) * STEP / settings['hour']
        now = [link for link in links.links if links.up[link][i]]
        up += len(now)
        found['cut_off'] += not links.connected(i)
        fullest = max(share(link, i) for link in links.links)
        if fullest <= settings['headroom'] or len(now) == len(links.links):
            since = i
        for link in links.links:
            if links.up[link][i] == links.up[link][max(0, i - 1)]:
                continue
            found['back' if links.up[link][i] else 'shut'].append([round(hour, 3), link])
            if links.up[link][i]:
                since = i
                continue
            found['before'].append([link, links.carried(link, i - an_hour, i - 1)])
            found['carried'] = max(found['carried'], links.carried(link, i - 5, i - 1))
            found['full_at_shut'] = max([found['full_at_shut']] + [
                share(other, i - 1) for other in links.links if other != link])
        found['full_too_long'] = max(found['full_too_long'], (i - since) / cycle)
    found['up'] = up / len(inside)
    return found


def distances(costs, target):
    """{router: cost of its cheapest way to a router}, as Bellman and Ford do it."""
    found = {target: 0}
    for _ in costs:
        for one in costs:
            if one['to'] in found:
                cost = int(one['cost']) + found[one['to']]
                found[one['from']] = min(cost, found.get(one['from'], cost))
    return found


def ways(costs, hosts):
    """Where each router sends what is for a host of another one."""
    # A way back has to be there, or OSPF does not use it.
    pairs = {(one['from'], one['to']) for one in costs}
    costs = [one for one in costs if (one['to'], one['from']) in pairs]
    rows = []
    for host in hosts:
        target = 'r' + host.removeprefix('h')
        far = distances(costs, target)
        for router in sorted(far):
            if router != target:
                rows.append([router, host, sorted(
                    one['to'] for one in costs if one['from'] == router and
                    int(one['cost']) + far[one['to']] == far[router])])
    return sorted(rows)


def main():
    """Command line."""
    if sys.argv[1] == 'record':
        record(sys.argv[2])
    elif sys.argv[1] == 'ways':
        print(json.dumps(ways(json.loads(sys.argv[2]), sys.argv[3:]), separators=(',', ':')))
    else:
        print(json.dumps(judge(json.loads(sys.argv[2]), sys.argv[3:])))
    return 0


if __name__ == '__main__':
    sys.exit(main())
