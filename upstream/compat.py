# SPDX-License-Identifier: GPL-2.0
"""The newest kernel has all that include/compat/ stands in for: its own names, and
messages with their numbers."""

import re

import ctext
from ctext import Miss


def columns(text):
    """How far a line reaches."""
    return len(text.expandtabs(8))


def indent(width):
    """Tabs and spaces up to there."""
    return '\t' * (width // 8) + ' ' * (width % 8)


def open_bracket(line):
    """The column behind the innermost bracket that a line leaves open, or None."""
    stack = []
    for at, char in enumerate(re.sub(r'"(?:\\.|[^"\\])*"',
                                     lambda m: 'x' * len(m[0]), line)):
        if char in '(':
            stack.append(at)
        elif char in ')' and stack:
            stack.pop()
    return columns(line[:stack[-1] + 1]) if stack else None


def replace(text, pattern, new):
    """As re.sub() of what is within a line; lines that go on at its open bracket follow
    it. How often, too."""
    lines, count, i = text.split('\n'), 0, 0
    while i < len(lines):
        line, found = re.subn(pattern, new, lines[i])
        if found:
            count += found
            before, after = open_bracket(lines[i]), open_bracket(line)
            lines[i] = line
            follow = i + 1
            while before is not None and follow < len(lines) and \
                    lines[follow].strip() and before == columns(
                        re.match(r'\s*', lines[follow])[0]):
                lines[follow] = indent(after) + lines[follow].lstrip()
                follow += 1
            joined = line + ' ' + lines[i + 1].lstrip() if follow == i + 2 else ''
            if joined and columns(joined) <= 80 and open_bracket(joined) is None:
                lines[i:follow] = [joined]
        i += 1
    return '\n'.join(lines), count


def add_include(text, header):
    """Among those that are there, in their order."""
    line = f'#include <{header}>'
    if line in text:
        return text
    block = re.search(r'(?m)^(#include <[^>]+>\n)+', text)
    if not block:
        first = re.search(r'(?m)^#include "', text)
        return text[:first.start()] + line + '\n\n' + text[first.start():]
    lines = sorted([*block[0].splitlines(), line])
    return text[:block.start()] + '\n'.join(lines) + '\n' + text[block.end():]


# What others got with the headers of include/compat/.
NEEDS = [
    (r'\bk[zcm]alloc|\bkfree\b', 'linux/slab.h'),
    (r'\bstruct hrtimer\b|\bhrtimer_\w+\(', 'linux/hrtimer.h'),
    (r'\bstruct work_struct\b', 'linux/workqueue.h'),
    (r'\bethtool_link_ksettings\b', 'linux/ethtool.h'),
    (r'\bskb_gso_segment\(', 'net/gso.h'),
    (r'\bNL_SET_ERR_MSG', 'linux/netlink.h'),
    (r'\bpsched_\w+\(', 'net/pkt_sched.h'),
    (r'\bstruct qdisc_skb_head\b|\bqdisc_priv\(', 'net/sch_generic.h'),
]


def messages(header):
    """{function: (names of its parameters, text, what follows it)}"""
    found = {}
    for match in re.finditer(
            r'static inline void (ramp_(?:say|warn)_\w+)\(([^)]*)\)\n\{\n'
            r'#ifdef NL_SET_ERR_MSG_FMT\n\tNL_SET_ERR_MSG_FMT\(extack,\s*'
            r'("[^"]*"),\s*([^;]*)\);\n', header):
        names = [word.split()[-1].lstrip('*') for word in match[2].split(',')]
        found[match[1]] = (names, match[3],
                           [word.strip() for word in match[4].split(',')])
    return found


def arguments(text):
    """Of a call, at the commas of its top."""
    parts, begin, at = [], 0, 0
    while at < len(text):
        if text[at] in '([{':
            at = ctext.closing(text, at)
        elif text[at] == ',':
            parts.append(text[begin:at])
            at += 1
            begin = at
        else:
            at += 1
    return [' '.join(part.split()) for part in [*parts, text[begin:]]]


def say(text, header):
    """Messages with their numbers, where they are given."""
    for name, (names, message, values) in messages(header).items():
        while match := re.search(rf'(?m)^(\t+){name}\(', text):
            end = ctext.closing(text, match.end() - 1)
            given = dict(zip(names, arguments(text[match.end():end - 1])))
            begin = f'{match[1]}NL_SET_ERR_MSG_FMT({given["extack"]},'
            margin = columns(match[1] + 'NL_SET_ERR_MSG_FMT(')
            lines, line = [begin, indent(margin) + message + ','], ''
            for value in values:
                value = re.sub(r'\w+', lambda m: given.get(m[0], m[0]), value)
                longer = f'{line}, {value}' if line else value
                if line and margin + len(longer) + 2 > 80:
                    lines.append(indent(margin) + line + ',')
                    longer = value
                line = longer
            lines.append(indent(margin) + line + ')')
            text = text[:match.start()] + '\n'.join(lines) + text[end:]
    return text


WORDS = [
    (r'struct ramp_bh\t\t', 'struct work_struct\t'),
    (r'struct ramp_bh\b', 'struct work_struct'),
    (r'ramp_bh_init\(', 'INIT_WORK('),
    (r'ramp_bh_queue\(', 'queue_work(system_bh_wq, '),
    (r'ramp_bh_cancel\(', 'cancel_work_sync('),
    (r'\bramp_range_of\((\w+)\)', r'&\1->range'),
    (r'\bramp_range_const\b', 'const'),
    (r'ramp_set_pkt_segs\((\w+), (\w+)\)', r'qdisc_skb_cb(\1)->pkt_segs = \2'),
    (r'\bramp_team_got_t\b', 'void'),
    (r'\bramp_team_dev\(', 'netdev_from_priv('),
]


# Older kernels leave segments uncounted.
UNCOUNTED = [
    (r'\tif \(unlikely\(!ramp_segs_counted\((.*), &(\w+)\)\)\)\n\t\treturn .*\n',
     r'\t\2 = qdisc_pkt_segs(\1);\n'),
    (r'/\*[^/]*\*/\nstatic noinline struct sk_buff \*ramp_dequeue_uncounted\([^}]*\n}\n\n', ''),
]


def resolve(tree, header):
    """@header is that of the compat folder."""
    for path in tree.match('net/*', 'drivers/*'):
        text = tree[path]
        for pattern, new in WORDS:
            text, _ = replace(text, pattern, new)
        for pattern, new in UNCOUNTED:
            text = re.sub(pattern, new, text)
        text = re.sub(r'\treturn RAMP_TEAM_GOT;\n', '', text)
        text = re.sub(r'MODULE_VERSION\(RAMP_VERSION\);\n', '', text)
        text = say(text, header)
        had = '#include <compat/' in text
        text = re.sub(r'#include <compat/\w+\.h>\n', '', text)
        for pattern, include in NEEDS:
            if re.search(pattern, text) and (
                    had or include in ('net/gso.h', 'linux/ethtool.h')):
                text = add_include(text, include)
        tree[path] = ctext.tidy(text)
    for path in tree:
        found = re.search(r'.*\b(RAMP_HAVE_\w*|ramp_bh\w*|\w+_uncounted|RAMP_TEAM_GOT|compat)\b.*',
                          tree[path] if path.endswith(('.c', '.h')) else '')
        if found and 'compatib' not in found[0]:
            raise Miss(f'{path}: of older kernels: {found[0].strip()}')
