#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Answers what the modules beside it print, in a process that stays: to start a Python
for each question takes many times as long as the answer.

    resident.py FILE

A question is a line of fields with the ASCII unit separator between them: a network
namespace or nothing, a module, its arguments. What the module prints is in FILE, and
its exit status is the line that comes back. Ends with its input.
"""

import contextlib
import ctypes
import importlib
import os
import sys
import traceback

CLONE_NEWNET = 0x40000000


def enter(netns):
    """Goes to another network namespace. os.setns() is not known to older Pythons."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.setns(netns, CLONE_NEWNET):
        raise OSError(ctypes.get_errno(), 'setns')


@contextlib.contextmanager
def network(name):
    """Is in the namespace of that name meanwhile, if there is a name."""
    if not name:
        yield
        return
    own = os.open('/proc/self/ns/net', os.O_RDONLY)
    other = os.open(f'/run/netns/{name}', os.O_RDONLY)
    try:
        enter(other)
        yield
    finally:
        enter(own)
        # A namespace lasts as long as somebody has it open.
        os.close(other)
        os.close(own)


def answer(path, netns, module, *args):
    """Returns the exit status."""
    sys.argv = [module, *args]
    with open(path, 'w', encoding='utf-8') as file:
        try:
            with contextlib.redirect_stdout(file), network(netns):
                return int(importlib.import_module(module).main() or 0)
        except SystemExit as end:
            return end.code if isinstance(end.code, int) else 1
        except Exception:  # pylint: disable=broad-except
            traceback.print_exc()
            return 1


def main():
    """Until nobody can ask any more."""
    path = sys.argv[1]
    # Of pipes that a test has open others wait for the end.
    os.closerange(3, 1024)
    for line in sys.stdin:
        print(answer(path, *line.rstrip('\n').split('\x1f')), flush=True)
    return 0


if __name__ == '__main__':
    sys.exit(main())
