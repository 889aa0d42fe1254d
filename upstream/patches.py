#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Makes patch series for netdev out of this tree, a kernel's source and iproute2's.

    patches.py --linux FOLDER [--tool FOLDER] --stages FOLDER --out FOLDER [SERIES...]

A series is a folder in series/: cover.txt, perhaps needs (the series that it stands on),
and a file for each patch, in the order of their names. Such a file has fields, an empty
line, the subject and the body:

    Stage: FEATURES      what the tree has when this patch is in (upstream/stage)
    Add: GLOB...         files of that stage, as they are there
    Hold: yes            what is added is built with a later patch, which it needs
    Kunit: NAME...       selftests/unit/test_NAME.c, with the headers that it includes
    Tdc: FILE...         cases of selftests/tc-testing, as tdc reads them
    Selftest: NAME...    selftests/net/NAME.sh, with the libraries that it uses
    Wire: OPTION...      options for Kconfig and the rows for Makefiles (kconfig/)
    Spec: tc             what the stage has for the kernel's tc.yaml
    Id: NAME...          numbers of actions in pkt_cls.h
    Doc: FILE...         Documentation/networking/FILE and its row of the index
    Maintainers: yes     the entry in MAINTAINERS
    Object: NAME...      of iproute2: what tc is made of
    See: NAME...         of iproute2: the row of a page in that of tc

Each patch is a commit in OUT/linux, which has no more of the kernel than what is changed,
and a file in OUT/SERIES. Those of series that are called tc-* are in OUT/iproute2. It is
an error if a file of a stage is in no patch.
"""

import argparse
import fnmatch
import os
import re
import shutil
import subprocess
import sys

import parts
import tcspec

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True

# netdev: "about 500 lines", without tests and specifications. One law or one file is not
# torn apart for that.
LINES_MAX = 600
NOT_COUNTED = r'\t(?:.*/kunit/|tools/testing/|Documentation/|man/|include/uapi/)'


def git(repo, *args, text=None):
    """Runs git, and returns what it prints."""
    return subprocess.run(['git', '-C', repo, *args], input=text, check=True, text=True,
                          stdout=subprocess.PIPE).stdout


class Patch:
    """A file in series/."""

    def __init__(self, path):
        with open(path, encoding='utf-8') as file:
            head, _, text = file.read().partition('\n\n')
        self.name = os.path.basename(path)
        self.fields = {}
        for line in re.sub(r'\n[ \t]+', ' ', head).split('\n'):
            key, _, value = line.partition(':')
            if key not in ('Stage', 'Add', 'Hold', 'Kunit', 'Tdc', 'Selftest', 'Wire', 'Spec',
                           'Id', 'Doc', 'Maintainers', 'Object', 'See'):
                sys.exit(f'{path}: no field is called {key}')
            self.fields[key] = value.split()
        self.text = text

    def words(self, field):
        """The words of a field that may be absent."""
        return self.fields.get(field, [])

    @property
    def stage(self):
        """Features that there are with this patch."""
        return self.fields['Stage'][0]


class Maker:
    """The tree that grows patch by patch."""

    name = 'linux'
    list = 'PATCH net-next'
    touched = parts.TOUCHED
    prefix = ''             # of the folders of stages

    def __init__(self, source, stages, out):
        self.source, self.stages = source, stages
        self.repo = os.path.join(out, self.name)
        self.tree = {}      # path: content, of what patches have touched
        self.taken = {}     # stage: files that patches took from it
        os.makedirs(self.repo)
        git(self.repo, 'init', '-q', '-b', 'main')
        for path in self.touched:
            self.write(path, self.base(path))
        git(self.repo, 'add', '-A')
        git(self.repo, 'commit', '-q', '-m', self.name)

    def base(self, path):
        """A file that is there without ours."""
        with open(os.path.join(self.source, path), encoding='utf-8') as file:
            return file.read()

    def folder(self, stage):
        """Where a stage is."""
        return os.path.join(self.stages, self.prefix + stage)

    def write(self, path, content):
        """Puts a file into the tree."""
        self.tree[path] = content
        path = os.path.join(self.repo, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w', encoding='utf-8') as file:
            file.write(content)
        if content.startswith('#!'):
            os.chmod(path, 0o755)

    def add(self, patch):
        """Files of a stage."""
        top = self.folder(patch.stage)
        have = sorted(os.path.relpath(os.path.join(folder, name), top)
                      for folder, _, names in os.walk(top) for name in names)
        found = []
        for glob in patch.words('Add'):
            matched = [path for path in have if fnmatch.fnmatch(path, glob)]
            if not matched:
                sys.exit(f'{patch.name}: {patch.stage} has no {glob}')
            found += matched
        for path in found:
            self.take(patch.stage, path)
        if not patch.words('Hold'):
            self.objects(top)

    def take(self, stage, path):
        """A file of a stage."""
        with open(os.path.join(self.folder(stage), path), encoding='utf-8') as file:
            self.write(path, self.fit(file.read()))
        self.taken.setdefault(stage, set()).add(path)

    def fit(self, content):
        """What suits the tree that it comes into."""
        return content

    def spec(self, stage):
        """The kernel's tc.yaml, with what ours has."""
        with open(os.path.join(self.folder(stage), tcspec.OURS), encoding='utf-8') as file:
            self.write(tcspec.PATH, tcspec.merge(self.base(tcspec.PATH), file.read()))
        self.taken.setdefault(stage, set()).add(tcspec.OURS)

    def objects(self, top):
        """Makefiles that have the objects of what is there, in the order of the stage."""
        for folder in parts.FOLDERS:
            path = os.path.join(top, folder, 'Makefile')
            if not os.path.exists(path) or not any(
                    one.startswith(folder + '/') and one.endswith('.c')
                    for one in self.tree):
                continue
            with open(path, encoding='utf-8') as file:
                makefile = file.read()
            self.write(f'{folder}/Makefile', parts.makefile(
                makefile, lambda name, folder=folder: f'{folder}/{name}.c' in self.tree))

    def apply(self, patch):
        """A patch becomes a commit."""
        self.add(patch)
        for path, content in parts.kunit(patch.words('Kunit'), self.tree):
            self.write(path, content)
        for path, content in parts.tdc(patch.words('Tdc'), patch.stage):
            self.write(path, content)
        for path, content in parts.selftests(patch.words('Selftest'), self.tree):
            self.write(path, content)
        for option in patch.words('Wire'):
            for path, content in parts.wire(option, self.tree):
                self.write(path, content)
        if patch.words('Spec'):
            self.spec(patch.stage)
        for name in patch.words('Id'):
            for path, content in parts.action_id(name, self.tree):
                self.write(path, content)
        for name in patch.words('Doc'):
            self.take(patch.stage, f'Documentation/networking/{name}')
            for path, content in parts.doc(name, self.tree):
                self.write(path, content)
        if patch.words('Maintainers'):
            self.write('MAINTAINERS', parts.maintainers(self.tree['MAINTAINERS']))
        for name in patch.words('Object'):
            self.write('tc/Makefile', parts.row(
                self.tree['tc/Makefile'], 'TCSO :=\n', f'TCMODULES += {name}.o\n'))
        for name in patch.words('See'):
            self.write('man/man8/tc.8', parts.see(name, self.tree['man/man8/tc.8']))
        git(self.repo, 'add', '-A')
        git(self.repo, 'commit', '-q', '-s', '-F', '-', text=patch.text)
        lines = sum(int(line.split()[0]) for line in
                    git(self.repo, 'show', '--numstat', '--format=', 'HEAD').splitlines()
                    if not re.search(NOT_COUNTED, line))
        if lines > LINES_MAX:
            print(f'patches: {patch.name}: {lines} lines', file=sys.stderr)

    def left(self, others):
        """Files of the stages that no patch has as they are there at last. What a series
        that was not made takes of a stage is not known.
        """
        open_yet = {patch.stage for name in others for patch in series_of(name)}
        for stage, taken in self.taken.items():
            if stage in open_yet:
                continue
            top = self.folder(stage)
            for folder, _, names in os.walk(top):
                for name in names:
                    path = os.path.relpath(os.path.join(folder, name), top)
                    if path not in taken and path not in self.tree:
                        yield f'{stage}: {path}'


