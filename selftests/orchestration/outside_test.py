#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Tests of outside.py: each thing that must not be seen is noticed, and nothing else is.

Prints KTAP.
"""

import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
sys.dont_write_bytecode = True

# pylint: disable=wrong-import-position
import outside      # noqa: E402

LINKS = 'r1-r2 r2-r3 r3-r4 r4-r5 r5-r6 r6-r1 r1-r4 r2-r5 r3-r6'.split()
ROUTERS = [f'r{number}' for number in range(1, 7)]
RATE, FIRST, MOMENTS = 20e6, 1000, 120
# A second is an hour. All of it lasts six, of which five are looked at.
SETTINGS = {'links': LINKS, 'rate': RATE, 'headroom': 0.42, 'cycle': 1 / 3, 'hour': 1, 'hours': 5,
            'began': (FIRST + 6) * outside.STEP}
SHUT, BACK = 40, 80
LINK = 'r1-r4'


def judged(link_at):
    """The verdict, where LINK_AT(link, moment) is whether it is up, and its load."""
    rows, sent = {router: [] for router in ROUTERS}, {}
    for moment in range(MOMENTS):
        for link in LINKS:
            up, load = link_at(link, moment)
            ends = link.split('-')
            for router, other in (ends, ends[::-1]):
                end = router, other
                sent[end] = sent.get(end, 0) + int(load * RATE / 8 * outside.STEP)
                rows[router].append(f'{FIRST + moment} to-{other} {int(up)} {sent[end]}\n')
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, f'outside-{router}') for router in ROUTERS]
        for router, path in zip(ROUTERS, paths):
            with open(path, 'w', encoding='ascii') as file:
                file.writelines(rows[router])
        return outside.judge(SETTINGS, paths)


def down(link, moment):
    """Of the link that is shut for a while."""
    return link == LINK and SHUT <= moment < BACK


def drained(link, moment):
    """What it should be."""
    return not down(link, moment), 0 if link == LINK and moment > 30 else 0.2


def undrained(link, moment):
    """It carries something until it is shut."""
    return not down(link, moment), 0.2


def full(link, moment):
    """Others are too full when it is shut."""
    return not down(link, moment), drained(link, moment)[1] and 0.5


def forgotten(link, moment):
    """Others become too full, and it does not come back."""
    load = 0.5 if moment >= 60 else 0.2
    return not (link == LINK and moment >= SHUT), 0 if link == LINK and moment > 30 else load


def alone(link, moment):
    """A router has no link."""
    return not ('r1' in link and SHUT <= moment < BACK), 0


def main():
    """All of them."""
    count = bad = 0

    def check(name, good, found):
        nonlocal count, bad
        count += 1
        bad += not good
        print(f'{"ok" if good else "not ok"} {count} - {name}\n# {found}')

    print('KTAP version 1')
    found = judged(drained)
    check('a link that goes and comes is seen at its hours',
          found['shut'] == [[1.7, LINK]] and found['back'] == [[3.7, LINK]], found)
    check('and what it carried until it was drained', found['before'] == [
        [LINK, 10 * int(0.2 * RATE / 8 * outside.STEP)]], found)
    check('nothing else is', (found['cut_off'], found['carried'], found['full_too_long']) ==
          (0, 0, 0) and found['full_at_shut'] <= 0.42, found)
    check('the mean of links that are up', abs(found['up'] - 8.6) < 1e-6, found)
    found = judged(undrained)
    check('a link that was not drained', found['carried'] >= 1250, found)
    found = judged(full)
    check('a link that is shut while others are full', found['full_at_shut'] > 0.42, found)
    found = judged(forgotten)
    check('a link that does not come back', found['full_too_long'] > 4, found)
    found = judged(alone)
    check('a router that is cut off', found['cut_off'] == BACK - SHUT, found)
    costs = [{'from': a, 'to': b, 'cost': str(cost)} for a, b, cost in (
        ('r1', 'r2', 1), ('r2', 'r1', 9), ('r2', 'r3', 1), ('r3', 'r2', 9), ('r1', 'r3', 2),
        ('r3', 'r1', 20), ('r3', 'r4', 1))]
    found = outside.ways(costs, ['h1', 'h3'])
    check('ways: the cheapest, both of two that cost the same, and none over half a link',
          found == [['r1', 'h3', ['r2', 'r3']], ['r2', 'h1', ['r1']], ['r2', 'h3', ['r3']],
                    ['r3', 'h1', ['r2']]], found)
    print(f'1..{count}')
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
