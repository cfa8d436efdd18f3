"""A redirected robots.txt."""

from collections.abc import Iterator

from canfetch.core.redaction import redacted_url
from canfetch.core.verdict import Access
from canfetch.lint.analysis.deliveries import example_delivery
from canfetch.lint.check import VARIANT, Check, Occurrence, Variant
from canfetch.lint.lint_input import LintInput
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Report redirects that lead to no file, and others as a note.

    A single redirect from http to https, or between the hosts with and without www, is common and fine.
    """
    entry = file.input.delivery
    if entry is None:
        return
    hops = entry.hops
    if entry.outcome.access is Access.UNAVAILABLE and "redirect" in entry.outcome.kind:
        yield Occurrence((0, 0), {VARIANT: "lost", "detail": entry.outcome.detail})
    elif len(hops) > 1 or (hops and not _is_usual(hops[0].url, hops[0].location)):
        yield Occurrence((0, 0), {"count": str(len(hops)), "url": redacted_url(hops[-1].location)}, harmless=True)


def _is_usual(source: str, target: str) -> bool:
    (scheme, _, rest), (new_scheme, _, new_rest) = source.partition("://"), target.partition("://")
    return new_scheme in (scheme, "https") and new_rest.removeprefix("www.") == rest.removeprefix("www.")


CHECK = Check(
    code="CF805",
    name="redirected",
    severities=everywhere(Severity.ERROR),
    title="A redirected robots.txt",
    message="the request for the file is redirected {count|time|times}, to `{url}`",
    why="Crawlers should follow five redirects, even to other hosts. After that they may stop, and treat the site as "
    "one without rules. The rules of the final file apply to the host that was requested first.",
    how_to_fix="Serve the file at the URL that crawlers request.",
    variants={"lost": Variant("redirects lead to no file ({detail}), so crawlers may fetch everything")},
    source="RFC 9309 section 2.3.1.2; Google, handling of errors and HTTP status codes",
    bad=lambda: LintInput(
        b"User-agent: *\nDisallow:\n",
        delivery=example_delivery(
            hops=(("https://example.com/robots.txt", 301, "https://cdn.example.net/robots.txt"),)
        ),
    ),
    good=lambda: LintInput(b"User-agent: *\nDisallow:\n", delivery=example_delivery()),
    find=find,
    requires="delivery",
)
