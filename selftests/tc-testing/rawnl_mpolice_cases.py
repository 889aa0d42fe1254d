# SPDX-License-Identifier: GPL-2.0
"""
What actions mpolice and their buckets must refuse, and what is just in range.

All of it is meant for the actions and buckets of CONFIG.
"""

from netlink import NLA_F_NESTED, attr, u32, u64
from rawnl_mpolice_msg import (
    ACCOUNT, ACT_GOTO, ACT_JUMP, ACT_OK, ACT_PIPE, ACT_RECLASSIFY, ACT_SHOT,
    ACT_TRAP, ACT_UNSPEC, BINDCNT, BUCKET, BUCKET_GET, BUCKET_REPOINT,
    BUCKET_SET, BURST, BURST_MIN, BYPASS, B_BURST, B_DEBT, B_ID, B_INTERVAL,
    B_PAD, B_PPS, B_RATE, B_STATS, B_STRANDED, B_TARGET, B_TOKENS, B_USERS,
    CONFORM, DEBT, DROP, EXCEED, INDEX, INTERVAL, INTERVAL_MAX, PACKETS, PAD,
    POLICY, PPS, RATE, RATE_MAX, REFCNT, STATS, STRANDED, THRESHOLD, TM, TOKENS,
    TOKENS_MAX, UNLIMITED, USERS)

U32_MAX = 2**32 - 1
U64_MAX = 2**64 - 1

# Actions 1 and 2 share a bucket of bytes; that of action 3 has packets, and that
# of action 4 bytes again.
BYTES_BUCKET, PACKETS_BUCKET, OTHER_BUCKET, NO_BUCKET = 7, 9, 10, 8
CONFIG = (
    u32(INDEX, 1) + u32(BUCKET, BYTES_BUCKET) + u64(RATE, 1000000) +
    u64(BURST, 100000) + u64(INTERVAL, 10**7) + u64(DEBT, 200000) +
    u32(POLICY, DROP) + u64(THRESHOLD, 3000) + u32(EXCEED, ACT_SHOT) +
    u32(CONFORM, ACT_PIPE),
    u32(INDEX, 2) + u32(BUCKET, BYTES_BUCKET) + u32(POLICY, ACCOUNT),
    u32(INDEX, 3) + u32(BUCKET, PACKETS_BUCKET) + u64(PPS, 1000) +
    u64(BURST, 500) + u32(POLICY, DROP),
    u32(INDEX, 4) + u32(BUCKET, OTHER_BUCKET) + u64(RATE, 3000000) +
    u32(POLICY, DROP),
)

# Name, attribute of an action, that of a bucket, and bytes that it has.
PARAMETERS = (
    ('index', INDEX, None, 4),
    ('exceed', EXCEED, None, 4),
    ('conform', CONFORM, None, 4),
    ('policy', POLICY, None, 4),
    ('threshold', THRESHOLD, None, 8),
    ('bucket', BUCKET, B_ID, 4),
    ('bucket', None, B_TARGET, 4),
    ('rate', RATE, B_RATE, 8),
    ('pps', PPS, B_PPS, 8),
    ('burst', BURST, B_BURST, 8),
    ('interval', INTERVAL, B_INTERVAL, 8),
    ('debt', DEBT, B_DEBT, 8),
    ('packets', PACKETS, None, 4),
)

# Of actions and of buckets.
ONLY_IN_ANSWERS = (
    ('tm', TM, None, 32),
    ('refcnt', REFCNT, None, 4),
    ('bindcnt', BINDCNT, None, 4),
    ('stats', STATS, B_STATS, 80),
    ('tokens', TOKENS, B_TOKENS, 8),
    ('users', USERS, B_USERS, 4),
    ('stranded', STRANDED, B_STRANDED, 8),
)

# Numbers out of range: of which parameter, and what they are.
OUT_OF_RANGE = (
    ('bucket', BUCKET, B_ID, 4, (0,)),
    ('policy', POLICY, None, 4, (3, 255, U32_MAX)),
    ('threshold', THRESHOLD, None, 8, (TOKENS_MAX + 1, 2**63, U64_MAX)),
    ('rate', RATE, B_RATE, 8, (0, RATE_MAX + 1, 2**63, U64_MAX)),
    ('pps', PPS, B_PPS, 8, (0, RATE_MAX + 1, 2**63, U64_MAX)),
    ('burst', BURST, B_BURST, 8,
     (0, 1, BURST_MIN - 1, TOKENS_MAX + 1, 2**63, U64_MAX)),
    ('interval', INTERVAL, B_INTERVAL, 8,
     (INTERVAL_MAX + 1, 2**63, U64_MAX)),
    ('debt', DEBT, B_DEBT, 8, (TOKENS_MAX + 1, 2**63, UNLIMITED - 1)),
    ('packets', PACKETS, None, 4, (2, U32_MAX)),
)

