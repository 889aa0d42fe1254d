#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""A controller that shifts the gears of a ramp again and again, for tc -batch.

    gear_shift.py random DEV        ranges and freezes at random, 1 to 20 ms apart
    gear_shift.py steady DEV HZ     ranges at random, HZ times a second

Prints commands until it gets SIGTERM; then how many and in how many ns, as JSON, to
stderr. The ramp has gears 0 to 4.
"""

import json
import random
import signal
import sys
import time

TOP = 4
FREEZES = ('0', '20us', '200us', '500us')


class Stop(Exception):
    """It was told to."""


def stop(*_):
    """Ends a sleep, too."""
    raise Stop


def shift(device, freeze):
    """Prints one command."""
    low = random.randint(1, TOP)
    line = f'qdisc change dev {device} root ramp gear-range ' \
           f'{low}:{random.randint(low, TOP)}'
    if freeze:
        line += f' freeze {random.choice(FREEZES)}'
    print(line, flush=True)


def main():
    """Command line."""
    mode, device = sys.argv[1:3]
    signal.signal(signal.SIGTERM, stop)
    random.seed(1)
    shifts = 0
    began = due = time.monotonic_ns()
    try:
        while True:
            shift(device, mode == 'random')
            shifts += 1
            if mode == 'random':
                time.sleep(random.uniform(0.001, 0.02))
                continue
            # Absolute, or what a command takes would be added to each.
            due += 10**9 // int(sys.argv[3])
            time.sleep(max(0, due - time.monotonic_ns()) / 10**9)
    except Stop:
        pass
    print(json.dumps({'shifts': shifts, 'ns': time.monotonic_ns() - began}),
          file=sys.stderr)
    return 0


if __name__ == '__main__':
    sys.exit(main())
