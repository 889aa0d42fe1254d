# SPDX-License-Identifier: GPL-2.0
"""Carbon intensities by region and time, as the UK Carbon Intensity API gives them.

    {"data": [{"from": "2026-01-15T00:00Z", "to": "2026-01-15T00:30Z", "regions": [
        {"regionid": 1, "shortname": "North Scotland", "intensity": {"forecast": 26}}]}]}

A value of "actual" is taken before one of "forecast".
"""

import http.client
import json
import os
import signal
import stat
import urllib.request
from datetime import datetime, timezone

HIGHEST = 5000
LARGEST = 16 << 20
PATIENCE = 10
FORM = '%Y-%m-%dT%H:%MZ'


class IntensityError(Exception):
    """Why there are none."""


class Late(Exception):
    """Patience is over. No OSError, after which the next address would be tried."""


def late(*_):
    """For all of an answer: the timeout of a socket is for each part of it."""
    raise Late


def read_url(where):
    """What a server says, if it says it in time."""
    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, PATIENCE)
    try:
        with urllib.request.urlopen(where, timeout=PATIENCE) as answer:
            return answer.read(LARGEST + 1)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def read_file(where):
    """What a file has. Anything else, a pipe or a terminal, may keep its reader for ever."""
    with open(os.open(where, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), 'rb') as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise ValueError('it is no regular file')
        return file.read(LARGEST + 1)


def fetch(where):
    """The text of a file or of a URL."""
    try:
        if where.startswith(('http://', 'https://')):
            text = read_url(where)
        else:
            text = read_file(where)
    except Late:
        raise IntensityError(f'cannot read {where}: no whole answer in {PATIENCE} s') from None
    except (OSError, ValueError, http.client.HTTPException) as error:
        raise IntensityError(f'cannot read {where}: {error or type(error).__name__}') from None
    if len(text) > LARGEST:
        raise IntensityError(f'{where} has more than {LARGEST} bytes')
    return text


def stamp(seconds):
    """A time as the API has it."""
    return datetime.fromtimestamp(seconds, timezone.utc).strftime(FORM)


def when(text):
    """A time of the API, in seconds."""
    try:
        return datetime.strptime(text, FORM).replace(tzinfo=timezone.utc).timestamp()
    except (TypeError, ValueError):
        raise IntensityError(f'{text!r} is no time') from None


def value_of(region):
    """What it says of a region."""
    intensity = region.get('intensity')
    if not isinstance(intensity, dict):
        raise IntensityError(f'region {region.get("regionid")!r} has no intensity')
    value = intensity.get('actual')
    value = intensity.get('forecast') if value is None else value
    good = isinstance(value, (int, float)) and not isinstance(value, bool)
    # NaN is not between them either, and no number is too long for that.
    if not good or not 0 <= value <= HIGHEST:
        raise IntensityError(f'region {region.get("regionid")!r} has {repr(value)[:40]} gCO2/kWh, '
                             f'which is not 0..{HIGHEST}')
    return float(value)


def parse(text):
    """[(from, to, {region: gCO2/kWh, or why there is none})], in the order of time. Regions
    are known by their number and by their name."""
    try:
        data = json.loads(text)
        data = data['data']
        periods = []
        for period in data:
            values = {}
            for region in period['regions']:
                try:
                    value = value_of(region)
                except IntensityError as error:
                    # It matters if it is asked for.
                    value = error
                values[str(region['regionid'])] = value
                if region.get('shortname'):
                    values[region['shortname']] = value
            periods.append((when(period['from']), when(period['to']), values))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise IntensityError(f'not in the form of the API: {type(error).__name__} '
                             f'{error}') from None
    if not periods:
        raise IntensityError('no data')
    return sorted(periods, key=lambda period: period[0])


def at(periods, now, regions, stale):
    """The values that hold at NOW for REGIONS. A period holds for STALE seconds more than it
    says, as an API may be late."""
    holding = [period for period in periods if period[0] <= now]
    if not holding:
        raise IntensityError(f'begins at {stamp(periods[0][0])}, which is later')
    start, end, values = holding[-1]
    if now >= end + stale:
        # Not how long ago: the same message has to stay the same.
        raise IntensityError(f'stale: the last period ended at {stamp(end)}')
    unknown = sorted(set(regions) - set(values))
    if unknown:
        raise IntensityError(f"no region '{unknown[0]}' in the data")
    for region in sorted(regions):
        if isinstance(values[region], IntensityError):
            raise values[region]
    return start, {region: values[region] for region in regions}


class Source:
    """Reads again when a file has changed, and a URL when its last period has ended."""

    def __init__(self, where):
        self.where, self.periods, self.found, self.until = where, None, None, 0

    def at(self, now, regions, stale):
        """See above."""
        if self.where.startswith(('http://', 'https://')):
            if self.periods is None or now >= self.until:
                self.periods = parse(fetch(self.where))
                self.until = max(period[1] for period in self.periods)
        else:
            try:
                status = os.stat(self.where)
            except OSError as error:
                raise IntensityError(f'cannot read {self.where}: {error.strerror}') from None
            found = (status.st_mtime_ns, status.st_size, status.st_ino)
            if self.periods is None or found != self.found:
                self.periods = None
                self.periods = parse(fetch(self.where))
                self.found = found
        return at(self.periods, now, regions, stale)
