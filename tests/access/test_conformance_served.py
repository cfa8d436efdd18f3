"""Every access case, with both clients, every transport, and servers on loopback that play the event."""

import ssl
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from conformance.access_cases import ALLOWED
from tests.access.case_servers import CaseServers, is_at_other_authority
from tests.access.client_harness import USER_AGENT, ClientUnderTest, open_client
from tests.access.conftest import FAILURES, FTP_RESULTS, RULES, effect_in_verdict, load_cases
from tests.servers.certificates import Authority
from tests.servers.fixtures import authority
from tests.servers.ftp import FtpSite
from tests.transports.harness import LOOPBACK, TRANSPORT_NAMES

from canfetch.access.policies import get_policy
from canfetch.access.responses import FailureKind
from canfetch.client.stores.memory import MemoryStore

__all__ = ["authority"]

CASES = [(case, policy) for case in load_cases("answers.toml") for policy in case["expect"]]
HTTP_CASES = [(case, policy) for case, policy in CASES if "ftp" not in case["event"]]
FTP_CASES = [(case, policy) for case, policy in CASES if "ftp" in case["event"]]
TRANSPORTS_WITH_FTP = ("http", "http-async")
SHORT_TIMEOUT = 0.15
HOUR = 3600.0


def case_ids(cases: Sequence[tuple[dict[str, Any], str]]) -> list[str]:
    return [f"{case['id']}-{policy}" for case, policy in cases]


@pytest.fixture(scope="module")
def servers(authority: Authority) -> Iterator[CaseServers]:
    with CaseServers(authority) as opened:
        yield opened


# The contract of the transports is tested with each of them; so `make test` runs the cases with one library.
TRANSPORT_PARAMS = [
    name if name in TRANSPORTS_WITH_FTP else pytest.param(name, marks=pytest.mark.slow) for name in TRANSPORT_NAMES
]


