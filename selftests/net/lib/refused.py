#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
Modules go while the kernel still writes the answer to a request that they refused.

    refused.py SECONDS

Senders have what others leave of a CPU, so that they are often interrupted between
the refusal, when the module is free to go, and the answer with its text. Each text
must be one of those that are known. Prints KTAP.
"""

import collections
import ctypes
import os
import signal
import socket
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                '../../tc-testing'))
sys.dont_write_bytecode = True

# pylint: disable=wrong-import-position
import rawnl_mpolice_msg as mp  # noqa: E402
from rawnl_cases import LIMIT, PAUSE, START  # noqa: E402
from rawnl_ktap import Ktap  # noqa: E402
from rawnl_msg import TCA_OPTIONS, Tc, nest, u32, u64  # noqa: E402

MODULES = 'sch_ramp', 'act_mpolice'
SYS_DELETE_MODULE, SYS_FINIT_MODULE = 176, 313
SENDERS = 4
MODPROBE = '/proc/sys/kernel/modprobe'
LIBC = ctypes.CDLL(None, use_errno=True)


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


def send(ifindex, known, end):
    """Asks for it again and again, and says how often each answer came."""
    tc, actions = Tc(ifindex), mp.Actions()
    count, other = collections.Counter(), []
    while time.monotonic() < end:
        for number, request in enumerate(requests(tc, actions)):
            answer = request()
            if answer in known[number]:
                count[answer in known[number][:1]] += 1
            else:
                other.append(f'{number}: {answer!r}')
    return count[True], count[False], other


def fork(function):
    """Runs it in a process that belongs to CPU 0; returns what tells the result."""
    read, write = os.pipe()
    pid = os.fork()
    if pid:
        os.close(write)
        return pid, os.fdopen(read)
    os.close(read)
    os.sched_setaffinity(0, {0})
    os.write(write, repr(function()).encode())
    os._exit(0)


def idle(function):
    """The same, with what others leave of it."""
    os.nice(10)
    return function()


def burn():
    """Others."""
    while True:
        pass


def come_and_go(files, end):
    """Counts how often modules went."""
    gone = 0
    while time.monotonic() < end:
        for name, file in zip(MODULES, files):
            LIBC.syscall(SYS_FINIT_MODULE, file.fileno(), b'', 0)
            # For some requests; where they take long, few are enough.
            time.sleep(0.05)
            for _ in range(2000):
                if not LIBC.syscall(SYS_DELETE_MODULE, name.encode(),
                                    os.O_NONBLOCK):
                    gone += 1
                    break
    return gone


def main():
    """Prepares what is refused, and runs all at once."""
    ktap = Ktap()
    paths = subprocess.run(['modinfo', '-n', *MODULES], check=True,
                           stdout=subprocess.PIPE, text=True).stdout.split()
    ifindex = socket.if_nametoindex('d0')
    subprocess.run(['modprobe', '-a', *MODULES], check=True)
    there = [request() for request in requests(Tc(ifindex), mp.Actions())]
    for answer in there:
        print(f'# {answer}')
    subprocess.run(['rmmod', *MODULES], check=True)
    with open(MODPROBE, encoding='ascii') as file:
        modprobe = file.read()
    with open(MODPROBE, 'w', encoding='ascii') as file:
        # Nobody else loads them.
        file.write('\n')
    files, pids = [], []
    try:
        absent = [request() for request in requests(Tc(ifindex), mp.Actions())]
        known = list(zip(there, absent))
        end = time.monotonic() + float(sys.argv[1])
        senders = [fork(lambda: idle(lambda: send(ifindex, known, end)))
                   for _ in range(SENDERS)]
        pids.append(fork(burn)[0])
        for path in paths:
            files.append(open(path, 'rb'))  # pylint: disable=consider-using-with
        gone = come_and_go(files, end)
        found = [eval(pipe.read())  # pylint: disable=eval-used
                 for _, pipe in senders]
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        with open(MODPROBE, 'w', encoding='ascii') as file:
            file.write(modprobe)
    refused = sum(one[0] for one in found)
    print(f'# {refused} refused, {sum(one[1] for one in found)} without a module, '
          f'which went {gone} times')
    other = [text for one in found for text in one[2]]
    for text in other[:5]:
        print(f'# {text}')
    ktap.result('each answer says what it should',
                f'{len(other)} do not' if other else '')
    ktap.result('requests were refused while modules went',
                '' if refused >= 30 and gone > 5 else 'hardly ever')
    return ktap.ended()


if __name__ == '__main__':
    sys.exit(main())
