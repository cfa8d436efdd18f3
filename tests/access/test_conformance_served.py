"""Every access case once more: both clients, every transport, and servers on loopback that do what the case says."""

import ssl
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.access.conftest import ALLOWED, FAILURES, FTP_ANSWERS, RULES, cases, effect_name
from tests.access.stage import Stage, is_elsewhere
from tests.access.visitors import USER_AGENT, Visitor, visitor
from tests.servers.certificates import Authority
from tests.servers.fixtures import authority
from tests.servers.ftp import FtpSite
from tests.transports.harness import LOOPBACK, TRANSPORT_NAMES

from canfetch.access.policies import get_policy
from canfetch.access.responses import FailureKind

__all__ = ["authority"]

CELLS = [(case, policy) for case in cases("answers.toml") for policy in case["expect"]]
OF_HTTP = [cell for cell in CELLS if "ftp" not in cell[0]["event"]]
OF_FTP = [cell for cell in CELLS if "ftp" in cell[0]["event"]]
SPEAKING_FTP = ("stdlib", "stdlib-async")
SHORT_SECONDS = 0.15
HOUR_SECONDS = 3600.0


def ids(cells: Sequence[tuple[dict[str, Any], str]]) -> list[str]:
    return [f"{case['id']}-{policy}" for case, policy in cells]


@pytest.fixture(scope="module")
def stage(authority: Authority) -> Iterator[Stage]:
    with Stage(authority) as standing:
        yield standing


@pytest.fixture(scope="module", params=TRANSPORT_NAMES)
def face(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture(scope="module")
def ssl_context(face: str, authority: Authority) -> ssl.SSLContext:
    """One for each transport, since they write into it; not one for each test, since it is dear."""
    del face
    return authority.client()


def check(asking: Visitor, origin: str, effect: str, policy: str, failure: FailureKind | None) -> None:
    """Ask for a page that the rules allow and for one that they forbid, in each way, and look at all that comes."""
    urls = f"{origin}/open", f"{origin}/forbidden"
    verdicts = asking.decide(*urls)
    assert tuple(verdict.allowed for verdict in verdicts) == ALLOWED[effect], verdicts
    assert tuple(asking.allows(*urls)) == ALLOWED[effect]
    for verdict in verdicts:
        assert verdict.access is not None
        assert (verdict.access.effect, verdict.access.policy) == (effect_name(effect), policy)
        assert verdict.access.robots_url == f"{origin}/robots.txt"
    detail = asking.origin_state(origin).entry.outcome.detail
    if failure is not None:
        assert detail.startswith(f"{failure}: "), detail
    else:
        assert detail.partition(" ")[0] in {"status", "more", "redirect"}, detail


def requests(event: dict[str, Any], policy: str) -> int:
    """Say how many requests must arrive, whatever is asked."""
    if event.get("failure") in {"refused", "bad-tls"}:
        return 0
    if event.get("redirect_loop"):
        return 2
    redirects: int = event.get("redirects", 0)
    return 1 + min(redirects, get_policy(policy).redirect_limit)


@pytest.mark.parametrize("case, policy", OF_HTTP, ids=ids(OF_HTTP))
def test_access_answers_served(
    stage: Stage, face: str, ssl_context: ssl.SSLContext, case: dict[str, Any], policy: str
) -> None:
    event = case["event"]
    name = f"{case['id']}.{policy}.{face}"
    failure = FAILURES[event["failure"]] if "failure" in event else None
    patience = SHORT_SECONDS if failure is FailureKind.TIMEOUT else 10.0

    with visitor(
        face, ssl_context=ssl_context, resolve=stage.resolve, policy=policy, read_timeout=patience, clock=lambda: 0.0
    ) as asking:
        check(asking, stage.origin(name, event), case["expect"][policy]["effect"], policy, failure)

    arrived = stage.arrived(name)
    assert len(arrived) == requests(event, policy)
    assert {asked.headers["user-agent"] for asked in arrived} <= {USER_AGENT}
    assert {(asked.method, asked.target.partition("?")[0]) for asked in arrived} <= {("GET", "/robots.txt")}
    assert sum(map(is_elsewhere, arrived)) == event.get("other_authority", 0)


@pytest.mark.parametrize("case, policy", OF_FTP, ids=ids(OF_FTP))
def test_access_answers_served_by_ftp(
    tmp_path: Path, face: str, ssl_context: ssl.SSLContext, case: dict[str, Any], policy: str
) -> None:
    event = case["event"]["ftp"]
    if event != "missing":
        (tmp_path / "robots.txt").write_text(RULES)
    speaks = face in SPEAKING_FTP
    answer = FTP_ANSWERS[event]
    failure = FailureKind.SCHEME if not speaks else answer if isinstance(answer, FailureKind) else None
    effect = case["expect"][policy]["effect"] if speaks else "full-disallow"

    with (
        FtpSite(tmp_path, anonymous=event != "no-login", max_connections=1 if event == "full" else 100) as site,
        visitor(face, ssl_context=ssl_context, resolve=LOOPBACK, policy=policy, clock=lambda: 0.0) as asking,
    ):
        check(asking, f"ftp://files.test:{site.port}", effect, policy, failure)

    logins, files = site.commands.count("PASS"), site.commands.count("RETR")
    assert logins == (speaks and event != "full")
    assert files == (speaks and event in {"file", "missing"})


@pytest.mark.parametrize("case", cases("over-time.toml"), ids=lambda case: case["id"])
def test_access_over_time_served(stage: Stage, face: str, ssl_context: ssl.SSLContext, case: dict[str, Any]) -> None:
    now = [0.0]
    name = f"{case['id']}.{face}"
    origin = stage.origin(name, {"status": 200})
    event: dict[str, Any] = {}
    arrived = 0

    with visitor(
        face, ssl_context=ssl_context, resolve=stage.resolve, policy=case["policy"], clock=lambda: now[0]
    ) as asking:
        for step in case["steps"]:
            now[0] = step["at_hours"] * HOUR_SECONDS
            event = step.get("event", event)
            stage.change(name, event)

            allowed = asking.allows(f"{origin}/open", f"{origin}/forbidden")
            asked = step.get("asked", True)
            arrived += asked and event.get("failure") != "refused"

            assert allowed == [step["open"], step["forbidden"]], step
            assert len(stage.arrived(name)) == arrived, step
            # Whom nobody answers has been asked all the same.
            assert (asking.origin_state(origin).entry.fetched_at == now[0]) is asked, step


def test_rfc9309_2_4_thirty_one_days_hour_by_hour(stage: Stage, face: str, ssl_context: ssl.SSLContext) -> None:
    """The origin is there on one day and fails on the next; somebody asks each hour."""
    now = [0.0]
    name = f"day-by-day.{face}"
    origin = stage.origin(name, {"status": 200})
    expected = 0

    with visitor(face, ssl_context=ssl_context, resolve=stage.resolve, clock=lambda: now[0]) as asking:
        for day in range(31):
            fails = day % 2 == 1
            stage.change(name, {"status": 503} if fails else {"status": 200})
            for hour in range(24):
                now[0] = (24 * day + hour) * HOUR_SECONDS
                # What was fetched holds for a day; what failed is tried again within the hour.
                expected += fails or hour == 0

                assert asking.allows(f"{origin}/open", f"{origin}/forbidden") == [True, False], (day, hour)
                assert len(stage.arrived(name)) == expected, (day, hour)

    assert expected == 16 + 15 * 24
