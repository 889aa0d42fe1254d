#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
Every allocation on the way of every request to ramp, mpolice and spread fails once:
what says so is refused, and leaves all as it was.

    debug_failnth.py ramp | mpolice | spread

Runs as root in a network namespace of its own, with fault injection, and with lib and
../tc-testing in PYTHONPATH. Prints KTAP.
"""

import errno
import socket
import struct
import subprocess
import sys
import time

import failnth
import rawnl_mpolice_msg as mp
import spread
from failnth_ramp import ramp_cases
from rawnl_ktap import Ktap
from netlink import (NETLINK_GENERIC, NLM_F_CREATE, NLM_F_DUMP, NLM_F_EXCL,
                     NLM_F_REPLACE, NLM_F_ROOT, TCA_KIND, TCA_OPTIONS, Netlink,
                     attr, attrs_of, genl, nest, u32, u64)

RTM_NEWLINK, RTM_DELLINK, RTM_SETLINK = 16, 17, 19
RTM_NEWTFILTER, RTM_DELTFILTER, RTM_GETTFILTER = 44, 45, 46
IFLA_IFNAME, IFLA_MASTER, IFLA_LINKINFO, IFLA_INFO_KIND = 3, 10, 18, 1
MATCHALL_ACT = 2
INGRESS = 0xfffffff2
# A team that comes again has the same number: requests name it.
TEAM = 77


def run(*words):
    """A command that has to succeed."""
    subprocess.run(words, check=True)


def device(name, *kind):
    """A device; returns its ifindex."""
    run('ip', 'link', 'add', name, 'type', *kind)
    return socket.if_nametoindex(name)


# ---- mpolice

def police(index, bucket, *more, policy=mp.DROP):
    """The options of an action."""
    return nest(TCA_OPTIONS, u32(mp.INDEX, index), u32(mp.BUCKET, bucket),
                u32(mp.POLICY, policy), *more)


class Mpolice:
    """Actions and buckets, and a filter that may have one."""

    def __init__(self, sweep):
        self.sweep = sweep
        self.actions = mp.Actions()
        self.base([])
        # The first action has made the module known, and with it the family.
        self.actions.add(police(1, 1, u64(mp.RATE, 5000)))
        self.buckets = mp.Buckets()
        self.state = mp.State(self.actions, self.buckets)
        self.link = Netlink()
        self.ifindex = device('police0', 'dummy')
        run('tc', 'qdisc', 'add', 'dev', 'police0', 'clsact')

    def filters(self):
        """All filters, but for what time changes in their actions."""
        found = []
        self.link.send_message(RTM_GETTFILTER, NLM_F_DUMP, self.tcmsg(0))
        for payload in self.link.dumped(RTM_NEWTFILTER):
            found.append((payload[:20], attrs_of(payload[20:])[TCA_KIND]))
        return found

    def tcmsg(self, info):
        """Of a filter before all others."""
        return struct.pack('BxxxiIII', socket.AF_UNSPEC, self.ifindex, 0,
                           INGRESS, info)

    def shown(self):
        """All that can be seen."""
        return self.state.shown(), self.filters()

    def base(self, options):
        """These actions, and nothing else."""
        for _ in range(500):
            self.actions.flush()
            # Filters let go of theirs a little later.
            if not self.actions.all():
                break
            time.sleep(0.01)
        for one in options:
            err, text = self.actions.add(one)
            if err:
                raise RuntimeError(f'base: errno {err} "{text}"')

    def action(self, kind, flags, *options):
        """A request about actions."""
        return failnth.Request(self.actions, kind, flags, self.actions.message(
            *(self.actions.entry(one) for one in options)))

    def bucket(self, cmd, *attrs):
        """A request about buckets."""
        return failnth.Request(self.buckets, self.buckets.family, 0,
                               genl(cmd, *attrs))

    def filter(self, options):
        """A filter with an action of its own."""
        body = self.tcmsg(1 << 16 | socket.htons(3)) + attr(
            TCA_KIND, b'matchall\0') + nest(TCA_OPTIONS, nest(
                MATCHALL_ACT, nest(1, self.actions.entry(options))))
        return failnth.Request(self.link, RTM_NEWTFILTER,
                               NLM_F_CREATE | NLM_F_EXCL, body)

    def unfilter(self):
        """No filter."""
        if self.filters():
            self.link.ask_message(RTM_DELTFILTER, 0,
                                  self.tcmsg(1 << 16 | socket.htons(3)))

    def test(self):
        """One after another."""
        one = police(1, 1, u64(mp.RATE, 5000))
        two = police(2, 1, policy=mp.ACCOUNT)
        new = police(3, 2, u64(mp.RATE, 7000), u64(mp.BURST, 9000))
        add, both = NLM_F_CREATE | NLM_F_EXCL, NLM_F_CREATE | NLM_F_REPLACE
        # What is done is only refused when nobody can be told any more.
        told = (errno.ENOBUFS,)
        for name, start, request, least in (
                ('mpolice: add with a new bucket', [],
                 self.action(mp.RTM_NEWACTION, add, one), 6),
                ('mpolice: add to a bucket', [one],
                 self.action(mp.RTM_NEWACTION, add, two), 3),
                ('mpolice: add two, each with a new bucket', [],
                 self.action(mp.RTM_NEWACTION, add, one, new), 10),
                ('mpolice: change', [one, two],
                 self.action(mp.RTM_NEWACTION, both, police(
                     2, 1, u64(mp.THRESHOLD, 3000))), 2),
                ('mpolice: change, and the bucket', [one, two],
                 self.action(mp.RTM_NEWACTION, both, police(
                     2, 1, u64(mp.RATE, 9000), u64(mp.DEBT, 1000))), 3),
                ('mpolice: move to a new bucket', [one, two],
                 self.action(mp.RTM_NEWACTION, both, police(
                     1, 2, u64(mp.RATE, 9000))), 4),
                ('mpolice: move to another bucket', [one, two, new],
                 self.action(mp.RTM_NEWACTION, both, police(1, 2)), 2),
                ('mpolice: delete all', [one, two, new],
                 failnth.Request(self.actions, mp.RTM_DELACTION, NLM_F_ROOT,
                                 self.actions.message(self.actions.entry(b''))),
                 2),
                ('mpolice: set a bucket', [one, two],
                 self.bucket(mp.BUCKET_SET, u32(mp.B_ID, 1),
                             u64(mp.B_RATE, 8000)), 3),
                ('mpolice: repoint a bucket', [one, two, new],
                 self.bucket(mp.BUCKET_REPOINT, u32(mp.B_ID, 1),
                             u32(mp.B_TARGET, 2)), 2),
                ('mpolice: get a bucket', [one],
                 self.bucket(mp.BUCKET_GET, u32(mp.B_ID, 1)), 4)):
            self.sweep.allocations(name, lambda start=start: self.base(start),
                                   request, self.shown, least, told)

        def unbound():
            self.unfilter()
            self.base([])
        self.sweep.allocations('mpolice: a filter with a new action', unbound,
                               self.filter(new), self.shown, 5, told)
        unbound()


# ---- spread

class Spread:
    """A team with two ports."""

    LIVE = ('samples', 'tx', 'fullness', 'class', 'moves', 'escapes', 'drops',
            'fallbacks', 'effective')

    def __init__(self, sweep):
        self.sweep = sweep
        self.team = None
        self.link = Netlink()
        self.generic = Netlink(NETLINK_GENERIC)
        for port in range(3):
            device(f'port{port}', 'dummy')

    def shown(self):
        """All options but those that are counters, and the ports."""
        found = self.team.options()
        for options in (found['team'], *found['ports'].values()):
            for name in list(options):
                if any(word in name for word in self.LIVE):
                    del options[name]
        return found

    def link_message(self, kind, flags, name, *attrs):
        """About a device, if it is there."""
        try:
            index = TEAM if kind == RTM_NEWLINK else socket.if_nametoindex(name)
        except OSError:
            return
        err, text = self.link.ask_message(kind, flags, struct.pack(
            'BxHiII', socket.AF_UNSPEC, 0, index, 0, 0) + b''.join(attrs))
        if err:
            raise RuntimeError(f'base: {name}: errno {err} "{text}"')

    def fresh(self, mode, *ports):
        """A new team."""
        self.link_message(RTM_DELLINK, 0, 'team0')
        self.link_message(RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, 'team0',
                          attr(IFLA_IFNAME, b'team0\0'),
                          nest(IFLA_LINKINFO, attr(IFLA_INFO_KIND, b'team\0')))
        self.team = self.team or spread.Team('team0')
        if mode:
            self.team.set('mode', mode)
        for port in ports:
            self.enslave(port, socket.if_nametoindex('team0'))

    def enslave(self, port, team):
        """To a team, or to none. A port that joins has to be down."""
        self.link_message(RTM_SETLINK, 0, port, u32(IFLA_MASTER, 0))
        if team:
            self.link_message(RTM_SETLINK, 0, port, u32(IFLA_MASTER, team))

    def option(self, name, value, port=None):
        """A request that sets one."""
        kind, data = ((spread.NLA_STRING, value.encode() + b'\0')
                      if isinstance(value, str) else
                      (spread.NLA_U32, struct.pack('I', value)))
        if isinstance(value, bool):
            kind, data = spread.NLA_FLAG, b''
        item = [attr(spread.OPTION_NAME, name.encode() + b'\0'),
                attr(spread.OPTION_TYPE, bytes((kind,)))]
        if value is not False:
            item.append(attr(spread.OPTION_DATA, data))
        if port:
            item.append(u32(spread.OPTION_PORT_IFINDEX,
                            socket.if_nametoindex(port)))
        body = genl(spread.TEAM_CMD_OPTIONS_SET, self.team.itself(), nest(
            spread.TEAM_ATTR_LIST_OPTION,
            nest(spread.TEAM_ATTR_ITEM_OPTION, *item)))
        return TeamRequest(self.generic, self.team.family, 0, body)

    def master(self, port, team):
        """A request that adds a port, or takes it away."""
        return failnth.Request(
            self.link, RTM_SETLINK, 0, struct.pack(
                'BxHiII', socket.AF_UNSPEC, 0, socket.if_nametoindex(port), 0,
                0) + u32(IFLA_MASTER, team))

    def test(self):
        """One after another."""
        # The driver sets, and then tells: the order of its answers.
        told = (errno.ENOMEM, errno.ENOBUFS)
        sweep = self.sweep
        self.fresh('spread', 'port0', 'port1')

        def base():
            for name, value, port in options:
                self.team.set(name, before[name, port], port)

        options = (
            ('spread_interval', 77, None), ('spread_classes', '10,20,30', None),
            ('spread_index', 'ip', None), ('spread_empty', 'drop', None),
            ('spread_flowlet', 500, None), ('spread_escape', False, None),
            ('spread_sets', 3, 'port1'), ('spread_weight', 7, 'port0'),
            ('spread_capacity', 9, 'port1'), ('enabled', False, 'port0'))
        found = self.team.options()
        before = {(name, port): spread.shown(
            (found['ports'][port] if port else found['team'])[name])
            for name, _, port in options}
        for name, value, port in options:
            sweep.allocations(f'spread: set {name}', base,
                              self.option(name, value, port), self.shown, 1,
                              told)
        team = socket.if_nametoindex('team0')

        sweep.allocations('spread: add a port',
                          lambda: self.enslave('port2', 0),
                          self.master('port2', team), self.shown, 5)
        sweep.allocations('spread: take a port away',
                          lambda: self.enslave('port2', team),
                          self.master('port2', 0), self.shown, 0)

        # The driver ends a mode before it begins another one: a team without one.
        sweep.allocations('spread: set the mode', lambda: self.fresh(None),
                          self.option('mode', 'spread'), self.shown, 5, told)
        sweep.allocations('spread: set another mode',
                          lambda: self.fresh('spread'),
                          self.option('mode', 'random'), self.shown, 3, told)


class TeamRequest(failnth.Request):
    """Where nobody listens to the event, it was done all the same."""

    def verdict(self):
        """As that of any other."""
        err = super().verdict()
        return 0 if err == errno.ESRCH else err


def main():
    """Makes what is needed, and runs one part."""
    part = sys.argv[1]
    if not failnth.prepare():
        print('1..0 # SKIP fault injection')
        return 4
    ktap = Ktap()
    sweep = failnth.Sweep(ktap)
    if part == 'ramp':
        ramp_cases(sweep)
    else:
        {'mpolice': Mpolice, 'spread': Spread}[part](sweep).test()
    print(f'# {sweep.failures} allocations failed')
    return ktap.ended()


if __name__ == '__main__':
    sys.exit(main())
