"""Counters of a site."""

import threading
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from canfetch.client.forking import reset_on_fork

_DESCRIPTIONS: Final = {
    "served": "Responses with the robots.txt, also to HEAD.",
    "not_modified": "Responses with 304 to requests for the robots.txt.",
    "failed": "Other responses to requests for the robots.txt: 405, 412 and 503.",
    "suspended": "Requests that were answered with 503 because crawling is suspended.",
    "crawler_requests": "Requests of declared crawlers that were checked.",
    "refused": "Requests of crawlers that the rules do not allow, refused with 403.",
    "verified": "Allowed or exempt requests of crawlers whose identity was verified.",
    "undecided": "Allowed or exempt requests of crawlers whose identity could not be verified.",
    "impostors": "Allowed requests that claim to be of a crawler, but are not.",
    "unchecked": "Requests of crawlers that were answered with 429 or 503 because their signatures were not verified.",
    "signatures": "Allowed, exempt and unchecked requests of crawlers that are signed, or have to be, by the result.",
}
# The counters that have parts, and the label of a part.
_LABELS: Final = {"refused": "crawler", "impostors": "crawler", "unchecked": "crawler", "signatures": "reason"}


class SiteStats(NamedTuple):
    """A snapshot of what a site has done since it was created.

    Attributes:
        served: Responses with the robots.txt, also to HEAD.
        not_modified: Responses with 304 to requests for the robots.txt.
        failed: Other responses to requests for the robots.txt: 405, 412 and 503.
        suspended: Requests that were answered with 503 because crawling is suspended.
        crawler_requests: Requests of declared crawlers that were checked.
        refused: Requests of crawlers that the rules do not allow, by product token. The response was 403.
        verified: Allowed or exempt requests of crawlers whose identity was verified.
        undecided: Allowed or exempt requests of crawlers whose identity could not be verified.
        impostors: Allowed requests that claim to be of a crawler but are not, by product token. The response was 403
            if impostors are blocked.
        unchecked: Requests of crawlers that were answered with 429 or 503 because a limit of invalid signatures was
            reached, or the directory was being fetched, by product token. The rules may not allow them.
        signatures: Allowed, exempt and unchecked requests of crawlers that are signed, or have to be, by the
            `SignatureReason` of the result: `verified`, or why not.
    """

    served: int
    not_modified: int
    failed: int
    suspended: int
    crawler_requests: int
    refused: Mapping[str, int]
    verified: int
    undecided: int
    impostors: Mapping[str, int]
    unchecked: Mapping[str, int]
    signatures: Mapping[str, int]

    def to_json(self) -> dict[str, Any]:
        """Return the counters as a JSON object."""
        return {**self._asdict(), **{name: dict(getattr(self, name)) for name in _LABELS}}

    def to_prometheus(self) -> str:
        """Return the counters in the text format of Prometheus, each as `canfetch_site_NAME_total`."""
        return "".join(f"{line}\n" for name in self._fields for line in self._metric(name))

    def _metric(self, name: str) -> Iterator[str]:
        metric = f"canfetch_site_{name}_total"
        yield f"# HELP {metric} {_DESCRIPTIONS[name]}"
        yield f"# TYPE {metric} counter"
        value = getattr(self, name)
        if name not in _LABELS:
            yield f"{metric} {value}"
            return
        for part, count in sorted(value.items()):
            yield f'{metric}{{{_LABELS[name]}="{_escape_label(part)}"}} {count}'


def _escape_label(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


class SiteCounters:
    """Counts what a site does. Safe for use by several threads."""

    def __init__(self) -> None:
        self._counts: dict[str | tuple[str, str], int] = {}
        self.reset_after_fork()
        reset_on_fork(self)

    def reset_after_fork(self) -> None:
        """Take a new lock. The counts continue those of the parent."""
        self._lock = threading.Lock()

    def add(self, *names: str | tuple[str, str]) -> None:
        """Add one to each of some counters.

        Args: names: Fields of `SiteStats`, those that have parts with the product token or the reason. A token is from
            the registry or from the file, so that clients cannot add entries.
        """
        counts = self._counts
        with self._lock:
            for name in names:
                counts[name] = counts.get(name, 0) + 1

    def snapshot(self) -> SiteStats:
        """Return all counters."""
        with self._lock:
            counts = dict(self._counts)
        found: dict[str, Any] = dict.fromkeys(SiteStats._fields, 0)
        parts: dict[str, dict[str, int]] = {name: {} for name in _LABELS}
        for name, count in counts.items():
            if isinstance(name, tuple):
                parts[name[0]][name[1]] = count
            else:
                found[name] = count
        return SiteStats(**{**found, **{name: MappingProxyType(part) for name, part in parts.items()}})
