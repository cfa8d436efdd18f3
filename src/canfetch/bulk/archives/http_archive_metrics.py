"""The custom metric `robots_txt` of HTTP Archive as JSON, with a count for each key that a file has.

`canfetch.bulk.metrics` has the same counts in columns, in which keys that the metric does not name are `other`.

Source: HTTPArchive/custom-metrics, dist/robots_txt.js, commit 066c475.
"""

from collections import Counter
from typing import Any, Final

from canfetch.bulk.http_archive import read_records

_TYPES: Final = ("sitemap", "user_agent", "allow", "disallow", "crawl_delay", "noindex", "other")
_AGENT_TYPES: Final = ("allow", "disallow", "crawl_delay", "noindex", "other")
_USER_AGENT: Final = "user_agent"
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
    read = read_records(content)
    return {
        "redirected": redirected,
        "status": status,
        "size": read.size,
        "size_kib": read.size_kib,
        "over_google_limit": read.over_google_limit,
        "comment_count": read.comments,
        "record_counts": _count([(key.replace("-", "_"), value) for key, value in read.records]),
    }


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
