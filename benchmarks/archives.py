"""Archives of generated robots.txt files of any size, with the marginals that studies of real ones publish.

    python -m benchmarks.archives 1000000 robots.warc.gz
    python -m benchmarks.archives 1000000 robots.warc.gz --population common-crawl

The files are those of `benchmarks.generated_files`, and the marginals those of `benchmarks.populations`.
"""

import argparse
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from benchmarks.generated_files import GeneratedFile, generate_file
from benchmarks.populations import POPULATIONS
from canfetch.core.times import rfc3339

_FIRST_CAPTURE: Final = 1_735_689_600  # 2025-01-01


def generate_warc(count: int, seed: int, population: str) -> Iterator[bytes]:
    """Yield the records of an archive, each a gzip member."""
    for number in range(count):
        compressor = zlib.compressobj(1, zlib.DEFLATED, 31)
        yield compressor.compress(_record(generate_file(number, seed, population), number)) + compressor.flush()


def _record(file: GeneratedFile, number: int) -> bytes:
    head = (
        f"HTTP/1.1 {file.status} Status\r\nContent-Type: {file.media_type}\r\nContent-Length: {len(file.content)}\r\n"
    )
    if file.location is not None:
        head += f"Location: {file.location}\r\n"
    block = f"{head}\r\n".encode() + file.content
    # Captures every 20 seconds, so that a million takes most of a year.
    time = rfc3339(_FIRST_CAPTURE + 20 * number)
    fields = (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: https://{file.host}/robots.txt\r\nWARC-Date: {time}\r\n"
        f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(block)}\r\n\r\n"
    )
    return fields.encode() + block + b"\r\n\r\n"


def write_archive(path: Path, count: int, seed: int = 0, population: str = "web") -> None:
    """Write an archive of responses of `count` hosts."""
    with path.open("wb") as stream:
        for member in generate_warc(count, seed, population):
            stream.write(member)


def main() -> None:
    """Write an archive."""
    parser = argparse.ArgumentParser(description="Write a WARC file of generated robots.txt files.")
    parser.add_argument("count", type=int, help="number of hosts")
    parser.add_argument("output", type=Path, help="name of the archive, such as robots.warc.gz")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--population", choices=POPULATIONS, default="web", help="whose marginals the files have")
    arguments = parser.parse_args()
    write_archive(arguments.output, arguments.count, arguments.seed, arguments.population)


if __name__ == "__main__":
    main()
