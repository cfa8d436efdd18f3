"""Lines that crawlers do not read, with the key that was probably meant.

With such a user-agent line in a file, it is unclear where groups begin. Two rules that look like duplicates may belong
to different crawlers, and a rule that closes the site was meant for one crawler.
"""

from bisect import bisect_right
from collections.abc import Iterator
from functools import partial
from itertools import compress, islice
from typing import Final

from canfetch.core.keys import RecordKind
from canfetch.core.notes import Note
from canfetch.core.records import Record
from canfetch.lint.analysis.example_paths import query_for
from canfetch.lint.analysis.key_names import ALLOW, DISALLOW, USER_AGENT
from canfetch.lint.analysis.odd_lines import Oddity, OddLine, lines_meant_as, odd_lines
from canfetch.lint.check import LineOccurrence, Occurrence, VerdictQuery
from canfetch.lint.fixes import replace_span
from canfetch.lint.linted_file import LintedFile

# The checks whose findings the repair of such a user-agent line resolves. Their occurrences have the line in `lines`.
EXPLAINED_CHECKS: Final = ("CF301", "CF302", "CF701", "CF702", "CF710")
# At most this many rules below a line are tried as an example.
_MAX_RULES: Final = 16

_WORD = b"agent"
_NOT_LETTERS = bytes(byte for byte in range(256) if byte not in b"abcdefghijklmnopqrstuvwxyz")


def unread_agent_lines(file: LintedFile) -> frozenset[int]:
    """Return the numbers of the lines that were probably meant as user-agent lines."""
    return file.compute_once(_lines)


def _lines(file: LintedFile) -> frozenset[int]:
    meant = set(lines_meant_as(file, USER_AGENT))
    for note in (Note.NOT_A_RECORD, Note.UNKNOWN_KEY):
        indices = file.records.with_note(note)
        lines = file.lines(indices)
        if _WORD in _letters(b"".join(lines)):
            named = (_WORD in _letters(line.partition(b"#")[0]) for line in lines)
            meant.update(index + 1 for index in compress(indices, named))
    return frozenset(meant)


def _letters(text: bytes) -> bytes:
    # Only letters count, so that invisible characters and odd dashes do not split the word.
    return text.lower().translate(None, _NOT_LETTERS)


def unread_agent_above(file: LintedFile, line: int) -> tuple[int, ...]:
    """Return the last of these lines above a line, unless a user-agent line is between them."""
    unread = file.compute_once(_sorted_lines)
    index = bisect_right(unread, line)
    above = unread[index - 1] if index else 0
    agent = bisect_right(file.user_agents, line - 1)
    is_last = above and (not agent or file.user_agents[agent - 1] + 1 < above)
    return (above,) if is_last else ()


def query_for_unread(file: LintedFile, record: Record, name: bytes, value: bytes) -> VerdictQuery | None:
    """Return the query for a line that crawlers do not read.

    For a rule, it asks for a path that the rule disallows or allows; for a user-agent line, for one that the rules
    below it disallow.

    Args:
        record: The line.
        name: The key that is meant.
        value: The value that is meant.
    """
    if name == USER_AGENT:
        return query_below(file, record.line)
    return query_for(value) if name in (ALLOW, DISALLOW) and record.group is not None else None


def query_below(file: LintedFile, line: int, *, crawlers: tuple[str, ...] = ()) -> VerdictQuery | None:
    """Return the query for a path that the rules between a line and the next user-agent line disallow, or None.

    Args: crawlers: The crawlers that the query is about, or none for all readers of these rules.
    """
    agents = file.user_agents
    following = bisect_right(agents, line - 1)
    end = agents[following] + 1 if following < len(agents) else len(file.records) + 1
    first = bisect_right(file.rule_records, line, key=lambda record: record.line)
    rules = islice(file.rule_records, first, first + _MAX_RULES)
    for rule in rules:
        if rule.line >= end:
            return None
        query = query_for(file.value(rule), line, rule.line) if rule.kind is RecordKind.DISALLOW else None
        if query is not None:
            return query._replace(crawlers=crawlers)
    return None


def _sorted_lines(file: LintedFile) -> list[int]:
    return sorted(unread_agent_lines(file))


def corrected_keys(file: LintedFile, oddity: Oddity) -> Iterator[LineOccurrence]:
    """Yield the keys with this oddity, each with a fix that writes the known key."""
    for line in odd_lines(file, oddity):
        if line.name is not None:
            yield LineOccurrence(line.record.line, partial(_occurrence, file, line, line.name))


def _occurrence(file: LintedFile, line: OddLine, name: bytes) -> Occurrence:
    record = line.record
    if Note.MISSING_COLON in record.notes:
        fix = replace_span(line.key[0], line.value_start, name + b": ", changes_verdicts=True)
    else:
        fix = replace_span(*line.key, name, changes_verdicts=True)
    return Occurrence(
        line.key,
        {"key": file.text(file.key(record)), "name": file.text(name)},
        query_for_unread(file, record, name, file.value(record)),
        fix,
    )
