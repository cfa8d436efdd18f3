"""Crawls of one site under a condition: a delay, a file that expires, a slow server, a proxy, another event loop."""

from pathlib import Path

import pytest
from tests.integrations.scrapy.crawl import CrawlPlan
from tests.integrations.scrapy.crawlers import SINCE_2_18
from tests.integrations.scrapy.pages import ADDON, page, robots, stalled, targets, timed
from tests.servers.proxy import ProxySite
from tests.servers.web import Site

from canfetch import Client
from canfetch.client.stores.sqlite import SQLiteStore

pytestmark = pytest.mark.service


def test_delays_and_expiry() -> None:
    times: list[float] = []
    declared = "User-agent: *\nCrawl-delay: 0.5\n"
    with Site() as site:
        site.serve(
            "/robots.txt",
            timed(times, robots(declared, "Cache-Control: max-age=1")),
            robots(f"{declared}Disallow: /page-5\n", "Cache-Control: max-age=86400"),
        )
        for number in range(6):
            site.serve(f"/page-{number}", timed(times, page()))
        plan = CrawlPlan(
            [{"url": f"{site.origin}/page-{number}"} for number in range(6)],
            {**ADDON, "CANFETCH_POLICY": "rfc9309+min_freshness=0", "DOWNLOAD_DELAY": 0.01},
            one_by_one=True,
        )
        result = plan.run()
        assert result.pages[f"{site.origin}/page-5"].message.endswith("line 3, Disallow: /page-5")
        assert targets(site).count("/robots.txt") == 2
    assert len(times) == 6
    # Between the first page and the fifth there are four delays. The server can notice the request for the first page
    # late, but that was sent after the first robots.txt.
    assert times[-1] - times[0] > 1.9
    assert len(result.signalled) == (2 if SINCE_2_18 else 0)


def test_slow_robots_txt_disallows_everything(tmp_path: Path) -> None:
    with Site() as site:
        site.serve("/robots.txt", stalled)
        settings = {**ADDON, "CANFETCH_TIMEOUT": 1, "CANFETCH_EVIDENCE": str(tmp_path / "evidence")}
        result = CrawlPlan([{"url": f"{site.origin}/page"}], settings).run()
        assert result.pages[f"{site.origin}/page"].message == (
            "Forbidden by robots.txt: robots.txt is unreachable: timeout: fetch not finished within 1 s"
        )
        # A slow machine may send no request within a second.
        assert "/page" not in targets(site)
    assert result.stats["robotstxt/failure_count/timeout"] == 1
    assert list((tmp_path / "evidence").iterdir())


def test_proxy_of_a_request_does_not_apply_to_robots_txt() -> None:
    with Site() as site, Site() as proxy:
        site.serve("/robots.txt", robots("User-agent: *\nDisallow: /private\n"))
        proxy.serve(f"{site.origin}/page", page())
        meta = {"proxy": proxy.origin}
        requests = [{"url": site.origin + target, "meta": meta} for target in ("/page", "/private")]
        result = CrawlPlan(requests, ADDON).run()
        assert result.pages[f"{site.origin}/page"].status == 200
        assert result.pages[f"{site.origin}/private"].error == "DisallowedRequest"
        assert (targets(site), targets(proxy)) == (["/robots.txt"], [f"{site.origin}/page"])


def test_proxy_that_requires_a_login_disallows_everything(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with Site() as site, ProxySite(refusal="407 Proxy Authentication Required") as proxy:
        site.serve("/robots.txt", robots("User-agent: *\nDisallow: /\n"))
        site.serve("/page", page())
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{proxy.port}")
        monkeypatch.delenv("no_proxy", raising=False)
        store = tmp_path / "robots.sqlite3"
        result = CrawlPlan([{"url": f"{site.origin}/page"}], {**ADDON, "CANFETCH_STORE": str(store)}).run()
        assert result.pages[f"{site.origin}/page"].message == (
            "Forbidden by robots.txt: robots.txt is unreachable: connect: proxy responded 407: check its user name "
            "and password"
        )
        assert len(proxy.heads) == 1
        # Without the proxy, the site itself is asked.
        monkeypatch.delenv("http_proxy")
        with Client(user_agent="ExampleBot/1.0", store=SQLiteStore(store)) as client:
            assert client.decide(f"{site.origin}/page").explanation == "line 2, Disallow: /"
        assert targets(site) == ["/robots.txt"]


def test_other_event_loops_stop_the_crawl() -> None:
    with Site() as site:
        settings = {**ADDON, "TWISTED_REACTOR": "twisted.internet.selectreactor.SelectReactor"}
        result = CrawlPlan([{"url": f"{site.origin}/page"}], settings).run()
        assert not targets(site)
    assert "canfetch requires asyncio: remove TWISTED_REACTOR" in result.log
