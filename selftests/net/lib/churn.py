#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
Everything at once: qdiscs, classes, filters, actions, buckets, teams, links, devices,
network namespaces and modules come, change and go, while frames pass, somebody reads
and somebody listens.

    churn.py run ROUNDS SEED OTHER     in the namespace of out0; OTHER has in0, q0 ..
    churn.py act WHO SEED OTHER        one who does something (churn_actors.py)
    churn.py read                      one who reads and listens, until it is ended

In each round each actor does some things, all at the same time. Then the counters of
every ramp are read: enqueued + split_extra = dequeued + dropped + queued. After a
number of rounds all that was made goes, so that modules can, too; and all is made
anew and tried: every frame must be where the counters say.

Needs ../../tc-testing in PYTHONPATH. Prints KTAP.
"""

import collections
import os
import random
import signal
import socket
import struct
import subprocess
import sys
import time

import rawnl_mpolice_msg as mp
import sample
import spread
from churn_actors import PORTS, act
from rawnl_ktap import Ktap
from netlink import NETLINK_GENERIC, Netlink

ACTORS = ['qdisc', 'police', 'team', 'links']
# Where modules must not come twice, they stay.
UNLOAD = os.environ.get('RAMP_CHURN_UNLOAD') != '0'
if UNLOAD:
    ACTORS.append('modules')
# Rounds after which all that was made goes; and times that this was done, after
# which all is tried.
CLEAR, TRY = 25, 8
# All that a kernel with all checkers can send and dump leaves nobody else a turn:
# there are as many frames in a burst, but fewer bursts.
FEWER = int(os.environ.get('SLOWER', '1')) ** 2
FRAME = b'\xff' * 6 + b'\x02' * 6 + b'\x88\xb6' + b'\0' * 186
FRAMES = 500


# ---- who reads and listens

class Listener(Netlink):
    """Hears the events of a family that may go, and come with another number."""

    def __init__(self):
        super().__init__(NETLINK_GENERIC)
        self.sock.setblocking(False)
        self.heard = 0

    def rejoin(self):
        """Joins the groups, which end with the family."""
        for group in Netlink(NETLINK_GENERIC).groups('ramp'):
            self.join(group)

    def drain(self):
        """Counts what is there; what there was no room for is lost."""
        while True:
            try:
                for _ in self.messages():
                    self.heard += 1
            except BlockingIOError:
                return
            except OSError:
                self.heard += 1


def read():
    """All dumps that there are, until it is ended."""
    ended = []
    signal.signal(signal.SIGTERM, lambda *_: ended.append(True))
    monitors = [subprocess.Popen(words, stdout=subprocess.DEVNULL)
                for words in (['tc', 'monitor'], ['ip', 'monitor'])]
    listener = Listener()
    dumps = failed = 0
    readers = [sample.Reader(dev) for dev in ('out0', *PORTS)]
    while not ended:
        for one in (lambda: [reader.show() for reader in readers],
                    lambda: mp.Actions().all(), lambda: mp.Buckets().all(),
                    lambda: spread.Team('team0').options(), listener.rejoin,
                    listener.drain):
            try:
                one()
                dumps += 1
            except (OSError, KeyError, struct.error, TypeError,
                    UnboundLocalError):
                # What it is about has just gone.
                failed += 1
        time.sleep(0.001 * FEWER)
    for monitor in monitors:
        monitor.terminate()
        monitor.wait()
    print(dumps, failed, listener.heard, flush=True)
    return 0


# ---- who leads

def python(*words):
    """This program, in another part."""
    # pylint: disable=consider-using-with
    return subprocess.Popen([sys.executable, '-B', __file__, *words],
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            text=True)


class Load:
    """Frames for a device, from each CPU."""

    # One that was there before its device is tried again.
    LOOP = ('while :; do ramp-flows -i {dev} -l -s {size} -f {flows} -k {first} '
            '-b {burst} -e {every}ms -n 5000 >/dev/null 2>&1; sleep 0.1; done')

    def __init__(self, dev):
        self.dev = dev
        self.loops = []

    def begin(self):
        """From now on."""
        cpus = os.cpu_count()
        # pylint: disable=consider-using-with
        self.loops = [subprocess.Popen(
            ['taskset', '-c', str(n % cpus), 'sh', '-c', self.LOOP.format(
                dev=self.dev, flows=100 // FEWER, burst=FEWER,
                every=20 * FEWER, first=n * 100, size=200 + 400 * n)],
            start_new_session=True) for n in range(2)]

    def end(self):
        """Nothing is sent any more."""
        for loop in self.loops:
            os.killpg(loop.pid, signal.SIGKILL)
            loop.wait()
        self.loops = []


class Churn:
    """Leads the rounds, and judges."""

    def __init__(self, seed, other):
        self.ktap = Ktap()
        self.random = random.Random(seed)
        self.other = other
        self.actors = {who: python('act', who, str(seed + n), other)
                       for n, who in enumerate(ACTORS)}
        for actor in self.actors.values():
            actor.stdout.readline()
        self.readers = [sample.Reader(dev) for dev in ('out0', *PORTS)]
        self.reader = python('read')
        self.did = collections.Counter()
        self.refused = collections.Counter()
        self.bad = []
        self.seen = collections.Counter()
        self.last = {}
        self.tries, self.wrong = 0, []

    def round(self, words):
        """Each actor does some things, all at once."""
        for who, actor in self.actors.items():
            actor.stdin.write(words.get(who, 'go') + '\n')
            actor.stdin.flush()
        for who, actor in self.actors.items():
            words = actor.stdout.readline().split()
            if not words:
                raise RuntimeError(f'{who} died')
            for word in words:
                table = self.refused if word[0] == '-' else self.did
                table[f'{who}: {word.lstrip("-")}'] += 1

    def check(self, number):
        """Reads all ramps, and judges."""
        for reader in self.readers:
            try:
                now = reader.show()
            except OSError:
                continue
            for name, count in (*now['qdiscs'].items(),
                                *now['classes'].items()):
                if count['kind'] != 'ramp' or 'enqueued' not in count:
                    continue
                self.seen['readings'] += 1
                self.seen['waiting'] += count['queued'] > 0
                key = reader.ifindex, name
                self.seen['moved'] += self.last.get(key) != count['dequeued']
                self.last[key] = count['dequeued']
                if not sample.agrees(count):
                    self.bad.append(f'round {number}: {name} {count}')

    # ---- all anew

    @staticmethod
    def command(*words):
        """One that has to succeed."""
        subprocess.run(words, check=True)

    def received(self):
        """Frames that in0 got, and those that the ports of the team sent got."""
        found = []
        for devs in (('in0',), [f'q{port[1:]}' for port in PORTS]):
            total = 0
            for dev in devs:
                out = subprocess.run(
                    ['ip', 'netns', 'exec', self.other, 'cat',
                     f'/sys/class/net/{dev}/statistics/rx_packets'], check=True,
                    stdout=subprocess.PIPE, text=True).stdout
                total += int(out)
            found.append(total)
        return found

    def try_all(self, number):
        """Everything anew; every frame must be where the counters say."""
        self.tries += 1
        self.command('sh', '-ec', '''
            ip -n "$0" link set in0 up
            ip link set out0 down; ip link set out0 mtu 1500 up
            tc qdisc del dev out0 clsact 2>/dev/null || :
            tc actions flush action mpolice 2>/dev/null || :
            tc qdisc del dev out0 root 2>/dev/null || :
            tc qdisc replace dev out0 root handle 2: ramp detect always bands 4
            tc qdisc add dev out0 clsact
            tc filter add dev out0 egress protocol all matchall \\
                action mpolice bucket 1 rate 100gbit policy account index 1
            ip link del team0 2>/dev/null || :
            ip link add team0 type team
            teamnl team0 setoption mode spread
            for n in 0 1 2 3; do
                ip -n "$0" link set q$n up
                tc qdisc del dev p$n root 2>/dev/null || :
                ip link set p$n down; ip link set p$n master team0
            done
            ip link set team0 up''', self.other)
        self.settle('team0')
        before = self.received()
        sent = [self.send(dev) for dev in ('out0', 'team0')]
        wanted = [sent[0], sent[1]]
        for _ in range(200):
            now = self.readers[0].read(sample.RTM_GETQDISC)['2:']
            after = self.received()
            got = [after[n] - before[n] for n in range(2)]
            if got == wanted and not now['queued']:
                break
            time.sleep(0.05)
        stats = mp.Actions().all()[1]
        police = struct.unpack_from('=Q', stats[mp.STATS])[0]
        self.verdict(number, sent, got, now, police)

    def verdict(self, number, sent, got, now, police):
        """Says what is wrong."""
        ramp = now['enqueued'], now['dequeued'], now['dropped'], now['queued']
        text = (f'round {number}: sent {sent}, received {got}, ramp {ramp}, '
                f'conformed {police}')
        if (sent != got or ramp != (sent[0], sent[0], 0, 0) or
                police != sent[0]):
            self.wrong.append(text)

    @staticmethod
    def settle(team):
        """Its ports have links, and frames of nobody are gone."""
        for _ in range(200):
            out = subprocess.run(['teamnl', team, 'ports'], check=True,
                                 stdout=subprocess.PIPE, text=True).stdout
            if out.count(': up') == len(PORTS):
                return
            time.sleep(0.05)

    @staticmethod
    def send(dev):
        """Prints how many were taken."""
        taken = 0
        with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as sock:
            sock.bind((dev, 0))
            for number in range(FRAMES):
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_PRIORITY,
                                number % 8)
                sock.send(FRAME)
                taken += 1
        return taken

    # ---- all rounds

    def run(self, rounds):
        """As many as that."""
        began = time.monotonic()
        # The driver of teams may loop for ever in a frame that was on its way to a
        # team that goes (it subtracts the number of its queues, which is 0 then).
        port, team = Load('out0'), Load('team0')
        make = {'team': 'make'}
        for number in range(1, rounds + 1):
            clear = number % CLEAR == 0 or number == rounds
            if clear:
                team.end()
            self.round({who: 'clear' for who in ('qdisc', 'police', 'team')}
                       if clear else make)
            self.check(number)
            if not clear:
                if make:
                    port.begin()
                    team.begin()
                make = {}
                continue
            print(f'round {number}, {time.monotonic() - began:.0f} s',
                  file=sys.stderr, flush=True)
            port.end()
            if number % (CLEAR * TRY) == 0 or number == rounds:
                self.try_all(number)
                self.round({who: 'clear' for who in ACTORS})
            make = {'team': 'make'}
        return time.monotonic() - began

    def end(self):
        """Everybody goes home."""
        for actor in self.actors.values():
            actor.stdin.close()
            actor.wait()
        self.reader.send_signal(signal.SIGTERM)
        return [int(word) for word in self.reader.stdout.readline().split()]

    def results(self, rounds, took, heard):
        """KTAP."""
        result = self.ktap.result
        print(f'# {rounds} rounds in {took:.0f} s')
        for name in sorted({*self.did, *self.refused}):
            print(f'# {name}: {self.did[name]}, refused {self.refused[name]}')
        for name in sorted(self.seen):
            print(f'# {name}: {self.seen[name]}')
        if len(heard) == 3:
            print(f'# dumps: {heard[0]}, failed {heard[1]}')
            print(f'# events: {heard[2]}')
        never = [name for name in self.refused if not self.did[name]]
        result('churn: each thing was done', f'never: {never}' if never else '')
        for line in self.bad[:5]:
            print(f'# {line}')
        result('churn: the counters agree in all readings',
               f'not in {len(self.bad)}' if self.bad else '')
        few = min(self.seen[name] for name in ('readings', 'waiting', 'moved'))
        result('churn: ramps had packets, and moved some',
               f'{dict(self.seen)}' if few < rounds / 20 else '')
        for line in self.wrong[:5]:
            print(f'# {line}')
        result('churn: all anew, every frame is where the counters say',
               f'not {len(self.wrong)} of {self.tries} times'
               if self.wrong or not self.tries else '')
        if UNLOAD:
            gone = self.did['modules: unload']
            result('churn: modules went meanwhile', '' if gone else 'never')
        result('churn: events were heard, and dumps made meanwhile',
               '' if len(heard) == 3 and heard[0] and heard[2] else f'{heard}')
        return self.ktap.ended()


def run(rounds, seed, other):
    """Leads them."""
    churn = Churn(seed, other)
    took = churn.run(rounds)
    heard = churn.end()
    return churn.results(rounds, took, heard)


def main():
    """Command line."""
    command, *words = sys.argv[1:]
    if command == 'run':
        return run(int(words[0]), int(words[1]), words[2])
    if command == 'act':
        return act(words[0], int(words[1]), words[2])
    return read()


if __name__ == '__main__':
    sys.exit(main())
