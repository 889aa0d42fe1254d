#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Where a packet's time goes, with mpolice and with an action that does nothing.

    mpolice_profile.py [ROUNDS]

Two CPUs of a machine of native speed send through one bucket. That machine is a
process, so this one's perf samples it, and the names of functions are its own. Prints
the ns of a CPU that a packet takes in each function, those first that differ most.
What else this machine does is not in it, but for what that costs in the caches.
"""

import bisect
import collections
import os
import re
import subprocess
import sys
import tempfile
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SHOWN = 12
HERTZ = 997
ROUNDS = 5
PACKETS = 4000000  # of each CPU in a round
# Beyond the largest function: no symbol of the machine's.
FAR = 1 << 16


def child_of(pid, name):
    """The process of that name that is a child of this one, or None."""
    found = subprocess.run(['pgrep', '-P', str(pid), '-x', name],
                           capture_output=True, text=True, check=False)
    return found.stdout.split()[0] if found.stdout else None


def sample(rounds, log, data):
    """Runs the load, and samples the machine that it runs in."""
    with open(log, 'w', encoding='utf-8') as file, subprocess.Popen(
            [f'{TOP}/selftests/vm/run', '-k', 'uml', '--',
             'selftests/bench/mpolice_load.sh', str(rounds), str(PACKETS)],
            stdout=file, cwd=TOP) as run:
        machine = None
        while not machine and run.poll() is None:
            time.sleep(0.2)
            machine = child_of(run.pid, 'linux')
        if machine:
            subprocess.run(['perf', 'record', '-q', '-F', str(HERTZ), '-e',
                            'cpu-clock', '-k', 'CLOCK_REALTIME', '-p',
                            machine, '-o', data], check=True)
    if run.returncode:
        with open(log, encoding='utf-8') as file:
            sys.exit(file.read() + f'the machine said {run.returncode}')


def phases(log):
    """What was sent through when: (name, begin, end)."""
    name, begin = '-', 0.0
    with open(log, encoding='utf-8') as file:
        for line in file:
            words = re.match(r'phase (\S+) ([\d.]+)', line)
            if words:
                if name != '-':
                    yield name, begin, float(words[2])
                name, begin = words[1], float(words[2])


def symbols():
    """Addresses and names of the machine's functions, in order."""
    table = []
    with open(f'{TOP}/selftests/vm/out/kallsyms', encoding='utf-8') as file:
        for line in file:
            words = line.split()
            if words[1] in 'tTwW':
                table.append((int(words[0], 16), ' '.join(words[2:])))
    table.sort()
    return [entry[0] for entry in table], [entry[1] for entry in table]


def count(data, when):
    """Samples by phase and function."""
    begins, names = symbols()
    samples = collections.defaultdict(collections.Counter)
    text = subprocess.run(['perf', 'script', '-i', data, '-F', 'time,ip'],
                          capture_output=True, text=True, check=True).stdout
    for line in text.splitlines():
        words = line.split()
        if len(words) != 2:
            continue
        at, address = float(words[0].rstrip(':')), int(words[1], 16)
        where = bisect.bisect_right(begins, address) - 1
        known = where >= 0 and address - begins[where] < FAR
        for name, begin, end in when:
            if begin <= at <= end:
                samples[name][names[where] if known else 'other'] += 1
    return samples


def main():
    """Command line."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS
    with tempfile.TemporaryDirectory() as folder:
        log, data = f'{folder}/log', f'{folder}/data'
        sample(rounds, log, data)
        samples = count(data, list(phases(log)))
    each = 1e9 / HERTZ / (2 * rounds * PACKETS)
    ok, mpolice = ({function: n * each for function, n in samples[name].items()}
                   for name in ('ok', 'mpolice'))
    print(f"{'ns per packet':<34}{'ok':>8}{'mpolice':>9}")
    functions = sorted(set(ok) | set(mpolice), reverse=True, key=lambda f: abs(
        mpolice.get(f, 0) - ok.get(f, 0)))
    for function in functions[:SHOWN]:
        print(f'{function:<34}{ok.get(function, 0):8.1f}'
              f'{mpolice.get(function, 0):9.1f}')
    print(f"{'all':<34}{sum(ok.values()):8.1f}{sum(mpolice.values()):9.1f}")
    print(f"{'samples':<34}{samples['ok'].total():8d}"
          f"{samples['mpolice'].total():9d}")
    return 0


if __name__ == '__main__':
    sys.exit(main())
