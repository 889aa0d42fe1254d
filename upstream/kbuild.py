# SPDX-License-Identifier: GPL-2.0
"""Makefiles of a stage. What goes into files that Linux has is in upstream/kconfig/."""

import re

from ctext import Miss

FOLDERS = {
    'core': ('net/sched/ramp', 'NET_SCH_RAMP', 'sch_ramp', 'ramp-files'),
    'mpolice': ('net/sched/mpolice', 'NET_ACT_MPOLICE', 'act_mpolice', 'mpolice-files'),
    'spread': ('drivers/net/team/spread', 'NET_TEAM_MODE_SPREAD', 'team_mode_spread',
               'spread-files'),
}


def order(kbuild, variable):
    """The objects, as Kbuild of this tree has them."""
    match = re.search(rf'(?m)^{variable} := ((?:.*\\\n)*.*\n)', kbuild)
    if not match:
        raise Miss(f'Kbuild has no {variable}')
    return re.findall(r'(?<![\w,-])[a-z]\w*(?![\w,-])',
                      re.sub(r'ramp-with|call|if|\$\(CONFIG_\w+\)|\b(rails|codes|peers|gears),',
                             ' ', match[1]))


def makefile(tree, folder, option, module, names):
    """Of a folder."""
    have = [name for name in names if f'{folder}/{name}.c' in tree]
    left = {path for path in tree.match(f'{folder}/*.c')} - \
        {f'{folder}/{name}.c' for name in have}
    if left:
        raise Miss(f'Kbuild does not build {sorted(left)}')
    line, lines = f'{module}-y :=', []
    for name in have:
        if len(line.expandtabs(8)) + len(name) + 5 > 72:
            lines.append(line + ' \\')
            line = '\t' + f'  {name}.o'.lstrip()
        else:
            line += f' {name}.o'
    return ('# SPDX-License-Identifier: GPL-2.0\n\n'
            f'obj-$(CONFIG_{option}) += {module}.o\n\n' + '\n'.join([*lines, line]) + '\n')


def add(tree, features, kbuild):
    """All of it."""
    for feature, (folder, option, module, variable) in FOLDERS.items():
        if feature not in features:
            continue
        tree[f'{folder}/Makefile'] = makefile(tree, folder, option, module,
                                              order(kbuild, variable))
