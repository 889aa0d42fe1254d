#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Tests of carbon-gears without FRR: what it decides, and what it makes of bad input.

Prints KTAP.
"""

import http.server
import json
import math
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import types

HERE = os.path.dirname(os.path.realpath(__file__))
CARBON = os.path.join(HERE, '../../Documentation/examples/carbon')
sys.path[:0] = [HERE, CARBON]
sys.dont_write_bytecode = True

# pylint: disable=wrong-import-position
import fakebox                  # noqa: E402
import gears                    # noqa: E402
import intensity as carbon      # noqa: E402
import meter                    # noqa: E402
import netfile                  # noqa: E402
import plan                     # noqa: E402
import powermodel               # noqa: E402
import recorded                 # noqa: E402
import schedule                 # noqa: E402

RESULTS = []
TRIANGLE = ('a-b', 'b-c', 'c-a')


def check(name, good, why=''):
    """A result."""
    RESULTS.append(bool(good))
    print(f'{"ok" if good else "not ok"} {len(RESULTS)} - {name}')
    if not good:
        for line in str(why).splitlines() or ['']:
            print(f'# {line}')


def ended():
    """The plan; returns the exit status."""
    print(f'1..{len(RESULTS)}')
    return 0 if all(RESULTS) else 1


def network_of(links, **settings):
    """Routers by the names of links, each with a region of its own name."""
    network = netfile.Network(settings=netfile.Settings(**settings))
    for link in links:
        ends = link.split('-')[:2]
        for router in ends:
            network.routers.setdefault(router, netfile.Router(router, router, [], ['vtysh'], 100))
        network.links[link] = netfile.Link(link, ((ends[0], 'to-' + link), (ends[1], 'to-' + link)),
                                           1e9)
    return network


def even(network, value=100.0):
    """The same intensity everywhere."""
    return dict.fromkeys(network.routers, value)


def planner_of(network, load=0.0):
    """A planner that knows what links carry."""
    planner = plan.Planner(network, 0)
    for state in planner.states.values():
        state.load = load
    return planner


# ---- the plan


def drained(planner, settings, value, rounds=50):
    """Lets it go on until nothing more happens; what it did."""
    now, done = 1e6, []
    for _ in range(rounds):
        done += [action for action in planner.step(now, value) if action[0] != 'wait']
        now += max(settings.drain_wait, 1)
    return done


def test_connected():
    """No router is ever cut off."""
    rng, bad = random.Random(1), []
    for _ in range(200):
        names = [chr(97 + i) for i in range(rng.randint(3, 8))]
        links = {f'{a}-{b}' for a, b in zip(names, names[1:])}
        for _ in range(rng.randint(0, 8)):
            links.add('-'.join(sorted(rng.sample(names, 2))))
        network = network_of(sorted(links))
        planner = planner_of(network)
        done = drained(planner, network.settings, even(network))
        if not plan.connected(network, planner.in_service()):
            bad.append(f'{sorted(links)}: {done}')
        # What is left without load is a tree: nothing is kept that is not needed.
        if len(planner.in_service()) != len(names) - 1:
            bad.append(f'{sorted(links)}: {planner.in_service()} is no tree')
    check('in 200 random networks what stays connects all routers, and is no more than that',
          not bad, '\n'.join(bad[:3]))


def test_headroom():
    """A link is not drained unless each other one has room for its load."""
    network = network_of(TRIANGLE)
    for load, expected in ((0.29, True), (0.31, False)):
        planner = planner_of(network)
        for state in planner.states.values():
            state.load = load
        done = planner.step(1e6, even(network))
        check(f'loads of {load} {"leave" if expected else "do not leave"} room below 60 %',
              bool(done) == expected, done)


def test_order():
    """A drain waits, and comes before the shut."""
    network = network_of(TRIANGLE, drain_wait=30)
    planner = planner_of(network)
    first = planner.step(1e6, even(network))
    early = planner.step(1e6 + 29, even(network))
    late = planner.step(1e6 + 30, even(network))
    check('a link is drained first, and shut when the wait is over',
          [a[0][0] for a in (first, early, late)] == ['drain', 'wait', 'shut'],
          (first, early, late))
    planner = planner_of(network)
    name = planner.step(1e6, even(network))[0][1]
    planner.states[name].load = 0.2
    check('a link that still carries something is not shut',
          planner.step(1e6 + 30, even(network))[0][0] == 'undrain')


def test_going():
    """What goes while a drain waits is counted in the cycle in which it went."""
    for loads, verbs in (((0.1, 0.02, 0.0), ['wait', 'wait', 'shut']),
                         ((0.02, 0.0), ['wait', 'shut']),
                         ((0.1, 0.02, 0.02), ['wait', 'wait', 'undrain']),
                         ((0.1, 0.09), ['wait', 'undrain'])):
        network = network_of(TRIANGLE, drain_wait=30)
        planner = planner_of(network, 0.1)
        name = planner.step(1e6, None, {'a-b'})[0][1]
        done = []
        for cycle, load in enumerate(loads, 1):
            planner.states[name].load = load
            done += planner.step(1e6 + (20 if len(loads) == 3 else 25) * cycle, None, {'a-b'})
        check(f'a link that drains, {loads} full', [verb for verb, _, _ in done] == verbs, done)


def shut_one(network):
    """A planner with a link shut."""
    planner = planner_of(network)
    planner.step(1e6, even(network))
    return planner, planner.step(1e6 + 30, even(network))[0][1]


def test_back():
    """Load, intensity and failures bring links back before anything else."""
    network = network_of(TRIANGLE, drain_above=50)
    planner, name = shut_one(network)
    other = next(link for link in network.links if link != name)
    planner.states[other].load = 0.61
    check('load beyond the headroom brings a link back', planner.step(2e6, even(network))[0][:2] ==
          ('back', name))
    planner, name = shut_one(network)
    check('power below drain-above brings a link back', planner.step(
        2e6, even(network, 49.0))[0][:2] == ('back', name))
    for what, arguments in (('power below drain-above', (even(network, 49.0),)),
                            ('a schedule', (None, set()))):
        planner = planner_of(network)
        name = planner.step(1e6, even(network))[0][1]
        done = planner.step(1e6 + 30, *arguments)
        check(f'{what} gives up a drain', [action[:2] for action in done] == [('undrain', name)],
              done)
    planner, name = shut_one(network)
    planner.states[other].failed = True
    check('a failed link brings back what is shut', ('back', name) in [
        action[:2] for action in planner.step(2e6, even(network))])
    planner, name = shut_one(network)
    planner.states[other].load = 0.61
    check('load brings a link back without intensities', planner.step(2e6)[0][:2] ==
          ('back', name))
    planner = planner_of(network)
    planner.step(1e6, even(network))
    planner.states[other].load = 0.61
    check('a drain is given up when load asks', planner.step(1e6 + 30, even(network))[0][0] ==
          'undrain')


def test_failed():
    """A link that is down, and not by us."""
    network = network_of(('a-b', 'b-c', 'c-d', 'd-a', 'a-c', 'b-d'))
    planner = planner_of(network)
    planner.states['a-b'].failed = True
    done = [planner.step(1e6 + hours * 3600, even(network)) for hours in range(4)]
    check('while a link has failed no other one is drained', not any(done), done)
    planner.states['a-b'].failed = False
    done = planner.step(2e6, even(network))
    check('when it works again one is', [action[0] for action in done] == ['drain'], done)
    name = done[0][1]
    next(state for link, state in planner.states.items() if link != name).failed = True
    done = planner.step(2e6 + 10, even(network))
    check('a drain is given up when another link fails',
          [action[:2] for action in done] == [('undrain', name)], done)


def test_unknown():
    """With something unknown nothing is shut."""
    network = network_of(TRIANGLE)
    for what, arguments in (('without intensities', (None, None, True)),
                            ('with a router that does not answer', (even(network), None, False))):
        planner = planner_of(network)
        check(f'{what} nothing is drained', not planner.step(1e6, *arguments))
        planner.step(1e6, even(network))
        done = planner.step(1e6 + 60, *arguments)
        check(f'{what} a drain is given up', [a[0] for a in done] == ['undrain'], done)


def test_dear_first():
    """What is drained first is where power is dirtiest."""
    network = network_of(TRIANGLE)
    planner = planner_of(network)
    done = planner.step(1e6, {'a': 10.0, 'b': 300.0, 'c': 200.0})
    check('the link with the dirtiest power is drained first', done[0][1] == 'b-c', done)
    found = plan.costs(network, {'a': 10.0, 'b': 300.0, 'c': 1e9})
    check('an interface costs what its neighbour\'s power does',
          found[('a', 'to-a-b')] == 301 and found[('b', 'to-a-b')] == 11, found)
    check('no cost is as high as that of a drain', max(found.values()) < plan.DRAIN_COST)


def test_gears():
    """The highest gear leaves the headroom."""
    rates = (1e9, 2e9, 5e9, 10e9)
    got = [plan.gear_top(rates, load, 0.5) for load in (0, 1e9, 1.1e9, 2.5e9, 2.6e9, 9e9)]
    check('the highest gear is the lowest one that leaves the headroom', got == [1, 1, 2, 2, 3, 3],
          got)
    check('three of five ports are 0.6 of them', powermodel.pipeline_factor(3, 5) == 0.8118)


class NoBoxes:
    """Takes all ranges."""
    dry = False

    def __init__(self, rates):
        self.rates, self.top = rates, len(rates) - 1

    def set_range(self, _router, _device, top):
        """Of the one port that there is."""
        self.top = len(self.rates) - 1 if top is None else top

    def gears(self):
        """What tc says."""
        return {'a': {'to-a-b': {'rates': self.rates, 'top': self.top, 'joules': 0}}}


def test_ranges():
    """Costs that change each half-hour leave time to limit gears, if cycles are short enough."""
    network = network_of(TRIANGLE)
    for minutes, limited in ((5, 4 / 6), (10, 1 / 3), (15, 0), (20, 0)):
        boxes = NoBoxes((1e9, 2e9, 5e9))
        tops = gears.Tops(network, boxes, types.SimpleNamespace(once=lambda *_: None))
        count, half_hour, opened = 0, None, True
        for now in range(0, 24 * 60, minutes):
            tops.seen(boxes.gears())
            if now // 30 != half_hour:
                half_hour = now // 30
                tops.open()
                opened = opened and boxes.top == 2
            tops.fit(dict.fromkeys(TRIANGLE, 0.1), ['a'], True)
            count += boxes.top == 1
        share = count * minutes / (24 * 60)
        check(f'costs of each half-hour, a cycle of {minutes} min: a range is limited for '
              f'{100 * limited:.0f} % of a day, and open when costs change',
              opened and abs(share - limited) < 0.01, share)


def test_in_vain():
    """A link that cannot be emptied is not tried again and again."""
    for what, arguments in (('intensities', None), ('a schedule', {'a-b'})):
        network = network_of(TRIANGLE, min_up=0, drain_wait=30)
        planner, drains = planner_of(network, 0.02), []
        for now in range(0, 7200, 10):
            done = planner.step(1e6 + now, even(network) if arguments is None else None, arguments)
            drains += [name for verb, name, _ in done if verb == 'drain']
        count = max(drains.count(name) for name in TRIANGLE)
        check(f'{what}: a link that stays 2 % full is drained less and less often',
              2 <= count <= 9, count)
    network = network_of(TRIANGLE, min_up=900, drain_wait=30)
    planner = planner_of(network)
    planner.returned('a-b', 1e6)
    planner.states['a-b'].met = True
    done = [planner.step(1e6 + later, None, {'a-b'}) for later in (10, 899, 900)]
    check('a schedule: a link that came back stays for min-up',
          [len(one) for one in done] == [0, 0, 1], done)


def test_highest_cost():
    """What drains is dearer than any way around it."""
    for count in (3, 6, 46):
        names = [f'r{i}' for i in range(count)]
        network = network_of([f'{a}-{b}' for a, b in zip(names, names[1:] + names[:1])],
                             cost_scale=1000)
        found = max(plan.costs(network, even(network, 5000.0)).values())
        check(f'{count} routers: a way over all of them is cheaper than a link that drains',
              found * (count - 1) < plan.DRAIN_COST, found)


def test_meter():
    """Wh of boxes and ports."""
    names = [f'n{i}' for i in range(46)]
    links = [f'{a}-{b}' for a, b in zip(names, names[1:] + names[:1])]
    links += [f'{names[i]}-{names[i + 23]}' for i in range(22)]
    network = network_of(links)
    for router in network.routers.values():
        router.watts = 41
    day = meter.Meter(network, 1)
    for hour in range(24):
        day.add(hour, 3600, even(network), set(links), {})
    check('46 boxes and 68 links at rest take exactly 59952 Wh in a day',
          len(links) == 68 and day.total()['wh'] == 59952.0, day.total())
    check('and 5995.2 g at 100 g/kWh', abs(day.total()['g'] - 5995.2) < 1e-6, day.total())
    for hour in range(24, 600):
        day.add(hour, 3600, even(network), set(links), {})
    check('a report ends with a week, and its total does not', len(day.periods) == 168 and
          day.total()['wh'] == 25 * 59952.0, (len(day.periods), day.total()))
    network = network_of(TRIANGLE)
    day = meter.Meter(network, 1)
    for joules, heard in ((0, True), (36000, True), (None, False), (108000, True)):
        gears = {name: {} for name in 'bc'}
        if heard:
            gears['a'] = {'to-a-b': {'joules': joules}}
        day.add(0, 360, even(network), set(), gears)
    row = day.periods[0]
    check('a box with gears that did not answer for a while: its energy is counted once',
          row['wh_boxes'] == 30 + 2 * 4 * 10, row)
    day.add(1, 360, even(network), set(), {})
    check('energy is modelled, also what tc says of boxes with gears',
          [(row['modelled'], row['boxes_by_tc']) for row in day.periods] ==
          [(True, True), (True, False)], day.periods)
    day = meter.Meter(network, 1)
    day.add(0, 0, {}, set(TRIANGLE), {})
    day.add(0, 360, even(network), set(TRIANGLE), {})
    check('nothing was taken yet: no intensity is needed', day.total()['g'] == day.periods[0]['g']
          and day.total()['g'] > 0, day.total())
    for hour, known in ((1, {'a': 10.0}), (2, {}), (3, even(network))):
        day.add(hour, 360, known, set(TRIANGLE), {})
    check('gCO2 are those of all regions, or unknown, and Wh are counted',
          [row['g'] is None for row in day.periods] == [False, True, True, False] and
          day.total()['g'] is None and all(row['wh_boxes'] == 30 for row in day.periods),
          (day.periods, day.total()))


def test_schedule():
    """Times of a day."""
    rows = schedule.parse('23:00 a-b down\n06:30 a-b up # morning\n', TRIANGLE)
    got = [schedule.wanted_down(rows, 86400 * 5 + hour * 3600) for hour in (0, 6, 7, 23)]
    check('a schedule holds over midnight', got == [{'a-b'}, {'a-b'}, set(), {'a-b'}], got)
    for text in ('25:00 a-b down', '06:00 x-y up', '06:00 a-b', ''):
        try:
            schedule.parse(text, TRIANGLE)
            check(f'a schedule of {text!r} is refused', False)
        except schedule.ScheduleError as error:
            check(f'a schedule of {text!r} is refused', str(error))
    network = network_of(TRIANGLE)
    planner = planner_of(network)
    done = planner.step(1e6, None, set(TRIANGLE))
    done += planner.step(1e6 + 30, None, set(TRIANGLE))
    done += planner.step(1e6 + 60, None, set(TRIANGLE))
    check('a schedule cannot cut off a router', [a[0] for a in done] == ['drain', 'shut'], done)


# ---- the program


class Lab:
    """A folder with three routers that are none."""

    def __init__(self, folder):
        self.folder, self.now = folder, time.time()
        self.boxes = {name: {'devices': {}} for name in 'abc'}
        for link in TRIANGLE:
            for name in link.split('-'):
                self.boxes[name]['devices'][link] = {
                    'up': True, 'cost': 10, 'adjacent': 1, 'bytes': 0,
                    'gears': [125e6, 250e6, 1250e6]}
        with open(self.path('network'), 'w', encoding='ascii') as file:
            file.write('[controller]\ncycle = 50ms\ndrain-wait = 100ms\nmin-up = 0\n'
                       'settle = 10s\nstale = 60s\n')
            fake = os.path.join(HERE, 'fakebox.py')
            for number, name in enumerate('abc', 1):
                file.write(f'[router {name}]\nregion = {number}\n'
                           f'run = {sys.executable} {fake} {self.path("boxes")} {name}\n')
            for link in TRIANGLE:
                left, right = link.split('-')
                file.write(f'[link {link}]\nends = {left}:{link} {right}:{link}\nrate = 1gbit\n')
        # As the real one: what comes after the host is joined, and a shell takes it apart.
        with open(self.path('ssh'), 'w', encoding='ascii') as file:
            file.write(f'#!/bin/sh\nrouter=${{1#root@}}\nshift\n'
                       f'exec sh -c "{sys.executable} {fake} {self.path("boxes")} $router $*"\n')
        os.chmod(self.path('ssh'), 0o755)
        self.data()

    def path(self, name):
        """Of a file."""
        return os.path.join(self.folder, name)

    def data(self, values=(10, 300, 200), age=0.0, text=None):
        """Writes intensities, whose period began AGE seconds ago."""
        def stamp(when):
            return time.strftime('%Y-%m-%dT%H:%MZ', time.gmtime(when))
        begin = self.now - age - 1800
        content = json.dumps({'data': [{
            'from': stamp(begin), 'to': stamp(begin + 3600), 'regions': [
                {'regionid': number, 'intensity': {'forecast': value}}
                for number, value in enumerate(values, 1)]}]}) if text is None else text
        with open(self.path('new'), 'w', encoding='ascii') as file:
            file.write(content)
        os.replace(self.path('new'), self.path('day.json'))

    def begin(self):
        """Everything as at first."""
        with open(self.path('boxes'), 'w', encoding='ascii') as file:
            json.dump(self.boxes, file)
        for name in ('boxes.log', 'shut'):
            if os.path.exists(self.path(name)):
                os.remove(self.path(name))

    def change(self, router, **what):
        """Something is otherwise at a router now."""
        with fakebox.changing(self.path('boxes')) as boxes:
            boxes[router].update(what)

    def device(self, router, device):
        """What there is of it."""
        with open(self.path('boxes'), encoding='ascii') as file:
            return json.load(file)[router]['devices'][device]

    def settings(self, **keys):
        """Another network file, with these settings."""
        with open(self.path('network'), encoding='ascii') as file:
            lines = file.read().splitlines()
        for key, value in keys.items():
            key = key.replace('_', '-')
            lines = [line for line in lines if not line.startswith(key + ' ')]
            lines.insert(1, f'{key} = {value}')
        with open(self.path('other'), 'w', encoding='ascii') as file:
            file.write('\n'.join(lines) + '\n')
        return '--network', self.path('other')

    def command(self, *arguments):
        """What is run."""
        return [os.path.join(CARBON, 'carbon-gears'), '--network', self.path('network'),
                '--state', self.path('shut'), *arguments]

    def once(self, *arguments):
        """Status and messages of one cycle."""
        if not any(word in arguments for word in ('--intensity', '--schedule')):
            arguments = ('--intensity', self.path('day.json')) + arguments
        done = subprocess.run(self.command('--once', *arguments), capture_output=True, text=True,
                              timeout=60, check=False)
        return done.returncode, done.stderr

    def changes(self):
        """Commands that changed something."""
        try:
            with open(self.path('boxes.log'), encoding='ascii') as file:
                return file.read().splitlines()
        except FileNotFoundError:
            return []


def bad_input(lab):
    """The last good costs stay, a clear message, nothing is shut."""
    text = '{"data": [{"from": "2026-01-15T00:00Z", "to": "2026-01-15T00:30Z", "regions": []}]}'
    for what, change, message in (
            ('no file', lambda: os.remove(lab.path('day.json')), 'cannot read'),
            ('no data', lambda: lab.data(text='{"data": []}'), 'no data'),
            ('half a file', lambda: lab.data(text='{"data": [{"fr'), 'not in the form of the API'),
            ('another form', lambda: lab.data(text='[1, 2]'), 'not in the form of the API'),
            ('NaN', lambda: lab.data(values=(10, math.nan, 200)), 'nan gCO2/kWh'),
            ('a number of 400 digits', lambda: lab.data(values=(10, int('1' * 400), 200)),
             '11 gCO2/kWh, which is not'),
            ('brackets within brackets', lambda: lab.data(text='[' * 100000),
             'not in the form of the API'),
            ('a pipe', lambda: os.remove(lab.path('day.json')) or os.mkfifo(lab.path('day.json')),
             'no regular file'),
            ('a negative value', lambda: lab.data(values=(10, -1, 200)), '-1 gCO2/kWh'),
            ('a word for a value', lambda: lab.data(values=(10, 'high', 200)), "'high' gCO2/kWh"),
            ('a region that does not exist', lambda: lab.data(values=(10, 300)), "no region '3'"),
            ('no regions', lambda: lab.data(text=text), 'stale'),
            ('a stale file', lambda: lab.data(age=7200), 'stale')):
        lab.begin()
        lab.data()
        change()
        status, said = lab.once()
        check(f'{what}: exit status 3', status == 3, f'{status}: {said}')
        check(f'{what}: the message says it', message in said and
              'the last good costs stay, nothing is shut' in said, said)
        check(f'{what}: no cost is changed, nothing is shut', not lab.changes(), lab.changes())
        check(f'{what}: no traceback', 'Traceback' not in said, said)
    lab.data()


def still_bad(lab):
    """What stays wrong is said once, and not in each cycle."""
    for what, age in (('stale', 7200), ('begins at', -7200)):
        lab.begin()
        lab.data(age=age)
        with subprocess.Popen(lab.command('--intensity', lab.path('day.json')),
                              stderr=subprocess.PIPE, text=True) as child:
            # A cycle takes a twentieth of a second, and commands.
            said = wait_for_line(child, what)
            time.sleep(3)
            child.send_signal(signal.SIGTERM)
            said += child.communicate()[1]
        check(f'data that stay "{what}": one message', said.count(what) == 1, said)
    lab.data()


def frr_gone(lab):
    """A router whose FRR does not answer."""
    lab.begin()
    lab.change('b', gone=True)
    status, said = lab.once()
    check('FRR gone: exit status 3', status == 3, status)
    check('FRR gone: the message names the router', 'b: vtysh: Exiting: failed to connect' in said,
          said)
    check('FRR gone: no cost is changed, nothing is shut', not any(
        ' down' in line or 'cost' in line for line in lab.changes()), lab.changes())


def good_input(lab):
    """Costs, a dry run, and files that are wrong."""
    lab.begin()
    status, said = lab.once('--dry-run')
    check('dry run: status 0', status == 0, said)
    check('dry run: nothing is changed', not lab.changes(), lab.changes())
    check('dry run: says the commands', 'ip ospf cost' in said, said)
    lab.begin()
    status, said = lab.once()
    done = '\n'.join(lab.changes())
    check('costs follow intensity', status == 0 and 'interface a-b -c ip ospf cost 301' in done,
          done)
    check('the link with the dirtiest power is given the highest cost',
          done.count('interface b-c -c ip ospf cost 65535') == 2, done)
    check('nobody is there to widen them later: no range of gears is limited',
          'gear-range' not in done, done)
    lab.begin()
    status, said = lab.once('--state', lab.path('folder/shut'))
    check('a state whose folder is not there: it is made',
          status == 0 and os.path.exists(lab.path('folder/shut')), said)
    lab.begin()
    status, said = lab.once('--state', lab.path('network/shut'))
    check('a state that cannot be written: exit status 2, and nothing is changed',
          status == 2 and 'network' in said and not lab.changes(), said)
    for what, key, value, wrong in (
            ('a quote that does not end', 'run', 'ssh "x', 'No closing quotation'),
            ('a cycle of no time', 'cycle', '0', "'0' is no time to wait"),
            ('a link of a router to itself', 'ends', 'a:a-b a:c-a', 'both ends are at a')):
        with open(lab.path('network'), encoding='ascii') as file:
            text = re.sub(f'(?m)^{key} = .*', f'{key} = {value}', file.read(), count=1)
        with open(lab.path('wrong'), 'w', encoding='ascii') as file:
            file.write(text)
        status, said = lab.once('--network', lab.path('wrong'))
        check(f'{what}: exit status 2, and the message says it',
              status == 2 and wrong in said and 'Traceback' not in said, f'{status}: {said}')
    status, _ = lab.once('--network', lab.path('none'))
    check('no network file: exit status 2', status == 2, status)
    with open(lab.path('schedule'), 'w', encoding='ascii') as file:
        file.write('00:00 nowhere down\n')
    status, said = lab.once('--schedule', lab.path('schedule'))
    check('a schedule with a link that does not exist: exit status 2, and which line',
          status == 2 and "line 1: there is no link 'nowhere'" in said, said)


def life(lab):
    """From the first cost to SIGTERM, with an API that fails in between."""
    lab.begin()
    lab.data()
    with subprocess.Popen(lab.command('--intensity', lab.path('day.json')),
                          stderr=subprocess.PIPE, text=True) as child:
        wait_for(lambda: sum(line.endswith('down') for line in lab.changes()) == 2)
        check('a link is shut at both ends', sum(
            line.endswith('down') for line in lab.changes()) == 2, lab.changes())
        lab.data(text='{}')
        heard = wait_for_line(child, 'not in the form of the API')
        count = len(lab.changes())
        time.sleep(1)
        check('while the input is bad nothing is changed', len(lab.changes()) == count,
              lab.changes()[count:])
        child.send_signal(signal.SIGTERM)
        said = heard + child.stderr.read()
        status = child.wait(30)
    check('SIGTERM: exit status 0', status == 0, said)
    check('SIGTERM: the energy that it says is modelled', ' Wh, ' in said and
          said.rstrip().endswith(' gCO2 (modelled)'), said)
    check('SIGTERM: what was shut is brought back', sum(
        line.endswith(' up') for line in lab.changes()) == 2, lab.changes())
    with open(lab.path('boxes'), encoding='ascii') as file:
        check('after SIGTERM all links are up', all(
            one['up'] for box in json.load(file).values() for one in box['devices'].values()))
    with open(lab.path('shut'), encoding='ascii') as file:
        check('nothing is remembered as shut', json.load(file) == {})


def bad_while_draining(lab):
    """A link that drains when the input becomes bad has its cost by what was last good."""
    lab.begin()
    lab.data()
    slow = lab.settings(drain_wait='1h')

    def has(text):
        return any(text in line for line in lab.changes())

    with subprocess.Popen(lab.command('--intensity', lab.path('day.json'), '--keep', *slow),
                          stderr=subprocess.DEVNULL) as child:
        wait_for(lambda: has('interface b-c -c ip ospf cost 65535'))
        lab.data(values=(10, 310, 210))
        wait_for(lambda: has('interface a-b -c ip ospf cost 311'))
        lab.data(text='{}')
        wait_for(lambda: has('interface b-c -c ip ospf cost 211') and
                 has('interface b-c -c ip ospf cost 311'))
        done = lab.changes()
        check('bad input while a link drains: it has the cost by what was last good',
              has('interface b-c -c ip ospf cost 211') and
              has('interface b-c -c ip ospf cost 311'), done)
        child.send_signal(signal.SIGTERM)
        child.wait(30)


def killed(lab):
    """SIGKILL, and a new one that knows what is shut."""
    lab.begin()
    lab.data()
    with subprocess.Popen(lab.command('--intensity', lab.path('day.json')),
                          stderr=subprocess.DEVNULL) as child:
        wait_for(lambda: sum(line.endswith('down') for line in lab.changes()) == 2)
        child.kill()
        child.wait(30)
    with open(lab.path('shut'), encoding='ascii') as file:
        shut = [name for name, one in json.load(file).items() if one['shut']]
    check('after SIGKILL the link that is shut is known', len(shut) == 1, shut)
    with subprocess.Popen(lab.command('--intensity', lab.path('day.json')),
                          stderr=subprocess.PIPE, text=True) as child:
        said = wait_for_line(child, 'shut before')
        child.send_signal(signal.SIGTERM)
        said += child.stderr.read()
    check('a new controller says what is shut', f'shut before: {shut[0]}' in said, said)
    with open(lab.path('boxes'), encoding='ascii') as file:
        check('and brings it back when it ends', all(
            one['up'] for box in json.load(file).values() for one in box['devices'].values()))


def api(lab):
    """Intensities from a URL: read again when the last period has ended, and not sooner."""
    asked, answers = [], {}

    class Api(http.server.BaseHTTPRequestHandler):
        """Answers what the test says."""

        def do_GET(self):   # pylint: disable=invalid-name
            """Any path."""
            asked.append(self.path)
            if 'drips' in answers:
                # Each byte in time, and never all of them.
                try:
                    for byte in b'HTTP/1.1 200 OK\r\n' + b'x' * 30:
                        self.wfile.write(bytes([byte]))
                        time.sleep(0.5)
                except OSError:
                    pass
                self.close_connection = True
                return
            if 'raw' in answers:
                self.wfile.write(answers['raw'])
                self.close_connection = True
                return
            self.send_response(answers.get('status', 200))
            self.end_headers()
            with open(lab.path('day.json'), 'rb') as file:
                self.wfile.write(file.read())

        def log_message(self, format, *args):   # pylint: disable=redefined-builtin
            pass

    with http.server.ThreadingHTTPServer(('127.0.0.1', 0), Api) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f'http://127.0.0.1:{server.server_port}/regional'
        lab.begin()
        lab.data()
        status, said = lab.once('--intensity', url)
        check('a URL: costs follow intensity', status == 0 and asked == ['/regional'] and any(
            'interface a-b -c ip ospf cost 301' in line for line in lab.changes()), said)
        for what, answer, message in (
                ('an error of the server', {'status': 503}, 'HTTP Error 503'),
                ('no HTTP', {'raw': b'garbage\r\n'}, f'cannot read {url}'),
                ('an answer that drips', {'drips': True}, 'no whole answer in'),
                ('half an answer', {'raw': b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n'
                                           b'\r\n100\r\n{"data"'}, f'cannot read {url}')):
            answers.clear()
            answers.update(answer)
            lab.begin()
            status, said = lab.once('--intensity', url)
            check(f'a URL with {what}: exit status 3, and the message says it',
                  status == 3 and message in said and 'Traceback' not in said and
                  'the last good costs stay, nothing is shut' in said, f'{status}: {said}')
            check(f'a URL with {what}: no cost is changed, nothing is shut', not lab.changes(),
                  lab.changes())
        answers.clear()
        asked.clear()
        lab.begin()
        with subprocess.Popen(lab.command('--intensity', url), stderr=subprocess.PIPE,
                              text=True) as child:
            wait_for(lambda: sum(line.endswith('down') for line in lab.changes()) == 2)
            check('a URL is not read again before its last period has ended', len(asked) == 1,
                  asked)
            child.send_signal(signal.SIGTERM)
            child.communicate()
        lab.begin()
        lab.data(age=1800)
        with subprocess.Popen(lab.command('--intensity', url, *lab.settings(stale='1h')),
                              stderr=subprocess.PIPE, text=True) as child:
            wait_for(lambda: sum(line.endswith('down') for line in lab.changes()) == 2)
            lab.data(values=(10, 400, 200), age=1800)
            wait_for(lambda: lab.device('a', 'a-b')['cost'] == 401)
            check('a URL is read again when its last period has ended',
                  lab.device('a', 'a-b')['cost'] == 401, lab.changes())
            count = len(lab.changes())
            server.shutdown()
            server.server_close()
            wait_for_line(child, 'Connection refused')
            time.sleep(0.5)
            check('a URL that does not answer any more: the last good costs stay',
                  lab.changes()[count:] == [], lab.changes()[count:])
            child.send_signal(signal.SIGTERM)
            child.communicate()
    lab.data()


def ospfd_again(lab):
    """An ospfd that was started again has the costs of its file."""
    lab.begin()
    lab.data()
    with subprocess.Popen(lab.command('--intensity', lab.path('day.json'),
                                      *lab.settings(drain_above='5000')),
                          stderr=subprocess.DEVNULL) as child:
        wait_for(lambda: lab.device('c', 'c-a')['cost'] == 11)
        fresh = json.loads(json.dumps(lab.boxes['a']))
        lab.change('a', **fresh)
        wait_for(lambda: lab.device('a', 'a-b')['cost'] == 301)
        check('an ospfd that was started again: has its costs again',
              [lab.device('a', name)['cost'] for name in ('a-b', 'c-a')] == [301, 201],
              lab.changes())
        child.send_signal(signal.SIGTERM)
        child.wait(30)


def schedule_costs(lab):
    """A schedule knows no intensities: what drained has the cost from before."""
    def path(word):
        with open(lab.path('schedule'), 'w', encoding='ascii') as file:
            file.write(f'00:00 a-b {word}\n')
        return lab.path('schedule')

    def down():
        return not lab.device('a', 'a-b')['up'] and not lab.device('b', 'a-b')['up']

    def costs():
        return [lab.device(router, 'a-b')['cost'] for router in 'ab']

    for end in (signal.SIGTERM, signal.SIGKILL):
        lab.begin()
        with subprocess.Popen(lab.command('--schedule', path('down'), '--json',
                                          lab.path('report')),
                              stderr=subprocess.PIPE, text=True) as child:
            wait_for(down)
            check(f'a schedule, {end.name}: the link is drained and shut',
                  down() and costs() == [65535, 65535], lab.changes())
            child.send_signal(end)
            said = child.communicate()[1]
        if end == signal.SIGTERM:
            with open(lab.path('report'), encoding='ascii') as file:
                report = json.load(file)
            check('a schedule: Wh are reported, and gCO2, which nobody knows, are not',
                  report['total']['wh'] > 0 and report['total']['g'] is None and
                  ' Wh (modelled)' in said and 'gCO2' not in said, f'{report}, {said}')
        if end == signal.SIGKILL:
            with subprocess.Popen(lab.command('--schedule', path('up')),
                                  stderr=subprocess.DEVNULL) as child:
                wait_for(lambda: costs() == [10, 10])
                child.send_signal(signal.SIGTERM)
                child.wait(30)
        check(f'a schedule, {end.name}: the link is back, with the costs from before',
              lab.device('a', 'a-b')['up'] and lab.device('b', 'a-b')['up'] and
              costs() == [10, 10], lab.changes())


def late_answers(lab):
    """What a link carries is what it carried between two answers, however late they are."""
    lab.begin()
    boxes = json.loads(json.dumps(lab.boxes))
    boxes['a']['devices']['a-b']['load'] = 5e8
    boxes['a']['late'] = 0.6
    fakebox.store(lab.path('boxes'), boxes)
    with subprocess.Popen(lab.command('--intensity', lab.path('day.json'), *lab.settings(
            cycle='1s', headroom='60%')), stderr=subprocess.PIPE, text=True) as child:
        wait_for(lambda: sum(line.endswith('down') for line in lab.changes()) == 2)
        time.sleep(4)
        child.send_signal(signal.SIGTERM)
        said = child.communicate()[1]
    check('answers that are late: a link that is half full is not more than 60 % full',
          'shut ' in said and '% full' not in said, said)


def refused(lab):
    """What cannot be brought back is tried again, and is still known as shut."""
    lab.begin()
    lab.data()
    with subprocess.Popen(lab.command('--intensity', lab.path('day.json'),
                                      *lab.settings(drain_above='50')),
                          stderr=subprocess.PIPE, text=True) as child:
        wait_for(lambda: sum(line.endswith('down') for line in lab.changes()) == 2)
        name = next(line.split()[-2] for line in lab.changes() if line.endswith('down'))
        router = name.split('-')[0]
        lab.change(router, refuses=['ip'])
        lab.data(values=(10, 10, 10))
        said = wait_for_line(child, 'cannot bring back')
        check('a link that cannot be brought back: the message says it',
              f'{name}: cannot bring back: {router}: ip: Operation not permitted' in said, said)
        with open(lab.path('shut'), encoding='ascii') as file:
            check('a link that cannot be brought back is still known as shut',
                  json.load(file)[name]['shut'])
        lab.change(router, refuses=[])
        wait_for(lambda: lab.device(router, name)['up'])
        check('a link that could not be brought back: it is tried again',
              lab.device(router, name)['up'], lab.changes())
        child.send_signal(signal.SIGTERM)
        child.communicate()


def full_disk(lab):
    """What cannot be remembered is not shut, and a report is not what it is for."""
    lab.begin()
    lab.data()
    state = lab.path('states/shut')
    with subprocess.Popen(lab.command('--intensity', lab.path('day.json'), '--state', state,
                                      '--json', lab.path('none/report'),
                                      *lab.settings(drain_wait='2s')),
                          stderr=subprocess.PIPE, text=True) as child:
        wait_for(lambda: any('65535' in line for line in lab.changes()))
        shutil.rmtree(lab.path('states'))
        with open(lab.path('states'), 'w', encoding='ascii'):
            pass
        said = wait_for_line(child, 'cannot shut')
        child.send_signal(signal.SIGTERM)
        said += child.communicate()[1]
    check('a report that cannot be written: it says so, once, and goes on',
          said.count('no report: ') == 1, said)
    check('a state that cannot be written any more: nothing is shut, and it goes on',
          child.returncode == 0 and 'Traceback' not in said and
          not any(line.endswith('down') for line in lab.changes()), said)
    os.remove(lab.path('states'))


def over_ssh(lab):
    """The same routers behind a shell, which takes words apart."""
    lab.begin()
    lab.data()
    with open(lab.path('network'), encoding='ascii') as file:
        text = re.sub('run = .* ([abc])\n', f'run = {lab.path("ssh")} root@\\1\n', file.read())
    with open(lab.path('remote'), 'w', encoding='ascii') as file:
        file.write(text)
    with subprocess.Popen(lab.command('--intensity', lab.path('day.json'), '--network',
                                      lab.path('remote')),
                          stderr=subprocess.PIPE, text=True) as child:
        said = wait_for_line(child, 'shut ')
        child.send_signal(signal.SIGTERM)
        said += child.communicate()[1]
    check('over ssh: costs are set, a link is shut at both ends, and nothing is wrong',
          lab.device('a', 'a-b')['cost'] == 301 and 'warning' not in said and
          sum(line.endswith('down') for line in lab.changes()) == 2, said)


def journal(lab):
    """As systemd runs it, lines begin with their priority."""
    lab.begin()
    lab.data(text='{}')
    done = subprocess.run(lab.command('--once', '--intensity', lab.path('day.json')),
                          capture_output=True, text=True, timeout=60, check=False,
                          env=dict(os.environ, JOURNAL_STREAM='8:1'))
    check('in the journal a warning is one', '<4>not in the form of the API' in done.stderr,
          done.stderr)
    lab.data()


def install_as_written(source, root):
    """What its README has people install, but below ROOT."""
    copy = root + '-source'
    shutil.copytree(source, copy)
    # What clang makes.
    with open(os.path.join(copy, 'flows.bpf'), 'wb'):
        pass
    with open(os.path.join(source, 'README.md'), encoding='utf-8') as file:
        commands = [line.replace('sudo ', '').replace(' /', f' {root}/')
                    for line in file if line.startswith('sudo install ')]
    os.makedirs(os.path.join(root, 'etc'))
    subprocess.run(['sh', '-ec', ''.join(commands)], cwd=copy, check=True, timeout=60)


def units(lab):
    """The units of both daemons, as systemd reads them, with what they start in place."""
    policy = os.path.join(CARBON, '../policy')
    for name, source, target in (
            ('carbon-gears', CARBON, 'usr/local/lib/carbon-gears'),
            ('mpolice-flows', policy, None)):
        root = lab.path('root-' + name)
        unit = os.path.join(root, 'etc/systemd/system', name + '.service')
        if target:
            os.makedirs(os.path.dirname(unit))
            shutil.copytree(source, os.path.join(root, target))
            shutil.copy(os.path.join(source, name + '.service'), unit)
        else:
            install_as_written(source, root)
            with open(unit, encoding='utf-8') as file:
                words = file.read().split()
            check(f'{name}: what README has people install is what its unit names',
                  all(os.path.exists(root + word) for word in words if word[0] == '/'), words)
        done = subprocess.run(['systemd-analyze', 'verify', '--man=no', '--recursive-errors=no',
                               '--root', root, name + '.service'],
                              capture_output=True, text=True, timeout=60, check=False)
        check(f'{name}.service: systemd finds nothing wrong',
              done.returncode == 0 and not done.stderr, done.stderr)


def wait_for_line(child, text):
    """What it says until a line has TEXT; for a minute, and then it has to end."""
    said, timer = '', threading.Timer(60, child.kill)
    timer.start()
    for line in child.stderr:
        said += line
        if text in line:
            break
    timer.cancel()
    return said


def wait_for(condition):
    """Until it holds, for a minute of a host that may be slow."""
    for _ in range(1200):
        if condition():
            return
        time.sleep(0.05)


def test_forms():
    """What the API says."""
    text = json.dumps({'data': [{
        'from': '2026-01-15T00:00Z', 'to': '2026-01-15T00:30Z', 'regions': [
            {'regionid': 1, 'shortname': 'North Scotland',
             'intensity': {'forecast': 26, 'actual': 20}}]}]})
    periods = carbon.parse(text)
    got = carbon.at(periods, periods[0][0] + 60, ['1', 'North Scotland'], 0)[1]
    text = text.replace('[{"regionid"', '[{"regionid": 2, "intensity": {"forecast": null}}, '
                        '{"regionid"')
    check('a region without a value matters to nobody else',
          carbon.at(carbon.parse(text), periods[0][0] + 60, ['1'], 0)[1] == {'1': 20.0}, text)
    check('regions have numbers and names, and actual values go first',
          got == {'1': 20.0, 'North Scotland': 20.0}, got)


def test_recorded():
    """The day of the routers says where it is from."""
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, 'BTFiles'))
        with open(os.path.join(folder, 'BTFiles/winterInit.txt'), 'w', encoding='ascii') as file:
            file.write('7 ' * recorded.REGIONS + '\n')
        for what, day, source, count in (
                ('by the published data', recorded.day(folder), 'data of the paper', 1),
                ('without them', recorded.day(None), 'made up', recorded.HALF_HOURS)):
            periods = carbon.parse(json.dumps(day))
            check(f'a recorded day {what}: it says so', day['source'].startswith(source) and
                  len(periods) == count and len(periods[0][2]) == recorded.REGIONS, day)


def main():
    """All of them."""
    print('KTAP version 1')
    for name, function in list(globals().items()):
        if name.startswith('test_'):
            function()
    with tempfile.TemporaryDirectory() as folder:
        lab = Lab(folder)
        good_input(lab)
        bad_input(lab)
        still_bad(lab)
        frr_gone(lab)
        life(lab)
        bad_while_draining(lab)
        killed(lab)
        api(lab)
        ospfd_again(lab)
        schedule_costs(lab)
        late_answers(lab)
        refused(lab)
        full_disk(lab)
        over_ssh(lab)
        journal(lab)
        units(lab)
    return ended()


if __name__ == '__main__':
    sys.exit(main())
