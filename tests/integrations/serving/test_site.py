"""What a site accepts at its start, and which files close a site."""

import logging
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.integrations.serving.conftest import NOW, RULES, make_site

import canfetch
from canfetch.author import Draft, parse_policy
from canfetch.core.document import parse
from canfetch.errors import InvalidOption, ServingError
from canfetch.integrations.serving import Enforcement, Site
from canfetch.integrations.serving.requests import Reply, Request

CLOSED = b"User-agent: *\nDisallow: /\n"


def request(
    path: str = "/robots.txt",
    *,
    host: str = "example.com",
    headers: Mapping[str, str] | None = None,
    target: bytes | None = None,
    peer: str | None = "127.0.0.1",
) -> Request:
    return Request("GET", path, path.encode() if target is None else target, host, peer, (headers or {}).get)


def serve(site: Site) -> Reply:
    reply = site.respond(request())
    assert reply is not None
    return reply


@pytest.mark.parametrize("left, retry_after", [(0.5, "1"), (3600, "3600"), (30 * 86_400, "86400")])
def test_google2019_suspended_site_responds_with_503(left: float, retry_after: str) -> None:
    site = make_site(suspend_until=datetime.fromtimestamp(NOW + left, UTC))
    reply = serve(site)
    assert (reply.status, dict(reply.headers)["Retry-After"]) == (503, retry_after)
    # Without an enforcement, the application handles all other requests.
    assert site.respond(request("/public", headers={"user-agent": "GPTBot/1.0"})) is None
    assert (site.stats.suspended, site.stats.failed) == (1, 0)


def test_suspended_site_with_enforcement_responds_with_503_to_crawlers_only() -> None:
    until = datetime.fromtimestamp(NOW + 60, UTC)
    site = make_site(b"User-agent: *\nDisallow:\n", enforcement=Enforcement(), suspend_until=until)
    reply = site.respond(request("/public", headers={"user-agent": "GPTBot/1.0"}))
    assert reply is not None
    assert reply.status == 503
    browser = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0"
    assert site.respond(request("/public", headers={"user-agent": browser})) is None


def test_suspension_ends() -> None:
    now = NOW
    site = make_site(suspend_until=datetime.fromtimestamp(NOW + 60, UTC), clock=lambda: now)
    assert serve(site).status == 503
    now = NOW + 60
    assert serve(site).status == 200


@pytest.mark.parametrize("value", [NOW, "2026-01-02", datetime(2026, 1, 2)])  # noqa: DTZ001 - has no time zone
def test_end_of_a_suspension_is_a_datetime_with_a_time_zone(value: object) -> None:
    with pytest.raises(InvalidOption, match="expected a datetime with a time zone, or None"):
        make_site(suspend_until=value)


def test_production_refuses_to_start_closed() -> None:
    with pytest.raises(ServingError) as raised:
        make_site(CLOSED)
    assert str(raised.value) == (
        "cannot serve this robots.txt: line 2, Disallow: /, closes the whole site to search engines, in production; "
        "remove the rule, or pass allow_closed=True"
    )
    assert serve(make_site(CLOSED, allow_closed=True)).body == CLOSED


@pytest.mark.parametrize("environment", ["staging", "development", "test"])
def test_other_environments_refuse_to_start_open(environment: str) -> None:
    assert serve(make_site(CLOSED, environment=environment)).body == CLOSED
    with pytest.raises(ServingError) as raised:
        make_site(RULES, environment=environment)
    assert str(raised.value) == (
        f"cannot serve this robots.txt: it leaves the site open to search engines, in {environment}; pass "
        "close_outside_production=True to close it, or allow_open=True"
    )
    assert serve(make_site(RULES, environment=environment, allow_open=True)).body == RULES
    closed = serve(make_site(RULES, environment=environment, close_outside_production=True))
    assert not parse(closed.body).allows("/", agent="ExampleBot")
    # This crawler ignores `*`.
    assert not parse(closed.body).allows("/", agent=canfetch.agent("AdsBot-Google"))


def test_production_is_not_closed_by_the_option_for_others() -> None:
    assert serve(make_site(RULES, close_outside_production=True)).body == RULES


def test_errors_are_found_before_production(tmp_path: Path) -> None:
    with pytest.raises(ServingError):
        make_site(tmp_path / "missing", environment="staging", close_outside_production=True)


