# SPDX-License-Identifier: GPL-2.0
"""The network file: routers, links, and how far the controller may go."""

import configparser
import re
import shlex
from dataclasses import dataclass, field

UNITS = {'': 1, 'k': 10**3, 'm': 10**6, 'g': 10**9, 't': 10**12}


class NetworkError(Exception):
    """What is wrong with the file."""


@dataclass
class Router:
    """A box: where it draws power, and how to talk to it."""
    name: str
    region: str
    run: list                   # a command before all others: ip netns exec r1, ssh r1
    vtysh: list
    watts: float


@dataclass
class Link:
    """Two routers, the device of each, and bit/s each way."""
    name: str
    ends: tuple                 # (router, device), (router, device)
    rate: float


@dataclass
class Settings:
    """See README.md."""
    cycle: float = 10.0
    stale: float = 7200.0
    drain_wait: float = 30.0
    settle: float = 60.0
    min_up: float = 900.0
    headroom: float = 0.6
    idle: float = 0.01
    drain_above: float = 0.0
    gears_above: float = 0.0
    cost_scale: float = 1.0


@dataclass
class Network:
    """All of it."""
    routers: dict = field(default_factory=dict)
    links: dict = field(default_factory=dict)
    settings: Settings = field(default_factory=Settings)

    def links_of(self, router):
        """(link, device) of a router."""
        return [(link, device) for link in self.links.values()
                for name, device in link.ends if name == router]


def seconds(text):
    """'30min' and such."""
    match = re.fullmatch(r'(\d+(?:\.\d+)?)\s*(ms|s|min|h|)', text.strip())
    if not match or len(match[1]) > 15:
        raise NetworkError(f"'{text}' is no time; '30s', '15min' and '1h' are")
    return float(match[1]) * {'ms': 0.001, '': 1, 's': 1, 'min': 60, 'h': 3600}[match[2]]


def rate(text):
    """'10gbit': bit/s."""
    match = re.fullmatch(r'(\d+(?:\.\d+)?)\s*([kmgt]?)bit', text.strip().lower())
    if not match or not 0 < float(match[1]) < 1e15:
        raise NetworkError(f"'{text}' is no rate; '10gbit' is")
    return float(match[1]) * UNITS[match[2]]


def words(text):
    """Of a command, as a shell has them."""
    try:
        return shlex.split(text)
    except ValueError as error:
        raise NetworkError(f"'{text}': {error}") from None


def number(text, low, high):
    """A share in percent or a plain number, within bounds."""
    text = text.strip()
    try:
        value = float(text[:-1]) / 100 if text.endswith('%') else float(text)
    except ValueError:
        raise NetworkError(f"'{text}' is no number") from None
    if not low <= value <= high:
        raise NetworkError(f"'{text}' is not {low:g}..{high:g}")
    return value


def some_time(text):
    """More than none."""
    if not seconds(text):
        raise NetworkError(f"'{text}' is no time to wait")
    return seconds(text)


SETTINGS = {
    'cycle': some_time, 'stale': seconds, 'drain-wait': seconds, 'settle': seconds,
    'min-up': seconds,
    'headroom': lambda text: number(text, 0.05, 1), 'idle': lambda text: number(text, 0, 0.5),
    'drain-above': lambda text: number(text, 0, 1e5),
    'gears-above': lambda text: number(text, 0, 1e5),
    'cost-scale': lambda text: number(text, 0, 1000),
}


def read(path):
    """The network of a file; OSError if there is none."""
    parser = configparser.ConfigParser(delimiters=('=',), inline_comment_prefixes=('#',),
                                       interpolation=None)
    try:
        with open(path, encoding='utf-8') as file:
            parser.read_file(file)
    except (configparser.Error, UnicodeDecodeError) as error:
        raise NetworkError(str(error).replace('\n', ' ')) from None
    network = Network()
    for title in parser.sections():
        kind, _, name = title.partition(' ')
        try:
            if kind == 'controller' and not name:
                _settings(network, parser[title])
            elif kind == 'router' and name:
                network.routers[name] = _router(name, parser[title])
            elif kind == 'link' and name:
                network.links[name] = _link(name, parser[title])
            else:
                raise NetworkError('no such section; controller, router NAME and link NAME are')
        except NetworkError as error:
            raise NetworkError(f'[{title}] {error}') from None
    _check(network)
    return network


def _take(section, allowed, needed):
    """Its values; what is unknown or missing is an error."""
    for key in section:
        if key not in allowed:
            raise NetworkError(f"no key '{key}'; there are {', '.join(allowed)}")
    for key in needed:
        if not section.get(key, '').strip():
            raise NetworkError(f"'{key}' is missing")


def _settings(network, section):
    _take(section, tuple(SETTINGS), ())
    for key, text in section.items():
        setattr(network.settings, key.replace('-', '_'), SETTINGS[key](text))


def _router(name, section):
    _take(section, ('region', 'run', 'vtysh', 'watts'), ('region',))
    return Router(name, section['region'].strip(), words(section.get('run', '')),
                  words(section.get('vtysh', 'vtysh')),
                  number(section.get('watts', '0'), 0, 1e6))


def _link(name, section):
    _take(section, ('ends', 'rate'), ('ends', 'rate'))
    ends = tuple(tuple(end.split(':')) for end in section['ends'].split())
    if len(ends) != 2 or any(len(end) != 2 or not all(end) for end in ends):
        raise NetworkError("'ends' are two of ROUTER:DEVICE")
    return Link(name, ends, rate(section['rate']))


def _check(network):
    taken = {}
    for link in network.links.values():
        if link.ends[0][0] == link.ends[1][0]:
            raise NetworkError(f'[link {link.name}] both ends are at {link.ends[0][0]}')
        for router, device in link.ends:
            if router not in network.routers:
                raise NetworkError(f"[link {link.name}] there is no router '{router}'")
            if (router, device) in taken:
                raise NetworkError(f'[link {link.name}] {router}:{device} is an end of '
                                   f'{taken[router, device]} already')
            taken[router, device] = link.name
    if not network.links:
        raise NetworkError('there is no link')
