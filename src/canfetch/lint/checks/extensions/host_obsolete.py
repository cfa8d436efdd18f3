"""An obsolete `Host` line."""

from collections.abc import Iterator

from canfetch.lint.analysis.extension_records import extensions_named
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severities, Severity


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find `Host` lines."""
    for extension, record, _ in extensions_named(file, "host"):
        yield Occurrence(file.text_span(record), {"host": file.text(extension.value)})


CHECK = Check(
    code="CF609",
    name="host-obsolete",
    severities=Severities(rfc=Severity.INFO, yandex=Severity.INFO),
    title="An obsolete `Host` line",
    message="search engines no longer read the preferred host `{host}`",
    why="Only Yandex ever supported `Host`, and it stopped in March 2018. Yandex now detects the preferred host from "
    "redirects.",
    how_to_fix="Remove the line, and redirect the other hosts to the preferred one.",
    source="Yandex Webmaster, March 2018",
    bad=b"User-agent: *\nDisallow:\n\nHost: example.com\n",
    good=b"User-agent: *\nDisallow:\n",
    find=find,
    needs=("host",),
    notable=True,
)
