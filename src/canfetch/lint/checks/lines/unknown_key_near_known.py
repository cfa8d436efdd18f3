"""An unknown key close to a known one."""

from collections.abc import Iterator

from canfetch.lint.analysis.odd_lines import Oddity
from canfetch.lint.analysis.unread_lines import EXPLAINED_CHECKS, corrected_keys
from canfetch.lint.check import Check, LineOccurrence
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere


def find(file: LintedFile) -> Iterator[LineOccurrence]:
    """Find misspelt keys."""
    yield from corrected_keys(file, Oddity.NEAR)


CHECK = Check(
    code="CF203",
    name="unknown-key-near-known",
    severities=everywhere(Severity.ERROR, lighthouse=Severity.ERROR),
    title="An unknown key close to a known one",
    message="no crawler knows `{key}`, which may be a misspelling of `{name}`",
    why="Crawlers ignore a line whose key they do not know.",
    how_to_fix="Correct the spelling of the key.",
    source="RFC 9309 section 2.2.4; Lighthouse, robots-txt; Yandex Webmaster, robots.txt analysis",
    bad=b"User-agent: *\nDisllow: /private/\n",
    good=b"User-agent: *\nDisallow: /private/\n",
    find=find,
    needs=(Oddity.NEAR,),
    fixable=True,
    supersedes=EXPLAINED_CHECKS,
)
