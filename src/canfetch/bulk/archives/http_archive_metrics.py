"""The custom metric `robots_txt` of HTTP Archive, with its own reading of lines, which is not that of RFC 9309.

Source: HTTPArchive/custom-metrics, dist/robots_txt.js.
"""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

# `#` after white space or at the start. The line terminators are those of JavaScript.
_COMMENT: Final = re.compile("(?:\\A|(?<=\\s))#[^\n\r\u2028\u2029]*")
_LINE_ENDS: Final = re.compile(r"[\r\n]+")
_RECORD: Final = re.compile("([a-z0-9_-]+)\\s*:\\s*([^\n\r\u2028\u2029]*)")
_TYPES: Final = ("sitemap", "user_agent", "allow", "disallow", "crawl_delay", "noindex", "other")
_AGENT_TYPES: Final = ("allow", "disallow", "crawl_delay", "noindex", "other")
_USER_AGENT: Final = "user_agent"
_GOOGLE_LIMIT_KIB: Final = 500
# Each user agent has a count for each key of its records, so that their number could grow with the square of the file.
_MAX_COUNTS: Final = 100_000


def robots_metrics(content: bytes, *, status: int | None, redirected: bool) -> dict[str, Any]:
    """Return the metric of a file, with the keys and the counts of HTTP Archive.

    `record_counts.truncated` is added, and true, if there are too many user agents and keys to count each.

    Args:
        content: The file.
        status: The status of its response, or None if it is unknown.
        redirected: Whether redirects led to it.
    Cost: O(bytes), and at most 100,000 counts.
    """
    text = content.decode("utf-8", "replace").removeprefix("\ufeff")
    # JavaScript counts the code units of UTF-16.
    size = len(text) + sum(1 for character in text if character > "\uffff") if not text.isascii() else len(text)
    return {
        "redirected": redirected,
        "status": status,
        "size": size,
        "size_kib": size / 1024,
        "over_google_limit": size / 1024 > _GOOGLE_LIMIT_KIB,
        "comment_count": sum(1 for _ in _COMMENT.finditer(text)),
        "record_counts": _count(list(_records(text))),
    }


def _records(text: str) -> Iterator[tuple[str, str]]:
    parts, end = [], 0
    for comment in _COMMENT.finditer(text):
        # The white space before a comment is a part of it, even across lines.
        parts.append(text[end : comment.start()].rstrip())
        end = comment.end()
    parts.append(text[end:])
    for line in _LINE_ENDS.split("".join(parts).strip().lower()):
        if line:
            record = _RECORD.fullmatch(line)
            yield ("other", line) if record is None else (record[1].replace("-", "_"), record[2].strip())


def _count(records: list[tuple[str, str]]) -> dict[str, Any]:
    by_type = Counter(dict.fromkeys(_TYPES, 0))
    by_useragent: dict[str, Counter[str]] = {}
    agents: list[str] = []
    own: Counter[str] = Counter()
    budget = _MAX_COUNTS

    def end_group() -> None:
        nonlocal budget
        for agent in agents:
            budget -= len(own)
            if budget < 0:
                return
            by_useragent[agent].update(own)

    previous = ""
    for kind, value in records:
        by_type[kind] += 1
        if kind == _USER_AGENT:
            if previous != _USER_AGENT:
                end_group()
                agents, own = [], Counter()
            if value not in by_useragent:
                by_useragent[value] = Counter(dict.fromkeys(_AGENT_TYPES, 0))
            agents.append(value)
        elif kind != "sitemap":
            own[kind] += 1
        previous = kind
    end_group()
    counts = {
        "by_type": dict(by_type),
        "by_useragent": {agent: dict(counter) for agent, counter in by_useragent.items()},
    }
    return counts | {"truncated": True} if budget < 0 else counts
