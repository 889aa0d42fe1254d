# SPDX-License-Identifier: GPL-2.0
"""The policy file: what it may say, and what it means.

Everything that can be wrong with it is a PolicyError whose text names the section,
the key and what is accepted.
"""

import configparser
import ipaddress
import re
from dataclasses import dataclass, field

# An action's index is bucket * ORDERS + order, and so never depends on what else
# is in the file.
ORDERS = 64
ORDER_DEFAULT = ORDERS - 1
BUCKET_MAX = 2**32 // ORDERS - 1
RATE_MAX = TOKENS_MAX = 2**40
INTERVAL_MAX = 60 * 10**9
BURST_MIN = 1514
# The largest GSO packet with the headers of its segments, and these.
BURST_DEFAULT, PACKETS_DEFAULT = 128 << 10, 128
POLICIES = ('drop', 'account', 'bypass')

RATE_UNITS = {'bit': 1, 'kbit': 10**3, 'mbit': 10**6, 'gbit': 10**9,
              'tbit': 10**12}
SIZE_UNITS = {'': 1, 'b': 1, 'k': 2**10, 'kb': 2**10, 'm': 2**20, 'mb': 2**20,
              'g': 2**30, 'gb': 2**30}
TIME_UNITS = {'s': 10**9, 'ms': 10**6, 'us': 10**3}
KEYS = {
    'class': {'order', 'policy', 'threshold', 'match'},
    'default': {'policy', 'threshold'},
    'endpoint': {'device', 'bucket', 'rate', 'pps', 'burst', 'interval', 'debt',
                 'address'},
}


class PolicyError(Exception):
    """What is wrong with a policy file."""


@dataclass(frozen=True)
class Match:
    """Packets of a class, as the endpoint sees them: PORT is the peer's."""
    proto: str                  # tcp, udp, icmp, icmpv6, arp or any
    ports: str = ''             # 4420, 67-68 or all
    local: bool = False         # the port is the endpoint's own
    peer: object = None         # network

    def __str__(self):
        words = [self.proto]
        if self.local:
            words.append('local')
        if self.ports:
            words.append(self.ports)
        if self.peer:
            words += ['peer', str(self.peer)]
        return ' '.join(words)


@dataclass
class Class:
    """A class of flows, which every endpoint has."""
    name: str
    order: int
    policy: str
    threshold: tuple            # (tokens, percent of the burst): one of them
    in_bytes: bool              # the threshold has a unit
    matches: list = field(default_factory=list)

    def tokens(self, burst):
        """The threshold on a bucket."""
        tokens, percent = self.threshold
        return tokens if percent is None else int(burst * percent / 100)


@dataclass
class Endpoint:
    """Something with devices, and a bucket for all that it sends and receives."""
    name: str
    devices: list
    bucket: int
    rate: int                   # bytes/s, or packets/s with pps
    pps: bool
    burst: int
    interval: int               # ns
    debt: object                # tokens, or None without end
    addresses: list


@dataclass
class Policy:
    """A whole file."""
    classes: list
    endpoints: list


def number(text, units, accepted):
    """A number with one of the units."""
    found = re.fullmatch(r'(\d+(?:\.\d+)?)([a-z]*)', text.strip().lower())
    if not found or found[2] not in units:
        raise ValueError(accepted)
    whole, _, fraction = found[1].partition('.')
    scale = 10**len(fraction)
    return int(whole + fraction) * units[found[2]] // scale


def ranged(value, low, high):
    """Returns the value if it is in range."""
    if not low <= value <= high:
        raise ValueError(f'{low}..{high}')
    return value


def parse_int(text, low, high):
    """A plain number."""
    if not re.fullmatch(r'\d+', text.strip()):
        raise ValueError(f'{low}..{high}')
    return ranged(int(text), low, high)


def parse_rate(text):
    """Bytes per second."""
    accepted = '8bit..8796093022208bit, as 100mbit or 1gbit'
    value = number(text, RATE_UNITS, accepted) // 8
    if not 1 <= value <= RATE_MAX:
        raise ValueError(accepted)
    return value


def parse_size(text, low=0):
    """Bytes."""
    return ranged(number(text, SIZE_UNITS, 'a size, as 1514, 64k or 1m'),
                  low, TOKENS_MAX)


def parse_time(text):
    """Nanoseconds."""
    if text.strip() == '0':
        return 0
    return ranged(number(text, TIME_UNITS, 'a time, as 250us, 100ms or 1s, or 0'),
                  0, INTERVAL_MAX)


def parse_threshold(text):
    """Tokens, or a part of each endpoint's burst."""
    text = text.strip()
    if not text.endswith('%'):
        return parse_size(text), None
    try:
        percent = float(text[:-1])
    except ValueError:
        percent = -1
    if not 0 <= percent <= 100:
        raise ValueError('a size, as 64k, or 0%..100% of the burst')
    return None, percent


