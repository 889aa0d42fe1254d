# SPDX-License-Identifier: GPL-2.0
"""What iproute2 has of a stage: the files of tc and its pages, without the parameters and
counters of features that are not in it.

    tc.py FEATURES STAGE OUT	files of iproute2 in OUT, for the headers in STAGE
"""

import os
import re
import sys

sys.dont_write_bytecode = True

import cuts  # noqa: E402
import stages  # noqa: E402
import uapi  # noqa: E402
from ctext import Miss  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
TOOL = os.path.join(HERE, '../iproute2-patch')

# Not of a tc that has these built in, but of plugins for one that has not.
PLUGIN = ('tc_api.h', 'tc_api.def', 'tc_fit.c', 'Makefile', 'build')
OF_CODES = ('q_ramp_codes.c', 'q_ramp_code_stats.c', 'q_ramp_ladder.c')
OF_GEARS = ('q_ramp_gears.c', 'q_ramp_gear_stats.c', 'q_ramp_devices.c')


def cut(tree, path, old, new=''):
    """Text that is there once."""
    times = tree[path].count(old)
    if times != 1:
        raise Miss(f'{path} has {times} times: {old!r}')
    tree[path] = tree[path].replace(old, new)


def cut_block(tree, path, begin, end, new=''):
    """From a text that is there once to the next end, which goes, too."""
    text = tree[path]
    if text.count(begin) != 1:
        raise Miss(f'{path} has {text.count(begin)} times: {begin!r}')
    start = text.index(begin)
    stop = text.index(end, start) + len(end)
    tree[path] = text[:start] + new + text[stop:]


def rows(tree, features):
    """Rows of the table of parameters."""
    def row(found):
        attr = re.search(r'\.attr = (TCA_\w+)', found[0])[1]
        return found[0] if uapi.feature_of(attr) in features else ''

    tree['q_ramp.c'] = re.sub(r'\t\{ \.keyword(?:.|\n)*?\},\n', row, tree['q_ramp.c'])


def no_codes(tree):
    """Ladders, codes, peers."""
    for path in OF_CODES:
        del tree[path]
    cut_block(tree, 'q_ramp.c', '#define RAMP_A_LADDER', 'or none"\n')
    cut(tree, 'q_ramp.c', '"       PCT:PCT of a ladder := threshold (of the limit of the '
        'band) : rate\\n"\n\t\t')
    cut(tree, 'q_ramp.c', 'band-limit, band-ladder and band-feedback may be given once for '
        'each\\n"\n\t\t"       band\\n"', 'band-limit may be given once for each band\\n"')
    cut_block(tree, 'q_ramp.h', '/* q_ramp_ladder.c */', 'ramp_type_obey;\n\n')
    cut_block(tree, 'q_ramp.h', '/* q_ramp_code_stats.c */', '*st);\nvoid')
    cut_block(tree, 'q_ramp.h', ' ramp_print_class_code_stats', ';\n\n')
    cut(tree, 'q_ramp.h', '\tconst char *list_of_band[RAMP_BANDS_MAX];\n')
    cut(tree, 'q_ramp.h', '\tbool min_set;\t\t/* of obey: its min, which is in high */\n')
    cut(tree, 'q_ramp.h', 'extern const struct ramp_type ramp_type_percent;\n')
    cut(tree, 'q_ramp.h', 'const char *ramp_get_dev(__u32 *ifindex, const char *name);\n'
        'const char *ramp_sprint_dev(__u32 ifindex, char *buf);\n\n')
    for name in ('get', 'sprint'):
        cut(tree, 'q_ramp_devices.c', f'\nconst char *ramp_{name}_dev(',
            f'\nstatic const char *ramp_{name}_dev(')
    cut_block(tree, 'q_ramp_types.c', 'static const char *ramp_parse_percent', '};\n\n')
    cut_block(tree, 'q_ramp_stats.c', 'struct tc_ramp_class_xstats st = {\n', '};',
              'struct tc_ramp_class_xstats st = {};')
    cut(tree, 'q_ramp_stats.c', '\tramp_print_class_code_stats(&st);\n')
    cut(tree, 'q_ramp_stats.c', '\tramp_print_code_stats(&st);\n')
    cut(tree, 'q_ramp_stats.c', '{ .peer_rate = RAMP_FULL_RATE }', '{}')


def no_clock(tree):
    """The frequency of CPUs."""
    cut_block(tree, 'q_ramp.c', 'static const char * const ramp_clock_names', '};\n\n')
    cut(tree, 'q_ramp.h', 'extern const struct ramp_type ramp_type_clock;\n'
        'extern const struct ramp_type ramp_type_cpus;\n')
    text = tree['q_ramp_gears.c']
    mark = '/* The percentages belong to the clock'
    if text.count(mark) != 1 or text.index(mark) > text.index('const struct ramp_type '
                                                              'ramp_type_cpus'):
        raise Miss(f'q_ramp_gears.c: {mark!r} is not before the CPUs')
    tree['q_ramp_gears.c'] = text[:text.index(mark)].rstrip('\n') + '\n'