@pytest.mark.parametrize(
    "robots, message",
    [
        (b"\xff\xfeU\0s\0", "not UTF-8: invalid byte 0xFF at offset 0"),
        (b"# caf\xe9\n", "not UTF-8: invalid byte 0xE9 at offset 5"),
        (b"<!doctype html><html><title>Home</title>", "not a robots.txt: the content is HTML or XML"),
        (b"#" * 512_001, "512001 bytes: crawlers may ignore everything past 512000 bytes"),
        ("robots.txt", "'robots.txt' is a file name, not the content of a robots.txt: pass a pathlib.Path"),
        (Draft(), None),
    ],
    ids=["utf-16", "latin-1", "html", "long", "name", "empty-draft"],
)
def test_invalid_content(robots: Any, message: str | None) -> None:
    if message is None:
        assert serve(make_site(robots)).body == b""
        return
    with pytest.raises(ServingError, match=message):
        make_site(robots)


def test_missing_and_invalid_files(tmp_path: Path) -> None:
    with pytest.raises(ServingError, match=r"cannot serve .*missing\.txt: No such file or directory"):
        make_site(tmp_path / "missing.txt")
    with pytest.raises(ServingError, match="not a regular file"):
        make_site(tmp_path)
    closed = tmp_path / "closed.txt"
    closed.write_bytes(CLOSED)
    with pytest.raises(ServingError, match=r"cannot serve .*closed\.txt: line 2, Disallow: /, closes"):
        make_site({"*": closed})
    policy = tmp_path / "policy.toml"
    policy.write_text("[everyone]\nfetch = 'some'\n", encoding="utf-8")
    with pytest.raises(ServingError, match=r"policy\.toml: invalid policy: .*everyone\.fetch"):
        make_site(policy)
    policy.write_bytes(b"\xff")
    with pytest.raises(ServingError, match="invalid policy"):
        make_site(policy)


def test_policies_and_drafts(tmp_path: Path) -> None:
    toml = "[everyone]\ndisallow = ['/private/']\n"
    rendered = b"User-agent: *\nDisallow: /private/\n"
    file = tmp_path / "policy.toml"
    file.write_text(toml, encoding="utf-8")
    draft = Draft()
    draft.group("*").disallow("/private/")
    for robots in (file, parse_policy(toml), draft, lambda _: draft, rendered.decode()):
        assert serve(make_site(robots)).body == rendered
    invalid = Draft()
    invalid.group("*")
    with pytest.raises(ServingError, match="has no rules"):
        make_site(invalid)


def choose_rules(_: str | None) -> bytes:
    return RULES


@pytest.mark.parametrize(
    "options, message",
    [
        ({"environment": "prod"}, "unknown environment 'prod'"),
        ({"environment": "Production"}, "did you mean 'production'"),
        ({"environment": None}, "no environment: pass environment='production', or set the variable CANFETCH_ENVIR"),
        ({"environment": 1}, "invalid environment 1: expected a name, such as 'production'"),
        ({"environment": ""}, "invalid environment '': expected a name"),
        ({"environment": "by-host"}, "environment 'by-host' requires a policy with environments"),
        ({"environment": "by-host", "allow_open": True}, "environment 'by-host' takes no close_outside_production, al"),
        ({"environment": "prod", "robots": choose_rules}, "unknown environment 'prod'"),
        ({"close_outside_production": True, "allow_open": True}, "contradict each other: pass one of them"),
        ({"max_age": -1}, "invalid max_age -1: expected an integer from 0 to 86400"),
        ({"max_age": 86_401}, "invalid max_age 86401"),
        ({"max_age": True}, "invalid max_age True"),
        ({"enforcement": True}, "invalid enforcement True: expected an Enforcement or None"),
        ({"clock": 1}, "invalid clock 1"),
        ({"robots": 7}, "invalid robots 7: expected bytes, str, a Path"),
        ({"robots": {}}, "invalid robots: expected a host"),
        ({"robots": {1: b""}}, "invalid robots: expected a host"),
        ({"robots": {"*": {"*": b""}}}, r"invalid robots of '\*'"),
        ({"robots": {"https://example.com": b""}}, "invalid host 'https://example.com'"),
        ({"robots": {"a.example": b"", "A.example.": b""}}, "host 'A.example.': another key has the same hosts"),
        ({"robots": {"*.a.example": b"", "*.A.example": b""}}, r"host '\*.A.example': another key has the same hosts"),
        ({"robots": {"a.*.example": b""}}, r"host 'a.\*.example': expected one '\*', in the first label"),
        ({"robots": {"a.example:443": b""}}, "host 'a.example:443': browsers and crawlers do not send a default port"),
    ],
    ids=lambda value: value if isinstance(value, str) else ", ".join(value),
)
def test_invalid_arguments(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidOption, match=message):
        make_site(**options)


async def _async_function(_: str) -> bytes:
    return RULES


