"""The server reaches nothing private, whatever URL it is given and wherever a server redirects it."""

from collections.abc import Iterator, Sequence

import pytest
from tests.servers.behaviours import BEHAVIOURS
from tests.servers.redirects import redirect
from tests.servers.web import Site
from tests.web.conftest import API, ScriptedWeb, running_api

from canfetch.access.responses import Failure, Response
from canfetch.client.transports import TransportRequest
from canfetch.web.settings import Settings
from canfetch.web.web_transport import WebTransport

PRIVATE_HOSTS = [
    "127.0.0.1",
    "169.254.169.254",
    "10.0.0.1",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "2130706433",
    "0177.0.0.1",
    "0x7f000001",
    "127.1",
    "localhost",
]


NO_PUBLIC_ADDRESS = (
    "forbidden-address: the host does not exist, it has no public address, or the server may not fetch from it"
)


class Network(ScriptedWeb):
    """Public hosts that are scripted, and the real network for all others."""

    async def send(self, request: TransportRequest) -> Response | Failure:
        host = request.url.split("/")[2]
        if host.endswith(".example"):
            return await super().send(request)
        return await WebTransport().send(request)


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with Site(behaviours=BEHAVIOURS) as running:
        yield running


@pytest.fixture(scope="module")
def network() -> Network:
    return Network()


@pytest.fixture(scope="module")
def guarded(network: Network) -> Iterator[API]:
    with running_api(transport=network) as running:
        yield running


@pytest.mark.parametrize("host", PRIVATE_HOSTS)
def test_private_host_is_refused(guarded: API, site: Site, host: str) -> None:
    url = f"http://{host}:{site.port}/"
    answer = guarded.answer("fetch", url=url)
    assert answer["access"] == "unreachable"
    assert answer["status"] is None
    assert answer["explanation"] == NO_PUBLIC_ADDRESS
    assert site.requests == []


def test_answers_do_not_show_which_internal_names_exist(caplog: pytest.LogCaptureFixture) -> None:
    def resolve(host: str) -> Sequence[str]:
        if host == "db.corp.internal":
            return ["10.1.2.3"]
        raise OSError(-2, "Name or service not known")

    caplog.set_level("INFO", logger="canfetch.fetch")
    with running_api(transport=WebTransport(resolve)) as api:
        hosts = ["db.corp.internal", "none.corp.internal", "10.1.2.3"]
        answers = [api.answer("decide", url=f"http://{host}/", agent="X") for host in hosts]
    for host, answer in zip(hosts, answers, strict=True):
        assert answer["access"]["explanation"].replace(host, "HOST") == NO_PUBLIC_ADDRESS
    # The log of the operator has the facts.
    assert "refused http://db.corp.internal/robots.txt: forbidden-address: address 10.1.2.3 of" in caplog.text
    assert "refused http://none.corp.internal/robots.txt: dns: " in caplog.text


@pytest.mark.parametrize("path", ["decide", "explain"])
def test_decisions_about_private_hosts_are_negative(guarded: API, site: Site, path: str) -> None:
    answer = guarded.answer(path, url=f"{site.origin}/page", agent="GPTBot")
    verdict = answer if path == "decide" else answer["verdict"]
    assert verdict["reason"] == "unreachable"
    assert site.requests == []


@pytest.mark.parametrize("path", ["sitemap", "page/fetch"])
def test_documents_on_private_hosts_are_not_fetched(guarded: API, site: Site, path: str) -> None:
    body = {"url": f"{site.origin}/sitemap.xml"} | ({"agents": ["GPTBot"]} if path == "page/fetch" else {})
    response = guarded.post(f"/v1/{path}", json=body)
    assert response.status_code in {200, 424}
    assert "unreachable" in response.text
    assert site.requests == []


