#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Makes, looks up, lists and deletes very many actions mpolice, or gact.

    mpolice_scale.py COMMAND [OPTION...]

    make FIRST LAST --each N --step S   every Sth of the actions FIRST..LAST, N to a
                                bucket, which the first of them makes
    get FIRST LAST --count N    N of them at random, by index
    buckets FIRST LAST --count N    N buckets at random, by number; also prints how many
                                packets all actions of the last one have seen
    list                        all actions, then all buckets
    dump --count N              all buckets, N times, though some come and go meanwhile
                                (--ready FILE: makes FILE when it, or buckets, has once)
    change FIRST LAST --count N     changes N of them, one after the other: policies; or,
                                with --rate, the rate of their bucket; or, with --to,
                                the bucket that they draw from
    repoint FIRST LAST --count N    all actions of bucket FIRST to bucket LAST and back, N
                                times; action 1 makes the one that has gone
    delete FIRST LAST --step S  every Sth, by index
    flush                       all that are left

With --kind gact actions of that kind are made, changed and deleted instead. A message
has up to 32 actions. Prints a JSON object: how many, and the ns that 1,000 of them took;
of changes and deletions also what 1,000 of them take by the quickest message, which a host
that does other things meanwhile does not make longer.
"""

import argparse
import json
import random
import socket
import struct
import sys
import time

from netlink import (NETLINK_GENERIC, NLM_F_ACK, NLM_F_CREATE, NLM_F_DUMP, NLM_F_EXCL,
                     NLM_F_REPLACE, NLM_F_ROOT, Netlink, attr, attributes, attrs_of, genl, nest,
                     u32, u64)

RTM_NEWACTION, RTM_DELACTION, RTM_GETACTION = 48, 49, 50
TCA_ROOT_TAB, TCA_ROOT_FLAGS = 1, 2
TCA_ACT_KIND, TCA_ACT_OPTIONS, TCA_ACT_INDEX = 1, 2, 3
INDEX, POLICY, BUCKET, RATE = 2, 8, 11, 12
TCA_GACT_PARMS = 2
PER_MESSAGE = 32
MPOLICE_CMD_BUCKET_GET, MPOLICE_CMD_BUCKET_REPOINT = 1, 3
MPOLICE_A_BUCKET_ID, MPOLICE_A_BUCKET_TARGET, MPOLICE_A_BUCKET_STATS = 2, 3, 12


def kind_of(name):
    """The attribute that names a kind of actions."""
    return attr(TCA_ACT_KIND, name.encode() + b'\0')


KIND = kind_of('mpolice')


def table(entries):
    """The actions of a message."""
    return bytes(4) + nest(TCA_ROOT_TAB, *(
        nest(order, entry) for order, entry in enumerate(entries, 1)))


def in_batches(numbers):
    """Lists of as many as a message holds."""
    numbers = iter(numbers)
    while True:
        batch = [n for _, n in zip(range(PER_MESSAGE), numbers)]
        if not batch:
            return
        yield batch


def one(index, each):
    """The attributes of a new action."""
    bucket = (index - 1) // each + 1
    options = u32(INDEX, index) + u32(BUCKET, bucket) + u32(POLICY, index % 3)
    if (index - 1) % each == 0:
        options += u64(RATE, 10**6 + bucket)
    return KIND + nest(TCA_ACT_OPTIONS, options)


def one_gact(index):
    """The attributes of a new action that does nothing."""
    return kind_of('gact') + nest(TCA_ACT_OPTIONS, attr(
        TCA_GACT_PARMS, struct.pack('=IIiii', index, 0, 0, 0, 0)))


def make(link, args):
    """Makes actions in order."""
    numbers = range(args.first, args.last + 1, args.step)
    for batch in in_batches(numbers):
        entries = [one(index, args.each) if args.kind == 'mpolice' else
                   one_gact(index) for index in batch]
        for _ in link.answers(RTM_NEWACTION, NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL,
                              table(entries)):
            pass
    return len(numbers)


def took(link, command, flags, message):
    """Sends a message and reads what comes; returns ns."""
    begin = time.monotonic_ns()
    for _ in link.answers(command, flags, message):
        pass
    return time.monotonic_ns() - begin


def by_index(link, command, kind, numbers):
    """Asks about these actions, or deletes them."""
    count, least = 0, 10**15
    for batch in in_batches(numbers):
        ns = took(link, command, NLM_F_ACK, table(
            [kind_of(kind) + u32(TCA_ACT_INDEX, index)
             for index in batch]))
        least = min(least, ns * 1000 // len(batch))
        count += len(batch)
    return {'count': count, 'least_per_1000': least}


def get(link, args):
    """Looks up actions."""
    return by_index(link, RTM_GETACTION, args.kind,
                    [random.randint(args.first, args.last)
                     for _ in range(args.count)])


def delete(link, args):
    """Deletes actions."""
    return by_index(link, RTM_DELACTION, args.kind,
                    range(args.first, args.last + 1, args.step))


def change(link, args):
    """Gives actions another policy, rate or bucket, each with a message of its own."""
    least = 10**15
    for number in range(args.count):
        index = args.first + number % (args.last - args.first + 1)
        if args.rate:
            what = u64(RATE, args.rate + number % 2)
        elif args.to:
            what = u32(BUCKET, args.to)
        else:
            what = u32(POLICY, number % 3)
        entry = KIND + nest(TCA_ACT_OPTIONS, u32(INDEX, index) + what)
        if args.kind == 'gact':
            entry = one_gact(index)
        least = min(least, took(link, RTM_NEWACTION, NLM_F_ACK | NLM_F_REPLACE,
                                table([entry])))
    return {'count': args.count, 'least_per_1000': least * 1000}


def repoint(link, args):
    """Moves the actions of a bucket, and action 1 away from them."""
    family_link = Netlink(NETLINK_GENERIC)
    family = family_link.number_of('mpolice')
    left, target = args.first, args.last
    for _ in range(args.count):
        for _ in family_link.answers(family, NLM_F_ACK, genl(
                MPOLICE_CMD_BUCKET_REPOINT, u32(MPOLICE_A_BUCKET_ID, left) +
                u32(MPOLICE_A_BUCKET_TARGET, target))):
            pass
        entry = KIND + nest(TCA_ACT_OPTIONS, u32(INDEX, 1) + u32(BUCKET, left) +
                            u64(RATE, 10**6))
        for _ in link.answers(RTM_NEWACTION, NLM_F_ACK | NLM_F_REPLACE, table([entry])):
            pass
        left, target = target, left
    return args.count


def flush(link, _):
    """Deletes what is left."""
    for _ in link.answers(RTM_DELACTION, NLM_F_ACK | NLM_F_ROOT, table([KIND])):
        pass
    return 1


def ready(args):
    """Says so, as who waits for it wants to know."""
    if args.ready:
        with open(args.ready, 'w', encoding='ascii'):
            pass
        args.ready = None


def buckets(_, args):
    """Looks up buckets, and checks that it got the right ones."""
    link = Netlink(NETLINK_GENERIC)
    family = link.number_of('mpolice')
    for _ in range(args.count):
        number = random.randint(args.first, args.last)
        found = packets = None
        for payload in link.answers(family, NLM_F_ACK, genl(
                MPOLICE_CMD_BUCKET_GET, u32(MPOLICE_A_BUCKET_ID, number))):
            answer = attrs_of(payload[4:])
            found = answer[MPOLICE_A_BUCKET_ID]
            packets = sum(struct.unpack('=10Q', answer[MPOLICE_A_BUCKET_STATS])[::2])
        if found != struct.pack('=I', number):
            raise ValueError(f'asked for bucket {number}, got {found}')
        ready(args)
    return {'count': args.count, 'packets': packets}


def dump(_, args):
    """Lists all buckets."""
    link = Netlink(NETLINK_GENERIC)
    family = link.number_of('mpolice')
    for _ in range(args.count):
        for _ in link.answers(family, NLM_F_DUMP, genl(MPOLICE_CMD_BUCKET_GET)):
            pass
        ready(args)
    return args.count


def list_all(link, _):
    """Counts all actions and all buckets, each of which has to come once."""
    flags = attr(TCA_ROOT_FLAGS, struct.pack('=II', 1, 1))
    seen = set()
    count = 0
    for payload in link.answers(RTM_GETACTION, NLM_F_DUMP, table([KIND]) + flags):
        for kind, tab in attributes(payload[4:]):
            if kind != TCA_ROOT_TAB:
                continue
            for _, action in attributes(tab):
                options = attrs_of(action)[TCA_ACT_OPTIONS]
                seen.add(attrs_of(options)[INDEX])
                count += 1
    link = Netlink(NETLINK_GENERIC)
    numbers = [attrs_of(payload[4:])[MPOLICE_A_BUCKET_ID]
               for payload in link.answers(link.number_of('mpolice'), NLM_F_DUMP,
                                           genl(MPOLICE_CMD_BUCKET_GET))]
    return {'actions': len(seen), 'actions_twice': count - len(seen),
            'buckets': len(set(numbers)),
            'buckets_twice': len(numbers) - len(set(numbers))}


def main():
    """Command line."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest='command', required=True)
    for name, run in (('make', make), ('get', get), ('buckets', buckets),
                      ('dump', dump), ('list', list_all), ('change', change),
                      ('repoint', repoint),
                      ('delete', delete), ('flush', flush)):
        sub = commands.add_parser(name)
        sub.set_defaults(run=run)
        if name in ('list', 'flush'):
            continue
        sub.add_argument('--ready')
        if name == 'dump':
            sub.add_argument('--count', type=int, default=1)
            continue
        sub.add_argument('first', type=int)
        sub.add_argument('last', type=int)
        sub.add_argument('--each', type=int, default=10)
        sub.add_argument('--count', type=int, default=10000)
        sub.add_argument('--step', type=int, default=1)
        sub.add_argument('--rate', type=int)
        sub.add_argument('--to', type=int)
        sub.add_argument('--kind', choices=['mpolice', 'gact'],
                         default='mpolice')
    args = parser.parse_args()

    random.seed(1)
    link = Netlink(socket.NETLINK_ROUTE)
    begin = time.monotonic_ns()
    result = args.run(link, args)
    spent = time.monotonic_ns() - begin
    if not isinstance(result, dict):
        result = {'count': result}
    if result.get('count'):
        result['ns_per_1000'] = spent * 1000 // result['count']
    result['ms'] = spent // 10**6
    print(json.dumps(result))
    return 0


if __name__ == '__main__':
    sys.exit(main())
