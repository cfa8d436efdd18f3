"""Real crawls of sites on loopback. The requests that the sites received show what Scrapy fetched."""

import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.integrations.scrapy.crawl import CrawlPlan, CrawlResult
from tests.integrations.scrapy.crawlers import SINCE_2_18, since_2_18
from tests.integrations.scrapy.pages import (
    ADDON,
    endless,
    failing,
    gzipped,
    page,
    redirect,
    robots,
    serve_pages,
    stalled,
    targets,
    timed,
)
from tests.servers.certificates import Authority
from tests.servers.web import Site

pytestmark = pytest.mark.service

RULES = """\
User-agent: *
Disallow: /private

User-agent: OtherBot
Disallow: /page
"""
SHORT_RULES = "User-agent: *\nDisallow: /private\n"
PAGES = [f"/page-{number}" for number in range(20)]
ALLOWED = [*PAGES, "/noindex", "/meta", "/start", "/files"]


class Crawled(SimpleNamespace):
    """The sites of the crawl and its result."""

    result: CrawlResult

    def outcome(self, site: Site, target: str) -> Any:
        return self.result.pages[site.origin + target]


@pytest.fixture(scope="module")
def crawled(authority: Authority, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crawled]:
    folder = tmp_path_factory.mktemp("files")
    with ExitStack() as stack:
        plain = ["rules", "other", "missing", "broken", "recovering", "moved", "target", "packed", "large", "long"]
        sites = {name: stack.enter_context(Site()) for name in plain}
        sites["tls"] = stack.enter_context(Site(tls=authority.good()))
        state = Crawled(**sites)
        serve_sites(state)
        requests = planned_requests(state)
        settings = {
            **ADDON,
            "RETRY_TIMES": 1,
            "ITEM_PIPELINES": {"scrapy.pipelines.files.FilesPipeline": 1},
            "FILES_STORE": str(folder),
            "MEDIA_ALLOW_REDIRECTS": True,
        }
        state.result = CrawlPlan(requests, settings).run()
        yield state


def serve_sites(state: Crawled) -> None:
    rules: Site = state.rules
    rules.serve("/robots.txt", robots(RULES))
    serve_pages(rules, *PAGES, "/meta", "/private-opt-out", "/files", "/files/free", "/private/file")
    rules.serve("/noindex", page("X-Robots-Tag: noindex"))
    rules.serve("/start", redirect("/private/redirected"))
    rules.serve("/files/redirected", redirect("/private/file"))
    state.other.serve("/robots.txt", robots("User-agent: *\nDisallow: /page\n"))
    serve_pages(state.other, "/private")
    serve_pages(state.missing, "/private")
    state.broken.serve("/robots.txt", failing(503))
    state.recovering.serve("/robots.txt", failing(503), robots(SHORT_RULES))
    serve_pages(state.recovering, "/page")
    state.moved.serve("/robots.txt", redirect(f"{state.target.origin}/files/robots"))
    serve_pages(state.moved, "/page")
    state.target.serve("/files/robots", robots(SHORT_RULES))
    state.packed.serve("/robots.txt", gzipped(SHORT_RULES))
    serve_pages(state.packed, "/page")
    # Random bytes, so that the encoded file is too long as well.
    comments = "".join(f"# {os.urandom(400).hex()}\n" for _ in range(2_000))
    state.large.serve("/robots.txt", gzipped(SHORT_RULES + comments))
    serve_pages(state.large, "/page")
    state.long.serve("/robots.txt", endless(SHORT_RULES))
    serve_pages(state.long, "/page")
    state.tls.serve("/robots.txt", robots(SHORT_RULES))
    serve_pages(state.tls, "/page")


