"""What a site states on a use, from every source, and how statements are combined."""

import sys
from types import FrameType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import canfetch
from canfetch.consent import MissingSource, PageResponse, SourceState, StatementKind, UseVerdict, may_use
from canfetch.consent.decision import read_sources, with_redirects
from canfetch.consent.licenses import read_licenses
from canfetch.core.extensions.preference import Preference, UsagePurpose
from canfetch.core.limits import DEFAULT_MAX_BYTES
from canfetch.errors import InvalidOption, InvalidProductToken, InvalidURL, OriginMismatch
from canfetch.pages.html import DEFAULT_MAX_PAGE_BYTES

URL = "https://www.example.com/page"
ABSENT = MissingSource(SourceState.ABSENT)
GROUP = "the user-agent line is line 1, for Google-Extended"
EMPTY_PAGE = PageResponse(200, (), "<p>x")


def use(robots: str = "", *, response: PageResponse = EMPTY_PAGE, tdm: str | None = None, **options: Any) -> UseVerdict:
    """Return the verdict if every source was read."""
    options = {"purpose": "training", "agent": "ExampleBot", **options}
    file = ABSENT if tdm is None else tdm
    return may_use(options.pop("url", URL), robots=canfetch.parse(robots), response=response, tdm=file, **options)


def test_silence_is_neither_yes_nor_no() -> None:
    verdict = use("User-agent: *\nAllow: /\n")
    assert (verdict.allowed, verdict.is_final, verdict.statements, verdict.decided_by) == (None, True, (), ())
    assert str(verdict) == (
        "training: not stated: nothing that was read and applies to ExampleBot states anything on training"
    )
    with pytest.raises(TypeError, match=r"use \.allowed"):
        bool(verdict)


# draft-ietf-aipref-attach-05 section 3.4: the file, and the preferences of three paths.
ATTACH = """\
User-Agent: *
Allow: /
Disallow: /never/
Content-Usage: train-ai=n
Content-Usage: /ai-ok/ train-ai=y

User-Agent: ExampleBot
Allow: /
Content-Usage: /ai-ok/ train-ai=y
Content-Usage: train-ai=y
"""


@pytest.mark.parametrize(
    "agent, path, allowed, kinds, overridden",
    [
        ("OtherBot", "/test", False, ["content-usage"], []),
        ("OtherBot", "/ai-ok/test", True, ["content-usage"], [(4, "path")]),
        ("OtherBot", "/never/test", False, ["rule", "content-usage"], []),
        ("ExampleBot", "/test", True, ["content-usage"], [(4, "group")]),
        ("ExampleBot", "/ai-ok/test", True, ["content-usage"], [(4, "group"), (5, "group"), (10, "path")]),
    ],
)
def test_the_example_of_the_attachment_draft(
    agent: str,
    path: str,
    allowed: bool,  # noqa: FBT001 - a parameter
    kinds: list[str],
    overridden: list[tuple[int, str]],
) -> None:
    verdict = use(ATTACH, agent=agent, url=f"https://www.example.com{path}")
    assert verdict.allowed is allowed
    applying = [one for one in verdict.statements if one.precedence is None]
    assert [str(statement.kind) for statement in applying] == kinds
    lost = [one for one in verdict.statements if one.precedence is not None]
    assert [(one.line, one.precedence) for one in lost] == overridden
    assert {one.preference for one in lost} <= {Preference.UNKNOWN}


def test_a_line_outside_of_groups_loses_to_the_group_and_to_a_more_specific_line() -> None:
    outside = "Content-Signal: ai-train=yes\nContent-Signal: /page ai-train=no\n"
    verdict = use(f"{outside}User-agent: a\nAllow: /\n", agent="a")
    (deciding, lost) = verdict.statements
    assert (deciding.line, lost.line, lost.precedence) == (2, 1, "path")
    assert lost.note.startswith("line 2 overrides it; outside of all groups")
    assert verdict.combination == "the line with the most specific path decides"
    verdict = use(f"{outside}User-agent: a\nContent-Signal: ai-train=no\n", agent="a")
    assert [(one.line, one.precedence) for one in verdict.other_statements] == [(1, "group"), (2, "group")]
    assert {one.note.partition(";")[0] for one in verdict.other_statements} == {"line 4 overrides it"}
    assert verdict.combination == "the lines in the crawler's group decide"


def test_lines_that_lose_are_counted_if_they_are_not_listed() -> None:
    lines = "Content-Usage: /page train-ai=n\n" * 130 + "Content-Usage: train-ai=y\n" * 130
    verdict = use(f"User-agent: *\n{lines}")
    # 100 of those that decide, and none of the others among the first 100 lines.
    assert (len(verdict.statements), verdict.unlisted) == (100, 160)
    assert verdict.combination == "a statement disallows the use, and no statement allows it"


INVALID = "a value is invalid, so that it states nothing"
UNKNOWN = "a label is unknown, so that it states nothing"
NOAI = PageResponse(200, {"X-Robots-Tag": "noai"}, "<p>x")


