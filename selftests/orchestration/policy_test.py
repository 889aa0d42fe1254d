#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Tests of mpolice-policy and mpolice-flows without a kernel: what they make of what tc says.

Prints KTAP.
"""

import importlib.machinery
import importlib.util
import os
import sys

from controller_test import HERE, check, ended

POLICY = os.path.join(HERE, '../../Documentation/examples/policy')


def program(name):
    """One of them, as a module."""
    loader = importlib.machinery.SourceFileLoader(name, os.path.join(POLICY, name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


flows = program('mpolice-flows')


def flow_of(proto):
    """What is made of a filter's keys with this protocol, or the error."""
    try:
        return flows.flow_in({'src_ip': '10.9.0.2', 'dst_ip': '10.9.0.1', 'ip_proto': proto},
                             'ingress')
    except ValueError as error:
        return error


def test_protocols():
    """Each tc has names of its own for them."""
    for word, number in (('esp', 50), ('ah', 51), ('l2tp', 115), ('32', 50), ('0x32', 50),
                         ('sctp', 132)):
        found = flow_of(word)
        check(f'an entry of protocol {word} is of a flow of {number}',
              found == flows.Flow(number, '10.9.0.2', 0, '10.9.0.1', 0), found)
    found = flow_of('ospf')
    check('an entry of a protocol with an unknown name is of no flow', found is None, found)


def main():
    """All of them."""
    print('KTAP version 1')
    test_protocols()
    return ended()


if __name__ == '__main__':
    sys.exit(main())
