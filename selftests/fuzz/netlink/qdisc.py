# SPDX-License-Identifier: GPL-2.0
"""Fuzzes the qdisc ramp: add, change, replace, delete, graft, get and dump.

What is accepted must read back, what it does not name must be as it was, and what
is refused must have changed nothing and say why. The counters must agree in every
answer, and from time to time with what was sent and with what the device got.
"""

import errno
import os
import struct
import time

from kinds import (PACKETS, PERCENT, PPS, RATE, WHOLE, attributes, by_type,
                   number)
from lists import OfBands
from mutate import Mutator, pack
from netlink import (NLA_F_NESTED, NLM_F_CREATE, NLM_F_EXCL, NLM_F_REPLACE,
                     RTM_DELQDISC, RTM_GETQDISC, RTM_GETTCLASS, RTM_NEWQDISC, TC_H_ROOT,
                     TCA_KIND, TCA_OPTIONS, TCA_STATS2, TCA_STATS_APP, attr,
                     attrs_of, nest, u32, u64)
from tables import (ABSENT, ALWAYS, AMOUNTS, ANSWERS, FOLLOWS, KIND, MOVING, NUMBER,
                    OF_RAIL)
from traffic import Peer
from wire import Bad, Wire

NLM_F_ECHO = 0x8
TCA_STATS_QUEUE = 3
XSTATS = struct.Struct('=II28Q4I16Q9Q4I16Q')
N = NUMBER
# Nothing of ours may answer with anything else.
REFUSALS = {errno.EINVAL, errno.EBUSY, errno.EEXIST, errno.ENOENT,
            errno.EOPNOTSUPP, errno.EMSGSIZE, errno.ENOSPC, errno.EPERM,
            errno.ERANGE}


class Device:
    """A device, the ramp on it, and what is known of both."""

    def __init__(self, sender, ifindex, handle, parent=TC_H_ROOT):
        self.sender, self.ifindex = sender, ifindex
        self.handle, self.parent = handle, parent
        self.shown = self.raw = None
        self.offered = self.left = 0
        self.large = self.children = False

    def forget(self):
        """There is no ramp."""
        self.shown = self.raw = None
        self.large = self.children = False


class Env:
    """What values are made for: the ramp of one device, and what is beside it."""

    def __init__(self, ethernet, devices):
        self.ethernet, self.devices = ethernet, devices
        # All that a flipped bit may name, too.
        self.there = set()
        self.cpus = os.cpu_count()
        self.bands, self.gears, self.unit = 1, 0, PERCENT
        self.limit = self.limit_bytes = 0

    def of(self, shown):
        """Takes over what a ramp shows."""
        shown = shown or {}
        self.bands = shown.get(N['BANDS'], 1)
        self.gears = len(shown.get(N['GEARS'], ()))
        self.limit = shown.get(N['LIMIT'], 0)
        self.limit_bytes = shown.get(N['LIMIT_BYTES'], 0)
        self.unit = shown.get(N['START'], (PERCENT,))[0]
        return self


