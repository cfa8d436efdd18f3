"""A `License` that is not an absolute URL."""

from collections.abc import Iterator

from canfetch.core.extensions.record import ExtensionNote
from canfetch.lint.analysis.extension_records import records_named
from canfetch.lint.check import Check, Found
from canfetch.lint.given import Given
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severities, Severity


def find(file: LintedFile) -> Iterator[Found]:
    """Find values without scheme and host."""
    for read in records_named(file, "license"):
        if read.has(ExtensionNote.UNREADABLE):
            yield Found(read.span, {"value": file.text(read.extension.value)})


CHECK = Check(
    code="CF615",
    name="license-value",
    severities=Severities(rfc=Severity.WARNING),
    title="A `License` that is not an absolute URL",
    message="`{value}` is not an absolute URL",
    why="The line links to the terms of use. Its value must be the absolute URL of an RSL document.",
    mend="Write the absolute URL, such as `https://example.com/license.xml`.",
    source="RSL 1.0",
    bad=Given(b"License: /license.xml\n\nUser-agent: *\nDisallow: /private/\n"),
    good=Given(b"License: https://example.com/license.xml\n\nUser-agent: *\nDisallow: /private/\n"),
    find=find,
)
