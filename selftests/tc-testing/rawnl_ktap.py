# SPDX-License-Identifier: GPL-2.0
"""Results of raw netlink cases, as KTAP."""


class Ktap:
    """Counts and prints results."""

    def __init__(self, planned=None):
        self.planned = planned
        self.count = 0
        self.failed = 0
        print('KTAP version 1')
        if planned is not None:
            print(f'1..{planned}')

    def result(self, name, wrong):
        """wrong: what went wrong, or an empty string."""
        self.count += 1
        if wrong:
            self.failed += 1
            print(f'# {wrong}')
        print(f"{'not ok' if wrong else 'ok'} {self.count} {name}",
              flush=True)

    def ended(self):
        """Prints the totals, and a plan there was not; returns the exit status."""
        if self.planned is None:
            print(f'1..{self.count}')
        print(f'# totals: pass:{self.count - self.failed} fail:{self.failed}')
        return 1 if self.failed else 0
