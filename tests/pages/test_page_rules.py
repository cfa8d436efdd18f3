"""`parse_page`: its arguments, notes and JSON form."""

import json
from typing import Any

import pytest

from canfetch import Agent, InvalidProductToken, InvalidURL, Reason, parse
from canfetch.errors import InvalidLimit, InvalidOption
from canfetch.pages import PAGE_DIALECTS, DirectiveNote, PageNote, PageReason, PageSource, ReservationNote, parse_page
from canfetch.pages.dialects import dialect_for
from canfetch.pages.headers import MAX_HEADER_BYTES
from canfetch.pages.page_rules import MAX_DIRECTIVES
from canfetch.pages.tdm import MAX_TDM_ENTRIES
from canfetch.pages.url_patterns import normalize_target
from canfetch.pages.verdict import DECISION_NAMES

pytest.importorskip("lxml", reason="lxml is not installed")

NOW = 1_800_000_000.0


# --- arguments ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "headers",
    [
        [("X-Robots-Tag", "noindex")],
        ((b"x-robots-tag", b"noindex"),),
        {"X-ROBOTS-TAG": "noindex"},
        iter([("x-robots-tag ", "noindex"), ("other", "noarchive")]),
    ],
)
def test_headers_are_pairs_or_a_mapping(headers: Any) -> None:
    assert [str(one) for one in parse_page(headers=headers).directives] == ["noindex"]


def test_repeated_headers_of_http_libraries_stay_apart() -> None:
    from http.client import parse_headers
    from io import BytesIO

    pairs = [("X-Robots-Tag", "otherbot: noindex"), ("X-Robots-Tag", "nofollow")]
    standard_library = parse_headers(BytesIO(b"".join(f"{n}: {v}\r\n".encode() for n, v in pairs) + b"\r\n"))
    httpx2 = pytest.importorskip("httpx2", reason="httpx2 is not installed")
    multidict = pytest.importorskip("multidict", reason="aiohttp is not installed")
    headers: Any
    for headers in (pairs, standard_library, httpx2.Headers(pairs), multidict.CIMultiDict(pairs)):
        assert [str(one) for one in parse_page(headers=headers).directives] == ["otherbot: noindex", "nofollow"]


@pytest.mark.parametrize(
    "headers", [5, "noindex", [("X-Robots-Tag",)], [("a", "b", "c")], [5], [("X-Robots-Tag", 5)], [(None, "x")]]
)
def test_invalid_headers_raise_type_error(headers: Any) -> None:
    with pytest.raises(TypeError, match="header"):
        parse_page(headers=headers)