@pytest.mark.parametrize(
    "robots, options, kind, place",
    [
        ("User-agent: *\nDisallow: /page\n", {}, StatementKind.RULE, "line 2"),
        ("User-agent: *\nContent-Signal: ai-train=no\n", {}, StatementKind.CONTENT_SIGNAL, "line 2"),
        ("User-agent: *\nContent-Usage: train-ai=n\n", {}, StatementKind.CONTENT_USAGE, "line 2"),
        ("User-agent: *\nDisallowAITraining: /\n", {}, StatementKind.AI_TRAINING_RULE, "line 2"),
        (
            "",
            {"response": PageResponse(200, {"Content-Usage": "train-ai=n"})},
            StatementKind.CONTENT_USAGE,
            "Content-Usage header",
        ),
        (
            "",
            {"response": PageResponse(200, {"content-signal": "ai-train=no"})},
            StatementKind.CONTENT_SIGNAL,
            "Content-Signal header",
        ),
        ("", {"response": NOAI}, StatementKind.PAGE_DIRECTIVE, "X-Robots-Tag header 1"),
        (
            "",
            {"response": PageResponse(200, (), "<meta name=robots content=noai>")},
            StatementKind.PAGE_DIRECTIVE,
            "meta element 1, line 1",
        ),
        (
            "",
            {"response": PageResponse(200, {"TDM-Reservation": "1"}, "<p>")},
            StatementKind.TDM_RESERVATION,
            "tdm-reservation header 1",
        ),
        (
            "",
            {"tdm": '[{"location": "/", "tdm-reservation": 1}]'},
            StatementKind.TDM_RESERVATION,
            "tdmrep.json entry 1",
        ),
    ],
)
def test_each_source_alone_disallows(robots: str, options: dict[str, Any], kind: StatementKind, place: str) -> None:
    verdict = use(robots, **options)
    assert verdict.allowed is False
    assert [(one.kind, one.place) for one in verdict.decided_by] == [(kind, place)]
    assert verdict.is_final
    # The source changes only its own statement: with a permission elsewhere, it still decides.
    allowing = use(f"{robots}\nUser-agent: *\nContent-Signal: ai-train=yes\n", **options)
    assert allowing.allowed is False
    assert [one.kind for one in allowing.decided_by] == [kind]


def test_headers_of_one_name_are_joined_and_the_last_value_of_a_key_counts() -> None:
    response = PageResponse(200, [("Content-Usage", "train-ai=n"), ("content-usage", "train-ai=y;a=b, x=(1 2)")])
    assert use(response=response).allowed is True
    # One invalid byte makes all preferences unknown, and the statement says so.
    broken = use(response=PageResponse(200, {"Content-Usage": "train-ai=n, Search=y"}))
    assert broken.allowed is None
    assert [(one.text, one.note) for one in broken.statements] == [("train-ai=n, Search=y", INVALID)]
    # A path belongs to lines of robots.txt.
    assert use(response=PageResponse(200, {"Content-Signal": "/page ai-train=no"})).allowed is None


NO_PLACE = "the location is missing or invalid, so that it applies to no URL"


def test_only_tdmrep_orders_its_sources() -> None:
    file = '[{"location": "/", "tdm-reservation": 1, "tdm-policy": "https://example.com/p"}]'
    revoked = use(tdm=file, response=PageResponse(200, {"tdm-reservation": "0"}))
    # No rights are reserved, and none are granted.
    assert (revoked.allowed, revoked.statements[0].note) == (None, "no rights to text and data mining are reserved")
    reserved = use(tdm=file)
    assert (
        reserved.decided_by[0].note == "the rights to text and data mining are reserved, terms at https://example.com/p"
    )
    # It is about mining, not about search.
    assert use(tdm=file, purpose="search").allowed is None


GOOGLE = "https://developers.google.com/crawling/docs/crawlers-fetchers/google-common-crawlers"


def test_control_tokens_decide_for_their_operator_only() -> None:
    robots = "User-agent: Google-Extended\nDisallow: /\n"
    google = use(robots, agent=canfetch.agent("Googlebot"))
    assert [(one.kind, one.note) for one in google.decided_by] == [
        (
            "control-token",
            f"a rule for Google-Extended, which controls this use by Google; {GROUP}; documented in {GOOGLE}",
        )
    ]
    assert use(robots, agent=canfetch.agent("Googlebot"), purpose="grounding").allowed is False
    assert use(robots, agent=canfetch.agent("Googlebot"), purpose="search").allowed is None
    for name in ("GPTBot", "Applebot", "ExampleBot"):
        assert use(robots, agent=canfetch.agent(name)).allowed is None
    # No document of the operator is known.
    (listed,) = use("User-agent: Webzio-Extended\nDisallow: /\n", agent=canfetch.agent("omgili")).decided_by
    assert listed.note.endswith("; documented in ai.robots.txt, robots.json: a community-maintained list")


def test_a_preference_in_the_group_of_a_control_token_is_a_fact() -> None:
    signal = "Content-Signal: ai-train=no\nAllow: /\n"
    robots = f"User-agent: Google-Extended\n{signal}User-agent: *\nAllow: /\n"
    verdict = use(robots, agent="Googlebot")
    assert verdict.allowed is None
    (statement,) = verdict.statements
    assert (statement.line, str(statement.preference), statement.text) == (2, "unknown", "Content-Signal: ai-train=no")
    documented = f"in the group for Google-Extended, for which only rules are documented in {GOOGLE}"
    assert statement.note == f"{documented}; {GROUP}"
    assert use(robots, agent="GPTBot").statements == ()
    # The group for all crawlers is not one of the token.
    (other,) = use(f"User-agent: *\n{signal}User-agent: Googlebot\nAllow: /\n", agent="Googlebot").statements
    assert other.note == "in the group for *, which does not apply to Googlebot; the user-agent line is line 1, for *"
    shared = use(f"User-agent: Googlebot\nUser-agent: Google-Extended\n{signal}", agent="Googlebot")
    assert [str(one.preference) for one in shared.statements] == ["disallow"]


def test_sources_that_are_not_passed_are_named() -> None:
    verdict = may_use(URL, purpose="training")
    assert [(one.name, str(one.state)) for one in verdict.unread] == [
        (name, "not-read") for name in ("robots.txt", "headers", "html", "tdmrep.json")
    ]
    assert (verdict.allowed, verdict.is_final) == (None, False)
    assert str(verdict).endswith("; not read: robots.txt, headers, html, tdmrep.json")
    disallowed = may_use(URL, purpose="training", robots=canfetch.parse("User-agent: *\nContent-Signal: ai-train=no\n"))
    # No further statement can turn a no into a yes.
    assert disallowed.is_final


