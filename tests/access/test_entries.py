"""Cache entries: as plain data, after a fetch, and what they permit over time."""

import json
import sys
from typing import Any

import pytest

from canfetch.access.effective_access import (
    FetchNeed,
    effective_access,
    expire_if_incompatible,
    fetch_need,
    readable_entry,
)
from canfetch.access.entries import ENTRY_FORMAT, CacheEntry, origin_from_key, select_stored_headers
from canfetch.access.fetch_plan import FetchResult, Request, first_request, next_step
from canfetch.access.outcomes import Outcome, OutcomeKind, evaluate_response
from canfetch.access.policies import get_policy
from canfetch.access.responses import NOT_CONNECTED, Failure, FailureKind, Response
from canfetch.access.transitions import next_entry
from canfetch.core.origin import Origin
from canfetch.core.times import rfc3339
from canfetch.core.verdict import Access, Effect
from canfetch.errors import CorruptEntry, NewerEntry

RFC9309 = get_policy("rfc9309")
YANDEX = get_policy("yandex")
LIMIT = 512_000
DAY = 86_400.0
ORIGIN = Origin.from_url("https://example.com/")


def make_entry(response: Response, previous: CacheEntry | None = None, now: float = 0.0) -> CacheEntry:
    validators = None if previous is None or previous.copy is None else previous.copy.validators
    fetched = next_step(first_request(ORIGIN, validators=validators), response, RFC9309)
    assert isinstance(fetched, FetchResult)
    return next_entry(previous, ORIGIN, fetched, RFC9309, now=now, seed=0)


def make_response(status: int = 200, body: bytes = b"\xff\x00", **headers: str) -> Response:
    fields = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    return Response(ORIGIN.robots_url, status, fields, body)


@pytest.mark.parametrize("status", [200, 404, 503])
@pytest.mark.parametrize("now", [0.0, 1_795_311_120.0, 1_795_311_120.123456, 1_795_311_120.1234567, 4e9, 2e11])
def test_entry_survives_json(status: int, now: float) -> None:
    headers = {"ETag": '"a"', "Retry_After": "70", "Set_Cookie": "secret"}
    entry = make_entry(make_response(status, b"\xff\x00", **headers), now=now)

    assert CacheEntry.from_dict(json.loads(json.dumps(entry.to_dict()))) == entry
    assert CacheEntry.from_json(entry.to_json()) == entry
    assert CacheEntry.from_json(entry.to_json().encode()) == entry
    assert "secret" not in entry.to_json()


def test_rfc3339_times_of_entries_are_utc_with_microseconds() -> None:
    plain = make_entry(make_response(503, Retry_After="70"), now=1_795_311_120.25).to_dict()
    assert plain["fetched_at"] == plain["first_failure_at"] == "2026-11-22T01:32:00.25Z"
    assert plain["next_fetch_at"] == "2026-11-22T01:33:10.25Z"
    found = make_entry(make_response(), now=1_795_311_120.000001).to_dict()
    assert found["copy"]["fetched_at"] == "2026-11-22T01:32:00.000001Z"


@pytest.mark.parametrize(
    "change",
    [
        {"format": 3},
        {"format": 2},
        {"max_bytes": None},
        {"access": "sideways"},
        {"outcome": "sideways"},
        {"origin": 5},
        {"hops": [["a"]]},
        {"headers": None},
        {"next_fetch_at": "soon"},
        {"copy": {}},
        {"effect": "maybe"},
        {"next_fetch_at": "9999-12-31T23:59:59Z"},
        {"next_fetch_at": rfc3339(DAY + 2)},
        {"policy": "unknown", "next_fetch_at": rfc3339(DAY + 2)},
        {"policy": "draft1996", "next_fetch_at": rfc3339(7 * DAY + 2)},
        {"effect": "full-allow"},
        {"effect": None},
        {"access": "unavailable"},
        {"copy": None},
    ],
)
def test_invalid_value_raises(change: dict[str, Any]) -> None:
    plain = make_entry(make_response()).to_dict() | change
    with pytest.raises(CorruptEntry):
        CacheEntry.from_dict(plain)


@pytest.mark.parametrize("plain", [None, [], "text", 5, {}])
def test_value_that_is_not_an_entry_raises(plain: object) -> None:
    with pytest.raises(CorruptEntry):
        CacheEntry.from_dict(plain)


