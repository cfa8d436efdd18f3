"""An obsolete `Robot-version` line."""

from collections.abc import Iterator

from canfetch.lint.analysis.extension_records import extensions_named
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severities, Severity


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find `Robot-version` lines."""
    for extension, record, _ in extensions_named(file, "robot-version"):
        yield Occurrence(file.text_span(record), {"value": file.text(extension.value)})


CHECK = Check(
    code="CF617",
    name="robot-version-obsolete",
    severities=Severities(rfc=Severity.INFO),
    title="An obsolete `Robot-version` line",
    message="no crawler reads the version `{value}`",
    why="The line comes from the extended standard of 1996, which crawlers never adopted. robots.txt has only one "
    "version.",
    how_to_fix="Remove the line.",
    source="An Extended Standard for Robot Exclusion, 1996",
    bad=b"User-agent: *\nRobot-version: 2.0.0\nDisallow: /private/\n",
    good=b"User-agent: *\nDisallow: /private/\n",
    find=find,
    needs=("robot-version",),
)
