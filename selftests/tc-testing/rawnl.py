#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
Sends the ramp qdisc what tc would never send: wrong lengths, truncated and
unknown attributes, values out of range, garbage. Each must be refused with a
message, which names the parameter where there is one, and must leave the running
configuration as it was. Its classes are asked for in the same way.

Runs as root in a network namespace of its own (unshare -n). Prints KTAP.
"""

import random
import re
import socket
import struct
import subprocess
import sys

from rawnl_cases import (BANDS, BAND_LIMITS, CEASE, CEASE_BY_TIME, CEASE_FULL,
                         CEASE_TIME, CLASS_XSTATS_SIZE, LIMIT, RATE, WINDOW,
                         XSTATS_SIZE, all_cases, band_limit)
from rawnl_codes import FEEDBACK_MAX, code_cases, codes_accepted
from rawnl_gears import PORTS_MAX, gear_cases, gears_accepted
from rawnl_ktap import Ktap
from netlink import (NLA_F_NESTED, NLM_F_CREATE, NLM_F_EXCL, RTM_DELTCLASS,
                     RTM_GETTCLASS, RTM_NEWTCLASS, TCA_KIND, TCA_OPTIONS,
                     TCA_STATS2, TCA_STATS_APP, HANDLE, Tc, attr, attrs_of,
                     nest, u32, u64)

CONFIG = nest(TCA_OPTIONS, u64(RATE, 125000000), u32(LIMIT, 777),
              u64(WINDOW, 11000000), u32(BANDS, 4))


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


def test_refusals(tc, ktap, cases):
    """Every malformed option, as a change."""
    before = tc.shown()
    for name, options, pattern in cases:
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
    err, text = tc.modify(nest(TCA_OPTIONS, nest(BAND_LIMITS)))
    ktap.result('no limits of bands are nothing to change',
                '' if not err else f'errno {err} "{text}"')
    err, text = tc.modify(nest(TCA_OPTIONS, band_limit((2, 5), (2, 6))))
    limits = attrs_of(tc.shown())[BAND_LIMITS]
    same = limits == band_limit((2, 6))[4:]
    ktap.result('of duplicate limits of a band the last wins',
                '' if not err and same
                else f'errno {err} "{text}", limits {limits.hex()}')
    err, text = tc.modify(nest(TCA_OPTIONS, band_limit((2, 0))))
    limits = attrs_of(tc.shown())[BAND_LIMITS]
    ktap.result('a limit of 0 is none of its own',
                '' if not err and not limits
                else f'errno {err} "{text}", limits {limits.hex()}')


def test_cease(tc, ktap):
    """A time implies that it ends the ramp."""
    err, text = tc.modify(nest(TCA_OPTIONS, u64(CEASE_TIME, 10**7)))
    shown = attrs_of(tc.shown())
    right = (shown[CEASE] == struct.pack('I', CEASE_BY_TIME) and
             shown.get(CEASE_TIME) == struct.pack('Q', 10**7))
    ktap.result('a time alone is cease by time',
                '' if not err and right else f'errno {err} "{text}"')
    err, text = tc.modify(nest(TCA_OPTIONS, u32(CEASE, CEASE_FULL)))
    shown = attrs_of(tc.shown())
    right = (shown[CEASE] == struct.pack('I', CEASE_FULL) and
             CEASE_TIME not in shown)
    ktap.result('cease full shows no time',
                '' if not err and right else f'errno {err} "{text}"')


def test_shown(tc, ktap, cases):
    """What looks odd, but is right, one change after another."""
    for name, options, wanted in cases:
        err, text = tc.modify(nest(TCA_OPTIONS, options))
        shown = attrs_of(tc.shown())
        wrong = {kind: shown.get(kind, b'-').hex() for kind in wanted
                 if shown.get(kind) != wanted[kind]}
        ktap.result(name, '' if not err and not wrong
                    else f'errno {err} "{text}", shown {wrong}')


def stats_app(found):
    """The counters of ours in the attributes of a qdisc or a class."""
    return attrs_of(found.get(TCA_STATS2, b'')).get(TCA_STATS_APP, b'')


def test_classes(tc, ktap):
    """Every band is a class, which is only to be looked at."""
    handles = [handle for handle, _ in tc.classes()]
    ktap.result('four bands are four classes',
                '' if handles == [HANDLE + i for i in (1, 2, 3, 4)]
                else f'{[hex(handle) for handle in handles]}')
    sizes = ([len(stats_app(tc.root()))] +
             [len(stats_app(found)) for _, found in tc.classes()])
    ktap.result('counters of qdisc and classes tell each other by their size',
                '' if sizes == [XSTATS_SIZE] + 4 * [CLASS_XSTATS_SIZE]
                else f'{sizes}')
    for name, kind, flags in (
            ('get', RTM_GETTCLASS, 0), ('delete', RTM_DELTCLASS, 0),
            ('change', RTM_NEWTCLASS, 0),
            ('add', RTM_NEWTCLASS, NLM_F_CREATE | NLM_F_EXCL)):
        wrong = ''
        for minor in (5, 16, 17, 0x7fff, 0xfffe, 0xffff):
            err, _ = tc.ask(kind, flags, attr(TCA_KIND, b'ramp\0'),
                            HANDLE + minor, HANDLE)
            if not err:
                wrong = f'class {minor:x} is there'
        if [handle for handle, _ in tc.classes()] != handles:
            wrong = 'there are other classes now'
        ktap.result(f'{name} a class that is no band', wrong)
    for name, kind in (('delete', RTM_DELTCLASS), ('change', RTM_NEWTCLASS)):
        err, _ = tc.ask(kind, 0, attr(TCA_KIND, b'ramp\0'), HANDLE + 1, HANDLE)
        same = [handle for handle, _ in tc.classes()] == handles
        ktap.result(f'{name} a class that is a band',
                    '' if err and same else f'errno {err}')


def test_add(tc, ktap, cases):
    """A malformed add creates nothing."""
    tc.remove()
    wrong = ''
    for name, options, _ in cases:
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
            options += attr(rng.randrange(0, 59) | flag, payload)
        if rng.randrange(4) == 0:
            options = options[:rng.randrange(len(options))]
        before = tc.shown()
        err, text = tc.modify(attr(TCA_OPTIONS | NLA_F_NESTED, options))
        if err and tc.shown() != before:
            wrong = f'round {i} of seed {seed} changed it ("{text}")'
        if err and not text:
            wrong = f'round {i} of seed {seed}: no message, errno {err}'
    ktap.result(f'{rounds} random options', wrong)


def make_device(name):
    """A dummy device; returns its ifindex."""
    subprocess.run(['ip', 'link', 'add', name, 'type', 'dummy'], check=True)
    return socket.if_nametoindex(name)


def main():
    """Makes devices, and tests on one of them."""
    tc = Tc(make_device('ramp0'))
    # One more than may be named.
    devices = [make_device(f'port{i}') for i in range(PORTS_MAX + 1)]
    senders = devices[:FEEDBACK_MAX + 1]
    cases = (list(all_cases()) + list(code_cases(senders)) +
             list(gear_cases(devices)))
    err, text = tc.add(CONFIG)
    if err:
        print(f'Bail out! cannot add ramp: errno {err} "{text}"')
        return 1
    odd = [*codes_accepted(senders), *gears_accepted(devices)]
    ktap = Ktap(len(cases) + len(odd) + 19)
    test_refusals(tc, ktap, cases)
    test_accepted(tc, ktap)
    test_cease(tc, ktap)
    test_shown(tc, ktap, odd)
    test_classes(tc, ktap)
    test_add(tc, ktap, cases)
    test_random(tc, ktap)
    return ktap.ended()


if __name__ == '__main__':
    sys.exit(main())
