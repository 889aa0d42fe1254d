#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Listens to the events of ramp qdiscs through the kernel's YNL library.

    events_ynl.py YNL_FOLDER SPEC SCHEMA [ROOM]

Prints "ready", then a line of JSON for each event, until its input ends. With ROOM,
bytes that the socket may hold, nothing is read before the input ends: then all that
is there, and "lost" if the kernel says that there was more.
"""

import errno
import json
import select
import socket
import sys


def put(message):
    """An event, and the number of its message."""
    number = message['raw'].nl.nl_seq
    print(json.dumps({'name': message['name'], 'number': number, **message['msg']}),
          flush=True)


def drain(family):
    """Prints what is there."""
    while True:
        try:
            family.check_ntf()
        except OSError as error:
            if error.errno != errno.ENOBUFS:
                raise
            print('"lost"', flush=True)
            continue
        break
    while not family.async_msg_queue.empty():
        put(family.async_msg_queue.get_nowait())


def main():
    """Listens until the end of the input."""
    folder, spec, schema, *room = sys.argv[1:]
    sys.path.insert(0, folder)
    # pylint: disable=import-error,import-outside-toplevel
    from lib import YnlFamily

    family = YnlFamily(spec, schema)
    family.include_raw = True
    if room:
        family.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, int(room[0]))
    family.ntf_subscribe('events')
    print('ready', flush=True)
    if room:
        sys.stdin.read()
        drain(family)
        return 0
    while True:
        ready, _, _ = select.select([family.sock, sys.stdin], [], [])
        if family.sock in ready:
            drain(family)
        if sys.stdin in ready:
            break
    drain(family)
    return 0


if __name__ == '__main__':
    sys.exit(main())
