"""Five questions about an archive as Common Crawl lays it out, against an independent reader and parser.

Nothing of canfetch is used for the expected answers: warcio reads the archive, and a parser of a few lines the files.
With `CANFETCH_CORPUS`, the archive has real files as well.
"""

import csv
import io
import os
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from statistics import median_low
from typing import Any, NamedTuple

import pytest
from benchmarks.generated_files import generate_file
from tests.bulk.warc_files import compressed, http_response, record

Run = Any
FOLDER = "crawl-data/CC-MAIN-2025-38/segments/1757047030000.0/robotstxt"
HOSTS = 2_000


class Answers(NamedTuple):
    """The answers to the five questions, and the number of files."""

    files: int
    disallowed: int
    median: float
    top: list[tuple[str, int]]
    sitemaps: int
    errors: int


def write_crawl(folder: Path) -> list[str]:
    """Write two archives with the requests, responses and metadata of a crawl, and return their names."""
    files = [generate_file(number, 11, "common-crawl") for number in range(HOSTS)]
    responses = [
        (
            f"https://host{number}.example/robots.txt",
            http_response(
                file.content,
                status=file.status,
                headers=[] if file.location is None else [("Location", file.location)],
            ),
        )
        for number, file in enumerate(files)
    ]
    corpus = os.environ.get("CANFETCH_CORPUS")
    paths = sorted(Path(corpus).iterdir()) if corpus else []
    responses += [(f"https://{path.name}/robots.txt", http_response(path.read_bytes())) for path in paths]
    extra = [
        b"User-agent: GPTBot\nUser-agent: CCBot\nDisallow: /\n\nUser-agent: *\nCrawl-delay: 2\nDisallow:\n",
        b"User-agent: *\nDisallow: /\nAllow: /x\n",
        b"User-agent: *\nCrawl-delay: 30\nDisallow: /*\n<html>\nSitemap: https://x.example/1\nSitemap: /2\n",
        b"User-agent: *\rCrawl-delay: 5\rDisallow: /a\r",
        b"\xef\xbb\xbfUser-agent: gptbot\nDisallow: /\nDisallow /x\n",
    ]
    responses += [
        (f"https://extra{number}.example/robots.txt", http_response(body)) for number, body in enumerate(extra)
    ]
    names = []
    for part in range(2):
        records = [record("", b"isPartOf: CC-MAIN-2025-38\r\n", kind="warcinfo")]
        for url, response in responses[part::2]:
            records.append(record(url, b"GET /robots.txt HTTP/1.1\r\nUser-Agent: CCBot/2.0\r\n\r\n", kind="request"))
            records.append(record(url, response, time="2025-09-05T11:21:01Z"))
            records.append(record(url, b"fetchTimeMs: 12\r\n", kind="metadata"))
        name = f"{FOLDER}/CC-MAIN-20250905112101-20250905142101-{part:05}.warc.gz"
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(compressed(records))
        names.append(name)
    return names


def bodies(paths: list[Path]) -> Iterator[bytes]:
    """Yield the content of each robots.txt with status 200, after redirects."""
    iterator = pytest.importorskip("warcio.archiveiterator").ArchiveIterator
    found: dict[str, tuple[str, str | None, bytes]] = {}
    for path in paths:
        for item in iterator(io.BytesIO(path.read_bytes())):
            if item.rec_type == "response":
                url = item.rec_headers.get_header("WARC-Target-URI")
                head = item.http_headers
                found[url] = head.get_statuscode(), head.get_header("Location"), item.content_stream().read()
    for first in found:
        url, hops = first, 0
        while url in found and found[url][0][0] == "3" and found[url][1] and hops < 6:
            url, hops = str(found[url][1]), hops + 1
        if url in found and found[url][0] == "200":
            yield found[url][2]


class Group(NamedTuple):
    agents: list[str]
    rules: list[tuple[str, str]]
    delays: list[float]


