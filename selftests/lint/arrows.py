#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Holds the order of a module's objects: each calls only those before it. Of ramp also
the rooms: each calls, and looks into, only those that house.py allows.

    arrows.py SYMBOLS
    arrows.py --rooms SYMBOLS		the rooms of ramp for Graphviz: who calls whom
    arrows.py --reach CALLS		to how many objects calls lead from where
    arrows.py --held			the numbers that it holds, for the page

SYMBOLS is what the build left: a line `object MODULE PATH` for each object, as Kbuild
has them from the ground up, followed by what nm says of it. CALLS has each call (reach.py).
Run it in the tree that was built.
"""

import sys
from collections import defaultdict
from pathlib import Path

import house
from looks import Looks, includes
from reach import Calls


class Module:
    """The objects of a module, from the ground up, and who refers to whom."""

    def __init__(self):
        self.objects = []
        self.paths = {}
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
            module.paths[name] = Path(words[2])
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


def rooms_of(module):
    """Returns the rooms of its objects, and what is in none."""
    room_of = {name: room for room, names in house.ROOMS.items() for name in names.split()}
    strange = sorted(set(module.objects) ^ set(room_of))
    return room_of, strange and f'in no room, or in one and not there: {", ".join(strange)}'


def house_arrows(module, room_of):
    """Returns {(room, room): who calls what}, and what is wrong with headers."""
    folder = module.paths['engine'].parent
    there = sorted(path.name for path in folder.glob('*.h'))
    if there != sorted(house.HEADERS):
        return {}, [f'headers of {folder} are {" ".join(there)}, of house.py '
                    f'{" ".join(sorted(house.HEADERS))}']
    found, wrong = {}, []
    for source, target, symbols in module.arrows():
        found.setdefault((room_of[source], room_of[target]),
                         f'{source} calls {", ".join(symbols)} of {target}')
    looks = Looks({folder / name: room for name, room in house.HEADERS.items()},
                  set(module.defines))
    for name in module.objects:
        path = module.paths[name].with_suffix('.c')
        for room, where in looks.of_file(path).items():
            found.setdefault((room_of[name], room), f'{name} looks into {where}')
        header = house.NEVER_INCLUDED.get(room_of[name])
        if header and includes(path, header):
            wrong.append(f'{path} includes {header}')
    for name, header in house.NEVER_INCLUDED.items():
        if name in house.HEADERS and includes(folder / name, header):
            wrong.append(f'{folder / name} includes {header}')
    return {pair: why for pair, why in found.items() if pair[0] != pair[1]}, wrong


def in_house(module):
    """Returns how many arrows there are between rooms, and what is wrong with them."""
    room_of, wrong = rooms_of(module)
    if wrong:
        return 0, [wrong]
    found, wrong = house_arrows(module, room_of)
    order = list(house.ROOMS)
    allowed = {(source, target) for source, targets in house.ALLOWED.items()
               for target in targets.split()}
    for source, target in sorted(allowed):
        if order.index(target) >= order.index(source) or \
                target in house.NEVER.get(source, '').split():
            wrong.append(f'house.py allows {source} to call {target}, which can never be')
        if (source, target) not in found:
            wrong.append(f'house.py allows {source} to call {target}, which nobody needs')
    wrong += [f'{source} may not call {target}: {why}'
              for (source, target), why in sorted(found.items())
              if (source, target) not in allowed]
    return len(found), wrong


def counted(what, count, most):
    """Returns what is wrong with a number that may only shrink."""
    if count > most:
        return [f'{what}: {count}, which is more than {most}']
    return [f'{what}: {count} now, so house.py can say that'] if count < most else []


def draw(module):
    """Returns the rooms of a module as Graphviz has them, or what is in none."""
    room_of, wrong = rooms_of(module)
    if wrong:
        return None, wrong
    lines = ['digraph rooms {', '\trankdir=TB;',
             '\tnode [shape=box, style=rounded, fontname="sans-serif", fontsize=11];',
             '\tedge [color="#777777", arrowsize=0.6];']
    for room, names in house.ROOMS.items():
        lines.append(f'\t"{room}" [label="{room}\\n{names}"];')
    lines.append('\t{ rank=max; "ground"; }')
    calls = {(room_of[source], room_of[target]) for source, target, _ in module.arrows()}
    # All rooms call the ground.
    lines += sorted(f'\t"{source}" -> "{target}";' for source, target in calls
                    if target not in (source, 'ground'))
    return '\n'.join([*lines, '}']), None


def told(wrong):
    """Prints what is wrong, and returns whether anything is."""
    for line in wrong:
        print(line)
    return int(bool(wrong))


def reach(path):
    """Prints to which objects calls lead, and returns what is wrong with how many."""
    calls = Calls(path, 'sch_ramp')
    wrong = []
    for walk, (function, most) in house.REACH.items() if calls.names else ():
        objects = calls.objects(function)
        print(f'{walk}: {function}() reaches {len(objects)}: {" ".join(sorted(objects))}')
        wrong += counted(f'objects that {function}() reaches', len(objects), most)
    return wrong


def main():
    """Prints the findings, and what it counted."""
    if sys.argv[1] == '--rooms':
        text, wrong = draw(read(sys.argv[2])['sch_ramp'])
        print(wrong or text)
        return int(bool(wrong))
    if sys.argv[1] == '--held':
        print(house.OBJECT_ARROWS['sch_ramp'], 'Arrows between objects')
        print(house.ROOM_ARROWS, 'Arrows between rooms')
        for function, most in house.REACH.values():
            print(most, f'``{function}()``')
        return 0
    if sys.argv[1] == '--reach':
        return told(reach(sys.argv[2]))
    modules = read(sys.argv[1])
    if not modules:
        print('no objects')
        return 1

    wrong = []
    for title, module in modules.items():
        place = {name: n for n, name in enumerate(module.objects)}
        arrows = list(module.arrows())
        wrong += [f'{title}: {source} calls {target}, which comes later in Kbuild: '
                  f'{", ".join(symbols)}'
                  for source, target, symbols in arrows if place[target] > place[source]]
        print(f'{title}: {len(module.objects)} objects, {len(arrows)} arrows, '
              f'a circle of {len(circle(module))}')
        wrong += counted(f'arrows of {title}', len(arrows),
                         house.OBJECT_ARROWS.get(title, len(arrows)))
        if title == 'sch_ramp':
            count, found = in_house(module)
            print(f'{title}: {len(house.ROOMS)} rooms, {count} arrows')
            wrong += found + counted('arrows between rooms', count, house.ROOM_ARROWS)
    return told(wrong)


if __name__ == '__main__':
    sys.exit(main())
