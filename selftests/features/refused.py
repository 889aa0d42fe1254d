#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Parameters of features that were left out are refused by their names, and not shown.

    refused.py [FEATURE...]	those that the module has

Runs as root in a network namespace of its own (unshare -n). Prints KTAP.
"""

import errno
import socket
import subprocess
import sys

import rails
from features import ATTRIBUTES, CORE, NUMBER, name
from netlink import (NETLINK_GENERIC, TCA_OPTIONS, Netlink, Tc, attrs_of, genl, nest, u32,
                     u64)
from rawnl_ktap import Ktap

DEV = 'ramp0'
CONFIG = nest(TCA_OPTIONS, u32(NUMBER['LIMIT'], 777), u64(NUMBER['RATE'], 125000000))
RAIL_GET = 5


def run(*words):
    """What a command complains of."""
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    return done.stderr.strip() if done.returncode else 'it was accepted'


def refusal(feature, attribute):
    """What the kernel has to say."""
    return (f'{name(feature, attribute)}: left out of this build '
            f'(CONFIG_NET_SCH_RAMP_{feature.upper()})')


def differs(got, wanted):
    """What is wrong with an answer."""
    return '' if got == wanted else f'got {got}, wanted {wanted}'


def test_absent(tc, ktap, feature):
    """One feature that was left out."""
    before = tc.shown()
    shown = attrs_of(before)
    for attribute, words in ATTRIBUTES[feature].items():
        number = NUMBER[attribute]
        wanted = errno.EOPNOTSUPP, refusal(feature, attribute)
        # What is in range does not matter, nor what else is named.
        options = nest(TCA_OPTIONS, u32(NUMBER['LIMIT'], 5), u32(number, 2**32 - 1))
        wrong = differs(tc.modify(options), wanted)
        if not wrong and tc.shown() != before:
            wrong = 'the configuration changed'
        if not wrong and number in shown:
            wrong = 'it is shown'
        ktap.result(f'{attribute} is refused as {feature} were left out', wrong)
        if ' ' not in words:
            continue
        said = run('tc', 'qdisc', 'change', 'dev', DEV, 'root', 'handle', '1:', 'ramp',
                   *words.split())
        ktap.result(f'tc says so of {words}', differs(said, f'Error: {wanted[1]}.'))


def test_present(tc, ktap, have):
    """What is there is asked for its range, at most."""
    for attribute in CORE + [one for feature in have for one in ATTRIBUTES[feature]]:
        err, text = tc.modify(nest(TCA_OPTIONS, u32(NUMBER[attribute], 2**32 - 1)))
        ktap.result(f'{attribute} is not refused as left out',
                    f'errno {err}, "{text}"'
                    if err == errno.EOPNOTSUPP or 'left out' in text else '')
    shown = attrs_of(tc.shown())
    for feature in have:
        ktap.result(f'{feature} are shown',
                    '' if any(NUMBER[one] in shown for one in ATTRIBUTES[feature])
                    else 'nothing of them is')


def test_rails(tc, ktap, there):
    """A rail that is not there, and the qdisc that has one of its own."""
    family = Netlink(NETLINK_GENERIC)
    number = family.number_of('ramp')
    err, text = family.ask_message(number, 0, genl(RAIL_GET, u32(rails.RAIL, 7)))
    ktap.result('family ramp knows of rails or not',
                differs(err, errno.ENOENT if there else errno.EOPNOTSUPP))
    tc.remove()
    said = run('tc', 'qdisc', 'add', 'dev', DEV, 'root', 'handle', '1:', 'ramp_mq')
    ktap.result('there is a ramp_mq or not',
                differs(said, 'it was accepted' if there else
                        'Error: Specified qdisc kind is unknown.'))


def main():
    """Makes a ramp, and asks it for all that there may be."""
    have = sys.argv[1:]
    ktap = Ktap()
    run('ip', 'link', 'add', DEV, 'type', 'dummy')
    tc = Tc(socket.if_nametoindex(DEV))
    err, text = tc.add(CONFIG)
    ktap.result('there is a ramp', differs((err, text), (0, '')))
    if err:
        return ktap.ended()
    for feature in ATTRIBUTES:
        if feature not in have:
            test_absent(tc, ktap, feature)
    test_present(tc, ktap, have)
    test_rails(tc, ktap, 'rails' in have)
    return ktap.ended()


if __name__ == '__main__':
    sys.exit(main())
