#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Judges what a shared bucket let through.

    mpolice_judge.py windows FILE --rate N --burst N [--interval NS] [--pps]
    mpolice_judge.py served LOG [--from NS] [--to NS]
    mpolice_judge.py first LOG FLOW --after NS
    mpolice_judge.py model LOG --rate N --burst N [--debt N] NAME=POLICY[:N]...
    mpolice_judge.py replay LOG --rate N --burst N [--debt N] NAME=POLICY[:N]...
    mpolice_judge.py lumps FILE --gap NS

FILE is a pcap of ramp-send's frames, or a LOG of mpolice_flows.py. Times given are
ns after the first frame of LOG was sent. Prints a JSON object.

windows: the largest excess of what was let through over rate x (window + interval)
    + burst, of all windows. A frame was decided on between the times at which it
    was sent and received, so it counts in windows that hold both: what is found is
    never an artefact of a slow machine. Rounded up to whole tokens. lasted: from the
    first that was sent to the last that was received; asked: to the last that was
    sent, since when nobody asked for tokens, however long frames took to arrive.
served: of each flow, what was sent in [from, to) and how much of it was received.
first: when the first frame of FLOW was sent, at or after a time, that was received;
    and how many before it were not.
model: compares with a bucket in exact numbers, full in the beginning, which decides
    on each frame when it is sent. POLICY is drop, account or bypass, with :THRESHOLD.
    more, fewer: how many frames were received more, or fewer, than the model's at most,
    from the beginning to any moment.
replay: the same bucket, but it goes on from what was received, whatever it had decided
    itself: of two frames for which there are tokens for one, either may get them. For
    each flow that drops, the most bytes that a frame which was received was short of,
    and the most that one which was not received left to spare; null if there was none.
lumps: what was received without a gap of so long: [when, ns from the first frame,
    bytes], ...
