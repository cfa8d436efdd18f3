"""Requests that robots.txt disallows are not sent, redirect targets included."""

import asyncio
import pickle
import urllib.request
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.integrations.http_clients.conftest import ROBOTS, page, prepare
from tests.integrations.http_clients.hosts import ASYNC_NAMES, USER_AGENT, open_host
from tests.servers.dead_ports import refusing_port
from tests.servers.redirects import redirect
from tests.servers.valid import respond
from tests.servers.web import Exchange, Site

from canfetch import SkippedPage, SkipReport, read_skip_report
from canfetch.client.stores.memory import MemoryStore
from canfetch.core.verdict import Access, Effect, Reason, RobotsDisallowed
from canfetch.errors import CanfetchError, ClientClosed, InvalidOption, InvalidURL


def targets(site: Site) -> list[str]:
    return [request.target for request in site.requests]


def disallowed(host: Any, url: str, **options: Any) -> RobotsDisallowed:
    with pytest.raises(RobotsDisallowed) as caught:
        host.get(url, **options)
    return caught.value


def test_allowed_request_is_sent(name: str, shop: Site) -> None:
    with open_host(name) as host:
        assert host.get(shop.url("fish")) == (200, b"/fish", None, None)
        assert host.get(shop.url("more")).body == b"/more"
    assert targets(shop) == ["/robots.txt", "/fish", "/more"]
    assert {request.headers["user-agent"] for request in shop.requests} == {USER_AGENT}


def test_disallowed_request_is_not_sent(name: str, shop: Site) -> None:
    url = shop.url("private/notes")
    with open_host(name) as host:
        disallowed(host, url)
        error = disallowed(host, url)
    assert targets(shop) == ["/robots.txt"]
    assert str(error) == f"ExampleBot may not fetch {url}: line 2, Disallow: /private/"
    assert error.url == url
    assert error.verdict.rule is not None
    assert error.verdict.access.access is Access.SUCCESSFUL


def test_requests_that_are_not_sent_are_in_the_skip_report(name: str, shop: Site, tmp_path: Path) -> None:
    shop.serve("/start", redirect("/private/target"))
    with SkipReport(tmp_path / "skippedPages.jsonl") as report, open_host(name, skip_report=report) as host:
        host.get(shop.url("fish"))
        disallowed(host, shop.url("private/notes"))
        disallowed(host, shop.url("start"))
    pages = [page for page in read_skip_report(report.path) if isinstance(page, SkippedPage)]
    assert [page.url for page in pages] == [shop.url("private/notes"), shop.url("private/target")]
    assert {(page.reason, page.agent, page.depth) for page in pages} == {("robotsTxt", "ExampleBot", None)}
    with pytest.raises(InvalidOption, match=r"expected a canfetch\.SkipReport"), open_host(name, skip_report="a"):
        pass


def test_error_is_one_of_the_http_client(name: str, shop: Site) -> None:
    with open_host(name) as host:
        with pytest.raises(host.base_error) as caught:
            host.get(shop.url("private/notes"))
        error = caught.value
    assert isinstance(error, RobotsDisallowed)
    assert isinstance(error, CanfetchError)
    assert isinstance(error, OSError)
    if name.startswith("httpx2") or name == "requests":
        assert str(error.request.url) == error.url  # type: ignore[attr-defined]
    copied = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own data
    assert type(copied) is type(error)
    assert (str(copied), copied.url, copied.verdict) == (str(error), error.url, error.verdict)


def test_credentials_of_a_url_are_not_shown(shop: Site) -> None:
    with open_host("requests") as host:
        error = disallowed(host, f"http://user:secret@{shop.netloc}/private/notes")
    assert "secret" not in str(error)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirect_to_a_disallowed_page_is_not_followed(name: str, shop: Site, status: int) -> None:
    shop.serve("/fish", redirect("/private/notes", status))
    with open_host(name) as host:
        assert disallowed(host, shop.url("fish")).url == shop.url("private/notes")
    assert targets(shop) == ["/robots.txt", "/fish"]