# The first and the last numbers that are in range.
IN_RANGE = (
    ('policy', POLICY, None, 4, (DROP, ACCOUNT, BYPASS)),
    ('threshold', THRESHOLD, None, 8, (0, 1, TOKENS_MAX - 1, TOKENS_MAX)),
    ('rate', RATE, B_RATE, 8, (1, 2, RATE_MAX - 1, RATE_MAX)),
    ('burst', BURST, B_BURST, 8,
     (BURST_MIN, BURST_MIN + 1, TOKENS_MAX - 1, TOKENS_MAX)),
    ('interval', INTERVAL, B_INTERVAL, 8,
     (0, 1, INTERVAL_MAX - 1, INTERVAL_MAX)),
    ('debt', DEBT, B_DEBT, 8,
     (0, 1, TOKENS_MAX - 1, TOKENS_MAX, UNLIMITED)),
    ('exceed', EXCEED, None, 4,
     (ACT_OK, ACT_RECLASSIFY, ACT_PIPE, ACT_TRAP, ACT_JUMP | 1, ACT_UNSPEC,
      ACT_SHOT)),
    ('conform', CONFORM, None, 4,
     (ACT_OK, ACT_RECLASSIFY, ACT_SHOT, ACT_TRAP, ACT_JUMP | 1, ACT_UNSPEC,
      ACT_PIPE)),
)


def number(kind, size, value):
    """An attribute of four or of eight bytes."""
    return u32(kind, value) if size == 4 else u64(kind, value)


def size_cases(name, kind, right):
    """Numbers that have not the right number of bytes."""
    for size, what in ((0, 'no bytes'), (1, 'one byte'), (2, 'two bytes'),
                       (12 - right, f'{12 - right} bytes'),
                       (12, 'twelve bytes')):
        yield f'{name}: {what}', attr(kind, bytes(size)), name
    yield (f'{name}: an unexpected nest flag',
           attr(kind | NLA_F_NESTED, b'\1' + bytes(right - 1)), name)


def structure_cases(good, unknown):
    """What is wrong with attributes as a whole: any message will do."""
    for kind in (unknown, unknown + 1, 0x3fff):
        yield f'unknown attribute {kind}', good + u32(kind, 1), '.'
    yield 'attribute 0', good + u32(0, 1), '.'
    for n in (1, 2, 3):
        yield f'{n} bytes left over', good + b'\1' * n, '.'
    yield 'attribute shorter than its header', good + b'\3\0\2\0', '.'
    yield 'attribute longer than the message', good + b'\x28\0\2\0' * 2, '.'
    yield 'attribute of length 0', good + bytes(4), '.'


def number_cases(column):
    """Numbers, of actions (1) or of buckets (2), that are no good."""
    for row in OUT_OF_RANGE:
        if row[column] is not None:
            for value in row[4]:
                yield (f'{row[0]}: {value}',
                       number(row[column], row[3], value), row[0])


def shape_cases(column):
    """Attributes that are no numbers, or not for the kernel, in the same way."""
    for row in PARAMETERS:
        if row[column] is not None:
            yield from size_cases(row[0], row[column], row[3])
    for row in ONLY_IN_ANSWERS:
        if row[column] is not None:
            for size in (row[3], 0):
                yield (f'{row[0]} of {size} bytes is only in answers',
                       attr(row[column], bytes(size)), row[0])


def control_cases():
    """Control actions that there are not."""
    for kind, what in ((EXCEED, 'exceed'), (CONFORM, 'conform')):
        for value in (9, 100, 3 << 28 | 1, 15 << 28, U32_MAX - 1):
            yield (f'{what}: {value:#x}', u32(kind, value), f'{what}: ')
        yield (f'{what}: to a chain, without a filter',
               u32(kind, ACT_GOTO | 5), f"{what}: |can't goto")


def change_cases():
    """
    (name, bytes, what the message must match) of malformed changes of action 1.
    """
    for name, options, pattern in structure_cases(u64(THRESHOLD, 5), 21):
        yield name, u32(INDEX, 1) + options, pattern
    yield 'padding with content', u32(INDEX, 1) + attr(PAD, bytes(8)), '.'
    for name, options, pattern in (*number_cases(1), *shape_cases(1)):
        # The index that is meant, unless it is what is wrong.
        own = b'' if name.startswith('index') else u32(INDEX, 1)
        yield name, own + options, pattern
    for name, options, pattern in control_cases():
        yield name, u32(INDEX, 1) + options, pattern
    for what, options, pattern in (
            ('rate and pps', u64(RATE, 5000) + u64(PPS, 5000), 'rate|pps'),
            ('pps and rate', u64(PPS, 5000) + u64(RATE, 5000), 'rate|pps'),
            ('packets instead of bytes', u64(PPS, 5000), 'pps'),
            *((f'{what} meant in packets, of bytes',
               u64(kind, 5000) + u32(PACKETS, 1), 'burst, .* counts bytes')
              for what, kind in (('burst', BURST), ('debt', DEBT),
                                 ('threshold', THRESHOLD))),
            ('a burst meant in bytes, of a bucket of packets',
             u32(BUCKET, PACKETS_BUCKET) + u64(THRESHOLD, 5) +
             u64(BURST, 5000) + u32(PACKETS, 0), 'burst, .* counts packets'),
            ('a bucket of packets, without a threshold in packets',
             u32(BUCKET, PACKETS_BUCKET), 'threshold: is needed'),
            ('good, then bad', u64(THRESHOLD, 5) + u64(DEBT, 2**50), 'debt'),
            ('bad, then good', u64(DEBT, 2**50) + u64(THRESHOLD, 5), 'debt'),
            ('good of the bucket, bad of the action',
             u64(RATE, 5000) + u32(POLICY, 9), 'policy'),
            ('good of the bucket, bad control action',
             u64(RATE, 5000) + u32(EXCEED, 9), 'exceed')):
        yield what, u32(INDEX, 1) + options, pattern


