# SPDX-License-Identifier: GPL-2.0
"""What to do with links, from what is known of them. Decides; commands are elsewhere.

A link is up, drains (OSPF still knows it, at a cost that only the last way is worth),
is shut, or returns until both ends were told. Paths are OSPF's business. Where the traffic
of a link would go is not guessed: every other link has to have room for all of it.
"""

from dataclasses import dataclass
from typing import Optional

UP, DRAINING, SHUT, RETURNING = 'up', 'draining', 'shut', 'returning'
# OSPF's highest.
DRAIN_COST = 65535
# Between drains of a link from which its traffic does not go.
LONGEST_WAIT = 4 * 3600


@dataclass
class State:
    """Of a link: what the controller has made of it, and since when."""
    mode: str = UP
    since: float = float('-inf')
    failed: bool = False        # down, and not by us
    met: bool = True            # both ends know each other, since it came back
    load: Optional[float] = None    # the fuller way, as a share of the rate, once measured
    left: Optional[float] = None    # load at the last look, of one that drains
    in_vain: int = 0            # drains, one after the other, that left something on it
    again: float = float('-inf')    # when it may be drained again


def highest_cost(network):
    """The longest way, over all routers, has to be cheaper than a link that drains."""
    return (DRAIN_COST - 1) // max(1, len(network.routers) - 1)


def cost(intensity, scale, highest):
    """Of an interface, by the intensity at the neighbour that it leads to."""
    return max(1, min(highest, 1 + round(scale * intensity)))


def costs(network, intensity):
    """{(router, device): cost}."""
    found = {}
    for link in network.links.values():
        for mine, other in (link.ends, link.ends[::-1]):
            region = network.routers[other[0]].region
            found[mine] = cost(intensity[region], network.settings.cost_scale,
                               highest_cost(network))
    return found


def link_intensity(network, link, intensity):
    """The mean of both ends."""
    return sum(intensity[network.routers[router].region] for router, _ in link.ends) / 2


def connected(network, links):
    """Whether these links connect all routers."""
    around = {name: [] for name in network.routers}
    for name in links:
        left, right = (router for router, _ in network.links[name].ends)
        around[left].append(right)
        around[right].append(left)
    start = next(iter(around))
    seen, todo = {start}, [start]
    while todo:
        for peer in around[todo.pop()]:
            if peer not in seen:
                seen.add(peer)
                todo.append(peer)
    return len(seen) == len(around)


