"""A comment that contradicts the rule below it."""

from collections.abc import Iterator
from typing import Final

from canfetch.core.keys import RecordKind
from canfetch.core.notes import Note
from canfetch.core.records import Record
from canfetch.lint.check import Check, Occurrence, VerdictQuery
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere

_VERBS: Final = frozenset(
    {"block", "blocks", "disallow", "deny", "forbid", "exclude", "ban", "stop", "prevent", "refuse", "reject"}
)
_ALL: Final = frozenset({"all", "every", "any", "everything", "everyone"})
_OBJECTS: Final = frozenset(
    {"robots", "robot", "bots", "bot", "crawlers", "crawler", "spiders", "spider", "agents", "access", "crawling"}
    | {"user-agents", "search", "engines", "indexing", "web", "other", "from", "the", "of", "entire", "whole", "site"}
    | {"this", "website", "all", "on", "to", "and", "traffic", "content", "pages"}
)
_PUNCTUATION: Final = " \t.,:;!-=*#"
_MAX_COMMENT: Final = 120


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find an empty `Disallow` as the only rule for `*`, below a comment such as `Block all robots`."""
    groups = file.groups_named("*")
    rules = [rule for group in groups for rule in group.rules]
    if len(rules) != 1 or rules[0].allow or rules[0].value or rules[0].record.value is None:
        return
    rule = rules[0].record
    comment = next((text for text in _comments_above(file, rule) if _says_block_all(text)), None)
    if comment is not None:
        yield Occurrence(file.text_span(rule), {"comment": comment}, VerdictQuery("/"))


def _comments_above(file: LintedFile, rule: Record) -> Iterator[str]:
    """Yield the comments of the group up to the rule, and those directly above the group."""
    group = rule.group
    for record in reversed(file.records[: rule.line]):
        if record.kind in (RecordKind.ALLOW, RecordKind.DISALLOW) and record is not rule:
            return
        if record.kind is not None and record.group != group:
            return
        if Note.NOT_A_RECORD in record.notes:
            return
        _, sign, comment = file.line_content(record).partition(b"#")
        if sign:
            yield file.text(comment[:_MAX_COMMENT]).strip(_PUNCTUATION)


def _says_block_all(comment: str) -> bool:
    verb, *rest = comment.lower().split() or [""]
    return (
        verb.strip(_PUNCTUATION) in _VERBS
        and bool(rest)
        and rest[0].strip(_PUNCTUATION) in _ALL
        and all(word.strip(_PUNCTUATION) in _OBJECTS for word in rest[1:])
    )


CHECK = Check(
    code="CF709",
    name="comment-contradicts",
    severities=everywhere(Severity.WARNING),
    title="A comment that says the opposite of the rule below it",
    message="an empty `Disallow` allows everything, but the comment says `{comment}`",
    why="An empty value disallows nothing. `Disallow: /` blocks the whole site. The two are often confused.",
    how_to_fix="Write `Disallow: /` if the site should be closed. Otherwise, correct the comment.",
    source="RFC 9309 section 2.2.2",
    bad=b"# Block all robots\nUser-agent: *\nDisallow:\n",
    good=b"# Block all robots\nUser-agent: *\nDisallow: /\n",
    find=find,
    needs=(b"#",),
)
