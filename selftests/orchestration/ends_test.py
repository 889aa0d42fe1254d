#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Tests of carbon-gears without FRR: what it does before it knows loads, in which order it
moves traffic, and what it leaves behind when it ends, in whatever way.

Prints KTAP.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time

from controller_test import (CARBON, TRIANGLE, Lab, check, ended, even, fakebox, network_of,
                             plan, planner_of, wait_for, wait_for_line)


def all_up(lab):
    """Whether nothing is down."""
    with open(lab.path('boxes'), encoding='ascii') as file:
        return all(one['up'] for box in json.load(file).values()
                   for one in box['devices'].values())


def is_shut(lab):
    """Whether a link is, at both ends."""
    return sum(line.endswith('down') for line in lab.changes()) == 2


def known_as_shut(lab):
    """What the next controller is told."""
    with open(lab.path('shut'), encoding='ascii') as file:
        return [name for name, one in json.load(file).items() if one['shut']]


def start(lab, *arguments, **settings):
    """A controller."""
    return subprocess.Popen(lab.command('--intensity', lab.path('day.json'), *arguments,
                                        *lab.settings(**settings)),
                            stderr=subprocess.PIPE, text=True)


# ---- loads that are not known


def test_unmeasured():
    """What was not measured is not taken for nothing."""
    network = network_of(TRIANGLE)
    planner = plan.Planner(network, 0)
    check('before loads are measured nothing is drained', not planner.step(1e6, even(network)))
    planner = planner_of(network)
    planner.states['a-b'].load = None
    check('while one load is not known nothing is drained', not planner.step(1e6, even(network)))


def test_not_met():
    """A link that came back counts when its ends know each other, and not before."""
    network = network_of(TRIANGLE, min_up=0, settle=60, drain_wait=30)
    planner = planner_of(network)
    planner.states['a-b'].mode = plan.SHUT
    planner.states['b-c'].load = 0.61
    done = planner.step(1e6, even(network))
    check('a link that is full brings one back', done[0][:2] == ('back', 'a-b'), done)
    planner.returned('a-b', 1e6)
    planner.states['b-c'].load = 0.0
    done = [planner.step(1e6 + later, even(network)) for later in range(10, 60, 10)]
    check('a link that came back and has no neighbour yet does not replace another one',
          not any(done), done)
    planner.states['a-b'].met = True
    done = planner.step(1e6 + 60, even(network))
    check('when its ends know each other one is drained', [one[0] for one in done] == ['drain'],
          done)
    next(state for state in planner.states.values() if state.mode == plan.UP).met = False
    done = planner.step(1e6 + 70, even(network))
    check('a drain is given up at once when a router would be cut off',
          [one[0] for one in done] == ['undrain'], done)


def test_returning():
    """What was not told to both ends is asked for again, whatever was why."""
    network = network_of(TRIANGLE, drain_above=50)
    planner = planner_of(network)
    planner.states['a-b'].mode = plan.SHUT
    planner.step(1e6, even(network, 10.0))
    done = planner.step(1e6 + 10, even(network, 300.0))
    check('a link that returns is brought back once more', done[0][:2] == ('back', 'a-b'), done)
    check('and carries nothing meanwhile', 'a-b' not in planner.in_service())


def loaded(lab):
    """Routers whose links are half full, with ports that an earlier controller has limited."""
    lab.begin()
    lab.data()
    boxes = json.loads(json.dumps(lab.boxes))
    for box in boxes.values():
        for device in box['devices'].values():
            # Half of 1 Gbit/s is too much for the gear in the middle.
            device.update(load=5e8, top=1, gears=[12.5e6, 25e6, 125e6])
    fakebox.store(lab.path('boxes'), boxes)


def ranges_before_costs(lab):
    """The changes, up to the first cost, of ranges."""
    first = next((i for i, line in enumerate(lab.changes()) if 'ospf cost' in line), 0)
    return sorted(' '.join(line.split()[i] for i in (0, 5, 9))
                  for line in lab.changes()[:first] if 'gear-range' in line)


ALL_PORTS = sorted(f'{router} {link} none' for link in TRIANGLE for router in link.split('-'))


