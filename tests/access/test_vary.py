"""Which requests a response serves, and what an entry records about that."""

import json
from typing import Any

import pytest

from canfetch.access.entries import CacheEntry
from canfetch.access.fetch_plan import FetchResult, Request, first_request, next_step
from canfetch.access.policies import get_policy
from canfetch.access.responses import Failure, FailureKind, Headers, Response
from canfetch.access.transitions import next_entry
from canfetch.access.vary import ANY_HEADER, MAX_VARY_NAMES, SentHeaders, vary_names
from canfetch.core.origin import Origin
from canfetch.errors import CorruptEntry

POLICY = get_policy("rfc9309")
ORIGIN = Origin.from_url("https://example.com/")
SENT: Headers = (("User-Agent", "ExampleBot/1.0"), ("Authorization", "Bearer secret"))


def request_headers(headers: Headers = SENT, origin: Origin = ORIGIN) -> SentHeaders:
    return SentHeaders(str(origin), headers)


def make_entry(*answers: Response | Failure, previous: CacheEntry | None = None, now: float = 0.0) -> CacheEntry:
    """Return the entry after a fetch with these answers."""
    validators = None if previous is None or previous.copy is None else previous.copy.validators
    step: Request | FetchResult = first_request(ORIGIN, validators=validators)
    for answer in answers:
        assert isinstance(step, Request)
        step = next_step(step, answer, POLICY)
    assert isinstance(step, FetchResult)
    return next_entry(previous, ORIGIN, step, POLICY, now=now, seed=0, request_headers=SENT)


def respond(status: int = 200, **headers: str) -> Response:
    return Response(ORIGIN.robots_url, status, tuple(headers.items()), b"")


def names(entry: CacheEntry) -> list[str]:
    return [field.name for field in entry.vary]


@pytest.mark.parametrize(
    "values, expected",
    [
        ([], []),
        ([""], []),
        ([" , ,"], []),
        (["User-Agent"], ["user-agent"]),
        (["User-Agent, accept", "USER-AGENT,Cookie "], ["accept", "cookie", "user-agent"]),
        (["Accept-Encoding"], []),
        (["accept-encoding, Origin"], ["origin"]),
        (["*"], ["*"]),
        (["User-Agent, *"], ["*"]),
        (["User Agent"], ["*"]),
        (["Üser"], ["*"]),
        (["x" * 64], ["x" * 64]),
        (["x" * 65], ["*"]),
        ([f"x-{number}" for number in range(MAX_VARY_NAMES)], sorted(f"x-{number}" for number in range(16))),
        ([f"x-{number}" for number in range(MAX_VARY_NAMES + 1)], ["*"]),
    ],
)
def test_names_in_vary(values: list[str], expected: list[str]) -> None:
    headers = [("Content-Type", "text/plain"), *(("vArY", value) for value in values)]
    assert sorted(vary_names(tuple(headers))) == expected


@pytest.mark.parametrize(
    "vary, others, expected",
    [
        ("User-Agent", (("user-agent", " ExampleBot/1.0 "),), True),
        ("User-Agent", (("User-Agent", "OtherBot/1.0"),), False),
        ("User-Agent", (), False),
        ("Cookie", (), True),
        ("Cookie", (("Cookie", ""),), False),
        ("Authorization, User-Agent", SENT, True),
        ("Authorization, User-Agent", (SENT[0], ("Authorization", "Bearer other")), False),
        ("*", tuple(reversed(SENT)), True),
        ("*", (*SENT, ("Accept-Encoding", "gzip")), True),
        ("*", (*SENT, ("Cookie", "a=b")), False),
        ("", (), True),
    ],
)
def test_rfc9111_4_1_headers_match(vary: str, others: Headers, *, expected: bool) -> None:
    fields = request_headers().record(vary_names((("Vary", vary),)))
    assert request_headers(others).match(fields) is expected


def test_several_fields_are_one_list() -> None:
    first = request_headers((("Accept", "a"), ("accept", "b")))
    assert first.match(request_headers((("Accept", "a, b"),)).record(["accept"]))
    assert first.variant == request_headers((("Accept", "a, b"),)).variant