@pytest.mark.parametrize("text, kind", [("null", "NoneType"), ("[]", "list"), ('"x"', "str")])
def test_json_of_another_type_is_named(text: str, kind: str) -> None:
    with pytest.raises(CorruptEntry, match=f"^corrupt cache entry: expected an object, not {kind}$"):
        CacheEntry.from_json(text)


@pytest.mark.parametrize("text", ["", "nonsense", "[" * 100_000, b"\xff", None, 5, "null", "[]"])
def test_text_that_is_not_an_entry_raises(text: object) -> None:
    with pytest.raises(CorruptEntry, match="corrupt cache entry"):
        CacheEntry.from_json(text)


def test_content_that_does_not_match_its_hash_raises() -> None:
    plain = make_entry(make_response()).to_dict()
    plain["copy"]["content_base64"] = "QUJD"
    with pytest.raises(CorruptEntry, match="does not match its hash"):
        CacheEntry.from_dict(plain)


@pytest.mark.parametrize("name", ["fetched_at", "next_fetch_at", "first_failure_at", "status"])
@pytest.mark.parametrize("value", ["Infinity", "NaN", "[]", '"soon"', '"1970-01-01T02:00:00+02:00"'])
def test_invalid_number_or_time_raises(name: str, value: str) -> None:
    text = json.dumps(make_entry(make_response()).to_dict() | {name: "HERE"}).replace('"HERE"', value)
    with pytest.raises(CorruptEntry, match="corrupt cache entry"):
        CacheEntry.from_json(text)


@pytest.mark.parametrize(
    "time",
    [0, 0.0, None, "", "1970-01-01", "1970-01-01T00:00:00", "1970-01-01T00:00:00.0Z", "1970-01-01T00:00:00+00:00"],
)
def test_time_in_another_format_raises(time: object) -> None:
    plain = make_entry(make_response()).to_dict()
    assert plain["copy"]["fetched_at"] == "1970-01-01T00:00:00Z"
    plain["copy"]["fetched_at"] = time
    with pytest.raises(CorruptEntry, match=r"expected a|Invalid isoformat"):
        CacheEntry.from_dict(plain)


def test_entry_of_a_newer_format_is_not_corrupt() -> None:
    with pytest.raises(NewerEntry, match=rf"format {ENTRY_FORMAT + 1} is newer than the supported format"):
        CacheEntry.from_dict({"format": ENTRY_FORMAT + 1})


@pytest.mark.parametrize("entry_format", [ENTRY_FORMAT - 1, "9", 9.0, True, None])
def test_entry_of_another_format_is_corrupt(entry_format: object) -> None:
    with pytest.raises(CorruptEntry, match="unsupported cache entry format"):
        CacheEntry.from_dict({"format": entry_format})


@pytest.mark.parametrize("name", ["format", "origin", "policy", "effect", "copy", "hops"])
def test_error_names_the_missing_key(name: str) -> None:
    plain = make_entry(make_response()).to_dict()
    del plain[name]
    with pytest.raises(CorruptEntry, match=f"missing key '{name}'"):
        CacheEntry.from_dict(plain)


def test_next_fetch_may_be_as_late_as_the_policy_permits() -> None:
    plain = make_entry(make_response()).to_dict()
    for policy, seconds in (("rfc9309", DAY), ("draft1996", 7 * DAY)):
        entry = CacheEntry.from_dict(plain | {"policy": policy, "next_fetch_at": rfc3339(seconds)})
        assert entry.next_fetch_at == seconds


def test_few_and_short_headers_are_stored() -> None:
    fields = [("X-Noise", "x")] * 1000 + [("ETag", "a" * 2000), ("AGE", "1"), ("age", "2")]
    assert select_stored_headers(tuple(fields)) == (("age", "1"),)


def test_cache_control_fields_are_joined_when_stored() -> None:
    fields = (("Cache-Control", "public"), ("cache-control", "max-age=60"), ("Cache-Control", "x" * 2000))
    assert select_stored_headers(fields) == (("cache-control", "public, max-age=60"),)


def test_each_policy_has_its_own_key() -> None:
    entry = make_entry(make_response())
    assert (entry.key, entry._replace(policy="google").key) == ("https://example.com", "https://example.com#google")
    assert {origin_from_key(key) for key in (entry.key, "https://example.com#google")} == {entry.origin}


def test_rfc9309_2_4_not_modified_renews_the_copy() -> None:
    first = make_entry(make_response(body=b"Disallow: /", ETag='"a"'))
    second = make_entry(make_response(304, b""), first, now=90_000.0)

    assert second.copy is not None
    assert first.copy is not None
    assert second.copy.content == b"Disallow: /"
    assert second.copy.fetched_at == 90_000.0
    assert second.next_fetch_at == 90_000.0 + DAY
    assert second.copy.validators == first.copy.validators


