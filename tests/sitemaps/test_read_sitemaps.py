"""Sitemaps of sites on loopback: indexes, redirects, the rules about hosts, verdicts, and guards."""

import asyncio
import gzip
from collections.abc import Iterator
from contextlib import aclosing, closing
from itertools import chain
from typing import Any

import pytest
from tests.servers.redirects import redirect
from tests.servers.valid import respond
from tests.servers.web import Behaviour, Exchange, Site

import canfetch
from canfetch.errors import InvalidOption, InvalidURL
from canfetch.sitemaps import SitemapEntry, SitemapFile, read_sitemaps
from canfetch.sitemaps.reading import SitemapEvent

ROBOTS = "User-agent: *\nDisallow: /private\n\nUser-agent: GPTBot\nDisallow: /\n\n"


@pytest.fixture
def other() -> Iterator[Site]:
    """Return a second site."""
    with Site() as running:
        yield running


def serve_robots(site: Site, *sitemaps: str) -> None:
    lines = "".join(f"Sitemap: {sitemap}\n" for sitemap in sitemaps)
    site.serve("/robots.txt", respond(f"{ROBOTS}{lines}".encode()))


def urlset(*urls: str) -> bytes:
    return f"<urlset>{''.join(f'<url><loc>{url}</loc></url>' for url in urls)}</urlset>".encode()


def index(*urls: str) -> bytes:
    entries = "".join(f"<sitemap><loc>{url}</loc></sitemap>" for url in urls)
    return f"<sitemapindex>{entries}</sitemapindex>".encode()


def read(
    site: Site, *, client_options: dict[str, Any] | None = None, **options: Any
) -> tuple[list[SitemapEntry], list[SitemapFile]]:
    """Return the URLs and the sitemaps of a site."""
    with canfetch.Client(user_agent="ExampleBot/1.0", **(client_options or {})) as client:
        events = list(read_sitemaps(client, site.origin, **options))
    entries = [event for event in events if isinstance(event, SitemapEntry)]
    return entries, [event for event in events if isinstance(event, SitemapFile)]


def read_async(site: Site, **options: Any) -> list[SitemapEvent]:
    async def main() -> list[SitemapEvent]:
        async with canfetch.AsyncClient(user_agent="ExampleBot/1.0") as client:
            return [event async for event in read_sitemaps(client, site.origin, **options)]

    return asyncio.run(main())


def kinds(file: SitemapFile) -> list[str]:
    return [str(problem.kind) for problem in file.problems]


def test_index_and_its_sitemaps_are_read_with_verdicts(site: Site) -> None:
    serve_robots(site, site.url("index.xml"))
    site.serve("/index.xml", respond(index(site.url("a.xml.gz"), site.url("old.xml"))))
    compressed = gzip.compress(urlset(site.url("x"), site.url("private/y")))
    site.serve("/a.xml.gz", respond(compressed, "Content-Type: application/gzip"))
    site.serve("/old.xml", redirect(site.url("new.txt"), 301))
    site.serve("/new.txt", respond(site.url("z").encode()))
    entries, files = read(site, agents=["GPTBot", "Googlebot"])
    assert [(entry.url, [verdict.allowed for verdict in entry.verdicts]) for entry in entries] == [
        (site.url("x"), [False, True]),
        (site.url("private/y"), [False, False]),
        (site.url("z"), [False, True]),
    ]
    assert [entry.is_blocked for entry in entries] == [True] * 3
    assert entries[1].verdicts[1].line == 2
    assert [(file.url, file.index_url, file.kind, file.urls, file.problems) for file in files] == [
        (site.url("a.xml.gz"), site.url("index.xml"), "urlset", 2, ()),
        (site.url("old.xml"), site.url("index.xml"), "text", 1, ()),
        (site.url("index.xml"), None, "index", 2, ()),
    ]


