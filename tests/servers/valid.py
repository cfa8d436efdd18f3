"""Valid responses."""

import codecs

from tests.servers.web import Behaviour, Exchange

RULES = b"User-agent: *\nDisallow: /private\n"
LARGE_BYTES = 600 * 1024
TEXT = "Content-Type: text/plain"
ETAG = '"one"'


def respond(body: bytes, *fields: str, status: int = 200) -> Behaviour:
    """Respond with `body`, header lines and `status`."""

    async def behaviour(exchange: Exchange) -> None:
        await exchange.respond(status, body, *fields)

    return behaviour


async def rules(exchange: Exchange) -> None:
    await exchange.respond(200, RULES, TEXT)


async def status(exchange: Exchange) -> None:
    """Respond with the status of `status-NUMBER`."""
    number = exchange.argument
    body = b"" if number in {"204", "304"} else RULES
    length = f"Content-Length: {len(body)}\r\n" if body else ""
    await exchange.send(f"HTTP/1.1 {number} Reason\r\n{length}Connection: close\r\n\r\n".encode() + body)


async def bare(exchange: Exchange) -> None:
    """Respond without a reason phrase, without CR at line ends, and without a length."""
    await exchange.send(b"HTTP/1.1 200\nContent-Type: text/plain\n\n" + RULES)


async def revalidating(exchange: Exchange) -> None:
    """Respond with 304 if the request has the current ETag."""
    if exchange.request.headers.get("if-none-match") == ETAG:
        await exchange.send(f"HTTP/1.1 304 Not Modified\r\nETag: {ETAG}\r\nConnection: close\r\n\r\n".encode())
    else:
        await exchange.respond(200, RULES, TEXT, f"ETag: {ETAG}", "Cache-Control: max-age=600")


async def interim(exchange: Exchange) -> None:
    """Send two interim responses, then the final one."""
    await exchange.send(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n")
    await exchange.respond(200, RULES)


async def chunked(exchange: Exchange) -> None:
    """Respond in chunks, with an extension and a trailer."""
    await exchange.send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n")
    half = len(RULES) // 2
    for part in (RULES[:half], RULES[half:]):
        await exchange.send(b"%x;name=value\r\n%b\r\n" % (len(part), part))
    await exchange.send(b"0\r\nX-Trailer: yes\r\n\r\n")


async def bare_http_1_0(exchange: Exchange) -> None:
    """Respond in HTTP/1.0 without any header."""
    await exchange.send(b"HTTP/1.0 200 OK\r\n\r\n" + RULES)


async def odd_header(exchange: Exchange) -> None:
    """Respond with a header of control characters and bytes beyond ASCII."""
    await exchange.send(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\nX: a\x01\xff\r\n\r\n%b" % (len(RULES), RULES))


async def form_feed(exchange: Exchange) -> None:
    """Respond with a header that contains a form feed."""
    await exchange.send(f"HTTP/1.1 200 OK\r\nContent-Length: {len(RULES)}\r\nX: a\fb\r\n\r\n".encode() + RULES)


async def chunked_with_bad_length(exchange: Exchange) -> None:
    """Respond in chunks, and with an invalid Content-Length that does not apply."""
    await exchange.send(b"HTTP/1.1 200 OK\r\nContent-Length: many\r\nTransfer-Encoding: chunked\r\n\r\n")
    await exchange.send(b"%x\r\n%b\r\n0\r\n\r\n" % (len(RULES), RULES))


async def missing_with_bad_length(exchange: Exchange) -> None:
    """Respond with 404 and an invalid Content-Length."""
    await exchange.send(b"HTTP/1.1 404 Not Found\r\nContent-Length: many\r\n\r\nnot found")


async def equal_length_fields(exchange: Exchange) -> None:
    """Respond with two Content-Length fields with the same value."""
    field = f"Content-Length: {len(RULES)}\r\n"
    await exchange.send(f"HTTP/1.1 200 OK\r\n{field}{field}\r\n".encode() + RULES)


async def chunked_with_length(exchange: Exchange) -> None:
    """Respond in chunks, and with a Content-Length that does not apply."""
    await exchange.send(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n")
    await exchange.send(b"%x\r\n%b\r\n0\r\n\r\n" % (len(RULES), RULES))


async def length_list(exchange: Exchange) -> None:
    """Respond with a Content-Length that is listed twice in one field."""
    await exchange.send(f"HTTP/1.1 200 OK\r\nContent-Length: {len(RULES)}, {len(RULES)}\r\n\r\n".encode() + RULES)


async def closing(exchange: Exchange) -> None:
    """Respond without a length. The body ends with the connection."""
    await exchange.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n" + RULES)


async def closing_large(exchange: Exchange) -> None:
    """Respond with a large file without a length. The body ends with the connection."""
    await exchange.send(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + large())


def large() -> bytes:
    """Return a file of 600 KiB whose second rule is after the first 500 KiB."""
    head = RULES + b"# "
    body = head + b"x" * (599_000 - len(head) - 1) + b"\nDisallow: /x\n# "
    return body + b"x" * (LARGE_BYTES - len(body))


BEHAVIOURS: dict[str, Behaviour] = {
    "rules": rules,
    "status": status,
    "bare": bare,
    "revalidating": revalidating,
    "interim": interim,
    "chunked": chunked,
    "chunked-with-length": chunked_with_length,
    "chunked-with-bad-length": chunked_with_bad_length,
    "missing-with-bad-length": missing_with_bad_length,
    "bare-http-1.0": bare_http_1_0,
    "odd-header": odd_header,
    "form-feed": form_feed,
    "equal-length-fields": equal_length_fields,
    "closing": closing,
    "closing-large": closing_large,
    "equal-lengths": respond(RULES, f"Content-Length: {len(RULES)}"),
    "length-list": length_list,
    "many-fields": respond(RULES, *(f"X-Field-{number}: value" for number in range(300))),
    "very-many-fields": respond(RULES, *(f"X-Field-{number}: value" for number in range(600))),
    "empty": respond(b"", TEXT),
    "disallow-all": respond(b"User-agent: *\nDisallow: /\n", TEXT),
    "large": respond(large(), TEXT),
    "html": respond(b"<!doctype html>\n<p>Not here.</p>\n", "Content-Type: text/html"),
    "html-rules": respond(b"<!doctype html>\nUser-agent: *\nDisallow: /private\n", "Content-Type: text/html"),
    "refresh": respond(b'<meta http-equiv="refresh" content="0; url=/rules">\n', "Content-Type: text/html"),
    "bom": respond(codecs.BOM_UTF8 + RULES, TEXT),
    "utf-16": respond(RULES.decode().encode("utf-16"), TEXT),
    "latin-1": respond("User-agent: *\nDisallow: /größe\n".encode("latin-1"), TEXT),
    "no-store": respond(RULES, TEXT, "Cache-Control: no-store"),
    "varying": respond(RULES, TEXT, "Vary: User-Agent"),
    "busy": respond(b"later", "Retry-After: 120", status=503),
    "too-many": respond(b"later", "Retry-After: 120", status=429),
}