def test_rfc9111_4_3_4_not_modified_updates_the_headers_of_the_copy() -> None:
    first = make_entry(make_response(ETag='"a"', Cache_Control="max-age=7200", Age="60", Content_Type="text/plain"))
    failed = make_entry(make_response(503, Cache_Control="no-store"), first, now=8000.0)
    second = make_entry(
        make_response(304, b"", Expires="0", Date="Thu, 01 Jan 1970 02:46:40 GMT"), failed, now=10_060.0
    )

    assert second.copy is not None
    assert dict(second.headers) == {
        "etag": '"a"',
        "cache-control": "max-age=7200",
        "content-type": "text/plain",
        "expires": "0",
        "date": "Thu, 01 Jan 1970 02:46:40 GMT",
    }
    assert second.copy.headers == second.headers
    assert second.next_fetch_at == 10_000 + 7200
    assert CacheEntry.from_json(second.to_json()) == second


def test_memory_counts_the_headers_of_the_copy() -> None:
    short, long = (make_entry(make_response(ETag="a" * size)) for size in (1, 1001))
    failed = make_entry(make_response(503), long)
    assert long.memory_bytes - short.memory_bytes == 1000
    assert CacheEntry.from_json(long.to_json()).memory_bytes >= long.memory_bytes
    assert failed.memory_bytes > 1000 + make_entry(make_response(503)).memory_bytes


def test_rfc9309_2_3_1_4_consecutive_failures_are_counted() -> None:
    first = make_entry(make_response(503), now=100.0)
    second = make_entry(make_response(500), first, now=200.0)
    third = make_entry(make_response(200), second, now=300.0)

    assert (first.failures, first.first_failure_at) == (1, 100.0)
    assert (second.failures, second.first_failure_at) == (2, 100.0)
    assert (third.failures, third.first_failure_at) == (0, None)


def test_first_failure_is_never_in_the_future() -> None:
    first = make_entry(make_response(503), now=4e9)
    assert make_entry(make_response(503), first, now=1.8e9).first_failure_at == 1.8e9


def test_fetch_need_over_time() -> None:
    entry = make_entry(make_response(Cache_Control="max-age=1000"))
    assert fetch_need(None, now=0) is FetchNeed.NOW
    assert fetch_need(entry, now=999) is FetchNeed.NO
    assert fetch_need(entry, now=1000) is FetchNeed.NOW
    assert fetch_need(entry, now=1000, stale_while_revalidate=60) is FetchNeed.SOON
    assert fetch_need(entry, now=1060, stale_while_revalidate=60) is FetchNeed.NOW
    failed = make_entry(make_response(503, Retry_After="600"))
    assert fetch_need(failed, now=599) is FetchNeed.NO
    assert fetch_need(failed, now=600, stale_while_revalidate=60) is FetchNeed.NOW


def test_rfc9309_2_4_entry_from_the_future_is_expired() -> None:
    entry = make_entry(make_response(), now=4e9)
    assert fetch_need(entry, now=1.8e9) is FetchNeed.NOW
    # The clocks of a fleet differ a little.
    assert fetch_need(entry, now=4e9 - 299) is FetchNeed.NO
    assert fetch_need(entry, now=4e9 - 301, stale_while_revalidate=60) is FetchNeed.NOW


def test_rfc9309_2_5_truncated_copy_is_expired_for_a_client_with_a_larger_limit() -> None:
    complete, truncated = (make_entry(make_response(body=b"a" * size)) for size in (LIMIT, LIMIT + 1))
    for max_bytes, entry, need in (
        (LIMIT, complete, FetchNeed.NO),
        (2 * LIMIT, complete, FetchNeed.NO),
        (LIMIT, truncated, FetchNeed.NO),
        (LIMIT + 1, truncated, FetchNeed.NOW),
    ):
        assert fetch_need(expire_if_incompatible(entry, RFC9309, max_bytes=max_bytes), now=1) is need
    # While the origin is unreachable, it is the last good copy.
    failed = make_entry(make_response(503), truncated, now=90_000.0)
    assert expire_if_incompatible(failed, RFC9309, max_bytes=2 * LIMIT) == failed
    missing = make_entry(make_response(404))
    assert expire_if_incompatible(missing, RFC9309, max_bytes=2 * LIMIT) == missing


