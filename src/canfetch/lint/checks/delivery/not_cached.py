"""A robots.txt that forbids caching."""

from collections.abc import Iterator

from canfetch.lint.analysis.deliveries import answer_of, answered, cache_directives
from canfetch.lint.check import Check, Found
from canfetch.lint.given import Given
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severities, Severity


def find(file: LintedFile) -> Iterator[Found]:
    """Report a `no-store` in `Cache-Control`."""
    entry = answer_of(file)
    if entry is None:
        return
    directives = cache_directives(entry)
    if "no-store" in directives:
        yield Found((0, 0))


CHECK = Check(
    code="CF807",
    name="not-cached",
    severities=Severities(rfc=Severity.INFO, google=Severity.INFO, bing=Severity.INFO, yandex=Severity.INFO),
    title="A robots.txt that forbids caching",
    message="the response has `Cache-Control: no-store`, so it may not be cached",
    why="A crawler that obeys this header fetches the file again and again, and has no copy to use when the server "
    "fails.",
    mend="Allow caching for between an hour and a day.",
    source="RFC 9309 section 2.4; RFC 9111 section 5.2.2.5",
    bad=Given(
        b"User-agent: *\nDisallow:\n",
        delivery=answered(headers=(("content-type", "text/plain"), ("cache-control", "no-store"))),
    ),
    good=Given(b"User-agent: *\nDisallow:\n", delivery=answered()),
    find=find,
)