def test_sources_that_could_not_be_read() -> None:
    verdict = may_use(
        URL,
        purpose="training",
        robots=ABSENT,
        response=PageResponse(402, {"Crawler-Price": "USD 0.01", "Content-Usage": "train-ai=y"}),
        tdm=b"{",
    )
    # The headers of an error are not those of the content.
    assert verdict.allowed is None
    assert [(one.kind, one.text) for one in verdict.statements] == [("payment", "crawler-price: USD 0.01")]
    assert [str(source) for source in verdict.sources] == [
        "robots.txt: absent",
        "headers: not-read (only those of status 402 were read)",
        "html: unreachable (the server responded with status 402)",
        "tdmrep.json: unreadable (invalid JSON)",
    ]
    unreachable = may_use(URL, purpose="search", robots=MissingSource(SourceState.UNREACHABLE, "status 503"))
    assert unreachable.allowed is False
    assert unreachable.decided_by[0].kind is StatementKind.UNREACHABLE
    assert "RFC 9309" in str(unreachable.decided_by[0])


@pytest.mark.parametrize("content", ["<!doctype html>", b"\n <html>"])
def test_a_web_page_in_place_of_the_tdm_file_is_no_file(content: str | bytes) -> None:
    verdict = may_use(URL, purpose="training", robots=ABSENT, response=EMPTY_PAGE, tdm=content)
    assert str(verdict.sources[-1]) == "tdmrep.json: absent (a web page in its place)"
    assert verdict.is_final


def test_an_answer_that_the_rest_of_the_page_can_override_is_not_final() -> None:
    reserved = may_use(URL, purpose="training", robots=ABSENT, tdm='[{"location": "/", "tdm-reservation": 1}]')
    assert (reserved.allowed, reserved.is_final) == (False, False)
    yandex = {"robots": ABSENT, "tdm": ABSENT, "purpose": "search", "agent": "YandexBot"}
    headers = PageResponse(200, {"X-Robots-Tag": "noindex"})
    assert not may_use(URL, response=headers, **yandex).is_final  # type: ignore[arg-type]
    both = headers._replace(html="<meta name=robots content=all>")
    assert may_use(URL, response=both, **yandex).allowed is not False  # type: ignore[arg-type]
    signal = may_use(URL, purpose="training", robots=canfetch.parse("User-agent: *\nContent-Signal: ai-train=no\n"))
    assert signal.is_final


@pytest.mark.parametrize("names", ["headers", "html", "both"])
def test_nothing_that_was_not_read_overrides_noai(names: str) -> None:
    page = {
        "headers": PageResponse(200, (), "<meta name=robots content=noai>")._replace(headers=None),
        "html": NOAI._replace(html=None),
        "both": PageResponse(200, (), "<meta name=robots content=noai>" + " " * DEFAULT_MAX_PAGE_BYTES),
    }[names]
    for name in ("YandexBot", "bingbot", "ExampleBot"):
        verdict = may_use(URL, purpose="training", agent=name, response=page, robots=ABSENT)
        assert (verdict.allowed, verdict.is_final) == (False, True)


def test_a_reservation_restricts_training_only() -> None:
    unreachable = MissingSource(SourceState.UNREACHABLE, "status 503")
    for purpose, is_final in {"training": False, "search": True, "ai-use": True}.items():
        verdict = may_use(URL, purpose=purpose, robots=ABSENT, response=EMPTY_PAGE, tdm=unreachable)
        assert verdict.is_final is is_final
        assert [source.name for source in verdict.unread] == ([] if is_final else ["tdmrep.json"])
        assert str(verdict).endswith("; not read: tdmrep.json") is not is_final


PADDING = "# pad\n" * 100_000


@pytest.mark.parametrize("limit, is_cut", [(400_000, False), (DEFAULT_MAX_BYTES + 1, True)])
def test_a_robots_txt_in_utf_16_is_cut_at_the_bytes_of_the_file(limit: int, is_cut: bool) -> None:  # noqa: FBT001
    content = f"\ufeffUser-agent: *\nDisallow: /x\n{PADDING}".encode("utf-16-le")[:limit]
    verdict = may_use(URL, purpose="training", robots=canfetch.parse(content), response=EMPTY_PAGE)
    assert ("robots.txt: not-read (only a part was read)" in map(str, verdict.unread)) is is_cut


def test_the_rest_of_a_robots_txt_that_was_cut_can_change_the_answer() -> None:
    allowing = PageResponse(200, {"Content-Usage": "train-ai=y"}, "<p>x")
    cut = use(f"{PADDING}User-agent: *\nDisallow: /\n", response=allowing)
    assert (cut.allowed, cut.is_final, [str(one) for one in cut.unread]) == (
        True, False, ["robots.txt: not-read (only a part was read)"]
    )  # fmt: skip
    # A group or a more specific line in the rest can override the lines that were read, but not other sources.
    refusal = f"User-agent: *\nDisallow: /\n{PADDING}User-agent: ExampleBot\nAllow: /\n"
    assert (use(refusal).allowed, use(refusal).is_final) == (False, False)
    denying = PageResponse(200, {"Content-Usage": "train-ai=n"}, "<p>x")
    assert use(refusal, response=denying).is_final
    assert use("User-agent: *\nAllow: /\n" + PADDING[:-100_000], response=allowing).is_final


NOAI_META = "<meta name=robots content=noai>"


