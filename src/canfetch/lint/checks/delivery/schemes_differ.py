"""Different rules for http and https."""

from collections.abc import Iterator

from canfetch.lint.analysis.deliveries import differing_schemes
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.lint_input import LintInput
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Report files of the same host and another scheme with different rules."""
    for url in differing_schemes(file):
        yield Occurrence((0, 0), {"url": url})


CHECK = Check(
    code="CF810",
    name="schemes-differ",
    severities=everywhere(Severity.WARNING),
    title="Different rules for http and https",
    message="the rules of `{url}` differ from those of this file",
    why="A robots.txt applies only to its own scheme: http and https each have their own.",
    how_to_fix="Serve the same file for both schemes, or redirect one to the other.",
    source="RFC 9309 section 2.3; Google, file location and range of validity",
    bad=LintInput(
        b"User-agent: *\nDisallow: /private/\n",
        url="https://example.com/robots.txt",
        siblings={"http://example.com/robots.txt": b"User-agent: *\nDisallow:\n"},
    ),
    good=LintInput(
        b"User-agent: *\nDisallow: /private/\n",
        url="https://example.com/robots.txt",
        siblings={"http://example.com/robots.txt": b"User-agent: *\nDisallow: /private/\n"},
    ),
    find=find,
    requires="siblings",
)
