"""A `License` that is not an absolute URL."""

from collections.abc import Iterator

from canfetch.core.extensions.record import ExtensionNote
from canfetch.lint.analysis.extension_records import extensions_noted
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severities, Severity


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find values without scheme and host."""
    for placed in extensions_noted(file, "license", ExtensionNote.UNREADABLE):
        yield Occurrence(placed.span, {"value": file.text(placed.extension.value)})


CHECK = Check(
    code="CF615",
    name="license-value",
    severities=Severities(rfc=Severity.WARNING),
    title="A `License` that is not an absolute URL",
    message="`{value}` is not an absolute URL",
    why="The line links to the terms of use. Its value must be the absolute URL of an RSL document.",
    how_to_fix="Write the absolute URL, such as `https://example.com/license.xml`.",
    source="RSL 1.0",
    bad=b"License: /license.xml\n\nUser-agent: *\nDisallow: /private/\n",
    good=b"License: https://example.com/license.xml\n\nUser-agent: *\nDisallow: /private/\n",
    find=find,
    needs=("license",),
)