def test_variant_depends_on_all_headers() -> None:
    variants = {
        request_headers(headers).variant
        for headers in [SENT, SENT[:1], (*SENT, ("Cookie", "a")), (("a", "b"), ("c", "d")), (("a", "b1:c1:d"),)]
    }
    assert len(variants) == 5
    assert all(len(variant) == len("headers-") + 32 for variant in variants)


def test_values_are_not_stored_and_cannot_be_compared_across_origins() -> None:
    entry = make_entry(respond(Vary="Authorization"))
    assert "secret" not in entry.to_json()
    other = request_headers(origin=Origin.from_url("https://example.org/")).record(["authorization"])
    assert entry.vary != other


def test_entry_varies_by_the_redirects_and_the_file() -> None:
    redirect = respond(301, Location="https://www.example.com/robots.txt", Vary="User-Agent")
    entry = make_entry(redirect, respond(Vary="Cookie"))
    assert entry.copy is not None
    assert names(entry) == ["cookie", "user-agent"]
    assert entry.copy.vary == entry.vary
    failed = make_entry(redirect, Failure(ORIGIN.robots_url, FailureKind.RESET, "reset"))
    assert names(failed) == ["user-agent"]
    lost = make_entry(respond(301, Vary="Origin"))
    assert names(lost) == ["origin"]


def test_rfc9111_4_3_4_vary_of_a_304() -> None:
    first = make_entry(respond(ETag='"a"', Vary="User-Agent"))
    unchanged = make_entry(respond(304, ETag='"a"'), previous=first)
    changed = make_entry(respond(304, Vary="Cookie"), previous=unchanged)
    empty = make_entry(respond(304, Vary=""), previous=changed)
    entries = [unchanged, changed, empty]
    assert [names(entry) for entry in entries] == [["user-agent"], ["cookie"], []]
    assert all(entry.copy is not None and entry.copy.vary == entry.vary for entry in entries)


@pytest.mark.parametrize("error", [respond(503), respond(404), Failure(ORIGIN.robots_url, FailureKind.DNS, "dns")])
def test_error_does_not_end_varying(error: Response | Failure) -> None:
    entry = make_entry(error, previous=make_entry(respond(Vary="User-Agent")))
    assert names(entry) == ["user-agent"]
    assert names(make_entry(respond(503, Vary="Cookie"), previous=entry)) == ["cookie", "user-agent"]
    assert names(make_entry(respond(), previous=entry)) == []


def test_copy_has_its_own_vary() -> None:
    entry = make_entry(respond(503, Vary="Cookie"), previous=make_entry(respond(Vary="User-Agent")))
    assert entry.copy is not None
    assert [field.name for field in entry.copy.vary] == ["user-agent"]


def test_names_of_errors_are_bounded() -> None:
    entry = make_entry(respond(503))
    for number in range(MAX_VARY_NAMES + 1):
        entry = make_entry(respond(503, Vary=f"x-{number}"), previous=entry)
    assert names(entry) == [ANY_HEADER]


@pytest.mark.parametrize(
    "variant, key", [("", "https://example.com"), ("shared", "https://example.com#rfc9309#shared")]
)
def test_key_of_a_variant(variant: str, key: str) -> None:
    entry = make_entry(respond(Vary="User-Agent"))._replace(variant=variant)
    assert entry.key == key
    assert CacheEntry.from_dict(json.loads(entry.to_json())) == entry
    assert CacheEntry.from_dict(json.loads(entry.to_json())).key == key


def test_memory_counts_vary() -> None:
    assert make_entry(respond(Vary="User-Agent")).memory_bytes > make_entry(respond()).memory_bytes + 2 * 64


@pytest.mark.parametrize("vary", [None, 5, [["user-agent"]], [[5, None]], [["user-agent", 5]], "user-agent"])
def test_invalid_vary_is_corrupt(vary: Any) -> None:
    plain = make_entry(respond()).to_dict()
    for invalid in (plain | {"vary": vary}, plain | {"copy": plain["copy"] | {"vary": vary}}, plain | {"variant": 5}):
        with pytest.raises(CorruptEntry):
            CacheEntry.from_dict(invalid)
