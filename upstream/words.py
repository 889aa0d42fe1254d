# SPDX-License-Identifier: GPL-2.0
"""Nothing of a stage speaks of what it does not have."""

import re

from ctext import Miss

# By feature that is absent; in names, what _ joins are words.
ABSENT = {
    'rails': r'rails?|mq|unnamed',
    'gears': r'gear\w*|freeze\w*|frozen|dwell|flaps?|powers?|clocks?(?= (none|cpufreq))'
             r'|ports?',
    'codes': r'ladders?|rungs?|codes?|peers?|obey\w*|paced|feedbacks?|ethertype|validity',
    'clock': r'cpufreq|cpus',
}
# Of older kernels, or of how this tree is built.
NEVER = (r'RAMP_HAVE_\w+|include <compat|ramp_bh|ramp_absent|ramp_refuse_absent'
         r'|CONFIG_NET_SCH_RAMP_\w+|extack_keep|extack_settle|RAMP_VERSION'
         r'|older kernels?|left out of the build|make FEATURES')
# What is meant otherwise: part of a line, and why.
OTHERWISE = [
    ('power supply', 'what this is for'),
]


def spoken(text, pattern):
    """(number, line) of the lines that have one of these words."""
    word = re.compile(rf'(?<![a-zA-Z0-9])(?:{pattern})(?![a-zA-Z0-9])', re.I)
    for number, line in enumerate(text.splitlines(), 1):
        for part, _ in OTHERWISE:
            line = line.replace(part, '')
        if word.search(line):
            yield number, line.strip()


def find(tree, features):
    """(path, number, line) of all that are there and should not be."""
    patterns = [ABSENT[feature] for feature in ('rails', 'gears')
                if feature not in features]
    patterns += [ABSENT['codes'], ABSENT['clock']]
    for path, text in tree.items():
        for number, line in text.splitlines() and enumerate(text.splitlines(), 1):
            if re.search(NEVER, line):
                yield path, number, line.strip()
        if '/ramp' not in path or 'core' not in features or path.startswith('include/net'):
            continue
        for number, line in spoken(text, '|'.join(patterns)):
            yield path, number, line


def check(tree, features):
    """Stops with the first ones."""
    found = [f'{path}:{number}: {line}' for path, number, line in find(tree, features)]
    if found:
        raise Miss(f'{len(found)} lines speak of what is absent:\n' + '\n'.join(found))
