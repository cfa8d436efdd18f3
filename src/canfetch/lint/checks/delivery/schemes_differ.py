"""Another file under the other scheme."""

from collections.abc import Iterator

from canfetch.lint.analysis.sibling_files import other_schemes
from canfetch.lint.check import Check, Found
from canfetch.lint.given import Given
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severities, Severity


def find(file: LintedFile) -> Iterator[Found]:
    """Look at the files of the same host."""
    for url in other_schemes(file):
        yield Found((0, 0), {"url": url})


CHECK = Check(
    code="CF810",
    name="schemes-differ",
    severities=Severities(
        rfc=Severity.WARNING, google=Severity.WARNING, bing=Severity.WARNING, yandex=Severity.WARNING
    ),
    title="Other rules under another scheme",
    message="`{url}` does not say what this file says",
    why="A file rules over its own scheme alone: http and https each have theirs.",
    mend="Serve the same file under both, or redirect one to the other.",
    source="RFC 9309 section 2.3; Google, file location and range of validity",
    bad=Given(
        b"User-agent: *\nDisallow: /private/\n",
        url="https://example.com/robots.txt",
        siblings={"http://example.com/robots.txt": b"User-agent: *\nDisallow:\n"},
    ),
    good=Given(
        b"User-agent: *\nDisallow: /private/\n",
        url="https://example.com/robots.txt",
        siblings={"http://example.com/robots.txt": b"User-agent: *\nDisallow: /private/\n"},
    ),
    find=find,
)
