# SPDX-License-Identifier: GPL-2.0
"""The qdiscs ramp and ramp_mq for pyroute2: options and counters.

    from pyroute2 import IPRoute
    import pyroute2_ramp

    ipr = IPRoute()
    ipr.tc('add', 'ramp', ipr.link_lookup(ifname='eth0')[0], handle='1:',
           rate=125_000_000, start={'unit': 'percent', 'value': 10}, exempt=[0], bands=2)
    for message in ipr.get_qdiscs():
        if message.get_attr('TCA_KIND') == 'ramp':
            print(pyroute2_ramp.options_of(message), pyroute2_ramp.counters_of(message))

Options are those of `tc -j`, with the same names and units: bytes per second, nanoseconds,
percent, milliwatts. What options_of() returns may be given to tc() again. rate, limit and
freeze may be 'auto', too. An option that is unknown, or has such a value, is a ValueError; what is
in range is the kernel's decision.

A device is given by name or by index. Names are looked up in the network namespace of the
process, not in that of the socket: with pyroute2's NetNS give indices. A device that has no
name here is shown as 'if7', as by tc, and may be given so. One of another namespace may be
shown by the name of the device that has its index here.
"""

import re
import socket
import struct
import sys

from pyroute2.netlink import NLA_F_NESTED, nla, nla_base_string
from pyroute2.netlink.rtnl import TC_H_ROOT, tcmsg
from pyroute2.netlink.rtnl.tcmsg import common

# pyroute2 reads it, as it does get_parameters, options and stats2.
parent = TC_H_ROOT

UNITS = ('packets', 'rate', 'pps', 'percent', 'bands')
STATES = ('idle', 'monitoring', 'ramp-up', 'ramp-down', 'dormant', 'frozen')
DETECT = ('off', 'queue', 'ingress', 'both', 'members', 'always')
CEASE = ('full', 'auto', 'time')
FOLLOW = ('auto', 'occupancy', 'links', 'both')
CLOCK = ('none', 'cpufreq')
FREEZE_AUTO = 2 ** 64 - 1


def hundredths(share):
    """A percentage as netlink has it."""
    return round(share * 100)


def percent(number):
    """The other way round; whole numbers are integers, as in the JSON of tc."""
    return number / 100 if number % 100 else number // 100


def same(value):
    """A number."""
    return value


def listed(convert):
    """The same for each of a list."""
    return lambda values: [convert(value) for value in values]


def nested(prefix, **given):
    """Attributes within one; None is one that is not there."""
    return {'attrs': [[f'{prefix}_{name}', value] for name, value in given.items()
                      if value is not None]}


def found_in(prefix, nest):
    """The other way round."""
    return {name[len(prefix) + 1:]: value for name, value in (nest or {}).get('attrs', ())}


def choice(names):
    """One word of several."""
    return names.index, names.__getitem__


def quantity(unit, value):
    """A number of that unit."""
    return hundredths(value) if unit == 'percent' else int(value)


def shown_quantity(unit, number):
    """The other way round."""
    return percent(number) if unit == 'percent' else number


def level(value):
    """{'unit': 'percent', 'low': 5, 'high': 50} or {'unit': 'bands', 'delta': 1}"""
    unit, numbers_of = value['unit'], {}
    if value.get('high_auto'):
        value = {**value, 'high': 0}
    for key in ('delta',) if 'delta' in value else ('low', 'high'):
        numbers_of[key.upper()] = quantity(unit, value[key])
    return nested('TCA_RAMP_LEVEL', UNIT=UNITS.index(unit), **numbers_of)


def shown_level(nest):
    """The other way round."""
    found = found_in('TCA_RAMP_LEVEL', nest)
    unit = UNITS[found.pop('UNIT')]
    return {'unit': unit, **{key.lower(): shown_quantity(unit, number)
                             for key, number in found.items() if key != 'PAD'}}


def amount(value):
    """{'unit': 'rate', 'value': 1000000}"""
    return nested('TCA_RAMP_AMOUNT', UNIT=UNITS.index(value['unit']),
                  VALUE=quantity(value['unit'], value['value']))


def shown_amount(nest):
    """The other way round."""
    found = found_in('TCA_RAMP_AMOUNT', nest)
    unit = UNITS[found['UNIT']]
    return {'unit': unit, 'value': shown_quantity(unit, found['VALUE'])}


