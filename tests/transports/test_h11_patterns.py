"""The pattern for header fields that replaces h11's."""

import re

import pytest
from h11 import _abnf, _readers
from hypothesis import given
from hypothesis import strategies as st
from tests.transports.harness import make_request

from canfetch.access.responses import FailureKind
from canfetch.client.transports.endpoints import parse_endpoint
from canfetch.client.transports.failures import TransportError
from canfetch.client.transports.h11_patterns import use_linear_patterns
from canfetch.client.transports.http_exchange import HTTPExchange

URL = "http://example.com/"
ORIGINAL = re.compile(_abnf.header_field.encode("ascii"))
# The original pattern would take half a minute.
WHITE_SPACE = 100_000


@given(st.text("aZ1: \t\0\v\r\n\xe9,", max_size=12))
def test_law_the_same_fields_match(text: str) -> None:
    field = text.encode("latin-1")
    expected, found = ORIGINAL.fullmatch(field), _readers.header_field_re.fullmatch(field)
    assert (expected and expected.groupdict()) == (found and found.groupdict())


@pytest.mark.parametrize("end", [b"\0", b"\v", b"a\0"])
def test_white_space_is_matched_in_linear_time(end: bytes) -> None:
    assert _readers.header_field_re.fullmatch(b"X:" + b" " * WHITE_SPACE + end) is None


@pytest.mark.parametrize("value", [":.*", r":[ \t]*+.*", r":[ \t]*.*:[ \t]*"], ids=["without", "possessive", "twice"])
def test_another_pattern_of_h11_is_left_as_it_is(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    used = _readers.header_field_re
    monkeypatch.setattr(_abnf, "header_field", f"(?P<field_name>[^:]+){value}")
    use_linear_patterns()
    assert _readers.header_field_re is used


@pytest.mark.parametrize(
    "data",
    [
        b"HTTP/1.1 200 OK\r\nX: " + b" " * 60_000 + b"\0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX:\r\n" + b" \r\n" * 20_000 + b" \0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: " + b" " * 60_000 + b"\0\r\n\r\n",
    ],
    ids=["head", "folded", "trailers"],
)
def test_responses_with_much_white_space_are_failures(data: bytes) -> None:
    exchange = HTTPExchange(make_request(URL), parse_endpoint(URL))
    with pytest.raises(TransportError) as raised:
        exchange.receive(data)
    assert raised.value.kind is FailureKind.PROTOCOL
