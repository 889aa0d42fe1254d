# SPDX-License-Identifier: GPL-2.0
"""What a patch has beside the files of a stage: tests, rows, entries.

Each function gives (path, content) of files in a kernel's tree. Those that add a row to a
file of the kernel take the file as the patches before left it.
"""

import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.join(HERE, '..')
sys.path[:0] = [os.path.join(TOP, 'selftests', folder)
                for folder in ('features', 'tc-testing')]
sys.dont_write_bytecode = True

import features  # noqa: E402
import tdc_cases  # noqa: E402

# Folders whose Makefile lists objects of ours.
FOLDERS = ('net/sched/ramp', 'net/sched/mpolice', 'drivers/net/team/spread')
# Files of the kernel that get rows.
TOUCHED = ('MAINTAINERS', 'Documentation/netlink/specs/tc.yaml',
           'Documentation/networking/index.rst',
           'drivers/net/team/Kconfig', 'drivers/net/team/Makefile',
           'include/uapi/linux/pkt_cls.h', 'net/sched/Kconfig', 'net/sched/Makefile',
           'tools/testing/selftests/Makefile')
KUNIT = 'net/sched/ramp/kunit'
SELFTEST = 'tools/testing/selftests/net/ramp'
SPDX = '# SPDX-License-Identifier: GPL-2.0\n'
# Features of selftests/features/ by those of a stage.
OF_STAGE = {'rails': 'rails', 'gears': 'gears', 'ladders': 'codes'}
# Words of cases about parameters of gears that no stage has.
NEVER = {'clock', 'cpufreq', 'cpus'}
# What cases about others say of them, or of ladders, which are shown behind them.
_SHOWN = [
    (r' clock none cpus (?:none|0) ladder(?: none)?$', ' '),
    (r' clock$', ' '),
    (r',\.\*"clock":"none",\.\*"clock_percent":\\\[\\\],\.\*"cpus":\\\[\\\]$', ''),
    (r'\|clock(\|cpus)?(?=\||$)', ''),
    (r'\.\*cpus 0 (?=\.\*)', ''),
]
_SET = [(r' cpus 0(?= limit )', '')]
PASSING = {'matchPattern': _SHOWN, 'setup': _SET, 'cmdUnderTest': _SET, 'verifyCmd': _SET}
# Tests of a law that are made of the kernel's parts, so user space has them alone.
LIB_MORE = ('capture.py', 'sample.py')


def read(*path):
    """A file of ours."""
    with open(os.path.join(TOP, *path), encoding='utf-8') as file:
        return file.read()


def makefile(text, there):
    """A Makefile with those objects of it that are there."""
    def objects(found):
        names = [one for one in found[2].replace('\\\n', ' ').split()
                 if there(one.removesuffix('.o'))]
        lines, line = [], found[1]
        for name in names:
            if len(line.expandtabs(8)) + 1 + len(name) > 76:
                lines.append(line + ' \\')
                line = '\t\t'
            line += (' ' if line.strip() and not line.endswith('\t') else '') + name
        return '\n'.join([*lines, line]) + '\n'

    return re.sub(r'^(\w+-(?:y|objs)\s*:?=)((?:.*\\\n)*.*)\n', objects, text,
                  flags=re.M)


def in_kernel(content):
    """A file of unit tests without what it has for user space."""
    return subprocess.run(['unifdef', '-x2', '-D__KERNEL__'], input=content, check=True,
                          text=True, stdout=subprocess.PIPE).stdout


def kunit(names, tree):
    """Unit tests, with the headers of them that are not there yet."""
    if not names:
        return
    todo = [f'test_{name}.c' for name in names]
    done = set()
    while todo:
        file = todo.pop()
        if file in done:
            continue
        done.add(file)
        content = in_kernel(read('selftests/unit', file))
        if f'{KUNIT}/{file}' not in tree:
            yield f'{KUNIT}/{file}', content
        for header in re.findall(r'^#\s*include "(\w+\.h)"', content, re.M):
            todo.append(header)
    rows = {f'{KUNIT}/test_{name}.c' for name in names} | {
        path for path in tree if path.startswith(f'{KUNIT}/test_')}
    yield f'{KUNIT}/Makefile', SPDX + '\n' + ''.join(
        'obj-$(CONFIG_NET_RAMP_KUNIT_TEST) += '
        f'{os.path.basename(path)[:-2]}.o\n' for path in sorted(rows))
    if f'{KUNIT}/.kunitconfig' not in tree:
        yield f'{KUNIT}/.kunitconfig', (
            'CONFIG_KUNIT=y\nCONFIG_NET=y\nCONFIG_INET=y\nCONFIG_NET_SCHED=y\n'
            'CONFIG_NET_RAMP_KUNIT_TEST=y\n')


