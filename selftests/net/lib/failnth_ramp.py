# SPDX-License-Identifier: GPL-2.0
"""What debug_failnth.py asks the qdisc ramp for."""

import errno
import socket
import struct
import subprocess

import failnth
from rawnl_cases import (BANDS, DETECT, DOWN_STEP, EXEMPT, FLOOR, INGRESS, LIMIT,
                         MEMBERS, OF_BANDS, PACKETS, PAUSE, PERCENT, PPS, PRIOMAP, QUEUE,
                         RATE, START, STEP, amount, band_limit, level)
from rawnl_codes import (FEEDBACK, LADDER, OBEY, OBEY_MIN, RAIL, addresses,
                         SIXTEEN, band_feedback, band_ladder, ladder, u16s)
from rawnl_gears import (FOUR, FREEZE_NOW, PORTS, POWER, POWER_PORTS, TOP,
                         u32s)
from netlink import (NETLINK_GENERIC, NLM_F_CREATE, NLM_F_DUMP, NLM_F_EXCL,
                     NLM_F_REPLACE, RTM_DELQDISC, RTM_GETQDISC, RTM_GETTCLASS,
                     RTM_NEWQDISC, RTM_NEWTCLASS, TCA_KIND, TCA_OPTIONS,
                     TCA_STATS2, TCA_STATS_APP, TC_H_ROOT, Netlink, Tc, attr,
                     attrs_of, genl, nest, u32, u64)

RTM_NEWTFILTER, RTM_DELTFILTER, RTM_GETTFILTER = 44, 45, 46
TCA_STATS_QUEUE = 3
MATCHALL_CLASSID = 1
RAIL_GET, A_RAIL = 5, 15
RAMP, ABOVE = 0x10000, 0x30000
BY_QUEUE, BY_INGRESS, BY_MEMBERS, ALWAYS = 1, 2, 4, 5
FRAME = b'\xff' * 6 + b'\x02' * 6 + b'\x88\xb6' + b'\0' * 1486
WAITING = 8
# A child of the second band stays.
FEW = u32(BANDS, 3) + attr(PRIOMAP, bytes(16)) + u32(EXEMPT, 0)


def options(parts):
    """Groups of options, which a ramp with four bands can all have."""
    first, second = parts
    ports = u32(1, first) + u32(1, second)
    groups = {
        'bands': (u32(BANDS, 16) + attr(PRIOMAP, bytes(range(16))) +
                  u32(EXEMPT, 1 << 15) + band_limit((3, 50), (9, 60))),
        'a level of the queue': (u32(DETECT, BY_QUEUE) +
                                 level(QUEUE, PERCENT, 100, 5000)),
        'a level of arrivals': (u32(DETECT, BY_INGRESS) +
                                level(INGRESS, PPS, 10, 1000)),
        'members': u32(DETECT, BY_MEMBERS) + level(MEMBERS, OF_BANDS, 1, 3),
        'a ramp at once': u32(DETECT, ALWAYS),
        'a rail': u32(RAIL, 7) + u64(RATE, 10**9) + u32(
            DETECT, BY_INGRESS) + level(INGRESS, PPS, 10, 10**6) + b''.join(
            amount(kind, PACKETS, 1) for kind in (START, STEP, DOWN_STEP, FLOOR)),
        'a ladder': ladder(LADDER, *SIXTEEN) + band_ladder(
            *((band, *SIXTEEN) for band in range(4))),
        'feedback': (ladder(LADDER, *SIXTEEN) + attr(FEEDBACK | 0x8000, ports) +
                     band_feedback((1, second))),
        'peers': u32(OBEY, 1) + u32(OBEY_MIN, 2000) + addresses(1, 2),
        'gears': (FOUR + attr(PORTS | 0x8000, ports) +
                  u32s(POWER, (1, 2, 3, 4))),
        'power by ports': (FOUR + attr(PORTS | 0x8000, ports) + u32s(POWER, (9,)) +
                           u16s(POWER_PORTS, (2000, 5000, 10000))),
    }
    feedback = attr(FEEDBACK | 0x8000, ports) + band_feedback((1, second))
    groups['all'] = b''.join(groups[name] for name in (
        'bands', 'a rail', 'a ladder', 'peers', 'gears')) + feedback
    groups['all but a rail'] = b''.join(groups[name] for name in (
        'bands', 'a ladder', 'peers', 'gears')) + feedback
    return groups