"""

import argparse
import json
import sys
from collections import namedtuple

import capture

NS = 10**9
Seen = namedtuple('Seen', 'name size sent received')


def read_log(path):
    """The frames in the order in which they were sent."""
    with open(path, encoding='ascii') as file:
        for line in file:
            name, _, *numbers = line.split()
            size, sent, received = map(int, numbers)
            yield Seen(name, size, sent, received)


def read_any(path):
    """Also from a pcap, which knows of those that arrived only."""
    with open(path, 'rb') as file:
        head = file.read(4)
    if head in (b'\x4d\x3c\xb2\xa1', b'\xd4\xc3\xb2\xa1'):
        return [Seen(str(f.stream), f.length, f.sent, f.time)
                for f in capture.frames(path)]
    return list(read_log(path))


def windows(seen, rate, burst, interval, pps=False):
    """All windows in one pass, over the frames in the order of their arrival."""
    seen = sorted((f for f in seen if f.received), key=lambda f: f.received)
    # When, at the earliest, this frame and all that came after it were sent.
    earliest = []
    least = None
    for frame in reversed(seen):
        least = frame.sent if least is None else min(least, frame.sent)
        earliest.append(least)
    earliest.reverse()
    total = 0
    lowest = worst = None
    for frame, begin in zip(seen, earliest):
        here = total * NS - rate * begin
        if lowest is None or here < lowest[0]:
            lowest = (here, begin)
        total += 1 if pps else frame.size
        amount = total * NS - rate * frame.received - lowest[0]
        if worst is None or amount > worst[0]:
            worst = (amount, lowest[1], frame.received)
    if worst is None:
        return {'frames': 0}
    amount, begin, end = worst
    limit = burst * NS + rate * interval
    return {'frames': len(seen), 'amount': total,
            'excess': -((limit - amount) // NS), 'window': end - begin,
            'lasted': seen[-1].received - seen[0].sent,
            'asked': max(f.sent for f in seen) - min(f.sent for f in seen),
            'slack': max(f.received - f.sent for f in seen)}


def served(log, begin, end):
    """Sums by flow."""
    log = list(log)
    origin = log[0].sent if log else 0
    result = {}
    for frame in log:
        if begin <= frame.sent - origin and (
                end is None or frame.sent - origin < end):
            entry = result.setdefault(frame.name, {
                'sent': 0, 'sent_bytes': 0, 'received': 0,
                'received_bytes': 0})
            entry['sent'] += 1
            entry['sent_bytes'] += frame.size
            if frame.received:
                entry['received'] += 1
                entry['received_bytes'] += frame.size
    return result


def first(log, flow, after):
    """The first frame after a time that came through."""
    log = list(log)
    refused = 0
    for frame in log:
        if frame.name != flow or frame.sent - log[0].sent < after:
            continue
        if frame.received:
            return {'at': frame.sent - log[0].sent, 'refused': refused}
        refused += 1
    return {'at': None, 'refused': refused}


class Bucket:
    """Tokens in 10^-9 bytes, so that nothing is rounded."""

    def __init__(self, rate, burst, debt):
        self.rate, self.burst = rate, burst * NS
        self.debt = None if debt is None else -debt * NS
        self.tokens, self.last = self.burst, None

    def earn(self, now):
        """What has come since the last frame."""
        if self.last is not None:
            self.tokens = min(self.burst,
                              self.tokens + self.rate * (now - self.last))
        self.last = now

    def decide(self, now, size, policy, threshold):
        """Whether a frame goes through."""
        self.earn(now)
        left = self.tokens - size * NS
        if policy == 'bypass':
            return True
        if policy == 'account':
            if self.debt is None or left >= self.debt:
                self.tokens = left
            elif self.tokens > self.debt:
                self.tokens = self.debt
            return True
        if left < threshold * NS:
            return False
        self.tokens = left
        return True


def model(log, bucket, policies):
    """By how much the flows differ from what the model lets through."""
    result = {name: {'model': 0, 'received': 0, 'more': 0, 'fewer': 0}
              for name in policies}
    for frame in log:
        policy, threshold = policies[frame.name]
        entry = result[frame.name]
        entry['model'] += bucket.decide(frame.sent, frame.size, policy,
                                        threshold)
        entry['received'] += bool(frame.received)
        more = entry['received'] - entry['model']
        entry['more'] = max(entry['more'], more)
        entry['fewer'] = max(entry['fewer'], -more)
    return result


def replay(log, bucket, policies):
    """By how many bytes the bucket would have decided otherwise."""
    result = {name: {'short': None, 'spare': None} for name, (policy, _)
              in policies.items() if policy == 'drop'}
    for frame in log:
        policy, threshold = policies[frame.name]
        if policy != 'drop':
            bucket.decide(frame.sent, frame.size, policy, threshold)
            continue
        bucket.earn(frame.sent)
        left = bucket.tokens - (frame.size + threshold) * NS
        key, value = 'spare', left // NS
        if frame.received:
            bucket.tokens -= frame.size * NS
            key, value = 'short', -(left // NS)
        entry = result[frame.name]
        if entry[key] is None or value > entry[key]:
            entry[key] = value
    return result


def lumps(seen, gap):
    """Groups of frames."""
    seen = sorted((f for f in seen if f.received), key=lambda f: f.received)
    result = []
    last = None
    for frame in seen:
        if last is None or frame.received - last >= gap:
            result.append([frame.received - seen[0].received, 0])
        result[-1][1] += frame.size
        last = frame.received
    return result


def main():
    """Command line."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest='command', required=True)
    for name in ('windows', 'served', 'first', 'model', 'replay', 'lumps'):
        sub = commands.add_parser(name)
        sub.add_argument('file')
        if name in ('windows', 'model', 'replay'):
            sub.add_argument('--rate', type=int, required=True)
            sub.add_argument('--burst', type=int, required=True)
        if name == 'windows':
            sub.add_argument('--interval', type=int, default=0)
            sub.add_argument('--pps', action='store_true')
        elif name == 'served':
            sub.add_argument('--from', type=int, default=0, dest='begin')
            sub.add_argument('--to', type=int, dest='end')
        elif name == 'first':
            sub.add_argument('flow')
            sub.add_argument('--after', type=int, default=0)
        elif name in ('model', 'replay'):
            sub.add_argument('--debt', type=int)
            sub.add_argument('policy', nargs='+')
        else:
            sub.add_argument('--gap', type=int, required=True)
    args = parser.parse_args()

    if args.command == 'windows':
        result = windows(read_any(args.file), args.rate, args.burst,
                         args.interval, args.pps)
    elif args.command == 'served':
        result = served(read_log(args.file), args.begin, args.end)
    elif args.command == 'first':
        result = first(read_log(args.file), args.flow, args.after)
    elif args.command in ('model', 'replay'):
        policies = {}
        for text in args.policy:
            name, _, policy = text.partition('=')
            policy, _, threshold = policy.partition(':')
            policies[name] = (policy, int(threshold or 0))
        judge = model if args.command == 'model' else replay
        result = judge(read_log(args.file),
                       Bucket(args.rate, args.burst, args.debt), policies)
    else:
        result = lumps(read_any(args.file), args.gap)
    print(json.dumps(result))
    return 0


if __name__ == '__main__':
    sys.exit(main())
