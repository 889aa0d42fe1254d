# SPDX-License-Identifier: GPL-2.0
"""Fuzzes the action mpolice and the family of its buckets.

After each message all actions and all buckets are read. What was accepted must
read back, what no message named must be as it was, what was refused must have
changed nothing; an action shows what its bucket shows, and what a bucket counts is
what its actions count, which is what tc counts.
"""

import errno
import struct
import time

from kinds import U64_MAX, Number, by_type
from mutate import Mutator, pack
from rawnl_mpolice_msg import (ACT_GOTO, ACT_JUMP, ACT_OK, ACT_PIPE,
                               ACT_RECLASSIFY, ACT_SHOT, ACT_TRAP, ACT_UNSPEC,
                               B_ID, B_STATS, B_TARGET, B_USERS, BINDCNT,
                               BUCKET, BUCKET_GET, BUCKET_REPOINT, BUCKET_SET,
                               BURST, CONFORM, DEBT, EXCEED, INDEX, INTERVAL,
                               INTERVAL_MAX, PACKETS, POLICY, PPS, RATE,
                               RATE_MAX, REFCNT, RTM_DELACTION, RTM_GETACTION,
                               RTM_NEWACTION, STATS, STRANDED, TCA_ACT_INDEX,
                               TCA_ACT_KIND, TCA_ACT_OPTIONS, TCA_ACT_TAB,
                               THRESHOLD, TM, TOKENS, TOKENS_MAX, USERS)
from netlink import (NLA_F_NESTED, NLM_F_CREATE, NLM_F_EXCL, NLM_F_REPLACE,
                     TCA_KIND, TCA_OPTIONS, attr, attrs_of, genl, nest, reason)
from wire import Bad, Family, Wire

TCA_ACT_STATS = 4
RTM_NEWTFILTER, RTM_DELTFILTER = 44, 45
CLSACT_EGRESS = 0xfffffff3
TCA_MATCHALL_ACT = 2
TCA_STATS_BASIC, TCA_STATS_PKT64 = 1, 8
REFUSALS = {errno.EINVAL, errno.EEXIST, errno.ENOENT, errno.EPERM,
            errno.EOPNOTSUPP, errno.ERANGE}
# In the family an attribute of a bucket has another number.
OF_BUCKET = {RATE: 4, PPS: 5, BURST: 6, INTERVAL: 7, DEBT: 8}
OF_ACTION = (POLICY, THRESHOLD, EXCEED, CONFORM, BUCKET)
DEFAULTS = {THRESHOLD: 0, EXCEED: ACT_SHOT, CONFORM: ACT_PIPE}
FOLLOWS = {RATE: {PPS}, PPS: {RATE}, BURST: {RATE, PPS, INTERVAL},
           INTERVAL: set(), DEBT: {RATE, PPS, BURST, INTERVAL}}


class Small(Number):
    """A number of something, mostly of one of a few."""

    def __init__(self, low, few):
        super().__init__(4, low, 2**32 - 1)
        self.few = few

    def good(self, rng, env):
        if rng.randrange(32):
            return self.pack(rng.randint(1, self.few))
        return super().good(rng, env)


class Control(Number):
    """What becomes of a packet."""

    GOOD = (ACT_OK, ACT_RECLASSIFY, ACT_SHOT, ACT_PIPE, ACT_TRAP, ACT_UNSPEC)

    def __init__(self, goto):
        super().__init__(4, 0, 2**32 - 1)
        self.goto = goto

    def good(self, rng, _env):
        if not rng.randrange(8):
            return self.pack(ACT_JUMP | rng.choice((0, 1, 2, 2**20)))
        if self.goto and not rng.randrange(16):
            return self.pack(ACT_GOTO | rng.randrange(3))
        return self.pack(rng.choice(self.GOOD))

    def bad(self, rng, _env):
        if rng.randrange(2):
            return self.wrong_length(rng)
        return self.pack(rng.choice((9, 100, 2**28 - 1, 3 << 28, 2**32 - 2)))