class Ramp:
    """A ramp below a qdisc that lets nothing pass, so that its packets wait."""

    def __init__(self, sweep):
        self.sweep = sweep
        for name, queues in ('ramp0', 1), ('part0', 1), ('part1', 1), ('many0', 3):
            subprocess.run(['ip', 'link', 'add', name, 'numtxqueues', str(queues),
                            'type', 'dummy'], check=True)
            with open(f'/proc/sys/net/ipv6/conf/{name}/disable_ipv6', 'w',
                      encoding='ascii') as file:
                file.write('1')
        subprocess.run('ip link set ramp0 up && tc qdisc add dev ramp0 root '
                       'handle 3: tbf rate 8bit burst 2000 limit 1000000',
                       shell=True, check=True)
        self.tc = Tc(socket.if_nametoindex('ramp0'))
        self.other = Tc(socket.if_nametoindex('part0'))
        self.many = Tc(socket.if_nametoindex('many0'))
        self.sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
        self.sock.bind(('ramp0', 0))
        # All that it lets pass for the next half hour.
        self.sock.send(FRAME)
        self.add(b'')
        self.generic = Netlink(NETLINK_GENERIC)
        self.family = self.generic.number_of('ramp')
        self.groups = options([socket.if_nametoindex(name)
                               for name in ('part0', 'part1')])

    # ---- what there is

    def qdiscs(self):
        """All, with what waits in them, and the counters of a ramp."""
        found = []
        for handle, attrs in (*self.tc.dump(RTM_GETQDISC, RTM_NEWQDISC),
                              *self.other.dump(RTM_GETQDISC, RTM_NEWQDISC)):
            stats = attrs_of(attrs.get(TCA_STATS2, b''))
            counters = b''
            if attrs[TCA_KIND] == b'ramp\0':
                counters = stats[TCA_STATS_APP][16:48]
            options = attrs_of(attrs.get(TCA_OPTIONS, b''))
            # The ports of gears are asked a little later.
            for kind in (TOP, FREEZE_NOW):
                options.pop(kind, None)
            found.append((handle, attrs[TCA_KIND], options,
                          stats[TCA_STATS_QUEUE][:12], counters))
        return sorted(found, key=str)

    def classes(self):
        """Those of the ramp: what is set, and what waits."""
        found = []
        for handle, attrs in self.tc.dump(RTM_GETTCLASS, RTM_NEWTCLASS):
            if attrs[TCA_KIND] == b'ramp\0':
                app = attrs_of(attrs.get(TCA_STATS2, b''))[TCA_STATS_APP]
                found.append((handle, app[:40]))
        return found

    def filters(self):
        """Of the ramp."""
        self.tc.send_message(RTM_GETTFILTER, NLM_F_DUMP,
                             self.tc.message(b'', 0, RAMP))
        return [payload[20:] for payload in self.tc.dumped(RTM_NEWTFILTER)]

    def rails(self):
        """How many."""
        self.generic.send_message(self.family, NLM_F_DUMP, genl(RAIL_GET))
        return len(list(self.generic.dumped(self.family)))

    def shown(self):
        """All that can be seen."""
        return self.qdiscs(), self.classes(), self.filters(), self.rails()

    # ---- what is made

    def none(self, kind=b''):
        """No ramp, but maybe another qdisc."""
        below = ABOVE | 1
        self.other.remove()
        for handle in (RAMP, 2 << 16):
            self.tc.ask(RTM_DELQDISC, 0, b'', handle, below)
        if kind:
            self.tc.ask(RTM_NEWQDISC, NLM_F_CREATE | NLM_F_EXCL,
                        attr(TCA_KIND, kind), 2 << 16, below)

    def add(self, parts):
        """A ramp with these options, and packets that wait in it."""
        self.none()
        err, text = self.tc.ask(
            RTM_NEWQDISC, NLM_F_CREATE | NLM_F_EXCL,
            attr(TCA_KIND, b'ramp\0') + nest(TCA_OPTIONS, u32(LIMIT, 777),
                                             u32(BANDS, 4), parts),
            RAMP, ABOVE | 1)
        if err:
            raise RuntimeError(f'base: errno {err} "{text}"')
        for number in range(WAITING):
            self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_PRIORITY, number)
            self.sock.send(FRAME)

    def beside(self, parts, own):
        """A rail with another member, which has much of its own, and with ours."""
        if own:
            self.add(own)
        else:
            self.none()
        err, text = self.other.add(nest(TCA_OPTIONS, parts, FOUR,
                                        ladder(LADDER, *SIXTEEN)))
        if err:
            raise RuntimeError(f'base: errno {err} "{text}"')

    def qdisc(self, kind, flags, options=b'', handle=RAMP, parent=ABOVE | 1):
        """A request about one of them."""
        body = attr(TCA_KIND, kind + b'\0') + options
        return failnth.Request(self.tc, RTM_NEWQDISC, flags,
                               self.tc.message(body, handle, parent))

    def gone(self, handle, parent):
        """A request that deletes one."""
        return failnth.Request(self.tc, RTM_DELQDISC, 0,
                               self.tc.message(b'', handle, parent))

    # ---- what is asked for

    def each_group(self):
        """Each group of options, in a new ramp and in one that has packets."""
        make = NLM_F_CREATE | NLM_F_EXCL
        # The answer, the core's own, and ours. What only limits has no ring of events.
        own = {'bands': -1, 'a ramp at once': -1, 'a rail': 1, 'a ladder': 1,
               'feedback': 2, 'peers': 2, 'gears': 1, 'power by ports': 1, 'all': 6}
        groups = {name: parts for name, parts in self.groups.items()
                  if name != 'all but a rail'}
        for name, parts in groups.items():
            wrapped = nest(TCA_OPTIONS, u32(LIMIT, 777), u32(BANDS, 4), parts)
            self.sweep.allocations(f'ramp: add with {name}', self.none,
                                   self.qdisc(b'ramp', make, wrapped),
                                   self.shown, 5 + own.get(name, 0))
        for name, parts in groups.items():
            self.sweep.allocations(f'ramp: change to {name}',
                                   lambda: self.add(b''),
                                   self.qdisc(b'ramp', 0,
                                              nest(TCA_OPTIONS, parts)),
                                   self.shown, 2 + own.get(name, 0))
        # All is there already, and something else is wanted.
        plain = nest(TCA_OPTIONS, FEW, u32(RAIL, 8), nest(FEEDBACK),
                     nest(LADDER), u32(OBEY, 0), FOUR)
        self.sweep.allocations('ramp: change from all',
                               lambda: self.add(self.groups['all']),
                               self.qdisc(b'ramp', 0, plain), self.shown, 2)

    def rail(self):
        """What is changed on one member of a rail is changed for all, or for none."""
        rail = self.groups['a rail']
        pause = u64(PAUSE, 77000000)
        self.sweep.allocations(
            'ramp: change a rail with others', lambda: self.beside(rail, rail),
            self.qdisc(b'ramp', 0, nest(TCA_OPTIONS, pause)), self.shown, 4)
        self.sweep.allocations(
            'ramp: change a rail by joining it', lambda: self.beside(rail, b''),
            self.qdisc(b'ramp', NLM_F_CREATE | NLM_F_EXCL,
                       nest(TCA_OPTIONS, u32(RAIL, 7), pause)), self.shown, 7)

    def queues(self):
        """What all queues of a ramp_mq have, or none."""
        everything = nest(TCA_OPTIONS, self.groups['all but a rail'])
        kind = attr(TCA_KIND, b'ramp_mq\0')

        def shown():
            found = []
            for handle, attrs in self.many.dump(RTM_GETQDISC, RTM_NEWQDISC):
                options = attrs_of(attrs.get(TCA_OPTIONS, b''))
                for number in (TOP, FREEZE_NOW):
                    options.pop(number, None)
                found.append((handle, attrs[TCA_KIND], options))
            return sorted(found, key=str)

        def none():
            self.many.ask(RTM_DELQDISC, 0, b'', RAMP, TC_H_ROOT)

        def plain():
            none()
            err, text = self.many.ask(RTM_NEWQDISC, NLM_F_CREATE | NLM_F_EXCL,
                                      kind + nest(TCA_OPTIONS, u32(BANDS, 4)),
                                      RAMP, TC_H_ROOT)
            if err:
                raise RuntimeError(f'base: errno {err} "{text}"')

        for name, base, flags, least in (
                ('ramp_mq: add with all', none, NLM_F_CREATE | NLM_F_EXCL, 21),
                ('ramp_mq: change to all', plain, 0, 12)):
            request = failnth.Request(
                self.many, RTM_NEWQDISC, flags,
                self.many.message(kind + everything, RAMP, TC_H_ROOT))
            self.sweep.allocations(name, base, request, shown, least)
        none()

    def others(self):
        """Children, filters, and other qdiscs in its place."""
        make = NLM_F_CREATE | NLM_F_EXCL
        replace = NLM_F_CREATE | NLM_F_REPLACE
        everything = self.groups['all']
        band = RAMP | 2

        def child():
            self.add(b'')
            self.tc.ask(RTM_NEWQDISC, make, attr(TCA_KIND, b'pfifo\0'), 5 << 16,
                        band)

        def filtered():
            self.add(b'')
            request = self.filter()
            request.send()
            request.verdict()
            self.tc.ask(RTM_DELTFILTER, 0, b'', 0, RAMP)

        # The core has one word for all reasons why there is no place for filters.
        self.sweep.allocations('ramp: a first filter', lambda: self.add(b''),
                               self.filter(), self.shown, 3, says=(errno.EINVAL,))
        # An answer whose acknowledgement failed stays in its socket.
        asks = Netlink(NETLINK_GENERIC)
        for name, base, request, least in (
                ('ramp: replaces another', lambda: self.none(b'pfifo\0'),
                 self.qdisc(b'ramp', replace, nest(TCA_OPTIONS, everything)), 5),
                ('ramp: is replaced', lambda: self.add(everything),
                 self.qdisc(b'fq_codel', replace, b'', 2 << 16), 2),
                ('ramp: replaces itself', lambda: self.add(everything),
                 self.qdisc(b'ramp', replace, nest(TCA_OPTIONS, FEW)),
                 1),
                ('ramp: is deleted', lambda: self.add(everything),
                 self.gone(RAMP, ABOVE | 1), 1),
                ('ramp: a child', lambda: self.add(b''),
                 self.qdisc(b'fq_codel', make, b'', 5 << 16, band), 2),
                ('ramp: another child', child,
                 self.qdisc(b'fq_codel', replace, b'', 6 << 16, band), 2),
                ('ramp: a child that is a ramp', child,
                 self.qdisc(b'ramp', replace, nest(TCA_OPTIONS,
                                                   self.groups['peers']),
                            6 << 16, band), 3),
                ('ramp: a child is taken away', child,
                 self.gone(5 << 16, band), 1),
                ('ramp: fewer bands than children', child,
                 self.qdisc(b'ramp', 0, nest(TCA_OPTIONS, FEW)), 1),
                ('ramp: a filter', filtered, self.filter(), 2),
                ('ramp: tells about a rail',
                 lambda: self.add(self.groups['a rail']),
                 failnth.Request(asks, self.family, 0, genl(
                     RAIL_GET, u32(A_RAIL, 7))), 2)):
            self.sweep.allocations(name, base, request, self.shown, least)

    def filter(self):
        """A request for one that knows no difference."""
        body = self.tc.message(
            attr(TCA_KIND, b'matchall\0') +
            nest(TCA_OPTIONS, u32(MATCHALL_CLASSID, RAMP | 2)), 1, RAMP)
        # Preference and protocol are where a qdisc has nothing.
        body = body[:16] + struct.pack('I', 1 << 16 | socket.htons(3)) + body[20:]
        return failnth.Request(self.tc, RTM_NEWTFILTER,
                               NLM_F_CREATE | NLM_F_EXCL, body)


def ramp_cases(sweep):
    """All of them."""
    ramp = Ramp(sweep)
    ramp.each_group()
    ramp.rail()
    ramp.queues()
    ramp.others()
    ramp.none()