def test_redirect_to_a_disallowed_page_of_another_origin_is_not_followed(name: str, shop: Site, other: Site) -> None:
    shop.serve("/fish", redirect(other.url("private/notes")))
    with open_host(name) as host:
        error = disallowed(host, shop.url("fish"))
    assert error.url == other.url("private/notes")
    assert targets(shop) == ["/robots.txt", "/fish"]
    assert targets(other) == ["/robots.txt"]


def test_allowed_redirects_are_followed(name: str, shop: Site, other: Site) -> None:
    shop.serve("/fish", redirect("/more"))
    shop.serve("/more", redirect(other.url("fish")))
    with open_host(name) as host:
        assert host.get(shop.url("fish")).body == b"/fish"
        assert host.robots.stats.checked == 3
    assert targets(shop) == ["/robots.txt", "/fish", "/more"]
    assert targets(other) == ["/robots.txt", "/fish"]


def test_redirect_of_robots_txt_is_followed_without_checks(name: str, shop: Site, other: Site) -> None:
    shop.serve("/robots.txt", redirect("/private/robots"))
    shop.serve("/private/robots", redirect(other.url("rules")))
    other.serve("/rules", respond(ROBOTS))
    with open_host(name) as host:
        disallowed(host, shop.url("private/notes"))
        assert host.get(shop.url("fish")).status == 200
        assert host.robots.stats == (2, 1, 0, 0.0, 0, 0)
    assert targets(shop) == ["/robots.txt", "/private/robots", "/fish"]
    assert targets(other) == ["/rules"]


def test_redirect_to_the_robots_txt_of_another_origin_serves_both(name: str, shop: Site, other: Site) -> None:
    shop.serve("/robots.txt", redirect(other.url("robots.txt")))
    other.serve("/robots.txt", respond(ROBOTS, "Set-Cookie: visit=1"))
    with open_host(name) as host:
        disallowed(host, shop.url("private/notes"))
        disallowed(host, other.url("private/notes"))
    assert (shop.count("/robots.txt"), other.count("/robots.txt")) == (1, 1)


def test_aiohttp_session_with_another_middleware_fetches_the_robots_txt_of_both(shop: Site, other: Site) -> None:
    aiohttp = pytest.importorskip("aiohttp")

    from canfetch.integrations.aiohttp import RobotsMiddleware

    async def authorize(request: Any, handler: Any) -> Any:
        request.headers["Authorization"] = "Bearer secret"
        return await handler(request)

    async def fetch() -> None:
        middleware = RobotsMiddleware(user_agent=USER_AGENT)
        async with middleware, aiohttp.ClientSession(middlewares=[middleware, authorize]) as session:
            for site in (shop, other):
                async with session.get(site.url("fish")) as response:
                    assert response.status == 200

    shop.serve("/robots.txt", redirect(other.url("robots.txt")))
    asyncio.run(fetch())
    requests = [request for request in other.requests if request.target == "/robots.txt"]
    assert [request.headers.get("authorization") for request in requests] == [None, "Bearer secret"]


@pytest.mark.parametrize(
    "header",
    ["URI: {}/fish", "Location: {}/x/../fish", "Location: {}/%66ish#a", "Location: {}/fish\r\nLocation: /fish"],
    ids=["uri", "dots", "escape", "twice"],
)
@pytest.mark.parametrize("guarded", ["aiohttp", "urllib"])
def test_every_redirect_that_the_http_client_follows_names_no_origin(
    guarded: str, header: str, shop: Site, other: Site
) -> None:
    shop.serve("/moved", respond(b"", header.format(other.origin), status=302))
    with open_host(guarded) as host:
        if guarded == "aiohttp":
            host.session.headers.add("X-Api-Key", "secret")
        else:
            host.opener.addheaders.append(("X-Api-Key", "secret"))
        host.get(shop.url("moved"))
    assert [each.headers.get("x-api-key", "") for each in other.requests if each.target == "/robots.txt"] == [""]


