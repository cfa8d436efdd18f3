"""A `*` at the end of a pattern."""

from collections.abc import Iterator

from canfetch.lint.analysis.engine_verdicts import probe_of
from canfetch.lint.analysis.rule_coverage import Neighbours
from canfetch.lint.analysis.rule_fixes import rewritten
from canfetch.lint.check import Check, Found, Probe
from canfetch.lint.given import Given
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere


def find(file: LintedFile) -> Iterator[Found]:
    """Find patterns that end with `*` and contain something else."""
    neighbours = None
    for record in file.rule_records:
        value = file.value(record)
        bare = value.rstrip(b"*")
        if not value.endswith(b"*") or not bare or record.value is None:
            continue
        neighbours = neighbours or Neighbours(file)
        yield Found(
            (record.value[0] + len(bare), record.value[1]),
            {"pattern": file.text(value), "better": file.text(bare)},
            _probe(bare) if bare.startswith(b"/") else None,
            rewritten(record, bare) if neighbours.would_be_unopposed(record, bare) else None,
        )


def _probe(bare: bytes) -> Probe | None:
    # Crawlers resolve a last segment of `.` or `..`, so such a path is never fetched.
    return probe_of(bare + b"x" if bare.endswith((b"/.", b"/..")) else bare)


CHECK = Check(
    code="CF403",
    name="trailing-star",
    severities=everywhere(Severity.INFO),
    title="A `*` at the end of a pattern",
    message="`{pattern}` matches the same URLs as `{better}`",
    why="A pattern already matches every URL that starts with it, so a final `*` adds nothing. It still counts as a "
    "character when rules of different lengths compete, and parsers from 1994 look for a literal `*`.",
    mend="Remove the `*` at the end.",
    source="RFC 9309 sections 2.2.2 and 2.2.3; Google, URL matching based on path values",
    bad=Given(b"User-agent: *\nDisallow: /private/*\n"),
    good=Given(b"User-agent: *\nDisallow: /private/\n"),
    find=find,
    fixable=True,
)
