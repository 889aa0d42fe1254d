#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Speaks to a netlink family through the kernel's YNL library, many times.

    ynl.py YNL_FOLDER SPEC SCHEMA

Each line of the input is a request, "call OPERATION JSON", "create OPERATION JSON" or
"dump OPERATION [JSON]"; each line of the output its answer as JSON, or "error: ..."
with what the kernel said. The cli.py of YNL does the same once, and reads the
specification each time.
"""

import contextlib
import json
import sys


def main():
    """Answers until the end of the input."""
    folder, spec, schema = sys.argv[1:]
    sys.path.insert(0, folder)
    # pylint: disable=import-error,import-outside-toplevel
    from lib import Netlink, NlError, YnlFamily

    create = [Netlink.NLM_F_CREATE, Netlink.NLM_F_EXCL]
    family = YnlFamily(spec, schema)
    for line in sys.stdin:
        kind, operation, *text = line.split(None, 2)
        values = json.loads(text[0]) if text else {}
        try:
            # It prints warnings, which are no answers.
            with contextlib.redirect_stdout(sys.stderr):
                if kind == 'dump':
                    answer = family.dump(operation, values)
                else:
                    answer = family.do(operation, values,
                                       create if kind == 'create' else None)
            print(json.dumps(answer), flush=True)
        except NlError as error:
            print('error:', ' '.join(str(error).split()), flush=True)
    return 0


if __name__ == '__main__':
    sys.exit(main())
