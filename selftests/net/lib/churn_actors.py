# SPDX-License-Identifier: GPL-2.0
"""
What is done to ramp, mpolice and spread at random, by one process each.

    churn.py act WHO SEED

reads a line for each round, does some things, and prints what it was; "-" before
what was refused, as much of it is: what it is about may be gone.
"""

import ctypes
import random
import socket
import struct
import subprocess
import sys
import threading

import modules
import rawnl_mpolice_msg as mp
import spread
from rawnl_cases import LIMIT_BYTES_NOW, LIMIT_NEED, LIMIT_NOW, RATE_NOW
from rawnl_gears import FREEZE_NOW, TOP
from netlink import (NLM_F_CREATE, NLM_F_EXCL, TCA_OPTIONS, Netlink, Tc, attr,
                     nest, u32, u64)

# Of each in a round.
THINGS = 3
PORTS = ('p0', 'p1', 'p2', 'p3')
MODULES = ('sch_ramp', 'act_mpolice', 'team_mode_spread')
CLONE_NEWNET = 0x40000000
RTM_NEWLINK = 16
ANSWERS = LIMIT_NOW, LIMIT_NEED, LIMIT_BYTES_NOW, RATE_NOW, TOP, FREEZE_NOW
IFF_UP = 1
IFLA_IFNAME, IFLA_LINKINFO, IFLA_INFO_KIND = 3, 18, 1
EACH = ('detect always', 'detect off', 'detect queue', 'detect ingress',
        'detect both', 'queue 1%:50%', 'ingress 10pps:1000pps', 'rail 7', 'rail 8',
        'rail none', 'bands 4', 'bands 16', 'bands 1', 'exempt 0', 'exempt none',
        'limit 100', 'limit 2000', 'tick 1ms', 'tick 100us',
        'ladder 20%:80%,40%:50%,60%:20%', 'ladder none', 'feedback x0,x1',
        'feedback none', 'obey', 'no-obey', 'gears 100mbit,200mbit,1gbit',
        'gears 1mbit,1gbit', 'gears none', 'gear-ports x0,x1', 'gear-ports none',
        'split-gso', 'no-split-gso', 'rate 1gbit', 'rate 1mbit',
        'pause 1ms hold 1ms', 'adaptive', 'no-adaptive')
QDISCS = ('pfifo limit 50', 'fq_codel', 'ramp detect always', 'sfq',
          'tbf rate 1gbit burst 20000 limit 1000000')


