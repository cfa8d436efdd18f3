"""A block that a content delivery network adds to the file."""

from collections.abc import Iterator
from typing import Final

from canfetch.lint.check import Check, Occurrence
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere

_BEGIN: Final = b"# begin cloudflare managed"
_END: Final = b"# end cloudflare managed"
_NAME: Final = "Cloudflare"
_MAX_NAMED: Final = 3


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find the comments around a managed block, and the crawlers with groups in it and outside of it."""
    lower = file.lower_content
    start = lower.find(_BEGIN)
    if start < 0:
        return
    end = lower.find(_END, start)
    if end < 0:
        end = len(lower)
    inside = {name for group in file.groups if start <= group.tokens[0].record.span[0] < end for name in group.names}
    outside = {
        name for group in file.groups if not start <= group.tokens[0].record.span[0] < end for name in group.names
    }
    both = sorted(inside & outside)
    more = ", …" if len(both) > _MAX_NAMED else ""
    named = ", ".join(f"`{name}`" for name in both[:_MAX_NAMED]) + more if both else "-"
    line_end = min((place for mark in (b"\n", b"\r") if (place := lower.find(mark, start)) >= 0), default=len(lower))
    yield Occurrence((start, line_end), {"network": _NAME, "names": named})


CHECK = Check(
    code="CF310",
    name="managed-block",
    severities=everywhere(Severity.INFO),
    title="A block that a content delivery network adds to the file",
    message="{network} added this block; names with groups both inside and outside it: {names}",
    why="The served file is not the file that the site owner wrote. If a name has groups inside and "
    "outside the block, crawlers that follow RFC 9309 combine them. Parsers that follow the 1996 draft obey only the "
    "first group, which is in the block.",
    how_to_fix="Check the served file. If the block and the file disagree, switch the block off, or copy its rules "
    "into the file.",
    source="Cloudflare, managed robots.txt; RFC 9309 section 2.2.1",
    bad=b"# BEGIN Cloudflare Managed content\nUser-agent: *\nContent-Signal: search=yes,ai-train=no\nAllow: /\n"
    b"# END Cloudflare Managed Content\n\nUser-agent: *\nDisallow: /private/\n",
    good=b"User-agent: *\nContent-Signal: search=yes,ai-train=no\nDisallow: /private/\n",
    find=find,
    needs=(_BEGIN,),
)
