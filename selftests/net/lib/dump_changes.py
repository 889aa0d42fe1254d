#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Lists what a generic family has, and changes it before the list is read to its end.

    dump_changes.py FAMILY GET COMMAND [ARG...]

GET is the number of the family's command. COMMAND runs when the first messages have come;
"true" changes nothing. Prints whether the kernel says that the list is one of no single
moment (NLM_F_DUMP_INTR): "whole" or "interrupted", and how many are on it.
"""

import subprocess
import sys

from netlink import NETLINK_GENERIC, NLM_F_DUMP, NLMSG_DONE, NLMSG_ERROR, Netlink, genl

NLM_F_DUMP_INTR = 0x10


def main():
    """Command line."""
    name, get, *command = sys.argv[1:]
    link = Netlink(NETLINK_GENERIC)
    # The kernel fills no more at a time than a reader has room for, or than the largest
    # rail needs.
    link.room = 8192
    family = link.number_of(name)
    link.send_message(family, NLM_F_DUMP, genl(int(get)))
    interrupted, parts, count = False, 0, 0
    while True:
        got = list(link.messages())
        interrupted |= any(flags & NLM_F_DUMP_INTR for _, flags, _ in got)
        count += sum(kind == family for kind, _, _ in got)
        if not parts:
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        parts += 1
        if any(kind in (NLMSG_DONE, NLMSG_ERROR) for kind, _, _ in got):
            break
    # The kernel is a message or two ahead.
    if parts < 4:
        sys.exit(f'all of it came in {parts} messages')
    print('interrupted' if interrupted else 'whole', count)


if __name__ == '__main__':
    main()
