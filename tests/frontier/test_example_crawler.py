"""The example crawler on generated sites of up to 10,000 pages, with a crawl that is killed and resumed."""

import subprocess
import sys
from collections import Counter, defaultdict
from itertools import pairwise
from pathlib import Path

import pytest
from tests.frontier.generated_site import CRAWL_DELAY, GeneratedSites, LoggedRequest

pytest.importorskip("aiohttp")
CRAWLER = Path(__file__).parents[2] / "examples" / "crawler.py"
SITES = 20
# The difference between the clocks of two processes.
CLOCK_SLACK = 0.0005


def start_crawler(folder: Path, ports: list[int]) -> "subprocess.Popen[str]":
    # The other sites are found through links.
    seeds = [f"http://127.0.0.1:{port}/page/0" for port in ports]
    command = [sys.executable, str(CRAWLER), str(folder), *seeds, "--min-delay", "0", "--workers", "20"]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


# The long crawl takes 20 seconds on an idle machine with two cores.
@pytest.mark.parametrize("pages", [100, pytest.param(500, marks=pytest.mark.service)])
def test_crawl_that_is_killed_and_resumed_loses_nothing(tmp_path: Path, pages: int) -> None:
    with GeneratedSites(sites=SITES, pages=pages, alarm_after=SITES * pages // 2) as sites:
        with start_crawler(tmp_path, sites.ports) as killed:
            assert sites.alarm.wait(120)
            killed.kill()
        first_connections = sites.connections
        with start_crawler(tmp_path, sites.ports) as resumed:
            printed, errors = resumed.communicate(timeout=120)

    assert (resumed.returncode, errors) == (0, "")
    assert (
        printed == f"FrontierCounts(queued=0, in_flight=0, done={SITES * pages}, failed=0, skipped={SITES * pages})\n"
    )

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