def serve_in_reverse(site: Site, count: int) -> list[str]:
    """Serve an index. The response of each sitemap waits for that of the next. Return the URLs of the sitemaps."""
    urls = [site.url(f"s{number}.txt") for number in range(count)]
    serve_robots(site, site.url("index.xml"))
    site.serve("/index.xml", respond(index(*urls)))
    sent = [asyncio.Event() for _ in range(count + 1)]
    sent[count].set()

    def after_the_next(number: int) -> Behaviour:
        async def behaviour(exchange: Exchange) -> None:
            await sent[number + 1].wait()
            await exchange.respond(200, site.url(f"page{number}").encode())
            sent[number].set()

        return behaviour

    for number in range(count):
        site.serve(f"/s{number}.txt", after_the_next(number))
    return urls


def test_sitemaps_of_an_index_are_fetched_at_the_same_time_and_stay_in_order(site: Site) -> None:
    urls = serve_in_reverse(site, 3)
    entries, files = read(site, parallel=3)
    assert [entry.url for entry in entries] == [site.url(f"page{number}") for number in range(3)]
    assert [file.url for file in files] == [*urls, site.url("index.xml")]
    serve_in_reverse(site, 3)
    assert read_async(site, parallel=3) == [*chain(*zip(entries, files, strict=False)), files[-1]]


def test_one_sitemap_is_fetched_at_a_time_with_parallel_1(site: Site) -> None:
    running, most = 0, 0

    async def text(exchange: Exchange) -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await exchange.respond(200, site.url("x").encode())
        running -= 1

    urls = [site.url(f"s{number}.txt") for number in range(9)]
    serve_robots(site, site.url("index.xml"))
    site.serve("/index.xml", respond(index(*urls)))
    for number in range(9):
        site.serve(f"/s{number}.txt", text)
    entries, _ = read(site, parallel=1)
    assert (len(entries), most) == (9, 1)
    assert len(read(site, parallel=4)[0]) == 9
    assert most <= 4


def test_reading_can_end_early(site: Site) -> None:
    serve_in_reverse(site, 2)
    site.serve("/s1.txt", Exchange.wait_closed)

    async def first() -> SitemapEvent:
        async with (
            canfetch.AsyncClient(user_agent="ExampleBot/1.0") as client,
            aclosing(read_sitemaps(client, site.origin, agents=["a"])) as events,
        ):
            return await anext(events)

    site.serve("/s0.txt", respond(site.url("x").encode()))
    with canfetch.Client(user_agent="ExampleBot/1.0") as client, closing(read_sitemaps(client, site.origin)) as events:
        entry = asyncio.run(first())
        assert isinstance(entry, SitemapEntry)
        assert next(events) == entry._replace(verdicts=())


def test_invalid_arguments_raise_at_the_call(site: Site) -> None:
    with (
        canfetch.Client(user_agent="ExampleBot/1.0") as client,
        pytest.raises(InvalidOption, match="invalid parallel 0"),
    ):
        read_sitemaps(client, site.origin, parallel=0)


def test_faults_of_files_are_problems_and_the_others_are_read(site: Site) -> None:
    names = [site.url(name) for name in ("private.xml", "gone.xml", "page.xml", "good.xml")]
    # The first sitemap itself may not be fetched.
    serve_robots(site, *names, "/relative.xml")
    site.serve("/page.xml", respond(b"<html></html>"))
    site.serve("/good.xml", respond(urlset(site.url("x"))))
    entries, files = read(site)
    assert [entry.url for entry in entries] == [site.url("x")]
    assert [kinds(file) for file in files] == [["not-fetched"], ["not-fetched"], ["not-a-sitemap"], [], ["not-fetched"]]
    assert "robots.txt disallows" in files[0].problems[0].detail
    assert "responded with status 404" in files[1].problems[0].detail
    assert "expected an absolute http or https URL" in files[4].problems[0].detail
    assert [file.is_unreadable for file in files] == [True, True, True, False, True]


def test_sitemaps_protocol_an_index_lists_no_indexes(site: Site) -> None:
    serve_robots(site, site.url("index.xml"))
    site.serve("/index.xml", respond(index(site.url("nested.xml"), site.url("index.xml"))))
    site.serve("/nested.xml", respond(index(site.url("never.xml"))))
    entries, files = read(site)
    assert entries == []
    assert [(file.url, kinds(file)) for file in files] == [
        (site.url("nested.xml"), ["nested-index"]),
        (site.url("index.xml"), []),
    ]
    assert "/never.xml" not in {request.target for request in site.requests}