@pytest.mark.parametrize("limited", ["meta", "header", "one header", "elements", "attribute", "tdm"])
def test_a_statement_after_a_limit_inside_a_page_can_change_the_answer(limited: str) -> None:
    pytest.importorskip("lxml", reason="lxml is not installed")
    metas, name = "<meta name=robots content=nofollow>", "html"
    tdm = "<meta name=tdm-reservation content=0>" * 10_001 + "<meta name=tdm-reservation content=1>"
    response = {
        "meta": PageResponse(200, (), metas * 1_000 + NOAI_META),
        "header": PageResponse(200, [("X-Robots-Tag", "nofollow")] * 1_000 + [("X-Robots-Tag", "noai")], "<p>"),
        "one header": PageResponse(200, {"X-Robots-Tag": "nofollow," * 1_000 + "noai"}, "<p>"),
        "elements": PageResponse(200, (), "<meta name=description content=x>" * 10_001 + NOAI_META),
        "attribute": PageResponse(200, (), f"<meta name=robots content='{' ' * 70_000}noai'>"),
        "tdm": PageResponse(200, (), tdm),
    }[limited]
    name = "headers" if "header" in limited else "html"
    verdict = use("User-agent: *\nContent-Usage: train-ai=y\n", response=response)
    assert (verdict.allowed, verdict.is_final) == (True, False)
    assert [str(one) for one in verdict.unread] == [f"{name}: not-read (only a part was read)"]


def test_a_header_that_was_cut_states_nothing_that_nobody_sent() -> None:
    headers = [("Content-Usage", "train-ai=n"), ("Content-Usage", "a" * 70_000 + "=y")]
    verdict = use(response=PageResponse(200, headers, "<p>"))
    assert [(one.text, one.note) for one in verdict.statements] == [("train-ai=n", "")]
    assert not verdict.is_final


SIGNAL = "Content-Signal: ai-train=no"
OUTSIDE = "outside of all groups, so that it applies to crawlers whose groups have no such line"


@pytest.mark.parametrize(
    "robots, line, note",
    [
        (
            f"User-agent: GPTBot\nDisallow:\n\nUser-agent: *\n{SIGNAL}\n",
            5,
            "in the group for *, which does not apply to GPTBot; the user-agent line is line 4, for *",
        ),
        (
            "Content-Usage: train-ai=n\nUser-agent: *\nAllow: /\n",
            1,
            "outside of all groups, so that it applies to no crawler",
        ),
        (f"{SIGNAL}\nUser-agent: *\nContent-Signal: search=yes\n", 1, f"line 3 overrides it; {OUTSIDE}"),
        (
            f"User-agent: *\n{SIGNAL}\nContent-Signal: /page search=yes\n",
            2,
            "line 3 overrides it; the user-agent line is line 1, for *",
        ),
        (f"{SIGNAL}\nUser-agent: *\nContent-Signal: /other search=yes\n", 1, f"line 3 overrides it; {OUTSIDE}"),
    ],
)
def test_statements_that_were_passed_over_are_facts(robots: str, line: int, note: str) -> None:
    verdict = use(robots, agent="GPTBot")
    assert (verdict.allowed, verdict.is_final) == (None, True)
    assert [(one.line, str(one.preference), one.note) for one in verdict.statements] == [(line, "unknown", note)]
    assert use(robots, agent="GPTBot", purpose="ai-use").statements == ()


def test_statements_on_other_urls_and_for_other_crawlers_are_no_facts() -> None:
    for robots in (
        f"User-agent: *\n{SIGNAL.replace(' ', ' /other ')}\nUser-agent: GPTBot\nAllow: /\n",
        f"User-agent: CCBot\n{SIGNAL}\n",
    ):
        verdict = use(robots, agent="GPTBot")
        assert verdict.statements == ()
        assert verdict.explanation == "nothing that was read and applies to GPTBot states anything on training"
    many = f"{SIGNAL}\n" * 5_000
    assert len(use(f"User-agent: *\n{many}User-agent: GPTBot\nAllow: /\n", agent="GPTBot").statements) == 100


def test_headers_that_are_unknown_are_not_read() -> None:
    verdict = may_use(URL, purpose="training", robots=ABSENT, tdm=ABSENT, response=PageResponse(html="<p>"))
    assert [str(source) for source in verdict.unread] == ["headers: not-read"]


@pytest.mark.parametrize("name", ["Googlebot", "bingbot", "Applebot", "YandexBot", "GPTBot", "ExampleBot"])
def test_noai_is_a_statement_of_the_site_whatever_an_operator_documents(name: str) -> None:
    both = PageResponse(200, {"X-Robots-Tag": "noai"}, "<meta name=robots content=noai>")
    verdict = use(response=both, agent=canfetch.agent(name))
    assert verdict.allowed is False
    assert [one.place for one in verdict.decided_by] == ["X-Robots-Tag header 1", "meta element 1, line 1"]


@pytest.mark.parametrize(
    "page", [{"X-Robots-Tag": "googlebot: noai, noimageai, no-ai"}, "<meta name=googlebot content=noai>"]
)
def test_apple_about_applebot_directives_for_googlebot_are_only_googlebots(page: Any) -> None:
    response = PageResponse(200, (), page) if isinstance(page, str) else PageResponse(200, page, "<p>")
    assert use(response=response, agent=canfetch.agent("Applebot")).statements == ()
    assert use(response=response, agent=canfetch.agent("Googlebot")).allowed is False


@pytest.mark.parametrize(
    "line",
    ["Content-Usage: Train-AI=n", "Content-Usage: train-ai=?0", "Content-Signal: ai-train=n", "DisallowAITraining: x"],
)
def test_a_line_that_cannot_be_read_is_listed(line: str) -> None:
    verdict = use(f"User-agent: *\n{line}\n")
    assert verdict.allowed is None
    note = f"{INVALID}; the user-agent line is line 1, for *"
    assert [(one.text, one.note) for one in verdict.statements] == [(line, note)]
    assert verdict.explanation.startswith("no statement decides about training; the first is robots.txt, line 2")


