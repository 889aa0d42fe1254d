#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""What a receiver saw: reads the frames of ramp-send from a pcap.

    capture.py count FILE
    capture.py check FILE [SENT]
    capture.py bins FILE --origin NS --tick NS [--ticks N] [--bytes] [--seq N]
    capture.py frame FILE SEQ
    capture.py frames FILE              time, seq, length, stream, time sent
    capture.py grid FILE --origin NS --tick NS
                                        tick sent, tick arrived, length
    capture.py surges FILE [--act ACT,...]
    capture.py ticks FILE
    capture.py gears FILE

FILE was written by
    tcpdump -i IF -s 64 --time-stamp-precision=nano -w FILE ether proto 0x88b6
for surges, ticks and gears it is the text of /sys/kernel/tracing/trace with the clock tai.
Times are ns of CLOCK_REALTIME.
"""

import argparse
import re
import struct
import sys
from collections import namedtuple

MAGIC = 0x52414d50
ETHERTYPE = 0x88b6
HEADER = 24
RECORD = 16

Frame = namedtuple('Frame', 'time seq length stream sent')
Verdict = namedtuple('Verdict', 'received lost doubled reordered')
Surge = namedtuple('Surge', 'time dir source act took queued')
Tick = namedtuple('Tick', 'time dir index allowance paid used over')
Move = namedtuple('Move', 'time from_gear to_gear reason occupancy')


def records(path):
    """Yields time, length and the first bytes of all that was captured."""
    with open(path, 'rb') as file:
        data = file.read()
    if len(data) < HEADER:
        return
    for order in '<>':
        magic = struct.unpack_from(order + 'I', data)[0]
        if magic in (0xa1b23c4d, 0xa1b2c3d4):
            break
    else:
        raise ValueError(f'{path} is not a pcap')
    scale = 1 if magic == 0xa1b23c4d else 1000
    record = struct.Struct(order + 'IIII')
    at = HEADER
    while at + RECORD <= len(data):
        sec, frac, kept, length = record.unpack_from(data, at)
        at += RECORD
        # The last record may still be being written.
        if at + kept > len(data):
            return
        yield sec * 10**9 + frac * scale, length, data[at:at + kept]
        at += kept


def frames(path, stream=None):
    """Yields the frames in the order in which they arrived."""
    mark = struct.Struct('!12xHIIQQ')
    for time, length, data in records(path):
        if len(data) < mark.size:
            continue
        proto, magic, number, seq, sent = mark.unpack_from(data)
        if (proto == ETHERTYPE and magic == MAGIC and
                stream in (None, number)):
            yield Frame(time, seq, length, number, sent)


def check(got, sent=None):
    """Compares with the sequence 0 .. sent - 1 (default: the last seen)."""
    seen = set()
    doubled = reordered = 0
    last = -1
    for frame in got:
        if frame.seq in seen:
            doubled += 1
        elif frame.seq < last:
            reordered += 1
        seen.add(frame.seq)
        last = max(last, frame.seq)
    total = last + 1 if sent is None else sent
    return Verdict(len(seen), total - len(seen), doubled, reordered)


def bins(got, origin, tick, ticks=None, first=0, size=False):
    """What arrived in each tick from origin on; frames before @first count
    as if they had come before it."""
    count = []
    for frame in got:
        index = (frame.time - origin) // tick
        if frame.seq < first or index < 0:
            continue
        if ticks is not None and index >= ticks:
            continue
        count.extend([0] * (index + 1 - len(count)))
        count[index] += frame.length if size else 1
    if ticks is not None:
        count.extend([0] * (ticks - len(count)))
    return count


SURGE = re.compile(r' (\d+)\.(\d{6}): ramp_surge: .*dir=(\w+) source=(\w+) '
                   r'act=(\w+) took=(\d+) queued=(\d+)')


def surges(path):
    """The surge tracepoints; the kernel prints their times in us."""
    with open(path, encoding='ascii') as file:
        for line in file:
            match = SURGE.search(line)
            if match:
                sec, usec, way, source, act, took, queued = match.groups()
                yield Surge(int(sec) * 10**9 + int(usec) * 1000, way, source,
                            act, int(took), int(queued))


TICK = re.compile(r' (\d+)\.(\d{6}): ramp_tick: .*dir=(\w+) index=(\d+) '
                  r'allowance=(\d+) paid=(\d+) used=(\d+) over=(\d+)')


def ticks(path):
    """The tick tracepoints. Their times are those of the end of a tick if
    packets waited for it."""
    with open(path, encoding='ascii') as file:
        for line in file:
            match = TICK.search(line)
            if match:
                sec, usec, way, *numbers = match.groups()
                yield Tick(int(sec) * 10**9 + int(usec) * 1000, way,
                           *map(int, numbers))


MOVE = re.compile(r' (\d+)\.(\d{6}): ramp_gear: .*from=(\d+) to=(\d+) '
                  r'reason=(\w+) occupancy=(\d+)')


def moves(path):
    """The tracepoints of moves from gear to gear."""
    with open(path, encoding='ascii') as file:
        for line in file:
            match = MOVE.search(line)
            if match:
                sec, usec, before, after, reason, occupancy = match.groups()
                yield Move(int(sec) * 10**9 + int(usec) * 1000, int(before),
                           int(after), reason, int(occupancy))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest='command', required=True)
    for name in ('count', 'check', 'bins', 'frame', 'frames', 'grid', 'surges',
                 'ticks', 'gears'):
        sub = commands.add_parser(name)
        sub.add_argument('file')
        sub.add_argument('--stream', type=int)
        if name == 'check':
            sub.add_argument('sent', type=int, nargs='?')
        elif name == 'bins':
            sub.add_argument('--origin', type=int, required=True)
            sub.add_argument('--tick', type=int, required=True)
            sub.add_argument('--ticks', type=int)
            sub.add_argument('--bytes', action='store_true')
            sub.add_argument('--seq', type=int, default=0)
        elif name == 'grid':
            sub.add_argument('--origin', type=int, required=True)
            sub.add_argument('--tick', type=int, required=True)
        elif name == 'frame':
            sub.add_argument('seq', type=int)
        elif name == 'surges':
            sub.add_argument('--act')
    args = parser.parse_args()

    if args.command == 'surges':
        for surge in surges(args.file):
            if not args.act or surge.act in args.act.split(','):
                print(*surge)
        return 0
    if args.command == 'ticks':
        for tick in ticks(args.file):
            print(*tick)
        return 0

    if args.command == 'gears':
        for move in moves(args.file):
            print(*move)
        return 0

    got = frames(args.file, args.stream)
    if args.command == 'count':
        print(sum(1 for _ in got))
    elif args.command == 'check':
        verdict = check(got, args.sent)
        print(*(f'{name} {value}'
                for name, value in verdict._asdict().items()))
        return int(any(verdict[1:]))
    elif args.command == 'bins':
        print(*bins(got, args.origin, args.tick, args.ticks, args.seq,
                    args.bytes))
    elif args.command == 'grid':
        for frame in got:
            print((frame.sent - args.origin) // args.tick,
                  (frame.time - args.origin) // args.tick, frame.length)
    else:
        for frame in got:
            if args.command == 'frames' or frame.seq == args.seq:
                print(*frame)
    return 0


if __name__ == '__main__':
    sys.exit(main())
