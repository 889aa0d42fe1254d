#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Prints what a kernel module (64-bit ELF, of this machine's byte order) imports.

    imports.py FILE.ko
"""

import struct
import sys

SHT_SYMTAB = 2
SHN_UNDEF = 0


def sections(elf):
    """Yields type, offset, size and link of every section."""
    offset, = struct.unpack_from('=Q', elf, 40)
    size, number = struct.unpack_from('=HH', elf, 58)
    for n in range(number):
        kind, _, _, start, length, link = struct.unpack_from(
            '=IQQQQI', elf, offset + n * size + 4)
        yield kind, start, length, link


def imports(elf):
    """Yields the names of the undefined symbols."""
    table = list(sections(elf))
    for kind, start, length, link in table:
        if kind != SHT_SYMTAB:
            continue
        strings = table[link][1]
        for at in range(start, start + length, 24):
            name, _, _, index = struct.unpack_from('=IBBH', elf, at)
            if name and index == SHN_UNDEF:
                end = elf.index(b'\0', strings + name)
                yield elf[strings + name:end].decode()


def main():
    """Reads the file that is named."""
    with open(sys.argv[1], 'rb') as file:
        elf = file.read()
    if elf[:5] != b'\x7fELF\x02':
        print(sys.argv[1] + ': no 64-bit ELF file', file=sys.stderr)
        return 1
    print('\n'.join(sorted(imports(elf))))
    return 0


if __name__ == '__main__':
    sys.exit(main())
