"""Pages and binary data that are served as robots.txt: outcomes, entries over time, and verdicts of both clients."""

from typing import Any

import pytest
from tests.access.conftest import ScriptedOrigin
from tests.client.either import BOTH, EitherClient

import canfetch
from canfetch.access.effective_access import FetchNeed, effective_access, expire_if_incompatible, fetch_need
from canfetch.access.entries import CacheEntry
from canfetch.access.fetch_plan import FetchResult, first_request, next_step
from canfetch.access.policies import POLICIES, AccessPolicy
from canfetch.access.responses import Response
from canfetch.access.transitions import next_entry
from canfetch.core.origin import Origin

ORIGIN = Origin.from_url("https://example.com/")
URL = "https://example.com/open"
PAGE = b"<!DOCTYPE html>\n<html><script src=/challenge.js></script></html>\n"
FILE = b"User-agent: *\nDisallow: /forbidden\n"
LIMIT = 512_000
RFC9309 = POLICIES["rfc9309"]
CLOSED = RFC9309.replace(not_robots="unreachable")
NOTE = "the content is HTML or XML without any record"


def fetch(
    body: bytes,
    policy: AccessPolicy = RFC9309,
    previous: CacheEntry | None = None,
    *,
    status: int = 200,
    now: float = 0.0,
    max_bytes: int = LIMIT,
) -> CacheEntry:
    """Return the entry after a response. A 304 revalidates the copy of the previous entry."""
    validators = None if previous is None or previous.copy is None else previous.copy.validators
    response = Response(ORIGIN.robots_url, status, (("etag", '"a"'),), body)
    fetched = next_step(first_request(ORIGIN, validators=validators, max_bytes=max_bytes), response, policy)
    assert isinstance(fetched, FetchResult)
    return next_entry(previous, ORIGIN, fetched, policy, now=now, seed=0, max_bytes=max_bytes)


@pytest.mark.parametrize(
    "value, access, effect",
    [
        ("rules", "successful", "conditional-allow"),
        ("full-allow", "unavailable", "full-allow"),
        ("full-disallow", "unavailable", "full-disallow"),
        ("unreachable", "unreachable", "full-disallow"),
    ],
)
@pytest.mark.parametrize("status", [200, 201, 202])
def test_policy_decides_about_a_page(value: Any, access: str, effect: str, status: int) -> None:
    policy = RFC9309.replace(not_robots=value)

    entry = fetch(PAGE, policy, status=status)
    effective = effective_access(entry, policy, now=0.0)

    assert (entry.outcome.kind, str(effective.access), str(effective.effect)) == ("not_robots", access, effect)
    assert effective.explanation == f"status {status}, but {NOTE}"
    assert (entry.copy is not None) == (value == "rules")
    assert CacheEntry.from_json(entry.to_json()) == entry


def test_status_decides_before_the_content() -> None:
    policy = RFC9309.replace(other_success="full-disallow", not_robots="full-allow")

    assert fetch(PAGE, policy, status=202).outcome.kind == "other_success"
    assert fetch(PAGE, policy, status=200).outcome.kind == "not_robots"
    assert fetch(PAGE, policy, status=404).outcome.detail == "status 404"


def test_size_decides_before_the_content() -> None:
    assert fetch(PAGE.ljust(LIMIT + 1), POLICIES["yandex"]).outcome.kind == "oversize"
    assert fetch(PAGE.ljust(LIMIT + 1), CLOSED).outcome.kind == "not_robots"


def test_page_keeps_the_last_good_copy_and_retries_back_off() -> None:
    good = fetch(FILE, CLOSED)

    page = fetch(PAGE, CLOSED, good, now=90_000.0)
    again = fetch(PAGE, CLOSED, page, status=202, now=page.next_fetch_at)

    assert page.copy == again.copy == good.copy
    assert (page.failures, again.failures, again.first_failure_at) == (1, 2, 90_000.0)
    assert 30 <= page.next_fetch_at - page.fetched_at <= 60 <= again.next_fetch_at - again.fetched_at <= 120
    effective = effective_access(again, CLOSED, now=90_000.0)
    assert effective.explanation == f"status 202, but {NOTE}; using the last good copy"
    assert effective.copy == good.copy


