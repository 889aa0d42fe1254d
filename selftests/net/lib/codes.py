#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Frames with rate codes: sends them, reads them, and knows what should become of
them.

    codes.py send IFACE [FRAME...]     sends frames; without any, those of the input
    codes.py random COUNT SEED         prints frames, of which most are not what they
                                       should be
    codes.py expect [MIN] [MAC,...]    of frames of the input, says as JSON what their
                                       receiver, which hears all or these only, must
                                       count, and allow in the end
    codes.py flood COUNT SEED          prints frames, each of another sender, which asks
                                       for nothing at all
    codes.py read PCAP [ETHERTYPE]     prints the frames of a capture, a line each

A FRAME is a JSON object: "epoch", "ifindex", "parent", "seq", "validity" (ms),
"codes" (pairs of band and rate) and "mac" (of the sender); what is missing has a
default. "version", "count" and "reserved" make it wrong, as does "cut", the bytes
to which it is cut; "raw" is what follows the Ethernet header, in hexadecimal.

This is a second reading of the description in Documentation/, which the kernel's
own is compared with.
"""

import json
import random
import socket
import struct
import sys

GROUP = bytes.fromhex('0180c200000e')
ETHERTYPE = 0x88b5
HEADER = struct.Struct('!BBHIIII')
CODE = struct.Struct('!BBH')
BANDS = 16
FULL = 10000
VALIDITY_MAX = 10000
FRAME_MIN = 60


def body(frame):
    """What follows the Ethernet header."""
    if 'raw' in frame:
        return bytes.fromhex(frame['raw'])
    codes = frame.get('codes', [[0, FULL]])
    data = HEADER.pack(frame.get('version', 1), frame.get('count', len(codes)),
                       frame.get('validity', 1000), frame.get('epoch', 1),
                       frame.get('ifindex', 1), frame.get('parent', 0xffffffff),
                       frame.get('seq', 1))
    for band, rate in codes:
        data += CODE.pack(band, frame.get('reserved', 0), rate)
    return data[:frame['cut']] if 'cut' in frame else data


def whole(frame, own):
    """The frame as it is sent; one that is cut is not filled up."""
    mac = bytes.fromhex(frame['mac'].replace(':', '')) if 'mac' in frame else own
    target = frame.get('to')
    data = (bytes.fromhex(target.replace(':', '')) if target else GROUP) + mac + \
        struct.pack('!H', frame.get('ethertype', ETHERTYPE)) + body(frame)
    if 'cut' in frame or 'raw' in frame:
        return data
    return data.ljust(FRAME_MIN, b'\0')


def parse(data):
    """What a valid frame says, or None."""
    if len(data) < HEADER.size:
        return None
    version, count, validity, epoch, ifindex, parent, seq = HEADER.unpack_from(data)
    if version != 1 or not 1 <= count <= BANDS:
        return None
    if not 1 <= validity <= VALIDITY_MAX:
        return None
    if len(data) < HEADER.size + count * CODE.size:
        return None
    codes = {}
    for i in range(count):
        band, reserved, rate = CODE.unpack_from(data, HEADER.size + i * CODE.size)
        if band >= BANDS or band in codes or reserved or rate > FULL:
            return None
        codes[band] = rate
    return {'epoch': epoch, 'ifindex': ifindex, 'parent': parent, 'seq': seq,
            'validity': validity, 'codes': codes}


class Receiver:
    """What a qdisc that obeys must make of frames, as long as none expires."""

    MOST = 16

    def __init__(self, least=1000, only=None):
        self.least = least
        self.only = only
        self.senders = {}
        self.count = {'codes_received': 0, 'codes_stale': 0, 'codes_malformed': 0,
                      'codes_ignored': 0}

    def cannot_count(self, mac):
        """Is a frame of this address nothing, whatever it says?"""
        if self.only is not None and mac not in self.only:
            return True
        return (len(self.senders) == self.MOST and
                all(mac != addr for addr, _, _ in self.senders))

    def hear(self, mac, data):
        """A frame came."""
        if self.cannot_count(mac):
            self.count['codes_ignored'] += 1
            return
        what = parse(data)
        if what is None:
            self.count['codes_malformed'] += 1
            return
        key = (mac, what['ifindex'], what['parent'])
        sender = self.senders.get(key)
        if sender is None:
            if len(self.senders) == self.MOST:
                self.count['codes_ignored'] += 1
                return
            sender = self.senders[key] = {'before': None}
        elif what['epoch'] == sender['epoch']:
            ahead = (what['seq'] - sender['seq']) & 0xffffffff
            if ahead == 0 or ahead >= 0x80000000:
                self.count['codes_stale'] += 1
                return
        elif what['epoch'] == sender['before']:
            self.count['codes_stale'] += 1
            return
        else:
            sender['before'] = sender['epoch']
        sender['epoch'] = what['epoch']
        sender['seq'] = what['seq']
        sender['rates'] = what['codes']
        self.count['codes_received'] += 1

    def rates(self):
        """Of each band, what it may send at."""
        return [max(self.least,
                    min((s['rates'].get(band, FULL) for s in self.senders.values()),
                        default=FULL))
                for band in range(BANDS)]


def send(iface, frames):
    """Sends them at once, one after the other."""
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as sock:
        sock.bind((iface, 0))
        own = sock.getsockname()[4]
        for frame in frames:
            sock.send(whole(frame, own))


def make_random(count, seed):
    """Frames at random, of a few senders: some valid, some nearly, some anything."""
    rng = random.Random(seed)
    for _ in range(count):
        frame = {'mac': f'02:00:00:00:00:{rng.randrange(4):02x}',
                 'epoch': rng.randrange(3), 'seq': rng.getrandbits(32),
                 'validity': 10000,
                 'codes': [[band, rng.randrange(FULL + 1)]
                           for band in rng.sample(range(BANDS), rng.randint(1, 4))]}
        kind = rng.randrange(10)
        data = bytearray(body(frame))
        if kind < 3:
            frame['raw'] = data.ljust(FRAME_MIN - 14, b'\0').hex()
        elif kind < 7:
            for _ in range(rng.randint(1, 3)):
                data[rng.randrange(len(data))] = rng.randrange(256)
            if parse(bytes(data)) is not None:
                # One that would expire before the end is nothing to compare with.
                struct.pack_into('!H', data, 2, VALIDITY_MAX)
            frame['raw'] = data.hex()
        elif kind < 8:
            frame['raw'] = data[:rng.randrange(len(data))].hex()
        else:
            frame['raw'] = rng.randbytes(rng.randrange(1, 100)).hex()
        yield {'mac': frame['mac'], 'raw': frame['raw']}


def make_flood(count, seed):
    """Frames that each are the first one of a sender."""
    rng = random.Random(seed)
    for _ in range(count):
        yield {'mac': (rng.getrandbits(40) | 0x060000000000).to_bytes(6, 'big').hex(':'),
               'validity': VALIDITY_MAX, 'codes': [[0, 0]]}


def read_pcap(path):
    """Yields time (ns), addresses, protocol and what follows them, of each frame."""
    with open(path, 'rb') as file:
        head = file.read(24)
        magic = struct.unpack('<I', head[:4])[0]
        scale = {0xa1b23c4d: 1, 0xa1b2c3d4: 1000}[magic]
        while True:
            record = file.read(16)
            if len(record) < 16:
                return
            sec, part, kept, _ = struct.unpack('<IIII', record)
            data = file.read(kept)
            yield (sec * 10 ** 9 + part * scale, data[:6], data[6:12],
                   struct.unpack('!H', data[12:14])[0], data[14:])


def lines():
    """The frames of the input."""
    return (json.loads(line) for line in sys.stdin if line.strip())


def main():
    """See above."""
    command, *args = sys.argv[1:]
    if command == 'send':
        send(args[0], [json.loads(arg) for arg in args[1:]] or lines())
    elif command == 'random':
        for frame in make_random(int(args[0]), int(args[1])):
            print(json.dumps(frame))
    elif command == 'flood':
        for frame in make_flood(int(args[0]), int(args[1])):
            print(json.dumps(frame))
    elif command == 'expect':
        receiver = Receiver(*(int(arg) for arg in args[:1]),
                            *(arg.split(',') for arg in args[1:]))
        for frame in lines():
            mac = frame.get('mac', 'own')
            # Nothing is shorter on the wire, but here nobody fills up.
            receiver.hear(mac, whole(frame, bytes(6))[14:])
        print(json.dumps({**receiver.count, 'rates': receiver.rates()}))
    elif command == 'read':
        for time, target, source, ethertype, data in read_pcap(args[0]):
            if ethertype != (int(args[1], 0) if len(args) > 1 else ETHERTYPE):
                continue
            print(json.dumps({'time': time, 'to': target.hex(':'),
                              'from': source.hex(':'), 'hex': data.hex(),
                              'what': parse(data)}))
    else:
        sys.exit(__doc__)
    return 0


if __name__ == '__main__':
    sys.exit(main())