class ToolMaker(Maker):
    """The same of iproute2."""

    name = 'iproute2'
    list = 'PATCH iproute2-next'
    touched = ('tc/Makefile', 'tc/tc_util.h', 'man/man8/tc.8')
    prefix = 'tc-'

    def fit(self, content):
        """The newest one has callbacks in what is const, and those before 6.8 do not."""
        if 'const struct qdisc_util *' in self.tree['tc/tc_util.h']:
            return content
        return re.sub(r'const (struct (?:qdisc|action)_util \*)', r'\1', content)


def series_of(name):
    """The patches of a series, in order."""
    folder = os.path.join(HERE, 'series', name)
    return [Patch(os.path.join(folder, file)) for file in sorted(os.listdir(folder))
            if re.match(r'\d', file)]


def cover(repo, folder, name):
    """The cover letter, with its texts in the places that git leaves for them."""
    with open(os.path.join(HERE, 'series', name, 'cover.txt'), encoding='utf-8') as file:
        subject, _, blurb = file.read().partition('\n\n')
    path = os.path.join(folder, '0000-cover-letter.patch')
    with open(path, encoding='utf-8') as file:
        text = file.read()
    text = text.replace('*** SUBJECT HERE ***', subject)
    text = text.replace('*** BLURB HERE ***', blurb.strip())
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)


def make(maker, out, name):
    """A series: its commits, and a folder with its patches."""
    before = git(maker.repo, 'rev-parse', 'HEAD').strip()
    for patch in series_of(name):
        maker.apply(patch)
    git(maker.repo, 'tag', name)
    folder = os.path.join(out, name)
    rfc = ['--rfc'] if name.removeprefix('tc-').startswith('5') else []
    git(maker.repo, 'format-patch', '-q', '--cover-letter', '--no-signature', *rfc,
        '--subject-prefix', maker.list, '-o', folder, f'{before}..HEAD')
    cover(maker.repo, folder, name)


def main():
    """Command line."""
    arguments = argparse.ArgumentParser()
    for option in ('linux', 'stages', 'out'):
        arguments.add_argument('--' + option, required=True)
    arguments.add_argument('--tool')
    arguments.add_argument('series', nargs='*')
    options = arguments.parse_args()
    shutil.rmtree(options.out, ignore_errors=True)
    os.makedirs(options.out)
    known = sorted(os.listdir(os.path.join(HERE, 'series')))
    names = options.series or known
    left = []
    for kind, source, of_tool in ((Maker, options.linux, False),
                                  (ToolMaker, options.tool, True)):
        mine, others = ([name for name in known if name.startswith('tc-') == of_tool and
                         (name in names) == made] for made in (True, False))
        if mine:
            maker = kind(source, options.stages, options.out)
            for name in mine:
                make(maker, options.out, name)
            left += maker.left(others)
    for one in left:
        print(f'patches: no patch has {one}', file=sys.stderr)
    return 1 if left else 0


if __name__ == '__main__':
    sys.exit(main())
