#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Holds the order of a module's objects: each calls only those before it.

    arrows.py SYMBOLS
    arrows.py --rooms SYMBOLS		the rooms of ramp for Graphviz: who calls whom

SYMBOLS is what the build left: a line `object MODULE PATH` for each object, as Kbuild
has them from the ground up, followed by what nm says of it.
"""

import sys
from collections import defaultdict
from pathlib import Path


# The rooms of ramp: what its objects are for (Documentation/architecture.rst).
ROOMS = {
    'ground': 'event timer attr',
    'engine': 'level engine detect',
    'bands': 'band',
    'rails': 'rail_pool rail_wait rail rail_net rail_config rail_netlink',
    'gate': 'gate',
    'codes': 'code ladder_config ladder_netlink ladder',
    'peers': 'ear peer',
    'gears': 'gear_clock gear_config gear_netlink gear gear_change gear_port',
    'packets': 'push dequeue enqueue',
    'parameters': 'config config_netlink',
    'changes': 'change device main',
    'ramp_mq': 'mq',
    'module': 'module',
}


class Module:
    """The objects of a module, from the ground up, and who refers to whom."""

    def __init__(self):
        self.objects = []
        self.defines = {}
        self.needs = defaultdict(set)

    def arrows(self):
        """Yields from, to, and the symbols that from has of to."""
        found = defaultdict(set)
        for source, symbols in self.needs.items():
            for symbol in symbols:
                target = self.defines.get(symbol, source)
                if target != source:
                    found[source, target].add(symbol)
        for (source, target), symbols in found.items():
            yield source, target, sorted(symbols)


def read(path):
    """Returns the modules by their names."""
    modules = defaultdict(Module)
    module = name = None
    for line in Path(path).read_text(encoding='ascii').splitlines():
        words = line.split()
        if words[0] == 'object':
            module, name = modules[words[1]], Path(words[2]).stem
            module.objects.append(name)
        elif words[-2] == 'U':
            module.needs[name].add(words[-1])
        elif words[-2].isupper():
            module.defines[words[-1]] = name
    return modules


def circle(module):
    """Returns the largest set of objects of which each reaches all others."""
    reach = {name: {name} for name in module.objects}
    arrows = [(source, target) for source, target, _ in module.arrows()]
    before = -1
    while before != sum(map(len, reach.values())):
        before = sum(map(len, reach.values()))
        for source, target in arrows:
            reach[source] |= reach[target]
    return max(([b for b in reach[a] if a in reach[b]] for a in reach), key=len)


def draw(module):
    """Returns the rooms of a module as Graphviz has them, or what is in none."""
    room_of = {name: room for room, names in ROOMS.items() for name in names.split()}
    strange = sorted(set(module.objects) ^ set(room_of))
    if strange:
        return None, f'in no room, or in one and not there: {", ".join(strange)}'
    lines = ['digraph rooms {', '\trankdir=TB;',
             '\tnode [shape=box, style=rounded, fontname="sans-serif", fontsize=11];',
             '\tedge [color="#777777", arrowsize=0.6];']
    for room, names in ROOMS.items():
        lines.append(f'\t"{room}" [label="{room}\\n{names}"];')
    lines.append('\t{ rank=max; "ground"; }')
    calls = {(room_of[source], room_of[target]) for source, target, _ in module.arrows()}
    # All rooms call the ground.
    lines += sorted(f'\t"{source}" -> "{target}";' for source, target in calls
                    if target not in (source, 'ground'))
    return '\n'.join([*lines, '}']), None


def main():
    """Prints the findings, and what it counted."""
    if sys.argv[1] == '--rooms':
        text, wrong = draw(read(sys.argv[2])['sch_ramp'])
        print(wrong or text)
        return int(wrong is not None)
    modules = read(sys.argv[1])
    if not modules:
        print('no objects')
        return 1

    bad = 0
    for title, module in modules.items():
        place = {name: n for n, name in enumerate(module.objects)}
        for source, target, symbols in module.arrows():
            if place[target] > place[source]:
                bad = 1
                print(f'{title}: {source} calls {target}, which comes later in '
                      f'Kbuild: {", ".join(symbols)}')
        print(f'{title}: {len(module.objects)} objects, '
              f'{len(list(module.arrows()))} arrows, '
              f'a circle of {len(circle(module))}')
    return bad


if __name__ == '__main__':
    sys.exit(main())
