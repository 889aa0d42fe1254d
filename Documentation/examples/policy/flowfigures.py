# SPDX-License-Identifier: GPL-2.0
"""What the daemon counts, as text for the textfile collector of Prometheus' node_exporter."""

import os
import tempfile

FIGURES = (
    ('entries', 'gauge', 'Flows that have an entry.'),
    ('reported_total', 'counter', 'Reports of flows without an entry.'),
    ('installed_total', 'counter', 'Entries made.'),
    ('aged_total', 'counter', 'Entries taken away as their flows were idle.'),
    ('lost_total', 'counter', 'Times that the kernel had more reports than it could give.'),
)


def text(values):
    """The exposition format, of VALUES in this order."""
    return ''.join(f'# HELP mpolice_flows_{name} {words}\n# TYPE mpolice_flows_{name} {kind}\n'
                   f'mpolice_flows_{name} {value}\n'
                   for (name, kind, words), value in zip(FIGURES, values, strict=True))


def write(path, values):
    """All at once: who reads it sees the old text or the new one."""
    folder = os.path.dirname(os.path.abspath(path))
    with tempfile.NamedTemporaryFile('w', dir=folder, prefix='.mpolice-', delete=False,
                                     encoding='utf-8') as file:
        try:
            file.write(text(values))
            file.flush()
            os.fchmod(file.fileno(), 0o644)
            os.replace(file.name, path)
        except BaseException:
            os.unlink(file.name)
            raise
