"""An invalid `Content-Signal`."""

from collections.abc import Iterator
from typing import Final

from canfetch.core.extensions.content_signal import parse_content_signal
from canfetch.core.extensions.preference import split_path
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
_LABELS: Final = {b"ai_train": b"ai-train", b"ai_input": b"ai-input", b"train-ai": b"ai-train", b"ai-use": b"ai-input"}
_VALUES: Final = {b"y": b"yes", b"n": b"no"}


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find labels and values that are not defined."""
    for placed in extensions_noted(file, "content-signal", _INVALID):
        yield Occurrence(placed.span, {"value": file.text(placed.extension.value)}, fix=_fix(placed))


def _fix(placed: PlacedExtension) -> Fix | None:
    path, signals = split_path(placed.extension.value)
    start = placed.span[0] + (0 if path is None else len(path) + 1)
    renamed, fix = rename_labels(list(parse_labelled_values(signals, start)), _LABELS, _VALUES)
    better = b", ".join(member.label + b"=" + member.value for member in renamed)
    _, notes = parse_content_signal(better)
    return None if notes & _INVALID or len(renamed) != signals.count(b",") + 1 else fix


CHECK = Check(
    code="CF612",
    name="content-signal-value",
    severities=Severities(rfc=Severity.WARNING),
    title="An invalid `Content-Signal`",
    message="`{value}` contains an invalid signal",
    why="The signals are `search`, `ai-input` and `ai-train`, each with the value `yes` or `no`, separated by commas. "
    "The signal `use` is on trial, with the value `immediate`, `reference` or `full`. Anything else has no meaning.",
    how_to_fix="Write signals such as `search=yes, ai-train=no`, after a path if they apply to that path only.",
    source="contentsignals.org; Cloudflare, content signals",
    bad=b"User-agent: *\nContent-Signal: search=y, ai-train=n\nAllow: /\n",
    good=b"User-agent: *\nContent-Signal: search=yes, ai-train=no\nAllow: /\n",
    find=find,
    needs=("content-signal",),
    fixable=True,
)
