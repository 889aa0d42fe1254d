# SPDX-License-Identifier: GPL-2.0
"""Makefiles and options of a stage. What goes into files that Linux has is in
upstream/kconfig/."""

import re

from ctext import Miss

FOLDERS = {
    'core': ('net/sched/ramp', 'NET_SCH_RAMP', 'sch_ramp', 'ramp-files'),
    'mpolice': ('net/sched/mpolice', 'NET_ACT_MPOLICE', 'act_mpolice', 'mpolice-files'),
    'spread': ('drivers/net/team/spread', 'NET_TEAM_MODE_SPREAD', 'team_mode_spread',
               'spread-files'),
}

HELP = {
    'core': ('net/sched/Kconfig', '''\
config NET_SCH_RAMP
	tristate "Ramp"
	help
	  Say Y here if you want to use the ramp packet scheduling algorithm,
	  which bounds how fast the egress rate of a device rises, and with
	  a detector how fast it falls, for supplies that must not see a
	  steep change of the load.

	  See Documentation/networking/ramp.rst.

	  To compile this driver as a module, choose M here: the module
	  will be called sch_ramp.

	  If unsure, say N.
'''),
    'mpolice': ('net/sched/Kconfig', '''\
config NET_ACT_MPOLICE
	tristate "Policing with shared token buckets"
	depends on NET_CLS_ACT
	help
	  Say Y here if you want many filters, of any device of a network
	  namespace, to draw from one token bucket, each with a policy of
	  its own for what may be left in it.

	  See Documentation/networking/mpolice.rst.

	  To compile this code as a module, choose M here: the module will
	  be called act_mpolice.

	  If unsure, say N.
'''),
    'spread': ('drivers/net/team/Kconfig', '''\
config NET_TEAM_MODE_SPREAD
	tristate "Spread mode support"
	depends on NET_TEAM
	help
	  Flows are sent over the port with the most room in its transmit
	  queues, and move to another one in a gap.

	  See Documentation/networking/spread.rst.

	  To compile this team mode as a module, choose M here: the module
	  will be called team_mode_spread.
'''),
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
        where, text = HELP[feature]
        tree[f'upstream/kconfig/{option}.Kconfig'] = text
        tree[f'upstream/kconfig/{option}.Makefile'] = \
            f'obj-$(CONFIG_{option}) += {folder.rsplit("/", 1)[1]}/\n'
        tree[f'upstream/kconfig/{option}.where'] = where.rsplit('/', 1)[0] + '\n'