def first_cycle(lab):
    """Of a network that carries something."""
    loaded(lab)
    status, said = lab.once()
    check('half full, --once: nothing is drained', status == 0 and 'drain' not in said and
          not any('65535' in line for line in lab.changes()), said)
    check('half full, --once: all ports have all gears before a cost changes',
          ranges_before_costs(lab) == ALL_PORTS, lab.changes())
    loaded(lab)
    with start(lab, cycle='200ms') as child:
        wait_for(lambda: any('ospf cost' in line for line in lab.changes()))
        time.sleep(5)
        child.send_signal(signal.SIGTERM)
        said = child.communicate()[1]
    check('half full: nothing is drained, in no cycle', 'drain' not in said and
          not any('65535' in line for line in lab.changes()), said)
    check('half full: all ports have all gears before a cost changes',
          ranges_before_costs(lab) == ALL_PORTS, lab.changes())
    check('half full: no range is too low for it', not any(
        'gear-range 1:1' in line for line in lab.changes()), lab.changes())


def limited_ports(changes):
    """How many ports were limited whenever a cost changed or a link came up; and at the end."""
    tops, moments = {}, []
    for line in changes:
        words = line.split()
        if 'gear-range' in words:
            tops[words[0], words[5]] = words[9]
        elif 'cost' in words or words[-1] == 'up':
            moments.append(sum(top != 'none' for top in tops.values()))
    return moments, sum(top != 'none' for top in tops.values())


def gears_in_order(lab):
    """Gears are there before traffic is, and stay when the controller goes."""
    lab.begin()
    lab.data()
    with start(lab) as child:
        wait_for(lambda: is_shut(lab) and any('gear-range 1:1' in line for line in lab.changes()))
        lab.data(values=(10, 310, 210))
        wait_for(lambda: any('cost 311' in line for line in lab.changes()))
        # As soon as a port is limited again, which is while others are not.
        wait_for(lambda: 'gear-range 1:1' in lab.changes()[-1])
        child.send_signal(signal.SIGTERM)
        said = child.communicate()[1]
    moments, left = limited_ports(lab.changes())
    check('gears are limited where the load is small', sum(
        'gear-range 1:1' in line for line in lab.changes()) >= 6, said)
    check('no port is limited when a cost changes or a link comes up', not any(moments),
          (moments, lab.changes()))
    check('after SIGTERM all ports have all gears', left == 0, lab.changes())


def stranger(lab):
    """A link that comes back and finds nobody."""
    lab.begin()
    lab.data()
    with start(lab, settle='1h', drain_above='50') as child:
        said = wait_for_line(child, 'shut ')
        name = said.split('shut ')[1].split()[0]
        wait_for(lambda: is_shut(lab))
        for router in name.split('-'):
            with open(lab.path('boxes'), encoding='ascii') as file:
                devices = json.load(file)[router]['devices']
            devices[name]['adjacent'] = 0
            lab.change(router, devices=devices)
        lab.data(values=(10, 10, 10))
        said = wait_for_line(child, f'back {name}')
        lab.data()
        time.sleep(3)
        child.send_signal(signal.SIGTERM)
        said += child.communicate()[1]
    check('while a link that came back has no neighbour nothing is drained',
          'drain ' not in said, said)


# ---- how it ends


def twice(lab):
    """As a terminal and sudo tell it."""
    lab.begin()
    lab.data()
    with start(lab) as child:
        wait_for(lambda: is_shut(lab))
        child.send_signal(signal.SIGTERM)
        child.send_signal(signal.SIGINT)
        said = child.communicate()[1]
    check('told to end, twice: exit status 0, and all links are up',
          child.returncode == 0 and all_up(lab) and 'Traceback' not in said, said)


def begun(lab, up):
    """How many slow commands have begun."""
    if not os.path.exists(lab.path('boxes.begun')):
        return 0
    with open(lab.path('boxes.begun'), encoding='ascii') as file:
        return sum(line.split()[-1] == ('up' if up else 'down') for line in file)