@pytest.mark.parametrize("policy_name, differs", [("google2019", True), ("rfc9309", False), ("yandex", False)])
def test_google2019_server_error_is_expired_for_a_client_that_classifies_it_differently(
    policy_name: str, *, differs: bool
) -> None:
    policy = get_policy(policy_name)
    for at_fetch in (False, True):
        step = next_step(first_request(ORIGIN, misconfigured=at_fetch), make_response(503), policy)
        assert isinstance(step, FetchResult)
        entry = next_entry(None, ORIGIN, step, policy, now=0.0, seed=0)
        for misconfigured in (False, True):
            need = fetch_need(expire_if_incompatible(entry, policy, misconfigured=misconfigured), now=1)
            assert need is (FetchNeed.NOW if differs and misconfigured is not at_fetch else FetchNeed.NO)


def test_yandex_oversize_file_is_expired_for_a_client_with_another_limit() -> None:
    def fetch(size: int, max_bytes: int) -> CacheEntry:
        response = make_response(body=b"a" * min(size, max_bytes + 1))
        step = next_step(first_request(ORIGIN, max_bytes=max_bytes), response, YANDEX)
        assert isinstance(step, FetchResult)
        return next_entry(None, ORIGIN, step, YANDEX, now=0.0, seed=0, max_bytes=max_bytes)

    oversize, accepted = fetch(LIMIT + 50, LIMIT), fetch(LIMIT + 50, 2 * LIMIT)
    assert (oversize.copy, accepted.copy is None) == (None, False)
    for entry, max_bytes, need in (
        (oversize, LIMIT, FetchNeed.NO),
        (oversize, LIMIT + 1, FetchNeed.NOW),
        (accepted, 2 * LIMIT, FetchNeed.NO),
        (accepted, LIMIT, FetchNeed.NOW),
    ):
        assert fetch_need(expire_if_incompatible(entry, YANDEX, max_bytes=max_bytes), now=1) is need


def test_truncated_copy_keeps_the_end_of_the_file_that_has_the_same_beginning() -> None:
    complete = make_entry(make_response(body=b"a" * (LIMIT + 50)))._replace(max_bytes=2 * LIMIT)
    assert complete.copy is not None
    complete = complete._replace(copy=complete.copy._replace(truncated_at=None))
    for body, expected in ((b"a" * (LIMIT + 1), LIMIT + 50), (b"b" + b"a" * LIMIT, LIMIT + 1)):
        copy = make_entry(make_response(body=body), complete).copy
        assert copy is not None
        assert (len(copy.content), copy.truncated_at) == (expected, LIMIT)


@pytest.mark.parametrize("oversize", ["full-allow", "full-disallow", "unreachable"])
def test_oversize_copy_of_a_client_with_another_limit_is_not_used(oversize: str) -> None:
    policy = get_policy(f"rfc9309+oversize={oversize}")
    entry = make_entry(make_response(body=b"a" * (LIMIT + 50)))._replace(max_bytes=2 * LIMIT)
    down = entry._replace(outcome=evaluate_response(make_response(503), policy, max_bytes=LIMIT), max_bytes=LIMIT)

    assert readable_entry(entry, policy, 2 * LIMIT) is entry
    limited = effective_access(readable_entry(entry, policy, LIMIT), policy, now=0)
    assert (limited.effect.value, limited.copy) == (oversize.replace("unreachable", "full-disallow"), None)
    assert limited.explanation == f"more than {LIMIT:,} bytes"
    assert effective_access(readable_entry(down, policy, LIMIT), policy, now=0).effect is Effect.FULL_DISALLOW
    assert effective_access(readable_entry(down, policy, 2 * LIMIT), policy, now=0).copy == entry.copy


def test_rules_without_a_copy_disallow_everything() -> None:
    access = effective_access(make_entry(make_response())._replace(copy=None), RFC9309, now=0)
    assert (access.access, str(access.effect)) == (Access.UNREACHABLE, "full-disallow")


@pytest.mark.parametrize(
    "site_reachable, effect, explanation",
    [
        (True, "full-allow", "(unreachable for 31 d); the site is reachable"),
        (False, "full-disallow", "(unreachable for 31 d); the site is unreachable"),
        (None, "full-disallow", "(unreachable for 31 d); it is unknown whether the site is reachable"),
    ],
)
def test_google_reachability_of_the_site_decides_after_thirty_days(
    *, site_reachable: bool | None, effect: str, explanation: str
) -> None:
    entry = make_entry(make_response(503))
    access = effective_access(entry, get_policy("google"), now=31 * DAY, site_reachable=site_reachable)
    assert str(access.effect) == effect
    assert access.explanation.endswith(explanation)


