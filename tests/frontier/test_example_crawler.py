"""The example crawler on generated sites of up to 10,000 pages, with a crawl that is killed and resumed."""

import gzip
import importlib
import subprocess
import sys
import threading
from collections import Counter, defaultdict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import FileIO
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

import pytest
from tests.frontier.generated_site import CRAWL_DELAY, GeneratedSites, LoggedRequest
from tests.postgres import PostgresServer

from canfetch.bulk.reading import Fault
from canfetch.bulk.reading.sources import read_source, sources_of
from canfetch.cli.main import run

pytest.importorskip("aiohttp")
CRAWLER = Path(__file__).parents[2] / "examples" / "crawler.py"
SITES = 20
AT_ONCE = ("--min-delay", "0", "--retry-delay", "0")
# For a slow machine. The long crawl takes 20 on an idle one.
SECONDS = 900
# The difference between the clocks of two processes.
CLOCK_SLACK = 0.0005


def start_crawler(folder: Path, ports: list[int], *options: str) -> "subprocess.Popen[str]":
    # The other sites are found through links.
    seeds = [f"http://127.0.0.1:{port}/page/0" for port in ports]
    command = [
        sys.executable,
        str(CRAWLER),
        str(folder),
        *seeds,
        "--min-delay",
        "0",
        "--retry-delay",
        "0",
        "--workers",
        "20",
        *options,
    ]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


class BrokenPages(BaseHTTPRequestHandler):
    """Serves pages that parsers reject. Each has a link to the next."""

    pages = (
        ("text/html", b'<a href="/1"></a><![foo[x]]>'),
        ("text/html; charset=hex", b'<a href="/2"></a>'),
        ("text/html; charset=nonsense", b'<a href="/3"></a>\xff'),
        ("text/html; charset=idna", b'<a href="/4"></a>\xff'),
        ("text/html; charset=punycode", b'<a href="/5"></a>\xff'),
        # Too long: the rest is not read.
        ("text/html", b'<a href="/6"></a>' + b" " * 5_000_000 + b'<a href="/7"></a>'),
        ("text/html", b'<a href="http://[broken/"></a><a href="mailto:a@b"></a><!DOCTYPE [<a href="/7">'),
        ("text/html", b"The links to this page are not found."),
    )

    def do_GET(self) -> None:
        """Send a page, or 404."""
        number = self.path.strip("/") or "0"
        found = number.isdigit() and int(number) < len(self.pages)
        kind, body = self.pages[int(number)] if found else ("text/plain", b"")
        self.send_response(200 if found else 404)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        # The library for archives encodes only some values that are not ASCII. A server may send any bytes.
        self.send_header("Set-Cookie", "citt\xe0=1; Path=/")
        self.send_header("Link", "<\xc3\xa9>; rel=next")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Print nothing."""


class ChangedPages(BaseHTTPRequestHandler):
    """Serves links that aiohttp changes, some of them to disallowed ones, and records what is requested."""

    requested: list[str]
    files: ClassVar = {
        "/": b"<a href=/a%3Bs></a><a href=/e?></a><a href='/a b'></a><a href=/x%24></a>",
        "/robots.txt": b"User-agent: *\nDisallow: /*;s\nDisallow: /e$\n",
    }

    def do_GET(self) -> None:
        """Send a page."""
        self.requested.append(self.path)
        body = self.files.get(self.path, b"")
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Print nothing."""


def test_no_url_is_changed_to_a_disallowed_one(tmp_path: Path) -> None:
    ChangedPages.requested = []
    with ThreadingHTTPServer(("127.0.0.1", 0), ChangedPages) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with start_crawler(tmp_path, [], f"http://127.0.0.1:{server.server_port}/") as crawler:
            printed, errors = crawler.communicate(timeout=SECONDS)
        server.shutdown()
    assert (crawler.returncode, errors) == (0, "")
    assert printed == "FrontierCounts(queued=0, in_flight=0, done=3, failed=0, skipped=2, refused=0)\n"
    assert sorted(ChangedPages.requested) == ["/", "/a%20b", "/robots.txt", "/x$"]


