#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Tests of mpolice-policy and mpolice-flows without a kernel: what they make of what tc says.

Prints KTAP.
"""

import argparse
import importlib.machinery
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import zlib

from controller_test import HERE, check, ended

POLICY = os.path.join(HERE, '../../Documentation/examples/policy')


def program(name):
    """One of them, as a module."""
    loader = importlib.machinery.SourceFileLoader(name, os.path.join(POLICY, name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


flows = program('mpolice-flows')
policyfile, tcobjects = flows.policyfile, flows.tcobjects


def flow_of(proto):
    """What is made of a filter's keys with this protocol, or the error."""
    try:
        return flows.flow_in({'src_ip': '10.9.0.2', 'dst_ip': '10.9.0.1', 'ip_proto': proto},
                             'ingress')
    except ValueError as error:
        return error


def test_protocols():
    """Each tc has names of its own for them."""
    for word, number in (('esp', 50), ('ah', 51), ('l2tp', 115), ('32', 50), ('0x32', 50),
                         ('sctp', 132)):
        found = flow_of(word)
        check(f'an entry of protocol {word} is of a flow of {number}',
              found == flows.Flow(number, '10.9.0.2', 0, '10.9.0.1', 0), found)
    found = flow_of('ospf')
    check('an entry of a protocol with an unknown name is of no flow', found is None, found)


class Counted(dict):
    """How often one looks into it."""
    looks = 0

    def __contains__(self, key):
        self.looks += 1
        return super().__contains__(key)

    def get(self, key, default=None):
        self.looks += 1
        return super().get(key, default)


def flow_to(number):
    """A flow to an address that has a number of 54 bits in octal digits."""
    peer = ':'.join(f'1{number >> 9 * group & 0o777:03o}' for group in range(6))
    return flows.Flow(17, '2001:db8::2', 6000, f'2001:db8:{peer}', 6000)


def checksum(number):
    """What once was the handle of that flow."""
    return zlib.crc32(repr(flow_to(number)).encode()) >> 1


def colliding(bits):
    """2^BITS flows of one checksum. It is linear, and bits of octal digits are those of the
    text: numbers that change nothing of it are found by elimination."""
    pivots, neutral = {}, []
    for number in (1 << bit for bit in range(54)):
        change = checksum(number) ^ checksum(0)
        while change and change.bit_length() in pivots:
            other, its = pivots[change.bit_length()]
            number, change = number ^ other, change ^ its
        if change:
            pivots[change.bit_length()] = number, change
        else:
            neutral.append(number)
    numbers = [0]
    for number in neutral[:bits]:
        numbers += [number ^ other for other in numbers]
    return numbers


def test_colliding():
    """Whoever sends may choose flows of one CRC."""
    numbers = colliding(12)
    check('4096 flows have one CRC', len(set(numbers)) == 4096 and
          len({checksum(number) for number in numbers}) == 1, len(numbers))
    entries, found = flows.Entries(16384), [flow_to(number) for number in numbers]
    entries.flows = Counted()
    for flow in found:
        entries.put(entries.key_of('vm0', flow), flow, 1)
    keys = [entries.key_of('vm0', flow) for flow in found]
    looks = entries.flows.looks
    check('flows of one CRC: each has a key of its own',
          len(set(keys)) == len(entries) == 4096, len(set(keys)))
    check('flows of one CRC: a few looks for each find its key', looks < 4 * 4096, looks)
    check('flows of one CRC: tc takes their handles',
          all(1 <= handle <= 0x7fffffff for _, _, handle in keys))


def test_one_handle():
    """Flows whose handles would be the same."""
    saved, flows.handle_of = flows.handle_of, lambda flow: 7
    entries, found = flows.Entries(10), [flow_to(number) for number in range(3)]
    for flow in found:
        entries.put(entries.key_of('vm0', flow), flow, 1)
    keys = [entries.key_of('vm0', flow) for flow in found]
    check('flows of one handle: each has a key of its own',
          [handle for _, _, handle in keys] == [7, 8, 9], keys)
    entries.drop([keys[0]])
    check('flows of one handle: another one keeps its key when the first goes',
          [entries.key_of('vm0', flow) for flow in found[1:]] == keys[1:])
    check('flows of one handle: what went may have its key again',
          entries.key_of('vm0', found[0]) == keys[0])
    check('a flow has no key of another device',
          entries.key_of('vm1', found[1]) == ('vm1', 6, 7))
    entries.put(('vm0', 6, 7), None, 1)
    check('the handle of an entry of no known flow is not free',
          entries.key_of('vm0', found[0]) == ('vm0', 6, 10))
    flows.handle_of = saved