@pytest.mark.parametrize("line", ["Content-Usage: *.pdf train-ai=n", "Content-Signal: * ai-train=no"])
def test_a_path_without_a_slash_is_named_as_the_fault(line: str) -> None:
    (fault,) = use(f"User-agent: *\n{line}\n").statements
    assert fault.note.startswith("a path does not start with a slash, so that it states nothing; ")


@pytest.mark.parametrize(
    "header, note",
    [
        ("X-Robots-Tag: no-ai", "the directive is unknown, so that it states nothing"),
        ("Content-Usage: train-ai=no", INVALID),
        ("Content-Usage: train=n", UNKNOWN),
        ("Content-Signal: ai-training=no", UNKNOWN),
    ],
)
def test_a_header_that_cannot_be_read_is_listed(header: str, note: str) -> None:
    name, _, value = header.partition(": ")
    verdict = use(response=PageResponse(200, {name: value}, "<p>"))
    assert [(one.source, one.text, one.note) for one in verdict.statements] == [("headers", value, note)]
    assert (verdict.allowed, verdict.is_final) == (None, True)


def test_a_preference_names_the_lines_of_its_group() -> None:
    def notes(robots: str) -> list[str]:
        return [one.note for one in use(robots).statements]

    lines = "User-agent: *\n" * 3
    assert notes(f"{lines}Content-Usage: train-ai=n\n") == ["the user-agent lines are lines 1, 2, 3, for *"]
    groups = "User-agent: *\nAllow: /a\n" * 3
    assert notes(f"{groups}User-agent: *\nContent-Usage: train-ai=n\nAllow: /\nUser-agent: *\nAllow: /\n") == [
        "the nearest of 5 user-agent lines is line 7, for *"
    ]
    assert notes("Content-Signal: ai-train=no\nUser-agent: *\nAllow: /\n") == [OUTSIDE]
    (rule,) = use(f"{groups}User-agent: *\nDisallow: /\n").statements
    assert rule.note == "ExampleBot may not fetch the URL; the nearest of 4 user-agent lines is line 7, for *"


@pytest.mark.parametrize(
    "value", ["ai-train=n", 'ai-train="no"', "search=yes ai-train=no", "ai-train==no", "train-ai=no", "tts=no", "no"]
)
def test_a_signal_that_cannot_be_read_overrides_nothing(value: str) -> None:
    for signal in ("no", "yes"):
        for first in ("", "User-agent: *\n"):
            own = f"Content-Signal: ai-train={signal}\n"
            robots = f"{first}{own}User-agent: *\nContent-Signal: /p/ {value}\nAllow: /\n"
            verdict = use(robots, url="https://example.com/p/1")
            assert verdict.allowed is (signal == "yes")
            assert not any("overrides" in one.note for one in verdict.statements)


def test_faults_are_listed_if_they_may_be_about_the_use() -> None:
    robots = "Content-Signal: ai-training=no\nUser-agent: *\nContent-Usage: search=y, train=n\n"
    outside, group = f"{UNKNOWN}; outside of all groups", "the user-agent line is line 2, for *"
    partly = f"a label is unknown, and it states nothing on training; {group}"
    assert [(one.line, one.note) for one in use(robots).statements] == [(1, outside), (3, partly)]
    # The record states something on search.
    notes = [(one.line, one.note) for one in use(robots, purpose="search").statements]
    assert notes == [(3, group), (1, outside)]
    tags = "No-AI, no_index, otherbot: no-ai, ExampleBot: max-snippet: x, unavailable_after, robots: noai"
    response = PageResponse(200, {"X-Robots-Tag": tags}, "<p>")
    for purpose, texts in {
        "training": [
            "No-AI (the directive is unknown, so that it states nothing)",
            "noai ('robots' names no crawler, so that it states nothing; for robots)",
        ],
        "search": [
            "no_index (the directive is unknown, so that it states nothing)",
            "unavailable_after (the value is missing, so that it states nothing; for examplebot)",
        ],
        "ai-use": ["max-snippet: x (the value is invalid, so that it states nothing; for examplebot)"],
    }.items():
        statements = use(response=response, purpose=purpose).statements
        assert [str(one).removeprefix("headers, X-Robots-Tag header 1: ") for one in statements] == texts


@pytest.mark.parametrize(
    "line",
    ["content-signal :ai-train = No", "Content-Usage:\ttrain-ai=n", "disallow:/page", "disallowAiTraining: /%70age"],
)
def test_the_words_of_a_line_are_as_written(line: str) -> None:
    verdict = use(f"\ufeffUser-agent: *\r\n  {line}  # no\r\n")
    assert [(one.text, one.line) for one in verdict.decided_by] == [(line.replace("\t", " "), 2)]


def test_the_words_of_a_directive_are_as_written() -> None:
    verdict = use(response=PageResponse(200, {"X-Robots-Tag": "ExampleBot: NoAI"}, "<p>"))
    assert [(one.text, one.note) for one in verdict.decided_by] == [
        ("NoAI", "no specification: a convention of DeviantArt, November 2022; for examplebot")
    ]


def test_a_web_page_in_place_of_robots_txt_is_mentioned() -> None:
    verdict = use("<!DOCTYPE html><title>Just a moment...</title>")
    assert str(verdict.sources[0]) == "robots.txt: read (the content is HTML or XML without any record)"
    assert (verdict.allowed, verdict.is_final) == (None, True)


