"""An obsolete `Host` line."""

from collections.abc import Iterator

from canfetch.lint.analysis.extension_records import records_named
from canfetch.lint.check import Check, Found
from canfetch.lint.given import Given
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severities, Severity


def find(file: LintedFile) -> Iterator[Found]:
    """Find `Host` lines."""
    for extension, record, _ in records_named(file, "host"):
        yield Found(file.content_span(record), {"host": file.text(extension.value)})


CHECK = Check(
    code="CF609",
    name="host-obsolete",
    severities=Severities(rfc=Severity.INFO, yandex=Severity.WARNING),
    title="An obsolete `Host` line",
    message="no search engine reads the preferred host `{host}` any more",
    why="Only Yandex ever supported `Host`, and it stopped in March 2018. Yandex now detects the preferred host from "
    "redirects.",
    mend="Remove the line, and redirect the other hosts to the preferred one.",
    source="Yandex Webmaster, March 2018",
    bad=Given(b"User-agent: *\nDisallow:\n\nHost: example.com\n"),
    good=Given(b"User-agent: *\nDisallow:\n"),
    find=find,
)
