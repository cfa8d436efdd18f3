"""Checks of delivery: what the server answered, and what other hosts and schemes of the service say."""

from typing import Final

from canfetch.lint.check import Check
from canfetch.lint.checks.delivery import (
    cached_too_long,
    charset,
    content_type,
    forbidden_or_limited,
    hosts_differ,
    html_served,
    not_cached,
    redirected,
    retry_after_long,
    schemes_differ,
    unavailable,
    unreachable,
)

CHECKS: Final[tuple[Check, ...]] = (
    unreachable.CHECK,
    unavailable.CHECK,
    content_type.CHECK,
    charset.CHECK,
    redirected.CHECK,
    cached_too_long.CHECK,
    not_cached.CHECK,
    forbidden_or_limited.CHECK,
    html_served.CHECK,
    schemes_differ.CHECK,
    hosts_differ.CHECK,
    retry_after_long.CHECK,
)
