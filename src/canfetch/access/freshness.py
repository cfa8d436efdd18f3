"""How long an answer is fresh: HTTP's own rules, within the policy's bounds.

Source: RFC 9309 section 2.4; RFC 9111 sections 4.2 and 5.2.2.
"""

from datetime import UTC
from email.utils import parsedate_to_datetime

from canfetch.access.policies import AccessPolicy
from canfetch.access.responses import Response


def freshness_lifetime(response: Response | None, policy: AccessPolicy, *, now: float) -> float:
    """Say for how many seconds from now an answer is fresh.

    `max-age`, else `Expires` less `Date`, else the policy's default; less `Age`, which a cache on the way has kept
    it already; one that forbids caching, or says nonsense, the shortest.
    """
    seconds = policy.default_freshness if response is None else _own_seconds(response, policy, now)
    return float(min(max(seconds, policy.min_freshness), policy.max_freshness))


def _own_seconds(response: Response, policy: AccessPolicy, now: float) -> float:
    directives = _directives(response.header("cache-control") or "")
    if "no-store" in directives or "no-cache" in directives:
        return 0
    age = _delta_seconds(response.header("age") or "0") or 0
    if "max-age" in directives:
        max_age = _delta_seconds(directives["max-age"])
        # A max-age that is no number is stale: RFC 9111 section 4.2.1.
        return 0 if max_age is None else max_age - age
    expires = response.header("expires")
    if expires is not None:
        expires_at = parse_http_date(expires)
        date = parse_http_date(response.header("date") or "")
        return 0 if expires_at is None else expires_at - (now if date is None else date) - age
    return policy.default_freshness - age


def _directives(cache_control: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for part in cache_control.split(","):
        name, _, value = part.strip().partition("=")
        # The first of two counts, as the shorter would: RFC 9111 section 4.2.1 leaves the choice.
        found.setdefault(name.strip().lower(), value.strip().strip('"'))
    return found


def _delta_seconds(text: str) -> int | None:
    digits = text.strip()
    if not digits.isascii() or not digits.isdigit():
        return None
    # What overflows is 2**31, as RFC 9111 section 1.2.2 says.
    return int(digits) if len(digits) < 10 else 2**31


def parse_http_date(text: str) -> float | None:
    """Read an HTTP date as seconds since the epoch, or None where it is none."""
    try:
        date = parsedate_to_datetime(text)
        return date.replace(tzinfo=date.tzinfo or UTC).timestamp()
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
