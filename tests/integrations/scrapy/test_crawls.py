"""One crawl of many sites on loopback: what Scrapy requests, drops, counts and logs with the add-on.

The requests that the sites received show what was fetched. The sites `rules`, `other`, `missing` and `broken` differ in
their rules. The robots.txt of each other site allows `/page` and disallows `/private`, and is served in another way.
"""

import gzip
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.identity.messages import checked_as_sent
from tests.integrations.scrapy.crawl import CrawlPlan, CrawlResult, Page
from tests.integrations.scrapy.crawlers import since_2_18
from tests.integrations.scrapy.pages import (
    ADDON,
    encoded,
    endless,
    failing,
    page,
    redirect,
    robots,
    serve_pages,
    targets,
)
from tests.servers.broken import send_and_reset
from tests.servers.certificates import Authority
from tests.servers.valid import respond
from tests.servers.web import Behaviour, Site

import canfetch
from canfetch import SkippedPage
from canfetch.client.identity import SigningIdentity
from canfetch.client.identity.identity_file import new_identity

pytestmark = pytest.mark.service

RULES = """\
User-agent: *
Disallow: /private

User-agent: OtherBot
Disallow: /page
"""
SHORT_RULES = "User-agent: *\nDisallow: /private\n"
# Random bytes, so that the encoded file is longer than the limit as well.
COMMENTS = "".join(f"# {os.urandom(400).hex()}\n" for _ in range(2_000))
PAGES = [f"/page-{number}" for number in range(20)]
# The responses to requests for robots.txt, in order. The last one is repeated.
ROBOTS: dict[str, list[Behaviour]] = {
    "rules": [robots(RULES)],
    "other": [robots("User-agent: *\nDisallow: /page\n")],
    "missing": [],
    "broken": [failing(503)],
    "recovering": [failing(503), robots(SHORT_RULES)],
    "encoded": [encoded(gzip.compress(SHORT_RULES.encode()), "gzip")],
    "large": [encoded(gzip.compress((SHORT_RULES + COMMENTS).encode()), "gzip")],
    "endless": [endless(SHORT_RULES)],
    "tls": [redirect("/robots|moved")],
}


class Crawl(NamedTuple):
    """The sites by name, and the result of the crawl."""

    sites: dict[str, Site]
    result: CrawlResult
    folder: Path

    def page(self, name: str, target: str) -> Page:
        """Return the result of the request for a target of a site."""
        return self.result.pages[self.sites[name].origin + target]

    def received(self, name: str) -> Sequence[str]:
        """Return the targets of the requests that a site received, in order."""
        return targets(self.sites[name])


@pytest.fixture(scope="module")
def crawl(authority: Authority, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crawl]:
    with ExitStack() as stack:
        sites = {name: stack.enter_context(Site(tls=authority.good() if name == "tls" else None)) for name in ROBOTS}
        sites["moved"], target = stack.enter_context(Site()), stack.enter_context(Site())
        for name, responses in ROBOTS.items():
            if responses:
                sites[name].serve("/robots.txt", *responses)
            serve_pages(sites[name], "/page", "/private")
        sites["moved"].serve("/robots.txt", redirect(f"{target.origin}/files/robots"))
        serve_pages(sites["moved"], "/page")
        sites["tls"].serve("/robots%7Cmoved", robots(SHORT_RULES))
        target.serve("/files/robots", robots(SHORT_RULES))
        serve_rules_site(sites["rules"])
        requests = [*requests_of_rules_site(sites["rules"].origin), {"url": "data:text/plain,hello"}]
        requests += [
            {"url": site.origin + path}
            for name, site in sites.items()
            if name != "rules"
            for path in ("/private", "/page")
        ]
        sites["tls"].serve("/moved", redirect("/page"))
        sites["tls"].serve("/broken", send_and_reset(b""))
        requests += [{"url": sites["tls"].origin + path} for path in ("/moved", "/broken")]
        folder = tmp_path_factory.mktemp("files")
        identity = folder / "identity.json"
        identity.write_bytes(new_identity("https://bot.example", now=time.time()).to_json())
        identity.chmod(0o600)
        yield Crawl(sites, CrawlPlan(requests, crawl_settings(folder)).run(), folder)