@pytest.mark.parametrize(
    "arguments, error, message",
    [
        ({"max_bytes": 0}, InvalidLimit, "invalid max_bytes 0: expected at least 1"),
        ({"url": "nonsense"}, InvalidURL, "invalid URL 'nonsense'"),
        ({"tdm_file": b"[]"}, InvalidOption, "tdm_file requires url"),
        ({"url": 5}, TypeError, "expected str or bytes"),
        ({"tdm_file": 5, "url": "/"}, TypeError, "tdm_file must be bytes or str, not int"),
    ],
)
def test_invalid_arguments_of_parse_page(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        parse_page(b"", **arguments)


def test_html_is_bytes_or_str() -> None:
    html: Any
    for html in (b"<a rel=ugc>", bytearray(b"<a rel=ugc>"), memoryview(b"<a rel=ugc>"), "<a rel=ugc>"):
        assert len(parse_page(html).links) == 1
    for html in (5, ["<p>"], 0):
        with pytest.raises(TypeError, match="html must be bytes or str, not"):
            parse_page(html)


@pytest.mark.parametrize(
    "arguments, error",
    [
        ({"agent": "Example Bot"}, InvalidProductToken),
        ({"agent": "ExampleBot", "dialect": "altavista"}, InvalidOption),
        ({"agent": "ExampleBot", "now": None}, TypeError),
        ({"agent": "ExampleBot", "now": float("nan")}, InvalidOption),
        ({"agent": "ExampleBot", "now": float("inf")}, InvalidOption),
        ({"agent": "ExampleBot", "robots": True}, TypeError),
        ({"agent": 5}, TypeError),
    ],
)
def test_invalid_arguments_of_decide(arguments: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        parse_page().decide(**({"now": NOW} | arguments))


def test_str_is_parsed_whatever_encoding_it_declares() -> None:
    html = '<meta charset="utf-16"><meta name="\u8868" content="noindex"><meta name="\udcff" content="noindex">'
    page = parse_page(html, headers={"Content-Type": "application/pdf; charset=latin1"})
    assert [one.agent for one in page.directives] == ["\u8868", "\ufffd"]
    assert page.encoding == "utf-8"


@pytest.mark.parametrize(
    "headers, notes",
    [
        ({}, PageNote.NONE),
        ({"content-type": "Text/HTML"}, PageNote.NONE),
        ({"content-type": "application/xhtml+xml; charset=utf-8"}, PageNote.NONE),
        ({"content-type": "application/pdf"}, PageNote.NOT_HTML),
        ({"content-type": "text/plain"}, PageNote.NOT_HTML),
    ],
)
def test_other_content_types_are_not_parsed(headers: dict[str, str], notes: PageNote) -> None:
    page = parse_page(b"<meta name=robots content=noindex>", headers=headers)
    assert page.notes == notes
    assert bool(page.directives) == (not notes)


# --- notes -------------------------------------------------------------------------------------


@pytest.mark.slow
def test_exceeded_limits_are_noted() -> None:
    assert parse_page(b"<p>" * 9, max_bytes=5).notes == PageNote.HTML_TRUNCATED
    assert parse_page(b"<a rel=ugc>" * 10_001).notes == PageNote.TOO_MANY_ELEMENTS
    page = parse_page(headers={"X-Robots-Tag": "noindex," * (MAX_DIRECTIVES + 1)})
    assert (len(page.directives), page.notes) == (MAX_DIRECTIVES, PageNote.TOO_MANY_DIRECTIVES)
    assert parse_page(url="/", tdm_file="no").notes == PageNote.TDM_FILE_INVALID
    assert parse_page(url="/", tdm_file=json.dumps([0] * (MAX_TDM_ENTRIES + 1))).notes == PageNote.TOO_MANY_TDM_ENTRIES


def test_headers_over_the_limit_are_truncated_at_a_comma() -> None:
    filler = "noodp,"
    value = filler * (MAX_HEADER_BYTES // len(filler)) + "max-snippet:500"
    page = parse_page(headers=[("X-Robots-Tag", value), ("X-Robots-Tag", "noindex")])
    assert page.notes == PageNote.HEADERS_TRUNCATED | PageNote.TOO_MANY_DIRECTIVES
    assert {one.name for one in page.directives} == {"noodp"}


def test_element_with_too_many_directives_is_truncated() -> None:
    page = parse_page(f"<meta name=robots content='{'noindex,' * 5000}'>")
    assert (len(page.directives), page.notes) == (MAX_DIRECTIVES, PageNote.TOO_MANY_DIRECTIVES)


LICENSE = "<link rel=license type=application/rsl+xml href="
LONG = " " * 70_000


@pytest.mark.parametrize(
    "html, headers, complete",
    [
        ("<p>", [], (True, True)),
        ("", [("X-Robots-Tag", "noindex")] * MAX_DIRECTIVES, (True, True)),
        ("", [("X-Robots-Tag", "noindex")] * (MAX_DIRECTIVES + 1), (False, True)),
        ("", [("Link", f"</l>; rel=license; title='{LONG}'")], (False, True)),
        ("<meta name=robots content=noai>", [("Robots-Tag", "*;noindex")] * MAX_DIRECTIVES, (True, False)),
        ("<meta name=robots content=noai>", [("Robots-Tag", "*;noindex")] * (MAX_DIRECTIVES + 1), (False, False)),
        (f"<meta name=robots content='{'noindex,' * 5000}'>", [], (True, False)),
        # What comes after many unknown directives shows that the element is one for a crawler.
        (f"<meta name=gptbot content='{'a,' * 5000}noai'>", [], (True, False)),
        ("<meta>" * 10_001, [], (True, False)),
        ("<a rel=ugc>" * 10_001, [], (True, True)),
        ("<p data-nosnippet>" * 10_001, [], (True, True)),
        ("<a rel=ugc>" * 10_000 + f"{LICENSE}/l>", [], (True, False)),
        # Attributes over their limit.
        (f"<meta name=robots content='{LONG}noai'>", [], (True, False)),
        (f"<meta name='{LONG}robots' content=noai>", [], (True, False)),
        (f"<meta name=tdm-reservation content='{LONG}1'>", [], (True, False)),
        (f"<meta name=description content='{LONG}'><meta property=og:image content='{LONG}'>", [], (True, True)),
        (f"{LICENSE}'/{LONG}l'>", [], (True, False)),
        (f"<link rel='{LONG}license' type=application/rsl+xml href=/l>", [], (True, False)),
        (f"<link rel=icon href='data:{LONG}'><a rel='{LONG}license'>", [], (True, True)),
    ],
)  # fmt: skip
def test_each_limit_on_rules_is_known_by_its_source(html: str, headers: Any, complete: tuple[bool, bool]) -> None:
    page = parse_page(html, headers=headers)
    assert (page.has_all_of_headers, page.has_all_of_html) == complete
    assert page.notes or complete == (True, True)


def test_long_attributes_with_rules_are_noted() -> None:
    page = parse_page(f"<meta name=robots content='{LONG}noai'>")
    assert (page.directives, page.notes) == ((), PageNote.ATTRIBUTE_TRUNCATED)


def test_a_header_that_does_not_fit_is_left_out() -> None:
    long = "x" * MAX_HEADER_BYTES
    page = parse_page(headers=[("Content-Usage", "train-ai=n"), ("Content-Usage", f"{long}=y"), ("Tdm-Policy", long)])
    assert [header.value for header in page.usage_headers] == ["train-ai=n"]
    assert page.notes == PageNote.HEADERS_TRUNCATED
    assert parse_page(headers=[("Content-Signal", f"search=yes, {long}")]).usage_headers == ()


def test_names_of_metadata_are_not_crawlers() -> None:
    page = parse_page("<meta name=referrer content=none><meta content=noindex><meta name=og content='a, b'>")
    assert page.directives == ()


# --- dialects ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "token, dialect",
    [
        ("Googlebot", "google"),
        ("AdsBot-Google", "google"),
        ("bingbot", "bing"),
        ("MicrosoftPreview", "bing"),
        ("YandexImages", "yandex"),
        ("Applebot-Extended", "apple"),
        ("Amzn-SearchBot", "amazon"),
        ("GPTBot", "restrictive"),
        ("*", "restrictive"),
    ],
)
def test_default_dialect_is_that_of_the_operator(token: str, dialect: str) -> None:
    assert dialect_for(Agent(token)).name == dialect


def test_dialects_have_a_summary_and_a_source() -> None:
    for name, dialect in PAGE_DIALECTS.items():
        assert dialect.name == name
        assert dialect.summary
        assert dialect.source


# --- JSON --------------------------------------------------------------------------------------


def test_page_rules_to_json() -> None:
    page = parse_page(
        "<meta name=robots content='no-index'>\n<a rel='ugc x' href=' /\x1b '>a</a><a rel=ugc>b</a><p data-nosnippet>",
        headers={"tdm-reservation": "1", "tdm-policy": " /policy "},
        url="https://example.com/",
        tdm_file='[{"location": "/", "tdm-reservation": "0", "tdm-policy": 5}]',
    )
    assert page.to_json() == {
        "schema": "canfetch.page/2",
        "directives": [
            {
                "agent": None,
                "name": "no-index",
                "value": None,
                "parsed": None,
                "raw": "no-index",
                "position": {"source": "meta", "number": 1, "line": 1, "offset": 0, "in_head": True},
                "notes": ["unknown", "misspelt"],
                "suggestion": "noindex",
            }
        ],
        "links": [
            {
                "element": "a",
                "qualifiers": ["ugc"],
                "target": "/%1B",
                "rel": "ugc x",
                "position": {"source": "element", "number": 1, "line": 2, "offset": 38, "in_head": False},
            },
            {
                "element": "a",
                "qualifiers": ["ugc"],
                "target": None,
                "rel": "ugc",
                "position": {"source": "element", "number": 2, "line": 2, "offset": 70, "in_head": False},
            },
        ],
        "no_snippets": [
            {
                "element": "p",
                "valid": False,
                "position": {"source": "element", "number": 1, "line": None, "offset": None, "in_head": False},
            }
        ],
        "reservations": [
            {
                "reserved": True,
                "policy": "/policy",
                "location": None,
                "position": {"source": "tdm-header", "number": 1, "line": None, "offset": None, "in_head": None},
                "notes": [],
            }
        ],
        "reservation": page.reservations[0].to_json(),
        "tdm_file_problem": None,
        "usage_headers": [],
        "licenses": [],
        "encoding": "utf-8",
        "notes": [],
    }
    assert page.tdm_file is not None
    (entry,) = page.tdm_file.entries
    assert (entry.reserved, entry.policy, entry.location) == (False, None, "/")
    assert entry.notes == ReservationNote.STRING_VALUE | ReservationNote.INVALID_POLICY


@pytest.mark.parametrize("agent", ["Googlebot", "ExampleBot"])
def test_google_robots_in_a_header_is_not_all_crawlers(agent: str) -> None:
    headers = [("X-Robots-Tag", "nofollow"), ("X-Robots-Tag", "robots: noindex"), ("X-Robots-Tag", "robots: noarchive")]
    page = parse_page(headers=headers)
    verdict = page.decide(agent=agent, now=NOW)
    assert (verdict.may_index.allowed, verdict.may_follow.allowed) == (True, False)
    (note,) = verdict.notes
    assert note == (
        "X-Robots-Tag header 2: 'robots:' names no crawler, so the directives after it have no effect; "
        "remove 'robots:' to address all crawlers"
    )
    assert verdict.to_json()["notes"] == list(verdict.notes)
    assert [str(one.notes) for one in page.directives] == [
        "DirectiveNote.NONE" if number == 0 else "DirectiveNote.ROBOTS_AS_AGENT" for number in range(3)
    ]


def test_robots_in_a_meta_element_is_all_crawlers() -> None:
    verdict = parse_page('<meta name="robots" content="noindex">').decide(agent="Googlebot", now=NOW)
    assert (verdict.may_index.allowed, verdict.notes) == (False, ())


def test_agent_named_robots_has_no_note() -> None:
    verdict = parse_page(headers={"X-Robots-Tag": "robots: noindex"}).decide(agent="robots", now=NOW)
    assert (verdict.may_index.allowed, verdict.notes) == (False, ())


def test_page_verdict_to_json() -> None:
    page = parse_page(headers={"X-Robots-Tag": "googlebot: max-snippet: 20, noindex"})
    verdict = page.decide(agent="Googlebot", now=NOW)
    form = verdict.to_json()
    assert list(form) == [
        "schema", "may_index", "may_list", "may_index_embedded", "may_index_images", "may_follow", "may_snippet",
        "may_preview_images", "may_preview_video", "may_archive", "may_translate", "may_answer", "may_train",
        "may_train_images", "available", "agent", "dialect", "now", "fetch_allowed", "robots", "directives",
        "notes",
    ]  # fmt: skip
    assert form["schema"] == "canfetch.page-verdict/2"
    assert form["may_snippet"] == {
        "allowed": True,
        "reason": "directive",
        "limit": 20,
        "directive": page.directives[0].to_json(),
        "other_directives": [],
        "reservation": None,
        "explanation": "googlebot: max-snippet: 20, X-Robots-Tag header 1",
    }
    assert form["agent"] == {"tokens": ["Googlebot"], "star_applies": True}
    assert (form["now"], form["fetch_allowed"], form["robots"]) == ("2027-01-15T08:00:00Z", True, None)
    assert form["directives"] == [one.to_json() for one in page.directives]


def test_times_in_json_are_rfc3339() -> None:
    page = parse_page(headers={"X-Robots-Tag": "unavailable_after: 25 Jun 2010 15:00:00.5 PST"})
    form = page.decide(agent="ExampleBot", now=NOW).to_json()
    assert form["available"]["limit"] == "2010-06-25T23:00:00Z"
    assert form["directives"][0]["parsed"] == "2010-06-25T23:00:00Z"
    assert form["may_index"]["limit"] is None
    earlier = page.decide(agent="ExampleBot", now=0.25)
    assert earlier.to_json()["now"] == "1970-01-01T00:00:00.25Z"
    assert str(earlier.available).startswith("yes, up to 2010-06-25T23:00:00Z: unavailable_after: ")


# --- verdicts as text --------------------------------------------------------------------------


def test_decisions_have_an_explanation() -> None:
    page = parse_page(
        "<meta name=robots content='index, follow'>",
        headers={"X-Robots-Tag": "noindex, unavailable_after: 2010-06-25, max-snippet: 5", "tdm-reservation": "1"},
    )
    verdict = page.decide(agent="ExampleBot", now=NOW)
    lines = str(verdict).splitlines()
    assert lines[0] == "may index: no: unavailable_after: 2010-06-25, X-Robots-Tag header 1: this date has passed"
    assert "may snippet: yes, up to 5: max-snippet: 5, X-Robots-Tag header 1" in lines
    assert "may follow: yes: no rule of the page restricts it" in lines
    assert "may train: no: tdm-reservation is 1, tdm-reservation header 1" in lines
    yandex = page.decide(agent="Yandex", now=NOW).may_index
    assert yandex.explanation == "index, meta element 1, line 1, overrides noindex, X-Robots-Tag header 1"
    assert verdict.unavailable_after == 1277424000
    assert page.decide(agent="Yandex", now=NOW).unavailable_after is None


def test_indexifembedded_overrides_noindex() -> None:
    page = parse_page(headers={"X-Robots-Tag": "noindex, indexifembedded"})
    embedded = page.decide(agent="Googlebot", now=NOW).may_index_embedded
    assert embedded.reason is PageReason.PERMISSIVE_DIRECTIVE
    assert embedded.explanation == "indexifembedded, X-Robots-Tag header 1, overrides noindex, X-Robots-Tag header 1"


def test_verdicts_have_no_truth_value() -> None:
    verdict = parse_page().decide(agent="ExampleBot", now=NOW)
    with pytest.raises(TypeError, match=r"such as \.may_index\.allowed"):
        bool(verdict)
    with pytest.raises(TypeError, match=r"use \.allowed"):
        bool(verdict.may_index)
    assert verdict.may_index.unlimited


def test_positions_as_text() -> None:
    page = parse_page(
        "\n<meta name=tdm-reservation content=0>",
        headers=[("Robots-Tag", "*;noindex"), ("tdm-reservation", "0")],
        url="/",
        tdm_file='[{"location": "/"}]',
    )
    assert page.tdm_file is not None
    positions = [*(one.position for one in page.directives), *(one.position for one in page.reservations)]
    assert [str(position) for position in (*positions, page.tdm_file.entries[0].position)] == [
        "Robots-Tag header 1",
        "tdm-reservation header 1",
        "meta element 1, line 2",
        "tdmrep.json entry 1",
    ]
    assert page.directives[0].position.source is PageSource.ROBOTS_TAG


# --- TDMRep ------------------------------------------------------------------------------------


def test_tdmrep_notes() -> None:
    entries = (
        '[{"location": "/", "tdm-reservation": true}, {"location": "/", "tdm-reservation": 0, "tdm-policy": "/p"},'
        '{"location": "/", "tdm-reservation": 1.5}, {"location": "x", "tdm-reservation": 1e0, "tdm-policy": ""}]'
    )
    file = parse_page(url="/", tdm_file=entries).tdm_file
    assert file is not None
    assert [(entry.reserved, entry.policy, entry.notes) for entry in file.entries] == [
        (None, None, ReservationNote.INVALID_VALUE),
        (False, "/p", ReservationNote.POLICY_WITHOUT_RESERVATION),
        (None, None, ReservationNote.INVALID_VALUE),
        (True, None, ReservationNote.INVALID_LOCATION),
    ]


@pytest.mark.parametrize("order", ["10", "01", "011", "100"])
def test_of_several_headers_the_reservation_wins(order: str) -> None:
    page = parse_page(headers=[("tdm-reservation", value) for value in order])
    assert page.reservation is not None
    assert page.reservation.reserved


@pytest.mark.parametrize(
    "value, stated",
    [
        ("1, 1", [(True, "")]),
        ("1,0", [(False, ""), (True, "")]),
        ("0,, 0,", [(False, "")]),
        ("x, 1,y", [(True, ""), (None, "x, y")]),
        ("1.0, true", [(None, "1.0, true")]),
        (" , ", [(None, "")]),
        (",".join(map(str, range(10_000))), [(False, ""), (True, ""), (None, "2, 3, 4")]),
    ],
)
def test_rfc9110_5_3_headers_that_were_joined(value: str, stated: list[tuple[bool | None, str]]) -> None:
    page = parse_page(headers={"tdm-reservation": value, "tdm-policy": "https://example.com/a,b"})
    found = [(one.reserved, one.invalid_value[: len(stated[-1][1]) or None]) for one in page.reservations]
    assert found == stated
    assert {one.policy for one in page.reservations} == {"https://example.com/a,b"}


def test_policy_of_a_header_does_not_apply_to_elements() -> None:
    page = parse_page(
        "<meta name=tdm-policy content=/one><meta name=tdm-policy content=/two><meta name=tdm-reservation content=1>",
        headers={"tdm-policy": "/header"},
    )
    assert [one.policy for one in page.reservations] == ["/one"]


@pytest.mark.parametrize(
    "location, url, expected",
    [
        ("/a?b=c/d", "https://example.com/a?b=c/d", True),
        ("/a?b=c%2Fd", "https://example.com/a?b=c/d", True),
        ("/A", "/a", False),
        ("/$", "/", True),
        ("/%24", "/$", True),
    ],
)
def test_tdmrep_patterns_match_like_robots_txt(location: str, url: str, expected: bool) -> None:  # noqa: FBT001 - a case
    file = parse_page(url=url, tdm_file=json.dumps([{"location": location, "tdm-reservation": 1}])).tdm_file
    target = normalize_target(url)
    assert file is not None
    assert target is not None
    assert file.entries[0].matches(target) is expected


def test_tdm_headers_apply_to_their_own_page() -> None:
    (reservation,) = parse_page(headers={"tdm-reservation": "1"}).reservations
    assert reservation.matches(b"/whatever")


def test_target_of_an_invalid_url_is_none() -> None:
    assert normalize_target("nonsense") is None
    assert normalize_target(b"https://example.com") == b"/"


# --- Robots-Tag --------------------------------------------------------------------------------


def test_rfc9651_strings_and_keys() -> None:
    page = parse_page(headers={"Robots-Tag": r'"Exa\"mple";noindex, "Exa\mple";a\b=1, ";";=1'})
    assert [(one.agent, one.name, one.has_effect) for one in page.directives] == [
        (None, r'"exa\"mple";noindex', False),
        ("example", r"a\b=1", False),
        (None, '";";=1', False),
    ]
    assert all(DirectiveNote.UNKNOWN in one.notes for one in page.directives)


@pytest.mark.parametrize(
    "reason, explanation",
    [
        (Reason.DISALLOW_RULE, "disallows the page, so its rules are never read"),
        (Reason.UNREACHABLE, "is unreachable, so the page may not be fetched and its rules are unknown"),
        (Reason.UNAVAILABLE, "is unavailable, so the page may not be fetched and its rules are unknown"),
    ],
)
def test_disallowed_page_explains_the_reason(reason: Reason, explanation: str) -> None:
    robots = parse("User-agent: *\nDisallow: /").decide("/x", agent="ExampleBot")._replace(reason=reason)
    verdict = parse_page(headers={"X-Robots-Tag": "noai"}).decide(agent="ExampleBot", now=NOW, robots=robots)
    assert {getattr(verdict, name).explanation for name in DECISION_NAMES} == {f"robots.txt {explanation}"}
    assert [name for name in DECISION_NAMES if getattr(verdict, name).allowed] == ["may_list"]


@pytest.mark.parametrize(
    "headers, agent, reason",
    [
        ({}, "ExampleBot", PageReason.TDM_FILE_UNREACHABLE),
        ({"X-Robots-Tag": "noai"}, "ExampleBot", PageReason.DIRECTIVE),
        ({"tdm-reservation": "1"}, "ExampleBot", PageReason.RESERVATION),
        # A reservation of the page overrides the file.
        ({"tdm-reservation": "0"}, "ExampleBot", PageReason.NO_RESTRICTION),
        ({}, "Googlebot", PageReason.TDM_FILE_UNREACHABLE),
    ],
)
def test_unreachable_tdm_file_forbids_training(headers: dict[str, str], agent: str, reason: PageReason) -> None:
    page = parse_page(headers=headers, url="https://example.com/x").with_unreachable_tdm_file("HTTP status 503")
    verdict = page.decide(agent=agent, now=NOW)
    assert (verdict.may_train.reason, verdict.may_train_images.reason) == (reason, reason)
    assert verdict.may_train.allowed is (reason is PageReason.NO_RESTRICTION)
    assert verdict.may_index.allowed
    if reason is PageReason.TDM_FILE_UNREACHABLE:
        assert verdict.may_train.explanation == "tdmrep.json could not be fetched, so it may reserve the rights"
    form = page.to_json()
    assert (form["tdm_file_problem"], form["notes"]) == ("HTTP status 503", ["tdm-file-unreachable"])


def test_the_entries_of_the_file_for_a_page_include_those_without_a_usable_pattern() -> None:
    entries = [
        {"location": "/a", "tdm-reservation": 1},
        {"location": "/b", "tdm-reservation": 1},
        {"location": 5, "tdm-reservation": 1},
        {"location": "*", "tdm-reservation": "yes"},
    ]
    rules = parse_page(url="/a", tdm_file=json.dumps(entries))
    assert [one.position.number for one in rules.file_reservations] == [1, 3, 4]
    assert list(parse_page(url="/a").file_reservations) == []
