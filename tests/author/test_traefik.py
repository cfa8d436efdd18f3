"""What only the rules for Traefik have: a YAML file, routers with and without TLS, and paths without queries."""

from pathlib import Path
from typing import Any

import pytest
from tests.author.policies import POLICIES, WITHOUT_QUERIES
from tests.author.servers import REFUSED, SERVERS, TRAEFIK, render_rules, running

import canfetch

yaml = pytest.importorskip("yaml")
PRIVATE = "[crawler.ExampleBot]\ndisallow = ['/private/']"


def render(toml: str) -> dict[str, Any]:
    rules = canfetch.author.render_policy(canfetch.author.parse_policy(toml), "traefik")
    configuration: dict[str, dict[str, Any]] = yaml.safe_load(rules) or {}
    return configuration.get("http", {})


def test_each_router_exists_without_and_with_tls() -> None:
    routers = render(WITHOUT_QUERIES["search-but-private"])["routers"]
    plain = {name: router for name, router in routers.items() if "tls" not in router}
    assert routers == plain | {f"{name}-tls": {**router, "tls": {}} for name, router in plain.items()}
    priorities = [router["priority"] for router in plain.values()]
    assert priorities == sorted(priorities, reverse=True)
    for router in plain.values():
        assert router["middlewares"] == ["canfetch-refuse"]
        assert router["service"] == "noop@internal"


def test_tags_are_middlewares() -> None:
    tags = [
        middleware["headers"]["customResponseHeaders"]["X-Robots-Tag"]
        for name, middleware in render(WITHOUT_QUERIES["search-but-private"])["middlewares"].items()
        if name.startswith("canfetch-tag-")
    ]
    assert tags == ["noindex, max-snippet: 20", "googlebot: unavailable_after: Friday, 25-Jun-10 15:00:00 GMT"]


@pytest.mark.parametrize("name", ["search-but-private", "pages-and-signs"])
def test_queries_are_rejected(name: str) -> None:
    with pytest.raises(canfetch.errors.InvalidSitePolicy, match="Traefik does not match queries"):
        render(POLICIES[name])


def test_empty_policy_has_an_empty_configuration() -> None:
    assert render("") == {}


@pytest.mark.service
@pytest.mark.parametrize("name", TRAEFIK)
def test_http2_requests_are_refused(name: str, tmp_path: Path) -> None:
    rules = render_rules(canfetch.author.parse_policy(PRIVATE), name)
    with running(name, rules, tmp_path) as server:
        for target in (
            "/private/x",
            "/private%2Fx?y",
            "//private/x",
            "/x/..%2fprivate/x",
            "/x/%2e%2e/private/x",
            "/private/x y",
            "/private/\xe9",
            "/private/x#y",
            "/%00",
            "http://example.com/private/x",
            "private/x",
        ):
            assert server.send_http2(target, [("user-agent", "ExampleBot/1.0")])[1] in {REFUSED, 400}, target
        for target in ("/open?/private/", "/robots.txt?x"):
            assert server.send_http2(target, [("user-agent", "ExampleBot/1.0")])[1] == 200
        assert server.send_http2("/private/x", [("user-agent", "OtherBot/1.0")])[1] == 200


@pytest.mark.service
@pytest.mark.parametrize("options", [("http.tls=true",), ("asDefault=true",), ("http.tls=true", "asDefault=true")])
def test_rules_apply_to_entry_points_with_options_of_their_own(
    options: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = SERVERS["traefik-tls"]
    command = (*server.command, *(f"--entryPoints.site.{option}" for option in options))
    monkeypatch.setitem(SERVERS, "traefik-tls", server._replace(command=command))
    rules = render_rules(canfetch.author.parse_policy(PRIVATE), "traefik-tls")
    with running("traefik-tls", rules, tmp_path) as running_server:
        assert running_server.get("/private/x", "ExampleBot/1.0").status == REFUSED
        assert running_server.get("/open", "ExampleBot/1.0").status == 200
