#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Asks a team for its options, and looks at what ramp-catch has written down.

    spread.py options TEAM              all options of one moment, as JSON:
                                        .team by name, .ports by port and name
    spread.py set TEAM NAME VALUE [PORT]
                                        hex:BYTES for a binary option, which
                                        teamnl cannot set
    spread.py serve TEAM                answers lines, until there are no more:
                                            set NAME VALUE [PORT]   ok, or why not
                                            get NAME [PORT]
                                            all NAME                of all ports
                                            json                    as options
                                            waiting PORT            packets in its root
                                                                    qdisc
                                        A process for each of these is slow on an
                                        emulated machine.
    spread.py hash                      a hash program for loadbalance (hex),
                                        of the UDP or TCP ports
    spread.py hash-byte OFFSET          ... of one byte of the frame

    spread.py ipv6 DEVICE ADDRESS COUNT [TAGS]
                                        sends UDP frames to ADDRESS, each from an
                                        address of its own; TAGS, such as 88a8,8100,
                                        are the protocols of VLAN tags

    spread.py paced DEVICE FLOWS COUNT MS
                                        sends COUNT UDP frames of each of FLOWS, which
                                        are to leave MS later (SO_TXTIME)

    spread.py count FILE PORTS [SELECTION]
                                        frames of each port, in one line
    spread.py check FILE SENT [SELECTION]
                                        received, lost, doubled, reordered
    spread.py lost FILE PER_FLOW AFTER_NS [SELECTION]
                                        frames lost that were sent later
    spread.py moves FILE FLOWLET_NS MARGIN_NS [--seen] [SELECTION]
                                        pauses (gaps of at least FLOWLET + MARGIN),
                                        pauses with a move, moves without a pause
    spread.py changes FILE [SELECTION]  frames at another port than the one before
                                        them in their flow
    spread.py chi FILE WEIGHT... [SELECTION]
                                        chi-square of the ports' frames against
                                        WEIGHTs, and its limit at 1 %
    spread.py flows FILE [SELECTION]    flow, frames, ports used