def planned_requests(state: Crawled) -> list[dict[str, Any]]:
    origin = state.rules.origin
    files = [f"{origin}{target}" for target in ("/files/free", "/private/file", "/files/redirected")]
    requests: list[dict[str, Any]] = [{"url": origin + target} for target in PAGES]
    requests += [
        {"url": f"{origin}/private/a"},
        {"url": f"{origin}/start"},
        {"url": f"{origin}/private-opt-out", "meta": {"dont_obey_robotstxt": True}},
        {"url": f"{origin}/page-own-header", "headers": {"User-Agent": "OtherBot/2.0"}},
        {"url": f"{origin}/noindex", "meta": {"canfetch_required_uses": ["may_index"]}},
        {"url": f"{origin}/meta", "meta": {"canfetch_required_uses": ["may_index"]}},
        {"url": f"{origin}/files", "meta": {"file_urls": files}},
        {"url": "data:text/plain,hello"},
    ]
    for site in (state.other, state.missing, state.broken, state.recovering):
        requests += [{"url": f"{site.origin}/private"}, {"url": f"{site.origin}/page"}]
    for site in (state.moved, state.packed, state.large, state.long, state.tls):
        requests += [{"url": f"{site.origin}/private"}, {"url": f"{site.origin}/page"}]
    return requests


def test_no_disallowed_request_arrives(crawled: Crawled) -> None:
    received = [target for target in targets(crawled.rules) if target.startswith("/private")]
    assert received == ["/private-opt-out"]
    assert "/page-own-header" not in targets(crawled.rules)


def test_robots_txt_is_requested_once(crawled: Crawled) -> None:
    for name in ("rules", "other", "missing", "packed", "large", "long", "tls"):
        assert targets(getattr(crawled, name)).count("/robots.txt") == 1, name


def test_robots_txt_is_requested_with_the_user_agent_and_without_encodings(crawled: Crawled) -> None:
    (request,) = [request for request in crawled.rules.requests if request.target == "/robots.txt"]
    assert request.headers["user-agent"] == ADDON["USER_AGENT"]
    assert request.headers["accept-encoding"] == "identity"
    assert "cookie" not in request.headers


def test_allowed_pages_are_crawled(crawled: Crawled) -> None:
    assert {crawled.outcome(crawled.rules, target).status for target in PAGES} == {200}


def test_verdict_explains_why_a_request_was_dropped(crawled: Crawled) -> None:
    outcome = crawled.outcome(crawled.rules, "/private/a")
    assert outcome.error == "DisallowedRequest"
    assert outcome.message == "Forbidden by robots.txt: line 2, Disallow: /private"
    url = f"{crawled.rules.origin}/private/a"
    assert f"Forbidden by robots.txt: <GET {url}>: line 2, Disallow: /private" in crawled.result.log


def test_redirect_to_a_disallowed_page_is_not_followed(crawled: Crawled) -> None:
    outcome = crawled.outcome(crawled.rules, "/start")
    assert (outcome.error, "line 2" in outcome.message) == ("DisallowedRequest", True)


def test_opt_out_of_a_request(crawled: Crawled) -> None:
    assert crawled.outcome(crawled.rules, "/private-opt-out").status == 200


def test_user_agent_of_a_request_selects_the_group(crawled: Crawled) -> None:
    assert "line 5" in crawled.outcome(crawled.rules, "/page-own-header").message


def test_other_schemes_are_not_checked(crawled: Crawled) -> None:
    assert crawled.result.pages["data:text/plain,hello"].status == 200


def test_ports_have_their_own_files(crawled: Crawled) -> None:
    assert crawled.outcome(crawled.other, "/private").status == 200
    assert crawled.outcome(crawled.other, "/page").error == "DisallowedRequest"


def test_missing_robots_txt_allows_everything(crawled: Crawled) -> None:
    assert crawled.outcome(crawled.missing, "/private").status == 200


def test_rfc9309_2_3_1_4_server_errors_disallow_everything(crawled: Crawled) -> None:
    for target in ("/private", "/page"):
        outcome = crawled.outcome(crawled.broken, target)
        assert outcome.message == "Forbidden by robots.txt: robots.txt is unreachable: status 503"
    # RETRY_TIMES is 1. After that, the origin backs off.
    assert targets(crawled.broken) == ["/robots.txt"] * 2