def test_a_sitemap_is_requested_once_however_its_url_is_written(site: Site) -> None:
    url = site.url("s.xml")
    serve_robots(site, site.url("index.xml"), f"{site.url('index.xml')}#again")
    spellings = [url, url, f"{url}#1", f"{url}#2", url.replace("http:", "HTTP:"), url.replace("//", "//user@")]
    site.serve("/index.xml", respond(index(*spellings, f"{url}?a", f"{url}?a#b")))
    site.serve("/s.xml", respond(urlset(site.url("page"))))
    site.serve("/s.xml?a", respond(urlset(site.url("other"))))
    entries, files = read(site)
    assert [entry.url for entry in entries] == [site.url("page"), site.url("other")]
    assert len(files) == 3
    assert [site.count(target) for target in ("/index.xml", "/s.xml", "/s.xml?a")] == [1, 1, 1]


def test_number_of_sitemaps_is_limited(site: Site) -> None:
    serve_robots(site, site.url("index.xml"))
    names = [f"s{number}.txt" for number in range(5)]
    site.serve("/index.xml", respond(index(*map(site.url, names))))
    for name in names:
        site.serve(f"/{name}", respond(site.url("x").encode()))
    entries, files = read(site, max_sitemaps=3)
    assert len(entries) == 2
    assert [kinds(file) for file in files] == [[], [], ["too-many-sitemaps"]]
    assert files[-1].problems[0].detail == "3 sitemaps are not read: expected at most 3"


def test_the_limit_counts_sitemaps_that_robots_txt_names(site: Site) -> None:
    names = [site.url(f"{number}.xml") for number in range(4)]
    serve_robots(site, *names)
    for number in range(4):
        site.serve(f"/{number}.xml", respond(urlset(site.url(f"page{number}"))))
    entries, files = read(site, max_sitemaps=2)
    assert [entry.url for entry in entries] == [site.url("page0"), site.url("page1")]
    assert [(file.url, file.kind) for file in files[2:]] == [(names[2], None)]
    (problem,) = files[-1].problems
    assert (str(problem.kind), problem.detail) == ("too-many-sitemaps", "2 sitemaps are not read: expected at most 2")
    assert not site.count("/2.xml") + site.count("/3.xml")
    assert "1 sitemap is not read" in read(site, max_sitemaps=3)[1][-1].problems[0].detail


@pytest.mark.parametrize("named", [True, False])
def test_sitemaps_protocol_cross_submits(site: Site, other: Site, named: bool) -> None:  # noqa: FBT001 - a parameter
    serve_robots(site, site.url("sitemap.xml"))
    serve_robots(other, *([site.url("sitemap.xml")] if named else []))
    site.serve("/sitemap.xml", respond(urlset(site.url("x"), other.url("y"), other.url("z"))))
    entries, files = read(site)
    assert [entry.is_accepted for entry in entries] == [True, named, named]
    problems = [(str(problem.kind), problem.occurrences) for problem in files[0].problems]
    assert problems == ([] if named else [("other-host", 2)])


def test_sitemaps_protocol_a_sitemap_that_is_not_named_lists_its_folder(site: Site) -> None:
    serve_robots(site, site.url("named/sitemap.xml"))
    for folder in ("named", "other"):
        site.serve(f"/{folder}/sitemap.xml", respond(urlset(site.url(f"{folder}/x"), site.url("y?/other/"))))
    sitemaps = [site.url("named/sitemap.xml"), site.url("other/sitemap.xml")]
    entries, files = read(site, sitemaps=sitemaps)
    assert [entry.is_accepted for entry in entries] == [True, True, True, False]
    assert [kinds(file) for file in files] == [[], ["outside-folder"]]