def add_cases():
    """The same of new actions."""
    new = u32(BUCKET, NO_BUCKET) + u64(RATE, 5000) + u32(POLICY, DROP)
    for name, options, pattern in structure_cases(new, 21):
        yield name, options, pattern
    for name, options, pattern in (*number_cases(1), *shape_cases(1)):
        if not name.startswith('bucket'):
            yield name, new + options, pattern
    yield 'options: none', b'', 'bucket'
    yield 'no bucket', u32(POLICY, DROP), 'bucket'
    yield 'no policy', u32(BUCKET, BYTES_BUCKET), 'policy'
    yield 'both rates', new + u64(PPS, 5000), 'rate|pps'
    yield ('burst meant in packets, of a new bucket of bytes',
           new + u64(BURST, 5000) + u32(PACKETS, 1), 'burst, .* counts bytes')


def differing_cases():
    """(name, parameters) of new actions of a bucket that has others."""
    good = u32(BUCKET, BYTES_BUCKET) + u32(POLICY, DROP)
    for name, options in (('rate', u64(RATE, 1000001)),
                          ('pps', u64(PPS, 1000)),
                          ('burst', u64(BURST, 100001)),
                          ('interval', u64(INTERVAL, 0)),
                          ('debt', u64(DEBT, 0))):
        yield name, good + options


def set_cases():
    """(name, attributes, what the message must match) of BUCKET_SET."""
    me = u32(B_ID, BYTES_BUCKET)
    for name, attrs, pattern in structure_cases(me + u64(B_DEBT, 5), 13):
        yield name, attrs, pattern
    yield 'padding with content', me + attr(B_PAD, bytes(8)), '.'
    for name, attrs, pattern in number_cases(2):
        yield name, me + attrs, pattern
    # The family's policy is applied by the core, which names no attribute.
    for name, attrs, _ in shape_cases(2):
        yield name, me + attrs, '.'
    yield 'nothing to set', me, 'rate, pps'
    yield 'no bucket', u64(B_RATE, 5000), 'bucket'
    yield 'rate and pps', me + u64(B_RATE, 5) + u64(B_PPS, 5), 'rate|pps'
    yield 'target is of repoint', me + u32(B_TARGET, PACKETS_BUCKET), '.'
    yield 'packets instead of bytes', me + u64(B_PPS, 5000), 'pps'
    yield ('good, then bad', me + u64(B_RATE, 5000) + u64(B_DEBT, 2**50),
           'debt')


def get_cases():
    """The same of BUCKET_GET."""
    me = u32(B_ID, BYTES_BUCKET)
    yield from structure_cases(me, 13)
    yield 'no bucket', b'', 'bucket'
    yield 'bucket 0', u32(B_ID, 0), 'bucket'
    for name, attrs, _ in size_cases('bucket', B_ID, 4):
        yield name, attrs, '.'


def repoint_cases():
    """The same of BUCKET_REPOINT."""
    me = u32(B_ID, BYTES_BUCKET)
    to = u32(B_TARGET, OTHER_BUCKET)
    yield from structure_cases(me + to, 13)
    yield 'no bucket', to, 'bucket'
    yield 'no target', me, 'target'
    yield 'bucket 0', u32(B_ID, 0) + to, 'bucket'
    yield 'target 0', me + u32(B_TARGET, 0), 'target'
    yield 'to itself', me + u32(B_TARGET, BYTES_BUCKET), 'target'
    yield ('bytes to packets', me + u32(B_TARGET, PACKETS_BUCKET), 'target')
    yield ('packets to bytes', u32(B_ID, PACKETS_BUCKET) + to, 'target')
    for name, attrs, _ in size_cases('bucket', B_ID, 4):
        yield name, attrs + to, '.'
    for name, attrs, _ in size_cases('target', B_TARGET, 4):
        yield name, me + attrs, '.'


def genl_cases():
    """(command, name, attributes, pattern) of all commands of the family."""
    for cmd, name, cases in ((BUCKET_GET, 'get', get_cases()),
                             (BUCKET_SET, 'set', set_cases()),
                             (BUCKET_REPOINT, 'repoint', repoint_cases())):
        for what, attrs, pattern in cases:
            yield cmd, f'{name}: {what}', attrs, pattern