class Qdiscs:
    """All ramps of a round."""

    def __init__(self, rng, devices, env, links, log):
        self.rng, self.devices, self.env = rng, devices, env
        self.links, self.log = links, log
        self.wire = Wire()
        self.mutator = Mutator(KIND, ANSWERS)
        self.known, self.defaults = {}, None
        self.peer = Peer('peer0', 60)
        # Who sends codes for others, past all queues.
        self.fed = set()

    # ---- what is asked for

    def _some(self, names, rng, env, chance=2):
        return [self.mutator.good(rng, env, N[name]) for name in names
                if not rng.randrange(chance)]

    def _few(self, rng, env):
        return [self.mutator.good(rng, env, rng.choice(self.mutator.types))
                for _ in range(rng.randint(1, 3))]

    def _many(self, rng, env):
        return self._some(list(N)[2:17], rng, env, 3) + self._few(rng, env)

    def _amounts(self, rng, env):
        env.unit = rng.choice((PACKETS, RATE, PERCENT))
        message = self._some(AMOUNTS, rng, env)
        if env.unit == RATE and rng.randrange(4):
            message.append((N['RATE'], struct.pack('Q', number(
                rng, 10**8, 10**11))))
        return message

    def _bands(self, rng, env):
        env.bands = rng.randint(1, 16)
        message = [(N['BANDS'], struct.pack('I', env.bands))]
        if rng.randrange(4):
            message.append(self.mutator.good(rng, env, N['PRIOMAP']))
        return message + self._some(
            'EXEMPT BAND_LIMITS BAND_LADDERS BAND_FEEDBACKS MEMBERS'.split(),
            rng, env, 3)

    def _codes(self, rng, env):
        message = self._some('LADDER BAND_LADDERS FEEDBACK BAND_FEEDBACKS OBEY '
                             'OBEY_MIN OBEY_FROM VALIDITY ETHERTYPE'.split(),
                             rng, env, 3)
        if rng.randrange(2):
            message.append((N['ADJUST'], struct.pack('I', rng.randint(1, 300))))
        return message

    def _gears(self, rng, env):
        message = [self.mutator.good(rng, env, N['GEARS'])]
        env.gears = len(message[0][1]) // 8
        up = rng.randint(2, 9999)
        if rng.randrange(2):
            message += [(N['GEAR_UP'], struct.pack('H', up)),
                        (N['GEAR_DOWN'], struct.pack('H', rng.randrange(up)))]
        if env.gears > 1 and rng.randrange(2):
            low = rng.randint(1, env.gears - 1)
            message += [(N['GEAR_MIN'], struct.pack('I', low)),
                        (N['GEAR_MAX'], struct.pack('I', rng.randint(
                            low, env.gears - 1)))]
        if not rng.randrange(4):
            message.append((N['FREEZE'], struct.pack('Q', rng.randint(
                0, 10**5))))
        return message + self._some(
            'GEAR_FOLLOW GEAR_PORTS DWELL IDLE POWER POWER_PORTS'.split(),
            rng, env, 3)

    def _rail(self, rng, env):
        env.unit = rng.choice((PACKETS, RATE))
        message = [
            (N['RAIL'], struct.pack('I', rng.choice((0, 1, 1, 2, 2**32 - 1)))),
            (N['RATE'], struct.pack('Q', number(rng, 10**8, 10**11))),
            self.mutator.good(rng, env, N['START']),
            self.mutator.good(rng, env, N['STEP'])]
        low = number(rng, 0, 10**6)
        message.append((N['INGRESS'] | NLA_F_NESTED, u32(2, rng.choice(
            (RATE, PPS))) + u64(3, low) + u64(4, low + 10**7)))
        message.append((N['QUEUE'] | NLA_F_NESTED, u32(2, PACKETS) +
                        u64(3, 1 + low % 1000) + u64(4, low % 1000 + 1000)))
        return message + self._some('DETECT WINDOW TICK'.split(), rng, env)

    def _always(self, rng, env):
        return [self.mutator.good(rng, env, rng.choice(ALWAYS))]

    STYLES = [_few] * 6 + [_many, _amounts, _amounts, _bands, _bands, _codes,
                           _codes, _gears, _gears, _rail, _rail, _always]

    # ---- messages

    @staticmethod
    def _tcm(device, handle=None, parent=None):
        return struct.pack('BxxxiIII', 0, device.ifindex,
                           device.handle if handle is None else handle,
                           device.parent if parent is None else parent, 0)

    def _get(self, device):
        return RTM_GETQDISC, NLM_F_ECHO, self._tcm(device)

    def _ask(self, device, kind, flags, body):
        """Sends a request about a ramp; notes what there is afterwards."""
        verdict, found = self.wire.change_and_get(
            (kind, flags, body), self._get(device))
        attrs = attrs_of(found[20:]) if found else {}
        if attrs.get(TCA_KIND) != b'ramp\0':
            return verdict, None, None
        self.counters(device, attrs)
        return verdict, attrs[TCA_OPTIONS], attrs

    # ---- what must hold

    def counters(self, device, attrs):
        """Those of one answer agree with each other."""
        app = attrs_of(attrs[TCA_STATS2])[TCA_STATS_APP]
        if len(app) != XSTATS.size:
            raise Bad(f'xstats of {len(app)} bytes')
        st = XSTATS.unpack(app)
        state, enqueued, dequeued, dropped, queued = st[0], *st[3:7]
        extra, peer_rate = st[18], st[29]
        if enqueued + extra != dequeued + dropped + queued:
            raise Bad(f'{device.sender.name}: {enqueued} enqueued + {extra} '
                      f'split != {dequeued} dequeued + {dropped} dropped + '
                      f'{queued} queued')
        gear, low, high, gears = st[30:34]
        rows, row, up, ports = st[59:63]
        if state > 5 or peer_rate > WHOLE or gears > 16 or (gears and not (
                gear < gears and low <= high < gears)) or rows > 16 or (
                    rows and not (row < rows and up <= ports <= 64)):
            raise Bad(f'state {state}, peer rate {peer_rate}, gear {gear} of '
                      f'{gears}, {low}..{high}; row {row} of {rows}, '
                      f'{up} of {ports} ports')
        return enqueued, dequeued, queued

    def balance(self, device):
        """What was offered was enqueued or refused, what was dequeued was sent.

        On another CPU a packet may be on its way from the one to the other.
        Returns how many wait.
        """
        for attempt in range(50):
            before = self.links.sent(device.ifindex) - device.left
            attrs = attrs_of(self.wire.get(RTM_GETQDISC,
                                           self._tcm(device))[20:])
            enqueued, dequeued, queued = self.counters(device, attrs)
            after = self.links.sent(device.ifindex) - device.left
            drops = struct.unpack_from('3I', attrs_of(
                attrs[TCA_STATS2])[TCA_STATS_QUEUE])[2]
            offered = device.sender.offered - device.offered
            sent = before <= dequeued <= after
            # What gave way to another packet is in both.
            gone = enqueued - dequeued - queued
            taken = device.children or (
                0 <= enqueued + drops - offered <= gone)
            if device.large or device.ifindex in self.fed or (sent and taken):
                return queued
            time.sleep(0.001 * attempt)
        raise Bad(f'{device.sender.name}: offered {offered}, enqueued '
                  f'{enqueued}, refused {drops}; dequeued {dequeued}, sent '
                  f'{before}..{after}')

    def read(self, raw):
        """What an answer says, by attribute. Most of it was said before."""
        found = {}
        for kind, payload in attributes(raw):
            kind &= 0x3fff
            key = kind, payload
            value = self.known.get(key)
            if value is None:
                value = KIND[kind].value(payload) if kind in KIND else payload
                if len(self.known) > 20000:
                    self.known.clear()
                self.known[key] = value
            found[kind] = value
        return found

    def bounds(self, device):
        """All that is shown is in its documented range."""
        shown = device.shown
        env = self.env.of(shown)
        for kind, how in KIND.items():
            if kind not in shown:
                if kind not in ABSENT:
                    raise Bad(f'attribute {kind} is not shown')
            elif not how.within(shown[kind], env):
                raise Bad(f'attribute {kind} shows {shown[kind]}')
        self.fed.update(shown[N['FEEDBACK']],
                        shown[N['BAND_FEEDBACKS']].values())
        if shown[N['CEASE']] == 2 and shown[N['CEASE_TIME']] < shown[N['TICK']]:
            raise Bad('cease: less than a tick')
        if len({shown[N[name]][0] for name in AMOUNTS}) > 1:
            raise Bad('amounts of different kinds')

    def accepted(self, device, before, data):
        """What was named reads back, what was not is as before."""
        named = {kind: KIND[kind].value(payload)
                 for kind, payload in by_type(data).items()}
        now = device.shown
        for kind, how in KIND.items():
            was, is_now = before.get(kind), now.get(kind)
            if kind in named:
                want = named[kind]
                if isinstance(how, OfBands):
                    want = how.merged(was or {}, want, now[N['BANDS']])
                elif kind == N['CEASE_TIME'] and now[N['CEASE']] != 2:
                    want = None
                if is_now != want:
                    raise Bad(f'attribute {kind}: {want} was accepted, '
                              f'{is_now} is shown (before: {was})')
            elif is_now != was and not FOLLOWS[kind] & named.keys():
                raise Bad(f'attribute {kind} was not named, and changed from '
                          f'{was} to {is_now}')

    def refused(self, device, verdict, raw):
        """Nothing has changed, and it was said why."""
        err, text = verdict
        if err not in REFUSALS:
            raise Bad(f'refused with {err}: {text}')
        if not text:
            raise Bad(f'refused with {err}, and nobody says why')
        if raw == device.raw:
            return
        was = {kind: payload for kind, payload in attributes(device.raw or b'')
               if kind != MOVING}
        now = {kind: payload for kind, payload in attributes(raw or b'')
               if kind != MOVING}
        if was != now:
            raise Bad(f'refused ({text}), and yet {was} became {now}')

    # ---- steps

    def configure(self, device):
        """One message with options; what became of it is judged."""
        rng = self.rng
        env = self.env.of(device.shown)
        style = rng.choice(self.STYLES)
        message = style(self, rng, env)
        rng.shuffle(message)
        name, refuse = 'good', None
        if rng.randrange(8) < 3:
            name, data, refuse = self.mutator.mutate(rng, env, message)
        else:
            data = pack(message)
        options = attr(TCA_OPTIONS | NLA_F_NESTED, data)
        if not rng.randrange(64):
            name, refuse = 'not nested', True
            options = attr(TCA_OPTIONS, data)
        must = (style is Qdiscs._always and name == 'good' and
                device.shown is not None and not device.shown[N['RAIL']])
        flags = 0
        if device.shown is None:
            flags = NLM_F_CREATE | rng.choice((NLM_F_EXCL, NLM_F_REPLACE))
        elif not rng.randrange(3):
            flags = NLM_F_CREATE | NLM_F_REPLACE
        self.log.append((device.sender.name, name, flags, data.hex()))

        before = device.shown or self.defaults
        verdict, raw, _ = self._ask(
            device, RTM_NEWQDISC, flags,
            self._tcm(device) + attr(TCA_KIND, b'ramp\0') + options)
        if verdict[0]:
            if must:
                raise Bad(f'refused: {verdict}')
            self.refused(device, verdict, raw)
            return name, False
        if refuse:
            raise Bad('accepted what cannot be')
        if raw is None:
            raise Bad('accepted, and not there')
        if device.shown is None:
            self.begun(device)
        device.raw, device.shown = raw, self.read(raw)
        self.bounds(device)
        self.accepted(device, before, data)
        if before.get(N['RAIL']) or device.shown[N['RAIL']]:
            self.rail(device)
        return name, True

    def begun(self, device):
        """There is a new ramp, which nothing was offered to."""
        device.offered = device.sender.offered
        device.left = self.links.sent(device.ifindex)

    def rail(self, device):
        """All members have what they share in common."""
        for other in self.devices:
            if other is device or other.shown is None:
                continue
            self.reread(other)
            if other.shown[N['RAIL']] and \
               other.shown[N['RAIL']] == device.shown[N['RAIL']]:
                for name in OF_RAIL:
                    if other.shown.get(N[name]) != device.shown.get(N[name]):
                        raise Bad(f'members of a rail differ in {name}')

    def reread(self, device):
        """Something else may have changed what is shown."""
        attrs = attrs_of(self.wire.get(RTM_GETQDISC, self._tcm(device))[20:])
        self.counters(device, attrs)
        device.raw = attrs[TCA_OPTIONS]
        device.shown = self.read(device.raw)
        self.bounds(device)

    def learn_defaults(self, device):
        """What a ramp shows of which nothing was said."""
        self._ask(device, RTM_NEWQDISC, NLM_F_CREATE | NLM_F_EXCL,
                  self._tcm(device) + attr(TCA_KIND, b'ramp\0'))
        self.reread(device)
        self.bounds(device)
        self.defaults = device.shown
        self.begun(device)

    def remove(self, device):
        """Deletes the ramp, having checked its counters."""
        self.log.append((device.sender.name, 'delete'))
        self.balance(device)
        verdict, raw, _ = self._ask(device, RTM_DELQDISC, 0, self._tcm(device))
        if verdict[0] or raw is not None:
            raise Bad(f'delete: {verdict}')
        device.forget()

    def child(self, device):
        """Grafts something into a band, or takes it away."""
        rng = self.rng
        bands = device.shown[N['BANDS']]
        parent = device.handle | rng.randint(1, bands + 1)
        if rng.randrange(3):
            kind = rng.choice((b'pfifo\0', b'fq_codel\0', b'ramp\0'))
            self.log.append((device.sender.name, hex(parent), kind))
            verdict = self.wire.ask_message(
                RTM_NEWQDISC, NLM_F_CREATE | NLM_F_REPLACE,
                self._tcm(device, 0, parent) + attr(TCA_KIND, kind))
        else:
            verdict = self.wire.ask_message(RTM_DELQDISC, 0,
                                            self._tcm(device, 0, parent))
        device.children = device.children or not verdict[0]
        if verdict[0] not in REFUSALS | {0, errno.EOPNOTSUPP}:
            raise Bad(f'child: {verdict}')

    def other(self, device):
        """What is wrong whatever the options are, and dumps."""
        rng = self.rng
        kind = attr(TCA_KIND, b'ramp\0')
        what = rng.randrange(5)
        if not what:
            verdict, raw, _ = self._ask(device, RTM_NEWQDISC,
                                        NLM_F_CREATE | NLM_F_EXCL,
                                        self._tcm(device) + kind +
                                        nest(TCA_OPTIONS))
        elif what == 1:
            verdict, raw, _ = self._ask(device, RTM_NEWQDISC, 0, self._tcm(
                device, device.handle + 0x10000 * 99) + kind +
                nest(TCA_OPTIONS))
        elif what == 2:
            verdict, raw, _ = self._ask(device, RTM_NEWQDISC, 0, self._tcm(
                device) + attr(TCA_KIND, b'pfifo\0') + nest(TCA_OPTIONS))
        else:
            self.dumps()
            return
        if not verdict[0]:
            raise Bad(f'accepted, kind {what}')
        self.refused(device, verdict, raw)

    def dumps(self):
        """All qdiscs and classes: a dump parses, and says what get does."""
        found = {}
        for payload in self.wire.dump_all(RTM_GETQDISC, struct.pack(
                'BxxxiIII', 0, 0, 0, 0, 0)):
            ifindex, handle = struct.unpack_from('iI', payload, 4)
            attrs = attrs_of(payload[20:])
            if attrs.get(TCA_KIND) == b'ramp\0':
                found[ifindex, handle] = attrs
        for device in self.devices:
            attrs = found.get((device.ifindex, device.handle))
            if (attrs is None) != (device.shown is None):
                raise Bad(f'{device.sender.name}: a dump differs')
            if attrs is None:
                continue
            self.counters(device, attrs)
            shown, mine = self.read(attrs[TCA_OPTIONS]), dict(device.shown)
            shown.pop(MOVING, None)
            mine.pop(MOVING, None)
            if shown != mine:
                raise Bad(f'{device.sender.name}: a dump shows {shown}')
            classes = self.wire.dump_all(RTM_GETTCLASS,
                                         self._tcm(device, 0, 0))
            if len([c for c in classes if attrs_of(c[20:]).get(
                    TCA_KIND) == b'ramp\0']) < mine[N['BANDS']]:
                raise Bad(f'{device.sender.name}: {len(classes)} classes')

    def step(self):
        """One message, mostly one with options."""
        rng = self.rng
        device = rng.choice(self.devices)
        if device.shown is None:
            return self.configure(device)
        what = rng.randrange(100)
        if what < 2:
            self.remove(device)
        elif what < 4:
            self.child(device)
        elif what < 6:
            self.other(device)
        elif what < 7:
            self.balance(device)
        else:
            return self.configure(device)
        return None

    def traffic(self, rng):
        """Packets for one of the devices; the first has a peer, who talks back."""
        device = rng.choice(self.devices)
        if not rng.randrange(4):
            self.peer.tell(rng, (self.devices[0].shown or {}).get(
                N['ETHERTYPE'], 0x88b5))
        if device.sender.udp and not rng.randrange(16):
            device.large = True
            device.sender.large(rng)
            self.log.append((device.sender.name, 'large'))
        device.sender.burst(rng, (0, 1, 6, 15, device.handle | 1,
                                  device.handle | rng.randint(1, 16)))

    def end(self):
        """The last look. The namespace stays as long as a packet of one of its
        sockets waits, which are minutes in a low gear: then the ramp goes now.
        """
        self.dumps()
        for device in self.devices:
            if device.shown is not None and self.balance(device):
                self.remove(device)
