#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Compares what was sent, what a ramp's classes counted, and what arrived.

    func_children.py held STATS
    func_children.py judge [--unordered] LIB SIZE STATS PCAP SENT KIND...

STATS is what lib/sample.py shows, PCAP a capture, SENT what ramp-send printed, one
line for each run. Of K KINDs (see RULES) number N is in class 2:N+1; the frames of
streams N, N + K, ... went there, of SIZE bytes each.

held is for a ramp that holds packets: do qdisc, classes and children agree on how
many? judge is for the end, when nothing waits. Both print a line for each that is
wrong; judge also prints what it saw, after a #. With --unordered the receiver itself
may have lost the order.
"""

import argparse
import json
import sys
from collections import namedtuple

# refuses: what does not get in is all that is lost (refused or silently lost, but
#     counted as a drop); otherwise the child takes a packet and loses another
# loses: it drops some of what it took
# orders: packets arrive in the order in which they were sent
# proof: what has to be seen, or the test has not tested that child
Rule = namedtuple('Rule', 'refuses loses orders proof')
RULES = {
    'fifo': Rule(True, False, True, 'refused'),
    'pfifo': Rule(True, False, True, 'refused'),
    'pfifo_fast': Rule(True, False, True, 'received'),
    'prio': Rule(True, False, True, 'received'),
    'plug': Rule(True, False, True, 'received'),
    'htb': Rule(True, False, True, 'received'),
    'hfsc': Rule(True, False, True, 'received'),
    'drr': Rule(True, False, True, 'received'),
    'ets': Rule(True, False, True, 'received'),
    'ramp': Rule(True, False, True, 'refused'),
    'tbf': Rule(True, False, True, 'refused'),
    'fq': Rule(True, False, True, 'drops'),
    'codel': Rule(True, True, True, 'dropped'),
    'fq_codel': Rule(False, True, True, 'dropped'),
    'sfq': Rule(False, True, True, 'dropped'),
    'cake': Rule(False, True, True, 'dropped'),
    'red': Rule(False, True, True, 'dropped'),
    'delay': Rule(True, False, False, 'received'),
    'loss': Rule(True, False, True, 'silent'),
    'reorder': Rule(True, False, False, 'reordered'),
    'duplicate': Rule(True, False, False, 'doubled'),
}


def check_band(rule, got, ordered):
    """Yields what is wrong with a band."""
    if got['queued'] or got['qlen'] or got['backlog']:
        yield f'{got["queued"]} packets, {got["backlog"]} bytes wait'
    if (got['enqueued'] + got['split_extra'] !=
            got['dequeued'] + got['dropped'] + got['queued']):
        yield 'enqueued + split_extra is not dequeued + dropped + queued'
    if got['received'] + got['doubled'] != got['dequeued']:
        yield 'what arrived is not what was dequeued'
    if got['packets'] != got['dequeued']:
        yield 'packets are not what was dequeued'
    if got['bytes'] != got['dequeued'] * got['size']:
        yield 'bytes are not those of what was dequeued'
    if got['split_extra']:
        yield 'nothing was to be split'
    if got['drops'] < got['refused']:
        yield 'drops are less than what the sender was refused'

    # A copy is enqueued as if somebody had sent it.
    lost = got['drops'] if rule.refuses else got['refused']
    if got['enqueued'] != got['offered'] + got['copies'] - lost:
        yield 'enqueued is not what was sent and accepted'
    if got['dropped'] and not rule.loses:
        yield 'it lost what it had taken'
    if rule.orders and ordered and got['reordered']:
        yield 'packets were reordered'
    if got['doubled'] and rule.proof != 'doubled':
        yield 'packets were doubled'
    if not got[rule.proof]:
        yield f'nothing {rule.proof}: this proves nothing'


def judge(args):
    """Looks at each band, then at their sum."""
    sys.path.insert(0, args.lib)
    import capture
    with open(args.stats, encoding='ascii') as file:
        stats = json.load(file)
    with open(args.sent, encoding='ascii') as file:
        runs = [json.loads(line) for line in file]
    streams = {}
    for frame in capture.frames(args.pcap):
        streams.setdefault(frame.stream, []).append(frame)

    total = {}
    for index, kind in enumerate(args.kind):
        name = f'2:{index + 1:x}'
        got = dict(stats['classes'][name], size=args.size)
        for key in ('sent', 'refused'):
            got[key] = sum(run['streams'][index][key] for run in runs)
        got['offered'] = got['sent'] + got['refused']
        verdicts = [capture.check(streams.get(number, [])) for number in
                    range(index, len(args.kind) * len(runs), len(args.kind))]
        for key in ('received', 'doubled', 'reordered'):
            got[key] = sum(getattr(verdict, key) for verdict in verdicts)
        got['copies'] = got['silent'] = 0
        if kind == 'duplicate':
            got['copies'] = got['doubled']
        if kind == 'loss':
            got['silent'] = got['drops'] - got['refused']
        print(f'# {name} {kind}:', *(f'{key} {got[key]}' for key in (
            'offered', 'refused', 'drops', 'enqueued', 'dequeued', 'dropped',
            'received', 'doubled', 'reordered')))
        for why in check_band(RULES[kind], got, not args.unordered):
            print(f'{name} {kind}: {why}')
        for key in ('enqueued', 'dequeued', 'dropped', 'queued', 'split_extra',
                    'packets', 'bytes'):
            total[key] = total.get(key, 0) + got[key]

    whole = stats['qdiscs']['2:']
    for key, value in total.items():
        if whole[key] != value:
            print(f'{key}: {whole[key]}, but those of the classes are {value}')
    for name, one in stats['qdiscs'].items():
        if one['qlen'] or one['backlog']:
            print(f'{name} {one["kind"]} still has {one["qlen"]} packets, '
                  f'{one["backlog"]} bytes')


def held(args):
    """Compares the levels of the tree."""
    with open(args.stats, encoding='ascii') as file:
        stats = json.load(file)
    ramp = stats['qdiscs']['2:']
    classes = {name: one for name, one in stats['classes'].items()
               if one['parent'] == '2:'}
    for key, whole in (('qlen', 'qlen'), ('backlog', 'backlog'),
                       ('queued', 'qlen')):
        total = sum(one[key] for one in classes.values())
        if total != ramp[whole]:
            print(f'{whole} {ramp[whole]}, but {key} of the classes {total}')
    if ramp['qlen'] != ramp['queued']:
        print(f'qlen {ramp["qlen"]}, but queued {ramp["queued"]}')
    for name, one in stats['qdiscs'].items():
        if one['parent'] not in classes:
            continue
        for key in ('qlen', 'backlog'):
            mine = classes[one['parent']][key]
            if one[key] != mine:
                print(f'{key} {mine} of class {one["parent"]}, but '
                      f'{one[key]} of {one["kind"]} {name}')
    if not ramp['qlen']:
        print('nothing waits: this proves nothing')


def main():
    """Command line."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest='command', required=True)
    sub = commands.add_parser('held')
    sub.add_argument('stats')
    sub = commands.add_parser('judge')
    sub.add_argument('--unordered', action='store_true')
    sub.add_argument('lib')
    sub.add_argument('size', type=int)
    for name in ('stats', 'pcap', 'sent'):
        sub.add_argument(name)
    sub.add_argument('kind', nargs='+', choices=RULES)
    args = parser.parse_args()
    if args.command == 'held':
        held(args)
    else:
        judge(args)
    return 0


if __name__ == '__main__':
    sys.exit(main())