def features_of_stage(stage):
    """Features that a case of tdc may take at a stage."""
    return {OF_STAGE[one] for one in stage.split(',') if one in OF_STAGE}


def tdc_upstream(case):
    """A case without what it says in passing of parameters that no stage has."""
    def less(field, value):
        if isinstance(value, list):
            return [less(field, one) for one in value]
        for old, new in PASSING.get(field, []) if isinstance(value, str) else []:
            value = re.sub(old, new, value)
        return value

    return {field: less(field, value) for field, value in case.items()}


def tdc_fits(case, stage):
    """Does a case take only what a stage has?"""
    takes = features.features_of(case)
    words = {word for field in ('setup', 'cmdUnderTest', 'matchPattern')
             for word in re.findall('[a-z]+', json.dumps(case.get(field)))}
    return takes <= features_of_stage(stage) and not words & NEVER


def tdc(names, stage):
    """Cases of tdc as the kernel's tree has them."""
    files = dict(tdc_cases.files())
    for name in names:
        cases = [case for case in map(tdc_upstream, files[f'{name}.json'])
                 if tdc_fits(case, stage)]
        if not cases:
            sys.exit(f'patches: {stage} has none of the cases in {name}')
        yield (f'tools/testing/selftests/tc-testing/tc-tests/{name}.json',
               json.dumps(cases, indent=4) + '\n')


def library(content, libraries):
    """Files of selftests/net/lib that a test or a library names."""
    found = set(re.findall(r'lib/([\w]+\.(?:sh|py))', content))
    found |= set(re.findall(r'\$(?:NET_LIB|\{NET_LIB\})"?/([\w]+\.(?:sh|py))', content))
    found |= {f'{name}.py' for name in re.findall(
        r'^(?:from|import) (\w+)', content, re.M)}
    found |= {f'{name}.py' for name in re.findall(r'\banswer (\w+)', content)}
    return {name for name in found if name in libraries}


def beside(content):
    """Files that a test names beside itself."""
    return set(re.findall(r'\$(?:HERE|\{HERE\})"?/(\w+\.py)', content))


def selftests(names, tree):
    """Network tests, with the libraries and tools that are not there yet."""
    if not names:
        return
    libraries = set(os.listdir(os.path.join(TOP, 'selftests/net/lib')))
    todo, done, helpers = [], set(), set()
    for name in names:
        content = read('selftests/net', f'{name}.sh')
        yield f'{SELFTEST}/{name}.sh', content
        todo += library(content, libraries)
        for helper in sorted(beside(content)):
            content = read('selftests/net', helper)
            yield f'{SELFTEST}/{helper}', content
            todo += library(content, libraries)
            helpers.add(helper)
    while todo:
        name = todo.pop()
        if name in done:
            continue
        done.add(name)
        content = read('selftests/net/lib', name)
        todo += library(content, libraries)
        if f'{SELFTEST}/lib/{name}' not in tree:
            yield f'{SELFTEST}/lib/{name}', in_tree(content)
    if f'{SELFTEST}/lib/ktap.sh' not in tree:
        yield f'{SELFTEST}/lib/ktap.sh', read('selftests/lib/ktap.sh')
        yield f'{SELFTEST}/ramp-send.c', read('selftests/net/tools/send.c')
        yield f'{SELFTEST}/settings', 'timeout=900\n'
        yield f'{SELFTEST}/config', read('upstream/kconfig/selftest.config')
        yield ('tools/testing/selftests/Makefile', row(
            tree['tools/testing/selftests/Makefile'], 'TARGETS += net/rds\n',
            'TARGETS += net/ramp\n'))
    programs = sorted({*(f'{name}.sh' for name in names), *(
        os.path.basename(path) for path in tree
        if re.fullmatch(rf'{SELFTEST}/\w+\.sh', path))})
    helpers |= {os.path.basename(path) for path in tree
                if re.fullmatch(rf'{SELFTEST}/\w+\.py', path)}
    files = ' '.join(['lib', *sorted(helpers)])
    yield f'{SELFTEST}/Makefile', SPDX + (
        '\nTEST_PROGS := \\\n' + ''.join(f'\t{name} \\\n' for name in programs) +
        f'# end of TEST_PROGS\n\nTEST_FILES := {files}\nTEST_GEN_FILES := ramp-send\n'
        'TEST_INCLUDES := ../lib.sh\n\n'
        'CFLAGS += -O2 -Wall\n\ninclude ../../lib.mk\n')


