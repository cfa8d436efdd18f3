"""The headers of a page, pasted as curl prints them."""

import pytest

pytest.importorskip("fastapi")

from canfetch import parse
from canfetch.answers.crawlers import requested_agents
from canfetch.answers.pages import parse_header_lines
from canfetch.answers.use import use_table
from canfetch.core.extensions.preference import UsagePurpose
from canfetch.errors import InvalidOption

NOINDEX = [("X-Robots-Tag", "noindex")]
VERBOSE = """\
* Connected to www.example.com (192.0.2.1) port 443
> GET / HTTP/2
> accept: */*
>
< HTTP/2 301
< location: https://www.example.com/page
<
* Connection #0 left intact
< HTTP/2 200
< X-Robots-Tag: noindex
<
{ [5 bytes data]
<html><head><title>A: page</title>
"""


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("X-Robots-Tag: noindex", id="header"),
        pytest.param("\nHTTP/1.1 200 OK\r\nX-Robots-Tag: noindex\r\n\r\n", id="head"),
        pytest.param("HTTP/1.1 200 OK\nX-Robots-Tag: noindex\n\n<!doctype html>\n<p>a: b\n", id="head-and-body"),
        pytest.param("HTTP/1.1 301 M\nLocation: /b\n\nHTTP/1.1 200 OK\nX-Robots-Tag: noindex\n", id="redirect"),
        pytest.param("< X-Robots-Tag: noindex\n< \n", id="verbose-header"),
        pytest.param(VERBOSE, id="verbose"),
    ],
)
def test_headers_of_the_last_response_are_read(text: str) -> None:
    assert parse_header_lines(text) == NOINDEX


@pytest.mark.parametrize("text", ["X-Robots-Tag noindex", "<meta name=robots>", ": noindex", '["X-Robots-Tag: a"]'])
def test_an_invalid_line_is_reported_with_its_number(text: str) -> None:
    with pytest.raises(InvalidOption, match=r"invalid header .* on line 2: expected 'NAME: VALUE'"):
        parse_header_lines(f"Date: today\n{text}")


@pytest.mark.parametrize("line", ["HTTP/1.1 4O4 Not Found", "HTTP/1.1 99", "HTTP/2 1000"])
def test_an_invalid_status_is_an_error(line: str) -> None:
    with pytest.raises(InvalidOption, match=f"invalid status line '{line}': expected a code from 100 to 599"):
        parse_header_lines(f"{line}\nX-Robots-Tag: noindex\n")


def test_an_error_or_a_redirect_is_no_page() -> None:
    for head in ("HTTP/2 404\nX-Robots-Tag: noindex\n", "HTTP/1.1 301 Moved\nLocation: /b\n"):
        with pytest.raises(InvalidOption, match=r"the response has status (404|301): expected a page"):
            parse_header_lines(head)


@pytest.mark.parametrize("status", ["402 Payment Required", "404"])
def test_the_status_of_a_pasted_head_counts(status: str) -> None:
    headers = "HTTP/2 200\nContent-Usage: train-ai=n\n"
    assert training_use(headers) is False
    assert training_use(headers.replace("200", status)) is None
    # The last response counts.
    assert training_use(f"HTTP/1.1 {status}\nServer: a\n\n{headers}") is False


def training_use(headers: str) -> bool | None:
    agents = requested_agents(["GPTBot"])
    table = use_table(parse(b""), "https://example.com/a", agents, headers=headers, tdm_file=None, now=0.0)
    (crawler,) = table.rows()
    return crawler.uses[UsagePurpose.TRAINING].allowed
