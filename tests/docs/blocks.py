"""The code blocks of a Markdown page.

A block is run unless its language has no meaning for a machine, or a comment directly above it gives a reason:

    <!-- not run: downloads packages -->

Other comments:

    <!-- output -->             the block shows the output of the block before it
    <!-- setup: COMMAND -->     a shell command that prepares the block, which readers do not need
    <!-- needs: MODULE -->      the block is run only if this module is installed

A `{code-block}` with a `:caption:` is a file of that name, which later blocks of the page can use.
"""

import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
DOCUMENTS = [
    *sorted(path for path in ROOT.glob("*.md") if path.name != "CHANGELOG.md"),
    *sorted((ROOT / "docs").glob("*.md")),
    *(ROOT / folder / "README.md" for folder in ("benchmarks", "conformance", "conformance/pages")),
]
# Languages of blocks that are run, parsed, or only read.
RUN = frozenset({"python", "console", "sh"})
PARSED = frozenset({"toml", "json", "yaml"})
# tests/npm runs the blocks in JavaScript, and tests/c_library those in SQL.
TEXT = frozenset({"", "js", "lua", "sql", "text"})
# Directives that contain no code. Sphinx checks them.
DIRECTIVES = frozenset({"{eval-rst}", "{toctree}", "{literalinclude}", "{click}", "{note}", "{tip}", "{warning}"})

_FENCE = re.compile(r"^( *)(`{3,})([^`\s]*) *([^`]*)$")
_OPTION = re.compile(r"^:([a-z-]+): *(.*)$")
_COMMENT = re.compile(
    r"^<!-- (not run: (?P<reason>.+)|setup: (?P<setup>.+)|needs: (?P<needs>\w+)|(?P<output>output)) -->$"
)


class Block(NamedTuple):
    """A fenced block. `line` is the line of its fence, and `text` ends with a line break unless it is empty."""

    language: str
    text: str
    line: int
    file: str | None = None
    reason: str | None = None
    setup: str | None = None
    needs: str | None = None
    is_output: bool = False


def page_name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def blocks(page: Path) -> list[Block]:
    """Return the fenced blocks of a page, in order.

    Raises: ValueError: A comment above a block is unknown, or a block contains another one.
    """
    lines = page.read_text(encoding="utf-8").split("\n")
    found = []
    number = 0
    while number < len(lines):
        opening = _FENCE.match(lines[number])
        number += 1
        if opening is None:
            continue
        start = number
        indent, fence, language, argument = opening.groups()
        while lines[number].strip() != fence:
            number += 1
        body = [line.removeprefix(indent) for line in lines[start:number]]
        number += 1
        options = {}
        if language == "{code-block}":
            language = argument.strip()
            while body and (option := _OPTION.match(body[0])):
                options[option[1]] = option[2]
                body.pop(0)
        if any(_FENCE.match(line) for line in body):
            raise ValueError(f"{page}:{start}: a block in a block: use ':::' for the directive around it")
        above = _line_above(lines, start - 1)
        comment = _COMMENT.match(above)
        if comment is None and above.startswith("<!--"):
            raise ValueError(f"{page}:{start}: unknown comment {above!r}")
        found.append(
            Block(
                language,
                "".join(f"{line}\n" for line in body),
                start,
                options.get("caption"),
                comment["reason"] if comment else None,
                comment["setup"] if comment else None,
                comment["needs"] if comment else None,
                bool(comment and comment["output"]),
            )
        )
    return found


def _line_above(lines: list[str], number: int) -> str:
    """Return the line above a fence. One blank line between them is skipped."""
    above = [line.strip() for line in lines[max(0, number - 2) : number]]
    while above and not above[-1]:
        above.pop()
    return above[-1] if above else ""
