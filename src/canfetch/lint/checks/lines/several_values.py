"""Several paths in one rule."""

from collections.abc import Iterator
from typing import Final

from canfetch.core.records import Note
from canfetch.lint.check import Check, Found, Probe
from canfetch.lint.checks.lines.line_ends import line_end
from canfetch.lint.fixing import replacing
from canfetch.lint.given import Given
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere
from canfetch.lint.witnesses import witness_path

_MOST_PATHS: Final = 64


def paths_of(value: bytes) -> list[bytes]:
    """Take a value apart where white space parts paths; one that is not several paths stays whole."""
    words = value.replace(b",", b", ").split()
    paths = [word.rstrip(b",") for word in words]
    if len(words) < 2 or not all(path.startswith((b"/", b"*/")) and path[1:2] != b"/" for path in paths):
        return [value]
    # `/a,b` is one path; a comma parts two only where white space is behind it.
    return [value] if value.count(b",") > sum(word.endswith(b",") for word in value.split()) else paths


def find(file: LintedFile) -> Iterator[Found]:
    """Look at rules with white space in them where each part is a path."""
    for record in file.noted(Note.WHITE_SPACE_IN_VALUE):
        if record.value is None or record.key is None:
            continue
        paths = paths_of(file.value(record))
        if len(paths) < 2:
            continue
        fix = None
        if len(paths) <= _MOST_PATHS:
            key = file.key(record)
            joint = line_end(file) + key + b": "
            fix = replacing(*record.value, joint.join(paths), changes_verdicts=True)
        yield Found(
            record.value,
            {"value": file.text(file.value(record)), "count": str(len(paths))},
            Probe(witness_path(paths[1])) if record.group is not None else None,
            fix,
        )


CHECK = Check(
    code="CF214",
    name="several-values",
    severities=everywhere(Severity.ERROR),
    title="Several paths in one rule",
    message="`{value}` is read as one path, not as {count}",
    why="A rule has one path. With white space within, it is one long path, which matches no page.",
    mend="Write a line for each path.",
    source="RFC 9309 section 2.2",
    bad=Given(b"User-agent: *\nDisallow: /private/ /drafts/\n"),
    good=Given(b"User-agent: *\nDisallow: /private/\nDisallow: /drafts/\n"),
    find=find,
    fixable=True,
)
