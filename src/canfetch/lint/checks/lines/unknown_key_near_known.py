"""A key that nobody knows, and that is nearly one that all do."""

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
    """Look at records whose key is nearly a name."""
    for line in odd_lines(file, Oddity.NEAR):
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
    code="CF203",
    name="unknown-key-near-known",
    severities=everywhere(Severity.ERROR, lighthouse=Severity.ERROR),
    title="An unknown key that is nearly a known one",
    message="no crawler knows `{key}`; did you mean `{name}`?",
    why="Crawlers ignore a line whose key they do not know: the rule in it does nothing.",
    mend="Correct the spelling of the key.",
    source="RFC 9309 section 2.2.4; Lighthouse, robots-txt; Yandex Webmaster, robots.txt analysis",
    bad=Given(b"User-agent: *\nDisllow: /private/\n"),
    good=Given(b"User-agent: *\nDisallow: /private/\n"),
    find=find,
    fixable=True,
)
