"""What is known of an origin, as plain data."""

import json
import sys
from typing import Any

import pytest

from canfetch.access.compatibility import expire_if_incompatible
from canfetch.access.effective_access import FetchNeed, effective_access, fetch_need
from canfetch.access.entries import CacheEntry, origin_from_key, select_stored_headers
from canfetch.access.fetch_plan import FetchResult, Request, first_request, next_step
from canfetch.access.outcomes import Access
from canfetch.access.policies import get_policy
from canfetch.access.responses import Failure, FailureKind, Response
from canfetch.access.transitions import next_entry
from canfetch.core.origin import Origin
from canfetch.errors import CorruptEntry

RFC9309 = get_policy("rfc9309")
YANDEX = get_policy("yandex")
LIMIT = 512_000
ORIGIN = Origin.from_url("https://example.com/")


def entry_of(response: Response, previous: CacheEntry | None = None, now: float = 0.0) -> CacheEntry:
    validators = None if previous is None or previous.copy is None else previous.copy.validators
    fetched = next_step(first_request(ORIGIN, validators=validators), response, RFC9309)
    assert isinstance(fetched, FetchResult)
    return next_entry(previous, ORIGIN, fetched, RFC9309, now=now, seed=0)


def response(status: int = 200, body: bytes = b"\xff\x00", **headers: str) -> Response:
    fields = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    return Response(ORIGIN.robots_url, status, fields, body)


@pytest.mark.parametrize("status", [200, 404, 503])
def test_entries_survive_plain_data(status: int) -> None:
    entry = entry_of(response(status, ETag='"a"', Retry_After="70", Set_Cookie="secret"))

    plain = json.loads(json.dumps(entry.to_dict()))

    assert CacheEntry.from_dict(plain) == entry
    assert "secret" not in json.dumps(plain)


@pytest.mark.parametrize(
    "change",
    [
        {"format": 2},
        {"max_bytes": None},
        {"access": "sideways"},
        {"origin": 5},
        {"hops": [["a"]]},
        {"headers": None},
        {"next_fetch_at": "soon"},
        {"copy": {}},
        {"effect": "maybe"},
        {"next_fetch_at": 1e308},
        {"next_fetch_at": 86_400.0 + 2},
        {"policy": "nobody's", "next_fetch_at": 86_400.0 + 2},
        {"policy": "draft1996", "next_fetch_at": 604_800.0 + 2},
        {"effect": "full-allow"},
        {"effect": None},
        {"access": "unavailable"},
        {"copy": None},
    ],
)
def test_corrupt_entries_are_told(change: dict[str, Any]) -> None:
    plain = entry_of(response()).to_dict() | change
    with pytest.raises(CorruptEntry):
        CacheEntry.from_dict(plain)


@pytest.mark.parametrize("plain", [None, [], "text", 5, {}])
def test_what_is_no_entry_is_told(plain: object) -> None:
    with pytest.raises(CorruptEntry):
        CacheEntry.from_dict(plain)


def test_changed_octets_are_told() -> None:
    plain = entry_of(response()).to_dict()
    plain["copy"]["content_base64"] = "QUJD"
    with pytest.raises(CorruptEntry, match="does not match its hash"):
        CacheEntry.from_dict(plain)


def test_kept_headers_are_few_and_short() -> None:
    fields = [("X-Noise", "x")] * 1000 + [("ETag", "a" * 2000), ("AGE", "1"), ("age", "2")]
    assert select_stored_headers(tuple(fields)) == (("age", "1"),)


def test_rfc9309_2_4_not_modified_renews_the_copy() -> None:
    first = entry_of(response(body=b"Disallow: /", ETag='"a"'))
    again = entry_of(response(304, b""), first, now=90_000.0)

    assert again.copy is not None
    assert first.copy is not None
    assert again.copy.content == b"Disallow: /"
    assert again.copy.fetched_at == 90_000.0
    assert again.next_fetch_at == 90_000.0 + 86_400
    assert again.copy.validators == first.copy.validators


def test_rfc9309_2_3_1_4_failures_count_from_the_first() -> None:
    first = entry_of(response(503), now=100.0)
    second = entry_of(response(500), first, now=200.0)
    third = entry_of(response(200), second, now=300.0)

    assert (first.failures, first.first_failure_at) == (1, 100.0)
    assert (second.failures, second.first_failure_at) == (2, 100.0)
    assert (third.failures, third.first_failure_at) == (0, None)


