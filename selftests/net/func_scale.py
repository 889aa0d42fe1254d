#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""How long others wait while somebody has many qdiscs.

    func_scale.py links DEV COUNT
    func_scale.py wait DEV FILE
    func_scale.py qdisc DEV
    func_scale.py delete DEV

Sets a device up and down, again and again, and is what anybody feels whose links have
nothing to do with those qdiscs. links does it COUNT times, and prints how many ns each
took, up and down together. wait does it until FILE exists, and prints the longest of
them in ns: that is how long somebody held RTNL. qdisc deletes the root qdisc of the
device, delete the device itself, and both print how many ns that took.
"""

import os
import socket
import struct
import sys
import time

from netlink import Netlink

RTM_NEWLINK, RTM_DELLINK, RTM_DELQDISC = 16, 17, 37
TC_H_ROOT = 0xffffffff
IFF_UP = 1


class Link:
    """A device, by its number."""

    def __init__(self, name):
        self.link = Netlink()
        self.index = socket.if_nametoindex(name)

    def request(self, kind, body):
        """Has rtnetlink do something, and waits until that is done. Returns how long
        it took, ns."""
        start = time.monotonic_ns()
        error, _ = self.link.ask_message(kind, 0, body)
        took = time.monotonic_ns() - start
        if error:
            raise OSError(error, f'rtnetlink: {os.strerror(error)}')
        return took

    def set(self, flags):
        """Sets it up or down."""
        return self.request(RTM_NEWLINK, struct.pack('BxHiII', socket.AF_UNSPEC, 0,
                                                     self.index, flags, IFF_UP))

    def delete(self):
        """Deletes it."""
        return self.request(RTM_DELLINK, struct.pack('BxHiII', socket.AF_UNSPEC, 0,
                                                     self.index, 0, 0))

    def delete_qdisc(self):
        """Deletes its root qdisc."""
        return self.request(RTM_DELQDISC, struct.pack('BxxxiIII', socket.AF_UNSPEC,
                                                      self.index, 0, TC_H_ROOT, 0))

    def toggle(self):
        """Returns how long it took to go up and down, ns."""
        return self.set(IFF_UP) + self.set(0)


def main():
    """Prints numbers."""
    link = Link(sys.argv[2])
    if sys.argv[1] == 'qdisc':
        print(link.delete_qdisc())
        return
    if sys.argv[1] == 'delete':
        print(link.delete())
        return
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
