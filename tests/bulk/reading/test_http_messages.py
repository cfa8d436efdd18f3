"""Bodies of stored responses: what a client reads, it reads, and the same way."""

import gzip
import io
import subprocess
import sys
import zlib

import pytest
from tests.bulk.warc_files import chunked, record
from tests.servers.web import Exchange, Site

from canfetch.bulk.reading.captures import MAX_CONTENT_BYTES, Capture, Fault
from canfetch.bulk.reading.http_messages import BrokenMessage, parse_response
from canfetch.bulk.reading.warc import read_warc
from canfetch.client.sync_client import Client

RULES = b"User-agent: *\nDisallow: /forbidden\n"
LONG = b"User-agent: *\nAllow: /\n#\nUser-agent: *\nDisallow: /forbidden\n"
GZIP = gzip.compress(RULES, mtime=0)
TWICE = gzip.compress(GZIP, mtime=0)


def message(body: bytes, *fields: str, status: int = 200) -> bytes:
    return "\r\n".join([f"HTTP/1.1 {status} Status", *fields, "", ""]).encode("latin-1") + body


def with_length(body: bytes, *fields: str, length: int | None = None, status: int = 200) -> bytes:
    size = len(body) if length is None else length
    return message(body, f"Content-Length: {size}", *fields, status=status)


READ = {
    "plain": with_length(RULES),
    "gzip": with_length(GZIP, "Content-Encoding: gzip"),
    "gzip-in-chunks": message(chunked(GZIP), "Content-Encoding: gzip", "Transfer-Encoding: chunked"),
    "deflate": with_length(zlib.compress(RULES), "Content-Encoding: deflate"),
    "identity": with_length(RULES, "Content-Encoding: identity"),
    "no-coding": with_length(RULES, "Content-Encoding:"),
    "gzip-twice": with_length(TWICE, "Content-Encoding: gzip, gzip"),
    "gzip-twice-in-two-fields": with_length(TWICE, "Content-Encoding: gzip", "Content-Encoding: gzip"),
    "name-of-no-coding": with_length(RULES, "Content-Encoding: utf-8"),
    "gzip-and-more": with_length(GZIP + b"more", "Content-Encoding: gzip"),
    "long": with_length(LONG, length=24),
    "long-gzip": with_length(GZIP + b"more", "Content-Encoding: gzip", length=len(GZIP)),
    "two-lengths": message(RULES, f"Content-Length: {len(RULES)}, {len(RULES)}"),
    "length-of-chunks": message(chunked(RULES), "Content-Length: 3", "Transfer-Encoding: chunked"),
    "without-length": message(RULES, "Connection: close"),
    "empty": with_length(b""),
    "empty-gzip": with_length(b"", "Content-Encoding: gzip"),
    "not-found": with_length(b"\x8b\xff\x00", "Content-Encoding: br, gzip", status=404),
    "unavailable": message(b"", "Content-Length: x", status=503),
    "continue": message(b"", status=100) + with_length(RULES),
    "processing": message(b"", status=102) * 99 + with_length(GZIP, "Content-Encoding: gzip"),
    "early-hints": message(b"", "Link: </a.css>", "Content-Length: 9", status=103) + with_length(RULES),
    "hints-of-an-error": message(b"", status=103) + with_length(b"", status=404),
    "switching-protocols": message(b"", status=101) + with_length(RULES),
    "continue-only": message(b"", status=100),
}
BROKEN = {
    "gzip-thrice": with_length(TWICE, "Content-Encoding: gzip, gzip, gzip"),
    "unknown-coding": with_length(b"\x00\x01" + RULES, "Content-Encoding: foo"),
    "cut-gzip": with_length(GZIP[:-9], "Content-Encoding: gzip"),
    "stored-gzip": with_length(gzip.compress(RULES, 0, mtime=0)[:-9], "Content-Encoding: gzip"),
    "transfer-coding": message(chunked(GZIP), "Transfer-Encoding: gzip, chunked"),
    "two-transfer-codings": message(chunked(GZIP), "Transfer-Encoding: gzip", "Transfer-Encoding: chunked"),
    "unknown-transfer-coding": message(RULES, "Transfer-Encoding: foo"),
    "invalid-length": message(RULES, "Content-Length: x"),
    "other-lengths": message(RULES, "Content-Length: 10", "Content-Length: 24"),
    "short": with_length(RULES, length=99),
    "short-and-empty": with_length(b"", "Content-Encoding: gzip", length=40),
    "cut-interim": message(b"", status=103) + with_length(RULES)[:30],
    "endless-interim": message(b"", status=103) * 4_000 + with_length(RULES),
    "cut-chunks": message(chunked(RULES)[:-9], "Transfer-Encoding: chunked"),
}


