"""A robots.txt that is declared in an encoding other than UTF-8."""

from collections.abc import Iterator
from typing import Final

from canfetch.lint.analysis.deliveries import example_delivery, header_value, successful_delivery
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.lint_input import LintInput
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severities, Severity

_UTF8_CHARSETS: Final = frozenset(["utf-8", "utf8", "us-ascii", "ascii"])


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Report another charset in the content type."""
    entry = successful_delivery(file)
    if entry is None:
        return
    for parameter in (header_value(entry, "content-type") or "").split(";")[1:]:
        name, _, value = parameter.partition("=")
        charset = value.strip().strip("\"'")
        if name.strip().lower() == "charset" and charset and charset.lower() not in _UTF8_CHARSETS:
            yield Occurrence((0, 0), {"charset": charset})
            return


CHECK = Check(
    code="CF804",
    name="charset",
    severities=Severities(rfc=Severity.WARNING, google=Severity.INFO, bing=Severity.INFO, yandex=Severity.INFO),
    title="A robots.txt that is declared in an encoding other than UTF-8",
    message="the response declares the encoding `{charset}`, but a robots.txt must be UTF-8",
    why="Crawlers read robots.txt as UTF-8, whatever the response declares. They misread the non-ASCII characters of "
    "any other encoding.",
    how_to_fix="Save and serve the file as UTF-8.",
    source="RFC 9309 section 2.3; Google, file format",
    bad=lambda: LintInput(
        b"User-agent: *\nDisallow:\n",
        delivery=example_delivery(headers=(("content-type", "text/plain; charset=iso-8859-1"),)),
    ),
    good=lambda: LintInput(
        b"User-agent: *\nDisallow:\n",
        delivery=example_delivery(headers=(("content-type", "text/plain; charset=utf-8"),)),
    ),
    find=find,
    requires="delivery",
)
