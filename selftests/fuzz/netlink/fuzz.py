#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Fuzzes what Ramp is configured by: qdisc, action, families, options of a team.

    fuzz.py [--seed N] [--count N] [--round N] [--only PART] [--user] [--log N]

Sends COUNT configurations in rounds, each in a network namespace of its own and
with a seed of its own, while packets pass what is configured. With --user all
that an unprivileged user reaches is fuzzed in a user namespace: not the team,
whose options are the machine's own root's. Prints KTAP; a round that failed says
what the kernel did, the last LOG messages, and the command that does it again.
"""

import argparse
import collections
import ctypes
import json
import os
import random
import socket
import sys
import time
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, '../../tc-testing'),
                os.path.join(HERE, '../../net/lib')]
sys.dont_write_bytecode = True

from police import Police  # noqa: E402
from qdisc import Device, Env, Qdiscs  # noqa: E402
from rails import Rails  # noqa: E402
from team import Team  # noqa: E402
from traffic import Clock, Sender, command  # noqa: E402
from wire import Bad, Links  # noqa: E402

CLONE_NEWNET = 0x40000000
PARTS = {'qdisc': 12, 'police': 4, 'rails': 1, 'team': 2}


def no_ipv6():
    """Its frames are none that anybody here has sent."""
    for which in 'all', 'default':
        try:
            with open(f'/proc/sys/net/ipv6/conf/{which}/disable_ipv6', 'w',
                      encoding='ascii') as file:
                file.write('1')
        except FileNotFoundError:
            return


class Round:
    """Devices, what is on them, and what is sent to them."""

    def __init__(self, seed, parts, user, logged):
        self.rng, self.load = random.Random(seed), random.Random(seed + 1)
        self.log = collections.deque(maxlen=logged)
        self.clock, self.links = Clock(), Links()
        self.count = collections.Counter()
        self.parts, self.senders, self.env = {}, [], Env([], [])
        no_ipv6()
        command('ip link set lo up')
        if {'qdisc', 'rails'} & parts:
            self._ramps()
        if 'police' in parts:
            self._police(user)
        if 'team' in parts and not user:
            self._team()
        self.parts = {name: part for name, part in self.parts.items()
                      if name in parts}

    def _device(self, name, number, text):
        command(f'ip link add {name} {text}')
        command(f'ip link set {name} up')
        sender = Sender(name, number)
        return sender, socket.if_nametoindex(name)

    def _ramps(self):
        ports = [self._device(f'f{i}', 50 + i, 'type dummy')[1]
                 for i in range(2)]
        command('ip link set f1 down')
        devices = []
        for number in range(3):
            # One whose receiver takes codes, too, as its peer is Ethernet.
            text = 'type dummy' if number else 'type veth peer name peer0'
            sender, ifindex = self._device(f'd{number}', number, text)
            if number < 2:
                sender.address()
            devices.append(Device(sender, ifindex, (number + 1) << 16))
        command('ip link set peer0 up')
        self.env = Env(ports, [*ports, socket.if_nametoindex('peer0')])
        qdiscs = Qdiscs(self.rng, devices, self.env, self.links, self.log)
        for device in devices:
            qdiscs.learn_defaults(device)
        self.parts['qdisc'] = qdiscs
        self.parts['rails'] = Rails(self.rng, qdiscs, self.log)

    def _police(self, user):
        devices = []
        for number in range(2):
            sender, ifindex = self._device(f'p{number}', 20 + number,
                                           'type dummy')
            sender.address()
            command(f'tc qdisc add dev {sender.name} clsact')
            for pref in range(1, 3):
                index = 2 * number + pref
                command(f'tc filter add dev {sender.name} egress pref {pref} '
                        f'matchall action mpolice bucket {1 + index % 2} '
                        f'rate 1mbit policy account index {index}')
            self.senders.append(sender)
            devices.append(ifindex)
        self.parts['police'] = Police(self.rng, devices, user, self.log)

    def _team(self):
        command('ip link add team0 type team')
        command('teamnl team0 setoption mode spread')
        ports = []
        for number in range(2):
            command(f'ip link add t{number} type dummy')
            command(f'ip link set t{number} master team0')
            ports.append(socket.if_nametoindex(f't{number}'))
        command('ip link set team0 up')
        self.senders.append(Sender('team0', 40))
        self.parts['team'] = Team(self.rng, socket.if_nametoindex('team0'),
                                  ports, self.log)

    def traffic(self):
        """A burst somewhere, and some time."""
        what = self.load.randrange(4)
        if what < 2 and 'qdisc' in self.parts:
            self.parts['qdisc'].traffic(self.load)
        elif self.senders:
            sender = self.load.choice(self.senders)
            sender.burst(self.load, (0, 1, 6, 15))
            if sender.udp and not self.load.randrange(8):
                sender.large(self.load)
        self.clock.pass_some(self.load)

    def run(self, count):
        """Sends so many configurations."""
        self.env.there.update(index for index, _ in socket.if_nameindex())
        names = list(self.parts)
        weights = [PARTS[name] for name in names]
        sent = 0
        while sent < count:
            name = self.rng.choices(names, weights)[0]
            done = self.parts[name].step()
            if done:
                sent += 1
                self.count[f'{name} {"taken" if done[1] else "refused"}'] += 1
                self.count[f'how {done[0]}'] += 1
            if not self.load.randrange(4):
                self.traffic()
        for part in self.parts.values():
            if hasattr(part, 'end'):
                part.end()
        self._team_sent()
        for sender in self.senders:
            self.count['packets'] += sender.offered
        if 'qdisc' in self.parts:
            self.count['packets'] += sum(
                device.sender.offered for device in
                self.parts['qdisc'].devices)
        if 'rails' in self.parts:
            self.count['events'] += self.parts['rails'].heard

    def _team_sent(self):
        team, fed = self.parts.get('team'), set()
        if 'qdisc' in self.parts:
            fed = self.parts['qdisc'].fed
        for port in team.ports if team else ():
            if port not in fed and team.sent(port) != self.links.sent(port):
                raise Bad(f'port {port}: {team.sent(port)} sent, it got '
                          f'{self.links.sent(port)}')


def run_round(seed, count, parts, user, logged, pipe):
    """A round, in a child: what it leaves goes with its namespace."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWNET):
        raise OSError(ctypes.get_errno(), 'unshare')
    found, one = {'error': ''}, None
    try:
        one = Round(seed, parts, user, logged)
        one.run(count)
        found['count'] = one.count
    except Exception as error:  # whatever it is, the round has failed
        lines = [f'{type(error).__name__}: {error}']
        if not isinstance(error, Bad):
            lines += traceback.format_exc().splitlines()
        for entry in one.log if one else ():
            lines.append('message: ' + ' '.join(map(str, entry)))
        found['error'] = '\n'.join(lines)
    pipe.write(json.dumps(found))
    pipe.flush()