@pytest.mark.slow
def test_page_that_a_parser_rejects_does_not_end_the_crawl(tmp_path: Path) -> None:
    pytest.importorskip("warcio")
    with ThreadingHTTPServer(("127.0.0.1", 0), BrokenPages) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        command = [sys.executable, str(CRAWLER), str(tmp_path), f"http://127.0.0.1:{server.server_port}/"]
        ran = subprocess.run(
            [*command, *AT_ONCE, "--warc"],
            capture_output=True,
            text=True,
            check=False,
            timeout=SECONDS,
        )
        server.shutdown()
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout == "FrontierCounts(queued=0, in_flight=0, done=7, failed=0, skipped=0, refused=0)\n"
    (archived,) = (tmp_path / "warc").iterdir()
    content = gzip.decompress(archived.read_bytes())
    assert content.count(b"WARC-Truncated: length\r\n") == 1
    # canfetch, which fetches the robots.txt, reads a value that is not UTF-8 as Latin-1.
    assert (content.count(b"Set-Cookie: citt%E0=1; Path=/\r\n"), content.count(b"Link: <%C3%A9>; rel=next")) == (7, 8)


# The long crawl takes 20 seconds on an idle machine with two cores.
@pytest.mark.slow
@pytest.mark.parametrize("pages", [100, pytest.param(500, marks=[pytest.mark.service, pytest.mark.nightly])])
def test_crawl_that_is_killed_and_resumed_loses_nothing(tmp_path: Path, pages: int) -> None:
    with GeneratedSites(sites=SITES, pages=pages, alarm_after=SITES * pages // 2) as sites:
        with start_crawler(tmp_path, sites.ports) as killed:
            assert sites.alarm.wait(SECONDS)
            killed.kill()
        first_connections = sites.connections
        with start_crawler(tmp_path, sites.ports) as resumed:
            printed, errors = resumed.communicate(timeout=SECONDS)

    assert (resumed.returncode, errors) == (0, "")
    total = SITES * pages
    assert printed == f"FrontierCounts(queued=0, in_flight=0, done={total}, failed=0, skipped={total}, refused=0)\n"

    requests = Counter((entry.port, entry.target) for entry in sites.log)
    expected = {(port, f"/page/{number}") for port in sites.ports for number in range(pages)}
    robots = {(port, "/robots.txt") for port in sites.ports}
    # No page is lost, no disallowed page is requested, and each robots.txt is requested once.
    assert requests.keys() == expected | robots
    assert {requests[file] for file in robots} == {1}

    by_port: defaultdict[int, list[LoggedRequest]] = defaultdict(list)
    for entry in sites.log:
        if entry.target != "/robots.txt":
            by_port[entry.port].append(entry)
    for log in by_port.values():
        # Only the page in flight is requested again.
        last = [entry.target for entry in log if entry.connection <= first_connections][-1:]
        twice = [entry.target for entry in log if requests[entry.port, entry.target] > 1]
        assert twice in ([], last * 2)
        assert min(second.at - first.at for first, second in pairwise(log)) >= CRAWL_DELAY - CLOCK_SLACK


@pytest.mark.service
def test_three_crawlers_with_one_database_share_the_pages(postgres: PostgresServer, tmp_path: Path) -> None:
    database = postgres.create_database("example")
    with GeneratedSites(sites=SITES, pages=50, alarm_after=SITES) as sites:
        crawlers = [start_crawler(tmp_path / str(number), sites.ports, "--database", database) for number in range(3)]
        outputs = [crawler.communicate(timeout=SECONDS) for crawler in crawlers]

    assert {(crawler.returncode, errors) for crawler, (_, errors) in zip(crawlers, outputs, strict=True)} == {(0, "")}
    total = SITES * 50
    counts = f"FrontierCounts(queued=0, in_flight=0, done={total}, failed=0, skipped={total}, refused=0)\n"
    assert {printed for printed, _ in outputs} == {counts}
    requests = Counter((entry.port, entry.target) for entry in sites.log if entry.target != "/robots.txt")
    assert requests == Counter((port, f"/page/{number}") for port in sites.ports for number in range(50))
    for port in sites.ports:
        log = sorted(entry.at for entry in sites.log if entry.port == port and entry.target != "/robots.txt")
        assert min(second - first for first, second in pairwise(log)) >= CRAWL_DELAY - CLOCK_SLACK


@pytest.mark.service
def test_a_crawl_is_moved_to_a_database(postgres: PostgresServer, tmp_path: Path) -> None:
    database = postgres.create_database("moved_example")
    exported = tmp_path / "crawl.jsonl"
    outputs = []
    with GeneratedSites(sites=2, pages=5, alarm_after=1) as sites:
        for options in ((), ("--database", database, "--crawl", "news")):
            with start_crawler(tmp_path, sites.ports, *options) as crawler:
                outputs.append(crawler.communicate(timeout=SECONDS))
            if not options:
                assert run(["frontier", "export", str(tmp_path / "frontier.sqlite3"), "-o", str(exported)]) == 0
                assert run(["frontier", "import", str(exported), database, "--crawl", "news"]) == 0
    assert outputs[0] == outputs[1]
    requests = Counter((entry.port, entry.target) for entry in sites.log if entry.target != "/robots.txt")
    assert requests == Counter((port, f"/page/{number}") for port in sites.ports for number in range(5))


def read_pages(folder: Path) -> tuple[Counter[str], list[Fault]]:
    """Return the URLs of all responses in WARC files, and the records that are damaged."""
    items = [
        item
        for path in sorted(folder.rglob("*.warc.gz*"))
        for source in sources_of(str(path), "warc")
        for item in read_source(source, wants=lambda _: True)
    ]
    faults = [item for item in items if isinstance(item, Fault)]
    return Counter(item.url for item in items if not isinstance(item, Fault)), faults


def urls_of(sites: GeneratedSites, pages: int) -> Counter[str]:
    paths = ["robots.txt", *(f"page/{number}" for number in range(pages))]
    return Counter(f"http://127.0.0.1:{port}/{path}" for port in sites.ports for path in paths)


@pytest.mark.slow
def test_pages_are_archived_once_and_a_half_record_is_moved(tmp_path: Path) -> None:
    pytest.importorskip("warcio")
    with GeneratedSites(sites=3, pages=60, alarm_after=90) as sites:
        with start_crawler(tmp_path, sites.ports, "--warc") as killed:
            assert sites.alarm.wait(SECONDS)
            killed.kill()
        (left,) = (tmp_path / "warc").glob("*.warc.gz.open")
        complete, faults = read_pages(tmp_path)
        assert not faults
        # A kill within a write leaves half a record.
        content = left.read_bytes()
        left.write_bytes(content[:-10])
        cut, faults = read_pages(tmp_path)
        assert [fault.is_end for fault in faults] == [True]
        assert not complete - cut - Counter(dict.fromkeys(complete, 1))
        left.write_bytes(content + content[:100])
        with start_crawler(tmp_path, sites.ports, "--warc") as resumed:
            _, errors = resumed.communicate(timeout=SECONDS)

    damaged = left.with_suffix(".damaged")
    moved = f"{left}: damaged after {len(content)} bytes, the rest is in {damaged.name}\n"
    assert (resumed.returncode, errors) == (0, moved)
    assert not list((tmp_path / "warc").glob("*.open"))
    assert left.with_suffix("").read_bytes() == content
    assert damaged.read_bytes() == content[:100]
    damaged.unlink()
    archived, faults = read_pages(tmp_path)
    assert not faults
    expected = urls_of(sites, 60)
    # A page in flight at the kill can be in both files.
    assert archived.keys() == expected.keys()
    assert max((archived - expected).values(), default=1) == 1
    assert (archived - expected).total() <= len(sites.ports)


@pytest.mark.service
def test_four_crawlers_with_one_database_archive_each_page_once(postgres: PostgresServer, tmp_path: Path) -> None:
    pytest.importorskip("warcio")
    database = postgres.create_database("archived")
    with GeneratedSites(sites=8, pages=30, alarm_after=8) as sites:
        options = ("--warc", "--database", database)
        crawlers = [start_crawler(tmp_path / str(number), sites.ports, *options) for number in range(4)]
        outputs = [crawler.communicate(timeout=SECONDS) for crawler in crawlers]

    assert {(crawler.returncode, errors) for crawler, (_, errors) in zip(crawlers, outputs, strict=True)} == {(0, "")}
    # A crawler that had no turn leaves no file.
    assert 0 < len(list(tmp_path.rglob("*.warc.gz"))) <= 4
    archived, faults = read_pages(tmp_path)
    assert not faults
    pages = {url: number for url, number in archived.items() if not url.endswith("/robots.txt")}
    assert pages == {url: 1 for url in urls_of(sites, 30) if not url.endswith("/robots.txt")}
    # Each process that had an origin fetched its robots.txt.
    assert len(archived) - len(pages) == 8
    metadata = b"".join(gzip.decompress(path.read_bytes()) for path in tmp_path.rglob("*.warc.gz"))
    assert metadata.count(b"WARC-Type: metadata") == metadata.count(b'"allowed": true') == len(pages)


class HeldPage(BaseHTTPRequestHandler):
    """Serves a page after `release` is set."""

    requested = threading.Event()
    release = threading.Event()

    def do_GET(self) -> None:
        """Send an empty response."""
        if self.path == "/":
            self.requested.set()
            self.release.wait(SECONDS)
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Print nothing."""


@pytest.mark.slow
def test_second_process_leaves_the_archive_of_the_first_alone(tmp_path: Path) -> None:
    pytest.importorskip("warcio")
    with ThreadingHTTPServer(("127.0.0.1", 0), HeldPage) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        origin = f"http://127.0.0.1:{server.server_port}"
        command = [sys.executable, str(CRAWLER), str(tmp_path), f"{origin}/", *AT_ONCE, "--warc"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as first:
            assert HeldPage.requested.wait(SECONDS)
            before = list((tmp_path / "warc").iterdir())
            second = subprocess.run(command, capture_output=True, text=True, check=False, timeout=SECONDS)
            after = list((tmp_path / "warc").iterdir())
            HeldPage.release.set()
            _, errors = first.communicate(timeout=SECONDS)
        server.shutdown()

    assert second.returncode == 1
    assert "StoreError" in second.stderr
    assert before == after
    assert (first.returncode, errors) == (0, "")
    assert read_pages(tmp_path) == (Counter([f"{origin}/robots.txt", f"{origin}/"]), [])


@pytest.fixture
def archives(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return the module that writes archives."""
    pytest.importorskip("warcio")
    monkeypatch.syspath_prepend(CRAWLER.parent)
    return importlib.import_module("warc_archive")


def archive_page(archive: Any, number: int) -> str:
    """Write a page, and return its URL."""
    url = f"http://example.com/{number}"
    archive.write(url, [], status=200, headers=[("Content-Type", "text/plain")], body=b"page")
    return url


def test_only_one_process_writes_to_a_folder(tmp_path: Path, archives: Any) -> None:
    folder = tmp_path / "warc"
    with archives.WarcArchive(folder) as archive:
        url = archive_page(archive, 1)
        with pytest.raises(RuntimeError, match="another process"), archives.WarcArchive(folder):
            pass
        archive_page(archive, 2)
    with archives.WarcArchive(folder) as archive:
        archive_page(archive, 3)
    assert len(list(folder.iterdir())) == 2
    archived, faults = read_pages(folder)
    assert (archived.total(), url in archived, faults) == (3, True, [])


class BreakingFile(FileIO):
    """A file with an error after half of a write."""

    error: type[BaseException] | None = None
    is_half = False

    def write(self, data: Any) -> int:
        """Write half of the data, or raise the error."""
        if self.error is not None and self.is_half:
            raise self.error
        self.is_half = self.error is not None
        return super().write(data[: len(data) // 2] if self.is_half else data)


@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt])
def test_failed_write_leaves_no_part_of_a_record(tmp_path: Path, archives: Any, error: type[BaseException]) -> None:
    with archives.WarcArchive(tmp_path / "warc") as archive:
        archive._file.close()
        archive._file = file = BreakingFile(archive._file.name, "r+b")
        expected = []
        for number in range(3):
            file.error = None
            expected.append(archive_page(archive, number))
            file.error = error
            with pytest.raises(error):
                archive_page(archive, 9)
    assert read_pages(tmp_path) == (Counter(expected), [])


def test_complete_records_after_half_a_record_are_kept(
    tmp_path: Path, archives: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    with archives.WarcArchive(tmp_path) as archive:
        url = archive_page(archive, 1)
    (complete,) = tmp_path.glob("*.warc.gz")
    record = complete.read_bytes()
    left = complete.with_suffix(".gz.open")
    left.write_bytes(record + record[:100] + record)
    complete.unlink()
    # A process that was killed before its first record.
    (tmp_path / "empty.warc.gz.open").touch()
    with archives.WarcArchive(tmp_path):
        pass
    damaged = left.with_suffix(".damaged")
    assert sorted(tmp_path.iterdir()) == [complete, damaged]
    assert complete.read_bytes() == record
    assert damaged.read_bytes() == record[:100] + record
    assert capsys.readouterr().err.endswith(f"the rest is in {damaged.name}\n")
    # Readers that skip damage find the second record.
    archived, faults = read_pages(tmp_path)
    assert (archived, len(faults)) == (Counter([url, url]), 1)
