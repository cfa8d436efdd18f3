"""The counts of HTTP Archive's custom metric `robots_txt`.

The definitions are those of the metric, which is written in JavaScript, and not those of RFC 9309.

Source: HTTPArchive/custom-metrics, dist/robots_txt.js, commit 066c475.
"""

import re
from collections import Counter
from typing import Any, Final, NamedTuple

from canfetch.bulk.types import BOOL, FLOAT64, INT32, INT64, TEXT, list_of, struct_of
from canfetch.core.text import printable_text

_AGENT_TYPES: Final = ("allow", "disallow", "crawl_delay", "noindex", "other")
_TYPES: Final = ("sitemap", "user_agent", *_AGENT_TYPES)
METRICS: Final = struct_of(
    size=INT64,
    size_kib=FLOAT64,
    over_google_limit=BOOL,
    comment_count=INT32,
    record_counts=struct_of(
        by_type=struct_of(**dict.fromkeys(_TYPES, INT32)),
        by_useragent=list_of(struct_of(user_agent=TEXT, **dict.fromkeys(_AGENT_TYPES, INT32))),
    ),
)

_BYTES_PER_KIB: Final = 1024
_GOOGLE_LIMIT_KIB: Final = 500
_LINE_ENDS: Final = re.compile(r"[\r\n]")
# White space in JavaScript. Unlike that of Python, it has U+FEFF, but neither U+0085 nor U+001C to U+001F.
_SPACE: Final = (
    "\t\n\v\f\r \xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
_KEY_CHARACTERS: Final = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_-")


def count_records(content: bytes) -> tuple[Any, ...]:
    """Return the counts as a row of `METRICS`.

    Cost: O(bytes).
    """
    read = read_records(content)
    by_type = Counter(_counted(key, _TYPES) for key, _ in read.records)
    counts = (tuple(by_type[name] for name in _TYPES), _by_user_agent(read.records))
    return read.size, read.size_kib, read.over_google_limit, read.comments, counts


class MetricRecords(NamedTuple):
    """A file as the metric reads it.

    Attributes:
        size: Its length in code units of UTF-16.
        comments: The number of comments.
        records: The key and the value of each record, in lower case.
    """

    size: int
    comments: int
    records: list[tuple[str, str]]

    @property
    def size_kib(self) -> float:
        """The size in KiB."""
        return self.size / _BYTES_PER_KIB

    @property
    def over_google_limit(self) -> bool:
        """Whether the file is larger than Google reads."""
        return self.size_kib > _GOOGLE_LIMIT_KIB


def read_records(content: bytes) -> MetricRecords:
    """Return a file as the metric reads it.

    Cost: O(bytes).
    """
    text = content.decode("utf-8", "replace").removeprefix("\ufeff")
    size = len(text) if text.isascii() else len(text) + sum(character > "\uffff" for character in text)
    lines, comments = _lines_without_comments(text)
    records = [_record(line) for line in "\n".join(lines).strip(_SPACE).lower().split("\n") if line]
    return MetricRecords(size, comments, records)


def _lines_without_comments(text: str) -> tuple[list[str], int]:
    """Return the lines without comments and the white space before them, which can begin lines before."""
    lines: list[str] = []
    comments = blank_lines = 0
    for line in _LINE_ENDS.split(text):
        at = _comment_start(line)
        rest = line if at < 0 else line[:at].rstrip(_SPACE)
        lines.append(rest)
        if at >= 0:
            comments += 1
            if not rest and blank_lines:
                lines[-1 - blank_lines :] = [""] * (blank_lines + 1)
        blank_lines = blank_lines + 1 if at < 0 and not rest.strip(_SPACE) else 0
    return lines, comments


def _comment_start(line: str) -> int:
    """Return the position of the first `#` at the start of the line or after white space, or -1."""
    at = line.find("#")
    while at > 0 and line[at - 1] not in _SPACE:
        at = line.find("#", at + 1)
    return at


def _record(line: str) -> tuple[str, str]:
    """Return the key and the value of a line."""
    key, colon, value = line.partition(":")
    key = key.rstrip(_SPACE)
    return (key, value.strip(_SPACE)) if colon and key and not set(key) - _KEY_CHARACTERS else ("other", line)


def _counted(key: str, types: tuple[str, ...]) -> str:
    name = key.replace("-", "_")
    return name if name in types else "other"


def _by_user_agent(records: list[tuple[str, str]]) -> list[tuple[Any, ...]]:
    """Return the counts of each user agent. The rules of a group are counted once, and added to each of its agents."""
    counts: dict[str, Counter[str]] = {}
    group: list[str] = []
    own: Counter[str] = Counter()
    previous = ""
    for key, value in records:
        if key == "user-agent":
            if previous != "user-agent":
                _add(counts, group, own)
                group, own = [], Counter()
            counts.setdefault(value, Counter())
            group.append(value)
        elif key != "sitemap":
            own[_counted(key, _AGENT_TYPES)] += 1
        previous = key
    _add(counts, group, own)
    return [(printable_text(agent), *(count[name] for name in _AGENT_TYPES)) for agent, count in counts.items()]


def _add(counts: dict[str, Counter[str]], group: list[str], own: Counter[str]) -> None:
    for agent in group:
        counts[agent].update(own)
