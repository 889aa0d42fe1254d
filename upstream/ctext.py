# SPDX-License-Identifier: GPL-2.0
"""Text of C in kernel style: taking out functions, calls and branches, and arranging
lists. Whoever asks for something that is not there, or not once, is told."""

import re


class Miss(Exception):
    """A source is not as a rule expects it."""


def closing(text, at):
    """The index behind the bracket that closes the one at @at."""
    pairs = {'(': ')', '{': '}', '[': ']'}
    close, depth = pairs[text[at]], 0
    for match in re.compile(
            r'/\*.*?\*/|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])+\'|[(){}\[\]]',
            re.S).finditer(text, at):
        if match[0] in pairs:
            depth += 1
        elif match[0] in pairs.values():
            depth -= 1
            if not depth:
                if match[0] != close:
                    raise Miss(f'unbalanced: {text[at:at + 60]!r}')
                return match.end()
    raise Miss(f'unbalanced: {text[at:at + 60]!r}')


def line_start(text, at):
    """Where the line that has @at begins."""
    return text.rfind('\n', 0, at) + 1


def previous_line(text, start):
    """The line before the one that begins at @start, and where it begins."""
    before = line_start(text, start - 1) if start else 0
    return text[before:start], before


def with_comment(text, start):
    """Where the comment right above @start begins, or @start."""
    line, _ = previous_line(text, start)
    if not line.rstrip('\n').endswith('*/'):
        return start
    return line_start(text, text.rindex('/*', 0, start))


def functions(text, name):
    """(begin, end, is it a definition?) of all of that name, with their comments."""
    found = []
    for match in re.finditer(rf'(?m)^(?=[A-Za-z_])[^\n;{{}}()#]*\b{name}\(', text):
        start = match.start()
        line, before = previous_line(text, start)
        if line.strip() and not line[0].isspace() and line[0] not in '#}/' and \
                not re.search(r'(;|\*/|\})$', line.rstrip()):
            start = before
        end = closing(text, match.end() - 1)
        rest = re.match(r'\s*(;|\{)', text[end:])
        if not rest:
            continue
        is_definition = rest[1] == '{'
        if is_definition:
            end = closing(text, end + rest.end() - 1)
            start = with_comment(text, start)
        else:
            end += rest.end()
        end = text.index('\n', end) + 1
        found.append((start, end, is_definition))
    return found


def drop_functions(text, name):
    """Without them; how many definitions there were."""
    found = functions(text, name)
    for start, end, is_definition in reversed(found):
        if is_definition and text[end:end + 1] == '\n':
            end += 1
        text = text[:start] + text[end:]
    return text, sum(definition for *_, definition in found)