class Batch:
    """A tc or an ip that takes one command after the other."""

    def __init__(self, *words):
        # pylint: disable=consider-using-with
        self.tool = subprocess.Popen(
            [*words, '-force', '-batch', '-'], stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.line = 0

    def __call__(self, command):
        """True if it was done. What is no command ends its answer."""
        self.tool.stdin.write(command + '\nend\n')
        self.tool.stdin.flush()
        self.line += 2
        done = True
        while True:
            answer = self.tool.stderr.readline()
            if answer == f'Command failed -:{self.line}\n':
                return done
            if answer == f'Command failed -:{self.line - 1}\n':
                done = False
            if not answer:
                raise RuntimeError(f'{self.tool.args} died after: {command}')


class Actor:
    """Does one of its things at a time."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.things = [getattr(self, name) for name in dir(type(self))
                       if name.startswith('do_')]
        self.deck = []

    def any(self, *choices):
        """One of them."""
        return self.random.choice(choices)

    def act(self, word):
        """Some of them; at the end of a number of rounds, all that it has goes."""
        if word in ('clear', 'make'):
            getattr(self, word)()
            return word
        done = []
        for _ in range(THINGS):
            if not self.deck:
                self.deck = self.random.sample(self.things, len(self.things))
            thing = self.deck.pop()
            done.append(('' if thing() else '-') + thing.__name__[3:])
        return ' '.join(done)

    def clear(self):
        """What keeps the module in use goes."""

    def make(self):
        """It comes again."""


class Qdisc(Actor):
    """Ramps, their children and their filters on out0."""

    def __init__(self, seed):
        super().__init__(seed)
        self.tc = Batch('tc', '-s')
        self.root, self.parent = 2, '2:1'

    def some(self, *first):
        """Options that go together, most of the time: none of them twice."""
        found = {option.split()[0]: option for option in first}
        for option in self.random.sample(EACH, self.random.randrange(1, 5)):
            found[option.split()[0]] = option
        return ' '.join(found.values())

    def ramp(self):
        """One that may be on a rail."""
        self.root = self.any(2, 3)
        return f'handle {self.root}: ramp ' + self.some(
            'detect always', 'rate 20mbit', 'start 2p', 'step 2p')

    def do_add(self):
        """As root, or anew."""
        return self.tc(f'qdisc replace dev out0 root {self.ramp()}')

    do_add_again = do_add

    def do_below(self):
        """Where packets wait for their parent."""
        return (self.tc('qdisc replace dev out0 root handle 4: tbf rate 2mbit '
                        'burst 3000 limit 1000000') and
                self.tc(f'qdisc replace dev out0 parent 4:1 {self.ramp()}'))

    do_below_again = do_below

    def do_change(self):
        """What there is."""
        where = self.any('root', 'parent 4:1')
        return self.tc(f'qdisc change dev out0 {where} ramp {self.some()}')

    do_change_again = do_change_too = do_change

    def do_replace(self):
        """Another one comes."""
        return self.tc('qdisc replace dev out0 root handle 1: '
                       f'{self.any(*QDISCS)}')

    def do_delete(self):
        """The root goes."""
        return self.tc('qdisc del dev out0 root')

    def do_graft(self):
        """Children come."""
        self.parent = f'{self.root}:{self.random.randrange(1, 5)}'
        return self.tc(f'qdisc replace dev out0 parent {self.parent} '
                       f'handle {16 + self.random.randrange(8)}: '
                       f'{self.any(*QDISCS)}')

    do_graft_again = do_graft

    def do_ungraft(self):
        """One that came has not gone with another qdisc, one hopes."""
        return self.tc(f'qdisc del dev out0 parent {self.parent}')

    def do_filter(self):
        """Filters come."""
        return self.tc(f'filter add dev out0 parent {self.root}: pref '
                       f'{self.random.randrange(1, 5)} protocol all matchall '
                       f'classid {self.root}:{self.random.randrange(1, 3)}')

    def do_unfilter(self):
        """Filters go."""
        return self.tc(f'filter del dev out0 parent {self.root}:')

    def do_show(self):
        """Somebody looks."""
        return (self.tc('qdisc show dev out0') and
                self.tc('class show dev out0'))

    def clear(self):
        self.tc('qdisc del dev out0 root')


class Police(Actor):
    """Actions, their buckets, and filters that have them."""

    def __init__(self, seed):
        super().__init__(seed)
        self.tc = Batch('tc', '-s')
        self.tc('qdisc add dev out0 clsact')

    def index(self):
        """Of an action, or of a bucket: few, so that they meet."""
        return self.random.randrange(1, 6)

    def some(self):
        """Parameters."""
        return (f'action mpolice bucket {self.index()} rate {self.any(1, 9)}gbit '
                f'policy {self.any("drop", "account", "bypass")}')

    def do_add(self):
        """An action of its own."""
        return self.tc(f'actions add {self.some()} index {self.index()}')

    def do_change(self):
        """Another bucket, another policy."""
        return self.tc(f'actions replace {self.some()} index {self.index()}')

    do_change_again = do_change

    def do_delete(self):
        """One goes, if nobody uses it."""
        return self.tc(f'actions del action mpolice index {self.index()}')

    def do_flush(self):
        """All that nobody uses go."""
        return self.tc('actions flush action mpolice')

    def do_bind(self):
        """A filter has one of them."""
        return self.tc(f'filter add dev out0 egress pref {self.index()} '
                       'protocol all matchall action mpolice index '
                       f'{self.index()}')

    do_bind_again = do_bind

    def do_inline(self):
        """A filter brings its own."""
        return self.tc(f'filter add dev out0 egress pref {self.index()} '
                       f'protocol all matchall {self.some()}')

    def do_unbind(self):
        """A filter goes."""
        return self.tc(f'filter del dev out0 egress pref {self.index()}')

    def do_unhook(self):
        """The hook goes, with all filters, and comes."""
        return (self.tc('qdisc del dev out0 clsact') and
                self.tc('qdisc add dev out0 clsact'))

    def do_bucket(self):
        """A bucket is set, or all of its actions move to another one."""
        buckets = mp.Buckets()
        if not buckets.family:
            return False
        if self.any(True, False):
            err, _ = buckets.ask(mp.BUCKET_SET, u32(mp.B_ID, self.index()),
                                 u64(mp.B_RATE, self.any(10**6, 10**9)))
        else:
            err, _ = buckets.ask(mp.BUCKET_REPOINT, u32(mp.B_ID, self.index()),
                                 u32(mp.B_TARGET, self.index()))
        return not err

    def do_show(self):
        """Somebody looks."""
        return self.tc('actions list action mpolice')

    def clear(self):
        self.tc('qdisc del dev out0 clsact')
        self.tc('qdisc add dev out0 clsact')
        self.tc('actions flush action mpolice')


class Team(Actor):
    """A team, its ports, their qdiscs, and its options."""

    OPTIONS = (('spread_interval', '0'), ('spread_interval', '50'),
               ('spread_classes', '10,20,30,40,50,60,70'),
               ('spread_classes', '50'), ('spread_index', 'ip'),
               ('spread_index', 'none'), ('spread_flowlet', '0'),
               ('spread_flowlet', '500'), ('spread_escape', 'false'),
               ('spread_escape', 'true'), ('spread_empty', 'drop'),
               ('spread_empty', 'all'))
    OF_PORTS = (('spread_weight', '9'), ('spread_weight', '1'),
                ('spread_sets', '3'), ('spread_sets', '4294967295'),
                ('spread_capacity', '7'), ('spread_capacity', '0'),
                ('enabled', 'false'), ('enabled', 'true'))

    def __init__(self, seed):
        super().__init__(seed)
        self.ip = Batch('ip')
        self.tc = Batch('tc')
        self.made = None
        self.make()

    def make(self):
        """A team with all ports."""
        self.ip('link del team0')
        if not self.ip('link add team0 type team'):
            return False
        self.made = self.made or spread.Team('team0')
        if not self.set('mode', 'spread'):
            return False
        for port in PORTS:
            self.join(port)
        return self.ip('link set team0 up')

    def set(self, *words):
        """An option."""
        try:
            self.made.set(*words)
        except (OSError, KeyError):
            return False
        return True

    def join(self, port):
        """A port has to be down for that."""
        return (self.ip(f'link set {port} down') and
                self.ip(f'link set {port} master team0'))

    def do_leave(self):
        """A port goes."""
        return self.ip(f'link set {self.any(*PORTS)} nomaster')

    def do_join(self):
        """A port comes."""
        return self.join(self.any(*PORTS))

    do_join_again = do_join

    def do_set(self):
        """An option of the team."""
        return self.set(*self.any(*self.OPTIONS))

    do_set_again = do_set

    def do_set_port(self):
        """An option of a port."""
        return self.set(*self.any(*self.OF_PORTS), self.any(*PORTS))

    def do_qdisc(self):
        """Another qdisc on a port."""
        return self.tc(f'qdisc replace dev {self.any(*PORTS)} root '
                       f'{self.any(*QDISCS)}')

    def do_mode(self):
        """Another mode, and back."""
        for port in PORTS:
            self.ip(f'link set {port} nomaster')
        return self.set('mode', self.any('random', 'spread'))

    def do_flap(self):
        """The team goes down, and up."""
        return (self.ip('link set team0 down') and
                self.ip('link set team0 up'))

    def clear(self):
        self.ip('link del team0')
        for port in PORTS:
            self.tc(f'qdisc del dev {port} root')


class Namespace:
    """Makes namespaces with a ramp and an action, which go at once. No program runs
    for that: where all checkers are, each costs a third of a second.
    """

    RAMP = ('tc qdisc add dev w0 root handle 1: ramp detect always rate 1gbit start 2p '
            'step 2p down-step 1p floor 1p rail 7 obey gears 10mbit,1gbit '
            'ladder 20%:80%,60%:20% feedback w1')
    MODULE_GONE = ('Specified qdisc kind is unknown',
                   'Failed to load TC action module')
    ACTION = nest(mp.TCA_ACT_OPTIONS, u32(mp.BUCKET, 1), u64(mp.RATE, 10**8),
                  u32(mp.POLICY, mp.DROP))

    def __init__(self):
        self.libc = ctypes.CDLL(None, use_errno=True)
        self.ramp = self.error = None
        self.gone = False
        self.make()

    def links(self):
        """Devices get the same numbers in each of them."""
        route = Netlink()
        for name in b'w0\0', b'w1\0':
            err, text = route.ask_message(
                RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL,
                struct.pack('BxHiII', 0, 0, 0, IFF_UP, IFF_UP) +
                attr(IFLA_IFNAME, name) +
                nest(IFLA_LINKINFO, attr(IFLA_INFO_KIND, b'dummy\0')))
            if err:
                raise OSError(err, f'{name}: {text}')
        return Tc(socket.if_nametoindex('w0'))

    @staticmethod
    def asked(shown):
        """What is shown, without that which is never asked for."""
        asked = b''
        while shown:
            size, kind = struct.unpack_from('HH', shown)
            size = (size + 3) & ~3
            if kind not in ANSWERS:
                asked += shown[:size]
            shown = shown[size:]
        return asked

    def inside(self):
        """The first time with tc, and then what it made is made again."""
        try:
            if self.libc.unshare(CLONE_NEWNET):
                raise OSError(ctypes.get_errno(), 'unshare')
            ramps = self.links()
            if not self.ramp:
                subprocess.run(self.RAMP.split(), check=True)
                self.ramp = nest(TCA_OPTIONS, self.asked(ramps.shown()))
                ramps.remove()
            for err, text in (ramps.add(self.ramp),
                              mp.Actions().add(self.ACTION)):
                if text in self.MODULE_GONE:
                    self.gone = True
                elif err:
                    raise OSError(err, text)
        except (OSError, subprocess.CalledProcessError) as error:
            self.error = error

    def make(self):
        """A namespace is a thread's, and goes with it. False if a module was taken
        away after the kernel had loaded it, before it could hold on to it.
        """
        self.gone = False
        thread = threading.Thread(target=self.inside)
        thread.start()
        thread.join()
        if self.error:
            raise self.error
        return not self.gone


class Links(Actor):
    """Devices and network namespaces; what ramps send codes out of, or follow."""

    def __init__(self, seed, other):
        super().__init__(seed)
        self.ip = Batch('ip')
        self.other = Batch('ip', '-n', other)
        self.spare = Namespace()

    def flap(self, where, dev):
        """Down, and up."""
        return where(f'link set {dev} down') and where(f'link set {dev} up')

    def do_flap(self):
        """The port that the ramps are on."""
        return self.flap(self.ip, 'out0')

    def do_carrier(self):
        """Its peer."""
        return self.flap(self.other, 'in0')

    def do_port(self):
        """The peer of a port of the team."""
        return self.flap(self.other, f'q{self.random.randrange(4)}')

    def do_device(self):
        """A device comes, or goes."""
        name = self.any('x0', 'x1')
        return (self.ip(f'link del {name}') or
                self.ip(f'link add {name} type dummy') and
                self.ip(f'link set {name} up'))

    do_device_again = do_device

    def do_mtu(self):
        """Notifiers hear of it."""
        return self.ip(f'link set out0 mtu {self.any(1400, 1500)}')

    def do_netns(self):
        """A network namespace goes with all that is in it."""
        return self.spare.make()


class Modules(Actor):
    """Modules come and go, as long as nobody needs them."""

    def __init__(self, seed):
        super().__init__(seed)
        self.ours = modules.Modules(*MODULES)

    def do_unload(self):
        """Not waiting for anybody."""
        return self.ours.unload(self.any(*MODULES))

    do_unload_again = do_unload
    do_unload_once_more = do_unload

    def do_load(self):
        """In case nobody has asked for it."""
        return self.ours.load(self.any(*MODULES))


def act(who, seed, other):
    """Does what lines ask for."""
    kind = {'qdisc': Qdisc, 'police': Police, 'team': Team, 'links': Links,
            'modules': Modules}[who]
    actor = kind(seed, other) if kind is Links else kind(seed)
    print('ready', flush=True)
    for line in sys.stdin:
        print(actor.act(line.strip()), flush=True)
    return 0