def test_not_modified_page_is_still_a_page() -> None:
    page = fetch(PAGE)

    confirmed = fetch(b"", RFC9309, page, status=304, now=90_000.0)

    assert confirmed.outcome.kind == "not_robots"
    assert confirmed.outcome.detail == f"status 304, not modified, but {NOTE}"
    assert confirmed.copy is not None
    assert (confirmed.copy.content, confirmed.copy.fetched_at) == (PAGE, 90_000.0)


def test_not_modified_file_is_not_a_page() -> None:
    confirmed = fetch(b"", CLOSED, fetch(FILE, CLOSED), status=304, now=90_000.0)

    assert (confirmed.outcome.kind, confirmed.outcome.detail) == ("not_modified", "status 304, not modified")


def test_copy_that_was_not_recognised_as_a_page_before_is_dropped() -> None:
    """Another version may have stored the page as a good copy."""
    stored = fetch(PAGE, RFC9309)._replace(policy=CLOSED.name)

    confirmed = fetch(b"", CLOSED, stored, status=304, now=90_000.0)

    assert (str(confirmed.outcome.access), confirmed.copy, confirmed.failures) == ("unreachable", None, 1)


@pytest.mark.parametrize("value", ["full-allow", "unreachable"])
def test_page_that_may_be_followed_by_records_expires_for_clients_with_a_higher_limit(value: Any) -> None:
    policy = RFC9309.replace(not_robots=value)
    content = PAGE.ljust(LIMIT) + b"\n" + FILE
    entry = fetch(content[: LIMIT + 1], policy)

    for max_bytes, need in ((LIMIT, FetchNeed.NO), (2 * LIMIT, FetchNeed.NOW)):
        assert fetch_need(expire_if_incompatible(entry, policy, max_bytes=max_bytes), now=1.0) is need

    assert fetch(content, policy, max_bytes=2 * LIMIT).outcome.kind == "success"


@pytest.mark.parametrize("oversize, need", [("full-disallow", FetchNeed.NOW), ("truncate", FetchNeed.NO)])
def test_page_that_may_be_too_long_expires_for_clients_with_a_lower_limit(oversize: Any, need: FetchNeed) -> None:
    policy = RFC9309.replace(not_robots="full-allow", oversize=oversize)
    entry = fetch(PAGE.ljust(LIMIT + 1), policy, max_bytes=2 * LIMIT)

    assert fetch_need(expire_if_incompatible(entry, policy, max_bytes=LIMIT), now=1.0) is need
    assert fetch_need(expire_if_incompatible(entry, policy, max_bytes=2 * LIMIT), now=1.0) is FetchNeed.NO
    # A page that is too long for `oversize` is no page, so this one is complete.
    higher = fetch_need(expire_if_incompatible(entry, policy, max_bytes=3 * LIMIT), now=1.0)
    assert higher is (FetchNeed.NOW if oversize == "truncate" else FetchNeed.NO)


@pytest.mark.parametrize("body", [PAGE, b"%PDF-1.7\n", b"\x1f\x8b\x08\0\0\0\0\0\x02\xff"], ids=["page", "pdf", "gzip"])
@pytest.mark.parametrize("policy", ["rfc9309", "google", "yandex", "rfc9309+not_robots=unreachable"])
@BOTH
def test_verdicts_always_mention_the_format(body: bytes, policy: str, kind: str) -> None:
    text = body.decode("latin-1")
    note = canfetch.parse(text).decide(URL, agent="ExampleBot").notes[0]

    with EitherClient(kind, ScriptedOrigin({"status": 200, "body": text}), policy=policy) as client:
        verdict = client.decide(URL)

    assert verdict.access is not None
    assert verdict.access.explanation.startswith(f"status 200, but {note}")
    assert note in verdict.explanation
    assert note in str(verdict.to_json()["access"]["explanation"])
