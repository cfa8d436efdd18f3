"""A file in UTF-16 or UTF-32."""

from collections.abc import Iterator

from canfetch.lint.analysis.content_kinds import file_is_wide
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.fixes import Fix
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find a file in UTF-16 or UTF-32."""
    if file_is_wide(file):
        # Not decoded: the byte order mark is missing, or it is that of UTF-32, which starts like that of UTF-16.
        yield Occurrence((0, 0))
    elif file.robots.source_encoding != "utf-8" and not file.robots.tail:
        yield Occurrence((0, 0), fix=Fix((), changes_verdicts=True))


CHECK = Check(
    code="CF106",
    name="utf-16",
    severities=everywhere(Severity.ERROR),
    title="A file in UTF-16 or UTF-32",
    message="the file is in UTF-16 or UTF-32, but a robots.txt must be UTF-8",
    why="Google and most other crawlers read only UTF-8. In UTF-16, they find NUL bytes between the letters, and no "
    "rules.",
    how_to_fix="Save the file as UTF-8.",
    source="RFC 9309 section 2.3; google/robotstxt",
    bad=b"\xff\xfe" + "User-agent: *\nDisallow: /private/\n".encode("utf-16-le"),
    good=b"User-agent: *\nDisallow: /private/\n",
    find=find,
    fixable=True,
)
