#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Do looks.py and reach.py see what they are for? selftest runs it; prints what is wrong."""

import sys
import tempfile
from pathlib import Path

from looks import Looks
from reach import Calls

INDENT = '    '
HEADER = '''struct gear {
    u32 rate;
};
static inline bool gear_shut(const struct gear *r)
{
    return !r->rate;
}
static inline u32 gear_when(u32 now)
{
    return 0;
}
'''.replace(INDENT, '\t')
SHARED = '''struct qdisc {
    struct gear *gear;
    u32     rate;
};
static inline bool is_shut(const struct qdisc *q)
{
    return gear_shut(q->gear);
}
static inline bool is_geared(const struct qdisc *q)
{
    return q->gear;
}
'''.replace(INDENT, '\t')
# What is in a function, and whether it looks into gears.
BODIES = {
    'q->rate = 0;': False,
    'if (q->gear && is_geared(q))\n\t\tq->rate = gear_when(0);': False,
    '/* gear_shut(q->gear) */ pr_info("q->gear->rate");': False,
    'q->gear->rate = 0;': True,
    'struct gear *r = q->gear;\n\n\tr->rate = 0;': True,
    'q->rate = gear_shut(q->gear);': True,
    'q->rate = is_shut(q);': True,
}
CALLS = '''object m a.o
function .text 0000000000000010 go
call go help.part.0
call go .text.unlikely+0xc
call go __SCT__other
function .text 0000000000000040 help.part.0
call help.part.0 far
function .text.unlikely 0000000000000000 spare
call spare never
function .text.unlikely 0000000000000010 go.cold
call go.cold cold
object m b.o
function .text 0000000000000000 __pfx_far
function .text 0000000000000010 far
call far help
call far __fentry__
function .text 0000000000000020 help
object m c.o
function .text 0000000000000010 cold
object m d.o
function .text 0000000000000010 never
object m e.o
function .text 0000000000000010 __SCT__other
object other f.o
function .text 0000000000000010 __fentry__
'''


def main():
    """Returns whether something is wrong."""
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        gears, shared, file = (Path(folder) / name for name in ('gear.h', 'all.h', 'a.c'))
        gears.write_text(HEADER, encoding='utf-8')
        shared.write_text(SHARED, encoding='utf-8')
        # A build without gears has gear_when() in their place.
        looks = Looks({gears: 'gears', shared: None}, {'gear_when'})
        for body, wanted in BODIES.items():
            file.write_text(f'int f(struct qdisc *q)\n{{\n\t{body}\n}}\n', encoding='utf-8')
            if bool(looks.of_file(file)) != wanted:
                wrong.append(f'looks into gears, or not: {body}')
        file.write_text(CALLS, encoding='ascii')
        found = Calls(file, 'm').objects('go')
        if found != {'a', 'b', 'c'}:
            wrong.append(f'calls lead to {" ".join(sorted(found))}, not to a b c')
    for line in wrong:
        print(line)
    return int(bool(wrong))


if __name__ == '__main__':
    sys.exit(main())