@pytest.mark.parametrize(
    "seconds, duration",
    [
        (0.0, ""),
        (0.9, ""),
        (59.0, " (unreachable for 59 s)"),
        (60.0, " (unreachable for 1 min)"),
        (7200.0, " (unreachable for 2 h)"),
    ],
)
def test_explanation_includes_the_duration_of_the_failure(seconds: float, duration: str) -> None:
    entry = make_entry(make_response(503), now=1000.0)
    assert effective_access(entry, RFC9309, now=1000.0 + seconds).explanation == f"status 503{duration}"


def test_duration_is_not_negative_after_the_clock_was_set_back() -> None:
    entry = make_entry(make_response(503), now=1000.0)
    assert effective_access(entry, RFC9309, now=0.0).explanation == "status 503"


def test_memory_counts_each_string_once() -> None:
    location = "https://example.com/" + "p" * 5000 + "\U0001f600"
    redirect = Response(ORIGIN.robots_url, 302, (("location", location),), b"")
    step = next_step(first_request(ORIGIN), redirect, RFC9309)
    assert isinstance(step, Request)
    fetched = next_step(step, Response(step.url, 200, (("etag", '"a"'),), b"x" * 100), RFC9309)
    assert isinstance(fetched, FetchResult)
    entry = next_entry(None, ORIGIN, fetched, RFC9309, now=0.0, seed=0)

    # The location is in the hop, the entry, the copy, and its validators.
    assert sys.getsizeof(location) > 20_000
    assert 0 < entry.memory_bytes - sys.getsizeof(location) < 2500


def test_memory_counts_the_detail_of_a_failure() -> None:
    short, long = (
        next_step(first_request(ORIGIN), Failure(ORIGIN.robots_url, FailureKind.PROTOCOL, "n" * length), RFC9309)
        for length in (1, 10_001)
    )
    assert isinstance(short, FetchResult)
    assert isinstance(long, FetchResult)
    sizes = [next_entry(None, ORIGIN, fetched, RFC9309, now=0.0, seed=0).memory_bytes for fetched in (short, long)]
    assert sizes[1] - sizes[0] == 10_000


def test_detail_is_printable() -> None:
    detail = "unsupported content coding: \x1b[31m\x07\x9b\u202e\n"
    failed = next_step(first_request(ORIGIN), Failure(ORIGIN.robots_url, FailureKind.ENCODING, detail), RFC9309)
    assert isinstance(failed, FetchResult)
    entry = next_entry(None, ORIGIN, failed, RFC9309, now=0.0, seed=0)
    escaped = "encoding: unsupported content coding: %1B[31m%07%C2%9B%E2%80%AE%0A"
    assert effective_access(entry, RFC9309, now=0.0).explanation == escaped
    # Another program may have written the entry in a store.
    stored = CacheEntry.from_dict({**entry.to_dict(), "detail": f"encoding: {detail}"})
    assert stored.outcome.detail == escaped
    assert CacheEntry.from_dict(stored.to_dict()) == stored


@pytest.mark.parametrize(
    "kind, detail, reached",
    [
        (OutcomeKind.NETWORK_ERROR, "reset: the connection was reset", True),
        (OutcomeKind.NETWORK_ERROR, "timeout: no response within 30 s", True),
        (OutcomeKind.NETWORK_ERROR, f"timeout: {NOT_CONNECTED} within 10 s", False),
        (OutcomeKind.NETWORK_ERROR, "dns: the host name does not resolve", False),
        (OutcomeKind.NETWORK_ERROR, "of another version", False),
        (OutcomeKind.SERVER_ERROR, "status 500", False),
    ],
)
def test_a_failure_after_connecting_is_that_of_a_server(kind: OutcomeKind, detail: str, *, reached: bool) -> None:
    assert Outcome(Access.UNREACHABLE, None, kind, detail).reached_server is reached


def test_the_entry_that_was_requested_later_is_newer() -> None:
    entry = make_entry(make_response(), now=100.0)
    # An entry of an older version has only the end of its fetch.
    assert [entry.is_newer_than(at) for at in (99.0, 100.0, 101.0)] == [True, False, False]
    slow = entry._replace(requested_at=90.0)
    assert [slow.is_newer_than(at) for at in (89.0, 90.0, 95.0)] == [True, False, False]
    assert CacheEntry.from_json(slow.to_json()).requested_at == 90.0
