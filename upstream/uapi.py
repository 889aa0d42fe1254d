# SPDX-License-Identifier: GPL-2.0
"""The numbers of a stage: what a feature has stands behind what those before it have."""


def arrange(tree, features):
    """Of all interfaces."""
