"""ARC files for tests, built record by record."""

from tests.bulk.warc_files import RULES, http_response

HOST = "192.0.2.1"
DATE = "20080430204825"
ORIGIN = b"1 0 Alexa Internet\nURL IP-address Archive-date Content-type Archive-length\n"
ORIGIN_2 = (
    b"2 0 Alexa Internet\n"
    b"URL IP-address Archive-date Content-type Result-code Checksum Location Offset Filename Archive-length\n"
)


def arc_record(
    url: str, block: bytes, *, date: str = DATE, kind: str = "text/plain", length: int | None = None, more: str = ""
) -> bytes:
    """Return a record of version 1, or of version 2 with the fields between the content type and the length."""
    size = len(block) if length is None else length
    return f"{url} {HOST} {date} {kind} {more}{size}\n".encode() + block + b"\n"


def description(name: str = "crawl.arc", origin: bytes = ORIGIN) -> bytes:
    """Return the first record of a file."""
    more = "200 - - 0 crawl.arc " if origin is ORIGIN_2 else ""
    return arc_record(f"filedesc://{name}", origin, more=more)


def arc_response(host: str, body: bytes = RULES, *, status: int = 200, date: str = DATE) -> bytes:
    return arc_record(f"http://{host}/robots.txt", http_response(body, status=status), date=date)