def test_need_is_no_while_fresh_soon_while_stale_serves_and_now_after() -> None:
    entry = entry_of(response(Cache_Control="max-age=1000"))
    assert fetch_need(None, now=0) is FetchNeed.NOW
    assert fetch_need(entry, now=999) is FetchNeed.NO
    assert fetch_need(entry, now=1000) is FetchNeed.NOW
    assert fetch_need(entry, now=1000, stale_while_revalidate=60) is FetchNeed.SOON
    assert fetch_need(entry, now=1060, stale_while_revalidate=60) is FetchNeed.NOW
    failed = entry_of(response(503, Retry_After="600"))
    assert fetch_need(failed, now=599) is FetchNeed.NO
    assert fetch_need(failed, now=600, stale_while_revalidate=60) is FetchNeed.NOW


def test_policies_have_keys_of_their_own() -> None:
    entry = entry_of(response())
    assert (entry.key, entry._replace(policy="google").key) == ("https://example.com", "https://example.com#google")
    assert {origin_from_key(key) for key in (entry.key, "https://example.com#google")} == {entry.origin}


def test_rfc9309_2_5_copy_that_was_cut_is_due_for_who_reads_further() -> None:
    whole, cut = (entry_of(response(body=b"a" * octets)) for octets in (LIMIT, LIMIT + 1))
    for max_bytes, entry, need in (
        (LIMIT, whole, FetchNeed.NO),
        (2 * LIMIT, whole, FetchNeed.NO),
        (LIMIT, cut, FetchNeed.NO),
        (LIMIT + 1, cut, FetchNeed.NOW),
    ):
        assert fetch_need(expire_if_incompatible(entry, RFC9309, max_bytes=max_bytes), now=1) is need
    # Until it can be fetched again, it is the last good copy.
    failing = entry_of(response(503), cut, now=90_000.0)
    assert expire_if_incompatible(failing, RFC9309, max_bytes=2 * LIMIT) == failing
    # A file that is gone was not cut.
    gone = entry_of(response(404))
    assert expire_if_incompatible(gone, RFC9309, max_bytes=2 * LIMIT) == gone


@pytest.mark.parametrize("policy, matters", [("google2019", True), ("rfc9309", False), ("yandex", False)])
def test_google2019_server_error_is_due_for_who_knows_otherwise(policy: str, *, matters: bool) -> None:
    asked = get_policy(policy)
    for known in (False, True):
        step = next_step(first_request(ORIGIN, misconfigured=known), response(503), asked)
        assert isinstance(step, FetchResult)
        entry = next_entry(None, ORIGIN, step, asked, now=0.0, seed=0)
        for misconfigured in (False, True):
            need = fetch_need(expire_if_incompatible(entry, asked, misconfigured=misconfigured), now=1)
            assert need is (FetchNeed.NOW if matters and misconfigured is not known else FetchNeed.NO)


def test_yandex_file_that_was_void_for_one_limit_is_due_for_another() -> None:
    def fetched(octets: int, max_bytes: int) -> CacheEntry:
        answer = response(body=b"a" * min(octets, max_bytes + 1))
        step = next_step(first_request(ORIGIN, max_bytes=max_bytes), answer, YANDEX)
        assert isinstance(step, FetchResult)
        return next_entry(None, ORIGIN, step, YANDEX, now=0.0, seed=0, max_bytes=max_bytes)

    void, rules = fetched(LIMIT + 50, LIMIT), fetched(LIMIT + 50, 2 * LIMIT)
    assert (void.copy, rules.copy is None) == (None, False)
    for entry, max_bytes, need in (
        (void, LIMIT, FetchNeed.NO),
        (void, LIMIT + 1, FetchNeed.NOW),
        (rules, 2 * LIMIT, FetchNeed.NO),
        (rules, LIMIT, FetchNeed.NOW),
    ):
        assert fetch_need(expire_if_incompatible(entry, YANDEX, max_bytes=max_bytes), now=1) is need


def test_rfc9309_2_4_entry_from_the_future_is_due() -> None:
    entry = entry_of(response(), now=4e9)
    assert fetch_need(entry, now=1.8e9) is FetchNeed.NOW
    # Clocks of a fleet differ a little.
    assert fetch_need(entry, now=4e9 - 299) is FetchNeed.NO
    assert fetch_need(entry, now=4e9 - 301, stale_while_revalidate=60) is FetchNeed.NOW


def test_failures_of_a_clock_that_was_wrong_count_from_now() -> None:
    first = entry_of(response(503), now=4e9)
    assert entry_of(response(503), first, now=1.8e9).first_failure_at == 1.8e9


def test_entry_may_be_due_as_late_as_its_policy_says() -> None:
    plain = entry_of(response()).to_dict()
    for change in ({"next_fetch_at": 86_400.0}, {"policy": "draft1996", "next_fetch_at": 604_800.0}):
        assert CacheEntry.from_dict(plain | change).next_fetch_at == change["next_fetch_at"]


