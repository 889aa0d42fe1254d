#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Links and names of files in texts: what they name has to be in the tree.

    selftests/lint/links.py FILE...

Links of Markdown with their anchors; and, in all texts, paths that begin with a folder of
the tree. Patterns of MAINTAINERS match files. Links between pages of Documentation are
Sphinx's business.
"""

import glob
import os
import re
import sys

LINK = re.compile(r"\[[^][]*\]\(([^)\s]+)\)")
FOLDERS = "Documentation|selftests|include|iproute2-patch|scripts|net/sched|net/team"
PATH = re.compile(r"(?<![\w./-])(?:\./)?((?:" + FOLDERS + r")/[\w./*-]*\w)")
# What is of other trees (the kernel's, OpenWrt's), what runs leave, and names with a part
# to be put in.
OTHERS = re.compile(r"scripts/feeds|include/linux/|include/net/sch_|selftests/vm/out|.*[A-Z]{4}")


def anchors(path):
    """The ends of URLs by which sections of a page can be reached."""
    lines = open(path, encoding="utf-8").read().splitlines()
    for i, line in enumerate(lines):
        if path.endswith(".md"):
            title = re.sub(r"^#+ +", "", line) if line.startswith("#") else None
        else:
            under = lines[i + 1] if i + 1 < len(lines) else ""
            title = line if re.fullmatch(r"([=\-~^])\1{2,}", under) else None
        if title:
            plain = re.sub(r"[^\w\- ]", "", title.lower())
            yield plain.strip().replace(" ", "-")


def wrong_links(path, text):
    """Links of Markdown that lead nowhere."""
    for target in LINK.findall(text):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        file = os.path.join(os.path.dirname(path), name) if name else path
        if not os.path.exists(file):
            yield target
        elif anchor and anchor not in anchors(file):
            yield target


def wrong_paths(text):
    """Paths of no file of the tree."""
    for name in PATH.findall(text):
        if not OTHERS.match(name) and not glob.glob(name):
            yield name


def wrong_patterns(text):
    """Patterns of MAINTAINERS that match nothing."""
    for pattern in re.findall(r"^[FX]:\t(\S+)$", text, re.M):
        if not glob.glob(pattern):
            yield pattern


def main():
    """Prints what is wrong, and fails then."""
    bad = 0
    for path in sys.argv[1:]:
        text = open(path, encoding="utf-8").read()
        wrong = list(wrong_paths(text.replace("\\-", "-")))
        if path.endswith(".md"):
            wrong += wrong_links(path, text)
        if path == "MAINTAINERS":
            wrong = list(wrong_patterns(text))
        for name in wrong:
            print(f"{path}: there is no {name}")
            bad = 1
    return bad


if __name__ == "__main__":
    sys.exit(main())
