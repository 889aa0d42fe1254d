# SPDX-License-Identifier: GPL-2.0
"""What there is now, as tc tells it.

Ours are the actions with our cookie that a filter uses, and these filters.
"""

import json
import subprocess

from policyfile import PolicyError
from tcobjects import COOKIE, HOOKS, Action, Bucket, Filter, Place, State


CHUNK = 1 << 16


def objects(file):
    """Yields what is in a list of JSON, without ever having all of it."""
    decoder, text = json.JSONDecoder(), ''
    while chunk := file.read(CHUNK):
        text += chunk
        while True:
            text = text.lstrip('[], \n')
            try:
                found, end = decoder.raw_decode(text)
            except json.JSONDecodeError:
                # The rest of it comes.
                break
            yield found
            text = text[end:]
    if text:
        raise PolicyError(f'tc: {text[:80]!r} is no JSON')


class Tools:
    """Runs tc and ip in a namespace."""

    def __init__(self, tc='tc', netns=None):
        self.netns = ['-n', netns] if netns else []
        self.tc = tc

    @staticmethod
    def run(command, text=None):
        """Returns what a command prints, and what it says besides."""
        try:
            done = subprocess.run(command, check=True, text=True, input=text,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        except FileNotFoundError as error:
            raise PolicyError(f'{command[0]}: not found') from error
        except subprocess.CalledProcessError as error:
            raise PolicyError(f'{" ".join(command)}: {error.stderr.strip()}') \
                from error
        return done.stdout, done.stderr

    def show(self, *words):
        """What tc says in JSON."""
        text, _ = self.run([self.tc, *self.netns, '-j', *words])
        return json.loads(text) if text.strip() else []

    def each(self, *words):
        """The same one by one, as it comes: a table may have many thousand entries."""
        command = [self.tc, *self.netns, '-j', *words]
        try:
            with subprocess.Popen(command, text=True, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE) as child:
                yield from objects(child.stdout)
                said = child.stderr.read().strip()
        except FileNotFoundError as error:
            raise PolicyError(f'{command[0]}: not found') from error
        if child.returncode:
            raise PolicyError(f'{" ".join(command)}: {said}')

    def devices(self):
        """The names of all devices."""
        text, _ = self.run(['ip', *self.netns, '-j', 'link', 'show'])
        return {link['ifname'] for link in json.loads(text or '[]') if link}

    def apply(self, commands, *options):
        """Runs a batch; the first failure ends it, and tc names its line. Returns the kernel's
        warnings, each one once."""
        _, said = self.run([self.tc, *self.netns, *options, '-batch', '-'],
                           '\n'.join(commands) + '\n')
        return list(dict.fromkeys(line for line in said.splitlines() if line.strip()))


def read_actions(tools, state):
    """Actions, and the buckets that they draw from."""
    for part in tools.show('actions', 'list', 'action', 'mpolice'):
        for found in part.get('actions', ()):
            index, number = found['index'], found['bucket']
            if found.get('cookie') != COOKIE:
                state.foreign[index] = number
                continue
            state.actions[index] = Action(index, number, found['policy'],
                                          found['threshold'])
            pps = state.packets[number] = 'pps' in found
            state.buckets[number] = Bucket(
                number, found['pps'] if pps else found['rate'], pps,
                found['pkt_burst'] if pps else found['burst'],
                found['interval'],
                None if found['debt_unlimited'] else found['debt'])


def read_filters(tools, state, device):
    """The filters of one device, ours and those in their places."""
    for hook in HOOKS:
        for found in tools.each('filter', 'show', 'dev', device, hook):
            options = found.get('options', {})
            # Each preference has a line without a handle, too.
            if 'handle' not in options or found.get('chain'):
                continue
            indices = [action['index'] for action in options.get('actions', ())
                       if action['kind'] == 'mpolice']
            if len(indices) == 1 and indices[0] in state.actions:
                place = Place(device, hook, found['pref'], options['handle'])
                state.filters[place] = Filter(found['protocol'], '', indices[0])
            else:
                state.occupied[device, hook, found['pref']] = found['kind']


def drop_unused(state):
    """The kernel lets go of the action of a deleted filter a little later. Until then
    it looks like one to rely on."""
    used = {entry.index for entry in state.filters.values()}
    state.actions = {index: action for index, action in state.actions.items()
                     if index in used}
    buckets = {action.bucket for action in state.actions.values()}
    state.buckets = {number: bucket for number, bucket in state.buckets.items()
                     if number in buckets}


def read_live(tools):
    """The State of a namespace."""
    state = State(devices=tools.devices())
    read_actions(tools, state)
    for qdisc in tools.show('qdisc', 'show'):
        if qdisc['kind'] == 'clsact':
            state.clsact.add(qdisc['dev'])
    for device in sorted(state.clsact):
        read_filters(tools, state, device)
    drop_unused(state)
    return state
