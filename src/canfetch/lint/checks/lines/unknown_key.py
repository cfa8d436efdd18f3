"""An unknown key."""

from collections.abc import Iterator

from canfetch.lint.analysis.odd_lines import Oddity, odd_lines
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severities, Severity


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find keys that no standard and no search engine defines."""
    for line in odd_lines(file, Oddity.UNKNOWN):
        if line.record.key is not None:
            yield Occurrence(line.record.key, {"key": file.text(file.key(line.record))})


CHECK = Check(
    code="CF204",
    name="unknown-key",
    severities=Severities(
        rfc=Severity.WARNING,
        google=Severity.INFO,
        bing=Severity.INFO,
        yandex=Severity.WARNING,
        lighthouse=Severity.ERROR,
    ),
    title="An unknown key",
    message="`{key}` is not a key of any standard or search engine",
    why="Crawlers ignore a line whose key they do not know.",
    how_to_fix="Remove the line, or make it a comment.",
    source="RFC 9309 section 2.2.4; Lighthouse, robots-txt; Yandex Webmaster, robots.txt analysis",
    bad=b"User-agent: *\nPriority: high\nDisallow: /private/\n",
    good=b"User-agent: *\nDisallow: /private/\n",
    find=find,
    needs=(Oddity.UNKNOWN,),
)
