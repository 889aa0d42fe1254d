# SPDX-License-Identifier: GPL-2.0
"""Packets for what is configured: bursts, of all sizes and priorities."""

import errno
import os
import socket
import struct
import subprocess
import time

ETHERTYPE = 0x88b6
UDP_SEGMENT = 103
NOT_OFFERED = (errno.EAGAIN, errno.ENETDOWN, errno.ENXIO, errno.EMSGSIZE,
               errno.ENETUNREACH, errno.EHOSTUNREACH)


def command(text):
    """Runs ip or tc; they have to work."""
    subprocess.run(text.split(), check=True)


class Sender:
    """Sends on one device, and counts what was offered to its qdisc."""

    def __init__(self, name, number):
        self.name, self.offered = name, 0
        self.raw = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
        self.raw.bind((name, ETHERTYPE))
        self.raw.setblocking(False)
        self.frame = (b'\xff' * 6 + b'\2' * 6 + struct.pack('!H', ETHERTYPE) +
                      bytes(1486))
        self.number, self.udp = number, None

    def address(self):
        """Makes large packets possible, which are segmented somewhere."""
        there = f'10.9.{self.number}.2'
        command(f'ip addr add 10.9.{self.number}.1/24 dev {self.name}')
        command(f'ip neigh add {there} lladdr 02:00:00:00:00:02 '
                f'nud permanent dev {self.name}')
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.udp.setblocking(False)
        self.udp.connect((there, 9))

    def _offer(self, sock, data):
        try:
            sock.send(data)
        except OSError as error:
            if error.errno in NOT_OFFERED:
                return False
            # It was offered and refused.
            if error.errno != errno.ENOBUFS:
                raise
        self.offered += 1
        return True

    def burst(self, rng, priorities):
        """Some packets; no more when the socket's memory is in the queue."""
        self.raw.setsockopt(socket.SOL_SOCKET, socket.SO_PRIORITY,
                            rng.choice(priorities))
        size = rng.choice((60, 60, 1000, 1500))
        for _ in range(rng.choice((1, 3, 10, 30))):
            if not self._offer(self.raw, self.frame[:size]):
                break

    def large(self, rng):
        """A packet of several segments."""
        segment = rng.choice((100, 1000, 1400))
        self.udp.setsockopt(socket.IPPROTO_UDP, UDP_SEGMENT, segment)
        self._offer(self.udp, bytes(segment * rng.randint(2, 20) +
                                    rng.randrange(segment)))

    def close(self):
        """Frees what waits only as long as somebody may be told."""
        self.raw.close()
        if self.udp:
            self.udp.close()


class Peer:
    """Tells what sends to it how fast to do so, as include/uapi/linux/ramp_code.h
    says, or nearly so.
    """

    def __init__(self, name, number):
        self.sender, self.sequence = Sender(name, number), 0

    def tell(self, rng, ethertype):
        """One frame with rate codes."""
        self.sequence += 1
        bands = rng.sample(range(17), rng.choice((1, 1, 2, 17)))
        body = struct.pack('!BBHIIII', 1, len(bands), rng.choice(
            (1, 10, 1000, 10000, 20000)), 7, 1, 2, self.sequence)
        body += b''.join(struct.pack('!BBH', band, 0, rng.choice(
            (0, 1, 5000, 10000, 10001))) for band in bands)
        if not rng.randrange(4):
            body = body[:rng.randrange(len(body))] + rng.randbytes(3)
        self.sender.raw.send(bytes.fromhex('0180c200000e020000000009') +
                             struct.pack('!H', ethertype) + body + bytes(20))


class Clock:
    """Lets time pass: in virtual time as much as it likes, else hardly any."""

    def __init__(self):
        self.virtual = os.environ.get('RAMP_KERNEL', '').startswith('uml-time')

    def pass_some(self, rng):
        """Ticks, windows, and now and then what takes longer."""
        what, much = rng.randrange(64), rng.random()
        if self.virtual:
            time.sleep(much * (0.002 if what else 0.5))
        elif not what:
            time.sleep(much * 0.002)
