# SPDX-License-Identifier: GPL-2.0
"""Traffic as a fluid: shortest paths, what each pair sends over them, watts and gCO2."""

import heapq

# What ns-3 was asked for: flows of 55 ms, 2 of them each 5 us, at 45 Mbit/s, in segments
# of 5948 bytes. A socket of ns-3 holds 128 KiB, and begins with ten segments.
FLOW_SECONDS, FLOWS_PER_SECOND, FLOW_BITS = 0.055, 400000, 45e6
SEGMENT, SOCKET, FIRST = 5948, 131072, 10


class Disconnected(Exception):
    """Some node cannot be reached."""


def acknowledged(rtt):
    """Bytes that a flow of TCP sends in its life, as the window doubles."""
    now, window, sent = rtt, FIRST * SEGMENT, 0.0
    while now < FLOW_SECONDS:
        written = min(FLOW_BITS / 8 * (now + rtt), sent + SOCKET, FLOW_BITS / 8 * FLOW_SECONDS)
        sent += min(window, max(0, written - sent))
        window = min(2 * window, SOCKET)
        now += rtt
    return sent


class TcpFlows:
    """Mbit/s of a pair by its round trip: what is acknowledged, and of what a socket holds
    when its flow ends, a part."""

    def __init__(self, pairs, rest):
        self.per_pair, self.rest = FLOWS_PER_SECOND / pairs, rest

    def mbit(self, rtt):
        """Of one pair."""
        sent = acknowledged(rtt)
        left = min(FLOW_BITS / 8 * FLOW_SECONDS, sent + SOCKET) - sent
        return self.per_pair * (sent + self.rest * left) * 8 / 1e6


class Even:
    """All pairs alike."""

    def __init__(self, pairs, gbit):
        self.each = gbit * 1000 / pairs

    def mbit(self, _rtt):
        """Of one pair."""
        return self.each


class Routed:
    """What nodes and links carry, in Mbit/s."""

    def __init__(self, network, costs, links, demand):
        """COSTS is what it costs to enter each node. Of equal paths each gets its share."""
        count = len(network.region)
        self.node = [0.0] * count
        self.link = {}
        self.mbit = self.hops = 0.0
        self.around = [[] for _ in range(count)]
        for i in links:
            left, right = network.links[i][:2]
            self.around[left].append((right, i))
            self.around[right].append((left, i))
        for target in range(count):
            self._to(network, costs, target, demand)
        self.hops /= self.mbit or 1

    def _to(self, network, costs, target, demand):
        distance, order = self._distances(costs, target)
        following, delay, hops = {}, {target: 0.0}, {target: 0.0}
        amount = [0.0] * len(costs)
        for node in order[1:]:
            options = [(peer, i) for peer, i in self.around[node]
                       if abs(distance[peer] + costs[peer] - distance[node]) < 1e-9]
            following[node] = options
            delay[node] = sum(delay[peer] + network.links[i][3]
                              for peer, i in options) / len(options)
            hops[node] = 1 + sum(hops[peer] for peer, _ in options) / len(options)
            amount[node] = demand.mbit(2 * delay[node])
            self.mbit += amount[node]
            self.hops += amount[node] * hops[node]
        for node in reversed(order):
            self.node[node] += amount[node]
            for peer, i in following.get(node, ()):
                share = amount[node] / len(following[node])
                amount[peer] += share
                way = (i, node < peer)
                self.link[way] = self.link.get(way, 0) + share

    def _distances(self, costs, target):
        distance, order, heap = {}, [], [(0, target)]
        best = {target: 0}
        while heap:
            far, node = heapq.heappop(heap)
            if node in distance:
                continue
            distance[node] = far
            order.append(node)
            for peer, _ in self.around[node]:
                new = far + costs[node]
                if peer not in distance and new < best.get(peer, new + 1):
                    best[peer] = new
                    heapq.heappush(heap, (new, peer))
        if len(order) < len(costs):
            raise Disconnected
        return distance, order

    def load(self, link):
        """Both ways."""
        return self.link.get((link, True), 0) + self.link.get((link, False), 0)

    def fullest(self, network):
        """The share of its rate that the fullest link carries."""
        return max(mbit / 1000 / network.links[way[0]][2] for way, mbit in self.link.items())

    def watts(self, network):
        """What traffic costs each node."""
        return [network.per_mbit[level] * mbit
                for level, mbit in zip(network.level, self.node)]


def carbon_costs(network, carbon):
    """OSPF costs as CATE has them: what a packet costs the node that it enters."""
    return [1 + gram * network.per_mbit[level] * 1000
            for gram, level in zip(carbon, network.level)]


def links_needed(network, carbon, demand, port_watts, batch=1):
    """CATE's rule: link by link, the one with the most carbon for what it carries is shut
    while that saves carbon and no link becomes too full. Returns those that stay."""
    costs = carbon_costs(network, carbon)

    def grams(routed, links):
        return (sum(watts * gram for watts, gram in zip(routed.watts(network), carbon)) +
                sum(sum(carbon[end] for end in network.links[i][:2]) * port_watts for i in links))

    links, necessary = list(range(len(network.links))), set()
    routed = Routed(network, costs, links, demand)
    best = grams(routed, links)
    while True:
        candidates = sorted((i for i in links if i not in necessary), key=lambda i: (
            routed.load(i) / max(1, sum(carbon[end] for end in network.links[i][:2])), i))[:batch]
        if not candidates:
            return links
        fewer = [i for i in links if i not in candidates]
        try:
            new = Routed(network, costs, fewer, demand)
        except Disconnected:
            # Of several, each has to be tried.
            if batch > 1 and len(candidates) > 1:
                batch = 1
            else:
                necessary.update(candidates)
            continue
        after = grams(new, fewer)
        if after >= best or new.fullest(network) > 1:
            if batch == 1:
                return links
            batch = 1
            continue
        links, routed, best = fewer, new, after
