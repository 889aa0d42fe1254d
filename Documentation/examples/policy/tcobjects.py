# SPDX-License-Identifier: GPL-2.0
"""What a policy is in terms of tc: buckets, actions and filters, and the commands
that make one set of them into another.

Every object has a number that follows from the policy alone, so that the same
object has the same number whatever else is in the file:

    action  bucket * 64 + order of the class
    filter  preference 1000 + 4 * order + 0 (IPv4), 1 (IPv6), 2 (ARP) or 3 (all),
            handle: a checksum of what it matches
"""

import zlib
from dataclasses import dataclass, field, replace

from policyfile import ORDERS, PolicyError

PREFERENCE = 1000
FAMILIES = {'ip': 0, 'ipv6': 1, 'arp': 2, 'all': 3}
HOOKS = ('ingress', 'egress')
# Marks our actions, as tc's cookie.
COOKIE = '6d706f6c696379'


@dataclass(frozen=True)
class Bucket:
    """The parameters of a bucket."""
    number: int
    rate: int
    pps: bool
    burst: int
    interval: int
    debt: object                # None: unlimited

    def words(self):
        """As tc takes them."""
        if self.pps:
            rate = f'pps {self.rate} pkt-burst {self.burst}'
        else:
            rate = f'rate {self.rate * 8}bit burst {self.burst}'
        interval = f'{self.interval}ns' if self.interval else '0'
        debt = 'unlimited' if self.debt is None else self.debt
        return f'{rate} interval {interval} debt {debt}'


@dataclass(frozen=True)
class Action:
    """A policy on a bucket."""
    index: int
    bucket: int
    policy: str
    threshold: int

    def words(self):
        """As tc takes them, without the bucket's parameters."""
        return f'policy {self.policy} threshold {self.threshold}'


@dataclass(frozen=True, order=True)
class Place:
    """Where a filter is."""
    device: str
    hook: str
    preference: int
    handle: int


@dataclass(frozen=True)
class Filter:
    """Packets of one class, and its action."""
    protocol: str
    keys: str
    index: int


@dataclass
class State:
    """All of them. Of filters that are live the keys are unknown: the handle says
    whether they are the same."""
    buckets: dict = field(default_factory=dict)
    actions: dict = field(default_factory=dict)
    filters: dict = field(default_factory=dict)
    # Live only: what others made, and what there is to attach filters to.
    foreign: dict = field(default_factory=dict)
    # Whether a bucket counts packets, also if nothing of ours uses it any more.
    packets: dict = field(default_factory=dict)
    devices: object = None
    clsact: set = field(default_factory=set)
    occupied: dict = field(default_factory=dict)


def keys_of(match, family, hook, address):
    """A match as words of tc's flower, in the family; the endpoint sends what comes
    in at ingress."""
    own, peer = ('src', 'dst') if hook == 'ingress' else ('dst', 'src')
    words = []
    if match.proto not in ('any', 'arp'):
        words.append(f'ip_proto {match.proto}')
    if match.ports:
        words.append(f'{own if match.local else peer}_port {match.ports}')
    if address:
        words.append(f'{own}_ip {address}')
    if match.peer:
        words.append(f'{peer}_ip {match.peer}')
    return ' '.join(words)


def families_of(match, address):
    """In which families a match has a meaning."""
    if match.proto == 'arp':
        # Who has an address only shares the device, and so its ARP.
        return () if address else ('arp',)
    fixed = {f'ip{"v6" * (net.version == 6)}' for net in (match.peer, address)
             if net}
    fixed |= {{'icmp': 'ip', 'icmpv6': 'ipv6'}.get(match.proto)} - {None}
    if len(fixed) > 1:
        return ()
    return tuple(fixed) or ('ip', 'ipv6')


def filters_of(endpoint, cls, index):
    """Yields place and filter for each."""
    for device in endpoint.devices:
        for hook in HOOKS:
            for address in endpoint.addresses or (None,):
                for family, keys in class_keys(cls, hook, address):
                    preference = (PREFERENCE + 4 * cls.order + FAMILIES[family])
                    handle = zlib.crc32(keys.encode()) >> 1 or 1
                    yield (Place(device, hook, preference, handle),
                           Filter(family, keys, index))


def class_keys(cls, hook, address):
    """Yields family and keys of each match; the default class has none."""
    for match in cls.matches:
        for family in families_of(match, address):
            yield family, keys_of(match, family, hook, address)
    if not cls.matches and address:
        own = 'src' if hook == 'ingress' else 'dst'
        yield f'ip{"v6" * (address.version == 6)}', f'{own}_ip {address}'
    elif not cls.matches:
        yield 'all', ''


