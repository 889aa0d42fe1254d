#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
Modules go while the kernel still writes the answer to a request that they refused.

    refused.py SECONDS

Senders have what others leave of a CPU, so that they are often interrupted between
the refusal, when the module is free to go, and the answer with its text. Each text
must be one of those that are known. Prints KTAP.
"""

import multiprocessing
import os
import socket
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                '../../tc-testing'))
sys.dont_write_bytecode = True

# pylint: disable=wrong-import-position
import rawnl_mpolice_msg as mp  # noqa: E402
from modules import Modules  # noqa: E402
from rawnl_cases import LIMIT, PAUSE, START  # noqa: E402
from rawnl_ktap import Ktap  # noqa: E402
from netlink import TCA_OPTIONS, Tc, nest, u32, u64  # noqa: E402

SENDERS = 4
# A slow machine needs some until enough has come together.
ROUNDS = 6
MODPROBE = '/proc/sys/kernel/modprobe'


def requests(tc, actions):
    """What is refused: by our words, by the core's about our policy, by both."""
    return (
        lambda: tc.add(nest(TCA_OPTIONS, nest(START))),
        lambda: tc.add(nest(TCA_OPTIONS, u32(LIMIT, 2**20 + 1))),
        lambda: tc.add(nest(TCA_OPTIONS, u64(PAUSE, 2**60))),
        lambda: actions.add(nest(mp.TCA_ACT_OPTIONS, u32(mp.BUCKET, 0))),
        lambda: actions.add(nest(mp.TCA_ACT_OPTIONS, u32(mp.BUCKET, 1),
                                 u32(mp.POLICY, 99))),
    )


def answers(ifindex):
    """What becomes of each of them now."""
    return [request() for request in requests(Tc(ifindex), mp.Actions())]


def send(ifindex, known, end):
    """Asks again and again; returns how many were refused, how many for want of a
    module, and answers that are neither.
    """
    tc, actions = Tc(ifindex), mp.Actions()
    refused, absent, other = 0, 0, []
    while time.monotonic() < end:
        for request, (ours, without) in zip(requests(tc, actions), known):
            answer = request()
            refused += answer == ours
            absent += answer == without
            if answer not in (ours, without):
                other.append(repr(answer))
    return refused, absent, other


def calm():
    """With what others leave of CPU 0."""
    os.sched_setaffinity(0, {0})
    os.nice(10)


def burn():
    """Others."""
    os.sched_setaffinity(0, {0})
    while True:
        pass


def come_and_go(modules, end):
    """Counts how often they went."""
    gone = 0
    while time.monotonic() < end:
        for name in modules.names:
            modules.load(name)
            # For some requests; where they take long, few are enough.
            time.sleep(0.05)
            gone += any(modules.unload(name) for _ in range(2000))
    return gone


def many(gone, found):
    """Has enough come together?"""
    return gone > 5 and sum(one[0] for one in found) >= 30


def at_once(ifindex, known, modules, seconds):
    """Those who ask, who take the CPU, and who take modules away."""
    end = time.monotonic() + seconds
    other = multiprocessing.Process(target=burn, daemon=True)
    with multiprocessing.Pool(SENDERS, calm) as pool:
        asked = [pool.apply_async(send, (ifindex, known, end))
                 for _ in range(SENDERS)]
        other.start()
        gone = come_and_go(modules, end)
        other.kill()
        found = [one.get(60) for one in asked]
    return gone, found


def main():
    """Prepares what is refused, and runs all."""
    ktap, modules = Ktap(), Modules('sch_ramp', 'act_mpolice')
    ifindex = socket.if_nametoindex('d0')
    subprocess.run(['modprobe', '-a', *modules.names], check=True)
    ours = answers(ifindex)
    for answer in ours:
        print(f'# {answer}')
    subprocess.run(['rmmod', *modules.names], check=True)
    with open(MODPROBE, encoding='ascii') as file:
        modprobe = file.read()
    try:
        with open(MODPROBE, 'w', encoding='ascii') as file:
            # Nobody else loads them.
            file.write('\n')
        known = list(zip(ours, answers(ifindex)))
        gone, found = 0, []
        for _ in range(ROUNDS):
            more = at_once(ifindex, known, modules, float(sys.argv[1]))
            gone, found = gone + more[0], found + more[1]
            if many(gone, found):
                break
    finally:
        with open(MODPROBE, 'w', encoding='ascii') as file:
            file.write(modprobe)
    refused = sum(one[0] for one in found)
    print(f'# {refused} refused, {sum(one[1] for one in found)} without a module, '
          f'which went {gone} times')
    other = [text for one in found for text in one[2]]
    for text in other[:5]:
        print(f'# {text}')
    ktap.result('refused requests: each answer says what it should',
                f'{len(other)} do not' if other else '')
    ktap.result('refused requests: many, while modules went',
                '' if many(gone, found) else 'hardly ever')
    return ktap.ended()


if __name__ == '__main__':
    sys.exit(main())
