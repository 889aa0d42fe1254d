# SPDX-License-Identifier: GPL-2.0
"""The range of gears of each port: limited where little passes, and all of it before anything
moves, as nobody knows where to."""

from boxes import BoxError
from plan import gear_top


class Tops:
    """Of all ports. What tc says of them is taken, and not what they were once told."""

    def __init__(self, network, boxes, log):
        self.network, self.boxes, self.log = network, boxes, log
        self.ports, self.tops, self.moving = {}, {}, 0

    def seen(self, gears):
        """GEARS by router, as Boxes has them: a cycle begins."""
        self.moving = max(0, self.moving - 1)
        for name, devices in gears.items():
            for link, device in self.network.links_of(name):
                end = name, device
                if device not in devices:
                    self.ports.pop(end, None)
                    continue
                rates, top = devices[device]['rates'], devices[device]['top']
                self.ports[end] = link, rates
                # In a dry run, what would have been set.
                if not self.boxes.dry or end not in self.tops:
                    self.tops[end] = top

    def _set(self, end, top):
        """Whether it is."""
        _, rates = self.ports[end]
        if self.tops[end] == top:
            return True
        router, device = end
        # Who is told to end while tc runs does not know.
        self.tops[end] = None
        try:
            self.boxes.set_range(self.network.routers[router], device,
                                 None if top == len(rates) - 1 else top)
        except BoxError as error:
            self.log.once(f'gears of {router}', f'{error}: gears stay')
            return False
        self.log.once(f'gears of {router}', None)
        self.tops[end] = top
        return True

    def open(self):
        """All gears of all ports; whether all took it. For this cycle and the next one, as
        loads of the next one are partly from before."""
        self.moving, deaf = 2, set()
        for end, (_, rates) in self.ports.items():
            # Who does not answer is not waited for at each port.
            if end[0] not in deaf and not self._set(end, len(rates) - 1):
                deaf.add(end[0])
        return not deaf

    def fit(self, loads, limited, lower):
        """To LOADS, as shares by link, at routers that are LIMITED; LOWER: not only up."""
        for end, (link, rates) in self.ports.items():
            top, load = len(rates) - 1, loads[link.name]
            if end[0] in limited:
                if load is None:
                    continue
                top = gear_top(rates, load * link.rate, self.network.settings.headroom)
            before = self.tops[end]
            if before is None or top > before or (lower and not self.moving):
                self._set(end, top)