def test_a_reservation_with_a_wrong_value_is_listed() -> None:
    verdict = use(response=PageResponse(200, {"tdm-reservation": "true"}, "<p>"))
    assert [(one.text, one.note) for one in verdict.statements] == [("tdm-reservation true", WRONG_VALUE)]


WRONG_VALUE = "the value is neither 0 nor 1, so that it states nothing"
TDM_ENTRIES = """[
    {"location": "/p*", "tdm-reservation": 1},
    {"location": "/page", "tdm-reservation": 0},
    {"location": "/other", "tdm-reservation": 1},
    {"tdm-reservation": 1}
]"""


@pytest.mark.parametrize(
    "tdm, headers, statements",
    [
        (
            TDM_ENTRIES,
            [("tdm-reservation", "0")],
            [
                ("tdm-reservation 0", "no rights to text and data mining are reserved"),
                ("tdm-reservation 1 for /p*", "tdm-reservation header 1 overrides it"),
                ("tdm-reservation 0 for /page", "an earlier entry for the URL overrides it"),
                ("tdm-reservation 1", NO_PLACE),
            ],
        ),
        (
            '[{"location": "/", "tdm-reservation": "yes"}, {"location": "/", "tdm-reservation": 1}]',
            [],
            [
                ('tdm-reservation "yes" for /', WRONG_VALUE),
                ("tdm-reservation 1 for /", "an earlier entry for the URL overrides it"),
            ],
        ),
        ('[{"location": "/"}, 3]', [], [("tdm-reservation for /", WRONG_VALUE), ("tdm-reservation", NO_PLACE)]),
        (
            "[]",
            [("tdm-reservation", "0"), ("tdm-reservation", "1")],
            [
                ("tdm-reservation 1", "the rights to text and data mining are reserved"),
                ("tdm-reservation 0", "tdm-reservation header 2 overrides it"),
            ],
        ),
    ],
)
def test_every_reservation_is_listed_with_the_one_that_overrides_it(
    tdm: str, headers: list[tuple[str, str]], statements: list[tuple[str, str]]
) -> None:
    verdict = use(tdm=tdm, response=PageResponse(200, headers, "<p>"))
    assert [(one.text, one.note) for one in verdict.statements] == statements


@pytest.mark.parametrize(
    "robots, headers",
    [
        ("User-agent: *\nContent-Usage: /p train-ai=n, search=y, train-ai=y\n", []),
        ("", [("Content-Usage", "train-ai=n, train-ai=y")]),
        ("", [("Content-Usage", "train-ai=n"), ("Content-Usage", "train-ai=y")]),
    ],
)
def test_rfc9651_4_2_2_the_last_of_several_values_counts_and_the_contradiction_is_named(
    robots: str, headers: list[tuple[str, str]]
) -> None:
    response = PageResponse(200, headers, "<p>")
    (statement,) = use(robots, response=response).statements
    assert statement.preference == "allow"
    note = "train-ai has several values, of which RFC 9651 uses the last one"
    group = "the user-agent line is line 1, for *"
    assert statement.note == (f"{note}; {group}" if statement.source == "robots.txt" else note)
    others = use(robots, response=response, purpose="search").statements
    assert all(one.note == (group if one.source == "robots.txt" else "") for one in others)


@pytest.mark.parametrize("value", ["train-ai=y, train-ai=y", "train-ai=y"])
def test_a_repeated_value_is_no_contradiction(value: str) -> None:
    (statement,) = use(f"User-agent: *\nContent-Usage: {value}\n").statements
    assert statement.note == "the user-agent line is line 1, for *"


def test_a_file_with_thousands_of_statements_is_bounded() -> None:
    robots = (
        "User-agent: *\n" + "Content-Signal: ai-train=yes\n" * 5_000 + f"Content-Signal: {'ai-train=no,' * 9_000}\n"
    )
    verdict = use(robots)
    assert verdict.allowed is False
    assert verdict.decided_by[0].place == "line 5002"
    assert len(verdict.statements) <= 200
    assert len(str(verdict.to_json())) < 100_000


@pytest.mark.parametrize("line", ["Content-Usage: train-ai=n", "Content-Usage: Train-ai=n"])
def test_statements_that_are_not_listed_are_counted(line: str) -> None:
    for group in ("*", "Other"):
        verdict = use(f"User-agent: {group}\n" + f"{line}\n" * 1_500 + "User-agent: Other\nAllow: /\n", agent=group)
        assert (len(verdict.statements), verdict.unlisted) == (100, 1_400)
        assert verdict.to_json()["unlisted_statements"] == 1_400
        assert verdict.allowed is None or str(verdict).endswith("; and at least 99 more statements")
    passed_over = use("User-agent: *\n" + "Content-Usage: train-ai=n\n" * 1_500 + "User-agent: a\nAllow: /", agent="a")
    assert (len(passed_over.statements), passed_over.unlisted) == (100, 1_400)
    assert use(f"User-agent: *\n{line}\n").unlisted == 0


def test_a_statement_of_a_site_on_the_way_has_its_line() -> None:
    robots = "User-agent: *\nContent-Signal: ai-train=no\n"
    way = use(robots, url="https://way.example/", response=PageResponse(302, ()))
    (statement,) = with_redirects(use(), [way]).statements
    place = "line 2 of https://way.example/robots.txt"
    assert (statement.line, statement.place, statement.to_json()["line"]) == (2, place, 2)
    assert statement.source_url == "https://way.example/robots.txt"


