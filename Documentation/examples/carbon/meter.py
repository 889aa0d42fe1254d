# SPDX-License-Identifier: GPL-2.0
"""Wh and gCO2 of a run, by period. All of it is modelled. What boxes with gears took, tc says:
seconds in each gear times the watts that it was given. Boxes without, and ports, are watts of
the network file and of the paper."""

import powermodel

# Hours that a report has, a week of them: it is written in each cycle.
KEPT = 168


def added(total, part):
    """What is unknown, None, stays so."""
    return None if total is None or part is None else total + part


class Meter:
    """Adds up. SCALE is how many seconds of the day pass in one of the clock."""

    def __init__(self, network, scale):
        self.network, self.scale = network, scale
        self.energy, self.seen = {}, {}
        self.periods, self.label = [], None
        self.wh = self.g = 0.0

    def _box_wh(self, router, seconds, gears):
        """What a box took since the last time, without its ports."""
        if not gears:
            return router.watts * seconds * self.scale / 3600
        took = 0
        for device, one in gears.items():
            key = (router.name, device)
            joules = one['joules']
            before = self.energy.get(key)
            # A qdisc that was replaced counts from nothing.
            took += joules - before if before is not None and joules >= before else 0
            self.energy[key] = joules
        return took * self.scale / 3600

    def add(self, label, seconds, intensity, up, gears):
        """INTENSITY by region, as far as it is known, UP the links that have power, GEARS by
        router what tc says."""
        if label != self.label or not self.periods:
            self.label = label
            self.periods.append({'period': label, 'wh_boxes': 0.0, 'wh_ports': 0.0, 'g': 0.0,
                                 'links_up': len(up), 'modelled': True,
                                 'boxes_by_tc': False})
            del self.periods[:-KEPT]
        row = self.periods[-1]
        row['links_up'] = min(row['links_up'], len(up))
        row['boxes_by_tc'] = row['boxes_by_tc'] or any(gears.values())
        for router in self.network.routers.values():
            with_gears = gears.get(router.name)
            # A box with gears that does not answer says later what it took meanwhile.
            silent = with_gears is None and any(name == router.name for name, _ in self.energy)
            box = 0.0 if silent else self._box_wh(router, seconds, with_gears)
            active = sum(link.name in up for link, _ in self.network.links_of(router.name))
            ports = powermodel.ports_watts(active, silent or bool(with_gears)) * \
                seconds * self.scale / 3600
            grams = 0.0
            if box + ports:
                grams = (box + ports) / 1000 * intensity[router.region] \
                    if router.region in intensity else None
            row['wh_boxes'] += box
            row['wh_ports'] += ports
            row['g'] = added(row['g'], grams)
            self.wh += box + ports
            self.g = added(self.g, grams)

    def total(self):
        """Of all periods, also of those that are not kept."""
        return {'wh': self.wh, 'g': self.g}