@pytest.mark.parametrize("options", [{}, {"purpose": "training", "mark_uses": True}], ids=["checks", "purpose"])
@pytest.mark.parametrize("guarded", ["aiohttp", "urllib"])
def test_credentials_are_not_sent_for_an_origin_that_a_site_names(
    guarded: str, options: dict[str, Any], shop: Site, other: Site
) -> None:
    """By a redirect of a page, or a license."""
    secret = ("X-Api-Key", "secret")
    shop.serve("/robots.txt", respond(f"License: {other.url('rsl')}\n".encode() + ROBOTS))
    shop.serve("/moved", redirect(other.url("back")))
    other.serve("/back", redirect(shop.url("fish")))
    with open_host(guarded, **options) as host:
        if guarded == "aiohttp":
            host.session.headers.add(*secret)
        else:
            host.opener.addheaders.append(secret)
        for path in ("moved", "fish"):
            assert host.get(shop.url(path)).status == 200
        for site, expected in ((shop, ["secret"]), (other, [""])):
            robots = [request.headers for request in site.requests if request.target == "/robots.txt"]
            assert [headers.get("x-api-key", "") for headers in robots] == expected
        assert all(not each.headers.get("x-api-key") for each in other.requests if each.target == "/rsl")
        other.requests.clear()
        # The caller names it.
        assert host.get(other.url("fish")).status == 200
        robots = [request.headers for request in other.requests if request.target == "/robots.txt"]
        assert [headers.get("x-api-key") for headers in robots] == ["secret"]


def test_a_redirect_that_the_http_client_reads_in_another_way_names_no_origin(shop: Site, other: Site) -> None:
    class Reader(urllib.request.HTTPRedirectHandler):
        def redirect_request(self, *arguments: Any) -> Any:
            changed: Any = (*arguments[:-1], other.url("more"))
            return super().redirect_request(*changed)

    shop.serve("/moved", redirect(other.url("fish")))
    with open_host("urllib") as host:
        host.opener.addheaders.append(("X-Api-Key", "secret"))
        host.opener.handle_error["http"] = {302: [host.handler, Reader()]}
        for handler in host.opener.handle_error["http"][302][1:]:
            handler.add_parent(host.opener)
        assert host.get(shop.url("moved")).status == 200
    assert other.count("/more") == 1
    assert [each.headers.get("x-api-key") for each in other.requests if each.target == "/robots.txt"] == [""]


def test_a_request_that_authentication_repeats_after_a_redirect_names_no_origin(shop: Site, other: Site) -> None:
    passwords = urllib.request.HTTPPasswordMgrWithDefaultRealm()
    passwords.add_password(None, other.origin, "user", "secret")

    async def protected(exchange: Exchange) -> None:
        status = 200 if "authorization" in exchange.request.headers else 401
        await exchange.respond(status, b"", 'WWW-Authenticate: Basic realm="a"')

    shop.serve("/moved", redirect(other.url("protected")))
    other.serve("/protected", protected)
    with open_host("urllib") as host:
        host.opener.addheaders.append(("X-Api-Key", "secret"))
        host.opener.add_handler(urllib.request.HTTPBasicAuthHandler(passwords))
        assert host.get(shop.url("moved")).status == 200
    assert other.count("/protected") == 2
    assert [each.headers.get("x-api-key") for each in other.requests if each.target == "/robots.txt"] == [""]


def test_opener_with_credentials_fetches_the_robots_txt_of_both(shop: Site, other: Site) -> None:
    shop.serve("/robots.txt", redirect(other.url("robots.txt")))
    with open_host("urllib") as host:
        host.opener.addheaders.append(("X-Api-Key", "secret"))
        disallowed(host, shop.url("private/notes"))
        disallowed(host, other.url("private/notes"))
    assert (shop.count("/robots.txt"), other.count("/robots.txt")) == (1, 2)