def test_licenses_of_a_file_are_read_once_for_all_agents_of_a_group() -> None:
    lines = "".join(f"License: https://example.com/{number}.xml\n" for number in range(5_000))
    robots = canfetch.parse(f"{lines}User-agent: *\nAllow: /\nUser-agent: a\nLicense: https://example.com/a.xml\n")
    sources, calls = read_sources(URL, robots=robots, response=EMPTY_PAGE, tdm="[]"), 0

    def count(frame: FrameType, event: str, _: object) -> None:
        nonlocal calls
        calls += event == "call" and frame.f_code is read_licenses.__code__

    sys.setprofile(count)
    try:
        for number in range(50):
            agent = canfetch.agent(f"{'ab'[number % 2]}{'c' * number}")
            sources.decide(agent, [UsagePurpose.TRAINING, UsagePurpose.SEARCH])
    finally:
        sys.setprofile(None)
    assert calls == 2 * 2


def test_headers_and_elements_of_any_size_are_bounded_and_no_refusal_is_lost() -> None:
    priced = may_use(URL, purpose="training", response=PageResponse(402, {"Crawler-Price": "1" * 1_000_000}))
    assert [(len(one.text), one.note) for one in priced.statements] == [(500, "payment is required")]
    metas = "<meta name=robots content=noimageai>" * 300 + "<meta name=robots content=noai>" * 300
    verdict = use(response=PageResponse(200, (), metas))
    assert verdict.allowed is False
    assert len(verdict.statements) == 200
    rule = use(f"User-agent: *\nDisallow: /*{'*' * 100_000}\n")
    assert [len(one.text.encode()) for one in rule.statements] == [500]


def test_nothing_that_is_printed_can_control_a_terminal() -> None:
    missing = MissingSource(SourceState.UNREACHABLE, "\x1b[31m\ud800")
    verdict = may_use("https://user:secret@www.example.com/\x1b", purpose="training", tdm=missing)
    text = f"{verdict} {verdict.sources[-1]} {verdict.to_json()}"
    assert text.isprintable()
    assert "secret" not in text


def test_licenses_are_facts_and_sources_that_were_not_read() -> None:
    verdict = use("License: https://example.com/a.xml\nLicense: https://example.com/a.xml\nUser-agent: *\nAllow: /\n")
    assert [one.kind for one in verdict.statements] == ["license"] * 2
    assert [(one.name, one.detail) for one in verdict.unread] == [("license", "https://example.com/a.xml")]


def test_limits_and_dates() -> None:
    limited = use(response=PageResponse(200, {"X-Robots-Tag": "max-snippet: 50"}), purpose="ai-use", agent="Googlebot")
    assert (limited.allowed, limited.is_refused) == (None, True)
    assert [one.note for one in limited.conditions] == ["at most 50 characters may be used"]
    cached = PageResponse(200, {"X-Robots-Tag": "noarchive, nocache"})
    for purpose in ("training", "ai-use"):
        bing = use(response=cached, purpose=purpose, agent="bingbot")
        assert [(one.text, one.note, one.is_condition) for one in bing.statements] == [
            ("nocache", "only title and snippet may be used", True),
            ("noarchive", "nocache overrides it", False),
        ]
    expired = PageResponse(200, {"X-Robots-Tag": "unavailable_after: 2026-01-01"})
    google = {"purpose": "search", "agent": "Googlebot"}
    assert use(response=expired, **google).allowed is None
    assert use(response=expired, **google, now=1.8e9).decided_by[0].note == "this date has passed"
    dates = "unavailable_after: 2026-01-01, noindex, unavailable_after: 2099-01-01"
    both = use(response=PageResponse(200, {"X-Robots-Tag": dates}), **google, now=1.8e9)
    assert [(one.text, str(one.preference), one.note) for one in both.statements] == [
        ("unavailable_after: 2026-01-01", "disallow", "this date has passed"),
        ("unavailable_after: 2099-01-01", "unknown", "this date has not passed"),
        ("noindex", "disallow", ""),
    ]
    assert len(both.decided_by) == 2


NO_TRAINING = {"Content-Usage": "train-ai=n"}


@pytest.mark.parametrize(
    "status, headers, allowed, sources",
    [
        # RFC 9110 section 15.3.7: the rest of the page was not sent.
        (206, NO_TRAINING, False, ["read", "not-read (only a part was read)"]),
        (300, NO_TRAINING, False, ["read", "unreachable (the server responded with status 300)"]),
        (
            304,
            NO_TRAINING,
            False,
            ["not-read (only those of status 304 were read)", "not-read (status 304 has no content)"],
        ),
        (304, {}, None, ["not-read (only those of status 304 were read)", "not-read (status 304 has no content)"]),
        (304, None, None, ["not-read", "not-read (status 304 has no content)"]),
        (404, NO_TRAINING, None, ["unreachable (the server responded with status 404)"] * 2),
    ],
)
def test_rfc9110_15_4_headers_without_content(
    status: int,
    headers: dict[str, str] | None,
    allowed: bool | None,  # noqa: FBT001 - a parameter
    sources: list[str],
) -> None:
    response = PageResponse(status, headers, "<meta name=robots content=noai>")
    verdict = use(response=response)
    assert verdict.allowed is allowed
    assert [str(one).partition(": ")[2] for one in verdict.sources[1:3]] == sources
    # A recorded response has everything that the answer depends on.
    assert use(response=response.read_part()) == verdict


@pytest.mark.parametrize(
    "record, draft",
    [
        ("Content-Usage: train-ai=y", ", in the AIPREF draft also Content-Usage"),
        ("Content-Signal: ai-train=yes", ""),
        ("DisallowAITraining: /", ""),
    ],
)
def test_a_preference_above_a_further_user_agent_line(record: str, draft: str) -> None:
    robots = f"User-agent: A\n{record}\nUser-agent: B\nUser-agent: C\n{record}\nAllow: /\nUser-agent: A\nAllow: /\n"
    below = f"the user-agent line 3 below it is in the same group, which only rules end{draft}"
    for agent, lines in (("A", "lines are lines 1, 7"), ("B", "line is line 3")):
        first, second = use(robots, agent=agent).statements
        assert first.note.endswith(f"{below}; the user-agent {lines}, for {agent}")
        assert second.note == first.note.replace(f"{below}; ", "")
    outside = use(f"{record}\n{robots}", agent="D").statements
    assert all("below it" not in one.note for one in outside)