def parse_policy(text):
    """One of the three."""
    if text.strip() not in POLICIES:
        raise ValueError(', '.join(POLICIES))
    return text.strip()


def parse_ports(text):
    """A port, or two with a dash."""
    found = re.fullmatch(r'(\d+)(?:-(\d+))?', text)
    first = int(found[1]) if found else 0
    last = int(found[2] or first) if found else 0
    if not 1 <= first <= last <= 65535:
        raise ValueError('a port or a range of 1..65535, as 4420 or 67-68')
    return str(first) if first == last else f'{first}-{last}'


def parse_network(text):
    """An address, or a network."""
    try:
        return ipaddress.ip_network(text)
    except ValueError as error:
        raise ValueError(f'a network, as 10.0.0.0/8 ({error})') from error


def parse_match(text):
    """PROTO [local] [PORTS] [peer NETWORK]"""
    words = text.split()
    proto = words.pop(0)
    local, ports, peer = False, '', None
    if proto not in ('tcp', 'udp', 'icmp', 'icmpv6', 'arp', 'any'):
        raise ValueError('tcp, udp, icmp, icmpv6, arp or any')
    if proto in ('tcp', 'udp') and words and words[0] != 'peer':
        if words[0] == 'local':
            local = True
            words.pop(0)
        if not words:
            raise ValueError('a port after "local"')
        ports = parse_ports(words.pop(0))
    if words[:1] == ['peer'] and proto != 'arp':
        words.pop(0)
        if not words:
            raise ValueError('an address or network after "peer"')
        peer = parse_network(words.pop(0))
    if words:
        raise ValueError('PROTO [[local] PORT[-PORT]] [peer NETWORK]')
    if proto == 'any' and not peer:
        raise ValueError('"any peer NETWORK"; [default] is for all the rest')
    if peer and peer.version != {'icmp': 4, 'icmpv6': 6}.get(proto, peer.version):
        raise ValueError('icmp with a peer of IPv4, icmpv6 with one of IPv6')
    return Match(proto, ports, local, peer)


def parse_list(text):
    """Words with blanks or commas between them."""
    return text.replace(',', ' ').split()


def parse_addresses(text):
    """Addresses of an endpoint that has not all of its device."""
    return [parse_network(word) for word in parse_list(text)]


class Section:
    """One section: takes keys out of it, and complains about the rest."""

    def __init__(self, title, items):
        self.title = title
        self.items = dict(items)
        accepted = KEYS[title.split()[0]]
        for key in self.items:
            if key not in accepted:
                raise PolicyError(f'[{title}]: unknown key "{key}"; there are '
                                  f'{", ".join(sorted(accepted))}')

    def get(self, key, parse, default=None):
        """What a key says. Without a default it has to be there."""
        text = self.items.get(key)
        if text is None:
            if default is None:
                raise PolicyError(f'[{self.title}]: "{key}" is missing')
            return default
        try:
            return parse(text)
        except ValueError as error:
            raise PolicyError(f'[{self.title}]: {key} = {text.strip()}: '
                              f'accepted is {error}') from error

    def some(self, key, what, result):
        """A list that says nothing does not mean everything: a template has failed, or all
        lines have become comments."""
        if key in self.items and not result:
            raise PolicyError(f'[{self.title}]: "{key}" is empty; accepted is {what}')
        return result

    def lines(self, key, parse):
        """As get, of several lines."""
        result = []
        for text in self.get(key, str.splitlines):
            if not text.strip():
                continue
            try:
                result.append(parse(text))
            except ValueError as error:
                raise PolicyError(f'[{self.title}]: {key} = {text.strip()}: '
                                  f'accepted is {error}') from error
        return result


def read_class(name, section):
    """[class NAME] or [default]"""
    if name == 'default':
        order, matches = ORDER_DEFAULT, []
    else:
        order = section.get('order', lambda t: parse_int(t, 1, ORDER_DEFAULT - 1))
        matches = section.some('match', 'at least one; [default] is for all the rest',
                               section.lines('match', parse_match))
    return Class(name, order, section.get('policy', parse_policy),
                 section.get('threshold', parse_threshold, (0, None)),
                 section.items.get('threshold', '').strip()[-1:].isalpha(), matches)