SELECTION: --from NS --to NS (time sent), --first FLOW --last FLOW
"""

import argparse
import errno
import json
import socket
import struct
import sys
import time
from collections import Counter, namedtuple

import mpolice_flows
import sample
from netlink import (NETLINK_GENERIC, NLM_F_ACK, RTM_GETQDISC, Netlink, attr,
                     attributes, attrs_of, genl, u32)

TEAM_CMD_OPTIONS_SET, TEAM_CMD_OPTIONS_GET = 1, 2
TEAM_ATTR_TEAM_IFINDEX, TEAM_ATTR_LIST_OPTION = 1, 2
TEAM_ATTR_ITEM_OPTION = 1
(OPTION_NAME, OPTION_CHANGED, OPTION_TYPE, OPTION_DATA, OPTION_REMOVED,
 OPTION_PORT_IFINDEX, OPTION_ARRAY_INDEX) = range(1, 8)
# The kernel's numbers for types of attributes.
NLA_U32, NLA_STRING, NLA_FLAG, NLA_BINARY, NLA_S32 = 3, 5, 6, 11, 14

# Of setsockopt() and as a control message.
SO_TXTIME = 61

# Upper 1 % of the chi-square distribution, for 1 .. 15 degrees of freedom.
CHI_1_PERCENT = (6.635, 9.210, 11.345, 13.277, 15.086, 16.812, 18.475, 20.090,
                 21.666, 23.209, 24.725, 26.217, 27.688, 29.141, 30.578)

Frame = namedtuple('Frame', 'time port flow seq sent vlan')


class Team(Netlink):
    """The generic netlink family of the team driver."""

    def __init__(self, name):
        super().__init__(NETLINK_GENERIC)
        self.name = name
        self.family = self.number_of('team')

    def itself(self):
        """The attribute that names the team."""
        return u32(TEAM_ATTR_TEAM_IFINDEX, socket.if_nametoindex(self.name))

    def options(self):
        """Returns all of them, read together."""
        result = {'team': {}, 'ports': {}}
        names = {index: name for index, name in socket.if_nameindex()}
        request = genl(TEAM_CMD_OPTIONS_GET, self.itself())
        for payload in self.answers(self.family, 0, request):
            listed = attrs_of(payload[4:]).get(TEAM_ATTR_LIST_OPTION, b'')
            for _, item in attributes(listed):
                self.add(result, names, attrs_of(item))
        return result

    @staticmethod
    def add(result, names, option):
        """One option to what options() returns."""
        kind = option[OPTION_TYPE][0]
        data = option.get(OPTION_DATA)
        name = option[OPTION_NAME].rstrip(b'\0').decode()
        if kind == NLA_FLAG:
            value = data is not None
        elif kind in (NLA_U32, NLA_S32):
            value = struct.unpack('=I' if kind == NLA_U32 else '=i', data)[0]
        elif kind == NLA_STRING:
            value = data.rstrip(b'\0').decode()
        else:
            value = data.hex()
        if OPTION_ARRAY_INDEX in option:
            name += '.%u' % struct.unpack('=I', option[OPTION_ARRAY_INDEX])
        if OPTION_PORT_IFINDEX in option:
            port = struct.unpack('=I', option[OPTION_PORT_IFINDEX])[0]
            result['ports'].setdefault(names.get(port, str(port)), {})[
                name] = value
        else:
            result['team'][name] = value

    def set(self, name, value, port=None):
        """Raises what the kernel says."""
        if value.startswith('hex:'):
            kind, data = NLA_BINARY, bytes.fromhex(value[4:])
        else:
            now = self.options()
            now = now['ports'][port] if port else now['team']
            if isinstance(now[name], bool):
                kind, data = NLA_FLAG, b'' if value == 'true' else None
            elif isinstance(now[name], int):
                kind, data = NLA_U32, struct.pack('=I', int(value, 0))
            else:
                kind, data = NLA_STRING, value.encode() + b'\0'
        option = (attr(OPTION_NAME, name.encode() + b'\0') +
                  attr(OPTION_TYPE, bytes((kind,))))
        if data is not None:
            option += attr(OPTION_DATA, data)
        if port:
            option += u32(OPTION_PORT_IFINDEX, socket.if_nametoindex(port))
        request = genl(TEAM_CMD_OPTIONS_SET, self.itself(), attr(
            TEAM_ATTR_LIST_OPTION, attr(TEAM_ATTR_ITEM_OPTION, option)))
        try:
            for _ in self.answers(self.family, NLM_F_ACK, request):
                pass
        except ProcessLookupError:
            pass    # it was set, and nobody listens to the event


def shown(value):
    """As teamnl shows it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def answer(team, words):
    """What one line asks for."""
    command, *words = words
    if command == 'set':
        team.set(*words)
        return 'ok'
    if command == 'waiting':
        qdiscs = sample.Reader(words[0]).read(RTM_GETQDISC)
        return next(str(one['qlen']) for one in qdiscs.values()
                    if one['parent'] == 'root')
    options = team.options()
    if command == 'json':
        return json.dumps(options)
    if command == 'all':
        ports = sorted(options['ports'].items(),
                       key=lambda item: int(item[0][1:]))
        return ' '.join(shown(port[words[0]]) for _, port in ports)
    return shown((options['ports'][words[1]] if words[1:] else
                  options['team'])[words[0]])


def serve(team):
    """The team itself may go, and come again."""
    for line in sys.stdin:
        try:
            print(answer(team, line.split()), flush=True)
        except OSError as error:
            print(error.strerror, flush=True)
        except (IndexError, KeyError, StopIteration, TypeError, ValueError):
            print("no such thing", flush=True)


def send_ipv6(device, address, count, tags):
    """Frames of UDP over IPv6."""
    inserted = b''.join(struct.pack('!HH', int(tag, 16), 34)
                        for tag in tags.split(',') if tag)
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as sender:
        sender.bind((device, 0))
        for number in range(count):
            flow = mpolice_flows.Flow(
                number, f'flow to {address} fdfd::{number:x} udp 4950 200 x1')
            head = flow.head[:12] + inserted + flow.head[12:]
            sender.send(head + bytes(flow.size - len(flow.head)))


