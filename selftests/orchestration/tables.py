#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The tables of NetFridgeS, beside what a simulation finds.

    tables.py [--check] [--quick] [--json FILE]

Prints Tables 2 to 5 and Figure 7. With --check the results are KTAP, too: what has to agree,
and by how much. --quick leaves the BT-like network out. All power is modelled.
"""

import argparse
import json
import os
import sys

TOP = os.path.realpath(os.path.join(os.path.dirname(os.path.realpath(__file__)), '../..'))
sys.path.insert(0, os.path.join(TOP, 'Documentation/examples/carbon'))
sys.dont_write_bytecode = True

# pylint: disable=wrong-import-position
import cate                                                             # noqa: E402
import powermodel                                                       # noqa: E402
from fluid import Even, Routed, TcpFlows, carbon_costs, links_needed    # noqa: E402

HOURS = 24
# Table 5: kWh and kg a day.
PAPER = {'GEANT': ((59.69, 15.96), (58.71, 14.05), (57.57, 13.77)),
         'BT': ((1186.72, 147.99), (1156.35, 133.45), (924.37, 106.91))}
# Section 5.2: Gbit/s that a clock is for, and MHz; the first is that of an idle pipeline.
CLOCKS = ((0, 50), (60, 100), (100, 150), (140, 187.5), (180, 250), (200, 300))
# Section 5.1: how much less dynamic power pipelines take at least load, on the mean, in percent.
SAVED = 77.74
NAMES = ('OSPF', 'CATE', 'CATE with gears')
POINTS = 2


class Report:
    """Prints, and counts what had to hold."""

    def __init__(self, check):
        self.checked, self.count, self.failed, self.found = check, 0, 0, {}
        if check:
            print('KTAP version 1')

    def say(self, text=''):
        """A line of a table."""
        print(f'# {text}' if self.checked else text)

    def holds(self, name, good, text):
        """A line of KTAP."""
        self.count += 1
        self.failed += not good
        if self.checked:
            print(f'{"ok" if good else "not ok"} {self.count} - {name}\n# {text}')

    def skip(self, name, why):
        """What cannot be done here."""
        self.count += 1
        if self.checked:
            print(f'ok {self.count} - {name} # SKIP {why}')
        else:
            print(f'skipped: {name}: {why}')

    def end(self):
        """The plan."""
        if self.checked:
            print(f'1..{self.count}')
        return 1 if self.failed else 0


def percent(rows):
    """Each row against the first, in percent."""
    return [tuple(100 * (mine / first - 1) for mine, first in zip(row, rows[0])) for row in rows]


class Day:
    """Sums of W and of W times gCO2/kWh, over intervals of equal length."""

    def __init__(self):
        self.watts = self.grams = 0.0
        self.intervals = 0

    def add(self, watts, carbon):
        """An interval, by node."""
        self.watts += sum(watts)
        self.grams += sum(watt * gram for watt, gram in zip(watts, carbon))
        self.intervals += 1

    def row(self):
        """kWh and kg of a day."""
        return (self.watts / self.intervals * HOURS / 1000,
                self.grams / self.intervals * HOURS / 1e6)


def ports_of(network, links):
    """How many ports each node uses."""
    count = [0] * len(network.region)
    for i in links:
        for end in network.links[i][:2]:
            count[end] += 1
    return count


def node_watts(network, traffic, links, gears, idle):
    """W of each node: what traffic costs, without ports that are shut."""
    every = ports_of(network, range(len(network.links)))
    used = ports_of(network, links)
    return [powermodel.box_watts(watts + base, active, ports, gears) +
            powermodel.ports_watts(active, gears)
            for watts, base, active, ports in zip(traffic, idle, used, every)]


def simulate(network, demand_at, planned_at, idle, batch=1):
    """Table 5's rows of a network, and what was found on the way. Without IDLE watts what
    the node takes anyway is left out."""
    days = [Day() for _ in NAMES]
    found = {'links': [], 'gbit': [[], []], 'hops': [[], []], 'fullest': [0, 0]}
    for interval in range(len(network.intensity)):
        carbon, demand = network.carbon(interval), demand_at(interval)
        everything = range(len(network.links))
        links = links_needed(network, carbon, planned_at(interval), powermodel.PORT, batch)
        plain = Routed(network, [1] * len(carbon), everything, demand)
        green = Routed(network, carbon_costs(network, carbon), links, demand)
        for day, routed, active, gears in zip(
                days, (plain, green, green), (everything, links, links), (False, False, True)):
            day.add(node_watts(network, routed.watts(network), active, gears, idle), carbon)
        found['links'].append(len(links))
        for i, routed in enumerate((plain, green)):
            found['gbit'][i].append(routed.mbit / 1000)
            found['hops'][i].append(routed.hops)
            found['fullest'][i] = max(found['fullest'][i], routed.fullest(network))
    return [day.row() for day in days], found


def mean(values):
    """Their mean."""
    return sum(values) / len(values)


def fit_rest(network, gbit):
    """The part of what sockets hold at the end that makes plain OSPF carry GBIT."""
    pairs = len(network.region) * (len(network.region) - 1)
    carried = [Routed(network, [1] * len(network.region), range(len(network.links)),
                      TcpFlows(pairs, rest)).mbit / 1000 for rest in (0, 1)]
    # What is carried is linear in it.
    rest = (gbit - carried[0]) / (carried[1] - carried[0])
    if not 0 <= rest <= 1:
        raise ValueError(f'{gbit} Gbit/s are not between {carried[0]} and {carried[1]}')
    return rest


def table_4(report):
    """The pipeline by its ports."""
    report.say('Table 4: pipeline power by ports in use, and of a switch 0.42 + 0.58 x that')
    report.say('  ports in use    factor % (paper)       switch %')
    wanted = [28.24] * 2 + [67.03] * 2 + [73.87] * 2 + [81.18] * 2 + [96.40] * 2 + [100.09]
    got = [round(100 * powermodel.pipeline_factor(active, 10), 2) for active in range(11)]
    for active, (mine, theirs) in enumerate(zip(got, wanted)):
        report.say(f'  {active:2} of 10        {mine:6.2f} ({theirs:6.2f})        '
                   f'{powermodel.box_watts(100, active, 10, True):6.2f}')
    report.say(f'  the lowest factor is {100 - got[0]:.2f} % less; the 77.74 % of the paper are of '
               'dynamic power alone')
    report.holds('Table 4 by shares of ten ports', got == wanted, f'{got}')


def tables_2_and_3(report):
    """Chips, by the formulas of section 3.3."""
    differ = []
    for frame, column, number in ((powermodel.FRAME, 4, 2), (powermodel.JUMBO, 5, 3)):
        report.say(f'Table {number}: frames of {frame} bytes, computed (paper)')
        report.say('  chip           change ns         inner KiB          outer KiB')
        for chip in powermodel.CHIPS:
            name, ports, bus, ghz = chip[:4]
            mine = (powermodel.change_ns(bus, ghz, frame), powermodel.inner_kib(bus, frame),
                    powermodel.outer_kib(ports, frame))
            report.say(f'  {name:12}' + ''.join(f' {a:8.2f} ({b:7.2f})'
                                                for a, b in zip(mine, chip[column])))
            differ += [f'{name} {what}' for what, a, b in zip(('ns', 'inner', 'outer'), mine,
                                                              chip[column])
                       if abs(a - b) > max(0.005 * b, 0.5 if what == 'inner' else 0)]
    report.say('  outer is one frame for each port, which is what the paper has; the buffer of')
    report.say('  section 3.3 holds what comes during the change, too')
    report.say('  Silicon One: the paper has 48 ports of memory where it has 16 ports, and in')
    report.say('  Table 2 the inner memory of a bus of 512 bytes')
    report.holds('Tables 2 and 3 by the formulas, but for Silicon One',
                 differ == ['Silicon One inner', 'Silicon One outer', 'Silicon One outer'],
                 ', '.join(differ))


def figure_7(report):
    """What a clock saves; the rest of it is the power of an FPGA."""
    report.say('FIG. 7: dynamic power of a pipeline is linear in its clock (section 2.2)')
    report.say('  Gbit/s      clock MHz    modelled %')
    modelled = [100 * mhz / CLOCKS[-1][1] for _, mhz in CLOCKS]
    for (gbit, mhz), share in zip(CLOCKS, modelled):
        report.say(f'  to {gbit:3}      {mhz:6.1f}       {share:6.2f}')
    left = 100 - SAVED
    report.say(f'  measured in the paper: {left:.2f} % at least load; the watts themselves need '
               'the FPGA')
    report.holds('FIG. 7: the power at least load is between the idle clock and the lowest other '
                 'one', modelled[0] < left < modelled[1],
                 f'{modelled[0]:.2f} %, {left:.2f} % in the paper, {modelled[1]:.2f} %')


def rows_beside(report, mine, paper, label):
    """Prints rows, and how they compare with the first."""
    report.say(f'  {label} (modelled)')
    report.say(f'  {"":27} kWh a day   kg a day   energy (paper)      carbon (paper)')
    for name, row, change, theirs in zip(NAMES, mine, percent(mine), percent(paper)):
        report.say(f'  {name:27} {row[0]:9.2f}  {row[1]:9.2f}' + ''.join(
            f'   {a:6.2f} ({b:6.2f}) %' for a, b in zip(change, theirs)))


def within_points(report, label, mine, paper, wanted=NAMES[1:]):
    """Energy and carbon, each row."""
    for name, change, theirs in zip(NAMES, percent(mine), percent(paper)):
        if name in wanted:
            for what, a, b in zip(('energy', 'carbon'), change, theirs):
                report.holds(f'{label}, {name}: {what} within {POINTS} points of the paper',
                             abs(a - b) <= POINTS, f'{a:.2f} %, paper {b:.2f} %')


def recorded_rows(network, ospf, green, links):
    """Table 5 from what ns-3 measured: traffic by region, and ports by the plan."""
    seconds = HOURS * 3600 / len(network.intensity)
    rows = [tuple(seconds * (a + b) for a, b in zip(run['traffic'], run['ports']))
            for run in (ospf, green)]
    # Gears need watts by node: the traffic of a region goes to its nodes alike, and links
    # are those of the plan.
    every, used = ports_of(network, range(len(network.links))), ports_of(network, links)
    share = [green['region_gbit'][region] / network.region.count(region)
             for region in network.region]
    total, carbon = sum(share), [sum(day) / len(network.intensity) for day in zip(
        *(network.carbon(i) for i in range(len(network.intensity))))]
    kept = [powermodel.box_watts(1, a, b, True) for a, b in zip(used, every)]
    energy = sum(part * keep for part, keep in zip(share, kept)) / total
    grams = (sum(part * keep * gram for part, keep, gram in zip(share, kept, carbon)) /
             sum(part * gram for part, gram in zip(share, carbon)))
    ports = powermodel.PORT_WITH_GEARS / powermodel.PORT
    rows.append(tuple(seconds * (a * keep + b * ports) for a, b, keep in zip(
        green['traffic'], green['ports'], (energy, grams))))
    return [(kwh, grams / 1000) for kwh, grams in rows]


def table_5_geant(report, folder):
    """GEANT, by what ns-3 has recorded, and by the simulation."""
    network = cate.geant(folder)
    everything = list(range(len(network.links)))
    idle = network.idle_watts()
    least = (sum(idle) + 2 * len(everything) * powermodel.PORT) * HOURS
    report.say(f'GEANT, a day at least load: {len(idle)} nodes and {len(everything)} links, '
               f'{least / 1000:.3f} kWh (paper, OSPF: {PAPER["GEANT"][0][0]})')
    exact = (46 * 41 + 68 * 2 * 4.5) * 24
    report.holds('the Wh of a day of GEANT at least load are exact', least == exact,
                 f'{least} Wh, 46 x 41 W and 68 x 2 x 4.5 W for 24 h: {exact}')

    ospf, green = cate.results(folder, 1), cate.results(folder, 20)
    count = len(idle)
    pairs = count * (count - 1)
    rest = fit_rest(network, ospf['gbit'])
    demand = TcpFlows(pairs, rest)
    planned = Even(pairs, network.peak_gbit)
    mine, found = simulate(network, lambda _: demand, lambda _: planned, [0] * count)
    shut = 100 * (1 - mean(found['links']) / len(everything))

    report.say('Table 5, GEANT in winter. What the paper counts is what traffic and ports take,')
    report.say('without the 41 W of an idle node: its kWh and kg are the recorded sums of W and of')
    report.say('g/s, each for one of the intervals, times')
    for name, run, row in zip(NAMES, (ospf, green), PAPER['GEANT']):
        seconds = [theirs / sum(parts) for theirs, parts in zip(
            (row[0], 1000 * row[1]), zip(run['traffic'], run['ports']))]
        report.say(f'  {name:27} {seconds[0]:9.0f} s {seconds[1]:9.0f} s')
    report.say('and why just so long, it does not say. Rows below are for 24 hours.')
    links = links_needed(network, network.carbon(0), planned, powermodel.PORT)
    recorded = recorded_rows(network, ospf, green, links)
    rows_beside(report, recorded, PAPER['GEANT'], 'as ns-3 recorded')
    rows_beside(report, mine, PAPER['GEANT'], 'simulated')
    report.say(f'  links shut: {shut:.1f} % (paper 8 %, recorded '
               f'{100 * (1 - green["ports"][0] / ospf["ports"][0]):.1f} %)')
    report.say('  fitted to the recorded OSPF run: of what sockets hold when their flow ends, '
               f'{100 * rest:.0f} % arrive')
    report.say('  not fitted                Gbit/s (recorded)    hops (recorded)   fullest link')
    for i, (name, run) in enumerate((('OSPF', ospf), ('CATE', green))):
        report.say(f'  {name:24} {mean(found["gbit"][i]):7.1f} ({run["gbit"]:6.1f})'
                   f'       {mean(found["hops"][i]):5.2f} ({run["hops"]:5.2f})     '
                   f'{100 * found["fullest"][i]:5.1f} % ({run["fullest"]:.1f} %)')
    report.say('  CATE carries less, as its paths are longer and flows of 55 ms end before TCP')
    report.say('  has opened its window: a part of what the paper saves is that.')
    full, _ = simulate(network, lambda _: planned, lambda _: planned, idle)
    rows_beside(report, full, PAPER['GEANT'], 'same load, with idle nodes')

    within_points(report, 'GEANT as recorded', recorded, PAPER['GEANT'])
    within_points(report, 'GEANT simulated', mine, PAPER['GEANT'])
    carried = mean(found['gbit'][1])
    report.holds('GEANT simulated: CATE carries what ns-3 recorded, within 3 %',
                 abs(carried / green['gbit'] - 1) <= 0.03, f'{carried:.1f} Gbit/s')
    ports = round(found['links'][0] * 2 * powermodel.PORT)
    report.holds('GEANT simulated: as many links are shut at first as ns-3 had',
                 ports == round(green['ports'][0] * 3.6e6 / len(network.intensity)),
                 f'{ports} W of ports')
    report.found['GEANT'] = {'recorded': percent(recorded), 'simulated': percent(mine)}


def day_at_rest(report):
    """By the simulation itself, of a network that carries nothing."""
    network = cate.at_rest()
    nothing = Even(1, 0)
    rows, _ = simulate(network, lambda _: nothing, lambda _: nothing, network.idle_watts())
    report.holds('the simulation takes 59952 Wh for a day of 46 nodes and 68 links at rest',
                 rows[0][0] * 1000 == 59952.0, f'{rows[0][0] * 1000!r} Wh')


def table_5_other(report, network, paper):
    """A network that is made up."""
    count = len(network.region)
    pairs = count * (count - 1)

    def demand(interval):
        return Even(pairs, network.peak_gbit * network.load[interval])

    mine, found = simulate(network, demand, demand, network.idle_watts(), batch=16)
    report.say(f'Table 5, {network.name}: {count} nodes, {len(network.links)} links')
    if paper:
        rows_beside(report, mine, PAPER[paper], 'simulated')
    else:
        rows_beside(report, mine, mine, 'simulated, beside itself')
    shut = 100 * (1 - mean(found['links']) / len(network.links))
    report.say(f'  links shut: {shut:.1f} %' + (' (paper 32 %)' if paper else ''))
    report.say('  made up: ' + ', '.join(network.made_up))
    ordered = [row[0] for row in mine]
    report.holds(f'{network.name}: CATE takes less than OSPF, and with gears still less',
                 ordered[0] > ordered[1] > ordered[2],
                 ', '.join(f'{kwh:.2f} kWh' for kwh in ordered))
    carbon = [row[1] for row in mine]
    report.holds(f'{network.name}: carbon goes down with each of them',
                 carbon[0] > carbon[1] > carbon[2], ', '.join(f'{kg:.2f} kg' for kg in carbon))
    report.found[network.name] = {'simulated': percent(mine), 'shut': shut}
    return percent(mine), shut


def main():
    """Command line; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--check', action='store_true', help='results as KTAP')
    parser.add_argument('--quick', action='store_true', help='without the BT-like network')
    parser.add_argument('--json', metavar='FILE', help='what was found, for other programs')
    args = parser.parse_args()

    report = Report(args.check)
    folder = cate.data_folder(TOP)
    tables_2_and_3(report)
    figure_7(report)
    table_4(report)
    day_at_rest(report)
    if folder:
        table_5_geant(report, folder)
    else:
        table_5_other(report, cate.small(), None)
        report.skip('GEANT', 'the published data are not beside the tree (RAMP_CATE=FOLDER): '
                    'GEANTFiles and BTFiles')
    if not args.quick:
        table_5_other(report, cate.bt_like(folder), 'BT')
        report.say('  can be reproduced: the direction, and that gears save several times as much')
        report.say('  as in GEANT. Cannot: its kWh and kg, 32 %, and other than by chance its')
        report.say('  percentages, as neither its topology is public nor how many of its nodes')
        report.say('  are of which level')
    if args.json:
        with open(args.json, 'w', encoding='ascii') as file:
            json.dump(report.found, file, indent=1)
    return report.end()


if __name__ == '__main__':
    sys.exit(main())