def burst_default(rate, interval, least):
    """As the kernel has it: 10 ms of rate, and what comes in an interval."""
    return min(max(least, rate // 100, rate * interval // 10**9), TOKENS_MAX)


def read_endpoint(name, section):
    """[endpoint NAME]"""
    pps = 'pps' in section.items
    interval = section.get('interval', parse_time, 0)
    if pps == ('rate' in section.items):
        raise PolicyError(f'[{section.title}]: either "rate" or "pps"')
    if pps:
        rate = section.get('pps', lambda t: parse_int(t, 1, RATE_MAX))
        burst = section.get('burst', lambda t: parse_int(t, 1, TOKENS_MAX),
                            burst_default(rate, interval, PACKETS_DEFAULT))
    else:
        rate = section.get('rate', parse_rate)
        burst = section.get('burst', lambda t: parse_size(t, BURST_MIN),
                            burst_default(rate, interval, BURST_DEFAULT))
    debt = section.get('debt', lambda t: (
        'unlimited' if t.strip() == 'unlimited' else
        parse_int(t, 0, TOKENS_MAX) if pps else parse_size(t)), burst)
    return Endpoint(
        name, section.some('device', 'at least one', section.get('device', parse_list)),
        section.get('bucket', lambda t: parse_int(t, 1, BUCKET_MAX)),
        rate, pps, burst, interval,
        None if debt == 'unlimited' else debt,
        section.some('address', 'at least one, or no such key',
                     section.get('address', parse_addresses, [])))


def check_classes(classes):
    """What two classes must not have in common."""
    orders, matches = {}, {}
    for cls in classes:
        other = orders.setdefault(cls.order, cls)
        if other is not cls:
            raise PolicyError(f'[class {cls.name}]: order {cls.order} is that of '
                              f'[class {other.name}]')
        for match in cls.matches:
            other = matches.setdefault(match, cls)
            if other is not cls:
                raise PolicyError(f'[class {cls.name}]: "{match}" is already in '
                                  f'[class {other.name}]')


def check_endpoints(endpoints):
    """The same of endpoints: buckets, devices, and addresses on these."""
    buckets, owners = {}, {}
    for endpoint in endpoints:
        other = buckets.setdefault(endpoint.bucket, endpoint)
        if other is not endpoint:
            raise PolicyError(f'[endpoint {endpoint.name}]: bucket '
                              f'{endpoint.bucket} is that of '
                              f'[endpoint {other.name}]')
        for device in endpoint.devices:
            for other in owners.setdefault(device, []):
                if not (endpoint.addresses and other.addresses):
                    raise PolicyError(
                        f'[endpoint {endpoint.name}]: {device} is also that of '
                        f'[endpoint {other.name}]; then both need an "address"')
                shared = set(endpoint.addresses) & set(other.addresses)
                if shared:
                    raise PolicyError(
                        f'[endpoint {endpoint.name}]: {min(shared, key=str)} on '
                        f'{device} is also in [endpoint {other.name}]')
                check_overlap(device, endpoint, other)
            owners[device].append(endpoint)


def check_overlap(device, endpoint, other):
    """Of two filters of one preference nobody chooses which one has a packet of both."""
    for own in endpoint.addresses:
        for its in other.addresses:
            if own.version == its.version and own.overlaps(its):
                raise PolicyError(
                    f'[endpoint {endpoint.name}]: {own} on {device} and {its} of '
                    f'[endpoint {other.name}] have addresses in common')


def check_thresholds(classes, endpoints):
    """What passes has to leave the threshold in a full bucket, of whose unit it is."""
    for endpoint in endpoints:
        for cls in classes:
            title = 'default' if cls.order == ORDER_DEFAULT else f'class {cls.name}'
            if endpoint.pps and cls.in_bytes:
                raise PolicyError(f'[{title}]: the threshold is in bytes, and [endpoint '
                                  f'{endpoint.name}] counts packets; accepted is a part of '
                                  'the burst, as 50%, or a number without a unit')
            tokens = cls.tokens(endpoint.burst)
            if cls.policy == 'drop' and tokens >= endpoint.burst:
                raise PolicyError(f'[{title}]: a threshold of {tokens} lets nothing of '
                                  f'[endpoint {endpoint.name}] pass; accepted is less than '
                                  f'its burst, {endpoint.burst}')


def read(path):
    """Returns the Policy that a file has."""
    parser = configparser.ConfigParser(
        interpolation=None, default_section='', delimiters=('=',),
        comment_prefixes=('#',), inline_comment_prefixes=('#',))
    try:
        with open(path, encoding='utf-8') as file:
            parser.read_file(file)
    except (configparser.Error, UnicodeDecodeError) as error:
        raise PolicyError(' '.join(str(error).split())) from error
    classes, endpoints = [], []
    for title in parser.sections():
        kind, _, name = title.partition(' ')
        if kind not in KEYS or (kind == 'default') != (not name):
            raise PolicyError(f'[{title}]: accepted are [class NAME], [default] '
                              'and [endpoint NAME]')
        section = Section(title, parser.items(title))
        if kind == 'endpoint':
            endpoints.append(read_endpoint(name, section))
        else:
            classes.append(read_class(name or kind, section))
    if endpoints and not any(cls.order == ORDER_DEFAULT for cls in classes):
        raise PolicyError('[default] is missing')
    check_classes(classes)
    check_endpoints(endpoints)
    check_thresholds(classes, endpoints)
    return Policy(classes, endpoints)