def in_tree(content):
    """A library as it finds others from where it lies in the kernel."""
    content = content.replace('. "$NET_LIB/../../lib/ktap.sh"', '. "$NET_LIB/ktap.sh"')
    content = content.replace(
        '${RAMP_KSELFTEST:-/usr/lib/kselftests}/net/lib.sh', '$NET_LIB/../../lib.sh')
    content = content.replace('selftests/lib/ktap.sh', 'ktap.sh')
    return content.replace(
        'NET_LIB=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)\n',
        'NET_LIB=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)\n'
        'PATH=$NET_LIB/..:$PATH\n')


def row(text, before, new):
    """Puts a row before another one, which there is once."""
    if new in text:
        return text
    if text.count(before) != 1:
        sys.exit(f'patches: {text.count(before)} x in a file of the kernel: {before}')
    return text.replace(before, new + before)


def wire(option, tree):
    """An option for Kconfig, and its row of a Makefile."""
    head, _, config = read('upstream/kconfig', option).partition('\n\n')
    where = dict(line.split(': ', 1) for line in head.splitlines())
    for kind, new in (('Kconfig', config.rstrip('\n') + '\n\n'),
                      ('Makefile', where['Row'] + '\n')):
        path = f"{where['Folder']}/{kind}"
        yield path, row(tree[path], where[f'Before {kind}'] + '\n', new)


def action_id(name, tree):
    """The number of an action, behind those that there are."""
    path = 'include/uapi/linux/pkt_cls.h'
    yield path, row(tree[path], '\t/* other actions go here */\n', f'\t{name},\n')


def doc(name, tree):
    """The row of a page in the index, which is in alphabetical order."""
    path = 'Documentation/networking/index.rst'
    rows = re.findall(r'^   ([\w/-]+)\n', tree[path], re.M)
    own = name.removesuffix('.rst')
    after = next(one for one in rows if one > own and rows.index(one) > 20)
    yield path, row(tree[path], f'   {after}\n', f'   {own}\n')


def see(name, text):
    """A row of the pages that tc's page names, which are in alphabetical order."""
    rows = re.findall(r'^\.BR (tc-[\w-]+) \(8\),\n', text, re.M)
    after = next(one for one in rows if one > name and text.count(f'.BR {one} (8),\n') == 1)
    return row(text, f'.BR {after} (8),\n', f'.BR {name} (8),\n')


def maintainers(text):
    """With the entry for Ramp."""
    ours = read('MAINTAINERS')
    return row(text, 'RANDOM NUMBER DRIVER\n', (
        'RAMP TRAFFIC CONTROL\n' + re.search(r'^M:.*\n', ours, re.M)[0] +
        'L:\tnetdev@vger.kernel.org\nS:\tMaintained\n'
        'F:\tDocumentation/netlink/specs/mpolice.yaml\n'
        'F:\tDocumentation/netlink/specs/ramp*.yaml\n'
        'F:\tDocumentation/networking/mpolice.rst\n'
        'F:\tDocumentation/networking/ramp*.rst\n'
        'F:\tdrivers/net/team/spread/\n'
        'F:\tinclude/net/ramp/\n'
        'F:\tinclude/net/ramp_frame.h\n'
        'F:\tinclude/trace/events/mpolice.h\n'
        'F:\tinclude/trace/events/ramp.h\n'
        'F:\tinclude/trace/events/spread.h\n'
        'F:\tinclude/uapi/linux/mpolice.h\n'
        'F:\tinclude/uapi/linux/ramp*.h\n'
        'F:\tinclude/uapi/linux/tc_act/tc_mpolice.h\n'
        'F:\tnet/sched/mpolice/\n'
        'F:\tnet/sched/ramp/\n'
        'F:\ttools/testing/selftests/net/ramp/\n\n'))
