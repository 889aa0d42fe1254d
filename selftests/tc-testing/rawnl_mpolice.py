#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
Sends actions mpolice and their family of buckets what tc would never send: wrong
lengths, truncated and unknown attributes, values out of range, commands without
the rights for them. Each must be refused with an error and a message, which names
the parameter where there is one, and must leave all actions and buckets as they
were.

Runs as root in a network namespace of its own (unshare -n). Prints KTAP.
"""

import errno
import os
import random
import re
import struct
import subprocess
import sys

from rawnl_ktap import Ktap
from rawnl_mpolice_cases import (BYTES_BUCKET, CONFIG, IN_RANGE, NO_BUCKET,
                                 OTHER_BUCKET, PACKETS_BUCKET, add_cases,
                                 change_cases, differing_cases, genl_cases,
                                 number)
from rawnl_mpolice_msg import (
    BUCKET, BUCKET_GET, BUCKET_REPOINT, BUCKET_SET, BURST, B_BURST, B_ID,
    B_RATE, B_TARGET, B_USERS, DROP, INDEX, POLICY, RATE, RTM_NEWACTION, TCA_ACT_OPTIONS, THRESHOLD,
    Actions, Buckets, State)
from netlink import (NLA_F_NESTED, NLM_F_CREATE, NLM_F_DUMP, NLM_F_REPLACE,
                     NLMSG_DONE, NLMSG_ERROR, attr, genl, nest, u32, u64)

# In messages of a list; in those of one that does not fit together.
NLM_F_MULTI, NLM_F_DUMP_INTR = 2, 0x10
# Buckets that take several messages, and the number of the first.
MANY, FIRST_OF_MANY = 600, 100000

# Makes NO_BUCKET.
FILTER = (f'tc qdisc add dev lo clsact && tc filter add dev lo ingress matchall '
          f'action mpolice bucket {NO_BUCKET} rate 40kbit policy drop && ')


class Test:
    """The configuration, and what is done to it."""

    def __init__(self, planned):
        self.actions = Actions()
        self.configure()
        self.buckets = Buckets()
        self.state = State(self.actions, self.buckets)
        self.before = self.state.shown()
        self.ktap = Ktap(planned)

    def configure(self):
        """Makes what CONFIG says, and nothing else."""
        self.actions.flush()
        for options in CONFIG:
            err, text = self.actions.modify(nest(TCA_ACT_OPTIONS, options))
            if err:
                print(f'Bail out! cannot add mpolice: errno {err} "{text}"')
                sys.exit(1)

    def result(self, name, wrong):
        """Prints a result, and mends what was broken."""
        after = self.state.shown()
        if after != self.before:
            wrong = wrong or 'it left another configuration'
            self.configure()
            self.before = self.state.shown()
        self.ktap.result(name, wrong)

    def refused(self, name, answer, pattern,
                numbers=(errno.EINVAL, errno.ERANGE)):
        """A message that must be refused in one of these ways."""
        err, text = answer
        wrong = ''
        if not err:
            wrong = f'was accepted, message: "{text}"'
        elif self.state.shown() != self.before:
            wrong = f'refused ("{text}"), but the configuration changed'
        elif err not in numbers:
            wrong = f'{errno.errorcode.get(err, err)}, message "{text}"'
        elif not re.search(f'^(?:{pattern})' if pattern != '.' else '.', text):
            wrong = f'errno {err}, but the message is "{text}"'
        self.result(name, wrong)

    def accepted(self, name, answer, wrong=''):
        """A message that must be accepted; wrong: what is wrong after it."""
        err, text = answer
        self.result(name, f'errno {err} "{text}"' if err else wrong)


def test_refusals(test):
    """Every malformed option, as a change, and as an add."""
    for name, options, pattern in change_cases():
        test.refused(f'change: {name}', test.actions.modify(
            attr(TCA_ACT_OPTIONS | NLA_F_NESTED, options)), pattern)
    for name, options, pattern in add_cases():
        test.refused(f'add: {name}', test.actions.add(
            attr(TCA_ACT_OPTIONS | NLA_F_NESTED, options)), pattern)
    for name, options in differing_cases():
        test.refused(f'add: another {name} than the bucket has',
                     test.actions.add(nest(TCA_ACT_OPTIONS, options)),
                     f'{name}: not what is in force', (errno.EEXIST,))
    gone = u32(BUCKET, NO_BUCKET)
    for name, answer in (
            ('change', test.actions.modify(
                nest(TCA_ACT_OPTIONS, u32(INDEX, 1), gone))),
            ('add', test.actions.add(
                nest(TCA_ACT_OPTIONS, gone, u32(POLICY, DROP))))):
        test.refused(f'{name}: a bucket that does not exist', answer,
                     'bucket: does not exist', (errno.ENOENT,))


def test_genl_refusals(test):
    """Every malformed command of the family."""
    for cmd, name, attrs, pattern in genl_cases():
        test.refused(name, test.buckets.ask(cmd, attrs), pattern)
    for cmd, name, more in (
            (BUCKET_GET, 'get', b''), (BUCKET_SET, 'set', u64(B_RATE, 5000)),
            (BUCKET_REPOINT, 'repoint', u32(B_TARGET, BYTES_BUCKET))):
        test.refused(f'{name}: a bucket that does not exist',
                     test.buckets.ask(cmd, u32(B_ID, NO_BUCKET), more),
                     'bucket', (errno.ENOENT,))
    test.refused('repoint: to a bucket that does not exist',
                 test.buckets.ask(BUCKET_REPOINT, u32(B_ID, BYTES_BUCKET),
                                  u32(B_TARGET, NO_BUCKET)),
                 'target', (errno.ENOENT,))
    for cmd in (0, 4, 255):
        err, _ = test.buckets.ask(cmd, u32(B_ID, BYTES_BUCKET))
        test.result(f'command {cmd} of the family',
                    '' if err == errno.EOPNOTSUPP else f'errno {err}')


def test_in_range(test):
    """The first and the last values of each range."""
    for name, kind, bucket_kind, size, values in IN_RANGE:
        for value in values:
            wanted = struct.pack('I' if size == 4 else 'Q', value)
            answer = test.actions.modify(nest(TCA_ACT_OPTIONS, u32(INDEX, 1),
                                              number(kind, size, value)))
            got = test.actions.all()[1].get(kind)
            wrong = '' if got == wanted else f'shows {got}'
            if bucket_kind and not wrong:
                got = test.buckets.all()[BYTES_BUCKET].get(bucket_kind)
                wrong = '' if got == wanted else f'the bucket shows {got}'
            test.configure()
            test.accepted(f'change: {name} {value}', answer, wrong)
            if not bucket_kind:
                continue
            answer = test.buckets.ask(BUCKET_SET, u32(B_ID, BYTES_BUCKET),
                                      number(bucket_kind, size, value))
            got = [action[kind] for index, action
                   in sorted(test.actions.all().items()) if index < 3]
            test.configure()
            test.accepted(f'set: {name} {value}', answer,
                          '' if got == [wanted] * 2 else f'actions show {got}')


def test_changes(test):
    """What looks odd, but is right."""
    index = u32(INDEX, 1)
    test.accepted('a change of nothing',
                  test.actions.modify(nest(TCA_ACT_OPTIONS, index)))
    answer = test.actions.modify(nest(TCA_ACT_OPTIONS, index,
                                      u64(THRESHOLD, 6), u64(THRESHOLD, 7)))
    got = test.actions.all()[1][THRESHOLD]
    test.configure()
    test.accepted('of duplicates the last wins', answer,
                  '' if got == struct.pack('Q', 7) else f'threshold {got}')
    test.accepted('an add that repeats the bucket', test.actions.modify(
        nest(TCA_ACT_OPTIONS, u32(INDEX, 1), u32(BUCKET, BYTES_BUCKET),
             u64(RATE, 1000000), u64(BURST, 100000), u32(POLICY, DROP))))
    test.refused('an index that exists', test.actions.add(
        nest(TCA_ACT_OPTIONS, index, u32(BUCKET, BYTES_BUCKET),
             u32(POLICY, DROP))), 'index', (errno.EEXIST,))
    test.refused('several actions, the last of them no good',
                 test.actions.ask_message(
                     RTM_NEWACTION, NLM_F_CREATE, test.actions.message(
                         *(test.actions.entry(nest(
                             TCA_ACT_OPTIONS, u32(BUCKET, number_),
                             u64(RATE, rate), u32(POLICY, DROP)))
                           for number_, rate in ((NO_BUCKET, 5000),
                                                 (NO_BUCKET, 5000),
                                                 (NO_BUCKET, 0))))), 'rate')


def test_repoint(test):
    """All actions of a bucket draw from another one, and it is gone."""
    answer = test.buckets.ask(BUCKET_REPOINT, u32(B_ID, BYTES_BUCKET),
                              u32(B_TARGET, OTHER_BUCKET))
    buckets = test.buckets.all()
    users = struct.unpack('I', buckets[OTHER_BUCKET][B_USERS])[0]
    named = [struct.unpack('I', action[BUCKET])[0]
             for _, action in sorted(test.actions.all().items())]
    test.configure()
    test.accepted('repoint: all move, the bucket is gone', answer,
                  '' if BYTES_BUCKET not in buckets and users == 3 and
                  named == [OTHER_BUCKET, OTHER_BUCKET, PACKETS_BUCKET,
                            OTHER_BUCKET] else
                  f'buckets {list(buckets)}, users {users}, named {named}')


def test_genl_get(test):
    """One bucket shows what a list of all shows of it."""
    wanted = test.buckets.all()[BYTES_BUCKET]
    test.buckets.send_message(test.buckets.family, 0, genl(
        BUCKET_GET, u32(B_ID, BYTES_BUCKET)))
    got = []
    for kind, _, payload in test.buckets.messages():
        if kind == test.buckets.family:
            got.append(payload[4:])
    again = attr_names(got[0]) if len(got) == 1 else None
    test.result('get: one bucket', '' if again == sorted(wanted)
                else f'{len(got)} answers, attributes {again}')


def test_list_changes(test):
    """A list says when there are other buckets in its end than in its beginning."""
    def make(ident):
        err, text = test.actions.add(nest(
            TCA_ACT_OPTIONS, u32(BUCKET, ident), u64(RATE, 5000),
            u32(POLICY, DROP)))
        return f'bucket {ident}: errno {err} "{text}"' if err else ''

    wrong = ''
    for new in range(FIRST_OF_MANY, FIRST_OF_MANY + MANY):
        wrong = wrong or make(new)
    said = []
    for changes in (False, True):
        buckets = Buckets()
        buckets.send_message(buckets.family, NLM_F_DUMP, genl(BUCKET_GET))
        parts, flags, done = 0, 0, False
        while not done:
            for kind, more, _ in buckets.messages():
                flags |= more
                if kind == buckets.family and not more & NLM_F_MULTI:
                    wrong = wrong or 'a part does not say that there are others'
                done = done or kind in (NLMSG_DONE, NLMSG_ERROR)
            parts += 1
            if changes and parts == 1:
                wrong = wrong or make(FIRST_OF_MANY + MANY)
        said.append((bool(flags & NLM_F_DUMP_INTR), parts > 3))
    if not wrong and said != [(False, True), (True, True)]:
        wrong = f'said so, in several messages: {said}'
    test.configure()
    test.result('list: says that buckets have come meanwhile', wrong)


def attr_names(data):
    """The types of the attributes in data, which must not repeat."""
    found = []
    while len(data) >= 4:
        size, kind = struct.unpack_from('HH', data)
        found.append(kind)
        data = data[(size + 3) & ~3:]
    return sorted(found)


def test_truncated(test):
    """Messages that end anywhere."""
    full = test.actions.message(test.actions.entry(nest(
        TCA_ACT_OPTIONS, u32(INDEX, 1), u64(THRESHOLD, 77))))
    wrong = ''
    # Of a message without a family rtnetlink takes no notice.
    for size in range(1, len(full)):
        err, text = test.actions.ask_message(
            RTM_NEWACTION, NLM_F_CREATE | NLM_F_REPLACE, full[:size])
        if not err or test.state.shown() != test.before:
            wrong = wrong or f'{size} bytes: errno {err} "{text}"'
    test.result('change: cut at each place', wrong)

    full = genl(BUCKET_SET, u32(B_ID, BYTES_BUCKET), u64(B_BURST, 77777))
    wrong = ''
    for size in range(len(full)):
        err, text = test.buckets.ask_message(test.buckets.family, 0,
                                             full[:size])
        if not err or test.state.shown() != test.before:
            wrong = wrong or f'{size} bytes: errno {err} "{text}"'
    test.result('set: cut at each place', wrong)


def random_attributes(rng, most):
    """A few attributes, or the beginning of some."""
    options = b''
    for _ in range(rng.randrange(1, 5)):
        payload = rng.randbytes(rng.choice((0, 1, 4, 4, 8, 8, 8, 20, 80)))
        flag = rng.choice((0, 0, 0, NLA_F_NESTED))
        options += attr(rng.randrange(0, most) | flag, payload)
    if rng.randrange(4) == 0:
        options = options[:rng.randrange(len(options))]
    return options


def test_random(test, rounds=500):
    """Random attributes: what is refused changes nothing."""
    seed = 12388757
    rng = random.Random(seed)
    wrong = ''
    refusals = 0
    before = test.before
    for i in range(rounds):
        if rng.randrange(2):
            err, text = test.actions.modify(attr(
                TCA_ACT_OPTIONS | NLA_F_NESTED,
                u32(INDEX, 1) + random_attributes(rng, 24)))
        else:
            err, text = test.buckets.ask(
                rng.choice((BUCKET_SET, BUCKET_REPOINT, BUCKET_GET)),
                u32(B_ID, BYTES_BUCKET) + random_attributes(rng, 16))
        after = test.state.shown()
        if err and after != before:
            wrong = f'round {i} of seed {seed} changed it ("{text}")'
        if err and not text:
            wrong = f'round {i} of seed {seed}: no message, errno {err}'
        refusals += bool(err)
        before = after
    test.configure()
    test.result(f'{rounds} random messages', wrong or (
        '' if refusals > rounds // 2 else f'only {refusals} were refused'))


def probe():
    """
    What somebody may do who is not, or is, root of this network namespace.
    Prints the errno of each attempt.
    """
    actions = Actions()
    new = nest(TCA_ACT_OPTIONS, u32(BUCKET, NO_BUCKET), u64(RATE, 5000),
               u32(POLICY, DROP))
    print('add', actions.add(new)[0])
    buckets = Buckets()
    for bucket in (BYTES_BUCKET, NO_BUCKET):
        ident = u32(B_ID, bucket)
        print('get', buckets.ask(BUCKET_GET, ident)[0])
        print('set', buckets.ask(BUCKET_SET, ident, u64(B_RATE, 5001))[0])
        print('repoint', buckets.ask(BUCKET_REPOINT, ident,
                                     u32(B_TARGET, OTHER_BUCKET))[0])
    print('list', *sorted(buckets.all()))


def test_rights(test):
    """Others, in user and network namespaces of their own and of others."""
    no, none = errno.EPERM, errno.ENOENT
    denied = (f'add {no} get 0 set {no} repoint {no} '
              f'get {none} set {no} repoint {no} '
              f'list {BYTES_BUCKET} {PACKETS_BUCKET} {OTHER_BUCKET}')
    own = (f'add 0 get {none} set {none} repoint {none} '
           f'get 0 set 0 repoint {none} list {NO_BUCKET}')
    # Actions without a filter are for the machine's root.
    filtered = own.replace('add 0', f'add {no}')
    for name, command, wanted in (
            ('nobody changes nothing',
             ('setpriv', '--reuid=65534', '--clear-groups'), denied),
            ('root of another user namespace changes nothing',
             ('unshare', '-Ur'), denied),
            ('root of a network namespace has buckets of its own',
             ('unshare', '-n'), own),
            ('root of a user and a network namespace has them by filters',
             ('unshare', '-Urn', 'sh', '-c', FILTER + 'exec "$@"', 'sh'),
             filtered)):
        run = subprocess.run(
            (*command, sys.executable, '-B', os.path.abspath(__file__),
             '--probe'), capture_output=True, text=True, check=False)
        got = ' '.join(run.stdout.split())
        test.result(name, '' if got == wanted
                    else f'"{got}" {run.stderr.strip()!r}')


def main():
    """Plans, and tests."""
    if sys.argv[1:] == ['--probe']:
        probe()
        return 0
    planned = (len(list(change_cases())) + len(list(add_cases())) +
               len(list(genl_cases())) + 5 + 2 + 4 + 3 +
               sum(len(row[4]) * (2 if row[2] else 1) for row in IN_RANGE) +
               5 + 1 + 1 + 1 + 2 + 1 + 4)
    test = Test(planned)
    test_refusals(test)
    test_genl_refusals(test)
    test_in_range(test)
    test_changes(test)
    test_repoint(test)
    test_genl_get(test)
    test_list_changes(test)
    test_truncated(test)
    test_random(test)
    test_rights(test)
    test.actions.flush()
    return test.ktap.ended()


if __name__ == '__main__':
    sys.exit(main())