def bucket_of(burst, threshold):
    """A bucket and two actions on it, as tc's objects."""
    return tcobjects.State(
        buckets={1: tcobjects.Bucket(1, 1000, False, burst, 0, burst)},
        actions={74: tcobjects.Action(74, 1, 'account', 0),
                 127: tcobjects.Action(127, 1, 'drop', threshold)})


def test_order():
    """While a bucket is changed, its burst is always above the thresholds."""
    small, large = (2000, 1000), (20000, 10000)
    for name, old, new, first in (('smaller', large, small, 'threshold 1000 index 127'),
                                  ('larger', small, large, 'burst 20000')):
        commands = list(tcobjects.action_commands(bucket_of(*new), bucket_of(*old)))
        check(f'a {name} bucket and threshold: what is changed first leaves room',
              len(commands) == 2 and first in commands[0], commands)
    old, new = bucket_of(20000, 0), bucket_of(2000, 0)
    old.actions[80] = tcobjects.Action(80, 1, 'drop', 10000)
    commands = list(tcobjects.action_commands(new, old))
    check('a smaller bucket: a class that goes is not starved before it has gone',
          len(commands) == 2 and 'threshold 0 index 80' in commands[0], commands)


def led(folder, devices):
    """The State of a policy whose endpoints have these devices, with buckets from 1 on."""
    path = os.path.join(folder, 'led')
    with open(path, 'w', encoding='ascii') as file:
        file.write('[class a]\norder = 1\npolicy = account\nmatch = tcp 4420\n'
                   '[default]\npolicy = drop\n' + ''.join(
                       f'[endpoint vm{number}]\ndevice = {device}\nbucket = {number}\n'
                       f'rate = {number}mbit\n' for number, device in enumerate(devices, 1)))
    return tcobjects.compile_policy(policyfile.read(path))


def missed(new, live):
    """Commands that name an action which is gone, as it has lost its last filter."""
    users = {(place.device, place.hook, str(place.preference), str(place.handle)): entry.index
             for place, entry in live.filters.items()}
    for command in tcobjects.filter_commands(new, live):
        words = command.split()
        place = (words[3], words[4], *(words[words.index(key) + 1]
                                       for key in ('pref', 'handle')))
        if words[1] == 'delete':
            del users[place]
            continue
        index = int(words[words.index('index') + 1])
        if 'bucket' not in words and index not in users.values():
            yield command
        users[place] = index


def test_exchange(folder):
    """Endpoints whose devices are those of others now."""
    for name, old, new in (('two', 'tap1 tap2', 'tap2 tap1'),
                           ('three', 'tap1 tap2 tap3', 'tap3 tap1 tap2'),
                           ('one that is new', 'tap1 tap2', 'tap0 tap1 tap2')):
        found = list(missed(led(folder, new.split()), led(folder, old.split())))
        check(f'endpoints exchange devices, {name}: actions stay until they are used again',
              not found, found)


class Box:
    """A folder with a policy and a tc that says what is written down, and writes down what it
    is told."""

    def __init__(self, folder):
        self.folder = folder
        self.write('policy', """[class bulk]
            order = 30
            policy = drop
            match = udp 6000-6009
            [default]
            policy = drop
            [endpoint vm]
            device = lo
            bucket = 1
            rate = 20mbit
            """)
        self.write('bpf', '\x7fELF')
        self.write('tc', f"""#!/bin/sh
            cd '{folder}'
            case "$*" in
            *-batch*)
                cat >>told
                cat warnings >&2
                exit "$(cat status)";;
            esac
            cat "./$(echo "$*" | tr ' ' _)" 2>/dev/null || echo '[]'
            """)
        os.chmod(self.path('tc'), 0o755)
        self.write('warnings', '')
        self.write('status', '0')

    def path(self, name):
        """Of a file."""
        return os.path.join(self.folder, name)

    def write(self, name, text):
        """A file. Its lines are as far in as they are above."""
        with open(self.path(name), 'w', encoding='ascii') as file:
            file.write(text.replace('\n            ', '\n'))

    def told(self):
        """What tc was told."""
        try:
            with open(self.path('told'), encoding='ascii') as file:
                return file.read()
        except FileNotFoundError:
            return ''

    def daemon(self):
        """One of it, which has looked which devices there are."""
        daemon = flows.Daemon(argparse.Namespace(
            policy=self.path('policy'), bpf=self.path('bpf'), tc=self.path('tc'), flows=100,
            idle=60, storage='storage', prom=None, dry_run=False))
        daemon.there = daemon.devices()
        return daemon

    def entries(self, *entries):
        """Lets tc show these: handle, protocol, and ports of both ends."""
        for hook, own, peer in (('ingress', 'src', 'dst'), ('egress', 'dst', 'src')):
            self.write(f'-j_-s_filter_show_dev_lo_{hook}_pref_900', json.dumps([{
                'protocol': 'ip', 'pref': 900, 'kind': 'flower', 'chain': 0, 'options': {
                    'handle': handle, 'keys': {
                        'ip_proto': proto, f'{own}_ip': '10.9.0.2', f'{peer}_ip': '10.9.0.1',
                        f'{own}_port': ports[0], f'{peer}_port': ports[1]},
                    'actions': [{'kind': 'gact', 'index': 5, 'last_used': 1},
                                {'kind': 'mpolice', 'index': 64 + 30}]}}
                for handle, proto, ports in entries]))


