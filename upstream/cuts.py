# SPDX-License-Identifier: GPL-2.0
"""Files of exact edits, upstream/cut/NAME. A line each for what is taken out whole:

    drop-file PATH...		a file
    drop NAME...		functions: their definition, once in all, and prototypes
    drop-call NAME...		statements that only call it, and terms of a dump
    fold-false NAME...		a function that is never true: what it led to
    drop-object NAME...		objects with an initializer
    drop-struct NAME...		structures and enumerations
    drop-event NAME...		tracepoints
    move-file OLD NEW
    static NAME...		functions that no other file calls any more
    sub OLD NEW			words, in net/sched/ramp/, at least once; with quotes
    rename OLD NEW		a function, everywhere
    field FILE STRUCT NAME...	fields, and what is said of them
    drop-lines FILE FIRST END	from a line that is there once to the next END, which stays

and edits as of a patch without line numbers:

    @@ FILE
     text that stays
    -text that goes
    +text that comes

The text that was there must be in the file once. A blank line among others is one that
stays. Lines with a # are comments. What is not there, or not once, stops it."""

import fnmatch
import os
import re
import shlex

import compat
import ctext
from ctext import Miss

HERE = os.path.dirname(os.path.abspath(__file__))


def parse(name):
    """(line number, word, arguments or hunk) of all edits of a file."""
    edits, hunk = [], None
    with open(os.path.join(HERE, 'cut', name), encoding='utf-8') as file:
        lines = file.readlines()
    for number, line in enumerate(lines, 1):
        if line.startswith('@@ '):
            hunk = []
            edits.append((number, '@@', [line[3:].strip(), hunk]))
        elif hunk is not None and line[0] in ' -+':
            hunk.append((line[0], line[1:]))
        elif hunk and line == '\n' and lines[number:number + 1] and \
                lines[number][0] in ' -+':
            hunk.append((' ', line))
        elif line == '\n' or line.startswith('#'):
            hunk = None
        elif re.match(r'[a-z]', line):
            hunk = None
            word, *words = shlex.split(line)
            edits.append((number, word, words))
        else:
            raise Miss(f'cut/{name}:{number}: not understood: {line!r}')
    return edits


def everywhere(tree, word, change, names):
    """Functions, wherever they are."""
    misses = []
    for name in names:
        total = 0
        for path in tree.match('net/sched/*/*.[ch]', 'drivers/net/team/spread/*.[ch]',
                               'include/trace/*'):
            tree[path], count = change(tree[path], name)
            total += count
        # Calls may be many; what is defined is so once.
        if not total or (total != 1 and not word.startswith(('drop-call', 'fold', 'rename'))):
            misses.append(f'{word}: {total} times {name}')
    if misses:
        raise Miss('; '.join(misses))


def substitute(tree, old, new):
    """Words, wherever they are; lines that go on at a bracket follow."""
    total = 0
    pattern = re.escape(old)
    if re.match(r'\w', old):
        pattern = r'\b' + pattern
    for path in tree.match('net/sched/ramp/*.[ch]'):
        tree[path], count = compat.replace(tree[path], pattern, new)
        total += count
    if not total:
        raise Miss(f'sub: nowhere {old!r}')


def edit(tree, path, hunk):
    """One hunk."""
    old = ''.join(text for sign, text in hunk if sign in ' -')
    new = ''.join(text for sign, text in hunk if sign in ' +')
    if path not in tree:
        raise Miss(f'no file {path}')
    # Of whole lines.
    places = [at for at in (m.start() for m in re.finditer(re.escape(old), tree[path]))
              if not at or tree[path][at - 1] == '\n']
    if len(places) != 1:
        raise Miss(f'{path}: {len(places)} times:\n{old}')
    text = tree[path]
    tree[path] = text[:places[0]] + new + text[places[0] + len(old):]


def drop_lines(tree, path, first, end):
    """Whole lines."""
    lines = tree[path].split('\n')
    if lines.count(first) != 1:
        raise Miss(f'{path}: {lines.count(first)} times {first!r}')
    start = lines.index(first)
    if end not in lines[start + 1:]:
        raise Miss(f'{path}: no {end!r} behind {first!r}')
    tree[path] = '\n'.join(lines[:start] + lines[lines.index(end, start + 1):])


def apply(tree, name):
    """All edits of a file, in their order."""
    words = {'drop': ctext.drop_functions, 'drop-call': ctext.drop_calls,
             'fold-false': ctext.fold_false, 'drop-object': ctext.drop_objects,
             'drop-struct': ctext.drop_structs, 'drop-event': ctext.drop_events,
             'static': ctext.make_static}
    misses = []
    for number, word, args in parse(name):
        try:
            if word == '@@':
                edit(tree, *args)
            elif word == 'drop-lines':
                drop_lines(tree, *args)
            elif word == 'drop-file':
                for pattern in args:
                    found = fnmatch.filter(list(tree), pattern)
                    if not found:
                        raise Miss(f'no file {pattern}')
                    for path in found:
                        del tree[path]
            elif word in words:
                everywhere(tree, word, words[word], args)
            elif word == 'move-file':
                tree[args[1]] = tree.pop(args[0])
            elif word == 'rename':
                everywhere(tree, word, lambda text, name, new=args[1]: compat.replace(
                    text, rf'\b{name}(?=\()|(?<== )\b{name}(?=[,;])', new), args[:1])
            elif word == 'sub':
                substitute(tree, *args)
            elif word == 'field':
                tree[args[0]] = ctext.drop_fields(tree[args[0]], args[1], args[2:])
            else:
                raise Miss(f'no edit {word!r}')
        except Miss as miss:
            misses.append(f'cut/{name}:{number}: {miss}')
        except (ValueError, KeyError) as error:
            misses.append(f'cut/{name}:{number}: {word}: {error}')
    if misses:
        raise Miss('\n'.join(misses))