def parsed(body: bytes) -> tuple[list[Group], int, bool]:
    """Return the groups, the number of sitemaps, and whether a line is not a record."""
    groups: list[Group] = []
    is_open = has_errors = False
    sitemaps = 0
    for line in re.split(b"\r\n|\r|\n", body[:512_000].removeprefix(b"\xef\xbb\xbf")):
        text = line.split(b"#")[0].strip(b" \t").decode("utf-8", "replace")
        key, colon, value = text.partition(":")
        key, value = re.sub("[ -]", "", key.lower()), value.strip()
        if not colon:
            has_errors = has_errors or bool(text)
        elif key == "useragent":
            if not is_open:
                groups.append(Group([], [], []))
            is_open = True
            name = "*" if value.split()[:1] == ["*"] else re.split(r"[\s/,*]", value)[0]
            groups[-1].agents.append(name.lower())
        elif key in {"allow", "disallow"}:
            is_open = False
            if groups and value:
                groups[-1].rules.append((key, value))
        elif key == "crawldelay" and groups and re.fullmatch(r"\d+(\.\d*)?|\.\d+", value):
            groups[-1].delays.append(float(value))
        elif key == "sitemap" and value:
            sitemaps += 1
    return groups, sitemaps, has_errors


def is_disallowed(groups: list[Group], agent: str) -> bool:
    """Return whether a pattern for all paths wins against each allow rule."""
    own = [group for group in groups if agent in group.agents] or [group for group in groups if "*" in group.agents]
    rules = [rule for group in own for rule in group.rules]
    longest = max(
        (len(value) for key, value in rules if key == "disallow" and re.fullmatch(r"/|/?\*+", value)), default=0
    )
    return longest > 0 and not any(
        key == "allow" and len(value) >= longest and value.rstrip("$") != "/robots.txt" for key, value in rules
    )


def expected_answers(paths: list[Path]) -> Answers:
    files = [parsed(body) for body in bodies(paths)]
    delays = [max(delays) for groups, _, _ in files if (delays := [d for group in groups for d in group.delays])]
    names = Counter(
        name for groups, _, _ in files for name in {name for group in groups for name in group.agents if name}
    )
    return Answers(
        files=len(files),
        disallowed=sum(is_disallowed(groups, "gptbot") for groups, _, _ in files),
        median=median_low(delays),
        top=sorted(names.items(), key=lambda item: (-item[1], item[0]))[:10],
        sitemaps=sum(sitemaps for _, sitemaps, _ in files),
        errors=sum(has_errors for _, _, has_errors in files),
    )


@pytest.mark.slow
def test_five_questions(folder: Path, run: Run) -> None:
    archives = write_crawl(folder)

    def rows(name: str, *options: str) -> list[dict[str, str]]:
        done = run("study", name, *archives, "--period", "crawl", "-o", "out.csv", "--force", *options)
        assert done.code == 0, done.err
        with (folder / "out.csv").open(encoding="utf-8", newline="") as stream:
            found = list(csv.DictReader(stream))
        assert {row["period"] for row in found} == {"CC-MAIN-2025-38"}
        return found

    blocked = [row for row in rows("news-publishers", "--agent", "GPTBot") if row["measure"] == "exact/1"]
    delays = [
        row for row in rows("crawl-delay") if (row["subject"], row["measure"]) == ("file", "crawl-delay-seconds/1")
    ]
    seconds = [float(row["class"]) for row in delays for _ in range(int(row["files"]))]
    named = [row for row in rows("agents") if (row["measure"], row["class"]) == ("named/1", "named")]
    contents = rows("contents")
    assert expected_answers([folder / name for name in archives]) == Answers(
        files=sum(int(row["files"]) for row in blocked),
        disallowed=next(int(row["files"]) for row in blocked if row["class"] == "disallow-all"),
        median=median_low(seconds),
        top=[(row["subject"], int(row["files"])) for row in named[:10]],
        sitemaps=sum(int(row["class"]) * int(row["files"]) for row in contents if row["measure"] == "sitemaps/1"),
        errors=next(int(row["files"]) for row in contents if row["class"] == "errors"),
    )
