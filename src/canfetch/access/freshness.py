"""How long a response is fresh: the rules of HTTP within the bounds of the policy.

Source: RFC 9309 section 2.4; RFC 9111 sections 4.2 and 5.2.2.
"""

from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Final

from canfetch.access.policies import AccessPolicy
from canfetch.access.responses import Response

# The value of a delta-seconds that overflows: RFC 9111 section 1.2.2.
_MAX_DELTA_SECONDS: Final = 2**31
_MAX_DELTA_DIGITS: Final = 9


def freshness_lifetime(response: Response | None, policy: AccessPolicy, *, now: float) -> float:
    """Return the number of seconds from now for which a response is fresh.

    The lifetime is `max-age`, else `Expires` minus `Date`, else the default of the policy. The age of the response is
    subtracted. A response that forbids caching, has an invalid value or is too old gets the minimum of the policy, so
    that a server with a wrong clock is not fetched before every request.

    Args:
        now: When the response was received, in seconds since the epoch.
    """
    seconds = policy.default_freshness if response is None else _declared_lifetime(response, policy, now)
    return float(min(max(seconds, policy.min_freshness), policy.max_freshness))


def parse_cache_control(value: str) -> dict[str, str]:
    """Parse a `Cache-Control` header into its directives, by name in lower case. The first of two directives wins.

    Source: RFC 9111 section 5.2; section 4.2.1 permits taking the first.
    """
    directives: dict[str, str] = {}
    for part in value.split(","):
        name, _, argument = part.strip().partition("=")
        directives.setdefault(name.strip().lower(), argument.strip().strip('"'))
    return directives


def parse_delta_seconds(text: str) -> int | None:
    """Parse a number of seconds, or return None if `text` is not a non-negative integer.

    Source: RFC 9111 section 1.2.2.
    """
    digits = text.strip()
    if not digits.isascii() or not digits.isdigit():
        return None
    return int(digits) if len(digits) <= _MAX_DELTA_DIGITS else _MAX_DELTA_SECONDS


def parse_http_date(text: str) -> float | None:
    """Parse an HTTP date as seconds since the epoch, or return None if it is invalid.

    Source: RFC 9110 section 5.6.7. Second 60 is a leap second, which Python does not know.
    """
    without_leap = text.replace(":60 ", ":59 ", 1)
    try:
        date = parsedate_to_datetime(without_leap)
        return date.replace(tzinfo=date.tzinfo or UTC).timestamp() + (without_leap != text)
    except (ValueError, TypeError, OverflowError, IndexError):
        return None


def _declared_lifetime(response: Response, policy: AccessPolicy, now: float) -> float:
    directives = parse_cache_control(response.header("cache-control") or "")
    if "no-store" in directives or "no-cache" in directives:
        return 0
    date = parse_http_date(response.first_header("date") or "")
    age = _initial_age(response, date, now)
    if "max-age" in directives:
        max_age = parse_delta_seconds(directives["max-age"])
        # A response with an invalid max-age is stale: RFC 9111 section 4.2.1.
        return 0 if max_age is None else max_age - age
    expires = response.first_header("expires")
    if expires is not None:
        expires_at = parse_http_date(expires)
        return 0 if expires_at is None else expires_at - (now if date is None else date) - age
    return policy.default_freshness - age


def _initial_age(response: Response, date: float | None, now: float) -> float:
    """Return the age of a response when it was received: the larger of `Age` and the time since `Date`.

    Source: RFC 9111 section 4.2.3. Section 5.1 uses the first of several values of Age.
    """
    apparent_age = 0.0 if date is None else max(0.0, now - date)
    age = (response.first_header("age") or "").partition(",")[0]
    return max(apparent_age, parse_delta_seconds(age) or 0)