class Burst(Number):
    """Tokens, more than a packet unless the bucket counts packets."""

    def good(self, rng, _env):
        if rng.randrange(8):
            return self.pack(rng.choice((1514, 65536, 10**6, TOKENS_MAX)))
        return super().good(rng, _env)


def kinds():
    """Of an action, by attribute."""
    return {
        INDEX: Small(0, 8), EXCEED: Control(True), CONFORM: Control(False),
        POLICY: Number(4, 0, 2), THRESHOLD: Number(8, 0, TOKENS_MAX),
        BUCKET: Small(1, 6), RATE: Number(8, 1, RATE_MAX),
        PPS: Number(8, 1, RATE_MAX), BURST: Burst(8, 1, TOKENS_MAX),
        INTERVAL: Number(8, 0, INTERVAL_MAX),
        DEBT: Number(8, 0, TOKENS_MAX, U64_MAX), PACKETS: Number(4, 0, 1)}


KINDS = kinds()
GENL = {OF_BUCKET[kind]: KINDS[kind] for kind in OF_BUCKET}
GENL[B_ID] = KINDS[BUCKET]


class Police:
    """All actions and all buckets of a round.

    A user cannot ask for actions, but for filters that have them: those bind one
    that exists, if nothing else is said of it, or make one.
    """

    def __init__(self, rng, devices, user, log):
        self.rng, self.devices, self.user, self.log = rng, devices, user, log
        self.filters = {(ifindex, pref): 2 * number + pref
                        for number, ifindex in enumerate(devices)
                        for pref in (1, 2)}
        self.wire, self.family = Wire(), Family('mpolice')
        self.mutator = Mutator(KINDS, [1, TM, REFCNT, BINDCNT, STATS, TOKENS,
                                       USERS, STRANDED])
        self.generic = Mutator(GENL, [B_TARGET])
        self.actions, self.buckets = {}, {}
        self.actions, self.buckets = self.state()

    @staticmethod
    def message(*entries):
        """What a message about actions says."""
        return struct.pack('Bxxx', 0) + nest(TCA_ACT_TAB, *(
            nest(i + 1, attr(TCA_ACT_KIND, b'mpolice\0'), entry)
            for i, entry in enumerate(entries)))

    def _filter(self, ifindex, pref):
        """The header of a message about a filter."""
        return struct.pack('BxxxiIII', 0, ifindex, 0, CLSACT_EGRESS,
                           pref << 16 | 0x0300)

    def _bind(self, options):
        """A new filter with an action."""
        free = [(ifindex, pref) for ifindex in self.devices
                for pref in range(1, 9)
                if (ifindex, pref) not in self.filters]
        if not free:
            self._unbind()
            return self._bind(options)
        where = self.rng.choice(free)
        verdict = self.wire.ask_message(
            RTM_NEWTFILTER, NLM_F_CREATE | NLM_F_EXCL, self._filter(*where) +
            attr(TCA_KIND, b'matchall\0') + nest(TCA_OPTIONS, nest(
                TCA_MATCHALL_ACT, nest(1, attr(TCA_ACT_KIND, b'mpolice\0'),
                                       options))))
        if not verdict[0]:
            self.filters[where] = None
        return verdict

    def _unbind(self):
        """A filter goes, and soon its action, unless another one has it."""
        where = self.rng.choice(sorted(self.filters))
        index = self.filters.pop(where)
        verdict = self.wire.ask_message(RTM_DELTFILTER, 0, self._filter(*where))
        if verdict[0]:
            raise Bad(f'filter {where}: {verdict}')
        for attempt in range(100):
            if index in self.filters.values() or index not in self.indices():
                break
            time.sleep(0.001 * attempt)
        else:
            raise Bad(f'action {index} does not go')
        self.actions, self.buckets = self.state()

    def indices(self):
        """All actions, by their numbers alone."""
        found = set()
        for payload in self.wire.dump_all(RTM_GETACTION, self.message(b'')):
            tab = attrs_of(payload[4:]).get(TCA_ACT_TAB, b'')
            found |= {struct.unpack('I', attrs_of(attrs_of(entry)[
                TCA_ACT_OPTIONS])[INDEX])[0]
                      for entry in attrs_of(tab).values()}
        return found

    # ---- what is there

    @staticmethod
    def _counted(options):
        return struct.unpack_from('10Q', options[STATS])

    def _action(self, entry):
        """An action as it is shown; its counters must agree."""
        attrs = attrs_of(entry)
        options = attrs_of(attrs[TCA_ACT_OPTIONS])
        counted = self._counted(options)
        stats = attrs_of(attrs[TCA_ACT_STATS])
        size, packets = struct.unpack_from('QI', stats[TCA_STATS_BASIC])
        if TCA_STATS_PKT64 in stats:
            packets = struct.unpack('Q', stats[TCA_STATS_PKT64])[0]
        if (packets, size) != (sum(counted[::2]), sum(counted[1::2])):
            raise Bad(f'an action of {packets} packets, {size} bytes shows '
                      f'{counted}')
        found = {kind: how.value(options[kind])
                 for kind, how in KINDS.items() if kind in options}
        found['counted'] = counted
        for kind, value in found.items():
            if kind in KINDS and not KINDS[kind].within(value, None):
                raise Bad(f'attribute {kind} shows {value}')
        return found

    def state(self):
        """All actions and buckets, which must agree with each other."""
        actions, buckets, sums = {}, {}, {}
        for payload in self.wire.dump_all(RTM_GETACTION, self.message(b'')):
            tab = attrs_of(payload[4:]).get(TCA_ACT_TAB, b'')
            for entry in attrs_of(tab).values():
                action = self._action(entry)
                actions[action[INDEX]] = action
        for payload in self.family.dump_all(
                self.family.family, genl(BUCKET_GET)):
            attrs = attrs_of(payload[4:])
            number = struct.unpack('I', attrs[B_ID])[0]
            buckets[number] = {
                kind: KINDS[kind].value(attrs[there])
                for kind, there in OF_BUCKET.items() if there in attrs}
            sums[number] = (struct.unpack('I', attrs[B_USERS])[0],
                            struct.unpack_from('10Q', attrs[B_STATS]))
        self._agree(actions, buckets, sums)
        return actions, buckets

    @staticmethod
    def _agree(actions, buckets, sums):
        for action in actions.values():
            bucket = buckets.get(action[BUCKET])
            mine = {kind: action[kind] for kind in OF_BUCKET if kind in action}
            if mine != bucket:
                raise Bad(f'an action shows {mine}, its bucket {bucket}')
        for number, (users, counted) in sums.items():
            of_it = [action for action in actions.values()
                     if action[BUCKET] == number]
            if users != len(of_it) or not users:
                raise Bad(f'bucket {number} has {users} users, found '
                          f'{len(of_it)}')
            added = tuple(map(sum, zip(*(action['counted']
                                         for action in of_it))))
            if added != counted:
                raise Bad(f'bucket {number} shows {counted}, its actions '
                          f'{added}')

    @staticmethod
    def same(was, now, what):
        """Nothing that was asked for has changed."""
        def plain(found):
            return {number: {kind: value for kind, value in entry.items()
                             if kind != 'counted'}
                    for number, entry in found.items()}
        if plain(was) != plain(now):
            raise Bad(f'{what}: {plain(was)} became {plain(now)}')

    # ---- what must hold

    def _refused(self, verdict, now, said=True):
        err, text = verdict
        if err not in REFUSALS:
            raise Bad(f'refused with {err}: {text}')
        if said and not text:
            raise Bad(f'refused with {err}, and nobody says why')
        self.same(self.actions, now[0], f'refused ({text})')
        self.same(self.buckets, now[1], f'refused ({text})')

    def _bucket_as_named(self, number, named, now):
        """A bucket has what was named of it; the rest it had before."""
        bucket, was = now[1][number], self.buckets.get(number)
        if named.get(PACKETS, PPS in bucket) != (PPS in bucket):
            raise Bad(f'tokens of another unit than that of {bucket} were '
                      'accepted')
        for kind in OF_BUCKET:
            value = bucket.get(kind)
            if kind in named and value != named[kind]:
                raise Bad(f'attribute {kind}: {named[kind]} was accepted, '
                          f'{value} is shown')
            if kind not in named and was is not None and \
               value != was.get(kind) and not FOLLOWS[kind] & named.keys():
                raise Bad(f'attribute {kind} was not named, and changed from '
                          f'{was.get(kind)} to {value}')
        for other, found in self.buckets.items():
            if other != number and now[1].get(other, found) != found:
                raise Bad(f'bucket {other} has changed with {number}')

    def _accepted(self, data, now):
        """What was named of an action, and of its bucket, reads back."""
        named = {kind: KINDS[kind].value(payload)
                 for kind, payload in by_type(data).items()}
        index = named.get(INDEX, 0)
        if not index:
            new = set(now[0]) - set(self.actions)
            if len(new) != 1:
                raise Bad(f'{len(new)} new actions')
            index = new.pop()
        for where, bound in self.filters.items():
            if bound is None:
                self.filters[where] = index
        action, was = now[0][index], self.actions.get(index)
        for kind in OF_ACTION:
            if kind in named:
                want = named[kind]
            else:
                want = (was or DEFAULTS).get(kind)
            if action[kind] != want:
                raise Bad(f'action {index}, attribute {kind}: {want} was '
                          f'asked for, {action[kind]} is shown')
        for other, found in self.actions.items():
            if other == index:
                continue
            for kind in OF_ACTION:
                if now[0][other][kind] != found[kind]:
                    raise Bad(f'action {other} has changed with {index}')
        self._bucket_as_named(action[BUCKET], named, now)

    # ---- steps

    def _options(self, rng):
        message = []
        for kind, one_in in ((INDEX, 0), (BUCKET, 3), (POLICY, 3),
                             (RATE, -2), (BURST, -3), (INTERVAL, -4),
                             (DEBT, -3), (THRESHOLD, -3), (EXCEED, -3),
                             (CONFORM, -4), (PACKETS, -8)):
            # Most of those above 0, few of those below.
            if not one_in or (rng.randrange(abs(one_in)) > 0) == (one_in > 0):
                if kind == RATE and not rng.randrange(4):
                    kind = PPS
                message.append(self.mutator.good(rng, None, kind))
        rng.shuffle(message)
        return message

    def configure(self):
        """One action, made or changed."""
        rng = self.rng
        message = self._options(rng)
        name, refuse, data = 'good', None, pack(message)
        if rng.randrange(8) < 3:
            name, data, refuse = self.mutator.mutate(rng, None, message)
        options = attr(TCA_ACT_OPTIONS | NLA_F_NESTED, data)
        flags = NLM_F_CREATE | rng.choice((NLM_F_EXCL, NLM_F_REPLACE,
                                           NLM_F_REPLACE))
        self.log.append(('action', name, flags, data.hex()))
        if self.user:
            verdict = self._bind(options)
        else:
            verdict = self.wire.ask_message(RTM_NEWACTION, flags,
                                            self.message(options))
        now = self.state()
        if verdict[0]:
            self._refused(verdict, now)
        elif refuse:
            raise Bad('accepted what cannot be')
        else:
            self._accepted(data, now)
        self.actions, self.buckets = now
        return name, not verdict[0]

    def several(self):
        """Several in one message: each for itself is all or nothing."""
        rng = self.rng
        data = [pack(self._options(rng)) for _ in range(rng.randint(2, 32))]
        self.log.append(('actions', 'several', 0,
                         ' '.join(d.hex() for d in data)))
        verdict = self.wire.ask_message(
            RTM_NEWACTION, NLM_F_CREATE | NLM_F_REPLACE, self.message(
                *(attr(TCA_ACT_OPTIONS | NLA_F_NESTED, d) for d in data)))
        # EAGAIN: the same index twice in one message.
        if verdict[0] and verdict[0] not in REFUSALS | {errno.EAGAIN}:
            raise Bad(f'several: {verdict}')
        self.actions, self.buckets = self.state()
        return 'several', not verdict[0]

    def remove(self):
        """One of them, which a filter may still need."""
        rng = self.rng
        if self.user:
            if self.filters:
                self._unbind()
            return
        index = rng.choice([*self.actions, 99])
        verdict = self.wire.ask_message(RTM_DELACTION, 0, self.message(
            attr(TCA_ACT_INDEX, struct.pack('I', index))))
        now = self.state()
        if verdict[0]:
            self._refused(verdict, now, False)
        elif index in now[0] or len(now[0]) != len(self.actions) - 1:
            raise Bad(f'action {index} was deleted: {set(now[0])}')
        self.actions, self.buckets = now

    def bucket(self):
        """Sets a bucket."""
        rng = self.rng
        message = [self.generic.good(rng, None, B_ID)]
        for kind in (RATE, PPS, BURST, INTERVAL, DEBT):
            if not rng.randrange(3):
                message.append(self.generic.good(rng, None, OF_BUCKET[kind]))
        name, refuse, data = 'good', None, pack(message)
        if rng.randrange(8) < 3:
            name, data, refuse = self.generic.mutate(rng, None, message)
        self.log.append(('bucket', name, 0, data.hex()))
        verdict = self.family.ask_message(
            self.family.family, 0, genl(BUCKET_SET, data))
        now = self.state()
        if verdict[0]:
            self._refused(verdict, now)
        elif refuse:
            raise Bad('accepted what cannot be')
        else:
            said = by_type(data)
            named = {kind: KINDS[kind].value(said[there])
                     for kind, there in OF_BUCKET.items() if there in said}
            self.same(set_apart(self.actions), set_apart(now[0]), 'set')
            self._bucket_as_named(KINDS[BUCKET].value(said[B_ID]), named, now)
        self.actions, self.buckets = now
        return name, not verdict[0]

    def repoint(self):
        """All actions of a bucket draw from another."""
        rng = self.rng
        here, there = (rng.choice([*self.buckets, 50]) for _ in range(2))
        data = attr(B_ID, struct.pack('I', here)) + attr(
            B_TARGET, struct.pack('I', there))
        self.log.append(('repoint', 'good', 0, data.hex()))
        verdict = self.family.ask_message(
            self.family.family, 0, genl(BUCKET_REPOINT, data))
        now = self.state()
        if verdict[0]:
            self._refused(verdict, now)
        else:
            if here in now[1]:
                raise Bad(f'bucket {here} is still there')
            for index, action in self.actions.items():
                want = there if action[BUCKET] == here else action[BUCKET]
                if now[0][index][BUCKET] != want:
                    raise Bad(f'action {index} is not at bucket {want}')
        self.actions, self.buckets = now
        return 'repoint', not verdict[0]

    def get(self):
        """Asks for a bucket, rightly or not."""
        rng = self.rng
        message = [(B_ID, struct.pack('I', rng.choice([*self.buckets, 50])))]
        refuse, data = None, pack(message)
        if rng.randrange(2):
            _, data, refuse = Mutator(
                {B_ID: KINDS[BUCKET]}, [B_TARGET]).mutate(rng, None, message)
        self.family.send_message(self.family.family, 0,
                                 genl(BUCKET_GET, data))
        for kind, flags, payload in self.family.messages():
            if kind == self.family.family:
                if refuse:
                    raise Bad('answered what cannot be')
                if B_STATS not in attrs_of(payload[4:]):
                    raise Bad('an answer without statistics')
            elif not reason(flags, payload)[1]:
                raise Bad('no bucket, and nobody says why')

    def step(self):
        """One message."""
        what = self.rng.randrange(32)
        if what < 20:
            return self.configure()
        if what < 26:
            return self.bucket()
        if what < 28:
            return self.repoint()
        if what < 29 and not self.user:
            return self.several()
        if what < 31:
            self.remove()
        else:
            self.get()
        return None

    def end(self):
        """The last look."""
        self.state()


def set_apart(actions):
    """Of actions, what is not their bucket's."""
    return {index: {kind: action[kind] for kind in OF_ACTION}
            for index, action in actions.items()}
