"""A `Content-Signal` and a `Content-Usage` that contradict each other."""

from collections.abc import Iterable, Iterator
from itertools import product
from typing import Any, Final

from canfetch.core.extensions.preference import Preference, UsagePurpose
from canfetch.core.records import Record
from canfetch.lint.analysis.extension_records import extension_names, extensions_named
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severities, Severity

# For each extension, purpose and preference, the first record that states it for all paths.
_Preferences = dict[tuple[str, UsagePurpose, Preference], Record]
_OPPOSITES: Final = ((Preference.ALLOW, Preference.DISALLOW), (Preference.DISALLOW, Preference.ALLOW))
_EVERY_PATH: Final = (None, b"/")
_EXTENSIONS: Final = frozenset({"content-signal", "content-usage"})


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find contradictions within the groups that name one crawler."""
    if not extension_names(file) >= _EXTENSIONS:
        return
    found: dict[tuple[int, UsagePurpose], tuple[Record, Record]] = {}
    for stated in _preferences_by_name(file):
        for purpose, (one, other) in product(UsagePurpose, _OPPOSITES):
            signal = stated.get(("content-signal", purpose, one))
            usage = stated.get(("content-usage", purpose, other))
            if signal is not None and usage is not None:
                earlier, later = sorted((signal, usage), key=lambda record: record.line)
                found[later.line, purpose] = (earlier, later)
    for (_, purpose), (earlier, later) in sorted(found.items()):
        yield Occurrence(file.text_span(later), {"purpose": str(purpose), "line": str(earlier.line)})


def _preferences_by_name(file: LintedFile) -> Iterable[_Preferences]:
    by_name: dict[str, _Preferences] = {}
    for index, stated in _preferences_by_group(file).items():
        for name in file.groups[index].names:
            merged = by_name.setdefault(name, {})
            for key, record in stated.items():
                merged.setdefault(key, record)
    return by_name.values()


def _preferences_by_group(file: LintedFile) -> dict[int, _Preferences]:
    by_group: dict[int, _Preferences] = {}
    for extension, record, _ in extensions_named(file, *_EXTENSIONS):
        meaning: Any = extension.parsed
        if meaning is None or extension.group is None or getattr(meaning, "path", None) not in _EVERY_PATH:
            continue
        stated = by_group.setdefault(extension.group, {})
        for one in meaning.usage_preferences:
            stated.setdefault((extension.name, one.purpose, one.preference), record)
    return by_group


CHECK = Check(
    code="CF622",
    name="conflicting-usage",
    severities=Severities(rfc=Severity.WARNING),
    title="A `Content-Signal` and a `Content-Usage` that contradict each other",
    message="the line contradicts line {line} on {purpose}",
    why="A crawler that reads both follows the more restrictive line. A crawler that reads only one follows that one.",
    how_to_fix="Make both lines agree, or remove one of them.",
    source="draft-ietf-aipref-vocab-08 section 7.1; contentsignals.org",
    bad=b"User-agent: *\nContent-Signal: ai-train=no\nContent-Usage: train-ai=y\nAllow: /\n",
    good=b"User-agent: *\nContent-Signal: ai-train=no\nContent-Usage: train-ai=n\nAllow: /\n",
    find=find,
    needs=("content-usage",),
)
