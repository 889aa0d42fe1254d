#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""What an unprivileged user does with many ramps, and what others feel of it.

    func_userns.py fill DEVICES SECONDS
    func_userns.py feel SECONDS

fill offers frames to dummy1 .. dummyDEVICES until each refuses one, says so, and
keeps them full for SECONDS; then prints how many frames it sent, how many were
refused, and how long the first round took, in ms. feel sleeps 5 ms again and again,
and runs a command now and then; prints by how much it slept too long and how long
the command took at most, in ms, and how much memory was available at least, in MB.
"""

import json
import resource
import socket
import subprocess
import sys
import time

FRAME = b'\xff' * 6 + b'\x02' * 6 + b'\x88\xb6' + b'\0' * 1486
ROUND = 50
STEP = 0.005


def fill(devices, seconds):
    """A socket for each device, or its buffer would be what bounds."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    socks = []
    for number in range(1, devices + 1):
        sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
        sock.bind((f'dummy{number}', 0))
        sock.setblocking(False)
        socks.append(sock)

    result = {'sent': 0, 'refused': 0}
    start = time.monotonic()
    end = None
    while end is None or time.monotonic() < end:
        for sock in socks:
            for _ in range(ROUND):
                try:
                    sock.send(FRAME)
                    result['sent'] += 1
                except OSError:
                    result['refused'] += 1
                    break
        if end is None:
            print('filled', flush=True)
            end = time.monotonic() + seconds
            result['took'] = round((end - start - seconds) * 1000)
        time.sleep(0.01)
    print(json.dumps(result), flush=True)


def available():
    """MB."""
    with open('/proc/meminfo', encoding='ascii') as file:
        for line in file:
            if line.startswith('MemAvailable:'):
                return int(line.split()[1]) >> 10
    return 0


def feel(seconds):
    """Prints the worst."""
    late = slow = 0
    least = available()
    start = time.monotonic()
    now = start
    while now < start + seconds:
        time.sleep(STEP)
        woke = time.monotonic()
        late = max(late, woke - now - STEP)
        now = woke
        if int(now / STEP) % 20 == 0:
            subprocess.run(['true'], check=True)
            ended = time.monotonic()
            slow = max(slow, ended - now)
            least = min(least, available())
            now = ended
    print(json.dumps({'late': round(late * 1000), 'slow': round(slow * 1000),
                      'available': least}))


if __name__ == '__main__':
    if sys.argv[1] == 'fill':
        fill(int(sys.argv[2]), float(sys.argv[3]))
    else:
        feel(float(sys.argv[2]))
