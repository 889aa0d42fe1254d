# SPDX-License-Identifier: GPL-2.0
"""What is touched, in a file that outlives the controller and the power of its host."""

import fcntl
import json
import os


class Taken(Exception):
    """Another controller has the file."""


class StateFile:
    """{link: whether it is shut, and the costs of both ends from before}."""

    def __init__(self, path):
        self.path, self.lock, self.text = path, None, None

    def take(self):
        """As long as this process lives no other one has it."""
        os.makedirs(os.path.dirname(os.path.abspath(self.path)), exist_ok=True)
        # pylint: disable=consider-using-with
        self.lock = open(self.path + '.lock', 'a', encoding='ascii')
        try:
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Taken(f'another controller has {self.path}') from None

    def read(self):
        """[(link, shut, costs)]; ValueError if it is no such file."""
        try:
            with open(self.path, encoding='utf-8') as file:
                found = json.load(file)
            return [(name, bool(one['shut']),
                     [None if cost is None else int(cost) for cost in one['costs']])
                    for name, one in found.items()]
        except FileNotFoundError:
            return []
        except (TypeError, KeyError, AttributeError, OverflowError, RecursionError) as error:
            raise ValueError(f'not what a controller writes: {error!r}') from None

    def write(self, touched):
        """On the disk, and not only on its way there."""
        text = json.dumps(touched)
        if text == self.text:
            return
        self.text = None
        with open(self.path + '.new', 'w', encoding='utf-8') as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(self.path + '.new', self.path)
        folder = os.open(os.path.dirname(os.path.abspath(self.path)), os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
        self.text = text
