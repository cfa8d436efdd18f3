"""Sphinx configuration, with MyST and Furo."""

import re
import sys
from pathlib import Path
from textwrap import dedent

import click
from sphinx.application import Sphinx

from canfetch import __version__
from canfetch.repository import REPOSITORY

# The folder of the extensions.
sys.path.insert(0, str(Path(__file__).parent))

project = "canfetch"
author = "The canfetch authors"
copyright = "the canfetch authors; Apache-2.0"
release = __version__
version = ".".join(release.split(".")[:2])

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.viewcode",
    "sphinx_click",
    "sphinx_copybutton",
    "built_pages",
    "navigation",
    "source_links",
]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]
# Docstrings mark code with single backticks, as Markdown does.
default_role = "code"

# Otherwise `--option` would get a dash.
smartquotes = False

myst_enable_extensions = ["attrs_inline", "colon_fence", "deflist"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints_format = "short"

html_theme = "furo"
html_title = f"canfetch {release}"
html_show_sourcelink = False
html_static_path = ["_static"]
html_css_files = ["tables.css"]
# The copy button omits prompts and output.
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_here_doc_delimiter = "EOF"
if REPOSITORY is not None:
    html_theme_options = {"source_repository": REPOSITORY, "source_branch": "main", "source_directory": "docs/"}

# Classes that users never construct: their constructors are private.
PRIVATE_CONSTRUCTORS = {"canfetch.RobotsTxt", "canfetch.AgentRules"}
SECTION = re.compile(r"(Args|Attributes|Returns|Raises|Cost|Source):(?: (.*))?$")
FIELDS_OF_NAMES = {"Args": "param", "Attributes": "ivar"}


def fields_of_sections(lines: list[str]) -> list[str]:
    """Convert the sections of a docstring (`Args:`, `Returns:` and so on) into reStructuredText fields."""
    out: list[str] = []
    position = 0
    while position < len(lines):
        section = SECTION.match(lines[position])
        position += 1
        if section is None:
            out.append(lines[position - 1])
            continue
        body = []
        while position < len(lines) and lines[position].startswith(" "):
            body.append(lines[position])
            position += 1
        name, first = section[1], section[2]
        if out and out[-1] and not out[-1].startswith(":"):
            out.append("")
        if name in FIELDS_OF_NAMES:
            arguments = dedent("\n".join(body)) if body else first
            for argument in re.split(r"\n(?! )", arguments):
                argument_name, _, meaning = argument.partition(":")
                out.append(f":{FIELDS_OF_NAMES[name]} {argument_name}: {' '.join(meaning.split())}")
        else:
            out.append(f":{name}: {' '.join([first or '', *(line.strip() for line in body)]).strip()}")
    return out


def process_docstring(_app: Sphinx, _what: str, _name: str, _obj: object, _options: object, lines: list[str]) -> None:
    """Convert the sections of a docstring in place."""
    lines[:] = fields_of_sections(lines)


def process_signature(
    _app: Sphinx, what: str, name: str, _obj: object, _options: object, signature: str, returned: str
) -> tuple[str, str] | None:
    """Hide the signatures of private constructors."""
    return ("", returned) if what == "class" and name in PRIVATE_CONSTRUCTORS and signature else None


def skip_member(_app: Sphinx, _what: str, _name: str, member: object, skip: bool, _options: object) -> bool | None:  # noqa: FBT001 - Sphinx calls it
    """Skip the generated docstrings of NamedTuple fields; the class docstring describes them."""
    return True if skip or (member.__doc__ or "").startswith("Alias for field number") else None


def process_epilog(_app: Sphinx, ctx: click.Context, lines: list[str]) -> None:
    """Show the examples and formats in the epilog of a command as literal blocks."""
    lines.clear()
    for paragraph in (ctx.command.epilog or "").replace("\b\n", "").split("\n\n"):
        head, *indented = paragraph.split("\n")
        if not indented:
            lines += [head, ""]
            continue
        commands = head == "Examples:"
        lines += [head, "", f".. code-block:: {'console' if commands else 'text'}", ""]
        lines += [f"    {'$ ' if commands else ''}{line.removeprefix('  ')}" for line in indented]
        lines.append("")


def setup(app: Sphinx) -> None:
    """Register the callbacks."""
    app.connect("autodoc-process-docstring", process_docstring)
    app.connect("autodoc-process-signature", process_signature)
    app.connect("autodoc-skip-member", skip_member)
    app.connect("sphinx-click-process-epilog", process_epilog)
