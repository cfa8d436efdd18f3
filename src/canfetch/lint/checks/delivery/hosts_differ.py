"""Different rules with and without www."""

from collections.abc import Iterator

from canfetch.lint.analysis.deliveries import differing_hosts
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.lint_input import LintInput
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Report files of the host with or without www with different rules."""
    for url in differing_hosts(file):
        yield Occurrence((0, 0), {"url": url})


CHECK = Check(
    code="CF811",
    name="hosts-differ",
    severities=everywhere(Severity.WARNING),
    title="Different rules with and without www",
    message="the rules of `{url}` differ from those of this file",
    why="A robots.txt applies only to its own host: the host with www and the host without it each have their own.",
    how_to_fix="Serve the same file on both hosts, or redirect one to the other.",
    source="RFC 9309 section 2.3; Google, file location and range of validity",
    bad=LintInput(
        b"User-agent: *\nDisallow: /private/\n",
        url="https://example.com/robots.txt",
        siblings={"https://www.example.com/robots.txt": None},
    ),
    good=LintInput(
        b"User-agent: *\nDisallow: /private/\n",
        url="https://example.com/robots.txt",
        siblings={"https://www.example.com/robots.txt": b"user-agent: *\ndisallow: /private/\n"},
    ),
    find=find,
    requires="siblings",
)
