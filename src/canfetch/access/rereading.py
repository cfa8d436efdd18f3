"""A kept entry in the eyes of a client that did not make it: the same, or due at once.

Clients that share a store may read more or less of a file, and know more or less of a site. What one of them cut is no
answer for another that reads further; of an origin that is unreachable it is the last good copy all the same, until it
can be fetched again.
"""

from typing import Final

from canfetch.access.entries import Copy, Entry
from canfetch.access.outcomes import Access, cell_of_status
from canfetch.access.policies import AccessPolicy
from canfetch.core._tables import DEFAULT_MAX_BYTES

_SERVER_ERROR: Final = 500
_SERVER_ERRORS: Final = ("server_error", "misconfigured_server_error")


def entry_for(
    entry: Entry, policy: AccessPolicy, *, max_bytes: int = DEFAULT_MAX_BYTES, misconfigured: bool = False
) -> Entry:
    """Give an entry as a client of the same policy may use it.

    Args:
        max_bytes: how far the client reads.
        misconfigured: whether it knows that the site answers 5xx for every missing page.
    Source: RFC 9309 section 2.5; Google's specification of 2019.
    """
    if _would_read_otherwise(entry, policy, max_bytes) or _would_judge_otherwise(
        entry, policy, misconfigured=misconfigured
    ):
        return entry._replace(next_fetch_at=min(entry.next_fetch_at, entry.fetched_at))
    return entry


def reads_further(copy: Copy, max_bytes: int) -> bool:
    """Say whether a client reads further than the copy goes."""
    return copy.truncated_at is not None and copy.truncated_at < max_bytes


def _would_judge_otherwise(entry: Entry, policy: AccessPolicy, *, misconfigured: bool) -> bool:
    if policy.server_error == policy.misconfigured_server_error or entry.outcome.cell not in _SERVER_ERRORS:
        return False
    return entry.outcome.cell != cell_of_status(_SERVER_ERROR, misconfigured=misconfigured)


def _would_read_otherwise(entry: Entry, policy: AccessPolicy, max_bytes: int) -> bool:
    if entry.outcome.cell == "oversize":
        return entry.max_bytes < max_bytes
    if entry.copy is None or entry.outcome.access is Access.UNREACHABLE:
        return False
    too_long = policy.oversize != "cut" and len(entry.copy.content) > max_bytes
    return too_long or reads_further(entry.copy, max_bytes)
