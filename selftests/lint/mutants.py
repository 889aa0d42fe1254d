#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Every row of the tables of mutants breaks something: it has the fields that its table
says, its file is there, and its sed expression changes it. A row that changes nothing
is a fault that no test is asked about.

    mutants.py          in the folder of the tree; prints the rows that are wrong
"""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

LAWS = 'include/net/ramp/'
# table: fields, the one with the file, the one with the expression, folder of the files
TABLES = {
    'selftests/net/mutants.txt': (4, 0, 1, ''),
    'selftests/machines/mutants.txt': (4, 0, 1, ''),
    'selftests/unit/mutants.txt': (3, 0, 1, LAWS),
    'selftests/fuzz/mutants.txt': (4, 1, 2, LAWS),
}


def rows(table):
    """Yields number and text of each row."""
    with open(table, encoding='utf-8') as file:
        for number, line in enumerate(file, 1):
            line = line.rstrip('\n')
            if line and not line.startswith('#'):
                yield number, line


def wrong(table, line):
    """Returns what is wrong with a row, or None."""
    count, at_file, at_sed, folder = TABLES[table]
    fields = line.split('|')
    if len(fields) != count:
        return f'{len(fields)} fields, not {count}'
    path = folder + fields[at_file]
    try:
        with open(path, 'rb') as file:
            before = file.read()
    except OSError as error:
        return str(error)
    done = subprocess.run(['sed', '-E', fields[at_sed], path], check=False,
                          capture_output=True)
    if done.returncode:
        return done.stderr.decode().strip()
    return 'it changes nothing' if done.stdout == before else None


def main():
    """See above."""
    found = 0
    with ThreadPoolExecutor(4) as pool:
        for table in TABLES:
            numbered = list(rows(table))
            if not numbered:
                print(f'{table}: no rows')
                found += 1
            what = pool.map(lambda row, table=table: wrong(table, row[1]), numbered)
            for (number, line), why in zip(numbered, what):
                if why:
                    print(f'{table}:{number}: {why}: {line}')
                    found += 1
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main())
