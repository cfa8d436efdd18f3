"""Sites whose policy has environments, on real servers."""

import logging
from pathlib import Path
from typing import Any

import pytest
from tests.integrations.serving.bypasses import running_nginx
from tests.integrations.serving.conftest import RULES, Serve, make_site
from tests.integrations.serving.hosts import PAGE, RunningServer, application
from tests.integrations.serving.test_site import request
from tests.integrations.serving.test_site import serve as served
from tests.stores.conftest import find_free_port

from canfetch.author import parse_policy, render_policy
from canfetch.errors import InvalidOption, ServingError
from canfetch.integrations.serving import Enforcement, Site

POLICY = """
[everyone]
disallow = ["/private/"]

[environment.production]
hosts = ["www.example.com", "*.example.com"]

[environment.staging]
hosts = ["staging.example.com", "*.preview.example.com", "localhost:8000"]
closed = true
"""
PARSED = parse_policy(POLICY)
PRODUCTION, STAGING, NO_HOST = (
    render_policy(policy).encode()
    for policy in (PARSED.for_environment("production"), PARSED.for_environment("staging"), PARSED.for_host(""))
)
HIDDEN = "staging.example.com"
FORGED = "www.example.com"
CRAWLER = "User-Agent: Googlebot/2.1"


@pytest.fixture
def policy_file(tmp_path: Path) -> Path:
    path = tmp_path / "policy.toml"
    path.write_text(POLICY, encoding="utf-8")
    return path


def test_a_policy_is_never_served_as_a_robots_txt(policy_file: Path) -> None:
    upper = policy_file.rename(policy_file.with_suffix(".TOML"))
    assert served(Site(upper, environment="production")).body == PRODUCTION
    other = upper.rename(upper.with_suffix(".conf"))
    for source in (other, other.read_bytes(), other.read_text()):
        with pytest.raises(
            ServingError, match=r"the content is a policy in TOML; the name of its file has to end with"
        ):
            Site(source, environment="production")


@pytest.mark.parametrize(
    "host, body",
    [
        ("www.example.com", PRODUCTION),
        ("WWW.Example.COM.:443", PRODUCTION),
        (HIDDEN, STAGING),
        ("pr-1.preview.example.com:80", STAGING),
        ("localhost:8000", STAGING),
        ("localhost", NO_HOST),
        ("evil.example", NO_HOST),
        ("[::1]:8000", NO_HOST),
        ("www.example.com.evil.example", NO_HOST),
    ],
)
def test_host_of_the_request_selects_the_environment(serve: Serve, policy_file: Path, host: str, body: bytes) -> None:
    answer = serve(policy_file, environment="by-host").send("/robots.txt", host=host)
    assert (answer.status, answer.body, answer.headers["vary"]) == (200, body, "Host")
    # A response to a host that a client made up must not be stored for another one.
    assert answer.headers["cache-control"] == ("no-store" if body == NO_HOST else "public, max-age=3600")


@pytest.mark.parametrize("host", ["", "www.example.com/", "user@www.example.com", "www.example.com, " + HIDDEN])
def test_invalid_host_is_closed_or_refused(serve: Serve, policy_file: Path, host: str) -> None:
    answer = serve(policy_file, environment="by-host").send("/robots.txt", host=host)
    # Django and some servers refuse such requests.
    assert (answer.status, answer.body) == (200, NO_HOST) or answer.status == 400


def test_two_hosts_open_nothing(serve: Serve, policy_file: Path) -> None:
    answer = serve(policy_file, environment="by-host").send("/robots.txt", f"Host: {FORGED}", host=HIDDEN)
    assert answer.status == 400 or answer.body in {STAGING, NO_HOST}


def test_conditional_response_names_the_host(serve: Serve, policy_file: Path) -> None:
    server = serve(policy_file, environment="by-host")
    etag = server.send("/robots.txt", host=FORGED).headers["etag"]
    answer = server.send("/robots.txt", f"If-None-Match: {etag}", host=FORGED)
    assert (answer.status, answer.headers["vary"]) == (304, "Host")
    assert server.send("/robots.txt", f"If-None-Match: {etag}", host=HIDDEN).body == STAGING


def test_forged_host_changes_nothing_in_a_named_environment(serve: Serve, policy_file: Path) -> None:
    server = serve(policy_file, environment="staging", enforcement=Enforcement())
    for host in (HIDDEN, FORGED, "evil.example"):
        answer = server.send("/robots.txt", host=host)
        assert (answer.body, "vary" in answer.headers) == (STAGING, False)
        assert server.send("/", CRAWLER, host=host).status == 403
    server = serve(policy_file, environment="production", enforcement=Enforcement())
    for host in (HIDDEN, FORGED, "evil.example"):
        assert server.send("/robots.txt", host=host).body == PRODUCTION
        assert server.send("/", CRAWLER, host=host).body == PAGE


def test_rules_of_the_environment_are_enforced(serve: Serve, policy_file: Path) -> None:
    server = serve(policy_file, environment="by-host", enforcement=Enforcement())
    statuses = {host: server.send("/", CRAWLER, host=host).status for host in (FORGED, HIDDEN, "evil.example")}
    assert statuses == {FORGED: 200, HIDDEN: 403, "evil.example": 403}
    assert server.send("/", host="evil.example").body == PAGE