def serve_rules_site(site: Site) -> None:
    """Serve the pages and files on which single requests of the crawl are tested."""
    serve_pages(
        site, *PAGES, "/reserved", "/usable", "/meta", "/private-opt-out", "/files", "/files/free", "/private/file"
    )
    site.serve("/noindex", page("X-Robots-Tag: noindex"))
    site.serve("/noai", page("X-Robots-Tag: noai"))
    reservation = b'[{"location": "/reserved", "tdm-reservation": 1}]'
    site.serve("/.well-known/tdmrep.json", respond(reservation))
    site.serve("/start", redirect("/private/redirected"))
    site.serve("/files/redirected", redirect("/private/file"))


def requests_of_rules_site(origin: str) -> list[dict[str, Any]]:
    files = [f"{origin}{target}" for target in ("/files/free", "/private/file", "/files/redirected")]
    return [
        *({"url": origin + target} for target in PAGES),
        {"url": f"{origin}/private/a"},
        {"url": f"{origin}/start"},
        {"url": f"{origin}/private-opt-out", "meta": {"dont_obey_robotstxt": True}},
        {"url": f"{origin}/page-own-header", "headers": {"User-Agent": "OtherBot/2.0"}},
        {"url": f"{origin}/noindex", "meta": {"canfetch_required_uses": ["may_index"]}},
        {"url": f"{origin}/meta", "meta": {"canfetch_required_uses": ["may_index"]}},
        *(
            {"url": origin + target, "meta": {"canfetch_purpose": "training"}}
            for target in ("/noai", "/reserved", "/usable")
        ),
        {"url": f"{origin}/files", "meta": {"file_urls": files}},
    ]


def crawl_settings(files: Path) -> dict[str, Any]:
    return {
        **ADDON,
        "RETRY_TIMES": 1,
        "ITEM_PIPELINES": {"scrapy.pipelines.files.FilesPipeline": 1},
        "FILES_STORE": str(files),
        "CANFETCH_IDENTITY": str(files),
        "CANFETCH_SKIP_REPORT": str(files / "reports" / "skippedPages.jsonl"),
        "MEDIA_ALLOW_REDIRECTS": True,
        "HTTPCACHE_ENABLED": True,
        "HTTPCACHE_DIR": str(files / "cache"),
    }


def test_no_disallowed_request_arrives(crawl: Crawl) -> None:
    received = [target for target in crawl.received("rules") if target.startswith("/private")]
    assert received == ["/private-opt-out"]
    assert "/page-own-header" not in crawl.received("rules")


def test_requests_over_https_are_signed_and_others_are_not(crawl: Crawl) -> None:
    site, identity = crawl.sites["tls"], SigningIdentity(crawl.folder)
    assert {"/robots.txt", "/robots%7Cmoved", "/page", "/moved", "/broken"} == set(crawl.received("tls"))
    assert len({request.headers["signature"] for request in site.requests}) == len(site.requests)
    for request in site.requests:
        assert checked_as_sent(site, request, identity).is_valid
    headers = {header for request in crawl.sites["rules"].requests for header in request.headers}
    assert not [header for header in headers if "signature" in header]


def test_a_signature_is_only_in_what_is_sent(crawl: Crawl) -> None:
    origin = crawl.sites["tls"].origin
    assert crawl.page("tls", "/moved").status == 200
    assert crawl.page("tls", "/broken").error
    pages = [page for url, page in crawl.result.pages.items() if url.startswith(origin)]
    assert not any("Signature" in page.meta for page in pages)
    stored = [path for path in (crawl.folder / "cache").rglob("*") if path.is_file()]
    assert any(path.name == "request_headers" for path in stored)
    assert not any(b"ignature" in path.read_bytes() for path in stored)


