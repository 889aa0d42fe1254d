# SPDX-License-Identifier: GPL-2.0
"""What a stage is made of."""

import fnmatch
import os
import re

import compat
import ctext
import cuts
import kbuild
import specs
import uapi
import words
from ctext import Miss

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..')

# Of sch_ramp: each stands on those before it.
ORDER = ['core', 'rails', 'gears']
ALL = [*ORDER, 'mpolice', 'spread']

# What each has; a name that ends with / is a folder, and where it is in Linux.
SOURCES = {
    'core': [
        ('net/sched/ramp/', 'net/sched/ramp/'),
        ('include/uapi/linux/ramp.h', None),
        ('include/uapi/linux/ramp_family.h', None),
        ('include/trace/events/ramp.h', None),
        ('Documentation/netlink/specs/ramp.yaml', None),
        ('Documentation/netlink/specs/ramp-tc.yaml', None),
        ('Documentation/networking/ramp.rst', None),
    ],
    'rails': [('Documentation/networking/ramp-rails.rst', None)],
    'gears': [('Documentation/networking/ramp-gears.rst', None)],
    'mpolice': [
        ('net/sched/mpolice/', 'net/sched/mpolice/'),
        ('include/net/ramp_frame.h', None),
        ('include/uapi/linux/mpolice.h', None),
        ('include/uapi/linux/tc_act/tc_mpolice.h', None),
        ('include/trace/events/mpolice.h', None),
        ('Documentation/netlink/specs/mpolice.yaml', None),
        ('Documentation/networking/mpolice.rst', None),
    ],
    'spread': [
        ('net/team/spread/', 'drivers/net/team/spread/'),
        ('include/trace/events/spread.h', None),
        ('Documentation/networking/spread.rst', None),
    ],
}


class Tree(dict):
    """Text by path."""

    def match(self, *patterns):
        """The paths of that kind."""
        return [path for path in self
                if any(fnmatch.fnmatch(path, pattern) for pattern in patterns)]

    def write(self, out):
        """Into a folder."""
        if os.path.isdir(out) and os.listdir(out):
            raise Miss(f'{out} is not empty')
        for path, text in self.items():
            where = os.path.join(out, path)
            os.makedirs(os.path.dirname(where), exist_ok=True)
            with open(where, 'w', encoding='utf-8') as file:
                file.write(text)


def read(path):
    """Of this tree."""
    with open(os.path.join(TOP, path), encoding='utf-8') as file:
        return file.read()


def sources(features):
    """Of these, as they are in this tree."""
    tree = Tree()
    for feature in features:
        for path, where in SOURCES[feature]:
            if not path.endswith('/'):
                tree[path] = read(path)
                continue
            for name in sorted(os.listdir(os.path.join(TOP, path))):
                tree[where + name] = read(path + name)
    return tree


def add_laws(tree):
    """Those headers of include/net/ramp/ that are used, or that these use."""
    wanted = {found for path in tree if path.endswith(('.c', '.h'))
              for found in re.findall(r'#include <(net/ramp/\w+\.h)>', tree[path])}
    while wanted:
        name = wanted.pop()
        path = 'include/' + name
        if path in tree:
            continue
        tree[path] = read(path)
        wanted |= set(re.findall(r'#include <(net/ramp/\w+\.h)>', tree[path]))


def cut_names(features):
    """The files of edits that a stage takes, in their order."""
    for feature in ('mpolice', 'spread'):
        if feature in features:
            yield feature
    if 'core' in features:
        yield 'core'
        yield 'no-codes'
        for feature in reversed(ORDER[1:]):
            if feature not in features:
                yield f'no-{feature}'
            elif os.path.exists(os.path.join(cuts.HERE, 'cut', feature)):
                yield feature


def check_features(features):
    """Is that a stage?"""
    for feature in features:
        if feature not in ALL:
            raise Miss(f'no feature {feature}: features are {" ".join(ALL)}')
    have = [feature for feature in ORDER if feature in features]
    if have != ORDER[:len(have)]:
        raise Miss(f'{have[-1]} needs {",".join(ORDER[:ORDER.index(have[-1])])}')


def enable(tree):
    """All that this tree can be built without is there: its stand-ins are not. What is
    absent from a stage is taken out with whoever asks for it."""
    option = r'IS_ENABLED\(CONFIG_NET_SCH_RAMP_\w+\)'
    for path in tree.match('net/sched/ramp/*.[ch]'):
        text = re.sub(rf'(?ms)^#if {option}[^\n]*\n(.*?)^#else\n.*?^#endif\n', r'\1',
                      tree[path])
        tree[path] = re.sub(rf'(?<!!){option}\s*&&\s*', '', text)


def make(features, until=None, check=True):
    """A stage; @until the edits of that name, to see what they find."""
    check_features(features)
    tree = sources(features)
    compat.resolve(tree, read('include/compat/ramp_compat.h'))
    enable(tree)
    for name in cut_names(features):
        if name == until:
            return tree
        cuts.apply(tree, name)
    if 'core' in features:
        uapi.arrange(tree, features)
        specs.arrange(tree, features)
    for path in tree:
        if path.endswith(('.c', '.h')):
            tree[path] = ctext.tidy(tree[path])
    add_laws(tree)
    kbuild.add(tree, features, read('Kbuild'))
    if check:
        words.check(tree, features)
    return tree
