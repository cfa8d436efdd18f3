"""Generated archives can be read, and are the same for the same seed."""

import io

import pytest
from benchmarks.archives import generate_warc
from benchmarks.generated_files import generate_file
from benchmarks.populations import POPULATIONS

from canfetch.bulk.reading.captures import Capture
from canfetch.bulk.reading.warc import read_warc


@pytest.mark.parametrize("population", POPULATIONS)
def test_archive_can_be_read(population: str) -> None:
    content = b"".join(generate_warc(200, 1, population))
    items = list(read_warc(io.BytesIO(content), "x", wants=lambda _: True, advance=lambda _: None))
    captures = [item for item in items if isinstance(item, Capture)]
    files = [generate_file(number, 1, population) for number in range(200)]
    assert [item.content for item in captures] == [file.content for file in files]
    assert [item.status for item in captures] == [file.status for file in files]
    assert [dict(item.headers).get("content-type") for item in captures] == [file.media_type for file in files]
    assert b"".join(generate_warc(200, 1, population)) == content
    assert b"".join(generate_warc(200, 2, population)) != content


@pytest.mark.slow
def test_redirects_lead_to_earlier_hosts_or_out_of_the_archive() -> None:
    moved = [
        (number, file.location)
        for number in range(2_000)
        if (file := generate_file(number, population="common-crawl")).status == 301
    ]
    assert all(location is not None for _, location in moved)
    targets = {
        number: int(location.removeprefix("https://host").partition(".")[0])
        for number, location in moved
        if location is not None and "//host" in location
    }
    assert 0 < len(targets) < len(moved)
    assert all(target < number for number, target in targets.items())
