"""A kept entry in the eyes of a client that did not make it: the same, or due at once.

Clients that share a store may read more or less of a file. What one of them cut is no answer for another that reads
further; of an origin that is unreachable it is the last good copy all the same, until it can be fetched again.
"""

from canfetch.access.entries import Copy, Entry
from canfetch.access.outcomes import Access
from canfetch.access.policies import AccessPolicy


def entry_for(entry: Entry, policy: AccessPolicy, *, limit_octets: int) -> Entry:
    """Give an entry as a client of the same policy may use it.

    Args: limit_octets: how far the client reads.
    Source: RFC 9309 section 2.5.
    """
    if entry.outcome.access is Access.UNREACHABLE or not _would_read_otherwise(entry, policy, limit_octets):
        return entry
    return entry._replace(due_at_seconds=min(entry.due_at_seconds, entry.fetched_at_seconds))


def reads_further(copy: Copy, limit_octets: int) -> bool:
    """Say whether a client reads further than the copy goes."""
    return copy.cut_at_octets is not None and copy.cut_at_octets < limit_octets


def _would_read_otherwise(entry: Entry, policy: AccessPolicy, limit_octets: int) -> bool:
    if entry.outcome.cell == "oversize":
        return entry.limit_octets < limit_octets
    if entry.copy is None:
        return False
    too_long = policy.oversize != "cut" and len(entry.copy.octets) > limit_octets
    return too_long or reads_further(entry.copy, limit_octets)