def test_retry_of_robots_txt_succeeds(crawled: Crawled) -> None:
    assert targets(crawled.recovering) == ["/robots.txt", "/robots.txt", "/page"]


@pytest.mark.parametrize("name", ["moved", "packed", "large", "long", "tls"])
def test_redirected_encoded_endless_and_secure_files(crawled: Crawled, name: str) -> None:
    site: Site = getattr(crawled, name)
    assert crawled.outcome(site, "/page").status == 200
    assert crawled.outcome(site, "/private").error == "DisallowedRequest"
    assert targets(site) == ["/robots.txt", "/page"]


def test_page_rules_drop_responses_on_request(crawled: Crawled) -> None:
    outcome = crawled.outcome(crawled.rules, "/noindex")
    assert outcome.error == "DisallowedPage"
    assert outcome.message == "Forbidden by the page: may_index: noindex, X-Robots-Tag header 1"
    allowed = crawled.outcome(crawled.rules, "/meta")
    assert "may index: yes" in allowed.meta["page"]


def test_files_pipeline_skips_disallowed_files(crawled: Crawled) -> None:
    (item,) = crawled.result.items
    assert [file["url"] for file in item["files"]] == [f"{crawled.rules.origin}/files/free"]


def test_statistics(crawled: Crawled) -> None:
    stats = crawled.result.stats
    dropped = [page for page in crawled.result.pages.values() if page.error == "DisallowedRequest"]
    files, unreachable = 2, 2
    assert stats["robotstxt/forbidden"] == len(dropped) + files
    assert stats["robotstxt/forbidden_reason_count/unreachable"] == unreachable
    assert stats["robotstxt/forbidden_reason_count/disallow-rule"] == len(dropped) + files - unreachable
    assert stats["robotstxt/page_forbidden_use_count/may_index"] == 1
    assert stats["robotstxt/fetch_count"] == 10
    assert stats["robotstxt/failure_count/server_error"] == 1
    assert stats["robotstxt/request_count"] == stats["robotstxt/response_count"] == 11
    assert stats["robotstxt/response_status_count/302"] == 1


@since_2_18
def test_signal_robots_parsed_is_sent_once_for_each_file(crawled: Crawled) -> None:
    signalled = [text.partition("/p")[0] for text in crawled.result.signalled]
    assert len(signalled) == len(set(signalled)) == 9
    assert crawled.broken.origin not in "".join(signalled)


@since_2_18  # The files pipeline of earlier releases logs a traceback for each dropped file.
def test_crawl_has_no_errors_and_no_decisions_in_its_log(crawled: Crawled) -> None:
    # Scrapy logs all pages.
    assert "canfetch.decisions" not in crawled.result.log
    lines = [line for line in crawled.result.log.splitlines() if " ERROR: " in line or "Traceback" in line]
    # Scrapy reports that the retries did not help, and the dropped files.
    assert all("Gave up retrying" in line or "[scrapy.pipelines" in line for line in lines), lines


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
        site.serve("/robots.txt", robots(SHORT_RULES))
        proxy.serve(f"{site.origin}/page", page())
        meta = {"proxy": proxy.origin}
        requests = [{"url": site.origin + target, "meta": meta} for target in ("/page", "/private")]
        result = CrawlPlan(requests, ADDON).run()
        assert result.pages[f"{site.origin}/page"].status == 200
        assert result.pages[f"{site.origin}/private"].error == "DisallowedRequest"
        assert (targets(site), targets(proxy)) == (["/robots.txt"], [f"{site.origin}/page"])


def test_other_event_loops_stop_the_crawl() -> None:
    with Site() as site:
        settings = {**ADDON, "TWISTED_REACTOR": "twisted.internet.selectreactor.SelectReactor"}
        result = CrawlPlan([{"url": f"{site.origin}/page"}], settings).run()
        assert not targets(site)
    assert "canfetch requires asyncio: remove TWISTED_REACTOR" in result.log