def ladder(steps):
    """[{'at': 50, 'rate': 80}, ...]"""
    if not steps:
        return nested('TCA_RAMP_LADDER')
    return nested('TCA_RAMP_LADDER', AT=[hundredths(step['at']) for step in steps],
                  RATE=[hundredths(step['rate']) for step in steps])


def shown_ladder(nest):
    """The other way round."""
    found = found_in('TCA_RAMP_LADDER', nest)
    return [{'at': percent(at), 'rate': percent(rate)}
            for at, rate in zip(found.get('AT', ()), found.get('RATE', ()))]


def index_of(name):
    """The number of an interface, which may be given itself, 0 for 'none'."""
    if isinstance(name, int):
        return name
    if name == 'none':
        return 0
    try:
        return socket.if_nametoindex(name)
    except OSError:
        if not re.fullmatch('if[0-9]+', name):
            raise
        return int(name[2:])


def name_of(index):
    """The other way round."""
    try:
        return socket.if_indextoname(index) if index else 'none'
    except OSError:
        return f'if{index}'


def devices(prefix):
    """Interfaces, by name or number."""
    return (lambda names: {'attrs': [[f'{prefix}_IFINDEX', index_of(name)]
                                     for name in names]},
            lambda nest: [name_of(index) for _, index in (nest or {}).get('attrs', ())])


def of_bands(which, fields):
    """Something of single bands: (attribute, key, there, back) each."""
    one = f'TCA_RAMP_BAND_{which}'

    def there(entries):
        return {'attrs': [[f'{one}S_ENTRY', nested(
            one, BAND=entry['band'],
            **{attr: write(entry[key]) for attr, key, write, _ in fields
               if entry.get(key) is not None})] for entry in entries]}

    def back(nest):
        found = [found_in(one, entry) for _, entry in (nest or {}).get('attrs', ())]
        return [{'band': entry['BAND'],
                 **{key: show(entry[attr]) for attr, key, _, show in fields if attr in entry}}
                for entry in found]

    return there, back


def bits(bands):
    """[0, 2]"""
    return sum(1 << band for band in set(bands))


def shown_bits(mask):
    """The other way round."""
    return [band for band in range(32) if mask >> band & 1]


def addresses(texts):
    """['02:00:00:00:00:01']"""
    return [byte for text in texts for byte in bytes.fromhex(text.replace(':', ''))]


def shown_addresses(found):
    """The other way round."""
    return [bytes(found[at:at + 6]).hex(':') for at in range(0, len(found), 6)]


NUMBER = (int, same)
NUMBERS = (listed(int), same)
FLAG = (lambda on: int(bool(on)), bool)
PERCENT = (lambda share: hundredths(share or 0), percent)
PERCENTS = (listed(hundredths), listed(percent))
LEVEL = (level, shown_level)
AMOUNT = (amount, shown_amount)
BAND_LIMITS = of_bands('LIMIT', (('PACKETS', 'packets', int, same),
                                 ('BYTES', 'bytes', int, same)))
BAND_LADDERS = of_bands('LADDER', (('LADDER', 'ladder', ladder, shown_ladder),))
BAND_FEEDBACKS = of_bands('FEEDBACK', (('IFINDEX', 'dev', index_of, name_of),))

