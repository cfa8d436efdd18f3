"""Another file on the host with or without www."""

from collections.abc import Iterator

from canfetch.lint.analysis.sibling_files import other_hosts
from canfetch.lint.check import Check, Found
from canfetch.lint.given import Given
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severities, Severity


def find(file: LintedFile) -> Iterator[Found]:
    """Look at the files of the host with or without www."""
    for url in other_hosts(file):
        yield Found((0, 0), {"url": url})


CHECK = Check(
    code="CF811",
    name="hosts-differ",
    severities=Severities(
        rfc=Severity.WARNING, google=Severity.WARNING, bing=Severity.WARNING, yandex=Severity.WARNING
    ),
    title="Other rules with or without www",
    message="`{url}` does not say what this file says",
    why="A file rules over its own host alone: the host with www and the one without each have theirs.",
    mend="Serve the same file on both, or redirect one to the other.",
    source="RFC 9309 section 2.3; Google, file location and range of validity",
    bad=Given(
        b"User-agent: *\nDisallow: /private/\n",
        url="https://example.com/robots.txt",
        siblings={"https://www.example.com/robots.txt": None},
    ),
    good=Given(
        b"User-agent: *\nDisallow: /private/\n",
        url="https://example.com/robots.txt",
        siblings={"https://www.example.com/robots.txt": b"user-agent: *\ndisallow: /private/\n"},
    ),
    find=find,
)
