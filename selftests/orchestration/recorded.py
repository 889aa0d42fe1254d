#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""A day of the UK's 14 regions, in half-hours, as the Carbon Intensity API gives it.

    recorded.py >day.json

The recorded winter's day of CATE's data where these are, or else one that is made up: "source"
says which of them. README.md says what the data are.
"""

import json
import os
import sys
from datetime import datetime, timedelta, timezone

import cate

TOP = os.path.realpath(os.path.join(os.path.dirname(os.path.realpath(__file__)), '../..'))
REGIONS, HALF_HOURS = 14, 48


def day(folder):
    """By the data of a FOLDER, or of None."""
    if folder:
        source = 'data of the paper: BTFiles/winterInit.txt'
        rows = cate.numbers(os.path.join(folder, 'BTFiles', 'winterInit.txt'))
    else:
        source = 'made up'
        _, rows = cate.made_up_day(REGIONS, HALF_HOURS)
    begin = datetime(2026, 1, 15, tzinfo=timezone.utc)
    step = timedelta(minutes=30)
    return {'source': source, 'data': [{
        'from': (begin + i * step).strftime('%Y-%m-%dT%H:%MZ'),
        'to': (begin + (i + 1) * step).strftime('%Y-%m-%dT%H:%MZ'),
        'regions': [{'regionid': region, 'intensity': {'forecast': value}}
                    for region, value in enumerate(row, 1)]}
        for i, row in enumerate(rows)]}


def main():
    """Prints it."""
    folder = cate.data_folder(TOP)
    if not folder:
        print('recorded.py: no published data beside the tree (RAMP_CATE=FOLDER), a made-up day',
              file=sys.stderr)
    json.dump(day(folder), sys.stdout)
    return 0


if __name__ == '__main__':
    sys.exit(main())
