#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""A router that is none, for what cannot be had from a real one on demand.

    fakebox.py FILE ROUTER ip|tc|vtysh ARGUMENT...

FILE has, as JSON, per router its devices: {"up", "cost", "adjacent", "bytes", "gears"}, and
"load" in bit/s, and "top" of a range of gears; "gone" if its FRR does not answer, "refuses"
with commands that change nothing, "late" for seconds by which each second answer is late,
"slow" for seconds that `ip link set` takes before it does anything, "odd" if it says no UTF-8.
Commands that change something are added to FILE.log, and before that, if slow, to FILE.begun.
"""

import contextlib
import fcntl
import json
import os
import sys
import time


def store(path, boxes):
    """Whoever reads meanwhile has all of the old or all of the new."""
    with open(path + '.new', 'w', encoding='ascii') as file:
        json.dump(boxes, file)
    os.replace(path + '.new', path)


@contextlib.contextmanager
def changing(path):
    """What there is, to be changed.

    Both ends of a link are told at once: neither may undo what the other one does.
    """
    with open(path + '.lock', 'a', encoding='ascii') as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with open(path, encoding='ascii') as file:
            boxes = json.load(file)
        yield boxes
        store(path, boxes)


def sent(device):
    """Bytes, of a constant load."""
    return device['bytes'] + int(time.time() * device.get('load', 0) / 8)


def main():
    """Answers one command."""
    path, name, command, *words = sys.argv[1:]
    with open(path, encoding='ascii') as file:
        boxes = json.load(file)
    box = boxes[name]
    devices = box['devices']
    changes = True
    if box.get('odd'):
        sys.stdout.buffer.write(b'\xff\xfe')
        return 0
    if command in box.get('refuses', ()) and 'show' not in words:
        print('Operation not permitted', file=sys.stderr)
        return 2
    late = path + '.late'
    if box.get('late') and command == 'ip' and 'show' in words:
        # Each second answer.
        if os.path.exists(late):
            os.remove(late)
            time.sleep(box['late'])
        else:
            open(late, 'w', encoding='ascii').close()
    if command == 'ip' and 'show' in words:
        changes = False
        print(json.dumps([{
            'ifname': device, 'flags': ['UP'] if one['up'] else [],
            'operstate': 'UP' if one['up'] else 'DOWN',
            'stats64': {'tx': {'bytes': sent(one)}}} for device, one in devices.items()]))
    elif command == 'tc' and 'show' in words:
        changes = False
        print(json.dumps([{
            'dev': device, 'root': True, 'kind': 'ramp', 'gear': 1, 'energy_mj': 0,
            'options': {'gears': one['gears'], 'gear_range':
                        {'min': 1, 'max': one['top']} if one.get('top') else None}}
            for device, one in devices.items() if one.get('gears')]))
    elif command == 'vtysh':
        if box.get('gone'):
            # As vtysh says it without a daemon, and ends with 1.
            print('Exiting: failed to connect to any daemons.', file=sys.stderr)
            return 1
        # What a shell took apart is "show", and words that are no options.
        if words[::2] != ['-c'] * (len(words) // 2) or 'show' in words:
            print('% Command incomplete.')
            return 1
        if any(word.startswith('show') for word in words):
            changes = False
            # As ospfd says it: what is down has no cost.
            print(json.dumps({'interfaces': {device: {
                'ospfEnabled': True, 'cost': one['cost'], 'nbrAdjacentCount': one['adjacent']}
                if one['up'] else {'ospfEnabled': False} for device, one in devices.items()}}))
        else:
            device = None
            with changing(path) as boxes:
                for word in words:
                    if word.startswith('interface '):
                        device = boxes[name]['devices'][word.split()[1]]
                    elif word.startswith('ip ospf cost '):
                        device['cost'] = int(word.split()[3])
    elif command == 'tc' and words[6:7] == ['gear-range']:
        low, _, high = words[7].partition(':')
        last = len(devices[words[3]]['gears']) - 1
        # As the kernel has it: the idle gear is in no range.
        if words[7] != 'none' and not 1 <= int(low) <= int(high) <= last:
            print('Error: gear-range: none, or MIN:MAX, 1..last gear.', file=sys.stderr)
            return 2
        with changing(path) as boxes:
            boxes[name]['devices'][words[3]]['top'] = int(high or 0)
    elif command == 'ip' and words[:2] == ['link', 'set']:
        if box.get('slow'):
            with open(path + '.begun', 'a', encoding='ascii') as file:
                print(name, command, *words, file=file)
            time.sleep(box['slow'])
        with changing(path) as boxes:
            boxes[name]['devices'][words[3]]['up'] = words[4] == 'up'
    if changes:
        with open(path + '.log', 'a', encoding='ascii') as file:
            print(name, command, *words, file=file)
    return 0


if __name__ == '__main__':
    sys.exit(main())