def send_paced(device, flows, count, later):
    """Frames that a qdisc may send so many ms later."""
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as sender:
        sender.setsockopt(socket.SOL_SOCKET, SO_TXTIME,
                          struct.pack('=iI', time.CLOCK_MONOTONIC, 0))
        sender.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 24)
        sender.bind((device, 0))
        when = time.clock_gettime_ns(time.CLOCK_MONOTONIC) + later * 1000000
        stamp = (socket.SOL_SOCKET, SO_TXTIME, struct.pack('=Q', when))
        for number in range(flows):
            flow = mpolice_flows.Flow(
                number, f'flow to fdfd::1 fdfd::{number:x} udp 4950 200 x1')
            frame = flow.head + bytes(flow.size - len(flow.head))
            for _ in range(count):
                try:
                    sender.sendmsg([frame], [stamp])
                except OSError as error:
                    if error.errno != errno.ENOBUFS:
                        raise


def program(*instructions):
    """A classic BPF program as hex."""
    return 'hex:' + b''.join(struct.pack('=HBBI', *one)
                             for one in instructions).hex()


def hash_program():
    """Multiplies the two ports, so that neighbours part."""
    return program(
        (0x28, 0, 0, 36),           # ldh [36], the destination
        (0x07, 0, 0, 0),            # tax
        (0x28, 0, 0, 34),           # ldh [34], the source
        (0x0c, 0, 0, 0),            # add x
        (0x24, 0, 0, 0x9e3779b1),   # mul
        (0x74, 0, 0, 24),           # rsh, to the best mixed bits
        (0x16, 0, 0, 0))            # ret a


def hash_byte_program(offset):
    """One byte of the frame is the hash."""
    return program((0x30, 0, 0, offset), (0x16, 0, 0, 0))


def frames(args):
    """Returns the selected frames, in the order in which they arrived."""
    got = []
    with open(args.file, encoding='ascii') as file:
        for line in file:
            frame = Frame(*map(int, line.split()))
            if ((args.since is None or frame.sent >= args.since) and
                    (args.until is None or frame.sent < args.until) and
                    (args.first is None or frame.flow >= args.first) and
                    (args.last is None or frame.flow <= args.last)):
                got.append(frame)
    return sorted(got, key=lambda frame: frame.time)


def by_flow(got):
    """Returns the frames of each flow."""
    flows = {}
    for frame in got:
        flows.setdefault(frame.flow, []).append(frame)
    return flows


def check(got, sent):
    """Counts what went wrong."""
    doubled = reordered = 0
    for flow in by_flow(got).values():
        seen = set()
        last = -1
        for frame in flow:
            if frame.seq in seen:
                doubled += 1
            elif frame.seq < last:
                reordered += 1
            seen.add(frame.seq)
            last = max(last, frame.seq)
    received = len(got) - doubled
    return (f'received {received} lost {sent - received} doubled {doubled} '
            f'reordered {reordered}')


def lost(got, per_flow, after):
    """Frames that are missing and were sent later; when, their neighbours
    tell. A flow of which nothing arrived is not known here."""
    count = 0
    for flow in by_flow(got).values():
        sent = {frame.seq: frame.sent for frame in flow}
        first = min(sent)
        last = max(sent)
        step = (sent[last] - sent[first]) / max(last - first, 1)
        count += sum(seq not in sent and
                     sent[first] + (seq - first) * step >= after
                     for seq in range(per_flow))
    return count


