"""The marks of a merge conflict."""

import re
from collections.abc import Iterator
from typing import Final

from canfetch.lint.check import Check, Occurrence
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere

_START: Final = b"<<<<<<< "
_BASE: Final = b"||||||| "
_MIDDLE: Final = b"======="
_END: Final = b">>>>>>> "
_MARK: Final = re.compile(b"|".join(map(re.escape, (_START, _BASE, _MIDDLE, _END))))


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find the three lines with which version control marks a conflict."""
    if _START not in file.content or _END not in file.content:
        return
    span: tuple[int, int] | None = None
    lines: list[int] = []
    for record in file.lines_matching(_MARK):
        line = file.line_content(record)
        if line.startswith(_START):
            span, lines = file.text_span(record), []
        elif span is not None and (line.rstrip() == _MIDDLE or line.startswith((_BASE, _END))):
            lines.append(record.line)
            if line.startswith(_END):
                yield Occurrence(span, lines=tuple(lines))
                span = None


CHECK = Check(
    code="CF122",
    name="merge-conflict",
    severities=everywhere(Severity.ERROR),
    title="The marks of a merge conflict",
    message="a merge conflict was not resolved",
    why="Crawlers skip the marks and obey both versions at once: the rules before `=======` and those after it.",
    how_to_fix="Keep one version of the lines between the marks, and remove the marks.",
    source="Git, git-merge: how conflicts are presented",
    bad=b"User-agent: *\n<<<<<<< HEAD\nDisallow: /a/\n=======\nDisallow: /b/\n>>>>>>> main\nDisallow: /c/\n",
    good=b"User-agent: *\nDisallow: /b/\nDisallow: /c/\n",
    find=find,
    needs=(_START,),
    supersedes=("CF2", "CF302"),
)
