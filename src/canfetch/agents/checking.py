"""An entry that somebody adds to the registry is one, or is told: what it says decides whose rules count."""

from typing import get_args

from canfetch.agents.crawler import Crawler, Obeys, Purpose, Verification
from canfetch.core.agent import Agent
from canfetch.core.choices import unknown_choice
from canfetch.core.quoting import quoted
from canfetch.errors import InvalidOption


def checked(crawler: object) -> Crawler:
    """Give an entry that can be meant.

    Raises: TypeError: it is no Crawler; InvalidProductToken: one of its tokens is none; InvalidOption: another of its
        fields cannot be meant.
    """
    if not isinstance(crawler, Crawler):
        raise TypeError(f"an entry of the registry is a Crawler, not {type(crawler).__name__}")
    for field in ("tokens", "user_agents", "honours"):
        _check_texts(field, getattr(crawler, field))
    if not crawler.tokens or "*" in crawler.tokens:
        raise InvalidOption(f"tokens is {crawler.tokens!r}; give its product token first, and * by star_applies")
    # What a question would raise is raised now.
    Agent(crawler.tokens)
    for field, kind in (("operator", str), ("source", str), ("verification", Verification)):
        if not isinstance(getattr(crawler, field), kind):
            raise InvalidOption(f"{_which(crawler, field)}; give a {kind.__name__}")
    for field in ("star_applies", "token_only", "retired"):
        if not isinstance(getattr(crawler, field), bool):
            raise InvalidOption(f"{_which(crawler, field)}; give True or False")
    for field, values in (("purpose", get_args(Purpose)), ("obeys", get_args(Obeys))):
        value = getattr(crawler, field)
        if value not in values:
            raise InvalidOption(f"crawler {quoted(crawler.name)}: {unknown_choice(field, value, values)}")
    _check_day(crawler)
    return crawler


def _check_texts(field: str, texts: object) -> None:
    if not isinstance(texts, tuple | list) or not all(isinstance(text, str) for text in texts):
        raise InvalidOption(f"{field} is {texts!r}; give a tuple of texts, such as ('ExampleBot',)")


def _check_day(crawler: Crawler) -> None:
    from datetime import date  # noqa: PLC0415 - for entries that somebody adds alone

    try:
        date.fromisoformat(crawler.checked)
    except (ValueError, TypeError):
        raise InvalidOption(f"{_which(crawler, 'checked')}; give the day, as 2026-11-20") from None


def _which(crawler: Crawler, field: str) -> str:
    return f"{field} of {quoted(crawler.name)} is {getattr(crawler, field)!r}"
