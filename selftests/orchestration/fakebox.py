#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""A router that is none, for what cannot be had from a real one on demand.

    fakebox.py FILE ROUTER ip|tc|vtysh ARGUMENT...

FILE has, as JSON, per router its devices: {"up", "cost", "adjacent", "bytes", "gears"}, and
"gone" if its FRR does not answer. Commands that change something are added to FILE.log.
"""

import json
import sys


def main():
    """Answers one command."""
    path, name, command, *words = sys.argv[1:]
    with open(path, encoding='ascii') as file:
        boxes = json.load(file)
    box = boxes[name]
    devices = box['devices']
    changes = True
    if command == 'ip' and 'show' in words:
        changes = False
        print(json.dumps([{
            'ifname': device, 'flags': ['UP'] if one['up'] else [],
            'operstate': 'UP' if one['up'] else 'DOWN',
            'stats64': {'tx': {'bytes': one['bytes']}}} for device, one in devices.items()]))
    elif command == 'tc' and 'show' in words:
        changes = False
        print(json.dumps([{
            'dev': device, 'root': True, 'kind': 'ramp', 'gear': 1, 'energy_mj': 0,
            'options': {'gears': one['gears']}}
            for device, one in devices.items() if one.get('gears')]))
    elif command == 'vtysh':
        if box.get('gone'):
            # As vtysh says it without a daemon, and ends with 1.
            print('Exiting: failed to connect to any daemons.', file=sys.stderr)
            return 1
        if any(word.startswith('show') for word in words):
            changes = False
            print(json.dumps({'interfaces': {device: {
                'ospfEnabled': True, 'cost': one['cost'], 'nbrAdjacentCount': one['adjacent']}
                for device, one in devices.items()}}))
    elif command == 'ip' and words[:2] == ['link', 'set']:
        devices[words[3]]['up'] = words[4] == 'up'
        with open(path, 'w', encoding='ascii') as file:
            json.dump(boxes, file)
    if changes:
        with open(path + '.log', 'a', encoding='ascii') as file:
            print(name, command, *words, file=file)
    return 0


if __name__ == '__main__':
    sys.exit(main())