def test_taken_over(box):
    """What an earlier daemon has left."""
    box.entries((77, 'udp', (6000, 6001)), (1 << 30, 'udp', (6000, 6002)),
                (78, 'ospf', (0, 0)))
    daemon = box.daemon()
    used, daemon.entries = daemon.live_entries()
    check('entries that are there are taken over', len(daemon.entries) == len(used) == 3, used)
    keys = [daemon.entries.key_of('lo', flows.Flow(17, '10.9.0.2', 6000, '10.9.0.1', port))
            for port in (6001, 6002)]
    check('a flow whose entry is taken over keeps its handle',
          keys == [('lo', 4, 77), ('lo', 4, 1 << 30)], keys)
    index = next(iter(daemon.there.values()))
    daemon.take([(index, flows.Flow(17, '10.9.0.2', 6000, '10.9.0.1', port))
                 for port in (6000, 6001)], {index: 'lo'})
    handles = [line.split(' handle ')[1].split()[0] for line in box.told().splitlines()]
    check('if it is reported all the same, that entry is replaced, and there is no second one',
          len(daemon.entries) == 4 and handles[2:] == ['77', '77'], box.told())
    _, daemon.entries = daemon.live_entries()
    check('what tc shows no more is forgotten', len(daemon.entries) == 3, len(daemon.entries))


def test_warnings(box):
    """What tc says of what it has done."""
    box.write('warnings', 'Warning: burst: small.\nWarning: burst: small.\n')
    done = subprocess.run([sys.executable, os.path.join(POLICY, 'mpolice-policy'), '--apply',
                           '--tc', box.path('tc'), box.path('policy')],
                          capture_output=True, text=True, timeout=60, check=False)
    check('a warning of what is applied is said, once, and is no failure',
          done.returncode == 0 and 'filter add dev lo' in box.told() and
          done.stderr == f'mpolice-policy: {box.path("policy")}: Warning: burst: small.\n',
          done.stderr)
    saved, said = flows.say, []
    flows.say = said.append
    daemon = box.daemon()
    daemon.there = {}
    daemon.marks.open = lambda: None
    daemon.refresh()
    check('the daemon says a warning of what it sets up', said[-1] == 'Warning: burst: small.',
          said)
    said.clear()
    daemon.run_batch(['filter delete dev lo ingress'])
    check('the daemon says a warning of an entry', said == ['Warning: burst: small.'], said)
    said.clear()
    box.write('warnings', 'Error: no such filter.\nCommand failed -:1\n')
    box.write('status', '1')
    daemon.run_batch(['filter delete dev lo ingress'])
    check('the daemon says what it cannot do, and goes on', said == ['Command failed -:1'], said)
    flows.say = saved


def test_unit(box):
    """A bucket that is there counts bytes, or packets, until it is gone."""
    box.write('-j_actions_list_action_mpolice', json.dumps([{'actions': [{
        'index': 64 + 63, 'bucket': 1, 'cookie': tcobjects.COOKIE, 'policy': 'drop',
        'threshold': 0, 'pps': 1000, 'pkt_burst': 128, 'interval': 0, 'debt': 128,
        'debt_unlimited': False}]}]))
    try:
        said = box.daemon().base()
    except policyfile.PolicyError as error:
        said = str(error)
    check('a bucket of packets whose actions nothing uses cannot count bytes',
          said == 'bucket 1 counts packets; choose another number', said)


def main():
    """All of them."""
    print('KTAP version 1')
    test_protocols()
    test_colliding()
    test_one_handle()
    test_order()
    with tempfile.TemporaryDirectory() as folder:
        test_exchange(folder)
        test_taken_over(Box(folder))
    with tempfile.TemporaryDirectory() as folder:
        test_warnings(Box(folder))
        test_unit(Box(folder))
    return ended()


if __name__ == '__main__':
    sys.exit(main())
