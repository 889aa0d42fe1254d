#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""What tc shows in a short line makes the same qdisc, or action, when it is given back.

Runs as root in a network namespace of its own. The configurations are those of the
cases of tdc, and some that are put together of their words at random. Each has a
device, all are made at once, shown, taken away, and made again of what was shown.
"""

import json
import random
import re
import subprocess

import tdc_cases
from rawnl_ktap import Ktap

RANDOM = 300
SEED = 25
# Devices that configurations name
NAMED = [f'{name}{i}' for name in ('fb', 'gp') for i in range(1, 66)] + ['gp']
# As long as what fq_codel shows of itself
FQ_CODEL = 107


def run(*words, said='', may_fail=False):
    """What a command prints."""
    done = subprocess.run(words, input=said, capture_output=True, text=True, check=False)
    if done.returncode and not may_fail:
        raise RuntimeError(f"{' '.join(words)}: {done.stderr}")
    return done.stdout


def batch(lines):
    """All of them in one tc; those that are refused are not there afterwards."""
    run('tc', '-force', '-batch', '-', said='\n'.join(lines) + '\n', may_fail=True)


def asked(command):
    """What tdc adds by a command, for one and each of its cases that are accepted."""
    found = []
    for _, cases in tdc_cases.files():
        for case in cases:
            start, *rest = re.split(command, case['cmdUnderTest'], maxsplit=1)
            if not start and rest and case['expExitCode'] == '0':
                found.append(rest[0].strip())
    return sorted(set(found))


def parts(config, keywords):
    """The parameters of a configuration: each keyword with what follows it."""
    found = []
    for word in config.split():
        if word.removeprefix('no-') in keywords or not found:
            found.append([])
        found[-1].append(word)
    return [' '.join(words) for words in found]


def mixed(configs):
    """Others, of the same parameters."""
    keywords = set(json.loads(run('tc', '-j', 'qdisc', 'show', 'dev', 'all0'))[0]['options'])
    keywords = {word.replace('_', '-') for word in keywords}
    every = {}
    for config in configs:
        for part in parts(config, keywords):
            every.setdefault(part.split()[0], set()).add(part)
    chance = random.Random(SEED)
    for _ in range(RANDOM):
        names = chance.sample(sorted(every), chance.randint(2, 7))
        yield ' '.join(chance.choice(sorted(every[name])) for name in names)


def shown(*words):
    """The same by device, as JSON has it. An automatic freeze follows the present gear."""
    shown_by = {qdisc['dev']: qdisc['options']
                for qdisc in json.loads(run('tc', *words, '-j', 'qdisc', 'show'))
                if qdisc['kind'] == 'ramp'}
    for options in shown_by.values():
        if options.get('freeze_auto'):
            options.pop('freeze', None)
    return shown_by


def lines(*words):
    """The parameters by device, as the text has them."""
    return dict(re.findall(r'^qdisc ramp \S+ dev (\S+) root refcnt \d+ ?(.*)$',
                           run('tc', *words, 'qdisc', 'show'), re.M))


def differs(was, now):
    """The first of those that are not what they were, with what it was made of."""
    for key, value in was.items():
        if now.get(key) != value:
            return f'{key}: {value} became {now.get(key)}'
    return ''


def again(given):
    """Each device gets what was shown of it; returns what all are then."""
    batch(f'qdisc del dev {dev} root' for dev in given)
    if shown():
        raise RuntimeError('a ramp is still there')
    batch(f'qdisc replace dev {dev} root handle 1: ramp {text}'
          for dev, text in given.items())
    return shown()


def test_qdiscs(test):
    """Ramps."""
    configs = asked(r'\$TC qdisc add dev \$DUMMY handle 1: root ramp')
    run('ip', 'link', 'add', 'all0', 'type', 'dummy')
    run('tc', 'qdisc', 'add', 'dev', 'all0', 'root', 'ramp', 'gears', '1gbit,2gbit')
    configs += list(mixed(configs))
    run('ip', 'link', 'del', 'all0')
    # A rail has one configuration.
    configs = [re.sub(r'\brail \d+', f'rail {i + 1}', config)
               for i, config in enumerate(configs)]
    run('ip', '-batch', '-', said=''.join(
        f'link add {name} type dummy\n'
        for name in NAMED + [f'd{i}' for i in range(len(configs))]))
    batch(f'qdisc add dev d{i} root handle 1: ramp {config}'
          for i, config in enumerate(configs))

    was = shown()
    test.result('most configurations of tdc, and of those at random, are accepted',
                '' if len(was) > len(configs) / 2 and len(was) > 300
                else f'{len(was)} of {len(configs)}')
    test.result('JSON is the same with and without details',
                differs(was, shown('-d')))
    brief, whole = lines(), lines('-d')
    test.result('the short line has no remarks in it', next(
        (text for text in brief.values() if '(' in text), ''))
    test.result('of the plain line nothing is shown',
                f'"{brief["d0"]}"' if configs[0] or brief['d0'] else '')
    test.result('the short line is never longer than the one with details', next(
        (text for dev, text in brief.items() if len(text) > len(whole[dev])), ''))
    test.result('most short lines are shorter than one of fq_codel',
                '' if sorted(map(len, brief.values()))[len(brief) * 9 // 10] < FQ_CODEL
                else 'they are not')
    test.result('what the short line says makes the same ramp', differs(was, again(brief)))
    # An amount that was not named may be less than a byte per tick.
    now = again({dev: re.sub(r'\([^)]*\)', '', text) for dev, text in whole.items()})
    test.result('what the line with details says makes the same ramp, if it is accepted',
                differs({dev: was[dev] for dev in now}, now) or
                ('' if len(now) > len(was) - 10 else f'{len(now)} of {len(was)}'))


def policers():
    """Actions by their number, as JSON has them."""
    listed = json.loads(run('tc', '-j', 'actions', 'ls', 'action', 'mpolice'))
    return {action['index']: action for group in listed
            for action in group.get('actions', [])}


def remake(*words):
    """All actions of what was shown of them; returns what they are then."""
    text = run('tc', *words, 'actions', 'ls', 'action', 'mpolice')
    text = re.sub(r'\s+(index \d+) ref \d+ bind \d+', r' \1', text)
    found = re.findall(r'(mpolice bucket .*? index \d+)', text)
    run('tc', 'actions', 'flush', 'action', 'mpolice')
    batch(f'actions add action {one}' for one in found)
    return policers(), found


def test_actions(test):
    """Actions mpolice, each with a bucket of its own."""
    configs = [re.sub(r' index \d+', '', re.sub(r'^bucket \d+', f'bucket {i + 1}', config)) +
               f' index {i + 1}'
               for i, config in enumerate(asked(r'\$TC actions add action mpolice'))
               # tc's own part of an action is not ours to show.
               if 'cookie' not in config]
    batch(f'actions add action mpolice {config}' for config in configs)
    was = policers()
    test.result('many actions of tdc are accepted',
                '' if len(was) > 20 else f'{len(was)} of {len(configs)}')
    now, brief = remake()
    test.result('what the short line says makes the same action', differs(was, now))
    test.result('the short line of the plainest action names its bucket, rate and policy',
                '' if any(re.fullmatch(r'mpolice bucket \d+ rate \S+ policy drop +index \d+', one)
                          for one in brief) else str(brief[:3]))
    test.result('what the line with details says makes the same action',
                differs(was, remake('-d')[0]))


def main():
    """Qdiscs, then actions."""
    test = Ktap(12)
    test_qdiscs(test)
    test_actions(test)
    return test.ended()


if __name__ == '__main__':
    raise SystemExit(main())
