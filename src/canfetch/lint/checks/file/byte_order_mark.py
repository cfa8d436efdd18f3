"""A byte order mark."""

from collections.abc import Iterator

from canfetch.core.lines import BYTE_ORDER_MARK
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.fixes import replace_span
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find a byte order mark at the start of the file."""
    if not file.content.startswith(BYTE_ORDER_MARK):
        return
    first = file.records[0] if file.records else None
    # Parsers that do not skip the mark read it as part of the first key.
    is_harmless = first is None or (first.kind is None and file.line_content(first).lstrip().startswith(b"#"))
    yield Occurrence((0, 3), fix=replace_span(0, 3, b"", changes_verdicts=not is_harmless))


CHECK = Check(
    code="CF105",
    name="byte-order-mark",
    severities=everywhere(Severity.INFO),
    title="A byte order mark",
    message="the file starts with an invisible byte order mark",
    why="Google skips the mark. Parsers that do not skip it read it as part of the first line, which they then "
    "ignore. That is often the only `User-agent` line.",
    how_to_fix="Save the file as UTF-8 without a byte order mark.",
    source="Google, file format; google/robotstxt; RFC 9309 section 2.2",
    bad=b"\xef\xbb\xbfUser-agent: *\nDisallow: /private/\n",
    good=b"User-agent: *\nDisallow: /private/\n",
    find=find,
    needs=(BYTE_ORDER_MARK,),
    fixable=True,
    notable=True,
)