def compile_policy(policy):
    """The State that a policy asks for."""
    state = State()
    for endpoint in policy.endpoints:
        state.buckets[endpoint.bucket] = Bucket(
            endpoint.bucket, endpoint.rate, endpoint.pps, endpoint.burst,
            endpoint.interval, endpoint.debt)
        for cls in policy.classes:
            index = endpoint.bucket * ORDERS + cls.order
            state.actions[index] = Action(index, endpoint.bucket, cls.policy,
                                          cls.tokens(endpoint.burst))
            for place, entry in filters_of(endpoint, cls, index):
                other = state.filters.setdefault(place, entry)
                if other != entry:
                    raise PolicyError(
                        f'[endpoint {endpoint.name}]: "{entry.keys}" and '
                        f'"{other.keys}" have the same checksum; change the '
                        'order of one class')
    return state


def check_conflicts(new, live):
    """What is in the way, and is not ours to remove."""
    for index, bucket in live.foreign.items():
        if index in new.actions:
            raise PolicyError(f'action mpolice index {index} was made by somebody '
                              'else; choose another bucket, or delete it')
        if bucket in new.buckets:
            raise PolicyError(f'bucket {bucket} is that of action mpolice index '
                              f'{index}, which was made by somebody else')
    for number, bucket in sorted(new.buckets.items()):
        pps = live.packets.get(number, bucket.pps)
        if pps != bucket.pps:
            raise PolicyError(f'bucket {number} counts {"packets" if pps else "bytes"}; '
                              'choose another number')
    for place in new.filters:
        if live.devices is not None and place.device not in live.devices:
            raise PolicyError(f'device {place.device} does not exist')
        other = live.occupied.get((place.device, place.hook, place.preference))
        if other:
            raise PolicyError(
                f'{place.device} {place.hook}: preference {place.preference} has '
                f'a filter {other} that was made by somebody else')


def difference(new, live):
    """The commands that make live into new, in an order in which every packet always
    finds a policy: first what is other, then what is more, and what is too much in
    the end. Actions come and go with the filters that use them."""
    check_conflicts(new, live)
    yield from qdisc_commands(new, live)
    yield from action_commands(new, live)
    yield from filter_commands(new, live)


def qdisc_commands(new, live):
    """Where filters can be. It is left there for good: others may use it, too."""
    for device in sorted({place.device for place in new.filters} - live.clsact):
        yield f'qdisc add dev {device} clsact'


def action_commands(new, live):
    """Changes of what exists. Of a bucket any of its actions can change the
    parameters. Lower thresholds come first: a burst may be less than the old ones."""
    for index, action in sorted(new.actions.items()):
        if live.actions.get(index, action).threshold > action.threshold:
            live.actions[index] = action
            yield change_command(action)
    for index, action in sorted(live.actions.items()):
        bucket = new.buckets.get(action.bucket)
        # It has packets until its filters go, in the end.
        if (index not in new.actions and bucket and action.policy == 'drop' and
                action.threshold >= bucket.burst):
            live.actions[index] = replace(action, threshold=0)
            yield change_command(live.actions[index])
    for number, bucket in sorted(new.buckets.items()):
        old = live.buckets.get(number)
        if old is None or old == bucket:
            continue
        users = [action for action in live.actions.values()
                 if action.bucket == number]
        # One that stays, if there is one, as it is to be.
        action = min(users, key=lambda a: (a.index not in new.actions, a.index))
        action = new.actions.get(action.index, action)
        live.actions[action.index] = action
        yield (f'actions change action mpolice bucket {number} {bucket.words()} '
               f'{action.words()} index {action.index}')
    for index, action in sorted(new.actions.items()):
        if live.actions.get(index, action) != action:
            yield change_command(action)


def change_command(action):
    """Of an action that exists, without the bucket's parameters."""
    return (f'actions change action mpolice bucket {action.bucket} '
            f'{action.words()} index {action.index}')


def filter_commands(new, live):
    """A filter whose keys are another's has another handle, too. First all of one hook, then
    all of the other: an action goes with its last filter, and each has one in both, so it
    stays while endpoints exchange devices."""
    made, buckets = set(live.actions), set(live.buckets)
    for place, entry in sorted(new.filters.items(), key=lambda item: (item[0].hook, item[0])):
        old = live.filters.get(place)
        if old and old.index == entry.index:
            continue
        action = new.actions[entry.index]
        words = f'index {entry.index}'
        if entry.index not in made:
            made.add(entry.index)
            words = f'{action.words()} {words} cookie {COOKIE}'
            if action.bucket not in buckets:
                buckets.add(action.bucket)
                words = f'{new.buckets[action.bucket].words()} {words}'
            words = f'bucket {action.bucket} {words}'
        yield (f'filter {"replace" if old else "add"} dev {place.device} '
               f'{place.hook} protocol {entry.protocol} pref {place.preference} '
               f'handle {place.handle} flower {entry.keys}'.rstrip() +
               f' action mpolice {words}')
    for place, old in sorted(live.filters.items(), key=lambda item: item[0]):
        if place not in new.filters:
            yield (f'filter delete dev {place.device} {place.hook} protocol '
                   f'{old.protocol} pref {place.preference} '
                   f'handle {place.handle} flower')
