"""Validation of registry entries that users add."""

from typing import get_args

from canfetch.agents.crawler import Crawler, Obeys, Purpose, Verification
from canfetch.core.agent import Agent
from canfetch.core.choices import unknown_choice
from canfetch.core.quoting import quoted
from canfetch.errors import InvalidOption


def validate_crawler(crawler: object) -> Crawler:
    """Return `crawler` if it is a valid registry entry.

    Raises: TypeError: `crawler` is not a Crawler; InvalidProductToken: a token is invalid; InvalidOption: another field
        is invalid.
    """
    if not isinstance(crawler, Crawler):
        raise TypeError(f"crawler must be a Crawler, not {type(crawler).__name__}")
    for field in ("tokens", "user_agents", "honours"):
        _check_texts(field, getattr(crawler, field))
    if not crawler.tokens or "*" in crawler.tokens:
        raise InvalidOption(f"invalid tokens {crawler.tokens!r}: expected product tokens; use star_applies for '*'")
    # Report invalid tokens now, and not at the first decision.
    Agent(crawler.tokens)
    for field, kind in (("operator", str), ("source", str), ("verification", Verification)):
        if not isinstance(getattr(crawler, field), kind):
            raise _invalid(crawler, field, f"a {kind.__name__}")
    for field in ("star_applies", "token_only", "retired"):
        if not isinstance(getattr(crawler, field), bool):
            raise _invalid(crawler, field, "True or False")
    for field, values in (("purpose", get_args(Purpose)), ("obeys", get_args(Obeys))):
        value = getattr(crawler, field)
        if value not in values:
            raise InvalidOption(f"crawler {quoted(crawler.name)}: {unknown_choice(field, value, values)}")
    _check_day(crawler)
    return crawler


def _check_texts(field: str, texts: object) -> None:
    if not isinstance(texts, tuple | list) or not all(isinstance(text, str) for text in texts):
        raise InvalidOption(f"invalid {field} {texts!r}: expected a tuple of str, such as ('ExampleBot',)")


def _check_day(crawler: Crawler) -> None:
    from datetime import date  # noqa: PLC0415 - only needed for entries that users add

    try:
        date.fromisoformat(crawler.checked)
    except (ValueError, TypeError):
        raise _invalid(crawler, "checked", "a date such as 2026-11-20") from None


def _invalid(crawler: Crawler, field: str, expected: str) -> InvalidOption:
    value = getattr(crawler, field)
    return InvalidOption(f"crawler {quoted(crawler.name)}: invalid {field} {value!r}: expected {expected}")
