#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""TCP requests and responses, one at a time.

    tcp_rr.py serve ADDRESS PORT REQUEST RESPONSE
    tcp_rr.py ask ADDRESS PORT REQUEST RESPONSE COUNT

The client prints how many transactions per second it made.
"""

import socket
import sys
import time


def receive(sock, size):
    """All of a message, or False at the end."""
    while size:
        part = sock.recv(size)
        if not part:
            return False
        size -= len(part)
    return True


def serve(address, request, response):
    """One client after the other."""
    with socket.create_server(address) as server:
        while True:
            sock, _ = server.accept()
            with sock:
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                while receive(sock, request):
                    sock.sendall(bytes(response))


def ask(address, request, response, count):
    """Transactions per second."""
    with socket.create_connection(address) as sock:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        begin = time.monotonic()
        for _ in range(count):
            sock.sendall(bytes(request))
            if not receive(sock, response):
                raise SystemExit('the server is gone')
        print(count / (time.monotonic() - begin))


def main():
    """See above."""
    address = (sys.argv[2], int(sys.argv[3]))
    sizes = [int(word) for word in sys.argv[4:]]
    if sys.argv[1] == 'serve':
        serve(address, *sizes)
    else:
        ask(address, *sizes)


if __name__ == '__main__':
    main()
