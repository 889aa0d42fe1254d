#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""One of two boxes with a cable between them: hears all frames with rate codes on it.

    box.py DEVICE FOLDER SECONDS

Says hello until the other box did, too, and then makes FOLDER/met. Of the other's frames
with codes it writes the first one that asks for less than all, in hexadecimal, to
FOLDER/other; its own are seen by none here, as they bypass what taps listen to. When
there is a file FOLDER/done, says so until the other box is done, too. Exits with 1 if
that is not so after so many seconds.
"""

import os
import socket
import struct
import sys
import time

CODES = 0x88b5
TALK = 0x88b6
LESS = 10000


def asks_for_less(frame):
    """Whether a frame has a code that is less than the whole."""
    count = frame[15]
    rates = struct.unpack_from('!' + 'xxH' * count, frame, 34)
    return any(rate < LESS for rate in rates)


def write(folder, name, text):
    """A file that is whole when there is one."""
    path = os.path.join(folder, name)
    with open(path + '.new', 'w', encoding='ascii') as file:
        file.write(text)
    os.rename(path + '.new', path)


def talk(sock, own, device, folder, end):
    """Until both are done."""
    heard, said = set(), 0
    while time.monotonic() < end:
        done = os.path.exists(os.path.join(folder, 'done'))
        if time.monotonic() - said > 0.2:
            said = time.monotonic()
            word = b'done' if done else b'hello'
            sock.send(b'\xff' * 6 + own + struct.pack('!H', TALK) + word.ljust(46))
        try:
            frame, address = sock.recvfrom(2048)
        except TimeoutError:
            continue
        if address[0] != device:
            continue
        if address[2] == socket.PACKET_OUTGOING:
            continue
        if address[1] == TALK:
            heard.add(frame[14:19].strip())
            if not os.path.exists(os.path.join(folder, 'met')):
                write(folder, 'met', '')
            # Said once more, as the other one may have had no ear for it yet.
            if done and b'done' in heard:
                sock.send(b'\xff' * 6 + own + struct.pack('!H', TALK) +
                          b'done'.ljust(46))
                return True
        if address[1] == CODES and asks_for_less(frame) and \
           not os.path.exists(os.path.join(folder, 'other')):
            write(folder, 'other', frame.hex())
    return False


def main():
    """As the command line says."""
    device, folder, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW,
                       socket.htons(3)) as sock:
        sock.bind((device, 3))
        sock.settimeout(0.1)
        own = sock.getsockname()[4]
        return 0 if talk(sock, own, device, folder,
                         time.monotonic() + seconds) else 1


if __name__ == '__main__':
    sys.exit(main())
