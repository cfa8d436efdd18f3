"""A key in another language."""

from collections.abc import Iterator

from canfetch.core.records import Note
from canfetch.lint.check import Check, Found, Probe
from canfetch.lint.checks.lines.names import ALLOW, DISALLOW
from canfetch.lint.checks.lines.odd_lines import Oddity, odd_lines
from canfetch.lint.fixing import replacing
from canfetch.lint.given import Given
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere
from canfetch.lint.witnesses import witness_path


def find(file: LintedFile) -> Iterator[Found]:
    """Look at records whose key is a name, translated."""
    for line in odd_lines(file, Oddity.TRANSLATED):
        if line.name is None:
            continue
        record = line.record
        if Note.MISSING_COLON in record.notes:
            fix = replacing(line.key[0], line.value_start, line.name + b": ", changes_verdicts=True)
        else:
            fix = replacing(*line.key, line.name, changes_verdicts=True)
        is_rule = line.name in (ALLOW, DISALLOW) and record.group is not None
        yield Found(
            line.key,
            {"key": file.text(file.key(record)), "name": file.text(line.name)},
            Probe(witness_path(file.value(record))) if is_rule else None,
            fix,
        )


CHECK = Check(
    code="CF206",
    name="translated-key",
    severities=everywhere(Severity.ERROR, lighthouse=Severity.ERROR),
    title="A key in another language",
    message="`{key}` is a translation of `{name}`, which crawlers do not know",
    why="Keys are the same English words everywhere. Pages about robots.txt that a machine translated show others, "
    "and a crawler ignores lines with these.",
    mend="Write the key in English.",
    source="RFC 9309 section 2.2",
    bad=Given(b"User-agent: *\nNo permitir: /privado/\n"),
    good=Given(b"User-agent: *\nDisallow: /privado/\n"),
    find=find,
    fixable=True,
)