# In the order of the numbers: attribute, its type, its key in the JSON of tc, and how it
# is written and shown. Without the last two it is none that can be given, or is handled
# below.
OPTIONS = (
    ('UNSPEC', 'none', None, None),
    ('PAD', 'none', None, None),
    ('LIMIT', 'uint32', 'limit', NUMBER),
    ('RATE', 'uint64', 'rate', NUMBER),
    ('DETECT', 'uint32', 'detect', choice(DETECT)),
    ('QUEUE', 'level', 'queue', LEVEL),
    ('INGRESS', 'level', 'ingress', LEVEL),
    ('WINDOW', 'uint64', 'window', NUMBER),
    ('MONITOR', 'uint64', 'monitor', NUMBER),
    ('TICK', 'uint64', 'tick', NUMBER),
    ('START', 'amount', 'start', AMOUNT),
    ('STEP', 'amount', 'step', AMOUNT),
    ('PAUSE', 'uint64', 'pause', NUMBER),
    ('HOLD', 'uint64', 'hold', NUMBER),
    ('DOWN_STEP', 'amount', 'down_step', AMOUNT),
    ('FLOOR', 'amount', 'floor', AMOUNT),
    ('CEASE', 'uint32', 'cease', choice(CEASE)),
    ('LIMIT_NOW', 'uint32', None, None),
    ('LIMIT_NEED', 'uint32', None, None),
    ('RATE_NOW', 'uint64', None, None),
    ('BANDS', 'uint32', 'bands', NUMBER),
    ('PRIOMAP', 'bytes_of', 'priomap', NUMBERS),
    ('EXEMPT', 'uint32', 'exempt', (bits, shown_bits)),
    ('BAND_LIMITS', 'band_limits', 'band_limit', BAND_LIMITS),
    ('SPLIT_GSO', 'uint32', 'split_gso', FLAG),
    ('MEMBERS', 'level', 'members', LEVEL),
    ('ADAPTIVE', 'uint32', 'adaptive', FLAG),
    ('CEASE_TIME', 'uint64', 'cease_time', NUMBER),
    ('LADDER', 'ladder', 'ladder', (ladder, shown_ladder)),
    ('BAND_LADDERS', 'band_ladders', 'band_ladder', BAND_LADDERS),
    ('ADJUST', 'uint32', 'adjust', PERCENT),
    ('UNUSED_31', 'none', None, None),
    ('FEEDBACK', 'feedback', 'feedback', devices('TCA_RAMP_FEEDBACK')),
    ('BAND_FEEDBACKS', 'band_feedbacks', 'band_feedback', BAND_FEEDBACKS),
    ('VALIDITY', 'uint64', 'validity', NUMBER),
    ('ETHERTYPE', 'uint32', 'ethertype', NUMBER),
    ('OBEY', 'uint32', 'obey', FLAG),
    ('OBEY_MIN', 'uint32', 'obey_min', PERCENT),
    ('RAIL', 'uint32', 'rail', NUMBER),
    ('GEARS', 'longs', 'gears', NUMBERS),
    ('GEAR_UP', 'shorts', 'gear_up', PERCENTS),
    ('GEAR_DOWN', 'shorts', 'gear_down', PERCENTS),
    ('GEAR_MIN', 'uint32', None, None),
    ('GEAR_MAX', 'uint32', None, None),
    ('GEAR_FOLLOW', 'uint32', 'gear_follow', choice(FOLLOW)),
    ('GEAR_PORTS', 'gear_ports', 'gear_ports', devices('TCA_RAMP_GEAR_PORTS')),
    ('FREEZE', 'uint64', 'freeze', NUMBER),
    ('DWELL', 'uint64', 'dwell', NUMBER),
    ('IDLE', 'uint64', 'idle', NUMBER),
    ('POWER', 'words', 'power', NUMBERS),
    ('CLOCK', 'uint32', 'clock', choice(CLOCK)),
    ('CLOCK_PERCENT', 'shorts', 'clock_percent', PERCENTS),
    ('CLOCK_CPUS', 'words', 'cpus', NUMBERS),
    ('GEAR_TOP', 'uint32', None, None),
    ('FREEZE_NOW', 'uint64', None, None),
    ('LIMIT_BYTES', 'uint32', 'limit_bytes', NUMBER),
    ('LIMIT_BYTES_NOW', 'uint32', None, None),
    ('GEAR_UP_TIME', 'longs', 'gear_up_time', NUMBERS),
    ('GEAR_DOWN_TIME', 'longs', 'gear_down_time', NUMBERS),
    ('GEAR_FIT', 'uint32', 'gear_fit', (PERCENT[0], lambda fit: percent(fit) if fit else None)),
    ('POWER_PORTS', 'shorts', 'power_ports', PERCENTS),
    ('OBEY_FROM', 'bytes_of', 'obey_from', (addresses, shown_addresses)),
)
CODECS = {key: (attr, codec) for attr, _, key, codec in OPTIONS if key}
# What tc shows only beside gears.
GEARS = ('gears', 'freeze', 'freeze_auto', 'dwell', 'idle', 'power', 'power_ports', 'clock',
         'clock_percent', 'cpus')


class numbers(nla_base_string):
    """An array of integers of 32 bits."""

    fields = [('value', 's')]
    code = 'I'

    def encode(self):
        """A list."""
        self['value'] = struct.pack(f'={len(self.value)}{self.code}', *self.value)
        nla_base_string.encode(self)

    def decode(self):
        """A list."""
        nla_base_string.decode(self)
        data = self['value'] or b''
        count = len(data) // struct.calcsize(self.code)
        self.value = list(struct.unpack(f'={count}{self.code}', data))


