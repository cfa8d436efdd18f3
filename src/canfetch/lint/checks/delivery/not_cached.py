"""A robots.txt that forbids caching."""

from collections.abc import Iterator

from canfetch.lint.analysis.deliveries import cache_directives, example_delivery, successful_delivery
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.lint_input import LintInput
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Report a `no-store` in `Cache-Control`."""
    entry = successful_delivery(file)
    if entry is None:
        return
    directives = cache_directives(entry)
    if "no-store" in directives:
        yield Occurrence((0, 0))


CHECK = Check(
    code="CF807",
    name="not-cached",
    severities=everywhere(Severity.INFO),
    title="A robots.txt that forbids caching",
    message="the response has `Cache-Control: no-store`, so it may not be cached",
    why="A crawler that obeys this header fetches the file again and again, and has no copy to use when the server "
    "fails.",
    how_to_fix="Allow caching for between an hour and a day.",
    source="RFC 9309 section 2.4; RFC 9111 section 5.2.2.5",
    bad=lambda: LintInput(
        b"User-agent: *\nDisallow:\n",
        delivery=example_delivery(headers=(("content-type", "text/plain"), ("cache-control", "no-store"))),
    ),
    good=lambda: LintInput(b"User-agent: *\nDisallow:\n", delivery=example_delivery()),
    find=find,
    requires="delivery",
)
