#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""What the receivers behind a rail saw together.

    rail.py count FILE...
    rail.py bins --origin NS --tick NS --ticks N [--bytes] FILE...
                                        frames (bytes) in each tick
    rail.py shares --origin NS --tick NS --ticks N FILE...
                                        how many frames of each stream in all
    rail.py lasted FILE...              ms from the first frame to the last one
    rail.py check FILE...               streams whose frames are not all there,
                                        each once and in order
"""

import argparse
import sys
from collections import Counter, defaultdict

import capture


def main():
    """Reads all captures."""
    parser = argparse.ArgumentParser()
    parser.add_argument('command',
                        choices=('count', 'bins', 'shares', 'lasted', 'check'))
    parser.add_argument('--origin', type=int, default=0)
    parser.add_argument('--tick', type=int, default=1)
    parser.add_argument('--ticks', type=int, default=1)
    parser.add_argument('--bytes', action='store_true')
    parser.add_argument('file', nargs='+')
    args = parser.parse_args()

    got = sorted(frame for name in args.file for frame in capture.frames(name))
    if args.command == 'count':
        print(len(got))
    elif args.command == 'lasted':
        print((got[-1].time - got[0].time) // 1000000 if got else '')
    elif args.command == 'bins':
        print(*capture.bins(got, args.origin, args.tick, args.ticks,
                            size=args.bytes))
    elif args.command == 'shares':
        end = args.origin + args.tick * args.ticks
        shares = Counter(frame.stream for frame in got
                         if args.origin <= frame.time < end)
        print(*(f'{stream}:{shares[stream]}' for stream in sorted(shares)))
    else:
        streams = defaultdict(list)
        for frame in got:
            streams[frame.stream].append(frame)
        bad = [stream for stream, frames in streams.items()
               if any(capture.check(frames)[1:])]
        print(len(streams), 'streams,', len(bad), 'wrong')
        return bool(bad)
    return 0


if __name__ == '__main__':
    sys.exit(main())