def no_gears(tree):
    """Gears."""
    for path in OF_GEARS:
        del tree[path]
    cut(tree, 'q_ramp.c', '#define RAMP_A_PERCENT\t\t"a percentage, as 5% or 12.5%"\n')
    cut_block(tree, 'q_ramp.c', 'static const char * const ramp_follow_names', '};\n\n')
    cut_block(tree, 'q_ramp.c', '#define RAMP_SHARES_OR_TIMES', '200us)"\n\n')
    cut_block(tree, 'q_ramp.c', '"       gears are numbered from 0', 'of power\\n"\n\t\t')
    cut(tree, 'q_ramp.c', '\tbool gears;\n')
    cut_block(tree, 'q_ramp.c', '\tgears = tb[TCA_RAMP_GEARS]', ';\n')
    cut(tree, 'q_ramp.c', '(tb[p->attr] || tb[p->other]) && (gears || !p->of_gears) &&\n'
        '\t\t    ramp_is_shown(p, tb))', '(tb[p->attr] || tb[p->other]) && '
        'ramp_is_shown(p, tb))')
    cut_block(tree, 'q_ramp.h', '/* q_ramp_devices.c */', ';\n\n')
    cut_block(tree, 'q_ramp.h', '/* q_ramp_gears.c */', 'ramp_type_freeze;\n\n')
    cut_block(tree, 'q_ramp.h', '/* q_ramp_gear_stats.c */', ';\n\n')
    cut(tree, 'q_ramp.h', '\tbool timed;\t\t/* of thresholds of gears: times, not percent '
        '*/\n')
    cut(tree, 'q_ramp.h', '\tbool of_gears;\t\t\t/* means nothing, and is not shown, '
        'without */\n')
    cut(tree, 'q_ramp.h', '\tconst struct ramp_list *list;\t/* what the entries of a list '
        'are */\n\tbool none;\t\t\t/* a list that may be empty */\n')
    cut(tree, 'q_ramp.h', 'struct ramp_list;\n')
    cut(tree, 'q_ramp_stats.c', '\t[RAMP_STATE_FROZEN]\t= "frozen",\n')
    cut(tree, 'q_ramp_stats.c', '\tramp_print_gear_stats(&st);\n')


def no_rails(tree):
    """Rails, and ramp_mq."""
    cut(tree, 'q_ramp.c', '\t\t/* It has a rail of its own. */\n\t\tif (qu == '
        '&ramp_mq_qdisc_util && p->attr == TCA_RAMP_RAIL)\n\t\t\tcontinue;\n')
    cut_block(tree, 'q_ramp.c', '/* Without this, tc would call the qdisc classless. */\n'
              'static int ramp_mq_parse_class', '\n}\n\n')
    cut_block(tree, 'q_ramp.c', '\nstruct qdisc_util ramp_mq_qdisc_util', '};\n')
    cut(tree, 'q_ramp.h', '/* q_ramp.c; the other one has a rail of its own, and no such '
        'option */\nextern struct qdisc_util ramp_qdisc_util;\n'
        'extern struct qdisc_util ramp_mq_qdisc_util;\n\n')
    cut(tree, 'q_ramp.h', 'extern const struct ramp_type ramp_type_rail;\n')
    cut_block(tree, 'q_ramp_types.c', '/* In netlink 0 is none, so a 0', '};\n')
    tree['q_ramp_types.c'] = tree['q_ramp_types.c'].rstrip('\n') + '\n'


def make(features):
    """Files of tc/ by name."""
    tree = {}
    for name in sorted(os.listdir(TOOL)):
        prefix = 'q_ramp' if 'core' in features else 'm_mpolice'
        if name.startswith((prefix, 'ramp_parse')) and name not in PLUGIN:
            with open(os.path.join(TOOL, name), encoding='utf-8') as file:
                tree[name] = file.read()
    for name in tree:
        # A tc that they are built into needs no look at whether they fit.
        tree[name] = re.sub(r'\n(TC_FIT_\w+\(\w+\)\n)+', '', tree[name])
        tree[name] = tree[name].replace('#include "tc_api.h"\n', TC_HEADERS)
    if 'core' not in features:
        return tree
    rows(tree, features)
    no_codes(tree)
    no_clock(tree)
    if 'gears' not in features:
        no_gears(tree)
    if 'rails' not in features:
        no_rails(tree)
    return tree


TC_HEADERS = ''.join(f'#include {name}\n' for name in (
    '<stdbool.h>', '<stddef.h>', '<stdint.h>', '<stdio.h>', '<string.h>\n',
    '"utils.h"', '"tc_util.h"'))


def pages(features):
    """Pages of the manual, by their path."""
    names = ['tc-ramp.8'] if 'core' in features else []
    names += ['tc-ramp-gears.8'] if 'gears' in features else []
    names += ['tc-mpolice.8'] if 'mpolice' in features else []
    tree = stages.Tree()
    for name in names:
        with open(os.path.join(TOOL, 'man/man8', name), encoding='utf-8') as file:
            tree[f'man/man8/{name}'] = file.read()
    if 'core' in features:
        cuts.apply(tree, 'man-no-codes')
        if 'gears' in features:
            cuts.apply(tree, 'man-gears')
        for feature in ('gears', 'rails'):
            if feature not in features:
                cuts.apply(tree, f'man-no-{feature}')
    if 'mpolice' in features:
        cuts.apply(tree, 'man-mpolice')
    return tree


def main():
    """Command line."""
    features, stage, out = sys.argv[1:]
    features = features.split(',')
    files = {f'tc/{name}': text for name, text in make(features).items()}
    for name in {found for text in files.values()
                 for found in re.findall(r'#include <(linux/(?:tc_act/tc_mpolice|ramp)\.h)>',
                                         text)}:
        with open(os.path.join(stage, 'include/uapi', name), encoding='utf-8') as file:
            files[f'include/uapi/{name}'] = file.read()
    files.update(pages(features))
    for path, text in files.items():
        path = os.path.join(out, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w', encoding='utf-8') as file:
            file.write(text)


if __name__ == '__main__':
    try:
        main()
    except Miss as miss:
        sys.exit(f'upstream/tc.py: {miss}')