class Planner:
    """Keeps the state of links. Each step returns [(verb, link, why)], verbs being drain,
    shut, back (from shut) and undrain."""

    def __init__(self, network, now, shut=()):
        self.network = network
        self.states = {name: State(SHUT if name in shut else UP,
                                   now if name in shut else float('-inf'))
                       for name in network.links}

    def in_service(self):
        """Links that carry what comes."""
        return [name for name, state in self.states.items()
                if state.mode == UP and state.met and not state.failed]

    def fullest(self):
        """(share, link) of the fullest link that is not shut."""
        return max(((state.load, name) for name, state in self.states.items()
                    if state.mode != SHUT and state.load is not None), default=(0.0, None))

    def step(self, now, intensity=None, down=None, able=True):
        """INTENSITY by region, or the links that a schedule wants DOWN. With neither, or if
        not ABLE (some router does not answer), nothing is drained or shut."""
        # What was not told to both ends is neither.
        actions = [('back', name, 'once more') for name, state in self.states.items()
                   if state.mode == RETURNING]
        actions += self._bring_back(now, intensity, down)
        if not able or (intensity is None and down is None):
            # Half drained is no state to stay in.
            return actions + self._undrain(now, 'not all is known that has to be')
        # While a link has failed the others are needed.
        if actions or any(state.failed for state in self.states.values()):
            return actions
        return self._finish_drain(now) or self._begin_drain(now, intensity, down)

    def _set(self, name, mode, now):
        self.states[name].mode, self.states[name].since = mode, now

    def returned(self, name, now):
        """Both ends of a link were told. It carries nothing before they know each other."""
        self._set(name, UP, now)
        self.states[name].met = False

    def give_up(self, name, now):
        """A drain, before OSPF was told."""
        self._set(name, UP, now)

    def leave(self):
        """What has to be done at the end."""
        actions = [self._back(name, state.since, 'the end') for name, state in self.states.items()
                   if state.mode in (SHUT, DRAINING)]
        return [('back', name, 'the end') for name, state in self.states.items()
                if state.mode == RETURNING] + [one for one in actions if one[0] == 'undrain']

    def _undrain(self, now, why):
        actions = []
        for name, state in self.states.items():
            if state.mode == DRAINING:
                self._set(name, UP, now)
                actions.append(('undrain', name, why))
        return actions

    def _bring_back(self, now, intensity, down):
        settings = self.network.settings
        shut = [name for name, state in self.states.items() if state.mode == SHUT]
        failed = [name for name, state in self.states.items() if state.failed]
        if failed:
            why = f'{failed[0]} has failed'
            actions = self._undrain(now, why)
            return actions + [self._back(name, now, why) for name in shut]
        load, name = self.fullest()
        if load > settings.headroom:
            why = f'{name} is {100 * load:.0f} % full'
            actions = self._undrain(now, why)
            if not actions and shut:
                actions = [self._back(self._nearest(shut, name), now, why)]
            return actions
        actions = []
        for name, state in self.states.items():
            why = None
            if state.mode in (UP, RETURNING):
                continue
            if down is not None and name not in down:
                why = 'the schedule says so'
            elif down is None and intensity is not None:
                here = link_intensity(self.network, self.network.links[name], intensity)
                if here < settings.drain_above:
                    why = f'{here:.0f} gCO2/kWh'
            if why:
                actions.append(self._back(name, now, why))
        return actions

    def _back(self, name, now, why):
        """What is shut, or drains."""
        if self.states[name].mode == SHUT:
            self._set(name, RETURNING, now)
            return 'back', name, why
        self._set(name, UP, now)
        return 'undrain', name, why

    def _nearest(self, shut, full):
        """Of those that are shut, one at a router of the full link, or the first."""
        routers = {router for router, _ in self.network.links[full].ends}
        return min(shut, key=lambda name: (
            not routers & {router for router, _ in self.network.links[name].ends}, name))

    def _finish_drain(self, now):
        settings = self.network.settings
        for name, state in self.states.items():
            if state.mode != DRAINING:
                continue
            if not connected(self.network, self.in_service()):
                return self._undrain(now, 'a router would be cut off')
            before, state.left = state.left, state.load
            if now - state.since < settings.drain_wait or state.load is None:
                return [('wait', name, '')]
            if state.load > settings.idle:
                # What went since the last look is in this load.
                if before is not None and state.load <= before / 2:
                    return [('wait', name, '')]
                # What did not leave it this time will not the next time, a moment later.
                state.again = now + min(LONGEST_WAIT, 2 ** state.in_vain * max(
                    settings.min_up, settings.drain_wait))
                state.in_vain += 1
                return self._undrain(now, f'still {100 * state.load:.1f} % full')
            self._set(name, SHUT, now)
            state.in_vain = 0
            return [('shut', name, '')]
        return []

    def _begin_drain(self, now, intensity, down):
        settings = self.network.settings
        service = self.in_service()
        # Whether there is room is not known before all of them were measured.
        if any(self.states[name].load is None for name in service):
            return []

        def worth(name):
            if intensity is None:
                return 0
            here = link_intensity(self.network, self.network.links[name], intensity)
            return -here / (0.01 + self.states[name].load)

        for name in sorted(service, key=lambda name: (worth(name), name)):
            state, link = self.states[name], self.network.links[name]
            if now - state.since < settings.min_up or now < state.again:
                continue
            if down is not None:
                if name not in down:
                    continue
            elif link_intensity(self.network, link, intensity) < settings.drain_above:
                continue
            rest = [other for other in service if other != name]
            if not connected(self.network, rest):
                continue
            moved = state.load * link.rate
            if any(self.states[other].load + moved / self.network.links[other].rate >
                   settings.headroom for other in rest):
                continue
            self._set(name, DRAINING, now)
            state.left = state.load
            return [('drain', name, '')]
        return []


def gear_top(gears, load, headroom):
    """The lowest gear, and not the idle one, in which LOAD bit/s leave the headroom."""
    for gear, rate in enumerate(gears):
        if gear and rate * headroom >= load:
            return gear
    return len(gears) - 1
