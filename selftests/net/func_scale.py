#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""How long others wait while somebody has many qdiscs.

    func_scale.py links DEV COUNT
    func_scale.py wait DEV FILE

Sets a device up and down, again and again, and is what anybody feels whose links have
nothing to do with those qdiscs. links does it COUNT times, and prints how many ns each
took, up and down together. wait does it until FILE exists, and prints the longest of
them in ns: that is how long somebody held RTNL.
"""

import os
import socket
import struct
import sys
import time

from netlink import Netlink

RTM_NEWLINK = 16
IFF_UP = 1


class Link:
    """A device, by its number."""

    def __init__(self, name):
        self.link = Netlink()
        self.index = socket.if_nametoindex(name)

    def set(self, flags):
        """Sets it up or down, and waits until that is done."""
        error, _ = self.link.ask_message(RTM_NEWLINK, 0, struct.pack(
            'BxHiII', socket.AF_UNSPEC, 0, self.index, flags, IFF_UP))
        if error:
            raise OSError(error, f'link: {os.strerror(error)}')

    def toggle(self):
        """Returns how long it took to go up and down, ns."""
        start = time.monotonic_ns()
        self.set(IFF_UP)
        self.set(0)
        return time.monotonic_ns() - start


def main():
    """Prints numbers."""
    link = Link(sys.argv[2])
    link.toggle()
    if sys.argv[1] == 'links':
        for _ in range(int(sys.argv[3])):
            print(link.toggle())
        return
    longest = 0
    print('ready', flush=True)
    while not os.path.exists(sys.argv[3]):
        longest = max(longest, link.toggle())
    print(longest)


if __name__ == '__main__':
    main()