@pytest.mark.parametrize("host", PRIVATE_HOSTS)
def test_redirect_to_a_private_host_is_refused(guarded: API, network: Network, site: Site, host: str) -> None:
    name = f"http://redirect-{PRIVATE_HOSTS.index(host)}.example"
    target = f"http://{host}:{site.port}/robots.txt"
    network.add(f"{name}/robots.txt", status=302, headers=(("Location", target),))
    answer = guarded.answer("fetch", url=name)
    assert answer["access"] == "unreachable"
    assert len(answer["hops"]) == 1
    assert site.requests == []


def test_redirect_of_a_page_to_a_private_host_is_refused(guarded: API, network: Network, site: Site) -> None:
    network.add("http://page.example/a", status=302, headers=(("Location", f"{site.origin}/secret"),))
    (row,) = guarded.answer("page/fetch", url="http://page.example/a", agents=["GPTBot"])["rows"]
    assert row["robots"]["reason"] == "unreachable"
    assert row["fetched"]["status"] is None
    assert site.requests == []


def test_resources_on_private_hosts_are_blocked_and_not_fetched(guarded: API, network: Network, site: Site) -> None:
    html = f"<img src={site.origin}/a.png><img src=http://169.254.169.254/latest><img src=/b.png>".encode()
    network.add("http://loads.example/", html, headers=(("Content-Type", "text/html"),))
    answer = guarded.answer("page/fetch", url="http://loads.example/", agents=["GPTBot"], resources=True)["resources"]
    reasons = [resource["verdicts"]["GPTBot"]["reason"] for resource in answer["resources"]]
    assert reasons == ["unreachable", "unreachable", "unavailable"]
    # How long the host has been unreachable may follow.
    assert all(origin["access"]["explanation"].startswith(NO_PUBLIC_ADDRESS) for origin in answer["origins"][:2])
    assert site.requests == []


def test_redirect_of_a_sitemap_to_a_private_host_is_refused(guarded: API, network: Network, site: Site) -> None:
    network.add("http://map.example/map.xml", status=302, headers=(("Location", f"{site.origin}/secret"),))
    problem = guarded.problem("POST", "/v1/sitemap", 424, json={"url": "http://map.example/map.xml"})
    assert problem["type"] == "urn:canfetch:problem:not-fetched"
    assert site.requests == []


def test_redirect_to_another_scheme_is_refused(guarded: API, network: Network) -> None:
    network.add("http://scheme.example/robots.txt", status=302, headers=(("Location", "ftp://127.0.0.1/robots.txt"),))
    answer = guarded.answer("fetch", url="http://scheme.example/")
    assert answer["explanation"].startswith("scheme: ")


def test_name_is_resolved_once_for_the_check_and_the_connection(site: Site) -> None:
    # DNS that changes its answer would return the private address for a second lookup.
    lookups = iter([["192.0.2.1"], ["127.0.0.1"], ["127.0.0.1"]])
    resolved: list[str] = []

    def resolve(host: str) -> Sequence[str]:
        resolved.append(host)
        return next(lookups)

    with running_api(transport=WebTransport(resolve)) as api:
        answer = api.answer("fetch", url=f"http://rebinding.example:{site.port}/")
    assert answer["explanation"].startswith("forbidden-address: ")
    assert resolved == ["rebinding.example"]
    assert site.requests == []


def test_private_hosts_can_be_allowed(site: Site) -> None:
    site.serve("/robots.txt", redirect("/rules"))
    with running_api(Settings(allow_private=True)) as api:
        answer = api.answer("fetch", url=site.origin)
    assert answer["access"] == "successful"
    assert [hop["status"] for hop in answer["hops"]] == [302]


@pytest.mark.parametrize("url", ["ftp://example.com/", "file:///etc/passwd", "gopher://example.com/", "/path", "x"])
def test_other_schemes_and_paths_are_invalid(guarded: API, url: str) -> None:
    problem = guarded.problem("POST", "/v1/fetch", 422, json={"url": url})
    assert problem["type"] == "urn:canfetch:problem:invalid-url"
