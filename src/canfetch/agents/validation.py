"""Validation of registry entries that users add."""

from typing import TYPE_CHECKING, Any, Final, get_args

from canfetch.agents.crawler import Crawler, FieldSource, Obeys, PublishedHeader, Purpose, SourceKind, Verification
from canfetch.core.agent import Agent
from canfetch.core.choices import unknown_choice
from canfetch.core.quoting import quoted
from canfetch.errors import InvalidOption

if TYPE_CHECKING:
    from datetime import date

SOURCED_FIELDS: Final = (
    *("tokens", "operator", "purposes", "obeys", "star_applies", "token_only", "user_agents", "honours"),
    *("retired", "app_names", *(f"verification.{field}" for field in Verification._fields)),
)
"""The fields of a crawler that the source of its entry states. Headers have sources of their own."""
_MAX_DAYS: Final = 365
# The paths of the HTTP API beside those of crawlers, `/v1/agents/{name}`.
_RESERVED: Final = frozenset({"find", "verify"})
# The fields with several texts, each with an example.
_EXAMPLES: Final = (
    ("tokens", "ExampleBot"),
    ("purposes", "search-index"),
    ("user_agents", "ExampleBot"),
    ("honours", "crawl-delay"),
    ("app_names", "ExampleApp"),
)


def validate_crawler(crawler: object) -> Crawler:
    """Return `crawler` if it is a valid registry entry.

    Raises: TypeError: `crawler` is not a Crawler; InvalidProductToken: a token is invalid; InvalidOption: another field
        is invalid.
    """
    if not isinstance(crawler, Crawler):
        raise TypeError(f"crawler must be a Crawler, not {type(crawler).__name__}")
    for field, example in _EXAMPLES:
        _check_texts(field, getattr(crawler, field), example)
    _check_tokens(crawler)
    for field, kind in (("operator", str), ("source", str), ("verification", Verification)):
        if not isinstance(getattr(crawler, field), kind):
            raise _invalid(crawler, field, f"a {kind.__name__}")
    _check_verification(crawler)
    for field in ("star_applies", "token_only", "retired"):
        if not isinstance(getattr(crawler, field), bool):
            raise _invalid(crawler, field, "True or False")
    if not {name.lower() for name in crawler.app_names} <= {name.lower() for name in crawler.product_names}:
        raise _invalid(crawler, "app_names", "product names of the crawler")
    _check_sources(crawler)
    _check_choices(crawler)
    if not is_day(crawler.checked):
        raise _invalid(crawler, "checked", "a date such as 2026-11-20")
    return crawler


def _check_tokens(crawler: Crawler) -> None:
    if not crawler.tokens or "*" in crawler.tokens:
        raise InvalidOption(
            f"invalid tokens {quoted(crawler.tokens)}: expected product tokens; use star_applies for '*'"
        )
    if crawler.name.lower() in _RESERVED:
        raise InvalidOption(f"invalid token {quoted(crawler.name)}: the HTTP API has a path with this name")
    # Report invalid tokens now, and not at the first decision.
    Agent(crawler.tokens)


def _check_verification(crawler: Crawler) -> None:
    for field in ("host_names", "address_lists", "key_directories"):
        _check_texts(f"verification.{field}", getattr(crawler.verification, field), ".example.com")
    if not isinstance(crawler.verification.note, str):
        raise _invalid(crawler, "verification", "a str as the note")


def _check_sources(crawler: Crawler) -> None:
    headers: Any = crawler.headers
    if not isinstance(headers, tuple | list) or not all(isinstance(header, PublishedHeader) for header in headers):
        raise _invalid(crawler, "headers", "a tuple of PublishedHeader")
    for header in headers:
        if not isinstance(header.value, str) or not header.value or not isinstance(header.source, str):
            raise _invalid(crawler, "headers", "a value and a source of each header")
        if header.checked != "" and not is_day(header.checked):
            raise _invalid(crawler, "headers", "dates such as 2026-11-20")
    sources: Any = crawler.field_sources
    if not isinstance(sources, tuple | list) or not all(isinstance(one, FieldSource) for one in sources):
        raise _invalid(crawler, "field_sources", "a tuple of FieldSource")
    names = [one.field for one in sources]
    are_valid = all(isinstance(one.source, str) and one.source and is_day(one.checked) for one in sources)
    if not are_valid or not set(SOURCED_FIELDS).issuperset(names) or len(set(names)) < len(names):
        expected = f"each of {', '.join(SOURCED_FIELDS)} at most once, with a source and a date"
        raise _invalid(crawler, "field_sources", expected)


def _check_choices(crawler: Crawler) -> None:
    if not crawler.purposes:
        raise _invalid(crawler, "purposes", "at least one purpose")
    choices: list[tuple[str, object, tuple[str, ...]]] = [
        *(("purpose", purpose, get_args(Purpose)) for purpose in crawler.purposes),
        ("obeys", crawler.obeys, get_args(Obeys)),
        ("source_kind", crawler.source_kind, get_args(SourceKind)),
        *(("source_kind", header.source_kind, get_args(SourceKind)) for header in crawler.headers),
    ]
    for field, value, values in choices:
        if value not in values:
            raise InvalidOption(f"crawler {quoted(crawler.name)}: {unknown_choice(field, value, values)}")


def _check_texts(field: str, texts: object, example: str) -> None:
    if not isinstance(texts, tuple | list) or not all(isinstance(text, str) for text in texts):
        raise InvalidOption(f"invalid {field} {quoted(texts)}: expected a tuple of str, such as ({example!r},)")


def is_day(text: object) -> bool:
    """Return whether a value is a date as YYYY-MM-DD. Such dates are in the order of their texts."""
    from datetime import date  # noqa: PLC0415 - only needed for entries that are not in the package

    try:
        return isinstance(text, str) and date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _invalid(crawler: Crawler, field: str, expected: str) -> InvalidOption:
    value = getattr(crawler, field)
    return InvalidOption(f"crawler {quoted(crawler.name)}: invalid {field} {quoted(value)}: expected {expected}")


def oldest_current_day(today: "date") -> str:
    """Return the day before which what was checked is marked as old."""
    from datetime import timedelta  # noqa: PLC0415 - as above

    return (today - timedelta(days=_MAX_DAYS)).isoformat()