@pytest.mark.parametrize("bare_name", ["httpx2", "httpx2-async", "requests"])
def test_cookies_of_robots_txt_are_not_stored(bare_name: str, shop: Site) -> None:
    shop.serve("/robots.txt", respond(ROBOTS, "Set-Cookie: visit=1", "Cache-Control: max-age=0"))
    now = [1_000_000_000.0]
    with open_host(bare_name, clock=lambda: now[0]) as host:
        for _ in range(2):
            assert host.get(shop.url("fish")).status == 200
            now[0] += 86_401
    requests = [request for request in shop.requests if request.target == "/robots.txt"]
    assert len(requests) == 2
    assert all("cookie" not in request.headers for request in requests)


def test_robots_txt_itself_can_be_requested(name: str, shop: Site) -> None:
    shop.serve("/robots.txt", respond(b"User-agent: *\nDisallow: /\n"))
    with open_host(name) as host:
        assert host.get(f"{shop.origin}/robots.txt").body == b"User-agent: *\nDisallow: /\n"
        disallowed(host, shop.url("fish"))


# --- origins whose robots.txt cannot be obtained ---------------------------------------------------------------------


def test_rfc9309_2_3_1_3_unavailable_file_allows_everything(name: str, shop: Site) -> None:
    shop.serve("/robots.txt", respond(b"", status=404))
    with open_host(name) as host:
        assert host.get(shop.url("private/notes")).status == 200
    assert shop.count("/robots.txt") == 1


def test_rfc9309_2_3_1_4_unreachable_file_disallows_everything(name: str, shop: Site) -> None:
    shop.serve("/robots.txt", respond(b"", status=503))
    with open_host(name) as host:
        disallowed(host, shop.url("fish"))
        error = disallowed(host, shop.url("fish"))
        assert host.robots.client.stats.failures == {"server_error": 1}
    assert targets(shop) == ["/robots.txt"]
    assert error.verdict.reason is Reason.UNREACHABLE
    assert error.verdict.access.effect is Effect.FULL_DISALLOW
    assert str(error).endswith(f"/fish: robots.txt is unreachable: {error.verdict.access.explanation}")


@pytest.mark.parametrize("label", ["silent", "slow-body", "reset", "short-body", "not-http", "cut-head", "gzip-cut"])
def test_broken_file_disallows_everything(name: str, site: Site, label: str) -> None:
    site.serve("/robots.txt", redirect(f"/{label}"))
    with open_host(name, timeout=0.5 if label in {"silent", "slow-body"} else 20.0) as host:
        error = disallowed(host, f"{site.origin}/fish")
    assert error.verdict.reason is Reason.UNREACHABLE
    assert "/fish" not in targets(site)


@pytest.mark.parametrize("status, reason", [(404, None), (503, "robots.txt is unreachable: status 503")])
def test_status_counts_after_the_retries_of_an_adapter(shop: Site, status: int, reason: str | None) -> None:
    requests = pytest.importorskip("requests")
    from urllib3.util.retry import Retry

    from canfetch.integrations.requests import RobotsAdapter

    shop.serve("/robots.txt", respond(b"", status=status))
    retries = requests.adapters.HTTPAdapter(max_retries=Retry(1, status_forcelist=[404, 503]))
    with requests.Session() as session:
        session.mount("http://", RobotsAdapter(user_agent=USER_AGENT, adapter=retries))
        if reason is None:
            assert session.get(shop.url("fish")).status_code == 200
        else:
            with pytest.raises(RobotsDisallowed, match=reason):
                session.get(shop.url("fish"))
    assert shop.count("/robots.txt") == 2


def test_retries_of_failed_connections_only_repeat_no_request(shop: Site) -> None:
    requests = pytest.importorskip("requests")
    from urllib3.util.retry import Retry

    from canfetch.integrations.requests import RobotsAdapter

    shop.serve("/fish", respond(b"", "Retry-After: 0", status=503))
    shop.serve("/more", redirect("/reset"))
    retry = Retry(connect=3, read=False, other=0, respect_retry_after_header=False)
    retries = requests.adapters.HTTPAdapter(max_retries=retry)
    with requests.Session() as session:
        session.mount("http://", RobotsAdapter(user_agent=USER_AGENT, adapter=retries))
        assert session.get(shop.url("fish")).status_code == 503
        with pytest.raises(requests.ConnectionError):
            session.get(shop.url("more"))
    assert (shop.count("/fish"), shop.count("/reset")) == (1, 1)