def fork_round(*args):
    """Runs a round in a process of its own; returns what it found."""
    read, write = os.pipe()
    pid = os.fork()
    if not pid:
        os.close(read)
        try:
            with os.fdopen(write, 'w', encoding='ascii') as pipe:
                run_round(*args, pipe)
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read, encoding='ascii') as pipe:
        text = pipe.read()
    os.waitpid(pid, 0)
    return json.loads(text) if text else {'error': 'it died'}


def again(args, seed, count):
    """The command that does a round again."""
    kernel = os.environ.get('RAMP_KERNEL', 'uml')
    user = '--user ' if args.user else ''
    only = f'--only {args.only} ' if args.only else ''
    return (f'selftests/vm/run -k {kernel} -- selftests/net/'
            f'long_fuzz_netlink.sh {user}{only}--seed {seed} --count {count} '
            f'--round {count}')


def main():
    """All rounds."""
    parser = argparse.ArgumentParser()
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--count', type=int, default=1000)
    parser.add_argument('--round', type=int, default=1000)
    parser.add_argument('--only', choices=PARTS)
    parser.add_argument('--log', type=int, default=3)
    parser.add_argument('--user', action='store_true')
    args = parser.parse_args()

    parts = {args.only} if args.only else set(PARTS)
    who = 'an unprivileged user' if args.user else 'root'
    total, sent, failed = collections.Counter(), 0, 0
    began = time.monotonic()
    number = 0
    while sent < args.count:
        count = min(args.round, args.count - sent)
        # Seeds of rounds that follow each other have nothing in common.
        seed = args.seed + number
        found = fork_round(seed, count, parts, args.user, args.log)
        number, sent = number + 1, sent + count
        total.update(found.get('count', {}))
        if found['error']:
            failed += 1
            print(f'# seed {seed}:')
            for line in found['error'].splitlines():
                print(f'#   {line}')
            print(f'# again: {again(args, seed, count)}', flush=True)
            if failed == 5:
                break
        if not number % 10:
            print(f'# {sent} configurations, '
                  f'{time.monotonic() - began:.0f} s', flush=True)
    taken = sum(n for what, n in total.items() if what.endswith(' taken'))
    refused = sum(n for what, n in total.items() if what.endswith(' refused'))
    for what in sorted(total):
        print(f'# {what}: {total[what]}')
    print(f'{"not ok" if failed else "ok"} 1 - configurations by {who}')
    print(f'# {sent} configurations, {taken} taken, {refused} refused, '
          f'{total["packets"]} packets')
    # Of what is all refused, or all taken, nothing is learned.
    enough = min(taken, refused) * 5 >= sent - failed * args.round
    print(f'{"ok" if enough else "not ok"} 2 - a fifth of the configurations '
          f'by {who} at least taken, and refused')
    return int(bool(failed or not enough))


if __name__ == '__main__':
    sys.exit(main())
