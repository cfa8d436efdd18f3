"""A file without rules."""

from collections.abc import Iterator
from typing import Final

from canfetch.core.keys import RecordKind
from canfetch.core.notes import Note
from canfetch.core.verdict import Access
from canfetch.lint.analysis.content_kinds import file_is_binary, file_is_markup
from canfetch.lint.analysis.extension_records import known_extensions
from canfetch.lint.analysis.key_names import CORE_SPELLINGS
from canfetch.lint.analysis.needs import Trait
from canfetch.lint.analysis.odd_lines import lines_meant_as
from canfetch.lint.check import VARIANT, Check, Occurrence, Variant
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere

_KINDS: Final = (RecordKind.USER_AGENT, RecordKind.ALLOW, RecordKind.DISALLOW)


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find a file without user-agent lines, rules and known extensions."""
    entry = file.input.delivery
    if entry is not None and entry.outcome.access is not Access.SUCCESSFUL:
        return  # nothing was delivered
    if file.records.of_kinds(*_KINDS) or file_is_markup(file) or file_is_binary(file):
        return
    extensions = known_extensions(file)
    if any(extension.parsed is not None for extension in extensions):
        return
    has_others = any(map(file.records.with_note, (Note.NOT_A_RECORD, Note.UNKNOWN_KEY)))
    is_other_file = (
        has_others and not extensions and not any(lines_meant_as(file, name) for name in set(CORE_SPELLINGS.values()))
    )
    yield Occurrence((0, 0), {VARIANT: "other-file"} if is_other_file else {})


CHECK = Check(
    code="CF113",
    name="no-rules",
    severities=everywhere(Severity.INFO),
    title="A file without rules",
    message="the file contains neither a `User-agent` line nor a rule, so it allows everything",
    why="Crawlers treat a file without rules like a missing file, and may fetch everything.",
    how_to_fix="Add the missing rules, or write `User-agent: *` and `Disallow:` to allow everything.",
    variants={
        "other-file": Variant(
            "no line is a record of robots.txt: this is probably another file, and crawlers may fetch everything"
        )
    },
    source="RFC 9309 section 2.2.2; A Standard for Robot Exclusion, 1994",
    bad=b"# nothing here yet\n",
    good=b"User-agent: *\nDisallow:\n",
    find=find,
    needs=(Trait.NO_RECORDS,),
    notable=True,
)
