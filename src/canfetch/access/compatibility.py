"""Compatibility of cache entries that another client made.

Clients that share a store may have other parsing limits, or know other misconfigured sites. If this client would make a
different entry from the same response, the entry is treated as expired. Its copy stays in use as the last good copy if
the next fetch fails.
"""

from typing import Final

from canfetch.access.entries import CachedCopy, CacheEntry
from canfetch.access.outcomes import OutcomeKind, classify_status
from canfetch.access.policies import AccessPolicy
from canfetch.core.limits import DEFAULT_MAX_BYTES
from canfetch.core.verdict import Access

_SERVER_ERROR: Final = 500
_SERVER_ERRORS: Final = (OutcomeKind.SERVER_ERROR, OutcomeKind.MISCONFIGURED_SERVER_ERROR)
# The parsing limit decides whether a body has this kind. Records can follow a page, past the limit.
_CUT_BODIES: Final = (OutcomeKind.OVERSIZE, OutcomeKind.NOT_ROBOTS)


def expire_if_incompatible(
    entry: CacheEntry, policy: AccessPolicy, *, max_bytes: int = DEFAULT_MAX_BYTES, misconfigured: bool = False
) -> CacheEntry:
    """Return `entry`, or mark it as expired if this client would make another entry from the same response.

    Args:
        policy: The policy of the client and of the entry.
        max_bytes: The parsing limit of the client.
        misconfigured: Whether the client knows that the site responds with 5xx for every missing page.
    Source: RFC 9309 section 2.5; Google's specification of 2019.
    """
    if _has_other_limit(entry, policy, max_bytes) or _has_other_kind(entry, policy, misconfigured=misconfigured):
        return entry._replace(next_fetch_at=min(entry.next_fetch_at, entry.fetched_at))
    return entry


def is_truncated_for(copy: CachedCopy, max_bytes: int) -> bool:
    """Return whether a copy was truncated at a lower limit than `max_bytes`."""
    return copy.truncated_at is not None and copy.truncated_at < max_bytes


def _has_other_kind(entry: CacheEntry, policy: AccessPolicy, *, misconfigured: bool) -> bool:
    if policy.server_error == policy.misconfigured_server_error or entry.outcome.kind not in _SERVER_ERRORS:
        return False
    return entry.outcome.kind is not classify_status(_SERVER_ERROR, misconfigured=misconfigured)


def _has_other_limit(entry: CacheEntry, policy: AccessPolicy, max_bytes: int) -> bool:
    if entry.outcome.kind in _CUT_BODIES and entry.outcome.access is not Access.SUCCESSFUL:
        return entry.max_bytes < max_bytes
    if entry.copy is None or entry.outcome.access is Access.UNREACHABLE:
        return False
    is_oversize = policy.oversize != "truncate" and len(entry.copy.content) > max_bytes
    return is_oversize or is_truncated_for(entry.copy, max_bytes)