def test_origin_that_refuses_connections_is_disallowed(name: str) -> None:
    with refusing_port() as port, open_host(name) as host:
        error = disallowed(host, f"http://127.0.0.1:{port}/fish")
    assert error.verdict.reason is Reason.UNREACHABLE


def test_phases_of_an_origin_that_recovers(name: str, shop: Site) -> None:
    now = [1_000_000_000.0]
    unavailable = respond(b"", status=503)
    shop.serve("/robots.txt", unavailable, respond(ROBOTS), unavailable)
    with open_host(name, clock=lambda: now[0]) as host:
        disallowed(host, shop.url("fish"))
        now[0] += 3600
        assert host.get(shop.url("fish")).status == 200
        now[0] += 23 * 3600
        assert host.get(shop.url("fish")).status == 200
        assert shop.count("/robots.txt") == 2
        now[0] += 2 * 3600
        # The last good copy applies while the origin is unreachable.
        assert host.get(shop.url("fish")).status == 200
        disallowed(host, shop.url("private/notes"))
        now[0] += 31 * 86400
        disallowed(host, shop.url("fish"))
    assert "/private/notes" not in targets(shop)


@pytest.mark.parametrize("url", ["http://exa mple.com/", "http://127.0.0.1:99999/", "http://%zz/"])
def test_redirect_to_an_invalid_url_raises_an_error_of_the_http_client(name: str, shop: Site, url: str) -> None:
    shop.serve("/fish", redirect(url))
    with open_host(name) as host:
        with pytest.raises(host.base_error):
            host.get(shop.url("fish"))
        assert host.get(shop.url("more")).status == 200
    assert targets(shop) == ["/robots.txt", "/fish", "/more"]


def test_error_for_an_invalid_host(name: str, shop: Site) -> None:
    shop.serve("/fish", redirect("http://%zz/"))
    with open_host(name) as host:
        with pytest.raises(InvalidURL) as caught:
            host.get(shop.url("fish"))
        error: Any = caught.value
        assert host.robots.stats[:2] == (2, 0)
        assert isinstance(error, host.base_error)
    # requests escapes it.
    url = "http://%25zz/" if name == "requests" else "http://%zz/"
    assert str(error) == f"invalid URL '{url}': expected an absolute URL with a valid host and port"
    if name.startswith("httpx2") or name == "requests":
        assert str(error.request.url) == url
    copied = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own data
    assert type(copied) is type(error)
    assert (str(copied), copied.url) == (str(error), url)