def test_sitemap_of_another_host_in_an_index_needs_its_robots_txt(site: Site, other: Site) -> None:
    serve_robots(site, site.url("index.xml"))
    site.serve("/index.xml", respond(index(other.url("s.xml"))))
    other.serve("/s.xml", respond(urlset(site.url("x"))))
    entries, files = read(site)
    assert (entries, [kinds(file) for file in files]) == ([], [["other-host"]])
    serve_robots(other, other.url("s.xml"))
    entries, files = read(site)
    assert ([entry.is_accepted for entry in entries], [kinds(file) for file in files]) == ([True], [[], []])


@pytest.mark.slow
def test_files_of_a_limited_number_of_other_hosts_are_requested(site: Site) -> None:
    serve_robots(site, site.url("sitemap.xml"))
    # Connections to the port of the site are refused at these addresses.
    urls = [f"http://127.0.2.{number}:{site.port}/x" for number in range(120)]
    site.serve("/sitemap.xml", respond(urlset(*urls, site.url("y"), *urls)))
    entries, files = read(site, agents=["Googlebot"])
    assert [len(entry.verdicts) for entry in entries] == ([1] * 100 + [0] * 20) + [1] + ([1] * 100 + [0] * 20)
    assert entries[100].error == (
        f"the robots.txt of http://127.0.2.100:{site.port} is not requested: the sitemaps list URLs of more than 100 "
        "other hosts"
    )
    assert kinds(files[0]) == ["other-host"]


def test_private_addresses_are_refused(site: Site) -> None:
    serve_robots(site, site.url("sitemap.xml"))
    sitemap = site.url("sitemap.xml")
    site.serve("/sitemap.xml", respond(urlset(site.url("x"))))
    entries, files = read(site, client_options={"allow_private": False}, sitemaps=[sitemap])
    assert (entries, [kinds(file) for file in files]) == ([], [["not-fetched"]])
    assert [request.target for request in site.requests] == []


def test_credentials_of_the_client_are_not_sent_for_documents(site: Site) -> None:
    serve_robots(site, site.url("sitemap.xml"))
    site.serve("/sitemap.xml", respond(urlset(site.url("x"))))
    read(site, client_options={"headers": {"Authorization": "Bearer secret", "From": "bot@example.com"}})
    sent = {request.target: request.headers for request in site.requests}
    assert "authorization" in sent["/robots.txt"]
    assert "authorization" not in sent["/sitemap.xml"]
    assert "from" in sent["/sitemap.xml"]


@pytest.mark.parametrize("is_passed", [False, True], ids=["named-by-robots-txt", "passed"])
def test_credentials_are_sent_to_the_robots_txt_of_named_origins_only(
    site: Site, other: Site, *, is_passed: bool
) -> None:
    serve_robots(site, other.url("sitemap.xml"))
    serve_robots(other)
    with Site() as third:
        serve_robots(third)
        other.serve("/sitemap.xml", respond(urlset(third.url("x"))))
        sitemaps = {"sitemaps": [other.url("sitemap.xml")]} if is_passed else {}
        options = {"headers": {"Authorization": "Bearer secret"}}
        entries, _ = read(site, client_options=options, agents=["GPTBot"], **sitemaps)
        assert [len(entry.verdicts) for entry in entries] == [1]
        for one, is_named in ((other, is_passed), (third, False)):
            sent = ["authorization" in each.headers for each in one.requests if each.target == "/robots.txt"]
            assert sent == [is_named]


def test_verdict_that_cannot_be_computed_is_a_problem(site: Site) -> None:
    serve_robots(site, site.url("sitemap.xml"))
    site.serve("/sitemap.xml", respond(urlset("x", site.url("y"))))
    entries, files = read(site, agents=["GPTBot"])
    assert [(bool(entry.error), len(entry.verdicts)) for entry in entries] == [(True, 0), (False, 1)]
    assert kinds(files[0]) == ["invalid-url"]


def test_a_site_without_sitemaps_has_none(site: Site) -> None:
    assert read(site) == ([], [])
    with canfetch.Client(user_agent="ExampleBot/1.0") as client, pytest.raises(InvalidURL):
        read_sitemaps(client, "nonsense")
