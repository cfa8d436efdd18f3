"""The generator of archives has the marginals that it states."""

import io

import pytest
from benchmarks.archives import generate_file, generate_warc

import canfetch
from canfetch.bulk.reading.captures import Capture
from canfetch.bulk.reading.warc import read_warc

HOSTS = 8_000


def test_marginals() -> None:
    files = [generate_file(number) for number in range(HOSTS)]
    found = [file for file in files if file.status == 200]
    parsed = [canfetch.parse(file.content) for file in found]
    groups = [robots.groups for robots in parsed]
    assert len(found) / HOSTS == pytest.approx(0.849, abs=0.02)
    assert sum(file.status == 404 for file in files) / HOSTS == pytest.approx(0.132, abs=0.02)
    assert sum(len(file.content) for file in found) / len(found) == pytest.approx(464, rel=0.1)
    assert sum(file.content.count(b"\n") for file in found) / len(found) == pytest.approx(17.8, rel=0.1)
    assert sum(len(group.user_agents) for own in groups for group in own) / len(found) == pytest.approx(3.5, rel=0.1)
    names = [{token for group in own for token in group.tokens} for own in groups]
    assert sum("*" in own for own in names) / len(found) == pytest.approx(0.77, abs=0.02)
    assert sum("GPTBot" in own for own in names) / len(found) == pytest.approx(0.045, abs=0.01)


def test_archive_can_be_read() -> None:
    content = b"".join(generate_warc(200, seed=1))
    items = list(read_warc(io.BytesIO(content), "x", wants=lambda _: True, advance=lambda _: None))
    assert [item.content for item in items if isinstance(item, Capture)] == [
        generate_file(number, seed=1).content for number in range(200)
    ]
    assert b"".join(generate_warc(200, seed=1)) == content
    assert b"".join(generate_warc(200, seed=2)) != content