def test_robots_txt_is_requested_once(crawl: Crawl) -> None:
    for name in ("rules", "other", "missing", "encoded", "large", "endless", "tls"):
        assert crawl.received(name).count("/robots.txt") == 1, name


def test_robots_txt_is_requested_with_the_user_agent_and_without_encodings(crawl: Crawl) -> None:
    (request,) = [request for request in crawl.sites["rules"].requests if request.target == "/robots.txt"]
    assert request.headers["user-agent"] == ADDON["USER_AGENT"]
    assert request.headers["accept-encoding"] == "identity"
    assert "cookie" not in request.headers


def test_allowed_pages_are_crawled(crawl: Crawl) -> None:
    assert {crawl.page("rules", target).status for target in PAGES} == {200}


def test_verdict_explains_why_a_request_was_dropped(crawl: Crawl) -> None:
    outcome = crawl.page("rules", "/private/a")
    assert outcome.error == "DisallowedRequest"
    assert outcome.message == "Forbidden by robots.txt: line 2, Disallow: /private"
    url = f"{crawl.sites['rules'].origin}/private/a"
    assert f"Forbidden by robots.txt: <GET {url}>: line 2, Disallow: /private" in crawl.result.log


def test_redirect_to_a_disallowed_page_is_not_followed(crawl: Crawl) -> None:
    outcome = crawl.page("rules", "/start")
    assert (outcome.error, "line 2" in outcome.message) == ("DisallowedRequest", True)


def test_dropped_requests_are_in_the_skip_report(crawl: Crawl) -> None:
    pages = list(canfetch.read_skip_report(crawl.folder / "reports" / "skippedPages.jsonl"))
    found = {page.url: page for page in pages if isinstance(page, SkippedPage)}
    assert len(pages) == crawl.result.stats["robotstxt/forbidden"]
    own = found[f"{crawl.sites['rules'].origin}/private/a"]
    assert (own.reason, own.depth, own.is_seed) == ("robotsTxt", 0, True)
    assert (own.agent, own.explanation) == ("ExampleBot", "line 2, Disallow: /private")
    assert found[f"{crawl.sites['rules'].origin}/page-own-header"].agent == "OtherBot"
    # The target of a redirect, and a page of a site whose robots.txt cannot be fetched.
    assert f"{crawl.sites['rules'].origin}/private/redirected" in found
    assert "unreachable" in (found[f"{crawl.sites['broken'].origin}/page"].explanation or "")
    # A file that an item needs does not start the crawl.
    assert found[f"{crawl.sites['rules'].origin}/private/file"].is_seed is False


def test_opt_out_of_a_request(crawl: Crawl) -> None:
    assert crawl.page("rules", "/private-opt-out").status == 200


def test_user_agent_of_a_request_selects_the_group(crawl: Crawl) -> None:
    assert "line 5" in crawl.page("rules", "/page-own-header").message


def test_other_schemes_are_not_checked(crawl: Crawl) -> None:
    assert crawl.result.pages["data:text/plain,hello"].status == 200


def test_ports_have_their_own_files(crawl: Crawl) -> None:
    assert crawl.page("other", "/private").status == 200
    assert crawl.page("other", "/page").error == "DisallowedRequest"


def test_missing_robots_txt_allows_everything(crawl: Crawl) -> None:
    assert crawl.page("missing", "/private").status == 200


def test_rfc9309_2_3_1_4_server_errors_disallow_everything(crawl: Crawl) -> None:
    for target in ("/private", "/page"):
        outcome = crawl.page("broken", target)
        assert outcome.message == "Forbidden by robots.txt: robots.txt is unreachable: status 503"
    # RETRY_TIMES is 1. After that, the origin backs off.
    assert crawl.received("broken") == ["/robots.txt"] * 2