def test_rules_without_a_file_are_no_permission() -> None:
    entry = entry_of(response())._replace(copy=None)
    standing = effective_access(entry, RFC9309, now=0)
    assert (standing.access, str(standing.effect)) == (Access.UNREACHABLE, "full-disallow")


@pytest.mark.parametrize(
    "answers, effect, said",
    [
        (True, "full-allow", "(unreachable for 31 d); the site is reachable"),
        (False, "full-disallow", "(unreachable for 31 d); the site is unreachable"),
        (None, "full-disallow", "(unreachable for 31 d); it is unknown whether the site is reachable"),
    ],
)
def test_google_after_thirty_days_the_site_decides(*, answers: bool | None, effect: str, said: str) -> None:
    google = get_policy("google")
    entry = entry_of(response(503))
    standing = effective_access(entry, google, now=31 * 86_400.0, site_reachable=answers)
    assert str(standing.effect) == effect
    assert standing.explanation.endswith(said)


@pytest.mark.parametrize(
    "seconds, said",
    [
        (0.0, ""),
        (0.9, ""),
        (59.0, " (unreachable for 59 s)"),
        (60.0, " (unreachable for 1 min)"),
        (7200.0, " (unreachable for 2 h)"),
    ],
)
def test_standing_says_for_how_long_an_origin_is_unreachable(seconds: float, said: str) -> None:
    entry = entry_of(response(503), now=1000.0)
    assert effective_access(entry, RFC9309, now=1000.0 + seconds).explanation == f"status 503{said}"


def test_clock_that_was_set_back_makes_no_failure_negative() -> None:
    entry = entry_of(response(503), now=1000.0)
    assert effective_access(entry, RFC9309, now=0.0).explanation == "status 503"


def test_entry_survives_json() -> None:
    for entry in (entry_of(response()), entry_of(response(404)), entry_of(response(503))):
        assert CacheEntry.from_json(entry.to_json()) == entry
        assert CacheEntry.from_json(entry.to_json().encode()) == entry


@pytest.mark.parametrize("text", ["", "nonsense", "[" * 100_000, b"\xff", None, 5, "null", "[]"])
def test_what_is_no_json_of_an_entry_is_told(text: object) -> None:
    with pytest.raises(CorruptEntry, match="corrupt cache entry"):
        CacheEntry.from_json(text)


@pytest.mark.parametrize("name", ["fetched_at", "next_fetch_at", "first_failure_at", "status"])
@pytest.mark.parametrize("value", ["Infinity", "NaN", "[]", '"soon"'])
def test_numbers_that_are_none_are_told(name: str, value: str) -> None:
    plain = entry_of(response()).to_dict() | {name: "HERE"}
    text = json.dumps(plain).replace('"HERE"', value)
    with pytest.raises(CorruptEntry, match="corrupt cache entry"):
        CacheEntry.from_json(text)


def test_copy_with_a_time_that_never_ends_is_told() -> None:
    plain = entry_of(response()).to_dict()
    plain["copy"]["fetched_at"] = float("inf")
    with pytest.raises(CorruptEntry, match="expected a finite time"):
        CacheEntry.from_dict(plain)


@pytest.mark.parametrize("name", ["format", "origin", "policy", "outcome", "copy", "hops"])
def test_entry_that_lacks_something_names_it(name: str) -> None:
    plain = entry_of(response()).to_dict()
    lost = "effect" if name == "outcome" else name
    del plain[lost]
    with pytest.raises(CorruptEntry, match=f"missing key '{lost}'"):
        CacheEntry.from_dict(plain)


def test_texts_that_strangers_chose_count_in_full_and_once() -> None:
    place = "https://example.com/" + "p" * 5000 + "\U0001f600"
    moved = Response(ORIGIN.robots_url, 302, (("location", place),), b"")
    step = next_step(first_request(ORIGIN), moved, RFC9309)
    assert isinstance(step, Request)
    found = next_step(step, Response(step.url, 200, (("etag", '"a"'),), b"x" * 100), RFC9309)
    assert isinstance(found, FetchResult)
    entry = next_entry(None, ORIGIN, found, RFC9309, now=0.0, seed=0)

    # The place is that of the hop, of the entry, of the copy, and of its validators.
    assert sys.getsizeof(place) > 20_000
    assert 0 < entry.memory_bytes - sys.getsizeof(place) < 2500


def test_a_failure_in_many_words_counts_in_full() -> None:
    short, long = (
        next_step(first_request(ORIGIN), Failure(ORIGIN.robots_url, FailureKind.PROTOCOL, "n" * length), RFC9309)
        for length in (1, 10_001)
    )
    assert isinstance(short, FetchResult)
    assert isinstance(long, FetchResult)
    held = [next_entry(None, ORIGIN, fetched, RFC9309, now=0.0, seed=0).memory_bytes for fetched in (short, long)]
    assert held[1] - held[0] == 10_000
