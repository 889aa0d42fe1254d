# SPDX-License-Identifier: GPL-2.0
"""Modules that come and go, without a program for that."""

import ctypes
import os
import subprocess

SYS_DELETE_MODULE, SYS_FINIT_MODULE = 176, 313
LIBC = ctypes.CDLL(None, use_errno=True)


class Modules:
    """Those with these names; what they need is there."""

    def __init__(self, *names):
        self.names = names
        paths = subprocess.run(
            ['modinfo', '-n', *names], check=True, stdout=subprocess.PIPE,
            text=True).stdout.split()
        self.paths = dict(zip(names, paths))

    def load(self, name):
        """True if it was not there, and is."""
        with open(self.paths[name], 'rb') as file:
            return LIBC.syscall(SYS_FINIT_MODULE, file.fileno(), b'', 0) == 0

    @staticmethod
    def unload(name):
        """True if it was there, and is not: nobody is waited for."""
        return LIBC.syscall(SYS_DELETE_MODULE, name.encode(),
                            os.O_NONBLOCK) == 0
