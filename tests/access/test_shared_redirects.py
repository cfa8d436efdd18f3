"""Fetches of several origins that lead through the same URLs."""

from itertools import pairwise
from typing import Final

import pytest

from canfetch.access.entries import CacheEntry
from canfetch.access.fetch_plan import FetchResult, Hop, Request, Validators, first_request, next_step
from canfetch.access.outcomes import OutcomeKind
from canfetch.access.policies import get_policy
from canfetch.access.responses import Failure, FailureKind, Headers, Response
from canfetch.access.shared_redirects import (
    Exchange,
    can_answer,
    entry_from_target,
    failure_of_target,
    results_for_targets,
    robots_origin,
)
from canfetch.access.transitions import next_entry
from canfetch.core.origin import Origin

POLICY: Final = get_policy("rfc9309")
SENT: Final = (("User-Agent", "ExampleBot/1.0"),)
A, B, C = (f"http://{name}.example/robots.txt" for name in "abc")


def respond(url: str, status: int = 200, *headers: tuple[str, str]) -> Response:
    return Response(url, status, headers, b"User-agent: *\n")


def redirect(url: str, location: str, *headers: tuple[str, str]) -> Response:
    return respond(url, 301, ("Location", location), *headers)


def fetch(*answers: Response | Failure, validators: Validators | None = None) -> tuple[list[Exchange], FetchResult]:
    """Return the exchanges and the result of a fetch with these answers."""
    step: Request | FetchResult = first_request(Origin.from_url(answers[0].url), validators=validators)
    exchanges: list[Exchange] = []
    for answer in answers:
        assert isinstance(step, Request)
        assert step.url == answer.url
        exchanges.append(Exchange(step, answer, float(len(exchanges))))
        step = next_step(step, answer, POLICY)
    assert isinstance(step, FetchResult)
    return exchanges, step


def share(exchanges: list[Exchange], *misconfigured: str, policy: str = "rfc9309") -> dict[str, FetchResult]:
    results = results_for_targets(exchanges, get_policy(policy), misconfigured_origins=frozenset(misconfigured))
    return {str(origin): result for origin, result, _ in results}


def make_entry(*answers: Response | Failure, now: float = 0.0, headers: Headers = SENT) -> CacheEntry:
    origin = Origin.from_url(answers[0].url)
    return next_entry(None, origin, fetch(*answers)[1], POLICY, now=now, seed=0, request_headers=headers)


@pytest.mark.parametrize(
    "url, expected",
    [
        (A, "http://a.example"),
        ("https://a.example:8443/robots.txt", "https://a.example:8443"),
        ("ftp://a.example/robots.txt", "ftp://a.example"),
        ("http://a.example/robots.txt?", None),
        ("http://a.example/robots.txt?a", None),
        ("http://a.example/x/robots.txt", None),
        ("http://a.example/ROBOTS.txt", None),
        ("http://user@a.example/robots.txt", None),
        ("http://a.example:80/robots.txt", None),
        ("HTTP://A.example/robots.txt", None),
        ("http://a.example", None),
    ],
)
def test_origin_of_a_robots_url(url: str, expected: str | None) -> None:
    origin = robots_origin(url)
    assert (None if origin is None else str(origin)) == expected


def test_results_for_the_origins_on_the_way() -> None:
    exchanges, result = fetch(redirect(A, B, ("Vary", "Cookie")), redirect(B, C, ("Vary", "Origin")), respond(C))
    results = share(exchanges)
    assert list(results) == ["http://b.example", "http://c.example"]
    assert [len(shared.hops) for shared in (result, *results.values())] == [2, 1, 0]
    assert [sorted(shared.vary_names) for shared in (result, *results.values())] == [
        ["cookie", "origin"],
        ["origin"],
        [],
    ]
    assert {shared.url for shared in results.values()} == {C}


def test_no_results_without_redirects() -> None:
    assert share([]) == share(fetch(respond(A))[0]) == {}
    assert share(fetch(redirect(A, f"{B}?a"), respond(f"{B}?a"))[0]) == {}


def test_first_origin_is_not_a_target() -> None:
    """A request that is repeated without conditions has the same URL."""
    validators = Validators(B, '"1"', None)
    exchanges, _ = fetch(redirect(A, B), respond(B, 304, ("ETag", '"2"')), respond(B), validators=validators)
    results = share(exchanges)
    assert list(results) == ["http://b.example"]
    assert not results["http://b.example"].not_modified


def test_304_is_shared() -> None:
    exchanges, _ = fetch(redirect(A, B), respond(B, 304), validators=Validators(B, '"1"', None))
    assert share(exchanges)["http://b.example"].not_modified


def test_redirect_limit_of_the_first_origin_is_not_shared() -> None:
    urls = [f"http://{name}.example/robots.txt" for name in "abcdefg"]
    exchanges, result = fetch(*(redirect(url, target) for url, target in pairwise(urls)))
    assert result.outcome.kind is OutcomeKind.REDIRECT_OVERFLOW
    assert share(exchanges) == {}
    loop, result = fetch(redirect(A, B), redirect(B, A))
    assert result.outcome.kind is OutcomeKind.REDIRECT_OVERFLOW
    assert share(loop) == {}


@pytest.mark.parametrize("kind", FailureKind)
def test_failures_are_shared_except_timeouts(kind: FailureKind) -> None:
    exchanges, _ = fetch(redirect(A, B), Failure(B, kind, "failed"))
    assert bool(share(exchanges)) is (kind is not FailureKind.TIMEOUT)


