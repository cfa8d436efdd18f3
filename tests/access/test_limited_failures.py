"""Failures under the limits of a client, beside the entry for all clients."""

import pytest

from canfetch.access.entries import CacheEntry
from canfetch.access.fetch_plan import FetchResult, first_request, next_step
from canfetch.access.limited_failures import KnownEntries, Limits, depends_on_limits, limit_variant
from canfetch.access.policies import get_policy
from canfetch.access.responses import Failure, FailureKind, Response
from canfetch.access.transitions import next_entry
from canfetch.core.origin import Origin
from canfetch.core.verdict import Access

ORIGIN = Origin.from_url("https://example.com/")
VARIANT = limit_variant("digest")
LIMITS = Limits(VARIANT, has_proxy=False)
PROXIED = Limits(VARIANT, has_proxy=True)
SERVED = Response(ORIGIN.robots_url, 200, (), b"User-agent: *\n")
BUSY = Response(ORIGIN.robots_url, 503, (), b"")
MISSING = Response(ORIGIN.robots_url, 404, (), b"")
LATE = Failure(ORIGIN.robots_url, FailureKind.TIMEOUT, "timed out")


def fetch(answer: Response | Failure, policy: str = "rfc9309") -> FetchResult:
    result = next_step(first_request(ORIGIN), answer, get_policy(policy))
    assert isinstance(result, FetchResult)
    return result


def make_entry(
    answer: Response | Failure, now: float, previous: CacheEntry | None = None, policy: str = "rfc9309"
) -> CacheEntry:
    entry = next_entry(previous, ORIGIN, fetch(answer, policy), get_policy(policy), now=now, seed=0)
    return entry._replace(variant=VARIANT if isinstance(answer, Failure) else "")


@pytest.mark.parametrize("kind", FailureKind)
def test_failures_that_depend_on_limits(kind: FailureKind) -> None:
    fetched = fetch(Failure(ORIGIN.robots_url, kind, "failed"))
    expected = str(kind) in {"forbidden-address", "timeout", "scheme", "tls", "reset"}
    assert depends_on_limits(fetched, LIMITS) is expected
    assert depends_on_limits(fetched, PROXIED)


def test_reset_without_tls_does_not_depend_on_limits() -> None:
    url = "http://example.com/robots.txt"
    fetched = next_step(
        first_request(Origin.from_url(url)), Failure(url, FailureKind.RESET, "reset"), get_policy("rfc9309")
    )
    assert isinstance(fetched, FetchResult)
    assert not depends_on_limits(fetched, LIMITS)
    assert depends_on_limits(fetched, PROXIED)


@pytest.mark.parametrize("answer, expected", [(SERVED, False), (MISSING, False), (BUSY, True)])
def test_proxy_can_send_a_server_error(answer: Response, *, expected: bool) -> None:
    assert not depends_on_limits(fetch(answer), LIMITS)
    assert depends_on_limits(fetch(answer), PROXIED) is expected


def test_entries_are_added_by_their_kind_and_age() -> None:
    entry, failure = make_entry(SERVED, 10.0), make_entry(LATE, 20.0)
    known = KnownEntries().add(None, now=30.0).add(failure, now=30.0).add(entry, now=30.0)
    assert known == KnownEntries(entry, failure)
    assert known.add(make_entry(SERVED, 5.0), now=30.0).add(make_entry(LATE, 5.0), now=30.0) == known
    assert KnownEntries().latest is KnownEntries().base is None


@pytest.mark.parametrize("answer", [SERVED, BUSY])
def test_entry_from_the_future_does_not_count_against_a_failure(answer: Response) -> None:
    # The clock was an hour ahead.
    entry, failure = make_entry(answer, 3610.0), make_entry(LATE, 20.0)
    for known in (
        KnownEntries().add(entry, now=30.0).add(failure, now=30.0),
        KnownEntries().add(failure, now=30.0).add(entry, now=30.0),
    ):
        latest = known.latest
        assert latest is not None
        assert (latest.outcome, latest.next_fetch_at, latest.copy) == (
            failure.outcome,
            failure.next_fetch_at,
            entry.copy,
        )


def test_failure_from_the_future_does_not_count_against_an_entry() -> None:
    entry, failure = make_entry(SERVED, 10.0), make_entry(LATE, 3620.0)
    assert KnownEntries().add(entry, now=30.0).add(failure, now=30.0).latest is entry
    assert KnownEntries().add(failure, now=30.0).add(entry, now=30.0).latest is entry
    assert KnownEntries().add(failure, now=30.0).latest is failure


def test_an_entry_and_a_failure_from_the_future_are_both_kept() -> None:
    entry, failure = make_entry(SERVED, 3610.0), make_entry(LATE, 3620.0)
    assert KnownEntries().add(entry, now=30.0).add(failure, now=30.0) == KnownEntries(entry, failure)


def test_latest_after_a_response() -> None:
    entry, failure = make_entry(SERVED, 10.0), make_entry(LATE, 20.0)
    assert KnownEntries(entry).latest is KnownEntries(entry).base is entry
    latest = KnownEntries(entry, failure).latest
    assert latest is not None
    assert (latest.outcome, latest.copy, latest.variant) == (failure.outcome, entry.copy, VARIANT)
    assert latest.first_failure_at == 20.0
    # The origin has responded since the failure.
    later = make_entry(SERVED, 30.0)
    assert KnownEntries(later, failure).latest is later
    failed = make_entry(BUSY, 40.0, later)
    assert KnownEntries(failed, failure).latest is failed


def test_latest_while_unreachable_for_several_reasons() -> None:
    failure = make_entry(LATE, 20.0)
    for _ in range(5):
        failure = make_entry(LATE, 20.0, failure)
    entry = make_entry(BUSY, 30.0)
    latest = KnownEntries(entry, failure).latest
    assert latest is not None
    assert (latest.outcome, latest.fetched_at, latest.variant) == (entry.outcome, 30.0, VARIANT)
    assert (latest.failures, latest.first_failure_at) == (6, 20.0)
    assert latest.next_fetch_at == failure.next_fetch_at > entry.next_fetch_at
    earlier = make_entry(BUSY, 10.0)
    latest = KnownEntries(earlier, failure).latest
    assert latest is not None
    assert (latest.outcome, latest.first_failure_at, latest.failures) == (failure.outcome, 10.0, 6)


def test_policy_in_which_a_network_error_is_not_unreachable() -> None:
    entry = make_entry(SERVED, 10.0, policy="rfc9309+network_error=full-allow")
    failure = make_entry(LATE, 20.0, policy="rfc9309+network_error=full-allow")
    assert failure.outcome.access is Access.UNAVAILABLE
    assert KnownEntries(entry, failure).latest is failure


def test_base_does_not_count_the_failures_of_one_client() -> None:
    entry, failure = make_entry(SERVED, 10.0), make_entry(LATE, 20.0)
    assert KnownEntries(entry, failure).base is entry
    assert KnownEntries(None, failure).base is None
    base = KnownEntries(None, make_entry(LATE, 20.0, entry)).base
    assert base is not None
    assert (base.copy, base.failures, base.first_failure_at) == (entry.copy, 0, None)


def test_time_of_the_last_response() -> None:
    served = make_entry(SERVED, 10.0)
    busy = make_entry(BUSY, 20.0, served)
    missing = make_entry(MISSING, 30.0, busy)
    late = make_entry(LATE, 40.0, missing)
    assert [entry.responded_at for entry in (served, busy, missing, late)] == [10.0, 10.0, 30.0, 30.0]
    assert make_entry(BUSY, 20.0).responded_at is None
    assert CacheEntry.from_json(late.to_json()) == late
