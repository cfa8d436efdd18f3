"""User information and queries of URLs are replaced before they are recorded or printed."""

import pytest

from canfetch.core.redaction import (
    loggable_url,
    redact_credentials,
    redact_credentials_in,
    redact_urls,
    redacted_url,
)


@pytest.mark.parametrize(
    "url, redacted",
    [
        (b"https://user:secret@example.com/a", b"https://***@example.com/a"),
        (b"//user@example.com/a", b"//***@example.com/a"),
        (b"https://a@b@example.com", b"https://***@example.com"),
        (b"https://example.com/a@b", b"https://example.com/a@b"),
        (b"https://example.com?a@b", b"https://example.com?a@b"),
        (b"https://example.com#a@b", b"https://example.com#a@b"),
        (b"/a@b", b"/a@b"),
        (b"://user@example.com/", b"://user@example.com/"),
    ],
)
def test_user_information_is_replaced(url: bytes, redacted: bytes) -> None:
    assert redact_credentials(url) == redacted
    assert redacted_url(url) == redacted_url(url.decode()) == redacted.decode()


@pytest.mark.parametrize(
    "url, logged",
    [
        ("https://user@example.com/a?key=secret#part", "https://***@example.com/a?***"),
        (b"https://example.com/a#part?x", "https://example.com/a"),
        ("https://example.com/", "https://example.com/"),
    ],
)
def test_queries_are_not_logged(url: str | bytes, logged: str) -> None:
    assert loggable_url(url) == logged


def test_urls_in_messages() -> None:
    message = "redirect loop to https://user:secret@example.com/a?b"
    assert redact_urls(message) == "redirect loop to https://***@example.com/a?***"
    assert redact_credentials_in(message) == "redirect loop to https://***@example.com/a?b"
    for unchanged in ("status 404", "user@example.com"):
        assert redact_urls(unchanged) == redact_credentials_in(unchanged) == unchanged
