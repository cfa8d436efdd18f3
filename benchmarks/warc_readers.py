"""Web archives: how fast canfetch and other readers read them, and what they return of damaged ones.

    pip install fastwarc warcio
    python -m benchmarks.warc_readers [--files 20000]          # WARC, with fastwarc
    python -m benchmarks.warc_readers [--files 20000] --arc    # ARC, with warcio

Figures are records in a second of processor time. The archive is that of `benchmarks.archives`. The damaged ones are
its first bytes, cut, with a flipped bit, and with 700 bytes missing.
"""

from __future__ import annotations

import argparse
import gzip
import importlib
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from benchmarks.archives import write_archive
from benchmarks.generated_files import generate_file
from canfetch.bulk.reading import Fault, read_captures

DAMAGED_BYTES = 400_000


class Read(NamedTuple):
    """The records that were returned, those that were reported as damaged, and the error that ended reading."""

    records: int
    faults: int = 0
    error: str = ""


def by_canfetch(path: Path) -> Read:
    """Read with canfetch."""
    is_fault = [isinstance(item, Fault) for item in read_captures(str(path))]
    return Read(is_fault.count(False), is_fault.count(True))


def by_fastwarc(path: Path) -> Read:
    """Read with fastwarc, as its documentation shows."""
    warc = importlib.import_module("fastwarc.warc")
    count = 0
    with path.open("rb") as stream:
        try:
            for record in warc.ArchiveIterator(stream, record_types=warc.WarcRecordType.response, parse_http=True):
                record.headers["WARC-Target-URI"], record.http_headers.status_code, record.reader.read()
                count += 1
        except OSError as error:
            return Read(count, error=type(error).__name__)
    return Read(count)


def by_warcio(path: Path) -> Read:
    """Read with warcio, as its documentation shows."""
    warcio = importlib.import_module("warcio.archiveiterator")
    count = 0
    with path.open("rb") as stream:
        try:
            for record in warcio.ArchiveIterator(stream, arc2warc=True):
                if record.rec_type == "response":
                    record.rec_headers.get_header("WARC-Target-URI"), record.http_headers.get_statuscode()
                    record.content_stream().read()
                    count += 1
        except Exception as error:  # noqa: BLE001 - of any kind
            return Read(count, error=type(error).__name__)
    return Read(count)


def write_arc(path: Path, count: int) -> None:
    """Write an ARC file with the same files as the WARC file, each in a gzip member."""
    description = b"1 0 Alexa Internet\nURL IP-address Archive-date Content-type Archive-length\n"
    with path.open("wb") as stream:
        stream.write(_member("filedesc://robots.arc", description))
        for number in range(count):
            file = generate_file(number, 0, "web")
            head = f"HTTP/1.1 {file.status} Status\r\nContent-Length: {len(file.content)}\r\n"
            head += "" if file.location is None else f"Location: {file.location}\r\n"
            stream.write(_member(f"https://host{number}.example/robots.txt", f"{head}\r\n".encode() + file.content))


def _member(url: str, block: bytes) -> bytes:
    return gzip.compress(f"{url} 192.0.2.1 20120101000000 text/plain {len(block)}\n".encode() + block + b"\n", 1)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=20_000)
    parser.add_argument("--arc", action="store_true")
    options = parser.parse_args()
    readers: dict[str, Callable[[Path], Read]] = {"canfetch": by_canfetch}
    with TemporaryDirectory() as folder:
        if options.arc:
            path = Path(folder) / "robots.arc.gz"
            write_arc(path, options.files)
            readers["warcio"] = by_warcio
        else:
            path = Path(folder) / "robots.warc.gz"
            write_archive(path, options.files)
            readers["fastwarc"] = by_fastwarc
        for name, read in readers.items():
            start = time.process_time()
            found = read(path)
            print(f"{name}: {found.records / (time.process_time() - start):,.0f} records a second, {found}")
        content = path.read_bytes()[:DAMAGED_BYTES]
        flipped = bytearray(content)
        flipped[len(content) // 2] ^= 0xFF
        middle = len(content) * 3 // 8
        damaged = {"cut": content, "flipped": bytes(flipped), "hole": content[:middle] + content[middle + 700 :]}
        for kind, bytes_ in damaged.items():
            path.write_bytes(bytes_)
            print(f"{kind}:", ", ".join(f"{name} {read(path)}" for name, read in readers.items()))


if __name__ == "__main__":
    main()
