# SPDX-License-Identifier: GPL-2.0
"""Carbon intensities by region and time, as the UK Carbon Intensity API gives them.

    {"data": [{"from": "2026-01-15T00:00Z", "to": "2026-01-15T00:30Z", "regions": [
        {"regionid": 1, "shortname": "North Scotland", "intensity": {"forecast": 26}}]}]}

A value of "actual" is taken before one of "forecast".
"""

import http.client
import json
import math
import os
import urllib.request
from datetime import datetime, timezone

HIGHEST = 5000
LARGEST = 16 << 20
PATIENCE = 10
FORM = '%Y-%m-%dT%H:%MZ'


class IntensityError(Exception):
    """Why there are none."""


def fetch(where):
    """The text of a file or of a URL."""
    try:
        if where.startswith(('http://', 'https://')):
            with urllib.request.urlopen(where, timeout=PATIENCE) as answer:
                text = answer.read(LARGEST + 1)
        else:
            with open(where, 'rb') as file:
                text = file.read(LARGEST + 1)
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
    if not good or not math.isfinite(value) or not 0 <= value <= HIGHEST:
        raise IntensityError(f'region {region.get("regionid")!r} has {value!r} gCO2/kWh, '
                             f'which is not 0..{HIGHEST}')
    return float(value)


def parse(text):
    """[(from, to, {region: gCO2/kWh})], in the order of time. Regions are known by their
    number and by their name."""
    try:
        data = json.loads(text)
        data = data['data']
        periods = []
        for period in data:
            values = {}
            for region in period['regions']:
                value = value_of(region)
                values[str(region['regionid'])] = value
                if region.get('shortname'):
                    values[region['shortname']] = value
            periods.append((when(period['from']), when(period['to']), values))
    except (ValueError, TypeError, KeyError, AttributeError) as error:
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
