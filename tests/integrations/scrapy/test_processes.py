"""Several crawls of one site at a time, in one process or in several."""

from pathlib import Path

import pytest
from tests.integrations.scrapy.crawl import CrawlPlan, finish
from tests.integrations.scrapy.pages import ADDON, robots, serve_pages, targets
from tests.servers.web import Site

PROCESSES = 4
PAGES = [f"/page-{number}" for number in range(10)]


def run_fleet(store: str) -> None:
    """Crawl a site with several processes, and check what the site received."""
    with Site() as site:
        site.serve("/robots.txt", robots("User-agent: *\nDisallow: /private\n"))
        serve_pages(site, *PAGES)
        requests = [{"url": site.origin + target} for target in [*PAGES, "/private"]]
        plan = CrawlPlan(requests, {**ADDON, "CANFETCH_STORE": store})
        for result in [finish(process) for process in [plan.start() for _ in range(PROCESSES)]]:
            assert {result.pages[site.origin + target].status for target in PAGES} == {200}
            assert result.pages[f"{site.origin}/private"].error == "DisallowedRequest"
            assert result.stats["robotstxt/fetch_count"] + result.stats["robotstxt/store_hit_count"] == 1
        assert targets(site).count("/robots.txt") == 1
        assert "/private" not in targets(site)
        # The next crawl finds the file in the store.
        assert plan.run().stats["robotstxt/store_hit_count"] == 1
        assert targets(site).count("/robots.txt") == 1


@pytest.mark.service
def test_four_processes_with_one_sqlite_store_fetch_robots_txt_once(tmp_path: Path) -> None:
    run_fleet(str(tmp_path / "robots.sqlite3"))


def test_four_processes_with_one_redis_store_fetch_robots_txt_once(redis_url: str) -> None:
    run_fleet(redis_url)


@pytest.mark.service
@pytest.mark.parametrize("store, fetches", [("robots.sqlite3", 1), ("", 3)], ids=["one store", "no store"])
def test_crawls_of_one_process_share_files_only_through_a_store(store: str, fetches: int, tmp_path: Path) -> None:
    settings = {**ADDON, "CANFETCH_STORE": store and str(tmp_path / store)}
    with Site() as site:
        site.serve("/robots.txt", robots("User-agent: *\nDisallow: /private\n"))
        serve_pages(site, "/page")
        result = CrawlPlan(
            [{"url": f"{site.origin}/page"}, {"url": f"{site.origin}/private"}], settings, crawls=3
        ).run()
        assert result.pages[f"{site.origin}/page"].status == 200
        assert sorted(targets(site)) == ["/page"] * 3 + ["/robots.txt"] * fetches
