"""Obsolete ACAP lines."""

from collections.abc import Iterator

from canfetch.core.extensions.acap import PREFIX
from canfetch.core.text import display_text
from canfetch.lint.analysis.extension_records import extension_names, extensions_named
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severities, Severity

_PREFIX = display_text(PREFIX)


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find ACAP lines, and report the first with their number."""
    found = [one.record for one in extensions_named(file, *filter(_is_acap, extension_names(file)))]
    if found:
        yield Occurrence(file.text_span(found[0]), {"key": file.text(file.key(found[0])), "count": str(len(found))})


def _is_acap(name: str) -> bool:
    return name.startswith(_PREFIX)


CHECK = Check(
    code="CF616",
    name="acap-obsolete",
    severities=Severities(rfc=Severity.INFO),
    title="Obsolete ACAP lines",
    message="no search engine reads `{key}`; this file has {count|ACAP line|ACAP lines}",
    why="Publishers developed ACAP from 2007 to 2011. It is unmaintained, and no search engine supports it.",
    how_to_fix="Remove the lines.",
    source="ACAP 1.0",
    bad=b"User-agent: *\nDisallow: /private/\nACAP-disallow-crawl: /private/\n",
    good=b"User-agent: *\nDisallow: /private/\n",
    find=find,
    needs=(PREFIX,),
)
