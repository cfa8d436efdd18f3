"""User information and queries of URLs are replaced before they are recorded or printed."""

from functools import partial

import pytest

import canfetch
from canfetch.core.origin import Origin, parse_robots_url
from canfetch.core.redaction import (
    loggable_url,
    redact_credentials,
    redact_credentials_in,
    redact_urls,
    redacted_url,
)
from canfetch.core.text import encode_text
from canfetch.errors import CanfetchError, OriginMismatch


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
        # As browsers read them.
        (b"http:/user:secret@example.com/", b"http:/***@example.com/"),
        (b"HTTP:///user:secret@example.com/", b"HTTP:///***@example.com/"),
        (b"https:user:secret@example.com", b"https:***@example.com"),
        (rb"http:\\user:secret@example.com\no", rb"http:\\***@example.com\no"),
        (b"\x00http://user:secret@example.com/", b"\x00http://***@example.com/"),
        (b"http://user:top secret@example.com/", b"http://***@example.com/"),
        (b"http:/path/a@b", b"http:/path/a@b"),
        (b"file:///home/a@b", b"file:///home/a@b"),
        (b"mailto:user@example.com", b"mailto:user@example.com"),
        (b"path:/a@b", b"path:/a@b"),
        (b"a@b", b"a@b"),
        (b"", b""),
    ],
)
def test_user_information_is_replaced(url: bytes, redacted: bytes) -> None:
    assert redact_credentials(url) == redacted
    assert redacted_url(url) == redacted_url(url.decode()) == redacted_url(redacted)


@pytest.mark.parametrize(
    "url",
    [
        "http://user:top secret@example.com/",
        "http://user:secret@example.com:99999/",
        "http://user:secret@exa_mple..com/",
        "//user:secret@example.com/",
        "http:/user:secret@example.com/",
        f"http://user:{'secret' * 100}@exa mple.com/",
        "http://user:secret@example.com:8/\udcff",
    ],
)
def test_messages_have_no_passwords(url: str) -> None:
    for form in (url, encode_text(url)):
        for call in (Origin.from_url, parse_robots_url, partial(canfetch.allows, b"", agent="ExampleBot")):
            message = ""
            try:
                call(form)
            except CanfetchError as error:
                message = str(error)
            assert "secret" not in message
    robots = canfetch.parse(b"", url="https://a.example/robots.txt")
    with pytest.raises(OriginMismatch, match=r"'http://\*\*\*@b\.example/' belongs to http://b\.example, but"):
        robots.allows("http://user:secret@b.example/", agent="ExampleBot")


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
