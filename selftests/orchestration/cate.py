# SPDX-License-Identifier: GPL-2.0
"""What the authors of CATE have published, read where it lies, or a made-up network.

README.md says what is in which file.
"""

import math
import os
import random
import sys
from dataclasses import dataclass, field

MISSING = 'no {}: {} instead'


@dataclass
class Network:
    """A topology with a day, all lists by node, link, or interval and region."""
    name: str
    region: list
    level: list
    links: list                 # (node, node, Gbit/s, one-way seconds)
    static: list                # W by level
    per_mbit: list              # W per Mbit/s by level
    intensity: list             # [interval][region]
    load: list                  # by interval, of the peak
    peak_gbit: float
    made_up: list = field(default_factory=list)

    def carbon(self, interval):
        """The intensity at each node."""
        row = self.intensity[interval]
        return [row[region] for region in self.region]

    def idle_watts(self):
        """Of each node."""
        return [self.static[level] for level in self.level]


def data_folder(top):
    """Beside the tree, or where RAMP_CATE says; None if there is none beside it."""
    named = os.environ.get('RAMP_CATE')
    if named and not os.path.isdir(os.path.join(named, 'GEANTFiles')):
        sys.exit(f'RAMP_CATE: there are no GEANTFiles in {named}')
    folder = named or os.path.join(top, os.pardir, 'shared', 'data', 'cate')
    return folder if os.path.isdir(folder) else None


def numbers(path):
    """The rows of a file of numbers."""
    with open(path, encoding='ascii') as file:
        return [[float(word) for word in line.split()] for line in file if line.strip()]


def parameters(path):
    """'name = value value': lists of words."""
    found = {}
    with open(path, encoding='ascii') as file:
        for line in file:
            name, _, value = line.partition('//')[0].partition('=')
            if value.strip():
                found[name.strip()] = value.split()
    return found


def floats(words):
    """Words as numbers."""
    return [float(word) for word in words]


def geant(folder):
    """GEANT in winter."""
    folder = os.path.join(folder, 'GEANTFiles')
    rows = numbers(os.path.join(folder, 'Topology.txt'))
    nodes, links = int(rows[0][0]), int(rows[0][1])
    par = parameters(os.path.join(folder, 'parameters.txt'))
    count = int(par['Number_of_Intervals'][0])
    return Network(
        'GEANT',
        region=[int(row[1]) - 1 for row in rows[1:nodes + 1]],
        level=[int(row[2]) - 1 for row in rows[1:nodes + 1]],
        # Light takes 5 ns for a metre of fibre.
        links=[(int(a), int(b), gbit, metres * 5e-9)
               for a, b, gbit, metres in rows[nodes + 1:nodes + 1 + links]],
        static=floats(par['StaticPower']), per_mbit=floats(par['lamda']),
        intensity=numbers(os.path.join(folder, 'winter.txt'))[:count],
        load=numbers(os.path.join(folder, 'RateMean.txt'))[0][:count],
        peak_gbit=float(par['MaxRateST'][0]))


def results(folder, scenario):
    """What ns-3 made of GEANT's winter: sums over its intervals, by what they are for."""
    rows = numbers(os.path.join(folder, 'GEANTFiles', 'PreCompiledResults',
                                f'Resultsrandomwinter{scenario}.txt'))
    if len(rows) != 10:
        raise ValueError(f'{len(rows)} rows in results of scenario {scenario}')
    return {'hops': rows[0][5], 'gbit': sum(rows[3]) / len(rows[3]),
            'fullest': max(rows[4]), 'region_gbit': rows[5],
            'traffic': (sum(rows[1]), sum(rows[2])), 'idle': (sum(rows[6]), sum(rows[7])),
            'ports': (sum(rows[8]), sum(rows[9]))}


def layered(name, regions, seed):
    """Nodes and links of an operator as BT is said to be: three levels, each node with two
    or more links to the level above, and a mesh of cores with more links than it needs."""
    rng = random.Random(seed)
    region, level, links = [], [], set()

    def node(where, tier):
        region.append(where)
        level.append(tier)
        return len(region) - 1

    cores = [node(where, 0) for where in range(regions)]
    for i, core in enumerate(cores):
        links.add((core, cores[(i + 1) % regions]))
        for other in rng.sample(cores[:i] + cores[i + 1:], 2):
            links.add((min(core, other), max(core, other)))
    for where in range(regions):
        metros = [node(where, 1) for _ in range(2)]
        links.add(tuple(metros))
        for metro in metros:
            for core in [cores[where]] + rng.sample(cores[:where] + cores[where + 1:], 2):
                links.add((core, metro))
        for _ in range(4):
            edge = node(where, 2)
            for metro in metros:
                links.add((metro, edge))
    return name, region, level, sorted(links)


def bt_like(folder, step=4):
    """An operator with three levels; its day is BT's where there is data."""
    regions = 14
    name, region, level, links = layered('BT-like', regions, 1)
    made_up = ['topology (BT\'s is not public): 98 nodes, three levels']
    static, per_mbit, peak = [203, 203, 41], [0.0032, 0.02, 0.029], 1900
    if folder:
        folder = os.path.join(folder, 'BTFiles')
        par = parameters(os.path.join(folder, 'parameters.txt'))
        static, per_mbit = floats(par['StaticPower']), floats(par['lamda'])
        peak = float(par['MaxRateST'][0])
        load = numbers(os.path.join(folder, 'RateMean.txt'))[0]
        intensity = numbers(os.path.join(folder, 'winter.txt'))
    else:
        made_up.append('day')
        load, intensity = made_up_day(regions, 30)
    return Network(name, region, level, [(a, b, 100.0, 0.001) for a, b in links], static, per_mbit,
                   intensity[::step], load[::step], peak * len(region) / 1008, made_up)


def made_up_day(regions, intervals):
    """Loads and intensities of a day that never was."""
    load = [0.7 - 0.3 * math.cos(2 * math.pi * i / intervals) for i in range(intervals)]
    intensity = [[round(150 + 20 * (where % 7) + 100 * math.sin(
        2 * math.pi * (i / intervals + where / regions))) for where in range(regions)]
        for i in range(intervals)]
    return load, intensity


def at_rest():
    """As many nodes and links as GEANT, and nothing to carry, for a day."""
    nodes, count = 46, 68
    links = [(i, (i + 1) % nodes) for i in range(nodes)]
    links += [(i, i + nodes // 2) for i in range(count - nodes)]
    return Network('at rest', [0] * nodes, [0] * nodes, [(a, b, 100.0, 0.001) for a, b in links],
                   [41], [0.0015], [[100]] * 48, [0.0] * 48, 0)


def small():
    """Where there is no data."""
    regions = 5
    name, region, level, links = layered('made-up', regions, 2)
    load, intensity = made_up_day(regions, 8)
    return Network(name, region, level, [(a, b, 100.0, 0.001) for a, b in links], [41, 41, 41],
                   [0.0015, 0.0015, 0.0015], intensity, load, 200, ['topology', 'day'])
