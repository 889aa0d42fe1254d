# SPDX-License-Identifier: GPL-2.0
"""Talks to routers: FRR through vtysh, links through ip, gears through tc."""

import json
import os
import shlex
import subprocess

PATIENCE = 10
# What gives its words to a shell at the other end, with a space between them.
SHELLS = ('ssh', 'dbclient', 'rsh')
# What comes of answers in another form.
ODD = (KeyError, TypeError, AttributeError, ValueError, OverflowError)


class BoxError(Exception):
    """Which router, and what it did not do."""


def bits(rate):
    """A rate as tc -j prints it (bytes/s), in bit/s."""
    return float(rate) * 8


def words_for(run, command):
    """What to start so that the words of COMMAND arrive as they are."""
    if any(os.path.basename(word) in SHELLS for word in run):
        return run + [shlex.join(command)]
    return run + command


class Boxes:
    """All routers. With DRY only questions are asked, and commands are logged."""

    def __init__(self, network, dry, log):
        self.network, self.dry, self.log = network, dry, log

    def _run(self, router, command, changes=False):
        words = words_for(router.run, command)
        if changes:
            self.log('debug', ' '.join(router.run + command))
            if self.dry:
                return ''
        try:
            done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True,
                                  encoding='utf-8', errors='replace', timeout=PATIENCE,
                                  check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise BoxError(f'{router.name}: {command[0]}: {error}') from None
        if done.returncode:
            said = (done.stderr.strip() or done.stdout.strip() or
                    f'status {done.returncode}').splitlines()[-1]
            raise BoxError(f'{router.name}: {command[0]}: {said}')
        return done.stdout

    def _json(self, router, command):
        text = self._run(router, command)
        try:
            return json.loads(text or '[]')
        except (ValueError, RecursionError):
            raise BoxError(f'{router.name}: {command[0]} said no JSON: '
                           f'{text.strip()[:80]!r}') from None

    def links(self, router):
        """{device: (up, bytes sent)}."""
        found = {}
        try:
            for link in self._json(router, ['ip', '-j', '-s', 'link', 'show']):
                up = link.get('operstate') != 'DOWN' and 'UP' in link['flags'] and \
                    'NO-CARRIER' not in link['flags']
                found[link['ifname']] = (up, int(link['stats64']['tx']['bytes']))
        except ODD as error:
            raise BoxError(f'{router.name}: ip: {error!r}') from None
        return found

    def ospf(self, router):
        """{device: (cost, adjacencies)}."""
        text = self._json(router, router.vtysh + ['-c', 'show ip ospf interface json'])
        try:
            return {name: (int(one['cost']), int(one.get('nbrAdjacentCount', 0)))
                    for name, one in text['interfaces'].items()
                    if one.get('ospfEnabled') and 'cost' in one}
        except ODD:
            raise BoxError(f'{router.name}: ospfd does not answer') from None

    def set_costs(self, router, costs):
        """{device: cost}, in one go."""
        command = router.vtysh + ['-c', 'configure terminal']
        for device, cost in sorted(costs.items()):
            command += ['-c', f'interface {device}', '-c', f'ip ospf cost {cost}']
        said = self._run(router, command, changes=True)
        # vtysh says so, and ends with 0.
        if 'is not running' in said or 'Unknown command' in said:
            raise BoxError(f'{router.name}: {said.strip().splitlines()[-1]}')

    def set_link(self, router, device, up):
        """Takes it up or down."""
        self._run(router, ['ip', 'link', 'set', 'dev', device, 'up' if up else 'down'],
                  changes=True)

    def gears(self, router):
        """{device: "rates" in bit/s, the "top" of its range, and "joules"}, of root ramps with
        gears."""
        found = {}
        try:
            for one in self._json(router, ['tc', '-j', '-s', 'qdisc', 'show']):
                if one.get('kind') != 'ramp' or 'gear' not in one or not one.get('root'):
                    continue
                rates = [bits(rate) for rate in one['options']['gears']]
                within = one['options'].get('gear_range')
                found[one['dev']] = {
                    'rates': rates, 'joules': one.get('energy_mj', 0) / 1000,
                    'top': int(within['max']) if within else len(rates) - 1}
        except ODD as error:
            raise BoxError(f'{router.name}: tc: {error!r}') from None
        return found

    def set_range(self, router, device, top):
        """The highest gear of a port; None for all of them. The idle one is in no range."""
        self._run(router, ['tc', 'qdisc', 'change', 'dev', device, 'root', 'ramp', 'gear-range',
                           'none' if top is None else f'1:{top}'], changes=True)
