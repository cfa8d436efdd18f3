"""An HTML page instead of a robots.txt."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from canfetch.core.content_formats import MARKUP
from canfetch.core.verdict import Access
from canfetch.lint.analysis.content_kinds import file_is_markup
from canfetch.lint.analysis.deliveries import example_delivery, media_type
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.lint_input import LintInput
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere

if TYPE_CHECKING:
    from canfetch.access.entries import CacheEntry


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Report a body that starts like a page."""
    entry = file.input.delivery
    if entry is not None and _is_page(file, entry):
        yield Occurrence((0, 0), {"type": media_type(entry) or "-", "status": str(entry.status)})


def _is_page(file: LintedFile, entry: "CacheEntry") -> bool:
    from canfetch.access.outcomes import OutcomeKind  # noqa: PLC0415 - only with a delivery

    if entry.outcome.access is Access.SUCCESSFUL:
        return file_is_markup(file)
    # Some access policies do not keep a page as a copy. An unreachable file has a check of its own.
    is_page = entry.outcome.kind is OutcomeKind.NOT_ROBOTS and MARKUP in entry.outcome.detail
    return is_page and entry.outcome.access is Access.UNAVAILABLE


CHECK = Check(
    code="CF809",
    name="html-served",
    severities=everywhere(Severity.ERROR),
    title="An HTML page instead of a robots.txt",
    message="the response (status {status}, type `{type}`) is an HTML page",
    why="Many sites return a page of their own when a file is missing. Crawlers read it as the robots.txt, find no "
    "rules in it, and fetch everything.",
    how_to_fix="Serve a robots.txt as `text/plain`, or return status 404 if the site does not have one.",
    source="RFC 9309 section 2.3; Google, file format",
    bad=lambda: LintInput(
        b"<!DOCTYPE html>\n<html><head><title>Home</title></head></html>\n",
        delivery=example_delivery(headers=(("content-type", "text/html; charset=utf-8"),)),
    ),
    good=lambda: LintInput(b"User-agent: *\nDisallow:\n", delivery=example_delivery()),
    find=find,
    requires="delivery",
)
