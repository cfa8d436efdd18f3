"""A `Content-Usage` label from an earlier draft."""

from collections.abc import Iterator
from typing import Final

from canfetch.core.extensions.content_usage import USAGE_LABELS, parse_content_usage
from canfetch.core.extensions.record import ExtensionNote
from canfetch.lint.analysis.extension_records import extensions_noted, parse_labelled_values, rename_labels
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severities, Severity

# Old labels with the same meaning as a single current label.
_LABELS: Final = {
    b"ai": b"train-ai",
    b"genai": b"train-ai",
    b"train-genai": b"train-ai",
    b"inference": b"ai-use",
    b"ai-output": b"ai-use",
}


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find labels that the current draft does not define."""
    for placed in extensions_noted(file, "content-usage", ExtensionNote.OLD_LABEL):
        value = placed.extension.value
        path = value.replace(b"\t", b" ").partition(b" ")[0] + b" " if value[:1] == b"/" else b""
        members = list(parse_labelled_values(value[len(path) :], placed.span[0] + len(path)))
        old = [member for member in members if _is_old(file.text(member.label))]
        renamed, fix = rename_labels(members, _LABELS, {})
        better = b", ".join(member.label + b"=" + member.value for member in renamed)
        if parse_content_usage(better)[1] != ExtensionNote.NONE:
            fix = None
        place = old[0] if old else None
        span = placed.span if place is None else (place.label_start, place.label_start + len(place.label))
        yield Occurrence(span, {"label": file.text(value if place is None else place.label)}, fix=fix)


def _is_old(label: str) -> bool:
    known = USAGE_LABELS.get(label)
    return known is not None and known.draft is not None


CHECK = Check(
    code="CF614",
    name="content-usage-old-label",
    severities=Severities(rfc=Severity.WARNING),
    title="A `Content-Usage` label from an earlier draft",
    message="`{label}` is a label from an earlier draft",
    why="Parsers of the current draft know `train-ai`, `ai-use` and `search`, and ignore all other labels.",
    how_to_fix="Use the labels of the current draft.",
    source="draft-ietf-aipref-vocab-08",
    bad=b"User-agent: *\nContent-Usage: train-genai=n\nAllow: /\n",
    good=b"User-agent: *\nContent-Usage: train-ai=n\nAllow: /\n",
    find=find,
    needs=("content-usage",),
    fixable=True,
)
