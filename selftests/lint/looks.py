# SPDX-License-Identifier: GPL-2.0
"""What nm does not see: who looks into what another room has.

A structure belongs to the room whose header has it, and so does an inline there. Who has a
pointer to such a structure looks into it with ->, and who calls an inline looks into what
that one does. An inline of a header that everybody has counts for its callers.
"""

import re
from pathlib import Path

NOT_CODE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.DOTALL)
INLINE = re.compile(r'^static (?:__always_)?inline\b[^;{]*?(\w+)\([^;{]*\)\n\{\n.*?^\}$',
                    re.DOTALL | re.MULTILINE)
STRUCT = re.compile(r'^struct (\w+) \{$', re.MULTILINE)
FIELD = re.compile(r'^\t+(?:const )?struct (\w+)\s*\*(\w+)(?:\[\w+\])?;$', re.MULTILINE)
POINTER = re.compile(r'\bstruct (\w+)\s*\*\s*(?:const\s+)?(\w+)')


def code_of(path):
    """Returns a file without comments and strings."""
    return NOT_CODE.sub(' ', Path(path).read_text(encoding='utf-8'))


def includes(path, header):
    """Returns whether a file names a header."""
    return f'#include "{header}"' in Path(path).read_text(encoding='utf-8').splitlines()


class Looks:
    """The headers of a module: {path: room, or None}."""

    def __init__(self, headers, called):
        """Functions that are CALLED, as nm says, are no inlines: these have one in their
        place where a feature is left out."""
        texts = {path: code_of(path) for path in headers}
        self.owner = {name: room for path, room in headers.items() if room
                      for name in STRUCT.findall(texts[path])}
        self.fields = {}
        for text in texts.values():
            for name, field in FIELD.findall(text):
                if name in self.owner:
                    self.fields.setdefault(field, set()).add(self.owner[name])
        bodies = {found.group(1): (room, found.group(0)) for path, room in headers.items()
                  for found in INLINE.finditer(texts[path]) if found.group(1) not in called}
        self.inlines = {name: {room: name} if room else self.directly(body)
                        for name, (room, body) in bodies.items()}
        before = -1
        while before != sum(map(len, self.inlines.values())):
            before = sum(map(len, self.inlines.values()))
            for name, (_, body) in bodies.items():
                self.inlines[name] = self.by_inlines(body) | self.inlines[name]

    def directly(self, text):
        """Returns {room: where} of what a function looks into by itself."""
        found = {}
        for name, pointer in POINTER.findall(text):
            if name in self.owner and re.search(rf'(?<![>.\w]){pointer}->', text):
                found.setdefault(self.owner[name], f'{pointer}-> of struct {name}')
        for field in re.findall(r'(?:->|\.)(\w+)->', text):
            for room in self.fields.get(field, ()):
                found.setdefault(room, f'->{field}->')
        return found

    def by_inlines(self, text):
        """Returns the same of the inlines that it calls."""
        found = {}
        for name in re.findall(r'\b(\w+)\(', text):
            for room, where in self.inlines.get(name, {}).items():
                found.setdefault(room, name if where == name else f'{name}(): {where}')
        return found

    def of_file(self, path):
        """Returns the same of a whole file."""
        text = code_of(path)
        found = self.by_inlines(text)
        for function in text.split('\n}\n'):
            found = self.directly(function) | found
        return found