def test_a_note_if_the_documentation_of_an_operator_is_unknown() -> None:
    response = PageResponse(200, {"X-Robots-Tag": "nosnippet, noindex"})
    unknown = "the operator's documentation of directives is unknown, so that each one counts"
    for purpose in ("ai-use", "search"):
        for agent, note in (("ExampleBot", unknown), ("*", unknown), ("Googlebot", ""), ("Applebot", "")):
            verdict = use(response=response, purpose=purpose, agent=agent)
            assert (verdict.allowed, verdict.decided_by[0].note) == (False, note)
    assert use(response=response, purpose="ai-use", agent="YandexBot").statements == ()
    # What the convention of noai means does not depend on the operator.
    assert unknown not in str(use(response=PageResponse(200, {"X-Robots-Tag": "noai"})))


def test_a_tdm_file_that_starts_with_white_space_was_not_read_to_its_end() -> None:
    reserved = '[{"location": "/", "tdm-reservation": 1}]'
    assert use(tdm=" " * 2_000 + reserved).allowed is False
    verdict = use(tdm=" " * 600_000 + reserved)
    assert (verdict.allowed, verdict.is_final) == (None, False)
    assert use(tdm=" \n" * 2_000).is_final


def test_json_is_complete_and_plain() -> None:
    verdict = use("User-agent: *\nContent-Signal: ai-train=no\n", tdm="[]")
    data = verdict.to_json()
    assert list(data) == [
        "schema",
        "url",
        "purpose",
        "agent",
        "allowed",
        "is_final",
        "expires_at",
        "explanation",
        "combination",
        "decided_by",
        "statements",
        "unlisted_statements",
        "sources",
    ]
    assert data["schema"] == "canfetch.use/1"
    assert data["explanation"] == (
        "robots.txt, line 2: Content-Signal: ai-train=no (the user-agent line is line 1, for *)"
    )
    assert data["decided_by"] == data["statements"]


@pytest.mark.parametrize(
    "options, error, message",
    [
        ({"purpose": None}, TypeError, "purpose must be a str, not NoneType"),
        ({"response": PageResponse("200")}, TypeError, "the status of a response must be an int"),  # type: ignore[arg-type]
        ({"response": PageResponse(True)}, TypeError, "the status of a response must be an int, not bool"),
        ({"response": PageResponse(200, 5)}, TypeError, "invalid headers: expected pairs"),  # type: ignore[arg-type]
        ({"tdm": MissingSource(SourceState.ABSENT, 5)}, TypeError, "the detail of a missing source"),  # type: ignore[arg-type]
        ({"response": MissingSource(SourceState.READ)}, InvalidOption, "invalid state 'read' of headers"),
        ({"purpose": "trainin"}, InvalidOption, "did you mean 'training'"),
        ({"url": "x y"}, InvalidURL, "invalid URL"),
        ({"agent": "a b"}, InvalidProductToken, "a b"),
        ({"agent": "GPTBot,CCBot"}, InvalidProductToken, "expected one name without"),
        ({"agent": "GPTBot/1.0"}, InvalidProductToken, "expected only the product token"),
        ({"now": "now"}, TypeError, "now must be a number"),
        ({"response": b"<p>"}, TypeError, "response must be a PageResponse, or a MissingSource, not bytes"),
        ({"response": MissingSource("missing")}, InvalidOption, "unknown state 'missing'"),  # type: ignore[arg-type]
    ],
)
def test_a_mistake_of_the_caller_names_the_value(options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        use(**options)


def test_a_robots_txt_that_is_not_parsed_is_a_mistake() -> None:
    with pytest.raises(TypeError, match="robots must be the result of"):
        may_use(URL, purpose="training", robots=b"User-agent: *")  # type: ignore[arg-type]


def test_a_state_can_be_passed_by_its_name() -> None:
    unreachable = MissingSource("unreachable")  # type: ignore[arg-type]
    assert may_use(URL, purpose="training", robots=unreachable).allowed is False


def test_a_file_of_another_origin_is_a_mistake() -> None:
    robots = canfetch.parse("User-agent: *\nDisallow: /\n", url="https://other.example/robots.txt")
    with pytest.raises(OriginMismatch):
        may_use(URL, purpose="training", robots=robots)


@pytest.mark.parametrize("name", ["training", "ai-train", "train_ai", "AI-Input", "rag", "search-index"])
def test_names_of_other_vocabularies(name: str) -> None:
    assert use(purpose=name).purpose in {"training", "ai-use", "search"}


TEXT = st.text(alphabet=st.sampled_from('aiy=n,;-/ \x00é"(:)1?T\ud800'), max_size=30)


@given(usage=TEXT, signal=TEXT, tdm=st.binary(max_size=60), robots=st.binary(max_size=60))
def test_no_content_of_a_site_raises(usage: str, signal: str, tdm: bytes, robots: bytes) -> None:
    headers = {"Content-Usage": usage, "Content-Signal": signal, "TDM-Reservation": signal}
    verdict = may_use(
        URL, purpose="training", robots=canfetch.parse(robots), response=PageResponse(200, headers), tdm=tdm
    )
    assert verdict.to_json()["sources"]
    str(verdict)


def test_the_agent_that_is_not_named() -> None:
    assert use("User-agent: *\nContent-Signal: ai-train=no\n", agent="*").allowed is False
