"""WARC files: how fast canfetch and fastwarc read an archive, and what they return of damaged ones.

    pip install fastwarc
    python -m benchmarks.warc_readers [--files 20000]

Figures are records in a second of processor time. The archive is that of `benchmarks.archives`. The damaged ones are
its first bytes, cut, with a flipped bit, and with 700 bytes missing.
"""

from __future__ import annotations

import argparse
import importlib
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from benchmarks.archives import write_archive
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


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=20_000)
    options = parser.parse_args()
    readers: dict[str, Callable[[Path], Read]] = {"canfetch": by_canfetch, "fastwarc": by_fastwarc}
    with TemporaryDirectory() as folder:
        path = Path(folder) / "robots.warc.gz"
        write_archive(path, options.files)
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
