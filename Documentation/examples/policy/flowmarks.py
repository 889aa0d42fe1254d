# SPDX-License-Identifier: GPL-2.0
"""Flows that need not be reported again: what the daemon writes into maps of the classifiers,
which tc has pinned. libbpf is tc's, too."""

import ctypes
import ipaddress
import os
import struct
import time

FOLDER = '/sys/fs/bpf/tc/globals'
# Of flows.bpf.c. No time since boot has this bit.
KNOWN = 1 << 63


def key_of(ifindex, flow):
    """Its struct flow: the lower end comes first, and words are compared as the CPU reads
    them."""
    (low, low_port), (high, high_port) = sorted(
        (struct.unpack('=4I', ipaddress.ip_address(address).packed.rjust(16, b'\0')),
         struct.unpack('=H', struct.pack('>H', port))[0])
        for address, port in ((flow.own, flow.own_port), (flow.peer, flow.peer_port)))
    return struct.pack('=8I2H2I', *low, *high, low_port, high_port, flow.proto, ifindex)


class Marks:
    """Those of one life of the daemon: with the next one they are void."""

    def __init__(self):
        self.bpf = ctypes.CDLL('libbpf.so.1', use_errno=True)
        self.bpf.bpf_map_update_elem.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p,
                                                 ctypes.c_uint64)
        self.value = struct.pack('=Q', KNOWN | time.monotonic_ns())
        self.reported = None

    def open(self):
        """Whenever classifiers were loaded: who had taken away the maps has others now."""
        if self.reported is not None:
            os.close(self.reported)
        self.reported = self._map('mpflow_reported')
        daemon = self._map('mpflow_daemon')
        self.bpf.bpf_map_update_elem(daemon, struct.pack('=I', 0), self.value, 0)
        os.close(daemon)

    def put(self, ifindex, flow):
        """This one. If there is no room for it, it is reported again."""
        self.bpf.bpf_map_update_elem(self.reported, key_of(ifindex, flow), self.value, 0)

    def _map(self, name):
        path = os.path.join(FOLDER, name)
        file = self.bpf.bpf_obj_get(path.encode())
        if file < 0:
            error = ctypes.get_errno()
            raise OSError(error, os.strerror(error), path)
        return file