def halfway(lab):
    """It ends while a link comes back: before an end was told, and when one was."""
    for told in (0, 1):
        for what, why, end in (('power that is clean again', 'data', signal.SIGTERM),
                               ('power that is clean again', 'data', signal.SIGKILL),
                               ('SIGTERM', 'signal', signal.SIGKILL)):
            lab.begin()
            lab.data()
            if os.path.exists(lab.path('boxes.begun')):
                os.remove(lab.path('boxes.begun'))
            name = f'{end.name} while {what} brings a link back, {told} of 2 ends told'
            with start(lab, drain_above='50') as child:
                wait_for(lambda: is_shut(lab) and known_as_shut(lab))
                for router in 'abc':
                    lab.change(router, slow=1)
                if why == 'data':
                    lab.data(values=(10, 10, 10))
                else:
                    child.send_signal(signal.SIGTERM)
                wait_for(lambda told=told: begun(lab, True) == told + 1)
                child.send_signal(end)
                said = child.communicate()[1]
            if end == signal.SIGTERM:
                check(f'{name}: it is up at both ends, and nothing is known as shut',
                      all_up(lab) and not known_as_shut(lab) and child.returncode == 0, said)
                continue
            check(f'{name}: it is known', len(known_as_shut(lab)) == 1 and not all_up(lab), said)
            with start(lab) as child:
                wait_for_line(child, 'shut before')
                child.send_signal(signal.SIGTERM)
                said = child.communicate()[1]
            check(f'{name}: the next one brings it back', all_up(lab) and not known_as_shut(lab),
                  said)


def cannot_come_back(lab):
    """A router that refuses when all is over."""
    lab.begin()
    lab.data()
    with start(lab) as child:
        wait_for(lambda: is_shut(lab) and known_as_shut(lab))
        name = known_as_shut(lab)[0]
        lab.change(name[0], refuses=['ip'])
        child.send_signal(signal.SIGTERM)
        said = child.communicate()[1]
    check('a link that cannot be brought back at the end: exit status 1, and it is known',
          child.returncode == 1 and known_as_shut(lab) == [name] and
          f'{name}: cannot bring back' in said, said)


def second(lab):
    """Two controllers with one state."""
    lab.begin()
    lab.data()
    with start(lab) as child:
        wait_for(lambda: is_shut(lab))
        status, said = lab.once()
        check('a second controller with the same state: exit status 2, and the message says it',
              status == 2 and 'another controller has ' in said, f'{status}: {said}')
        status, said = lab.once('--dry-run')
        check('what changes nothing may run beside it', status == 0, said)
        child.send_signal(signal.SIGTERM)
        child.communicate()


BROKEN = f'''
import runpy, sys
sys.path.insert(0, {CARBON!r})
sys.dont_write_bytecode = True
import plan
step = plan.Planner.step
def breaks(self, *arguments):
    if any(state.mode == plan.SHUT for state in self.states.values()):
        raise RuntimeError('out of the blue')
    return step(self, *arguments)
plan.Planner.step = breaks
sys.argv[0] = {os.path.join(CARBON, 'carbon-gears')!r}
runpy.run_path(sys.argv[0], run_name='__main__')
'''


def broken(lab):
    """What nobody has thought of."""
    lab.begin()
    lab.data()
    done = subprocess.run([sys.executable, '-c', BROKEN, *lab.command(
        '--intensity', lab.path('day.json'))[1:]], capture_output=True, text=True, timeout=120,
        check=False)
    check('an error that nobody has thought of: exit status 1, and all links are up',
          done.returncode == 1 and 'RuntimeError: out of the blue' in done.stderr and
          all_up(lab) and 'back ' in done.stderr and 'Traceback' not in done.stderr, done.stderr)


def odd_words(lab):
    """What is no UTF-8."""
    lab.begin()
    lab.data()
    lab.change('b', odd=True)
    status, said = lab.once()
    check('a router that says no UTF-8: exit status 3, and the message names it',
          status == 3 and 'b: ip said no JSON' in said and 'Traceback' not in said, said)


def main():
    """All of them."""
    print('KTAP version 1')
    test_unmeasured()
    test_not_met()
    test_returning()
    with tempfile.TemporaryDirectory() as folder:
        lab = Lab(folder)
        first_cycle(lab)
        gears_in_order(lab)
        stranger(lab)
        twice(lab)
        halfway(lab)
        cannot_come_back(lab)
        second(lab)
        broken(lab)
        odd_words(lab)
    return ended()


if __name__ == '__main__':
    sys.exit(main())