def moves(got, flowlet, margin, seen):
    """Frames that are missing may hide a pause, or a move: not counted. The
    kernel had a frame between the time it was sent and, if it did not wait
    on the way, the time it arrived: so @seen counts only what is sure,
    whatever the machine did meanwhile."""
    pauses = moved = early = 0
    for flow in by_flow(got).values():
        flow.sort(key=lambda frame: frame.seq)
        for before, frame in zip(flow, flow[1:]):
            if frame.seq != before.seq + 1:
                continue
            least = frame.sent - (before.time if seen else before.sent)
            most = (frame.time if seen else frame.sent) - before.sent
            if least >= flowlet + margin:
                pauses += 1
                moved += frame.port != before.port
            elif most <= flowlet - margin:
                early += frame.port != before.port
    return f'pauses {pauses} moved {moved} early {early}'


def changes(got):
    """Counts how often flows were at another port than before."""
    count = 0
    for flow in by_flow(got).values():
        flow.sort(key=lambda frame: frame.seq)
        count += sum(before.port != frame.port
                     for before, frame in zip(flow, flow[1:]))
    return count


def chi_square(counts, weights):
    """How far counts are from weights, and what is too far."""
    scale = sum(counts) / sum(weights)
    far = sum((count - scale * weight) ** 2 / (scale * weight)
              for count, weight in zip(counts, weights))
    return f'{far:.3f} {CHI_1_PERCENT[len(weights) - 2]}'


def parse():
    """Command line."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest='command', required=True)
    shape = {
        'options': 'team', 'set': 'team name value ?port',
        'serve': 'team', 'ipv6': 'device address +count ?tags',
        'paced': 'device +flows +count +ms', 'hash': '', 'hash-byte': '+offset',
        'count': 'file +ports', 'check': 'file +sent',
        'lost': 'file +per_flow +after', 'moves': 'file +flowlet +margin',
        'changes': 'file', 'chi': 'file *weight', 'flows': 'file',
    }
    for name, words in shape.items():
        sub = commands.add_parser(name)
        for word in words.split():
            if word[0] == '?':
                sub.add_argument(word[1:], nargs='?')
            elif word[0] == '+':
                sub.add_argument(word[1:], type=int)
            elif word[0] == '*':
                sub.add_argument(word[1:], type=int, nargs='+')
            else:
                sub.add_argument(word)
        if name == 'moves':
            sub.add_argument('--seen', action='store_true')
        if words.startswith('file'):
            sub.add_argument('--from', dest='since', type=int)
            sub.add_argument('--to', dest='until', type=int)
            sub.add_argument('--first', type=int)
            sub.add_argument('--last', type=int)
    return parser.parse_args()


def ask_team(args):
    """The commands that talk to the kernel."""
    team = Team(args.team)
    if args.command == 'serve':
        serve(team)
    elif args.command == 'options':
        print(json.dumps(team.options()))
    else:
        team.set(args.name, args.value, args.port)


def look(args):
    """The commands that look at a file."""
    got = frames(args)
    if args.command == 'count':
        counts = Counter(frame.port for frame in got)
        print(*(counts[port] for port in range(args.ports)))
    elif args.command == 'check':
        print(check(got, args.sent))
    elif args.command == 'lost':
        print(lost(got, args.per_flow, args.after))
    elif args.command == 'moves':
        print(moves(got, args.flowlet, args.margin, args.seen))
    elif args.command == 'changes':
        print(changes(got))
    elif args.command == 'chi':
        counts = Counter(frame.port for frame in got)
        print(chi_square([counts[port] for port in range(len(args.weight))],
                         args.weight))
    else:
        for number, flow in sorted(by_flow(got).items()):
            print(number, len(flow),
                  ','.join(map(str, sorted({frame.port for frame in flow}))))


def main():
    """Does what was asked."""
    args = parse()
    if args.command == 'hash':
        print(hash_program())
    elif args.command == 'ipv6':
        send_ipv6(args.device, args.address, args.count, args.tags or '')
    elif args.command == 'paced':
        send_paced(args.device, args.flows, args.count, args.ms)
    elif args.command == 'hash-byte':
        print(hash_byte_program(args.offset))
    elif 'team' in args:
        try:
            ask_team(args)
        except OSError as error:
            print(error.strerror, file=sys.stderr)
            return 1
    else:
        look(args)
    return 0


if __name__ == '__main__':
    sys.exit(main())
