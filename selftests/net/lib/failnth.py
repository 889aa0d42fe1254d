# SPDX-License-Identifier: GPL-2.0
"""
Requests of which one allocation after the other fails (/proc/PID/fail-nth).

A request is repeated with its first allocation failing, then its second, until none
is left. It says whether it failed; whatever it says, all that can be seen must be as
it was before, or as the request wants it: nothing in between. What is done with the
memory is left to the leak detector.
"""

import errno
import os
import struct

FAULTS = '/sys/kernel/debug'
NLM_F_REQUEST, NLM_F_ACK = 0x1, 0x4
# Nobody asks for so many.
ALL = 1000000
# The answer itself could not be made: what it would have said is unknown.
UNKNOWN = -1
# What checkers allocate comes now and then, and moves all that follows: one pass may
# miss some, and some may miss so many that there are others.
PASSES = int(os.environ.get('RAMP_FAILNTH_PASSES', '2'))
MORE_PASSES = 8


def prepare():
    """Lets allocations fail that may sleep. False where there is no such thing."""
    for capability in ('failslab', 'fail_page_alloc'):
        for name, value in (('ignore-gfp-wait', 'N'), ('verbose', '0')):
            try:
                with open(f'{FAULTS}/{capability}/{name}', 'w',
                          encoding='ascii') as file:
                    file.write(value)
            except FileNotFoundError:
                return False
    return os.path.exists('/proc/thread-self/fail-nth')


class Faults:
    """Lets an allocation of this task fail."""

    def __init__(self):
        self.file = os.open('/proc/thread-self/fail-nth', os.O_RDWR)

    def run(self, nth, function):
        """
        Calls a function of which the nth allocation fails. Returns (errno, how
        many were left to go: 0 if it did fail).
        """
        err = 0
        word = b'%d' % nth
        os.write(self.file, word)
        try:
            function()
        except OSError as error:
            err = error.errno
        left = int(os.pread(self.file, 16, 0))
        os.write(self.file, b'0')
        return err, left


class Request:
    """One netlink message, which is sent as often as one likes."""

    def __init__(self, link, kind, flags, body):
        self.link = link
        self.text = ''
        self.data = struct.pack('IHHII', 16 + len(body), kind,
                                flags | NLM_F_REQUEST | NLM_F_ACK, 1, 0) + body

    def send(self):
        """All that it asks for is done when this returns."""
        self.link.sock.send(self.data)

    def verdict(self):
        """The errno that it was answered with."""
        try:
            err, self.text = self.link.verdict()
            return err
        except OSError as error:
            if error.errno != errno.ENOBUFS:
                raise
            return UNKNOWN


class Call:
    """A system call that is not netlink's."""

    text = ''

    def __init__(self, function):
        self.send = function

    @staticmethod
    def verdict():
        """It has none but its errno."""
        return 0


class Sweep:
    """Requests under test, and what each of them came to."""

    def __init__(self, ktap):
        self.ktap = ktap
        self.faults = Faults()
        self.failures = self.tried = self.refused = 0

    def once(self, request, nth):
        """Sends it with a failure; returns (errno or UNKNOWN, left)."""
        err, left = self.faults.run(nth, request.send)
        return err or request.verdict(), left

    @staticmethod
    def judge(err, now, states):
        """What is wrong with the outcome, or an empty string."""
        before, wanted, late, says = states
        if now not in (before, wanted):
            return 'neither the old nor the new state'
        if not err and now != wanted:
            return 'it was done, but is not to be seen'
        if err > 0 and err not in late and now != before:
            return f'errno {err}, but it was done'
        if err > 0 and err not in (errno.ENOMEM, errno.ENOBUFS, *says):
            return f'errno {err}: {os.strerror(err)}'
        return ''

    def allocations(self, name, base, request, shown, least=1, late=(), says=()):
        """
        One line: each allocation of a request fails. base() makes the state before
        it, shown() is all that can be seen of it. At least that many of the failures
        have to refuse the request, or it was not tested. Errnos in late are those of
        a core that says no after it was done, those in says of one that has another
        word for it.
        """
        self.tried = self.refused = 0
        base()
        before = shown()
        err, _ = self.once(request, ALL)
        wanted = shown()
        wrong = (f'errno {err} without any failure: {request.text}' if err else
                 '')
        for number in range(PASSES + MORE_PASSES):
            if wrong or number >= PASSES and self.refused >= least:
                break
            wrong = self.one_pass(base, request, shown,
                                  (before, wanted, late, says))
        if not wrong and self.refused < least:
            wrong = f'{self.refused} failures refused it, not {least}'
        self.ktap.result(f'{name}: each allocation fails', wrong)
        print(f'# {self.tried} allocations, {self.refused} that it needs')

    def one_pass(self, base, request, shown, states):
        """Each allocation once. Returns what was wrong."""
        before, wanted = states[:2]
        nth, refused, done, wrong = 0, 0, True, ''
        while not wrong:
            if done:
                base()
                if shown() != before:
                    return 'the state before it cannot be made again'
            nth += 1
            err, left = self.once(request, nth)
            now = shown()
            if left:
                if err or now != wanted:
                    wrong = f'errno {err}, without a failure'
                break
            done = now != before
            refused += err > 0
            wrong = self.judge(err, now, states)
            if wrong:
                wrong = f'allocation {nth}: {wrong}'
        self.failures += nth - 1
        self.tried = max(self.tried, nth - 1)
        self.refused = max(self.refused, refused)
        return wrong
