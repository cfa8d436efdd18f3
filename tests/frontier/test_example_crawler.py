"""The example crawler on generated sites of up to 10,000 pages, with a crawl that is killed and resumed."""

import subprocess
import sys
import threading
from collections import Counter, defaultdict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path

import pytest
from tests.frontier.generated_site import CRAWL_DELAY, GeneratedSites, LoggedRequest
from tests.postgres import PostgresServer

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
        ("text/html", b'<a href="http://[broken/"></a><a href="mailto:a@b"></a><!DOCTYPE [<a href="/4">'),
    )

    def do_GET(self) -> None:
        """Send a page, or 404."""
        number = self.path.strip("/") or "0"
        found = number.isdigit() and int(number) < len(self.pages)
        kind, body = self.pages[int(number)] if found else ("text/plain", b"")
        self.send_response(200 if found else 404)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Print nothing."""


@pytest.mark.slow
def test_page_that_a_parser_rejects_does_not_end_the_crawl(tmp_path: Path) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), BrokenPages) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        command = [sys.executable, str(CRAWLER), str(tmp_path), f"http://127.0.0.1:{server.server_port}/"]
        ran = subprocess.run(
            [*command, *AT_ONCE],
            capture_output=True,
            text=True,
            check=False,
            timeout=SECONDS,
        )
        server.shutdown()
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout == "FrontierCounts(queued=0, in_flight=0, done=4, failed=0, skipped=0, refused=0)\n"


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
