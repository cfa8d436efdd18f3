"""A robots.txt that cannot be fetched."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from canfetch.core.content_formats import MARKUP
from canfetch.core.verdict import Access
from canfetch.lint.analysis.deliveries import AMBIGUOUS_STATUSES, example_delivery, example_timeout
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.lint_input import LintInput
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere

if TYPE_CHECKING:
    from canfetch.access.entries import CacheEntry


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Report a fetch that failed, also if the access policy then allows the whole site, as that of Yandex does."""
    entry = file.input.delivery
    if entry is not None and entry.status not in AMBIGUOUS_STATUSES and _has_failed(entry):
        yield Occurrence((0, 0), {"detail": entry.outcome.detail})


def _has_failed(entry: "CacheEntry") -> bool:
    from canfetch.access.outcomes import OutcomeKind  # noqa: PLC0415 - only with a delivery

    kind = entry.outcome.kind
    if entry.outcome.access is not Access.UNAVAILABLE or kind is OutcomeKind.OVERSIZE:
        return entry.outcome.access is Access.UNREACHABLE
    # The other outcomes without a file have checks of their own.
    is_page = kind is OutcomeKind.NOT_ROBOTS and MARKUP in entry.outcome.detail
    return kind is not OutcomeKind.CLIENT_ERROR and "redirect" not in kind and not is_page


CHECK = Check(
    code="CF801",
    name="unreachable",
    severities=everywhere(Severity.ERROR, lighthouse=Severity.ERROR),
    title="A robots.txt that cannot be fetched",
    message="the file could not be fetched ({detail})",
    why="While the server fails, crawlers that follow RFC 9309 fetch nothing from the site. Google stops crawling for "
    "12 hours, and then uses its last copy for up to 30 days. Yandex crawls without restrictions after any status "
    "other than 200. Some sites respond with 503 on purpose, to suspend crawling. That works for hours, and not for "
    "Yandex.",
    how_to_fix="Let the server return the file, or status 404 if the site does not have one. If crawling is suspended "
    "on purpose, send `Retry-After` with the 503, and serve the file again within 12 hours. A 503 does not suspend "
    "Yandex.",
    source="RFC 9309 section 2.3.1.4; Google, handling of errors and HTTP status codes; "
    "Yandex Webmaster, robots.txt; Lighthouse, robots-txt",
    bad=lambda: LintInput(b"", url="https://example.com/robots.txt", delivery=example_timeout("30 seconds")),
    good=lambda: LintInput(
        b"User-agent: *\nDisallow:\n", url="https://example.com/robots.txt", delivery=example_delivery()
    ),
    find=find,
    requires="delivery",
)
