# SPDX-License-Identifier: GPL-2.0
"""Nothing of a stage speaks of what it does not have."""

import re

import ctext
from ctext import Miss

# By feature that is absent; in names, what _ joins are words.
ABSENT = {
    'rails': r'rails?|ramp_mq|unnamed',
    'gears': r'gear\w*|freeze\w*|frozen|dwell|flaps?|powers?|clocks?(?= (none|cpufreq))',
    'codes': r'ladders?|rungs?|codes?|peers?|obey\w*|paced|feedbacks?|ethertype|validity',
    'clock': r'cpufreq|clock_cpus',
}
# Of older kernels, or of how this tree is built.
NEVER = (r'RAMP_HAVE_\w+|include <compat|ramp_bh|RAMP_SAYS|ramp_refuse_absent'
         r'|CONFIG_NET_SCH_RAMP_\w+|extack_keep|extack_settle|RAMP_VERSION'
         r'|older kernels?|left out of the build|make FEATURES'
         r'|selftests/(vm|net|bench|cost|lint)/|`make [a-z]|\.\./(howto|explanation)/')
# What is meant otherwise: part of a line, and why.
OTHERWISE = [
    ('power supply', 'what this is for'),
    ('A power of two', 'a number'),
    ('to be paced', 'by a gear'),
]


def spoken(text, pattern):
    """(number, line) of the lines that have one of these words."""
    word = re.compile(rf'(?<![a-zA-Z0-9])(?:{pattern})(?![a-zA-Z0-9])', re.I)
    for number, line in enumerate(text.splitlines(), 1):
        for part, _ in OTHERWISE:
            line = line.replace(part, '')
        if word.search(line):
            yield number, line.strip()


def unwanted(text, features):
    """(number, line) of those that have a word of what is absent."""
    patterns = [ABSENT[feature] for feature in ('rails', 'gears')
                if feature not in features]
    patterns += [ABSENT['codes'], ABSENT['clock']]
    return spoken(text, '|'.join(patterns))


def find(tree, features):
    """(path, number, line) of all that are there and should not be."""
    for path, text in tree.items():
        for number, line in enumerate(text.splitlines(), 1):
            if re.search(NEVER, line):
                yield path, number, line.strip()
        if '/ramp' not in path or 'core' not in features or path.startswith('include/net'):
            continue
        for number, line in unwanted(text, features):
            yield path, number, line


def alone(tree):
    """(header, function) of those that only one file knows, and could be static."""
    for folder in {path.rsplit('/', 1)[0] for path in tree.match('net/*.c', 'drivers/*.c')}:
        code = {path: re.sub(r'(?s)/\*.*?\*/', '', tree[path])
                for path in tree.match(f'{folder}/*.[ch]')}
        for path in code:
            names = re.findall(r'(?m)^(?!static|#|extern|\s|/)[^\n;{}(]*\b(\w+)\(', code[path]) \
                if path.endswith('.h') else []
            for name in names:
                if all(inline for *_, inline in ctext.functions(code[path], name)):
                    continue
                uses = [text for where, text in code.items()
                        if re.search(rf'\b{name}\b', text) and where != path]
                if len(uses) < 2 and len(re.findall(rf'\b{name}\b', code[path])) < 2:
                    yield path, name


def unknown_pages(tree):
    """(page, name) of references to pages that are not there."""
    for path in tree.match('*.rst'):
        for name in re.findall(r':doc:`([^`]+)`', tree[path]):
            if f'{path.rsplit("/", 1)[0]}/{name}.rst' not in tree:
                yield path, name


def check(tree, features):
    """Stops with what is wrong."""
    alone_now = [f'{path}: {name}() could be static' for path, name in alone(tree)]
    pages = [f'{path}: no page {name}' for path, name in unknown_pages(tree)]
    if alone_now or pages:
        raise Miss('\n'.join([*alone_now, *pages]))
    found = [f'{path}:{number}: {line}' for path, number, line in find(tree, features)]
    if found:
        raise Miss(f'{len(found)} lines speak of what is absent:\n' + '\n'.join(found))
