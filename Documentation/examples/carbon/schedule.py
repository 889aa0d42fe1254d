# SPDX-License-Identifier: GPL-2.0
"""A schedule of links instead of intensities: lines of 'HH:MM LINK up' or 'down', for each
day (NetFridgeS, section 3.1)."""

import re


class ScheduleError(Exception):
    """What is wrong with the file."""


def parse(text, links):
    """[(second of the day, link, whether it is up)], in order."""
    rows = []
    for count, line in enumerate(text.splitlines(), 1):
        words = line.partition('#')[0].split()
        if not words:
            continue
        clock = re.fullmatch(r'([01]\d|2[0-3]):([0-5]\d)', words[0])
        if len(words) != 3 or not clock or words[2] not in ('up', 'down'):
            raise ScheduleError(f"line {count}: '{line.strip()}' is not HH:MM LINK up|down")
        if words[1] not in links:
            raise ScheduleError(f"line {count}: there is no link '{words[1]}'")
        rows.append((int(clock[1]) * 3600 + int(clock[2]) * 60, words[1], words[2] == 'up'))
    if not rows:
        raise ScheduleError('no lines')
    return sorted(rows, key=lambda row: row[0])


def read(path, links):
    """Of a file."""
    try:
        with open(path, encoding='utf-8') as file:
            return parse(file.read(), links)
    except UnicodeDecodeError as error:
        raise ScheduleError(str(error)) from None


def wanted_down(rows, now):
    """The links that are to be down at NOW (seconds). Before its first line of a day, the
    last one of the day before holds."""
    state = {}
    second = now % 86400
    for row in rows:
        state[row[1]] = row[2]
    for due, link, up in rows:
        if due <= second:
            state[link] = up
    return {link for link, up in state.items() if not up}
