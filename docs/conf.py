"""The site: pages of this folder and the reference, which is made from the code. `make site` builds it without a network."""

from __future__ import annotations

import sys
from pathlib import Path

from sphinx.application import Sphinx

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

import reference_pages  # noqa: E402 - found by the line above

project = "hudi-core"
author = "the authors of hudi-core"
extensions = ["myst_parser", "sphinx.ext.autodoc"]
exclude_patterns = ["*.py"]
html_theme = "furo"
html_title = "hudi-core"
html_show_sphinx = False
html_copy_source = False
myst_heading_anchors = 3
myst_enable_extensions = ["colon_fence"]
autodoc_typehints = "description"
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
default_role = "code"
smartquotes = False  # it would take two hyphens of an option for a dash
nitpicky = False
suppress_warnings = [
    "docutils",
    "ref.python",
    "misc.highlighting_failure",
    "toc.not_included",
]  # search finds all pages


def setup(app: Sphinx) -> None:
    """Has the reference made before pages are read."""
    app.connect("builder-inited", lambda _: reference_pages.write(HERE / "reference"))
