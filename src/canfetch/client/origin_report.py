"""The state of an origin as JSON: the response, its freshness, and what it permits."""

from typing import Any, Final

from canfetch.access.redacted_entries import redact_entry
from canfetch.client.origin_state import OriginState
from canfetch.core.redaction import redact_credentials_in, redacted_url
from canfetch.core.times import optional_rfc3339, rfc3339

ORIGIN_SCHEMA: Final = "canfetch.origin/2"


def origin_json(state: OriginState, now: float) -> dict[str, Any]:
    """Return the state of an origin, with the hash of the file instead of its content.

    Args: now: Seconds since the epoch, on which the effect of an unreachable origin depends.
    """
    entry, effective = redact_entry(state.entry), state.effective_access(now)
    copy = effective.copy
    return {
        "schema": ORIGIN_SCHEMA,
        "origin": entry.origin,
        "robots_url": state.origin.robots_url,
        "access": str(effective.access),
        "effect": str(effective.effect),
        "explanation": redact_credentials_in(effective.explanation),
        "policy": entry.policy,
        "outcome": entry.outcome.kind,
        "status": entry.status,
        "url": entry.url,
        "hops": [hop._asdict() for hop in entry.hops],
        "headers": dict(entry.headers),
        "fetched_at": optional_rfc3339(entry.last_attempt_at),
        "next_fetch_at": rfc3339(entry.next_fetch_at),
        "failures": entry.failures,
        "copy": None
        if copy is None
        else {
            "sha256": copy.sha256,
            "bytes": len(copy.content),
            "url": redacted_url(copy.url),
            "fetched_at": rfc3339(copy.fetched_at),
        },
    }
