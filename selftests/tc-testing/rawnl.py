#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
Sends the ramp qdisc what tc would never send: wrong lengths, truncated and
unknown attributes, values out of range, garbage. Each must be refused with a
message, which names the parameter where there is one, and must leave the running
configuration as it was.

Runs as root in a network namespace of its own (unshare -n). Prints KTAP.
"""

import random
import re
import socket
import struct
import subprocess
import sys

NLMSG_ERROR = 2
NLMSG_DONE = 3
RTM_NEWQDISC = 36
RTM_DELQDISC = 37
RTM_GETQDISC = 38
NLM_F_REQUEST = 0x1
NLM_F_ACK = 0x4
NLM_F_ACK_TLVS = 0x200
NLM_F_DUMP = 0x300
NLM_F_EXCL = 0x200
NLM_F_CREATE = 0x400
SOL_NETLINK = 270
NETLINK_CAP_ACK = 10
NETLINK_EXT_ACK = 11
NLMSGERR_ATTR_MSG = 1
NLA_F_NESTED = 0x8000
NLA_TYPE_MASK = 0x3fff
TCA_KIND = 1
TCA_OPTIONS = 2
TC_H_ROOT = 0xffffffff
HANDLE = 0x10000

# include/uapi/linux/ramp.h
(PAD, LIMIT, RATE, DETECT, QUEUE, INGRESS, WINDOW, MONITOR, TICK, START, STEP,
 PAUSE, HOLD, DOWN_STEP, FLOOR, CEASE, LIMIT_NOW, LIMIT_NEED,
 RATE_NOW) = range(1, 20)
UNIT, LOW, HIGH = 2, 3, 4
VALUE = 3
PACKETS, BYTES, PPS, PERCENT = range(4)

U64_MAX = 2**64 - 1


def attr(kind, payload):
    """One attribute, padded."""
    size = 4 + len(payload)
    return struct.pack('HH', size, kind) + payload + bytes(-size % 4)


def u8(kind, value):
    """An attribute of one byte."""
    return attr(kind, struct.pack('B', value))


def u32(kind, value):
    """An attribute of four bytes."""
    return attr(kind, struct.pack('I', value))


def u64(kind, value):
    """An attribute of eight bytes."""
    return attr(kind, struct.pack('Q', value))


def nest(kind, *attrs):
    """A nested attribute."""
    return attr(kind | NLA_F_NESTED, b''.join(attrs))


def level(kind, unit, low, high):
    """A level, LOW:HIGH."""
    return nest(kind, u32(UNIT, unit), u64(LOW, low), u64(HIGH, high))


def amount(kind, unit, value):
    """An amount."""
    return nest(kind, u32(UNIT, unit), u64(VALUE, value))


def attrs_of(data):
    """The attributes in data, by type; of duplicates the last."""
    found = {}
    while len(data) >= 4:
        size, kind = struct.unpack_from('HH', data)
        if size < 4:
            break
        found[kind & NLA_TYPE_MASK] = data[4:size]
        data = data[(size + 3) & ~3:]
    return found


class Tc:
    """Talks to the kernel about the root qdisc of one device."""

    def __init__(self, ifindex):
        self.ifindex = ifindex
        self.sock = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW,
                                  socket.NETLINK_ROUTE)
        self.sock.bind((0, 0))
        self.sock.setsockopt(SOL_NETLINK, NETLINK_EXT_ACK, 1)
        self.sock.setsockopt(SOL_NETLINK, NETLINK_CAP_ACK, 1)
        self.sock.settimeout(10)

    def send(self, kind, flags, body):
        """Sends one message about the device."""
        tcm = struct.pack('BxxxiIII', socket.AF_UNSPEC, self.ifindex, HANDLE,
                          TC_H_ROOT, 0)
        body = tcm + body
        self.sock.send(struct.pack('IHHII', 16 + len(body), kind,
                                   flags | NLM_F_REQUEST, 1, 0) + body)

    def messages(self):
        """The messages of one answer, as (type, flags, payload)."""
        data = self.sock.recv(1 << 18)
        while len(data) >= 16:
            size, kind, flags = struct.unpack_from('IHH', data)
            yield kind, flags, data[16:size]
            data = data[(size + 3) & ~3:]

    def ask(self, kind, flags, body):
        """Sends a message; returns (errno, extack message)."""
        self.send(kind, flags | NLM_F_ACK, body)
        while True:
            for answer, aflags, payload in self.messages():
                if answer != NLMSG_ERROR:
                    continue
                err = -struct.unpack_from('i', payload)[0]
                text = b''
                if aflags & NLM_F_ACK_TLVS:
                    # Behind the error and the header of the request.
                    tlvs = attrs_of(payload[20:])
                    text = tlvs.get(NLMSGERR_ATTR_MSG, b'')
                return err, text.rstrip(b'\0').decode()

    def modify(self, options, flags=0):
        """add (with flags) or change, with the options given as bytes."""
        return self.ask(RTM_NEWQDISC, flags, attr(TCA_KIND, b'ramp\0') +
                        options)

    def add(self, options=b''):
        """Creates the qdisc."""
        return self.modify(options, NLM_F_CREATE | NLM_F_EXCL)

    def remove(self):
        """Deletes the qdisc."""
        return self.ask(RTM_DELQDISC, 0, b'')

    def shown(self):
        """The options of the ramp at the root, or None."""
        result = None
        done = False
        self.send(RTM_GETQDISC, NLM_F_DUMP, b'')
        while not done:
            for kind, _, payload in self.messages():
                if kind in (NLMSG_DONE, NLMSG_ERROR):
                    done = True
                elif kind == RTM_NEWQDISC:
                    ifindex, = struct.unpack_from('i', payload, 4)
                    found = attrs_of(payload[20:])
                    if (ifindex == self.ifindex and
                            found.get(TCA_KIND) == b'ramp\0'):
                        result = found.get(TCA_OPTIONS, b'')
        return result


def level_cases(name, kind, good, wrong):
    """Malformed levels. good and wrong are units it does and does not take."""
    yield f'{name}: no nest flag', attr(kind, u32(UNIT, good)), name
    yield f'{name}: empty', nest(kind), name
    yield f'{name}: one byte', attr(kind | NLA_F_NESTED, b'\1'), name
    yield f'{name}: garbage', attr(kind | NLA_F_NESTED, b'\xa5' * 23), name
    yield (f'{name}: LOW without HIGH',
           nest(kind, u32(UNIT, good), u64(LOW, 100)), name)
    yield (f'{name}: HIGH without LOW',
           nest(kind, u32(UNIT, good), u64(HIGH, 100)), name)
    yield (f'{name}: no unit', nest(kind, u64(LOW, 1), u64(HIGH, 2)), name)
    yield f'{name}: unit only', nest(kind, u32(UNIT, good)), name
    yield f'{name}: unit 99', level(kind, 99, 1, 2), name
    yield f'{name}: unit 2^32 - 1', level(kind, 2**32 - 1, 1, 2), name
    for unit in wrong:
        yield f'{name}: unit {unit} of others', level(kind, unit, 1, 2), name
    yield (f'{name}: unit of one byte',
           nest(kind, u8(UNIT, good), u64(LOW, 1), u64(HIGH, 2)), name)
    yield (f'{name}: LOW of four bytes',
           nest(kind, u32(UNIT, good), u32(LOW, 1), u64(HIGH, 2)), name)
    yield (f'{name}: HIGH of no bytes',
           nest(kind, u32(UNIT, good), u64(LOW, 1), attr(HIGH, b'')), name)
    yield (f'{name}: an unknown attribute',
           nest(kind, u32(UNIT, good), u64(LOW, 1), u64(HIGH, 2),
                u32(77, 0)), name)
    yield (f'{name}: attribute 0',
           nest(kind, u32(UNIT, good), u64(LOW, 1), u64(HIGH, 2),
                u32(0, 0)), name)
    yield (f'{name}: bytes left over', attr(
        kind | NLA_F_NESTED, u32(UNIT, good) + u64(LOW, 1) + u64(HIGH, 2) +
        b'\0\0'), name)
    yield f'{name}: LOW above HIGH', level(kind, good, 2, 1), name
    yield f'{name}: 10001 hundredths', level(kind, PERCENT, 1, 10001), name
    yield f'{name}: HIGH 2^64 - 1', level(kind, PERCENT, 1, U64_MAX), name
    yield f'{name}: both 2^64 - 1', level(kind, good, U64_MAX, U64_MAX), name


def amount_cases(name, kind):
    """Malformed amounts."""
    yield f'{name}: no nest flag', attr(kind, u32(UNIT, PERCENT)), name
    yield f'{name}: empty', nest(kind), name
    yield f'{name}: garbage', attr(kind | NLA_F_NESTED, b'\x5a' * 21), name
    yield f'{name}: no unit', nest(kind, u64(VALUE, 5)), name
    yield f'{name}: no value', nest(kind, u32(UNIT, PERCENT)), name
    yield f'{name}: unit 99', amount(kind, 99, 5), name
    yield f'{name}: unit of ingress', amount(kind, PPS, 5), name
    yield (f'{name}: value of four bytes',
           nest(kind, u32(UNIT, PERCENT), u32(VALUE, 5)), name)
    yield (f'{name}: unit of eight bytes',
           nest(kind, u64(UNIT, PERCENT), u64(VALUE, 5)), name)
    yield (f'{name}: an unknown attribute',
           nest(kind, u32(UNIT, PERCENT), u64(VALUE, 500), u32(9, 0)), name)
    for unit in (PACKETS, BYTES, PERCENT):
        yield f'{name}: 0 of unit {unit}', amount(kind, unit, 0), name
        yield (f'{name}: 2^64 - 1 of unit {unit}',
               amount(kind, unit, U64_MAX), name)
    yield f'{name}: 10001 hundredths', amount(kind, PERCENT, 10001), name


def scalar_cases():
    """Malformed numbers."""
    sizes = ((b'', 'no bytes'), (b'\1', 'one byte'), (b'\1\0', 'two bytes'),
             (bytes(12), 'twelve bytes'))
    for name, kind, right in (('limit', LIMIT, 4), ('rate', RATE, 8),
                              ('detect', DETECT, 4), ('window', WINDOW, 8),
                              ('monitor', MONITOR, 8), ('tick', TICK, 8),
                              ('pause', PAUSE, 8), ('hold', HOLD, 8),
                              ('cease', CEASE, 4)):
        for payload, size in sizes:
            yield f'{name}: {size}', attr(kind, payload), name
        yield f'{name}: {12 - right} bytes', attr(kind, bytes(12 - right)), name
        yield (f'{name}: an unexpected nest flag',
               attr(kind | NLA_F_NESTED, bytes(right)), name)
        biggest = b'\xff' * right
        yield f'{name}: all bits set', attr(kind, biggest), name
    for name, kind in (('detect', DETECT), ('cease', CEASE)):
        yield f'{name}: 99', u32(kind, 99), name
    for name, kind in (('window', WINDOW), ('monitor', MONITOR),
                       ('tick', TICK)):
        yield f'{name}: 0', u64(kind, 0), name
        yield f'{name}: 2^63', u64(kind, 2**63), name
    yield 'rate: 999 bytes/s', u64(RATE, 999), 'rate'
    yield 'rate: 2^40 + 1 bytes/s', u64(RATE, 2**40 + 1), 'rate'
    yield 'limit: 2^20 + 1', u32(LIMIT, 2**20 + 1), 'limit'


def structure_cases():
    """What is wrong with the options as a whole: any message will do."""
    good = u32(LIMIT, 500)
    yield 'unknown attribute 20', u32(20, 1), '.'
    yield 'unknown attribute 16383', u32(0x3fff, 1), '.'
    yield 'attribute 0', u32(0, 1), '.'
    yield 'padding with content', attr(PAD, bytes(8)), '.'
    for name, options in (('limit_now', u32(LIMIT_NOW, 5)),
                          ('limit_need', u32(LIMIT_NEED, 5)),
                          ('rate_now', u64(RATE_NOW, 10**9))):
        yield f'{name} is only in answers', options, name
    for n in (1, 2, 3):
        yield f'{n} bytes left over', good + b'\1' * n, '.'
    yield 'attribute shorter than its header', good + b'\3\0\2\0', '.'
    yield 'attribute longer than the options', good + b'\x28\0\2\0' * 2, '.'
    yield 'attribute of length 0', good + bytes(4), '.'
    yield ('half of the options: good, then bad', good + u64(TICK, 1), 'tick')
    yield ('half of the options: bad, then good', u64(TICK, 1) + good, 'tick')
    # Percent of an explicit rate would be fine, packets are not.
    yield ('start and step of different kinds',
           amount(START, PACKETS, 2) + amount(STEP, PERCENT, 500),
           'start|step')


def all_cases():
    """(name, bytes, what the message must match) of all malformed options."""
    yield from structure_cases()
    yield from scalar_cases()
    yield from level_cases('queue', QUEUE, PACKETS, (BYTES, PPS))
    yield from level_cases('ingress', INGRESS, BYTES, (PACKETS,))
    yield ('queue: LOW 0', level(QUEUE, PACKETS, 0, 5), 'queue')
    for name, kind in (('start', START), ('step', STEP),
                       ('down-step', DOWN_STEP), ('floor', FLOOR)):
        yield from amount_cases(name, kind)


class Ktap:
    """Counts and prints results."""

    def __init__(self, planned):
        self.count = 0
        self.failed = 0
        print('KTAP version 1')
        print(f'1..{planned}')

    def result(self, name, wrong):
        """wrong: what went wrong, or an empty string."""
        self.count += 1
        if wrong:
            self.failed += 1
            print(f'# {wrong}')
        print(f"{'not ok' if wrong else 'ok'} {self.count} {name}",
              flush=True)


def refused(tc, options, pattern, before):
    """What is wrong with the answer to a change, or an empty string."""
    err, text = tc.modify(options)
    after = tc.shown()
    if not err:
        return f'was accepted, message: "{text}"'
    if after != before:
        return f'refused ("{text}"), but the configuration changed'
    if not re.search(rf'^(?:{pattern})' if pattern != '.' else '.', text):
        return f'errno {err}, but the message is "{text}"'
    return ''


def test_refusals(tc, ktap):
    """Every malformed option, as a change."""
    before = tc.shown()
    for name, options, pattern in all_cases():
        wrapped = attr(TCA_OPTIONS | NLA_F_NESTED, options)
        wrong = refused(tc, wrapped, pattern, before)
        ktap.result(name, wrong)
        if before != tc.shown():
            tc.remove()
            tc.add(CONFIG)
    ktap.result('options without the nest flag',
                refused(tc, attr(TCA_OPTIONS, u32(LIMIT, 500)), '.', before))


def test_accepted(tc, ktap):
    """What looks odd, but is right."""
    before = tc.shown()
    err, text = tc.modify(b'')
    same = tc.shown() == before
    ktap.result('a change without options changes nothing',
                '' if not err and same else f'errno {err} "{text}"')
    err, text = tc.modify(attr(TCA_OPTIONS | NLA_F_NESTED, b''))
    same = tc.shown() == before
    ktap.result('a change with empty options changes nothing',
                '' if not err and same else f'errno {err} "{text}"')
    err, text = tc.modify(nest(TCA_OPTIONS, u32(LIMIT, 600), u32(LIMIT, 700)))
    limit = struct.unpack('I', attrs_of(tc.shown())[LIMIT])[0]
    ktap.result('of duplicates the last wins',
                '' if not err and limit == 700
                else f'errno {err} "{text}", limit {limit}')


def test_add(tc, ktap):
    """A malformed add creates nothing."""
    tc.remove()
    wrong = ''
    for name, options, _ in all_cases():
        err, text = tc.add(attr(TCA_OPTIONS | NLA_F_NESTED, options))
        if tc.shown() is not None:
            wrong = f'{name}: there is a qdisc (errno {err} "{text}")'
            tc.remove()
    ktap.result('a refused add creates nothing', wrong)
    tc.add(CONFIG)


def test_random(tc, ktap, rounds=2000):
    """Random options: what is refused changes nothing."""
    seed = 20250260650
    rng = random.Random(seed)
    wrong = ''
    for i in range(rounds):
        options = b''
        for _ in range(rng.randrange(1, 5)):
            payload = rng.randbytes(rng.choice((0, 1, 4, 4, 8, 8, 8, 20, 36)))
            flag = rng.choice((0, 0, NLA_F_NESTED))
            options += attr(rng.randrange(0, 24) | flag, payload)
        if rng.randrange(4) == 0:
            options = options[:rng.randrange(len(options))]
        before = tc.shown()
        err, text = tc.modify(attr(TCA_OPTIONS | NLA_F_NESTED, options))
        if err and tc.shown() != before:
            wrong = f'round {i} of seed {seed} changed it ("{text}")'
        if err and not text:
            wrong = f'round {i} of seed {seed}: no message, errno {err}'
    ktap.result(f'{rounds} random options', wrong)


CONFIG = nest(TCA_OPTIONS, u64(RATE, 125000000), u32(LIMIT, 777),
              u64(WINDOW, 11000000))


def main():
    """Makes a device, and tests on it."""
    subprocess.run(['ip', 'link', 'add', 'ramp0', 'type', 'dummy'], check=True)
    tc = Tc(socket.if_nametoindex('ramp0'))
    err, text = tc.add(CONFIG)
    if err:
        print(f'Bail out! cannot add ramp: errno {err} "{text}"')
        return 1
    ktap = Ktap(len(list(all_cases())) + 6)
    test_refusals(tc, ktap)
    test_accepted(tc, ktap)
    test_add(tc, ktap)
    test_random(tc, ktap)
    print(f'# totals: pass:{ktap.count - ktap.failed} fail:{ktap.failed}')
    return 1 if ktap.failed else 0


if __name__ == '__main__':
    sys.exit(main())
