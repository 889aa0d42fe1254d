#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Makes, looks up, lists and deletes very many actions mpolice, or gact.

    mpolice_scale.py COMMAND [OPTION...]

    make FIRST LAST --each N --step S   every Sth of the actions FIRST..LAST, N to a
                                bucket, which the first of them makes
    get FIRST LAST --count N    N of them at random, by index
    buckets FIRST LAST --count N    N buckets at random, by number
    list                        all actions, then all buckets
    delete FIRST LAST --step S  every Sth, by index
    flush                       all that are left

With --kind gact actions of that kind are made and deleted instead. A message has up
to 32 actions. Prints a JSON object: how many, and the ns that 1,000 of them took.
"""

import argparse
import json
import random
import socket
import struct
import sys
import time

# Not known to older Pythons.
NETLINK_GENERIC = 16
NLMSG = struct.Struct('=IHHII')
ATTR = struct.Struct('=HH')
NLMSG_ERROR, NLMSG_DONE = 2, 3
NLM_F_REQUEST, NLM_F_ACK, NLM_F_DUMP = 0x1, 0x4, 0x300
NLM_F_ROOT, NLM_F_EXCL, NLM_F_CREATE = 0x100, 0x200, 0x400
NLA_F_NESTED = 0x8000
RTM_NEWACTION, RTM_DELACTION, RTM_GETACTION = 48, 49, 50
TCA_ROOT_TAB, TCA_ROOT_FLAGS = 1, 2
TCA_ACT_KIND, TCA_ACT_OPTIONS, TCA_ACT_INDEX = 1, 2, 3
INDEX, POLICY, BUCKET, RATE = 2, 8, 11, 12
TCA_GACT_PARMS = 2
PER_MESSAGE = 32
GENL_ID_CTRL, CTRL_CMD_GETFAMILY = 16, 3
CTRL_ATTR_FAMILY_ID, CTRL_ATTR_FAMILY_NAME = 1, 2
MPOLICE_CMD_BUCKET_GET, MPOLICE_A_BUCKET_ID = 1, 2


def attr(kind, data):
    """One attribute."""
    return ATTR.pack(len(data) + 4, kind) + data + bytes(-len(data) % 4)


def attr32(kind, value):
    """A u32."""
    return attr(kind, struct.pack('=I', value))


def kind_of(name):
    """The attribute that names a kind of actions."""
    return attr(TCA_ACT_KIND, name.encode() + b'\0')


KIND = kind_of('mpolice')


def attributes(data):
    """Yields type and payload."""
    at = 0
    while at + 4 <= len(data):
        length, kind = ATTR.unpack_from(data, at)
        if length < 4:
            return
        yield kind & 0x3fff, data[at + 4:at + length]
        at += (length + 3) & ~3


class Netlink:
    """One socket."""

    def __init__(self, protocol):
        self.sock = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, protocol)
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
        self.sock.bind((0, 0))

    def ask(self, kind, flags, body):
        """Yields the payloads of the answer; an error is an exception."""
        self.sock.send(NLMSG.pack(NLMSG.size + len(body), kind,
                                  flags | NLM_F_REQUEST, 0, 0) + body)
        while True:
            data = self.sock.recv(1 << 16)
            at = 0
            while at + NLMSG.size <= len(data):
                length, kind, _, _, _ = NLMSG.unpack_from(data, at)
                if kind == NLMSG_DONE:
                    return
                if kind == NLMSG_ERROR:
                    error = -struct.unpack_from('=i', data, at + NLMSG.size)[0]
                    if error:
                        raise OSError(error, 'netlink')
                    return
                yield data[at + NLMSG.size:at + length]
                at += (length + 3) & ~3

    def family(self, name):
        """The number of a generic netlink family."""
        body = (struct.pack('=BBH', CTRL_CMD_GETFAMILY, 1, 0) +
                attr(CTRL_ATTR_FAMILY_NAME, name.encode() + b'\0'))
        for payload in self.ask(GENL_ID_CTRL, NLM_F_ACK, body):
            for kind, data in attributes(payload[4:]):
                if kind == CTRL_ATTR_FAMILY_ID:
                    number = struct.unpack('=H', data)[0]
        return number


def table(entries):
    """The actions of a message."""
    return bytes(4) + attr(TCA_ROOT_TAB | NLA_F_NESTED, b''.join(
        attr(order | NLA_F_NESTED, entry)
        for order, entry in enumerate(entries, 1)))


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
    options = attr32(INDEX, index) + attr32(BUCKET, bucket)
    options += attr32(POLICY, index % 3)
    if (index - 1) % each == 0:
        options += attr(RATE, struct.pack('=Q', 10**6 + bucket))
    return KIND + attr(TCA_ACT_OPTIONS | NLA_F_NESTED, options)


def one_gact(index):
    """The attributes of a new action that does nothing."""
    return kind_of('gact') + attr(TCA_ACT_OPTIONS | NLA_F_NESTED, attr(
        TCA_GACT_PARMS, struct.pack('=IIiii', index, 0, 0, 0, 0)))


def make(link, args):
    """Makes actions in order."""
    numbers = range(args.first, args.last + 1, args.step)
    for batch in in_batches(numbers):
        entries = [one(index, args.each) if args.kind == 'mpolice' else
                   one_gact(index) for index in batch]
        for _ in link.ask(RTM_NEWACTION, NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL,
                          table(entries)):
            pass
    return len(numbers)


def by_index(link, command, kind, numbers):
    """Asks about these actions, or deletes them."""
    count = 0
    for batch in in_batches(numbers):
        for _ in link.ask(command, NLM_F_ACK, table(
                [kind_of(kind) + attr32(TCA_ACT_INDEX, index)
                 for index in batch])):
            pass
        count += len(batch)
    return count


def get(link, args):
    """Looks up actions."""
    return by_index(link, RTM_GETACTION, args.kind,
                    [random.randint(args.first, args.last)
                     for _ in range(args.count)])


def delete(link, args):
    """Deletes actions."""
    return by_index(link, RTM_DELACTION, args.kind,
                    range(args.first, args.last + 1, args.step))


def flush(link, _):
    """Deletes what is left."""
    for _ in link.ask(RTM_DELACTION, NLM_F_ACK | NLM_F_ROOT, table([KIND])):
        pass
    return 1


def buckets(_, args):
    """Looks up buckets, and checks that it got the right ones."""
    link = Netlink(NETLINK_GENERIC)
    family = link.family('mpolice')
    head = struct.pack('=BBH', MPOLICE_CMD_BUCKET_GET, 1, 0)
    for _ in range(args.count):
        number = random.randint(args.first, args.last)
        found = None
        for payload in link.ask(family, NLM_F_ACK,
                                head + attr32(MPOLICE_A_BUCKET_ID, number)):
            found = dict(attributes(payload[4:]))[MPOLICE_A_BUCKET_ID]
        if found != struct.pack('=I', number):
            raise ValueError(f'asked for bucket {number}, got {found}')
    return args.count


def list_all(link, _):
    """Counts all actions and all buckets, each of which has to come once."""
    flags = attr(TCA_ROOT_FLAGS, struct.pack('=II', 1, 1))
    seen = set()
    count = 0
    for payload in link.ask(RTM_GETACTION, NLM_F_DUMP, table([KIND]) + flags):
        for kind, tab in attributes(payload[4:]):
            if kind != TCA_ROOT_TAB:
                continue
            for _, action in attributes(tab):
                options = dict(attributes(action))[TCA_ACT_OPTIONS]
                seen.add(dict(attributes(options))[INDEX])
                count += 1
    link = Netlink(NETLINK_GENERIC)
    numbers = [dict(attributes(payload[4:]))[MPOLICE_A_BUCKET_ID]
               for payload in link.ask(
                   link.family('mpolice'), NLM_F_DUMP,
                   struct.pack('=BBH', MPOLICE_CMD_BUCKET_GET, 1, 0))]
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
                      ('list', list_all), ('delete', delete),
                      ('flush', flush)):
        sub = commands.add_parser(name)
        sub.set_defaults(run=run)
        if name in ('list', 'flush'):
            continue
        sub.add_argument('first', type=int)
        sub.add_argument('last', type=int)
        sub.add_argument('--each', type=int, default=10)
        sub.add_argument('--count', type=int, default=10000)
        sub.add_argument('--step', type=int, default=1)
        sub.add_argument('--kind', choices=['mpolice', 'gact'],
                         default='mpolice')
    args = parser.parse_args()

    random.seed(1)
    link = Netlink(socket.NETLINK_ROUTE)
    begin = time.monotonic_ns()
    result = args.run(link, args)
    took = time.monotonic_ns() - begin
    if not isinstance(result, dict):
        result = {'count': result, 'ns_per_1000': took * 1000 // result}
    result['ms'] = took // 10**6
    print(json.dumps(result))
    return 0


if __name__ == '__main__':
    sys.exit(main())