class shorts_of(numbers):
    """16 bits each."""

    code = 'H'


def nest_of(prefix, *rows, **types):
    """A type of attributes within one; types that pyroute2 does not know are in types."""
    return type(prefix.lower(), (nla,), {
        'nla_flags': NLA_F_NESTED, **types,
        'nla_map': tuple((f'{prefix}_{name}', kind) for name, kind in rows)})


LADDER_TYPE = nest_of('TCA_RAMP_LADDER', ('UNSPEC', 'none'), ('AT', 'shorts'),
                      ('RATE', 'shorts'), shorts=shorts_of)


def entries_of(which, *rows, **types):
    """A list of what bands have."""
    one = f'TCA_RAMP_BAND_{which}'
    entry = nest_of(one, ('UNSPEC', 'none'), ('BAND', 'uint32'), *rows, **types)
    return nest_of(f'{one}S', ('UNSPEC', 'none'), ('ENTRY', 'entry'), entry=entry)


class options(nla):
    """TCA_OPTIONS."""

    nla_flags = NLA_F_NESTED
    nla_map = tuple((f'TCA_RAMP_{name}', kind) for name, kind, _, _ in OPTIONS)

    words = numbers
    shorts = shorts_of
    level = nest_of('TCA_RAMP_LEVEL', ('UNSPEC', 'none'), ('PAD', 'none'), ('UNIT', 'uint32'),
                    ('LOW', 'uint64'), ('HIGH', 'uint64'), ('DELTA', 'uint64'))
    amount = nest_of('TCA_RAMP_AMOUNT', ('UNSPEC', 'none'), ('PAD', 'none'),
                     ('UNIT', 'uint32'), ('VALUE', 'uint64'))
    ladder = LADDER_TYPE
    feedback = nest_of('TCA_RAMP_FEEDBACK', ('UNSPEC', 'none'), ('IFINDEX', 'uint32'))
    gear_ports = nest_of('TCA_RAMP_GEAR_PORTS', ('UNSPEC', 'none'), ('IFINDEX', 'uint32'))
    band_limits = entries_of('LIMIT', ('PACKETS', 'uint32'), ('BYTES', 'uint32'))
    band_ladders = entries_of('LADDER', ('LADDER', 'ladder'), ladder=LADDER_TYPE)
    band_feedbacks = entries_of('FEEDBACK', ('IFINDEX', 'uint32'))

    class longs(numbers):
        """64 bits each."""

        code = 'Q'

    class bytes_of(numbers):
        """8 bits each."""

        code = 'B'


def settle(given):
    """What several keys of tc's JSON say about one option becomes one value."""
    given = dict(given)
    if given.pop('limit_auto', False):
        given.pop('limit_bytes', None)
        given['limit'] = 'auto'
    if 'limit_bytes' in given:
        given.pop('limit', None)
    for name, auto in (('limit', 0), ('rate', 0), ('freeze', FREEZE_AUTO)):
        if given.pop(f'{name}_auto', False) or given.get(name) == 'auto':
            given[name] = auto
    for answer in ('limit_need', 'gear_top'):
        given.pop(answer, None)
    return given


def attributes_of(name, value):
    """Those of one option."""
    if name == 'gear_range':
        limits = value or {'min': 0, 'max': 0}
        return [['TCA_RAMP_GEAR_MIN', int(limits['min'])],
                ['TCA_RAMP_GEAR_MAX', int(limits['max'])]]
    attr, codec = CODECS[name]
    return [[f'TCA_RAMP_{attr}', codec[0](value)]]


def get_parameters(kwarg):
    """What tc() was given, as attributes."""
    # Those of tc() itself.
    others = ('kind', 'index', 'handle', 'parent', 'ifindex', 'family', 'info', 'target')
    attrs = []
    for name, value in settle({key: value for key, value in kwarg.items()
                               if key not in others}).items():
        if name not in CODECS and name != 'gear_range':
            raise ValueError(f'ramp has no option "{name}"')
        try:
            attrs += attributes_of(name, value)
        except (ValueError, LookupError, TypeError, AttributeError, OSError) as error:
            raise ValueError(f'{name}: {value!r} is no such value ({error})') from error
    return {'attrs': attrs}