def test_async_functions_are_rejected() -> None:
    with pytest.raises(InvalidOption, match="expected a function that is not async"):
        make_site(_async_function)


@pytest.mark.parametrize(
    "host, name",
    [
        ("www.example.com", "exact"),
        ("WWW.example.com:8080", "exact"),
        ("www.example.com:8000", "exact with a port"),
        ("shop.example.com", "pattern"),
        ("a.shop.example.com:8000", "pattern"),
        ("pr-7.example.com", "longer pattern"),
        ("example.com", "others"),
        ("", "others"),
    ],
)
def test_most_specific_pattern_of_hosts_decides(host: str, name: str) -> None:
    robots = {
        "*.example.com": "pattern",
        "pr-*.example.com": "longer pattern",
        "www.example.com": "exact",
        "www.example.com:8000": "exact with a port",
        "*": "others",
    }
    reply = make_site({key: f"# {value}\n" for key, value in robots.items()}).respond(request(host=host))
    assert reply is not None
    assert reply.body == f"# {name}\n".encode()


@pytest.mark.parametrize("field", ["", "a, b", "[::1", "m\xc3\xbcller.example"])
def test_invalid_host_has_the_file_of_all_others(field: str) -> None:
    site = make_site({"*": RULES, "example.com": b"# example\n"})
    reply = site.respond(request(host=field))
    assert reply is not None
    assert reply.body == RULES


@pytest.mark.parametrize("port", ["x", "65536", "99999", ""])
def test_an_invalid_port_does_not_pass_the_rules_of_the_host(port: str) -> None:
    robots = {"example.com": "User-agent: *\nDisallow: /private/\n"}
    site = make_site(robots, enforcement=Enforcement())
    headers = {"user-agent": "GPTBot/1.0"}
    reply = site.respond(request("/private/x", host=f"example.com:{port}", headers=headers))
    assert reply is not None
    assert reply.status == 403


def test_flood_of_hosts_is_bounded() -> None:
    site = make_site(lambda host: f"# {host}\n")
    for number in range(1000):
        site.respond(request(host=f"host{number}.example"))
    source: Any = site._source
    assert len(source._files) == 64
    assert len(source._last_good) == 256


@pytest.mark.parametrize("path", ["/" + "%" * 8_191, "/" + "x" * 8_191, "/" + "%25" * 2_700])
def test_targets_are_read_up_to_a_limit(path: str) -> None:
    rules = b"User-agent: *\nDisallow: /private/\n"
    site = make_site(rules, enforcement=Enforcement())
    crawler, browser = {"user-agent": "GPTBot/1.3"}, {"user-agent": "Mozilla/5.0 Firefox/145.0"}
    longer = f"{path}{'x' * 100}"
    assert site.respond(request(path[:8_192], headers=crawler)) is None
    assert getattr(site.respond(request(longer, headers=crawler)), "status", None) == 403
    assert site.respond(request(longer, headers=browser)) is None
    open_site = make_site(b"User-agent: *\nDisallow:\n", enforcement=Enforcement())
    assert open_site.respond(request(longer, headers=crawler)) is None


@pytest.mark.parametrize(
    "disallow, allow, is_refused",
    [
        ("/", "/$", True),
        ("/private", "/private$", True),
        ("/private/", "/private/$", True),
        ("/*?", "/*?$", True),
        ("/*/x", "//x", True),
        ("/*.pdf$", "/.pdf$", True),
        ("/page$", "/page$", False),
        ("/", "/*", False),
        ("/private/", "/private/", False),
        ("/x*", "/x", True),
        ("/x", "/x*", False),
        ("x", "/y", False),
        ("/*a", "/a*$\nAllow: /*e\nAllow: /*a~", True),
        ("/private/", "\n".join(f"/{n}\nDisallow: /{n}\nAllow: /{n}" for n in range(200)), True),
    ],
)
def test_what_is_not_read_is_refused_if_anything_is_disallowed(disallow: str, allow: str, *, is_refused: bool) -> None:
    site = make_site(f"User-agent: *\nAllow: {allow}\nDisallow: {disallow}\n", enforcement=Enforcement())
    for path in ("/open?" + "x" * 8_192, "/open/..%2Fx"):
        reply = site.respond(request(path, headers={"user-agent": "GPTBot/1.3"}))
        assert (reply is not None and reply.status == 403) is is_refused


def test_problem_of_a_function_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR, "canfetch.serving"):
        make_site(lambda _: 7).respond(request())
    expected = "cannot serve the robots.txt of 'example.com': invalid robots.txt 7: expected bytes, str, a Draft or "
    assert [record.getMessage() for record in caplog.records] == [expected + "a SitePolicy"]
