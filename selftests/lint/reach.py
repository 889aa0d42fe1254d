# SPDX-License-Identifier: GPL-2.0
"""To which objects direct calls lead from a function.

What a compiler made apart of a function (.cold, .part, .isra and the like) has its calls,
and the space before one (__pfx_) has none. A name that two objects have is static, and
each calls its own. Pointers to functions are not followed, nor tracepoints (__SCT__), which
are some, too: what is behind ops is called by whoever has them, not by its name.
"""

import re
from bisect import bisect_right
from collections import defaultdict
from pathlib import Path


class Calls:
    """Of one module, as build.sh's build_calls has them:

        object MODULE PATH
        function SECTION ADDRESS NAME
        call NAME TARGET
    """

    def __init__(self, path, module):
        self.known = defaultdict(lambda: defaultdict(list))
        self.names = defaultdict(set)
        self.calls = defaultdict(set)
        name = None
        for line in Path(path).read_text(encoding='ascii').splitlines():
            words = line.split()
            if words[0] == 'object':
                name = Path(words[2]).stem if words[1] == module else None
            elif name and words[0] == 'function' and not words[3].startswith('__pfx_'):
                self.known[name][words[1]].append((int(words[2], 16), words[3]))
                self.names[words[3]].add(name)
            elif name and words[0] == 'call':
                self.calls[name, self.whole(words[1])].add(words[2])

    @staticmethod
    def whole(name):
        """Returns the function that this is a part of."""
        return name.split('.')[0] if name[0] != '.' else name

    def target(self, name, where):
        """Returns the (object, function) that an object calls there, or None if it is
        not of this module."""
        found = re.fullmatch(r'(\.[\w.]+)([+-]0x[0-9a-f]+)', where)
        if found:
            functions = sorted(self.known[name][found.group(1)])
            # The processor counts from behind the four bytes of the operand.
            place = bisect_right(functions, (int(found.group(2), 16) + 4, '~')) - 1
            if place < 0:
                return None
            where = functions[place][1]
        owners = self.names.get(where, ())
        if where.startswith('__SCT__'):
            return None
        if name not in owners and len(owners) != 1:
            return None
        return name if name in owners else next(iter(owners)), self.whole(where)

    def objects(self, function):
        """Returns where calls lead from a function; nowhere if that is not there."""
        to_do = [(name, function) for name in self.names[function]]
        seen = set(to_do)
        while to_do:
            name, caller = to_do.pop()
            for where in self.calls[name, caller]:
                target = self.target(name, where)
                if target and target not in seen:
                    seen.add(target)
                    to_do.append(target)
        return {name for name, _ in seen}
