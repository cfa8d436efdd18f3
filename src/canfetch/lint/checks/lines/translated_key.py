"""A key in another language."""

from collections.abc import Iterator

from canfetch.lint.analysis.odd_lines import Oddity
from canfetch.lint.analysis.unread_lines import EXPLAINED_CHECKS, corrected_keys
from canfetch.lint.check import Check, LineOccurrence
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere


def find(file: LintedFile) -> Iterator[LineOccurrence]:
    """Find translated keys."""
    yield from corrected_keys(file, Oddity.TRANSLATED)


CHECK = Check(
    code="CF206",
    name="translated-key",
    severities=everywhere(Severity.ERROR, lighthouse=Severity.ERROR),
    title="A key in another language",
    message="`{key}` is a translation of `{name}` that crawlers do not know",
    why="Keys are the same English words everywhere. Machine translations of pages about robots.txt show translated "
    "keys, but crawlers ignore lines with such keys.",
    how_to_fix="Write the key in English.",
    source="RFC 9309 section 2.2",
    bad=b"User-agent: *\nNo permitir: /privado/\n",
    good=b"User-agent: *\nDisallow: /privado/\n",
    find=find,
    needs=(Oddity.TRANSLATED,),
    fixable=True,
    supersedes=EXPLAINED_CHECKS,
)
