# SPDX-License-Identifier: GPL-2.0
"""Does a specification of netlink fit its schema, and is there all that it refers to?

    spec_check.py PYYNL SPEC	PYYNL is the kernel's tools/net/ynl/pyynl
"""

import sys

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])

from lib import SpecFamily  # noqa: E402


def missing(family):
    """What is referred to and is not there."""
    tables = {'nested-attributes': family.attr_sets, 'enum': family.consts,
              'struct': family.consts, 'sub-message': family.sub_msgs}
    for space in family.attr_sets.values():
        for name, attribute in space.items():
            for key, table in tables.items():
                if attribute.yaml.get(key, None) not in (None, *table):
                    yield f'{space.name}: {name}: {key} {attribute.yaml[key]}'
    for message in family.sub_msgs.values():
        for value, one in message.formats.items():
            if one.attr_set not in (None, *family.attr_sets) or \
                    one.fixed_header not in (None, *family.consts):
                yield f'{message.name}: {value}'


def main():
    """Command line."""
    lines = list(missing(SpecFamily(sys.argv[2])))
    print(*lines, sep='\n', end='\n' if lines else '')
    return int(len(lines) > 0)


if __name__ == '__main__':
    sys.exit(main())
