#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""What a ramp may let pass, from the description and from nothing else.

Shares no code with include/net/ramp/, so that a mistake there is not made
twice. Amounts are packets or bytes per tick.

    model.py up START STEP COUNT [PAUSE [HOLD]]       allowances, packets
    model.py down LEVEL DOWN_STEP FLOOR COUNT         allowances, packets
    model.py sizes SIZE ALLOWANCE...                  packets of SIZE bytes that
                                                      leave, allowances in bytes
    model.py need bytes|packets RATE TICK_NS START STEP MTU [PAUSE [HOLD]]
                                                      packets a ramp holds back,
                                                      bytes/s; amounts per tick
"""

import sys


def up(start, step, count, pause=0, hold=0):
    """Pause allows nothing, hold allows start, then start + k * step."""
    flat = [0] * pause + [start] * hold
    return (flat + [start + k * step for k in range(count)])[:count]


def down(level, step, floor, count):
    """The present level less k steps, not below the floor."""
    return [max(level - k * step, floor) for k in range(1, count + 1)]


def sizes(size, allowances):
    """Packets per tick while enough of them wait. What is not used is lost; a
    packet larger than a tick's allowance goes whole when nothing is owed, and
    the next ticks pay."""
    owed = 0
    for allowance in allowances:
        paid = min(owed, allowance)
        owed -= paid
        left = allowance - paid
        sent = 0
        while size <= left or (size > allowance and left > 0):
            sent += 1
            owed += max(size - left, 0)
            left = max(left - size, 0)
        yield sent


def need(packets, rate, tick, start, step, mtu, pause=0, hold=0):
    """Tick by tick: what arrives at the full rate less what may leave. Up to a
    packet of an allowance in bytes remains unused."""
    if packets:
        start, step = start * mtu, step * mtu
    full = rate * tick // 10**9
    held = full * pause + (full - start) * hold
    rest = hold if start > mtu else 0
    allowance = start
    while allowance < full:
        held += full - allowance
        allowance += step
        rest += 1
    return -(-held // mtu) + (0 if packets else rest)


def slew(packets, start, step, frames):
    """The tick in which each frame leaves, of (tick in which it comes, bytes)
    in their order. A tick allows what left in the one before and a step, at
    least start. What it pays for a frame that was larger than all it allowed
    counts as having left, and so does what it cannot use because the next frame
    is larger. In a tick that nobody has a frame for nothing leaves."""
    allowance, owed, tick, at = max(start, step), 0, frames[0][0], 0
    while at < len(frames):
        paid = min(owed, allowance)
        left = allowance - paid
        owed -= paid
        used, wanted, full = 0, frames[at][0] <= tick, False
        while at < len(frames) and frames[at][0] <= tick:
            cost = 1 if packets else frames[at][1]
            full = cost > left and (cost <= allowance or not left)
            if full:
                break
            yield tick
            at += 1
            used += cost
            owed += max(cost - left, 0)
            left = max(left - cost, 0)
        gone = allowance if full else min(allowance, paid + used)
        # Nobody looks at a tick without frames, which pays only start.
        if not wanted:
            gone, owed = 0, owed + paid - min(owed + paid, start)
        allowance = max(start, gone + step)
        tick += 1


def main():
    if len(sys.argv) < 4:
        print(__doc__, file=sys.stderr)
        return 2
    numbers = [int(arg) for arg in sys.argv[2:] if arg.isdecimal()]
    if sys.argv[1] == 'up':
        print(*up(*numbers))
    elif sys.argv[1] == 'down':
        print(*down(*numbers))
    elif sys.argv[1] == 'sizes':
        print(*sizes(numbers[0], numbers[1:]))
    elif sys.argv[1] == 'need':
        print(need(sys.argv[2] == 'packets', *numbers))
    else:
        return 2
    return 0


if __name__ == '__main__':
    sys.exit(main())