def make_static(text, name):
    """Without prototypes, and the definition for this file only."""
    found = functions(text, name)
    for start, end, is_definition in reversed(found):
        if not is_definition:
            text = text[:start] + text[end:]
            continue
        begin = re.compile(r'(?m)^(?=\w)').search(text, start, end).start()
        stop = text.index('\n{\n', begin)
        lines = text[begin:stop].split('\n')
        lines[0] = 'static ' + lines[0]
        if '(' in lines[0]:
            lines[1:] = ['\t' * (wide // 8) + ' ' * (wide % 8) + line.lstrip()
                         for line in lines[1:]
                         for wide in [lines[0].index('(') + 1]]
        text = text[:begin] + '\n'.join(lines) + text[stop:]
    return text, sum(definition for *_, definition in found)


def drop_spans(text, found):
    """Without what the matches begin, up to the end of the line where their bracket is
    closed, and without its comment."""
    for match in reversed(found):
        end = text.index('\n', closing(text, match.end() - 1)) + 1
        if text[end:end + 1] == '\n':
            end += 1
        text = text[:with_comment(text, match.start())] + text[end:]
    return text, len(found)


def drop_structs(text, name):
    """Without a structure or an enumeration; how many."""
    return drop_spans(text, list(re.finditer(rf'(?m)^(struct|enum) {name} \{{', text)))


def drop_events(text, name):
    """Without a tracepoint; how many."""
    return drop_spans(text, list(re.finditer(rf'(?m)^TRACE_EVENT\((?={name},)', text)))


def drop_objects(text, name):
    """Without an object that has an initializer, and its comment; how many."""
    found = list(re.finditer(
        rf'(?m)^(static|const)\b[^;{{}}()\n]*\b{name}(\[[^\]]*\])? = \{{', text))
    return drop_spans(text, found)


def drop_calls(text, name):
    """Without statements that only call it, and tests that only do."""
    dropped = 0
    pattern = re.compile(
        rf'(?m)^(\t+if \(!err\)\n\t+(?:err = )?|\t+(?:err = )?|\t+    ){name}\(')
    at = 0
    while match := pattern.search(text, at):
        end = closing(text, match.end() - 1)
        line, _ = previous_line(text, match.start())
        at = match.end()
        if text.startswith(' ||\n', end):
            end += 4
        elif text.startswith(';\n', end) and not match[1].endswith('    '):
            end += 2
            if re.search(r'(\)|else)$', line.rstrip()) and \
                    re.match(r'\s*(\} )?(if|else|for|while)\b', line):
                raise Miss(f'a branch would be empty without {name}(): {line!r}')
        else:
            continue
        text = text[:match.start()] + text[end:]
        at = match.start()
        dropped += 1
    return text, dropped


def statement_end(text, at):
    """Behind the statement that begins at @at: a block, or up to its semicolon."""
    if text[at] == '{':
        return closing(text, at)
    while text[at] != ';':
        at = closing(text, at) if text[at] in '({[' else at + 1
    return at + 1


def dedent(text):
    """One tab less."""
    return re.sub(r'(?m)^\t', '', text)


def conjuncts(condition):
    """What is joined by && in it, at its top; None when there is an ||."""
    parts, at, begin = [], 0, 0
    while at < len(condition):
        if condition[at] in '([{':
            at = closing(condition, at)
        elif condition.startswith('||', at):
            return None
        elif condition.startswith('&&', at):
            parts.append(condition[begin:at].strip())
            begin = at = at + 2
        else:
            at += 1
    return [*parts, condition[begin:].strip()]


def fold_false(text, name):
    """A call of @name is always false: without the branches that it led to."""
    folded, at = 0, 0
    call = re.compile(rf'{name}\([^()]*(\([^()]*\)[^()]*)*\)$')
    while match := re.compile(r'(?m)^(\t+)(\} else )?if \(').search(text, at):
        at = match.end()
        end = closing(text, match.end() - 1)
        parts = conjuncts(text[match.end():end - 1])
        if not parts or not any(call.match(part) for part in parts):
            continue
        body = re.compile(r'\s*').match(text, end).end()
        stop = statement_end(text, body)
        start = match.start()
        rest = re.compile(r'\s*else\s+(if\b)?').match(text, stop)
        if match[2]:
            raise Miss(f'{name}() after an else: fold it by hand')
        if rest and rest[1]:
            replaced, tail = match[1] + 'if', rest.end()
        elif rest:
            begin = rest.end()
            tail = statement_end(text, begin)
            if text[begin] == '{':
                inner = text[begin + 1:tail - 1].lstrip('\n')
            else:
                inner = text[line_start(text, begin):tail]
                inner = inner if inner[0] == '\t' and 'else' not in inner else \
                    match[1] + '\t' + text[begin:tail]
            replaced = dedent(inner).rstrip()
        else:
            replaced, tail = '', stop + (text[stop] == '\n')
        text = text[:start] + replaced + text[tail:]
        at = start
        folded += 1
    return text, folded


def items(body):
    """Rows of an enum or a struct, each with the comments that belong to it: those above
    it, and the one that begins on its line."""
    rows, row, has_name = [], '', False
    for line in body.splitlines(True):
        in_comment = row.count('/*') > row.count('*/')
        if not in_comment and has_name:
            rows.append(row)
            row, has_name = '', False
        row += line
        if not in_comment and re.match(r'\s*(?!/\*)\S', line):
            has_name = True
    return [*rows, row] if row else rows


def row_name(row):
    """What a row of an enum, a struct or a table declares."""
    bare = re.sub(r'/\*.*?\*/', '', row, flags=re.S).strip()
    match = re.match(r'\[(\w+)\]', bare) or re.search(
        r'(\w+)(?:\[[^\]]*\])*(?:\s*=.*)?[,;]?$', bare, re.S)
    return match[1] if match else ''


def body_of(text, opening):
    """Begin and end of what is in the braces that @opening, a regex, ends with."""
    found = list(re.finditer(opening, text, re.M))
    if len(found) != 1:
        raise Miss(f'{len(found)} times {opening!r}')
    begin = found[0].end()
    end = closing(text, begin - 1) - 1
    begin = text.index('\n', begin) + 1
    return begin, line_start(text, end)


def drop_table_rows(text, is_absent):
    """Without the rows, [NAME] = ... or RAMP_KIND(NAME, ...), that are of what is absent."""
    dropped, at = 0, 0
    row = re.compile(r'(?m)^\t(?:\[(\w+)\]\s*=\s*'
                     r'|RAMP_\w+(?=\((?:struct \w+, )?(TCA_RAMP_\w+)[,)]))')
    while match := row.search(text, at):
        at = match.end()
        if not is_absent(match[1] or match[2]):
            continue
        end = match.end()
        while text[end] != ',':
            if text[end] == '"':
                end = re.compile(r'"(?:\\.|[^"\\])*"').match(text, end).end()
            elif text[end] in '({[':
                end = closing(text, end)
            else:
                end += 1
        text = text[:match.start()] + text[end + 2:]
        at = match.start()
        dropped += 1
    return text, dropped


def doc_rows(text, begin):
    """(name, begin, end) of the @ rows of the kernel-doc comment that begins there."""
    end = text.find('*/', begin)
    return [(match[1], match.start(), match.end()) for match in re.compile(
        r'(?m)^ \* @(\w+):.*\n(?: \*\t.*\n)*').finditer(text, begin, max(end, begin))]


def drop_fields(text, struct, names):
    """Without these fields of a struct, and what is said of them."""
    begin, end = body_of(text, rf'^struct {struct} \{{')
    body = text[begin:end]
    for name in names:
        pattern = rf'(?m)^[ \t]+[^\n;{{}}(]*[ \t*]{name}(\[[^\]]*\])?;[^\n]*\n'
        if len(re.findall(pattern, body)) != 1:
            raise Miss(f'struct {struct} has not once a field {name}')
        body = re.sub(pattern, '', body)
    start = text.index(f'struct {struct} {{')
    text = text[:begin] + body + text[end:]
    comment = with_comment(text, start)
    if comment == start:
        return text
    missing = set(names)
    for name, row, limit in reversed(doc_rows(text, comment)):
        if name in missing:
            text = text[:row] + text[limit:]
            missing.remove(name)
    if missing:
        raise Miss(f'struct {struct} says nothing of {sorted(missing)}')
    return text


def tidy(text):
    """No blank lines but one at a time, and none at the begin or end of a block."""
    text = re.sub(r'\n{3,}', '\n\n', text)
    text = re.sub(r'\{\n\n', '{\n', text)
    text = re.sub(r'\n\n(\t*\})', r'\n\1', text)
    return text.rstrip('\n') + '\n'
