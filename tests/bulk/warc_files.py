"""WARC files for tests, built record by record."""

import gzip
import zlib
from collections.abc import Iterable

RULES = b"User-agent: *\nDisallow: /private/\n"


def http_response(body: bytes, *, status: int = 200, headers: Iterable[tuple[str, str]] = ()) -> bytes:
    fields = [("Content-Type", "text/plain"), ("Content-Length", str(len(body))), *headers]
    head = "".join(f"{name}: {value}\r\n" for name, value in fields)
    return f"HTTP/1.1 {status} Status\r\n{head}\r\n".encode("latin-1") + body


def record(
    url: str,
    block: bytes,
    *,
    kind: str = "response",
    time: str = "2026-05-01T12:00:00Z",
    headers: Iterable[tuple[str, str]] = (),
    length: int | None = None,
) -> bytes:
    fields = [
        ("WARC-Type", kind),
        ("WARC-Record-ID", "<urn:uuid:00000000-0000-0000-0000-000000000000>"),
        ("WARC-Target-URI", url),
        ("WARC-Date", time),
        ("Content-Length", str(len(block) if length is None else length)),
        *headers,
    ]
    head = "".join(f"{name}: {value}\r\n" for name, value in fields)
    return f"WARC/1.0\r\n{head}\r\n".encode() + block + b"\r\n\r\n"


def response(host: str, body: bytes = RULES, *, status: int = 200, headers: Iterable[tuple[str, str]] = ()) -> bytes:
    return record(f"https://{host}/robots.txt", http_response(body, status=status, headers=headers))


def redirect(host: str, location: str, *, status: int = 301) -> bytes:
    return response(host, b"", status=status, headers=[("Location", location)])


def compressed(records: Iterable[bytes]) -> bytes:
    """One gzip member for each record, as web archives have it."""
    return b"".join(gzip.compress(item, mtime=0) for item in records)


def chunked(body: bytes, size: int = 10) -> bytes:
    parts = [body[start : start + size] for start in range(0, len(body), size)]
    return b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"


def deflated(body: bytes) -> bytes:
    return zlib.compress(body)
