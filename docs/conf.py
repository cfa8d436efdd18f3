"""Settings of the documentation: Sphinx, MyST, Furo."""

from canfetch import __version__

project = "canfetch"
author = "The canfetch authors"
copyright = "the canfetch authors; Apache-2.0"
release = __version__
version = ".".join(release.split(".")[:2])

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]
nitpicky = True
nitpick_ignore_regex = [
    # Names of the standard library and of type parameters: no inventory is fetched while the pages are built.
    ("py:.*", r"(typing|collections|enum|pathlib)\..*"),
]

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
# Docstrings write `Cost:` and `Source:` as sections, beside the usual ones.
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_custom_sections = [("Cost", "returns_style"), ("Source", "returns_style")]
napoleon_use_rtype = False

html_theme = "furo"
html_title = f"canfetch {release}"
html_show_sourcelink = False
