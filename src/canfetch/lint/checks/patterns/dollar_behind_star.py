"""A `$` after a final `*`."""

from collections.abc import Iterator

from canfetch.lint.analysis.engine_verdicts import probe_of
from canfetch.lint.analysis.rule_coverage import Neighbours
from canfetch.lint.analysis.rule_fixes import rewritten
from canfetch.lint.check import Check, Found
from canfetch.lint.given import Given
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere


def find(file: LintedFile) -> Iterator[Found]:
    """Find patterns that end with `*$`."""
    neighbours = None
    for record in file.rule_records:
        value = file.value(record)
        if not value.endswith(b"*$") or record.value is None:
            continue
        better = value[:-1].rstrip(b"*") or b"/"
        neighbours = neighbours or Neighbours(file)
        yield Found(
            (record.value[1] - 2, record.value[1]),
            {"pattern": file.text(value), "better": file.text(better)},
            probe_of(better) if better.startswith(b"/") else None,
            rewritten(record, better) if neighbours.would_be_unopposed(record, better) else None,
        )


CHECK = Check(
    code="CF420",
    name="dollar-behind-star",
    severities=everywhere(Severity.WARNING),
    title="A `$` after a final `*`",
    message="`{pattern}` matches the same URLs as `{better}`: after a `*`, a final `$` has no effect",
    why="The `*` matches any characters up to the end of the URL, so the `$` excludes nothing.",
    mend="Remove both, or put the `$` where the URL should end.",
    source="RFC 9309 section 2.2.3",
    bad=Given(b"User-agent: *\nDisallow: /print*$\n"),
    good=Given(b"User-agent: *\nDisallow: /print\n"),
    find=find,
    fixable=True,
)
