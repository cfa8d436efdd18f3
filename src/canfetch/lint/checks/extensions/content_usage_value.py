"""An invalid `Content-Usage`."""

from collections.abc import Iterator
from typing import Final

from canfetch.core.extensions.content_usage import parse_content_usage
from canfetch.core.extensions.record import ExtensionNote
from canfetch.lint.analysis.extension_records import (
    PlacedExtension,
    extensions_noted,
    parse_labelled_values,
    rename_labels,
)
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.fixes import Fix
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severities, Severity

_INVALID: Final = ExtensionNote.UNREADABLE | ExtensionNote.UNKNOWN_LABEL | ExtensionNote.UNKNOWN_VALUE
# Entries with equal sides correct upper case.
_LABELS: Final = {b"ai-train": b"train-ai", b"ai-input": b"ai-use", b"train_ai": b"train-ai", b"search": b"search"}
_VALUES: Final = {b"yes": b"y", b"no": b"n", b"y": b"y", b"n": b"n"}


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find labels and values that no draft defines, and values that are not a structured dictionary."""
    for placed in extensions_noted(file, "content-usage", _INVALID):
        yield Occurrence(placed.span, {"value": file.text(placed.extension.value)}, fix=_fix(placed))


def _fix(placed: PlacedExtension) -> Fix | None:
    value = placed.extension.value
    path = value.replace(b"\t", b" ").partition(b" ")[0] + b" " if value[:1] == b"/" else b""
    preferences = value[len(path) :]
    renamed, fix = rename_labels(list(parse_labelled_values(preferences, placed.span[0] + len(path))), _LABELS, _VALUES)
    better = path + b", ".join(member.label + b"=" + member.value for member in renamed)
    _, notes = parse_content_usage(better)
    invalid = _INVALID | ExtensionNote.OLD_LABEL
    # The fix does not remove white space around `=`, which is a syntax error.
    tight = b" =" not in preferences and b"= " not in preferences
    return fix if tight and not notes & invalid and len(renamed) == preferences.count(b",") + 1 else None


CHECK = Check(
    code="CF613",
    name="content-usage-value",
    severities=Severities(rfc=Severity.WARNING),
    title="An invalid `Content-Usage`",
    message="`{value}` contains an invalid preference, or cannot be parsed",
    why="The draft defines the labels `train-ai`, `ai-use` and `search` in lower case, each with the value `y` or "
    "`n`, separated by commas. Other labels and values have no meaning. After a syntax error, the whole line has no "
    "meaning.",
    how_to_fix="Write preferences such as `train-ai=n, search=y`, after a path if they apply to that path only.",
    source="draft-ietf-aipref-attach-05; draft-ietf-aipref-vocab-08; RFC 9651 section 3.2",
    bad=b"User-agent: *\nContent-Usage: train-ai=no\nAllow: /\n",
    good=b"User-agent: *\nContent-Usage: train-ai=n\nAllow: /\n",
    find=find,
    needs=("content-usage",),
    fixable=True,
)