@pytest.fixture(scope="module", params=TRANSPORT_PARAMS)
def transport_name(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture(scope="module")
def ssl_context(transport_name: str, authority: Authority) -> ssl.SSLContext:
    """Return a context for each transport, which may change it. Creating one for each test would be slow."""
    del transport_name
    return authority.client()


def check(client: ClientUnderTest, origin: str, effect: str, policy: str, failure: FailureKind | None) -> None:
    """Check all results for a URL that the rules allow and for one that they disallow."""
    urls = f"{origin}/open", f"{origin}/forbidden"
    verdicts = client.decide(*urls)
    assert tuple(verdict.allowed for verdict in verdicts) == ALLOWED[effect], verdicts
    assert tuple(client.allows(*urls)) == ALLOWED[effect]
    for verdict in verdicts:
        assert verdict.access is not None
        assert (verdict.access.effect, verdict.access.policy) == (effect_in_verdict(effect), policy)
        assert verdict.access.robots_url == f"{origin}/robots.txt"
    detail = client.origin_state(origin).entry.outcome.detail
    if failure is not None:
        assert detail.startswith(f"{failure}: "), detail
    else:
        assert detail.partition(" ")[0] in {"status", "more", "redirect"}, detail


def expected_requests(event: dict[str, Any], policy: str) -> int:
    """Return how many requests an event causes, for any number of URLs."""
    if event.get("failure") in {"refused", "bad-tls"}:
        return 0
    if event.get("redirect_loop") or "target" in event:
        return 2
    redirects: int = event.get("redirects", 0)
    return 1 + min(redirects, get_policy(policy).redirect_limit)


@pytest.mark.parametrize("case, policy", HTTP_CASES, ids=case_ids(HTTP_CASES))
def test_access_case_over_http(
    servers: CaseServers, transport_name: str, ssl_context: ssl.SSLContext, case: dict[str, Any], policy: str
) -> None:
    event = case["event"]
    name = f"{case['id']}.{policy}.{transport_name}"
    failure = FAILURES[event["failure"]] if "failure" in event else None

    with open_client(
        transport_name,
        ssl_context=ssl_context,
        resolve=servers.resolve,
        policy=policy,
        read_timeout=SHORT_TIMEOUT if failure is FailureKind.TIMEOUT else 10.0,
        clock=lambda: 0.0,
    ) as client:
        check(client, servers.add_origin(name, event), case["expect"][policy]["effect"], policy, failure)

    requests = servers.requests(name)
    assert len(requests) == expected_requests(event, policy)
    assert {request.headers["user-agent"] for request in requests} <= {USER_AGENT}
    targets = {"/robots.txt", event.get("target", "/robots.txt")}
    assert {request.method for request in requests} <= {"GET"}
    assert {request.target.partition("?")[0] for request in requests} <= targets
    assert sum(map(is_at_other_authority, requests)) == event.get("other_authority", 0)


@pytest.mark.parametrize("case, policy", FTP_CASES, ids=case_ids(FTP_CASES))
def test_access_case_over_ftp(
    tmp_path: Path, transport_name: str, ssl_context: ssl.SSLContext, case: dict[str, Any], policy: str
) -> None:
    event = case["event"]["ftp"]
    if event != "missing":
        (tmp_path / "robots.txt").write_text(RULES)
    is_supported = transport_name in TRANSPORTS_WITH_FTP
    result = FTP_RESULTS[event] if is_supported else FailureKind.SCHEME
    failure = result if isinstance(result, FailureKind) else None
    effect = case["expect"][policy]["effect"] if is_supported else "full-disallow"

    with (
        FtpSite(tmp_path, anonymous=event != "no-login", max_connections=1 if event == "full" else 100) as site,
        open_client(
            transport_name, ssl_context=ssl_context, resolve=LOOPBACK, policy=policy, clock=lambda: 0.0
        ) as client,
    ):
        check(client, f"ftp://files.test:{site.port}", effect, policy, failure)

    logins, downloads = site.commands.count("PASS"), site.commands.count("RETR")
    assert logins == (is_supported and event != "full")
    assert downloads == (is_supported and event in {"file", "missing"})


@pytest.mark.parametrize("case", load_cases("over-time.toml"), ids=lambda case: case["id"])
def test_access_case_over_time_over_http(
    servers: CaseServers, transport_name: str, ssl_context: ssl.SSLContext, case: dict[str, Any]
) -> None:
    now = [0.0]
    name = f"{case['id']}.{transport_name}"
    origin = servers.add_origin(name, {"status": 200})
    event: dict[str, Any] = {}
    expected = 0

    with open_client(
        transport_name,
        ssl_context=ssl_context,
        resolve=servers.resolve,
        policy=case["policy"],
        revalidate=case.get("revalidate", False),
        clock=lambda: now[0],
    ) as client:
        for step in case["steps"]:
            now[0] = step["at_hours"] * HOUR
            event = step.get("event", event)
            servers.set_event(name, event)

            allowed = client.allows(f"{origin}/open", f"{origin}/forbidden")
            is_fetched = step.get("fetched", True)
            expected += step.get("requests", is_fetched and event.get("failure") != "refused")

            assert allowed == [step["open"], step["forbidden"]], step
            assert len(servers.requests(name)) == expected, step
            # A refused connection is a fetch without a request.
            assert (client.origin_state(origin).entry.fetched_at == now[0]) is is_fetched, step


@pytest.mark.parametrize("case", load_cases("crawlers.toml"), ids=lambda case: case["id"])
def test_access_case_of_crawlers_over_http(
    servers: CaseServers, transport_name: str, ssl_context: ssl.SSLContext, case: dict[str, Any]
) -> None:
    name = f"{case['id']}.{transport_name}"
    origin = servers.add_origin(name, {"status": 200})
    store = MemoryStore()
    expected = 0

    for step in case["steps"]:
        if "event" in step:
            servers.set_event(name, step["event"])
        with open_client(
            transport_name,
            ssl_context=ssl_context,
            resolve=servers.resolve,
            user_agent=step["crawler"],
            store=store,
            clock=lambda now=step["at_hours"] * HOUR: now,
        ) as client:
            allowed = client.allows(f"{origin}/open", f"{origin}/forbidden")

        expected += step["fetched"]
        assert allowed == [step["open"], step["forbidden"]], step
        assert len(servers.requests(name)) == expected, step


@pytest.mark.slow
def test_rfc9309_2_4_thirty_one_days_of_alternating_failures(
    servers: CaseServers, transport_name: str, ssl_context: ssl.SSLContext
) -> None:
    """The origin responds on one day and fails on the next. The client decides every six hours."""
    now = [0.0]
    name = f"alternating.{transport_name}"
    origin = servers.add_origin(name, {"status": 200})
    expected = 0

    with open_client(transport_name, ssl_context=ssl_context, resolve=servers.resolve, clock=lambda: now[0]) as client:
        for day in range(31):
            fails = day % 2 == 1
            servers.set_event(name, {"status": 503} if fails else {"status": 200})
            for hour in range(0, 24, 6):
                now[0] = (24 * day + hour) * HOUR
                # A file is fresh for a day, and a failure is retried within the hour.
                expected += fails or hour == 0

                assert client.allows(f"{origin}/open", f"{origin}/forbidden") == [True, False], (day, hour)
                assert len(servers.requests(name)) == expected, (day, hour)

    assert expected == 16 + 15 * 4
