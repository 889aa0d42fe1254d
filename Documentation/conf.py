# SPDX-License-Identifier: GPL-2.0
"""The documentation as pages: sphinx-build -n -W Documentation out/html"""

project = "Ramp"
copyright = "the authors of Ramp"
html_theme = "alabaster"
html_static_path = []
html_show_copyright = False
# Nothing of it is Python, and kernel text does not say so at each block.
highlight_language = "none"