def test_loop_that_starts_at_the_target_is_shared() -> None:
    exchanges, _ = fetch(redirect(A, B), redirect(B, C), redirect(C, B))
    results = share(exchanges)
    assert list(results) == ["http://b.example"]
    assert results["http://b.example"].outcome.kind is OutcomeKind.REDIRECT_OVERFLOW


def test_google2019_misconfigured_target() -> None:
    exchanges, _ = fetch(redirect(A, B), respond(B, 500))
    kinds = [
        share(exchanges, *origins, policy="google2019")["http://b.example"].outcome.kind
        for origins in ((), ("http://b.example",), ("http://a.example",))
    ]
    assert kinds == [OutcomeKind.SERVER_ERROR, OutcomeKind.MISCONFIGURED_SERVER_ERROR, OutcomeKind.SERVER_ERROR]


@pytest.mark.parametrize(
    "answers, expected",
    [
        ([respond(B)], True),
        ([respond(B, 404)], True),
        ([respond(B, 503)], False),
        ([Failure(B, FailureKind.DNS, "dns")], False),
        ([redirect(B, C), respond(C)], True),
        ([redirect(B, C), redirect(C, B)], False),
        ([redirect(B, A), respond(A)], False),
        ([redirect(B, C), redirect(C, A), respond(A)], False),
    ],
)
def test_entries_that_answer_a_request(answers: list[Response | Failure], *, expected: bool) -> None:
    request = Request(B, (Hop(A, 301, B),))
    assert can_answer(request, make_entry(*answers), POLICY) is expected


@pytest.mark.parametrize("limit, expected", [(0, False), (1, False), (2, True)])
def test_redirects_of_the_request_and_the_entry_count_together(limit: int, *, expected: bool) -> None:
    request = Request(B, (Hop(A, 301, B),))
    entry = make_entry(redirect(B, C), respond(C))
    assert can_answer(request, entry, POLICY.replace(redirect_limit=limit)) is expected


def test_entry_made_from_the_entry_of_the_target() -> None:
    target = make_entry(redirect(B, C, ("Vary", "Cookie")), respond(C, 200, ("Cache-Control", "max-age=3600")))
    request = Request(B, (Hop(A, 301, B),), vary_names=frozenset(["user-agent"]))
    origin = Origin.from_url(A)
    entry = entry_from_target(origin, request, target, now=60.0, request_headers=SENT)
    assert (entry.key, entry.url, [hop.url for hop in entry.hops]) == ("http://a.example", C, [A, B])
    assert (entry.fetched_at, entry.next_fetch_at, entry.responded_at) == (60.0, 3600.0, 60.0)
    assert entry.copy is not None
    assert (entry.copy.fetched_at, entry.copy.vary) == (0.0, entry.vary)
    assert [field.name for field in entry.vary] == ["cookie", "user-agent"]
    assert CacheEntry.from_json(entry.to_json()) == entry
    late = entry_from_target(origin, request, target, now=3700.0, request_headers=SENT)
    assert late.next_fetch_at == late.fetched_at == 3700.0
    missing = entry_from_target(origin, request, make_entry(respond(B, 404)), now=60.0, request_headers=SENT)
    assert missing.copy is None


def test_target_whose_own_fetch_ends_earlier() -> None:
    exchanges, _ = fetch(redirect(A, B), redirect(B, C), respond(C))
    policy = POLICY.replace(redirect_limit=0)
    results = list(results_for_targets(exchanges, policy, misconfigured_origins=frozenset()))
    assert [requested_at for _, _, requested_at in results] == [1.0, 2.0]
    assert [result.outcome.kind for _, result, _ in results] == [OutcomeKind.REDIRECT_OVERFLOW, OutcomeKind.SUCCESS]


@pytest.mark.parametrize("kind", FailureKind)
def test_network_error_of_the_target_answers_a_request(kind: FailureKind) -> None:
    entry = make_entry(Failure(B, kind, "failed"))
    result = failure_of_target(Request(B, (Hop(A, 301, B),)), entry, POLICY)
    assert result is not None
    assert (result.failure, result.response, result.retry_at) == (kind, None, entry.next_fetch_at)
    assert [hop.url for hop in result.hops] == [A]


def test_failure_with_an_unknown_kind() -> None:
    entry = make_entry(Failure(B, FailureKind.DNS, "failed"))
    entry = entry._replace(outcome=entry.outcome._replace(detail="something else"))
    result = failure_of_target(Request(B, (Hop(A, 301, B),)), entry, POLICY)
    assert result is not None
    assert result.failure is None


def test_pause_of_the_target_holds_for_the_first_origin() -> None:
    entry = make_entry(respond(B, 503, ("Retry-After", "7200"), ("Vary", "Cookie")))
    request = Request(B, (Hop(A, 301, B),), vary_names=frozenset(["origin"]))
    result = failure_of_target(request, entry, POLICY)
    assert result is not None
    assert result.response is not None
    assert (result.response.status, sorted(result.vary_names)) == (503, ["cookie", "origin"])
    first = next_entry(None, Origin.from_url(A), result, POLICY, now=60.0, seed=0, request_headers=SENT)
    assert first.next_fetch_at == entry.next_fetch_at == 7200.0


@pytest.mark.parametrize(
    "answers, misconfigured",
    [
        ([respond(B)], False),
        ([respond(B, 404)], False),
        ([respond(B, 503)], True),
        ([redirect(B, A), Failure(A, FailureKind.DNS, "dns")], False),
    ],
)
def test_entries_that_do_not_pause_a_request(answers: list[Response | Failure], *, misconfigured: bool) -> None:
    request = Request(B, (Hop(A, 301, B),), misconfigured=misconfigured)
    assert failure_of_target(request, make_entry(*answers), POLICY) is None
