"""The fetch plan over real transports: redirects end where the policy says, whoever carries the requests."""

import pytest
from tests.servers.proper import RULES, rules, saying
from tests.servers.redirects import redirecting
from tests.servers.web import Site
from tests.transports.faces import Ask, asking

from canfetch.access.fetch_plan import FetchResult, Request, first_request, next_step
from canfetch.access.outcomes import Access
from canfetch.access.policies import get_policy
from canfetch.core.origin import Origin

POLICY = get_policy("rfc9309")


def fetched(ask: Ask, robots_url: str) -> FetchResult:
    step: Request | FetchResult = first_request(Origin.from_url(robots_url))
    while isinstance(step, Request):
        step = next_step(step, ask(asking(step.url, headers=step.headers)), POLICY)
    return step


@pytest.mark.parametrize(
    "label, access, requests",
    [
        ("rules", Access.SUCCESSFUL, 1),
        ("chain-4", Access.SUCCESSFUL, 5),
        ("chain-5", Access.SUCCESSFUL, 6),
        ("chain-6", Access.UNAVAILABLE, 6),
        ("loop", Access.UNAVAILABLE, 2),
        ("itself", Access.UNAVAILABLE, 1),
        ("nowhere", Access.UNREACHABLE, 1),
        ("mail", Access.UNREACHABLE, 1),
        ("refresh", Access.SUCCESSFUL, 1),
        ("status-404", Access.UNAVAILABLE, 1),
        ("status-503", Access.UNREACHABLE, 1),
        ("short-body", Access.UNREACHABLE, 1),
        ("cut-head", Access.UNREACHABLE, 1),
        ("gzip-wrong", Access.UNREACHABLE, 1),
    ],
)
def test_rfc9309_2_3_1_outcomes(ask: Ask, site: Site, label: str, access: Access, requests: int) -> None:
    outcome = fetched(ask, site.robots_url(label)).outcome
    assert outcome.access is access, outcome
    assert len(site.asked) == requests


def test_redirects_lead_over_hosts_ports_and_schemes(tls_ask: Ask, site: Site, tls_site: Site) -> None:
    with Site(host="::1") as third:
        site.serve("/robots.txt", redirecting(tls_site.robots_url("away")))
        tls_site.serve("/robots.txt", redirecting(third.url("chain-2"), 308))
        ended = fetched(tls_ask, site.robots_url("here"))
        assert ended.response is not None
        assert ended.response.body == RULES
        assert [hop.status for hop in ended.hops] == [302, 308, 303, 302]
        assert ended.url == third.url("chain-0")


def test_relative_place_is_on_the_same_host(ask: Ask, site: Site) -> None:
    site.serve("/robots.txt", redirecting("deep/missing"))
    ended = fetched(ask, f"{site.origin}/robots.txt")
    assert [asked.target for asked in site.asked] == ["/robots.txt", "/deep/missing"]
    assert ended.outcome.access is Access.UNAVAILABLE


def test_raw_place_is_encoded(ask: Ask, site: Site) -> None:
    site.serve("/gr%C3%B6%C3%9Fe", rules)
    assert fetched(ask, site.robots_url("raw-location")).outcome.access is Access.SUCCESSFUL


def test_flapping_origin_is_what_it_is_each_time(ask: Ask, site: Site) -> None:
    site.serve("/robots.txt", rules, saying(b"", status=503), saying(b"", status=404), rules)
    seen = [fetched(ask, f"{site.origin}/robots.txt").outcome.access for _ in range(5)]
    good, down, gone = Access.SUCCESSFUL, Access.UNREACHABLE, Access.UNAVAILABLE
    assert seen == [good, down, gone, good, good]
    assert site.count("/robots.txt") == 5
