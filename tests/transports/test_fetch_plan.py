"""The fetch plan over real transports."""

import pytest
from tests.servers.redirects import redirect
from tests.servers.valid import RULES, respond, rules
from tests.servers.web import Site
from tests.transports.harness import Send, make_request

from canfetch.access.fetch_plan import FetchResult, Request, first_request, next_step
from canfetch.access.policies import get_policy
from canfetch.core.origin import Origin
from canfetch.core.verdict import Access

POLICY = get_policy("rfc9309")


def fetch(send: Send, robots_url: str) -> FetchResult:
    step: Request | FetchResult = first_request(Origin.from_url(robots_url))
    while isinstance(step, Request):
        step = next_step(step, send(make_request(step.url, headers=step.headers)), POLICY)
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
def test_rfc9309_2_3_1_outcomes(send: Send, site: Site, label: str, access: Access, requests: int) -> None:
    outcome = fetch(send, site.robots_url(label)).outcome
    assert outcome.access is access, outcome
    assert len(site.requests) == requests


def test_redirects_to_other_hosts_ports_and_schemes_are_followed(tls_send: Send, site: Site, tls_site: Site) -> None:
    with Site(host="::1") as other_site:
        site.serve("/robots.txt", redirect(tls_site.robots_url("away")))
        tls_site.serve("/robots.txt", redirect(other_site.url("chain-2"), 308))
        result = fetch(tls_send, site.robots_url("here"))
        assert result.response is not None
        assert result.response.body == RULES
        assert [hop.status for hop in result.hops] == [302, 308, 303, 302]
        assert result.url == other_site.url("chain-0")


def test_relative_location_is_on_the_same_host(send: Send, site: Site) -> None:
    site.serve("/robots.txt", redirect("deep/missing"))
    result = fetch(send, f"{site.origin}/robots.txt")
    assert [request.target for request in site.requests] == ["/robots.txt", "/deep/missing"]
    assert result.outcome.access is Access.UNAVAILABLE


def test_raw_location_is_encoded(send: Send, site: Site) -> None:
    site.serve("/gr%C3%B6%C3%9Fe", rules)
    assert fetch(send, site.robots_url("raw-location")).outcome.access is Access.SUCCESSFUL


def test_outcome_depends_on_the_last_response_only(send: Send, site: Site) -> None:
    site.serve("/robots.txt", rules, respond(b"", status=503), respond(b"", status=404), rules)
    seen = [fetch(send, f"{site.origin}/robots.txt").outcome.access for _ in range(5)]
    good, down, gone = Access.SUCCESSFUL, Access.UNREACHABLE, Access.UNAVAILABLE
    assert seen == [good, down, gone, good, good]
    assert site.count("/robots.txt") == 5