def test_retry_of_robots_txt_succeeds(crawl: Crawl) -> None:
    assert crawl.received("recovering") == ["/robots.txt", "/robots.txt", "/page"]


@pytest.mark.parametrize("name", ["moved", "encoded", "large", "endless", "tls"])
def test_robots_txt_applies_however_it_is_served(crawl: Crawl, name: str) -> None:
    assert crawl.page(name, "/page").status == 200
    assert crawl.page(name, "/private").error == "DisallowedRequest"
    moved = ["/robots%7Cmoved"] if name == "tls" else []
    expected = ["/robots.txt", *moved, "/page"]
    assert crawl.received(name)[: len(expected)] == expected


def test_page_rules_drop_responses_on_request(crawl: Crawl) -> None:
    outcome = crawl.page("rules", "/noindex")
    assert outcome.error == "DisallowedPage"
    assert outcome.message == "Forbidden by the page: may_index: noindex, X-Robots-Tag header 1"
    allowed = crawl.page("rules", "/meta")
    assert "may index: yes" in allowed.meta["page"]


def test_responses_that_may_not_be_used_are_dropped(crawl: Crawl) -> None:
    for target, reason in (
        ("/noai", "headers, X-Robots-Tag header 1: noai"),
        ("/reserved", "tdmrep.json entry 1: tdm-reservation 1 for /reserved (the rights to text"),
    ):
        outcome = crawl.page("rules", target)
        assert outcome.error == "DisallowedUse"
        assert outcome.message.startswith(f"Forbidden for training: {reason}")
    usable = crawl.page("rules", "/usable")
    assert (usable.status, usable.meta["page"]) == (
        200,
        "training: not stated: nothing that was read and applies to ExampleBot states anything on training",
    )
    assert crawl.received("rules").count("/.well-known/tdmrep.json") == 1
    assert crawl.result.stats["robotstxt/use_forbidden"] == 2


def test_files_pipeline_skips_disallowed_files(crawl: Crawl) -> None:
    (item,) = crawl.result.items
    assert [file["url"] for file in item["files"]] == [f"{crawl.sites['rules'].origin}/files/free"]


def test_statistics(crawl: Crawl) -> None:
    stats = crawl.result.stats
    dropped = [one for one in crawl.result.pages.values() if one.error == "DisallowedRequest"]
    files, unreachable = 2, 2
    assert stats["robotstxt/forbidden"] == len(dropped) + files
    assert stats["robotstxt/forbidden_reason_count/unreachable"] == unreachable
    assert stats["robotstxt/forbidden_reason_count/disallow-rule"] == len(dropped) + files - unreachable
    assert stats["robotstxt/page_forbidden_use_count/may_index"] == 1
    assert stats["robotstxt/fetch_count"] == 10
    assert stats["robotstxt/failure_count/server_error"] == 1
    # One of them is for tdmrep.json.
    assert stats["robotstxt/request_count"] == stats["robotstxt/response_count"] == 13
    assert stats["robotstxt/response_status_count/302"] == 2


@since_2_18
def test_signal_robots_parsed_is_sent_once_for_each_file(crawl: Crawl) -> None:
    signalled = [text.partition("/p")[0] for text in crawl.result.signalled]
    assert len(signalled) == len(set(signalled)) == 9
    assert crawl.sites["broken"].origin not in "".join(signalled)


@since_2_18  # The files pipeline of earlier releases logs a traceback for each dropped file.
def test_crawl_has_no_errors_and_no_decisions_in_its_log(crawl: Crawl) -> None:
    # Scrapy logs all pages.
    assert "canfetch.decisions" not in crawl.result.log
    lines = [line for line in crawl.result.log.splitlines() if " ERROR: " in line or "Traceback" in line]
    # Scrapy reports that the retries did not help, and the dropped files.
    assert all("Gave up retrying" in line or "[scrapy.pipelines" in line for line in lines), lines
