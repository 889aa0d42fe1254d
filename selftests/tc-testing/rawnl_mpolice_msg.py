# SPDX-License-Identifier: GPL-2.0
"""Messages about actions mpolice and about their buckets."""

import socket
import struct

from netlink import (NETLINK_GENERIC, NLM_F_CREATE, NLM_F_DUMP, NLM_F_EXCL,
                     NLM_F_REPLACE, NLM_F_ROOT, Netlink, attr, attrs_of, genl,
                     nest)

RTM_NEWACTION, RTM_DELACTION, RTM_GETACTION = 48, 49, 50
TCA_ACT_TAB = 1
TCA_ACT_KIND, TCA_ACT_OPTIONS, TCA_ACT_INDEX = 1, 2, 3

# include/uapi/linux/tc_act/tc_mpolice.h
(PAD, INDEX, TM, REFCNT, BINDCNT, EXCEED, CONFORM, POLICY, THRESHOLD, STATS,
 BUCKET, RATE, PPS, BURST, INTERVAL, DEBT, TOKENS, USERS,
 STRANDED, PACKETS) = range(1, 21)
DROP, ACCOUNT, BYPASS = range(3)
TOKENS_MAX = RATE_MAX = 2**40
BURST_MIN = 1514
INTERVAL_MAX = 60 * 10**9
UNLIMITED = 2**64 - 1
ACT_UNSPEC = 2**32 - 1
ACT_OK, ACT_RECLASSIFY, ACT_SHOT, ACT_PIPE, ACT_TRAP = 0, 1, 2, 3, 8
ACT_JUMP, ACT_GOTO = 1 << 28, 2 << 28

# include/uapi/linux/mpolice.h
BUCKET_GET, BUCKET_SET, BUCKET_REPOINT = range(1, 4)
(B_PAD, B_ID, B_TARGET, B_RATE, B_PPS, B_BURST, B_INTERVAL, B_DEBT, B_TOKENS,
 B_USERS, B_STRANDED, B_STATS) = range(1, 13)


class Actions(Netlink):
    """Talks to the kernel about actions of their own."""

    def message(self, *entries):
        """What a message about actions says; each entry is one of them."""
        return struct.pack('Bxxx', socket.AF_UNSPEC) + nest(
            TCA_ACT_TAB, *(nest(i + 1, entry)
                           for i, entry in enumerate(entries)))

    @staticmethod
    def entry(options, *more):
        """One action, with its options as an attribute."""
        return attr(TCA_ACT_KIND, b'mpolice\0') + options + b''.join(more)

    def modify(self, options, flags=NLM_F_CREATE | NLM_F_REPLACE):
        """change, or add (with flags), with the options given as bytes."""
        return self.ask_message(RTM_NEWACTION, flags,
                                self.message(self.entry(options)))

    def add(self, options):
        """Creates an action."""
        return self.modify(options, NLM_F_CREATE | NLM_F_EXCL)

    def remove(self, index):
        """Deletes an action."""
        return self.ask_message(
            RTM_DELACTION, 0, self.message(
                self.entry(b'', attr(TCA_ACT_INDEX, struct.pack('I', index)))))

    def flush(self):
        """Deletes all."""
        return self.ask_message(RTM_DELACTION, NLM_F_ROOT,
                                self.message(self.entry(b'')))

    def all(self):
        """The options of all actions, by index."""
        found = {}
        self.send_message(RTM_GETACTION, NLM_F_DUMP,
                          self.message(self.entry(b'')))
        for payload in self.dumped(RTM_GETACTION):
            tab = attrs_of(payload[4:]).get(TCA_ACT_TAB, b'')
            for entry in attrs_of(tab).values():
                options = attrs_of(attrs_of(entry)[TCA_ACT_OPTIONS])
                index = struct.unpack('I', options[INDEX])[0]
                found[index] = options
        return found


class Buckets(Netlink):
    """Talks to the kernel's family of buckets."""

    def __init__(self):
        super().__init__(NETLINK_GENERIC)
        self.family = self.number_of('mpolice')

    def ask(self, cmd, *attrs, flags=0):
        """Sends a command; returns (errno, extack message)."""
        return self.ask_message(self.family, flags,
                                genl(cmd, *attrs))

    def all(self):
        """The attributes of all buckets, by number."""
        found = {}
        self.send_message(self.family, NLM_F_DUMP, genl(BUCKET_GET))
        for payload in self.dumped(self.family):
            attrs = attrs_of(payload[4:])
            found[struct.unpack('I', attrs[B_ID])[0]] = attrs
        return found


class State:
    """All that a refused message must leave as it was."""

    # These change by themselves, or with traffic.
    ACTION_LIVE = (TM, TOKENS, STATS)
    BUCKET_LIVE = (B_TOKENS, B_STATS)

    def __init__(self, actions, buckets):
        self.actions = actions
        self.buckets = buckets

    @staticmethod
    def _without(found, live):
        return {number: {kind: data for kind, data in attrs.items()
                         if kind not in live}
                for number, attrs in found.items()}

    def shown(self):
        """All actions and all buckets, without what changes by itself."""
        return (self._without(self.actions.all(), self.ACTION_LIVE),
                self._without(self.buckets.all(), self.BUCKET_LIVE))
