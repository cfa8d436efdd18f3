"""A template that was not filled in."""

from collections.abc import Iterator

from canfetch.core.keys import RecordKind
from canfetch.core.records import Record
from canfetch.lint.analysis.content_kinds import file_is_markup
from canfetch.lint.analysis.foreign_syntax import POSSIBLE_MARK, template_mark, words_to_replace
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere

_RULES = (RecordKind.ALLOW, RecordKind.DISALLOW)


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find template placeholders outside of comments, and report the first: the whole file was not rendered."""
    if file_is_markup(file):
        return
    found: list[tuple[int, int]] = []
    lines: list[int] = []
    for record in file.lines_matching(POSSIBLE_MARK):
        start, end = record.span
        content = file.content[start:end].partition(b"#")[0].rstrip()
        span = template_mark(content)
        if span is None or _is_path(file, record):
            continue
        found.append((start + span[0], start + span[1]))
        lines.append(record.line)
    if found:
        yield Occurrence(found[0], {"mark": file.text(file.content[slice(*found[0])])}, lines=tuple(lines))


def _is_path(file: LintedFile, record: Record) -> bool:
    # Sites disallow the broken links that their own templates produce, such as `/*{{`. Some add a `Noindex` line.
    value = file.value(record)
    if words_to_replace(value) is not None:
        return False
    return value.startswith((b"/", b"*") if record.kind in _RULES else b"*")


CHECK = Check(
    code="CF117",
    name="template-left",
    severities=everywhere(Severity.ERROR),
    title="A template that was not filled in",
    message="the template placeholder `{mark}` was not filled in",
    why="A program should have replaced the placeholder before the file was served. Crawlers read the line as it is, "
    "and ignore it.",
    how_to_fix="Serve the output of the template.",
    source="RFC 9309 section 2.2",
    bad=b"User-agent: *\nDisallow: {{ disallowed }}\n",
    good=b"User-agent: *\nDisallow: /private/\n",
    find=find,
    needs=(b"{", b"<", b"[", b"%"),
    supersedes=("CF2", "CF302", "CF4", "CF5", "CF6"),
)
