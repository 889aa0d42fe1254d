#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The commands of a text, in its order.

    selftests/docs/commands.py [--box | --tree] FILE...

--box: only those for a box that has Ramp; --tree: only those that build and test it.
Prints of each command, with a null character behind each: its file, its line, itself, and
what it prints.

A command is found

- in Markdown, in each block between ``` lines;
- in reStructuredText, in each literal block, behind "# " or "$ ";
- in a man page, between .EX and .EE, behind "# " or "$ ".

It goes on in the next line as long as bash wants more. Other lines behind a prompt are
what it prints: they are compared, "..." standing for anything.

What looks like a command and has no prompt is an error: nobody would run it.
"""

import re
import subprocess
import sys

PROMPT = re.compile(r"[#$] ")
TOOLS = re.compile(r"(sudo )?(tc (?:-\w+ )*(?:qdisc|class|filter|actions)|ip|nft|teamnl|"
                   r"ethtool|iperf3|ynl|jq|make|modprobe|rmmod|echo|cat|"
                   r"clang|selftests/\S+|iproute2-patch/\S+|upstream/\S+|"
                   r"Documentation/\S+) ")
TREE = re.compile(r"([A-Z_][A-Z0-9_]*=\S+ )*(make|man|clang|sudo apt|selftests/|"
                  r"iproute2-patch/|upstream/|sphinx-build)")


def blocks_md(lines):
    """Yields the number of its first line, and its lines, of each block."""
    begin = None
    for number, line in enumerate(lines, 1):
        if line.startswith("```"):
            if begin is None:
                begin, block = number + 1, []
            else:
                yield begin, block
                begin = None
        elif begin is not None:
            block.append(line)


def blocks_rst(lines):
    """The same; a block is what is indented below a line that ends with ::."""
    i = 0
    while i < len(lines):
        line = lines[i]
        i += 1
        is_code = re.match(r"\s*\.\. code-block::", line)
        if not (is_code or line.rstrip().endswith("::")) or \
           re.match(r"\s*\.\. (?!code-block)\w+::", line):
            continue
        outer = len(line) - len(line.lstrip())
        while i < len(lines) and not lines[i].strip():
            i += 1
        begin, block = i + 1, []
        while i < len(lines) and (not lines[i].strip() or
                                  len(lines[i]) - len(lines[i].lstrip()) > outer):
            block.append(lines[i].expandtabs())
            i += 1
        while block and not block[-1].strip():
            block.pop()
        indent = min((len(x) - len(x.lstrip()) for x in block if x.strip()), default=0)
        yield begin, [x[indent:] for x in block]


def blocks_man(lines):
    """The same of .EX and .EE, without troff's escapes."""
    begin = None
    for number, line in enumerate(lines, 1):
        if line.startswith(".EX"):
            begin, block = number + 1, []
        elif line.startswith(".EE"):
            yield begin, block
            begin = None
        elif begin is not None:
            block.append(line.replace("\\e", "\\").replace("\\-", "-").replace("\\&", ""))


def is_complete(text):
    """Whether bash would run this, instead of asking for more."""
    if text.endswith("\\"):
        return False
    run = subprocess.run(["bash", "-n"], input=text + "\n", text=True, check=False,
                         stderr=subprocess.PIPE)
    return run.returncode == 0 or not re.search("unexpected (end of file|EOF)", run.stderr)


def commands_of(path):
    """Yields what is told of each command of a file."""
    lines = open(path, encoding="utf-8").read().splitlines()
    prompt = True
    if path.endswith(".md"):
        blocks, prompt = blocks_md(lines), False
    elif path.endswith(".rst"):
        blocks = blocks_rst(lines)
    else:
        blocks = blocks_man(lines)
    for begin, block in blocks:
        prompted = any(PROMPT.match(x) for x in block)
        if prompt and not prompted:
            if any(TOOLS.match(x) for x in block):
                raise SystemExit(f"{path}:{begin}: a command without a prompt")
            continue
        i, found = 0, []
        while i < len(block):
            line, number = block[i], begin + i
            i += 1
            if prompt and not PROMPT.match(line):
                found[-1]["output"].append(line)
                continue
            if not line.strip():
                continue
            text = line[2:] if prompt else line
            while not is_complete(text) and i < len(block):
                text += "\n" + block[i]
                i += 1
            found.append({"file": path, "line": str(number), "command": text, "output": []})
        yield from found


def main():
    """Prints the commands of all files."""
    only, files = None, sys.argv[1:]
    if files and files[0].startswith("--"):
        only = files.pop(0)
    for path in files:
        for found in commands_of(path):
            if only and (only == "--tree") != bool(TREE.match(found["command"])):
                continue
            found["output"] = "\n".join(found["output"])
            sys.stdout.write("".join(field + "\0" for field in found.values()))


if __name__ == "__main__":
    sys.exit(main())