def test_aiohttp_url_with_characters_that_are_not_sent_is_refused(shop: Site) -> None:
    """Without requoting, aiohttp removes lone surrogates from the target, which is another one then."""
    aiohttp = pytest.importorskip("aiohttp")
    import yarl

    from canfetch.integrations.aiohttp import InvalidRequestURL, RobotsMiddleware

    async def redirect_to_a_byte(exchange: Exchange) -> None:
        await exchange.send(b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: /\xffprivate/notes\r\n\r\n")

    async def fetch() -> None:
        middleware = RobotsMiddleware(user_agent=USER_AGENT)
        async with (
            middleware,
            aiohttp.ClientSession(middlewares=[middleware], requote_redirect_url=False) as session,
        ):
            for url in (shop.url("fish"), yarl.URL(f"{shop.url('')}\udcffprivate/notes", encoded=True)):
                with pytest.raises(InvalidRequestURL, match="a lone surrogate has no bytes to send"):
                    await session.get(url)
            # Other characters are sent in UTF-8.
            async with session.get(yarl.URL(shop.url("more?\xe9"), encoded=True)) as response:
                assert response.status == 404

    shop.serve("/fish", redirect_to_a_byte)
    asyncio.run(fetch())
    assert targets(shop)[:2] == ["/robots.txt", "/fish"]
    assert not any("private" in target for target in targets(shop))


def test_port_above_65535_is_not_connected_to(name: str, shop: Site) -> None:
    """Some HTTP clients connect to the port modulo 65536."""
    with open_host(name) as host, pytest.raises(host.base_error):
        host.get(f"http://127.0.0.1:{shop.port + 65_536}/fish")
    assert not shop.requests


# --- exempt requests -------------------------------------------------------------------------------------------------


def test_exempt_requests_are_not_checked(name: str, shop: Site) -> None:
    shop.serve("/fish", redirect("/private/notes"))
    with open_host(name) as host:
        with host.robots.exempt():
            assert host.get(shop.url("fish")).body == b"/private/notes"
        assert targets(shop) == ["/fish", "/private/notes"]
        disallowed(host, shop.url("private/notes"))
        assert host.robots.stats.exempt == 2


def test_exemption_of_one_guard_does_not_apply_to_another(shop: Site) -> None:
    with open_host("requests") as host, open_host("urllib") as checked, host.robots.exempt():
        host.get(shop.url("private/notes"))
        disallowed(checked, shop.url("private/notes"))


@pytest.mark.parametrize("httpx2_name", ["httpx2", "httpx2-async"])
def test_httpx2_request_with_extension_is_not_checked(httpx2_name: str, shop: Site) -> None:
    shop.serve("/fish", redirect("/private/notes"))
    with open_host(httpx2_name) as host:
        assert host.get(shop.url("fish"), extensions={"canfetch": False}).body == b"/private/notes"
        disallowed(host, shop.url("private/notes"), extensions={"canfetch": True})
        assert host.robots.stats.exempt == 2


@pytest.mark.parametrize("httpx2_name", ["httpx2", "httpx2-async"])
def test_httpx2_target_that_is_sent_is_checked(httpx2_name: str, shop: Site) -> None:
    with open_host(httpx2_name) as host:
        error = disallowed(host, shop.url("fish"), extensions={"target": b"/private/notes"})
    assert error.url == shop.url("private/notes")


def test_urllib_request_with_attribute_is_not_checked(shop: Site) -> None:
    from urllib.request import Request

    with open_host("urllib") as host:
        request = Request(shop.url("private/notes"))  # noqa: S310 - our own server
        request.canfetch = False  # type: ignore[attr-defined]
        assert host.get(request).status == 200
        shop.serve("/fish", redirect("/private/notes"))
        request = Request(shop.url("fish"))  # noqa: S310 - the same
        request.canfetch = False  # type: ignore[attr-defined]
        disallowed(host, request)  # type: ignore[arg-type]


def test_urllib_host_and_selector_that_are_sent_are_checked(shop: Site, other: Site) -> None:
    from urllib.request import Request

    def changed(path: str, **attributes: str) -> Request:
        request = Request(shop.url(path))  # noqa: S310 - our own server
        for name, value in attributes.items():
            setattr(request, name, value)
        return request

    with open_host("urllib") as host:
        error = disallowed(host, changed("fish", selector="/private/notes"))  # type: ignore[arg-type]
        assert error.url == shop.url("private/notes")
        error = disallowed(host, changed("fish", host=other.netloc, selector="/private/notes"))  # type: ignore[arg-type]
        assert error.url == other.url("private/notes")
        # A proxy would get the URL itself.
        disallowed(host, changed("private/notes", selector="/fish"))  # type: ignore[arg-type]
        for selector in ("private/notes", "?private", "*"):
            with pytest.raises(InvalidURL, match="expected an absolute URL with a valid host and port"):
                host.get(changed("fish", selector=selector))
        assert host.get(changed("fish", selector="/more")).status == 200
        assert [request.target for request in shop.requests] == ["/robots.txt", "/more"]
        assert other.count("/private/notes") == 0
        request = changed("fish", selector="/private/notes", canfetch=False)  # type: ignore[arg-type]
        assert host.get(request).status == 200


@pytest.mark.parametrize("target", ["/\tp", "/\np", "/e?", "/e?#top", "/%zz", "/[x]", "/?a[0]", "@{site}/p"])
def test_url_of_a_prepared_request_is_checked_as_it_is_sent(shop: Site, target: str) -> None:
    requests = pytest.importorskip("requests")

    from canfetch.integrations.requests import RobotsAdapter

    rules = b"Disallow: /p$\nDisallow: /e$\nDisallow: /%25zz\nDisallow: /%5Bx%5D\nDisallow: /?a%5B0%5D\n"
    shop.serve("/robots.txt", respond(b"User-agent: *\n" + rules))
    with requests.Session() as session:
        session.mount("http://", RobotsAdapter(user_agent=USER_AGENT))
        request = session.prepare_request(requests.Request("GET", shop.url("fish")))
        site = shop.url("fish").removeprefix("http://").removesuffix("/fish")
        # The host of a URL with a backslash is the one before it in browsers, and the one after it in requests.
        other = f"http://127.0.0.1:1\\{target.format(site=site)}"
        request.url = other if target.startswith("@") else shop.url("fish").removesuffix("/fish") + target
        with pytest.raises(RobotsDisallowed):
            session.send(request)
    assert [request.target for request in shop.requests] == ["/robots.txt"]


def test_prepared_request_without_a_valid_url_is_not_sent(shop: Site) -> None:
    requests = pytest.importorskip("requests")

    from canfetch.integrations.requests import InvalidRequestURL, RobotsAdapter

    request = requests.Request("GET", shop.url("fish")).prepare()
    request.url = "http://[1/fish"
    with closing(RobotsAdapter(user_agent=USER_AGENT)) as adapter, pytest.raises(InvalidRequestURL):
        adapter.send(request)


def test_aiohttp_request_without_middlewares_is_not_checked(shop: Site) -> None:
    with open_host("aiohttp") as host:
        assert host.get(shop.url("private/notes"), middlewares=()).status == 200


# --- at the same time ------------------------------------------------------------------------------------------------


def test_concurrent_requests_share_one_fetch(name: str, shop: Site, other: Site) -> None:
    urls = [site.url(label) for site in (shop, other) for label in ("fish", "private/notes", "more") for _ in range(10)]
    with open_host(name) as host:
        results = host.get_all(urls)
        assert host.robots.stats[:2] == (60, 20)
    assert [isinstance(result, RobotsDisallowed) for result in results] == ["private" in url for url in urls]
    for site in (shop, other):
        assert site.count("/robots.txt") == 1
        assert site.count("/private/notes") == 0


@pytest.mark.parametrize("async_name", ASYNC_NAMES)
def test_guard_works_on_a_second_event_loop(async_name: str, shop: Site) -> None:
    import asyncio

    with open_host(async_name, wait=True) as host:
        disallowed(host, shop.url("private/notes"))
        verdict = asyncio.run(host.robots.client.decide(shop.url("fish")))
    assert verdict.allowed


# --- closing and options ---------------------------------------------------------------------------------------------


class Store(MemoryStore):
    """A store that records that it was closed."""

    is_closed = False

    def close(self) -> None:
        self.is_closed = True


def test_closing_closes_the_store(name: str, shop: Site) -> None:
    store = Store()
    with open_host(name, store=store) as host:
        assert host.get(shop.url("fish")).status == 200
    assert store.is_closed


def test_closed_guard_raises(shop: Site) -> None:
    with open_host("urllib") as host:
        host.close()
        with pytest.raises(ClientClosed):
            host.get(shop.url("fish"))


@pytest.mark.parametrize(
    "options, message",
    [
        ({"allow_private": False}, "invalid allow_private False: .*pass allow_private=True"),
        ({"wait": 1}, "invalid wait 1: expected True or False"),
        ({"page_rules": "yes"}, "invalid page_rules 'yes': expected True or False"),
        ({"min_delay": 1.0}, "min_delay has no effect without wait=True"),
        ({"visit_times": True}, "visit_times has no effect without wait=True"),
        ({"max_delay": 1.0}, "max_delay has no effect without wait=True"),
        ({"wait": True, "min_delay": -1.0}, "invalid min_delay -1.0: expected a finite number of seconds, 0 or more"),
        ({"wait": True, "min_delay": 61.0}, "invalid min_delay 61.0: expected at most max_delay, 60.0"),
        ({"wiat": True}, "unknown option 'wiat'"),
        ({"timeout": 0}, "invalid timeout 0"),
        ({"store": "cache.db"}, "invalid store 'cache.db'"),
    ],
    ids=str,
)
def test_invalid_option_is_rejected(name: str, options: dict[str, Any], message: str) -> None:
    from tests.integrations.http_clients.hosts import make_host

    with pytest.raises(InvalidOption, match=message):
        make_host(name, **options)


def test_invalid_inner_transport_is_rejected() -> None:
    pytest.importorskip("httpx2")
    pytest.importorskip("requests")
    from canfetch.integrations.httpx2 import AsyncRobotsTransport, RobotsTransport
    from canfetch.integrations.requests import RobotsAdapter

    invalid: Any = object()
    for create in (
        lambda: RobotsTransport(user_agent=USER_AGENT, transport=invalid),
        lambda: AsyncRobotsTransport(user_agent=USER_AGENT, transport=invalid),
    ):
        with pytest.raises(InvalidOption, match=r"invalid transport of type object: expected a subclass of httpx2\."):
            create()
    with pytest.raises(InvalidOption, match="invalid adapter of type object"):
        RobotsAdapter(user_agent=USER_AGENT, adapter=invalid)


# --- X-Robots-Tag ----------------------------------------------------------------------------------------------------


def test_page_rules_are_read_if_enabled(name: str, shop: Site) -> None:
    shop.serve("/fish", respond(b"fish", "X-Robots-Tag: noindex", "X-Robots-Tag: ExampleBot: nofollow"))
    shop.serve("/gone", respond(b"gone", "X-Robots-Tag: noarchive", status=404))
    with open_host(name, page_rules=True) as host:
        page = host.get(shop.url("fish")).page
        assert (page.may_index.allowed, page.may_follow.allowed, page.may_archive.allowed) == (False, False, True)
        assert page.robots.allowed
        gone = host.get(shop.url("gone"))
        assert (gone.status, gone.page.may_archive.allowed) == (404, False)
        assert host.get(shop.url("more")).page.may_index.allowed
        with host.robots.exempt():
            assert host.get(shop.url("private/notes")).page.robots is None
        assert host.robots.stats.page_verdicts == 4
    with open_host(name) as host:
        assert host.get(shop.url("fish")).page is None


# --- the settings of the HTTP client ---------------------------------------------------------------------------------


def test_robots_txt_is_fetched_with_the_tls_settings(name: str, authority: Any, tls_site: Site) -> None:
    prepare(tls_site)
    with open_host(name, tls=authority.client()) as host:
        assert host.get(tls_site.url("fish")).status == 200
    assert targets(tls_site) == ["/robots.txt", "/fish"]
    with open_host(name) as host:
        error = disallowed(host, tls_site.url("fish"))
    assert "certificate" in str(error)


def test_robots_txt_is_fetched_through_the_proxy(name: str, site: Site) -> None:
    from tests.servers.proxy import ProxySite

    site.serve("/fish", page)
    with ProxySite() as proxy, open_host(name, proxy=f"http://127.0.0.1:{proxy.port}") as host:
        # Only the proxy resolves the name.
        origin = f"http://rules.site.test:{site.port}"
        assert host.get(f"{origin}/fish").status == 200
        disallowed(host, f"{origin}/private")
        assert len(proxy.heads) == 2
        assert all(site.netloc.rpartition(":")[2] in head for head in proxy.heads)
