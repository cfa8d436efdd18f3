"""Cache entries without the secrets of their URLs, for evidence and for people."""

from canfetch.access.entries import CacheEntry
from canfetch.access.fetch_plan import Hop
from canfetch.core.redaction import redact_credentials_in, redacted_url


def redact_entry(entry: CacheEntry) -> CacheEntry:
    """Return `entry` with `***` in place of the user information of its URLs, which come from redirects.

    The result is for display. With it, a copy can no longer be revalidated, and a redirect loop no longer be found.
    """
    copy = entry.copy
    if copy is not None:
        url = redacted_url(copy.url)
        copy = copy._replace(url=url, validators=copy.validators._replace(url=url))
    return entry._replace(
        outcome=entry.outcome._replace(detail=redact_credentials_in(entry.outcome.detail)),
        url=redacted_url(entry.url),
        hops=tuple(Hop(redacted_url(hop.url), hop.status, redacted_url(hop.location)) for hop in entry.hops),
        copy=copy,
    )
