"""Answers that are what they should be."""

import codecs

from tests.servers.web import Behaviour, Exchange

RULES = b"User-agent: *\nDisallow: /private\n"
LARGE_OCTETS = 600 * 1024
TEXT = "Content-Type: text/plain"
ETAG = '"one"'


def saying(body: bytes, *fields: str, status: int = 200) -> Behaviour:
    """Answer with that."""

    async def behaviour(exchange: Exchange) -> None:
        await exchange.answer(status, body, *fields)

    return behaviour


async def rules(exchange: Exchange) -> None:
    await exchange.answer(200, RULES, TEXT)


async def status(exchange: Exchange) -> None:
    """Answer `status-NUMBER`, whatever that is."""
    number = exchange.argument
    body = b"" if number in {"204", "304"} else RULES
    length = f"Content-Length: {len(body)}\r\n" if body else ""
    await exchange.send(f"HTTP/1.1 {number} Whatever\r\n{length}Connection: close\r\n\r\n".encode() + body)


async def bare(exchange: Exchange) -> None:
    """Answer with a status line that has no reason, line ends without CR, and no length."""
    await exchange.send(b"HTTP/1.1 200\nContent-Type: text/plain\n\n" + RULES)


async def revalidating(exchange: Exchange) -> None:
    """Answer 304 to whoever has it."""
    if exchange.asked.headers.get("if-none-match") == ETAG:
        await exchange.send(f"HTTP/1.1 304 Not Modified\r\nETag: {ETAG}\r\nConnection: close\r\n\r\n".encode())
    else:
        await exchange.answer(200, RULES, TEXT, f"ETag: {ETAG}", "Cache-Control: max-age=600")


async def interim(exchange: Exchange) -> None:
    """Answer twice in the meantime, then for good."""
    await exchange.send(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n")
    await exchange.answer(200, RULES)


async def chunked(exchange: Exchange) -> None:
    """Answer in chunks, with an extension and a trailer."""
    await exchange.send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n")
    half = len(RULES) // 2
    for part in (RULES[:half], RULES[half:]):
        await exchange.send(b"%x;name=value\r\n%b\r\n" % (len(part), part))
    await exchange.send(b"0\r\nX-Trailer: yes\r\n\r\n")


async def closing(exchange: Exchange) -> None:
    """Answer without a length: the end of the connection is the end of the body."""
    await exchange.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n" + RULES)


def large() -> bytes:
    """Give a file of 600 KiB whose second rule is past the 500 KiB that count."""
    head = RULES + b"# "
    body = head + b"x" * (599_000 - len(head) - 1) + b"\nDisallow: /x\n# "
    return body + b"x" * (LARGE_OCTETS - len(body))


BEHAVIOURS: dict[str, Behaviour] = {
    "rules": rules,
    "status": status,
    "bare": bare,
    "revalidating": revalidating,
    "interim": interim,
    "chunked": chunked,
    "closing": closing,
    "empty": saying(b"", TEXT),
    "disallow-all": saying(b"User-agent: *\nDisallow: /\n", TEXT),
    "large": saying(large(), TEXT),
    "html": saying(b"<!doctype html>\n<p>Not here.</p>\n", "Content-Type: text/html"),
    "html-rules": saying(b"<!doctype html>\nUser-agent: *\nDisallow: /private\n", "Content-Type: text/html"),
    "refresh": saying(b'<meta http-equiv="refresh" content="0; url=/rules">\n', "Content-Type: text/html"),
    "bom": saying(codecs.BOM_UTF8 + RULES, TEXT),
    "utf-16": saying(RULES.decode().encode("utf-16"), TEXT),
    "latin-1": saying("User-agent: *\nDisallow: /größe\n".encode("latin-1"), TEXT),
    "no-store": saying(RULES, TEXT, "Cache-Control: no-store"),
    "busy": saying(b"later", "Retry-After: 120", status=503),
    "too-many": saying(b"later", "Retry-After: 120", status=429),
}
