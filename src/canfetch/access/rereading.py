"""A kept entry in the eyes of a client that did not make it: the same, or due at once.

Clients that share a store may read more or less of a file, and know more or less of a site. What one of them cut is no
answer for another that reads further; of an origin that is unreachable it is the last good copy all the same, until it
can be fetched again.
"""

from typing import Final

from canfetch.access.entries import Copy, Entry
from canfetch.access.outcomes import Access, cell_of_status
from canfetch.access.policies import AccessPolicy
from canfetch.core._tables import PARSE_OCTETS_LIMIT

_SERVER_ERROR: Final = 500
_SERVER_ERRORS: Final = ("server_error", "misconfigured_server_error")


def entry_for(
    entry: Entry, policy: AccessPolicy, *, limit_octets: int = PARSE_OCTETS_LIMIT, misconfigured: bool = False
) -> Entry:
    """Give an entry as a client of the same policy may use it.

    Args:
        limit_octets: how far the client reads.
        misconfigured: whether it knows that the site answers 5xx for every missing page.
    Source: RFC 9309 section 2.5; Google's specification of 2019.
    """
    if _would_read_otherwise(entry, policy, limit_octets) or _would_judge_otherwise(
        entry, policy, misconfigured=misconfigured
    ):
        return entry._replace(due_at_seconds=min(entry.due_at_seconds, entry.fetched_at_seconds))
    return entry


def reads_further(copy: Copy, limit_octets: int) -> bool:
    """Say whether a client reads further than the copy goes."""
    return copy.cut_at_octets is not None and copy.cut_at_octets < limit_octets


def _would_judge_otherwise(entry: Entry, policy: AccessPolicy, *, misconfigured: bool) -> bool:
    if policy.server_error == policy.misconfigured_server_error or entry.outcome.cell not in _SERVER_ERRORS:
        return False
    return entry.outcome.cell != cell_of_status(_SERVER_ERROR, misconfigured=misconfigured)


def _would_read_otherwise(entry: Entry, policy: AccessPolicy, limit_octets: int) -> bool:
    if entry.outcome.cell == "oversize":
        return entry.limit_octets < limit_octets
    if entry.copy is None or entry.outcome.access is Access.UNREACHABLE:
        return False
    too_long = policy.oversize != "cut" and len(entry.copy.octets) > limit_octets
    return too_long or reads_further(entry.copy, limit_octets)