def test_changed_policy_is_served_unless_its_effect_is_wrong(serve: Serve, policy_file: Path) -> None:
    server = serve(policy_file, environment="by-host")
    assert server.send("/robots.txt", host=HIDDEN).body == STAGING
    new = policy_file.with_name("new")
    for toml, body in (
        (POLICY.replace("closed = true", ""), PRODUCTION),
        (POLICY.replace("/private/", "/other/"), PRODUCTION.replace(b"/private/", b"/other/")),
    ):
        new.write_text(toml, encoding="utf-8")
        new.replace(policy_file)
        assert server.send("/robots.txt", host=FORGED).body == body
        assert server.send("/robots.txt", host=HIDDEN).body == STAGING


@pytest.mark.parametrize(
    "robots, vary",
    [
        (RULES, None),
        (PARSED, None),
        ({"*": RULES}, "Host"),
        ({"example.com": PARSED}, "Host"),
        (lambda _: RULES, "Host"),
    ],
    ids=["content", "policy", "hosts", "host", "function"],
)
def test_responses_that_depend_on_the_host_say_so(robots: Any, vary: str | None) -> None:
    assert dict(served(make_site(robots)).headers).get("Vary") == vary


def test_function_may_return_a_policy_with_environments() -> None:
    by_host = make_site(lambda _: PARSED, environment="by-host")
    bodies = []
    for host in (FORGED, HIDDEN, "evil.example"):
        reply = by_host.respond(request(host=host))
        assert reply is not None
        bodies.append(reply.body)
    assert bodies == [PRODUCTION, STAGING, NO_HOST]
    assert served(make_site(lambda _: PARSED, environment="staging")).body == STAGING


def test_unknown_environment_is_closed_and_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "canfetch.serving"):
        reply = served(make_site(PARSED, environment="stagin"))
    assert reply.body == render_policy(PARSED.for_environment("stagin")).encode()
    assert dict(reply.headers)["Cache-Control"] == "no-store"
    (record,) = caplog.records
    assert record.getMessage() == (
        "the whole site is closed: unknown environment 'stagin' of the policy: did you mean 'staging'? (choose from "
        "'production', 'staging')"
    )


def test_policy_states_what_arguments_state_for_other_content() -> None:
    toml = "[environment.production]\nclosed = true\n[environment.staging]\nclosed = false"
    policy = parse_policy(toml)
    assert b"Disallow: /\n" in served(make_site(policy)).body
    assert served(make_site(policy, environment="staging")).body == b"User-agent: *\nDisallow:\n"
    closed = served(make_site(policy, environment="staging", close_outside_production=True))
    assert b"Disallow: /\n" in closed.body


def test_variable_names_the_environment_unless_an_argument_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CANFETCH_ENVIRONMENT", "staging")
    assert Site(PARSED).environment == "staging"
    assert served(Site(PARSED)).body == STAGING
    assert served(Site(PARSED, environment="production")).body == PRODUCTION
    monkeypatch.setenv("CANFETCH_ENVIRONMENT", "")
    with pytest.raises(InvalidOption, match=r"^no environment: pass environment='production'"):
        Site(PARSED)


def test_by_host_requires_the_hosts_of_production() -> None:
    policy = parse_policy("[environment.production]\n[environment.test]\nclosed = true\nhosts = ['a.example']")
    with pytest.raises(InvalidOption, match=r"'by-host' requires the hosts of environment\.production"):
        make_site(policy, environment="by-host")


def test_invalid_policy_names_the_line(policy_file: Path) -> None:
    policy_file.write_text(POLICY.replace("closed = true", ""), encoding="utf-8")
    with pytest.raises(ServingError) as raised:
        make_site(policy_file, environment="production")
    assert str(raised.value).startswith(f"cannot serve {policy_file}: invalid policy: environment.staging: it leaves")
    assert str(raised.value).endswith("(at line 8)")


# The key of this cache is that of nginx by default, which does not contain the host of the request.
CACHE = """
    proxy_cache_path {folder}/cache keys_zone=robots:1m;
    server {{
        listen 127.0.0.1:{port};
        location / {{
            proxy_pass http://127.0.0.1:{to};
            proxy_set_header Host $http_host;
            proxy_cache robots;
            add_header Cache-Result $upstream_cache_status;
        }}
    }}
"""


@pytest.mark.service
def test_cache_without_the_host_in_its_key_opens_and_closes_nothing(
    servers: dict[str, RunningServer], policy_file: Path, tmp_path: Path
) -> None:
    server = servers["asgi"]
    server.app = application("asgi", make_site(policy_file, environment="by-host"))
    cache = RunningServer(find_free_port())
    with running_nginx(tmp_path, CACHE.format(folder=tmp_path, port=cache.port, to=server.port)):
        for result in ("MISS", "HIT"):
            for host, body in (("evil.example", NO_HOST), (HIDDEN, STAGING), (FORGED, PRODUCTION)):
                answer = cache.send("/robots.txt", host=host)
                assert answer.body == body
                assert answer.headers["cache-result"] == ("MISS" if body == NO_HOST else result)