def read_by_client(site: Site, response: bytes) -> list[bool]:
    """Return whether a client that receives the response may fetch two paths."""

    async def respond(exchange: Exchange) -> None:
        await exchange.send(response)

    site.serve("/robots.txt", respond)
    with Client(user_agent="ExampleBot/1.0") as client:
        return [client.allows(site.url(path)) for path in ("open", "forbidden")]


def read_by_bulk(response: bytes) -> Capture | Fault:
    (item,) = read_warc(
        io.BytesIO(record("https://a.example/robots.txt", response)), "x", wants=lambda _: True, advance=lambda _: None
    )
    return item


@pytest.mark.parametrize("name", READ)
def test_a_body_is_what_a_client_receives(site: Site, name: str) -> None:
    item = read_by_bulk(READ[name])
    assert isinstance(item, Capture)
    status = item.status
    assert status is not None
    plain = with_length(item.content, status=status)
    assert read_by_client(site, READ[name]) == read_by_client(site, plain)


@pytest.mark.parametrize("name", ["continue", "processing", "early-hints"])
def test_interim_responses_are_skipped(name: str) -> None:
    assert parse_response(READ[name])[::2] == (200, RULES)


@pytest.mark.parametrize("name", BROKEN)
def test_what_a_client_cannot_read_is_set_aside(site: Site, name: str) -> None:
    """A file without rules would allow everything, and the client disallows everything."""
    assert isinstance(read_by_bulk(BROKEN[name]), Fault)
    assert read_by_client(site, BROKEN[name]) == [False, False]


@pytest.mark.parametrize(
    "field",
    [*(f"Content-Encoding: {coding}" for coding in ("gzip", "deflate", "br", "zstd")), "Transfer-Encoding: chunked"],
)
def test_codings_that_the_archive_removed(field: str) -> None:
    bodies = [RULES, f"# caf\xe9\n{RULES.decode()}".encode("latin-1"), "# 日本語の説明です\n".encode() * 9 + RULES]
    for body in bodies:
        # The announced length is that of the coded body.
        for length in (len(body) - 20, len(body) + 20):
            assert parse_response(with_length(body, field, length=length)).body == body


@pytest.mark.parametrize("coding", ["gzip", "deflate"])
def test_the_decoded_body_is_bounded(coding: str) -> None:
    content = bytes(8 << 20)
    coded = gzip.compress(content, mtime=0) if coding == "gzip" else zlib.compress(content)
    assert len(parse_response(with_length(coded, f"Content-Encoding: {coding}")).body) == MAX_CONTENT_BYTES


@pytest.mark.slow
def test_a_missing_decoder_is_named_with_its_extra() -> None:
    program = """
import sys
for name in ("brotli", "brotlicffi", "compression", "compression.zstd", "backports.zstd", "zstandard"):
    sys.modules[name] = None
from canfetch.bulk.reading.http_messages import BrokenMessage, parse_response
for coding in ("br", "ZSTD"):
    head = f"HTTP/1.1 200 OK\\r\\nContent-Encoding: {coding}\\r\\n\\r\\n".encode()
    assert parse_response(head + b"User-agent: *\\nDisallow: /\\n").body
    try:
        parse_response(head + b"\\x0b\\x0d\\x80User-agent: *\\nDisallow: /\\n\\x03")
    except BrokenMessage as error:
        print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=300)
    assert done.stdout.splitlines() == [
        f"decoding {coding} requires a package: pip install 'canfetch[http]'" for coding in ("br", "zstd")
    ]


def test_brotli_without_compression_is_not_text() -> None:
    """Its content is readable in the coded data, so that its first line would be lost."""
    brotli = pytest.importorskip("brotli")
    coded = brotli.compress(RULES, quality=0)
    assert parse_response(with_length(coded, "Content-Encoding: br")).body == RULES
    with pytest.raises(BrokenMessage, match="the body cannot be decoded"):
        parse_response(with_length(coded[:-1], "Content-Encoding: br"))
