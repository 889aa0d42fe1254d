#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Reads the counters of a device's qdiscs, and of the ramps' classes.

    sample.py show DEV
    sample.py watch DEV FOLDER LEAST

show prints all of them as a JSON object: .qdiscs by handle, .classes by class.
watch reads the ramps at random moments until FOLDER/enough exists, and prints a JSON
object: how many readings, and of each ramp in how many of them packets were waiting,
and in how many something had moved since the one before; and the readings that
contradict
    enqueued + split_extra = dequeued + dropped + queued
of a qdisc or of a class. When it has seen packets wait, and move, LEAST times in
each ramp, it makes FOLDER/seen. A reading is one netlink message, whose counters
were taken together; starting tc for each would be slow.
"""

import argparse
import json
import os
import random
import socket
import struct
import sys
import time

from netlink import (NLM_F_DUMP, RTM_GETQDISC, RTM_GETTCLASS, TC_H_ROOT,
                     TCA_KIND, TCA_STATS2, TCA_STATS_APP, Tc, attrs_of)

TCA_STATS_BASIC, TCA_STATS_QUEUE = 1, 3
TCMSG = struct.Struct('=BxxxiIII')
BASIC = struct.Struct('=QI')
QUEUE = struct.Struct('=IIIII')
# struct tc_ramp_xstats and tc_ramp_class_xstats, which only grow at their end.
QDISC = struct.Struct('=II17Q')
QDISC_NAMES = ('state', 'allowance_unit', 'allowance', 'enqueued', 'dequeued',
               'dropped', 'queued', 'surges_up', 'surges_down', 'surges_self',
               'down_empty', 'ramps', 'ramps_done', 'ramps_turned', 'ticks',
               'ticks_late', 'ramp_ns', 'delayed', 'split_extra')
CLASS = struct.Struct('=II5Q')
CLASS_NAMES = ('limit', 'exempt', 'enqueued', 'dequeued', 'dropped', 'queued',
               'split_extra')


def handle(number):
    """Prints it as tc does: 2: is a qdisc, 2:1 a class."""
    minor = number & 0xffff
    return f'{number >> 16:x}:' + (f'{minor:x}' if minor else '')


class Reader(Tc):
    """Asks for the qdiscs and classes of a device."""

    def __init__(self, device):
        super().__init__(socket.if_nametoindex(device))

    def counted(self, request):
        """Yields tcm_handle, tcm_parent and the attributes of each answer."""
        for payload in self.answers(request, NLM_F_DUMP,
                                    self.message(b'', 0, 0)):
            _, ifindex, number, parent, _ = TCMSG.unpack_from(payload)
            if ifindex == self.ifindex:
                yield number, parent, attrs_of(payload[TCMSG.size:])

    def read(self, request):
        """Returns the counters by handle; those of ramps with their own."""
        layout, names = ((QDISC, QDISC_NAMES) if request == RTM_GETQDISC else
                         (CLASS, CLASS_NAMES))
        found = {}
        for number, parent, tca in self.counted(request):
            kind = tca[TCA_KIND].rstrip(b'\0').decode()
            if request == RTM_GETTCLASS and kind != 'ramp':
                continue
            stats = attrs_of(tca.get(TCA_STATS2, b''))
            one = {'kind': kind, 'parent': 'root' if parent == TC_H_ROOT else
                   handle(parent)}
            if TCA_STATS_BASIC in stats:
                one.update(zip(('bytes', 'packets'),
                               BASIC.unpack_from(stats[TCA_STATS_BASIC])))
            if TCA_STATS_QUEUE in stats:
                one.update(zip(('qlen', 'backlog', 'drops', 'requeues',
                                'overlimits'),
                               QUEUE.unpack_from(stats[TCA_STATS_QUEUE])))
            if kind == 'ramp':
                one.update(zip(names, layout.unpack_from(
                    stats[TCA_STATS_APP])))
            found[handle(number)] = one
        return found

    def show(self):
        """Returns all that there is."""
        return {'qdiscs': self.read(RTM_GETQDISC),
                'classes': self.read(RTM_GETTCLASS)}


def agrees(count):
    """Does the invariant hold?"""
    return (count['enqueued'] + count['split_extra'] ==
            count['dequeued'] + count['dropped'] + count['queued'])


class Watch:
    """Reads and judges until it is told to stop."""

    def __init__(self):
        self.result = {'samples': 0, 'bad': 0, 'examples': [], 'ramps': {}}
        self.last = {}

    def add(self, now):
        """One more reading."""
        self.result['samples'] += 1
        for name, count in (*now['qdiscs'].items(), *now['classes'].items()):
            if count['kind'] == 'ramp' and not agrees(count):
                self.result['bad'] += 1
                if len(self.result['examples']) < 3:
                    self.result['examples'].append({name: count})
        for name, count in now['qdiscs'].items():
            if count['kind'] != 'ramp':
                continue
            seen = self.result['ramps'].setdefault(
                name, {'waiting': 0, 'moved': 0, 'queued_max': 0})
            moved = (count['enqueued'], count['dequeued'])
            seen['waiting'] += count['queued'] > 0
            seen['moved'] += moved != self.last.setdefault(name, moved)
            seen['queued_max'] = max(seen['queued_max'], count['queued'])
            self.last[name] = moved

    def has_seen(self, least):
        """Idle ramps prove nothing."""
        ramps = self.result['ramps'].values()
        return ramps and all(min(ramp['waiting'], ramp['moved']) >= least
                             for ramp in ramps)

    def run(self, reader, folder, least):
        """Until FOLDER/enough exists."""
        random.seed(1)
        while not os.path.exists(folder + '/enough'):
            # A moment that nothing else knows of. Asleep, since polling the
            # clock would stop the time where work costs none.
            time.sleep(random.uniform(0.0002, 0.003))
            self.add(reader.show())
            if self.has_seen(least):
                with open(folder + '/seen', 'w', encoding='ascii'):
                    pass
        return self.result


def main():
    """Command line."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest='command', required=True)
    for name in ('show', 'watch'):
        sub = commands.add_parser(name)
        sub.add_argument('device')
        if name == 'watch':
            sub.add_argument('folder')
            sub.add_argument('least', type=int)
    args = parser.parse_args()

    reader = Reader(args.device)
    if args.command == 'show':
        print(json.dumps(reader.show()))
    else:
        print(json.dumps(Watch().run(reader, args.folder, args.least)))
    return 0


if __name__ == '__main__':
    sys.exit(main())