def auto_of(found, shown, name, auto):
    """What an option is that may be auto, and whether it is."""
    value = found[name]
    shown[name.lower()] = found.get(f'{name}_NOW', value)
    if shown[name.lower()] == auto:
        del shown[name.lower()]
    shown[f'{name.lower()}_auto'] = value == auto


def options_of(message):
    """The options of a ramp, as in the JSON of tc."""
    found = found_in('TCA_RAMP', message.get_attr('TCA_OPTIONS'))
    shown = {key: codec[1](found[attr]) for key, (attr, codec) in CODECS.items()
             if attr in found}
    shown['limit'] = found.get('LIMIT_NOW', found.get('LIMIT', 0))
    shown['limit_auto'] = not found.get('LIMIT') and 'LIMIT_BYTES' not in found
    if 'LIMIT_BYTES_NOW' in found:
        shown['limit_bytes'] = found['LIMIT_BYTES_NOW']
    if 'LIMIT_NEED' in found:
        shown['limit_need'] = found['LIMIT_NEED']
    auto_of(found, shown, 'RATE', 0)
    if 'FREEZE' in found:
        auto_of(found, shown, 'FREEZE', FREEZE_AUTO)
    if shown['cease'] != 'time':
        shown.pop('cease_time', None)
    if 'high' in shown['members']:
        shown['members']['high_auto'] = not shown['members']['high']
        if shown['members']['high_auto']:
            shown['members']['high'] = shown['bands'] - len(shown['exempt'])
    if not shown.get('gears'):
        return {key: value for key, value in shown.items()
                if key not in GEARS and not key.startswith('gear_')}
    limits = {'min': found.get('GEAR_MIN', 0), 'max': found.get('GEAR_MAX', 0)}
    shown['gear_range'] = limits if limits['max'] else None
    if 'GEAR_TOP' in found:
        shown['gear_top'] = found['GEAR_TOP']
    return shown


# struct tc_ramp_xstats: what tc shows in any case, and what it shows beside gears.
COUNTERS = ('enqueued dequeued dropped queued surges_up surges_down surges_self down_empty '
            'ramps ramps_done ramps_turned ticks ticks_late ramp_ns delayed split_extra '
            'codes_sent codes_refreshed frames_sent frames_lost codes_received codes_stale '
            'codes_malformed codes_ignored codes_expired events_lost').split()
BEFORE_GEARS = struct.Struct(f'=IIQ{len(COUNTERS)}QQ')
OF_GEARS = struct.Struct('=4I16Q9Q4I16Q')


def gear_counters(data):
    """Those that follow the others."""
    gear, low, high, gears, *rest = OF_GEARS.unpack(data)
    times, rest = rest[:16], rest[16:]
    changes, flaps, freezes, *freeze_ns, drops, energy, saved = rest[:9]
    rows, row, up, ports, *port_ns = rest[9:]
    if not gears:
        return {}
    shown = {'gear': gear, 'gear_min': low, 'gear_max': high, 'gear_changes': changes,
             'flaps': flaps, 'range_drops': drops, 'gear_ns': times[:gears],
             'freezes': freezes, 'freeze_ns': dict(zip(('min', 'avg', 'max'), freeze_ns)),
             'energy_mj': energy, 'saved_pct': percent(saved)}
    if rows:
        shown.update(ports_up=up, ports=ports, port_row=row, port_ns=port_ns[:rows])
    return shown


class stats2(common.stats2):
    """TCA_STATS2."""

    class stats_app(nla_base_string):
        """struct tc_ramp_xstats, which may grow at its end, or a band's, which is less."""

        fields = [('value', 's')]

        def decode(self):
            """A dictionary."""
            nla_base_string.decode(self)
            data, self.value = self['value'], {}
            if len(data) < BEFORE_GEARS.size:
                return
            state, unit, allowance, *counts, peer = BEFORE_GEARS.unpack_from(data)
            data = data[BEFORE_GEARS.size:][:OF_GEARS.size]
            self.value = {
                'state': STATES[state], 'allowance': allowance,
                'allowance_unit': ('packets', 'bytes')[unit], 'peer_rate': percent(peer),
                **dict(zip(COUNTERS, counts)),
                **gear_counters(data + bytes(OF_GEARS.size - len(data)))}


def counters_of(message):
    """The counters of a ramp, named as in the JSON of tc."""
    return message.get_attr('TCA_STATS2').get_attr('TCA_STATS_APP') or {}


tcmsg.plugins['ramp'] = tcmsg.plugins['ramp_mq'] = sys.modules[__name__]
