"""WARC files of a crawl: each response with its request and, for pages, the verdict that allowed it. Needs warcio.

Each process writes a file of its own in its folder, named `*.warc.gz.open` until it is complete. Every record is a gzip
member, so a file of a killed process is complete up to the last record. The next process moves half a record at its end
to a file `*.warc.gz.damaged`.
"""

import json
import os
import shutil
import sqlite3
import string
import sys
import time
import zlib
from collections.abc import Iterable
from http import HTTPStatus
from io import BytesIO
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import quote_from_bytes

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

import canfetch
from canfetch.access.responses import Failure, Response
from canfetch.client.transports import AsyncTransport, TransportRequest

OPEN = ".open"
# They describe the bytes on the wire. The archive has the decoded body.
WIRE_HEADERS = {"content-encoding", "content-length", "transfer-encoding"}
Headers = Iterable[tuple[str, str]]


class WarcArchive:
    """A WARC file that is written in the block of a `with` statement.

    Args: folder: Where the file is. Only one process can write there. Files that a killed process left are completed.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def write(
        self,
        url: str,
        sent: Headers,
        *,
        status: int,
        headers: Headers,
        body: bytes,
        is_truncated: bool = False,
        verdict: canfetch.Verdict | None = None,
    ) -> None:
        """Write a response and its request. They are in the file when this method returns, also if the process dies.

        Args:
            url: The URL that was requested.
            sent: The headers of the request.
            status: The status code.
            headers: The headers of the response.
            body: The body without its codings.
            is_truncated: Whether the body was longer.
            verdict: Why the URL was allowed, for a metadata record.
        """
        buffer = BytesIO()
        writer = WARCWriter(buffer, gzip=True)
        path = url.split("/", 3)[3] if url.count("/") > 2 else ""
        request = writer.create_warc_record(
            url, "request", http_headers=StatusAndHeaders(f"GET /{path} HTTP/1.1", list(sent), is_http_request=True)
        )
        kept = [
            (f"X-Archive-Orig-{name}" if name.lower() in WIRE_HEADERS else name, readable(value))
            for name, value in headers
        ]
        response = writer.create_warc_record(
            url,
            "response",
            payload=BytesIO(body),
            length=len(body),
            http_headers=StatusAndHeaders(
                f"{status} {reason(status)}", [*kept, ("Content-Length", str(len(body)))], protocol="HTTP/1.1"
            ),
            warc_headers_dict={"WARC-Truncated": "length"} if is_truncated else {},
        )
        writer.write_request_response_pair(request, response)
        if verdict is not None:
            evidence = json.dumps(verdict.to_json()).encode()
            of = {"WARC-Concurrent-To": response.rec_headers.get_header("WARC-Record-ID")}
            writer.write_record(
                writer.create_warc_record(
                    url,
                    "metadata",
                    BytesIO(evidence),
                    len(evidence),
                    warc_content_type="application/json",
                    warc_headers_dict=of,
                )
            )
        self._cut_failed_write()
        rest = buffer.getbuffer()
        while rest:
            rest = rest[self._file.write(rest) :]
        self._size = self._file.tell()

    def _cut_failed_write(self) -> None:
        """Cut off what a failed write has left, such as half a record on a full disk."""
        self._file.seek(self._size)
        self._file.truncate()

    def __enter__(self) -> Self:
        self._folder.mkdir(parents=True, exist_ok=True)
        self._lock = lock_file(Path(f"{self._folder.resolve()}.lock"))
        for left in sorted(self._folder.glob(f"*.warc.gz{OPEN}")):
            move_damaged_end(left)
            finish(left)
        name = f"{time.strftime('%Y%m%d%H%M%S', time.gmtime())}-{time.time_ns() % 10**9:09}-{os.getpid()}.warc.gz"
        # A buffer would keep the rest of a failed write, and write it later.
        self._file = (self._folder / f"{name}{OPEN}").open("xb", buffering=0)
        self._size = 0
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._cut_failed_write()
        self._file.close()
        finish(Path(self._file.name))
        self._lock.close()


class ArchivingTransport:
    """Writes the robots.txt files that a client fetches."""

    def __init__(self, transport: AsyncTransport, archive: WarcArchive) -> None:
        self._transport = transport
        self._archive = archive

    async def send(self, request: TransportRequest) -> Response | Failure:
        """Send a request, and write the response."""
        result = await self._transport.send(request)
        if isinstance(result, Response):
            self._archive.write(
                request.url,
                request.headers,
                status=result.status,
                headers=result.headers,
                body=result.body,
                is_truncated=len(result.body) > request.max_bytes,
            )
        return result

    async def close(self) -> None:
        """Close the transport."""
        await self._transport.close()


def readable(value: str) -> str:
    """Return the value of a header in ASCII, as the library requires. Other bytes are percent-encoded."""
    return quote_from_bytes(value.encode("utf-8", "surrogateescape"), safe=string.printable)


def reason(status: int) -> str:
    """Return the phrase of a status code."""
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Unknown"


def lock_file(path: Path) -> sqlite3.Connection:
    """Lock a file, and create it if needed. The lock ends with the connection or the process, on all systems.

    Raises: RuntimeError.
    """
    connection = sqlite3.connect(path, timeout=0, isolation_level=None)
    try:
        connection.execute("BEGIN EXCLUSIVE")
    except sqlite3.Error as error:
        connection.close()
        raise RuntimeError(f"cannot lock {path}: {error}: another process may write WARC files there") from None
    return connection


def finish(path: Path) -> None:
    """Give a file its final name."""
    if path.stat().st_size:
        path.rename(path.with_suffix(""))
    else:
        # Readers take an empty file for a failed download.
        path.unlink()


def move_damaged_end(path: Path) -> None:
    """Move everything after the complete records at the start of a file to another file.

    Nothing is deleted, because earlier versions of this example could write complete records after half a record.
    """
    complete = complete_bytes(path)
    if complete < path.stat().st_size:
        damaged = path.with_suffix(".damaged")
        with path.open("rb") as file, damaged.open("wb") as end:
            file.seek(complete)
            shutil.copyfileobj(file, end)
        os.truncate(path, complete)
        print(f"{path}: damaged after {complete} bytes, the rest is in {damaged.name}", file=sys.stderr)


def complete_bytes(path: Path) -> int:
    """Return the size of the complete gzip members at the start of a file."""
    complete = read = 0
    member = zlib.decompressobj(wbits=31)
    with path.open("rb") as file:
        while block := file.read(1 << 16):
            read += len(block)
            while block:
                try:
                    member.decompress(block)
                except zlib.error:
                    # Such as the zeros that a file system leaves after a power failure.
                    return complete
                if not member.eof:
                    break
                block = member.unused_data
                complete = read - len(block)
                member = zlib.decompressobj(wbits=31)
    return complete
