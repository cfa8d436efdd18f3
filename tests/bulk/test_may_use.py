"""The column `may_use` has the answers of `canfetch.may_use`, row by row."""

import random
import sys
from collections import Counter
from collections.abc import Iterable
from types import CodeType, FrameType
from typing import Any

import pytest
from tests.bulk.generated_usage import URLS, generated_content

import canfetch
from canfetch.bulk import may_use, usage
from canfetch.bulk.arguments import as_agents, as_column
from canfetch.bulk.cell_texts import statements_text
from canfetch.bulk.kernels import kernel_options
from canfetch.bulk.uses import may_use_by_purpose, use_arrays
from canfetch.consent.purposes import find_purpose
from canfetch.consent.statements import record_statement
from canfetch.consent.verdict import UseVerdict, unread_beside_robots
from canfetch.errors import InvalidColumn, InvalidOption, InvalidProductToken, InvalidURL
from canfetch.extensions import UsagePurpose

pa = pytest.importorskip("pyarrow")
CONTENT = """User-agent: *
Content-Usage: /signed/ train-ai=y
DisallowAITraining: /untrained/
Disallow: /private/

User-agent: Google-Extended
Disallow: /grounded/

User-agent: GPTBot
Content-Signal: ai-train=yes
"""
NOTHING = dict.fromkeys(["use", "kind", "line", "explanation", "token", "standard", "rule", "unread", "note"])
# Names of files, with the control tokens of three operators.
NAMES = ["a", "*", "gptbot", "googlebot", "Google-Extended", "Applebot-Extended", "YandexAdditional", "Yandex"]
AGENTS = ["a", "GPTBot", "Googlebot", "Google-Extended", "GoogleOther", "Applebot", "YandexBot", "two words", None]
PURPOSES = ["training", "ai-use", "search", "rag", "AI_TRAIN"]


def expected_row(content: Any, agent: Any, url: Any, purpose: str, **options: Any) -> tuple[Any, ...]:
    """Return the use, the kind and the line that `canfetch.may_use` returns for one URL."""
    if None in (content, agent, url):
        return None, None, None
    robots = canfetch.parse(content, **options)
    try:
        verdict = canfetch.may_use(url, purpose=purpose, agent=agent, robots=robots)
    except (InvalidProductToken, InvalidURL):
        return None, None, None
    if verdict.allowed is None:
        return "unknown", None, None
    first = verdict.decided_by[0]
    return str(first.preference), str(first.kind), int(first.place.removeprefix("line "))


def found_rows(rows: Iterable[dict[str, Any]]) -> list[tuple[Any, ...]]:
    return [(row["use"], row["kind"], row["line"]) for row in rows]


def test_a_rule_for_a_token_in_the_group_for_all_crawlers_is_named_so(engine: str) -> None:
    content = "User-agent: Googlebot\nAllow: /\n\nUser-agent: *\nDisallow: /\n"
    (row,) = may_use([content], "Googlebot", "https://www.example.com/", purpose="training", engine=engine).to_pylist()
    assert row["explanation"] == "a rule for Google-Extended, in the group for *: line 5, Disallow: /"
    assert (row["use"], row["token"]) == ("disallow", "Google-Extended")


@pytest.mark.slow
@pytest.mark.parametrize("profile", ["rfc9309", "yandex"])
def test_may_use_is_that_of_one_url(profile: str, engine: str) -> None:
    dice = random.Random(profile)  # noqa: S311 - not for cryptography
    contents: list[bytes | None] = [generated_content(dice, NAMES) for _ in range(60)]
    contents += [generated_content(dice).decode().encode("utf-16"), b"\xff\x00" * 50, None, b""]
    rows = [
        (dice.choice(contents), dice.choice(AGENTS), dice.choice(URLS), dice.choice(PURPOSES)) for _ in range(2_000)
    ]
    expected = [expected_row(*row, profile=profile) for row in rows]
    columns = [list(column) for column in zip(*rows, strict=True)]
    found = may_use_by_purpose(*columns, profile=profile, engine=engine).to_pylist()
    assert found_rows(found) == expected
    assert {row[:2] for row in expected} == {
        *((use, kind) for use in ("allow", "disallow") for kind in ("content-signal", "content-usage")),
        *(("disallow", kind) for kind in ("rule", "control-token", "ai-training-rule")),
        *(("allow", "ai-training-rule"), ("unknown", None), (None, None)),
    }
    for agent in AGENTS[:3]:
        own = [(content, agent, url, "training") for content, _, url, _ in rows[:300]]
        of_agent = may_use(columns[0][:300], agent, pa.array(columns[2][:300]), purpose="train-ai", profile=profile)
        assert found_rows(of_agent) == [expected_row(*row, profile=profile) for row in own]


def test_the_fields_of_may_use(engine: str) -> None:
    paths = ["/signed/", "/untrained/", "/private/", "/grounded/", "/", "no path", None]
    found = may_use(CONTENT, "Googlebot", paths, purpose="training", engine=engine)
    assert [tuple(row.values())[:5] for row in found] == [
        ("allow", "content-usage", 2, "line 2, content-usage: /signed/ train-ai=y (allow)", None),
        ("disallow", "ai-training-rule", 3, "line 3, disallowaitraining: /untrained/ (disallow)", None),
        ("disallow", "rule", 4, "the URL may not be fetched: line 4, Disallow: /private/", None),
        ("disallow", "control-token", 7, "a rule for Google-Extended: line 7, Disallow: /grounded/", "Google-Extended"),
        ("unknown", None, None, "no record mentions training", None),
        (None,) * 5,
        (None,) * 5,
    ]
    assert pa.table(found).column_names == list(NOTHING)
    assert found.to_pyarrow().type == pa.chunked_array(found).type


def unread_sources(verdict: UseVerdict) -> str | None:
    """Return the cell of the sources that were not read."""
    is_training = verdict.purpose is UsagePurpose.TRAINING
    names = [one.name for one in verdict.unread if one.name != "tdmrep.json" or is_training]
    return None if verdict.is_final else ", ".join(dict.fromkeys(names))


@pytest.mark.slow
def test_equal_rows_have_the_sources_and_tokens_of_one_url(engine: str) -> None:
    dice = random.Random(9309)  # noqa: S311 - not for cryptography
    licenses = ["", "License: https://example.com/l.xml", "User-agent: Googlebot\nLicense: https://example.com/l.xml"]
    contents: list[bytes | None] = [
        generated_content(dice, NAMES) + f"\n{dice.choice(licenses)}\n".encode() for _ in range(12)
    ]
    contents += [None, b"User-agent: Google-Extended\nDisallow: /a\n#" + b"x" * 600_000]
    urls = [url for url in URLS if url and "not" not in url]
    choices: list[list[Any]] = [contents, AGENTS, urls, PURPOSES]
    rows = [[dice.choice(choice) for choice in choices] for _ in range(1_500)]
    expected: list[tuple[Any, ...]] = []
    for content, agent, url, purpose in rows:
        if content is None or agent in {None, "two words"}:
            expected.append((None,) * 6)
            continue
        verdict = canfetch.may_use(url, purpose=purpose, agent=agent, robots=canfetch.parse(content))
        first = verdict.decided_by[0] if verdict.decided_by else None
        stated = (None,) * 4 if first is None else (first.line, first.token, first.standard, first.note)
        expected.append((*stated, verdict.combination, unread_sources(verdict)))
    columns: list[list[Any]] = [list(column) for column in zip(*rows, strict=True)]
    halves = [pa.array(part, pa.binary()).dictionary_encode() for part in (columns[0][:700], columns[0][700:])]
    views = [pa.array(column, pa.string_view()) for column in columns[1:3]]
    for files, agents, targets in (columns[:3], [pa.chunked_array(halves), *views]):
        found = may_use_by_purpose(files, agents, targets, columns[3], engine=engine)
        fields = ("line", "token", "standard", "note", "rule", "unread")
        assert [tuple(row[name] for name in fields) for row in found] == expected


RULES = {
    "content that the agent may not fetch may not be used",
    "a rule for a control token disallows the uses that it controls",
    "a statement allows the use, and no statement disallows it",
    "a statement disallows the use, and no statement allows it",
    "nothing is stated, and no standard defines what silence means",
    "the most restrictive statement decides",
    "the line with the most specific path decides",
    "the lines in the crawler's group decide",
    "the lines in the crawler's group decide; nothing is stated, and no standard defines what silence means",
    "the line with the most specific path decides; the most restrictive statement decides",
}


@pytest.mark.slow
@pytest.mark.parametrize("profile", ["rfc9309", "yandex"])
def test_a_row_has_the_rule_and_the_other_statements_of_one_url(profile: str, engine: str) -> None:
    dice = random.Random(32)  # noqa: S311 - not for cryptography
    contents = [generated_content(dice, NAMES) for _ in range(150)]
    contents += [generated_content(dice, NAMES).decode().encode("utf-16") for _ in range(10)]
    contents += [b"License: https://example.com/l.xml\n" + content for content in contents[:20]]
    urls = [f"https://example.com{url}" for url in URLS if url and url.startswith("/") and url[1:2] != "/"]
    choices: list[list[Any]] = [contents, AGENTS[:-2], urls, PURPOSES]
    rows = [[dice.choice(choice) for choice in choices] for _ in range(2_000)]
    expected: list[tuple[Any, ...]] = []
    for content, agent, url, purpose in rows:
        robots = canfetch.parse(content, profile=profile)
        verdict = canfetch.may_use(url, purpose=purpose, agent=agent, robots=robots)
        use = {True: "allow", False: "disallow", None: "unknown"}[verdict.allowed]
        expected.append((use, verdict.combination, statements_text(verdict.other_statements)))
    content, agent, url, names = (list(column) for column in zip(*rows, strict=True))
    options, purposes = kernel_options(profile, engine=engine), [find_purpose(name) for name in names]
    agents, targets = as_agents(agent, use_registry=False), as_column(url)
    found = use_arrays(options, as_column(content), agents, targets, purposes, with_others=True)
    cells = zip(found.use.to_pylist(), found.rule.to_pylist(), found.others.to_pylist(), strict=True)
    assert list(cells) == expected
    # Without the other statements, more rows are answered together.
    alone = use_arrays(options, as_column(content), agents, targets, purposes)
    assert (alone.rule.to_pylist(), alone.others.null_count) == (found.rule.to_pylist(), len(rows))
    assert {rule for _, rule, _ in expected} >= RULES


def test_the_rule_of_a_row_is_the_one_that_decided(engine: str) -> None:
    content = """User-agent: *
Content-Usage: train-ai=y
Content-Usage: /a train-ai=n
Allow: /

User-agent: GPTBot
Content-Signal: ai-train=no
Allow: /

User-agent: CCBot
Content-Signal: ai-train=yes
Content-Usage: train-ai=n
Allow: /

User-agent: Bingbot
Allow: /
"""
    group, path = "the lines in the crawler's group decide", "the line with the most specific path decides"
    restrictive, silence = "the most restrictive statement decides", "nothing is stated, and no standard defines what"
    expected = {
        ("a", "/"): ("allow", 2, "a statement allows the use, and no statement disallows it"),
        ("a", "/a"): ("disallow", 3, path),
        ("GPTBot", "/"): ("disallow", 7, group),
        ("CCBot", "/a"): ("disallow", 12, f"{group}; {restrictive}"),
        ("Bingbot", "/"): ("unknown", None, f"{group}; {silence} silence means"),
    }
    agents, urls = zip(*expected, strict=True)
    found = may_use(content, list(agents), list(urls), purpose="training", engine=engine)
    assert [(row["use"], row["line"], row["rule"]) for row in found] == list(expected.values())
    alone = may_use("User-agent: *\nContent-Signal: ai-train=no", "a", "/", purpose="training", engine=engine)
    assert [row["rule"] for row in alone] == ["a statement disallows the use, and no statement allows it"]


def test_equal_rows_are_answered_once() -> None:
    licensed = "License: https://example.com/l.xml\nUser-agent: a\nDisallow: /b\nUser-agent: *\nContent-Usage: search=n"
    calls = Counter[CodeType]()

    def count(frame: FrameType, event: str, _: object) -> None:
        calls[frame.f_code] += event == "call"

    sys.setprofile(count)
    try:
        found = may_use(
            [licensed] * 4_000, ["a", "b", "c", "b"] * 1_000, ["/b", "/", "/", "/c"] * 1_000, purpose="search"
        )
    finally:
        sys.setprofile(None)
    group = "the user-agent line is line 4, for *"
    notes = ["a may not fetch the URL; the user-agent line is line 2, for a", *[group] * 3]
    assert [(row["unread"], row["note"]) for row in found] == [(None, note) for note in notes] * 1_000
    # The first one is answered for each agent, and the record is parsed once for all agents.
    assert [calls[one.__code__] for one in (unread_beside_robots, record_statement)] == [3, 1]


@pytest.mark.parametrize(
    "agent",
    ["Googlebot", ["Googlebot"] * 5, pa.DictionaryArray.from_arrays(pa.array([0] * 5, pa.uint64()), ["Googlebot"])],
)
def test_a_row_names_the_standard_the_rule_and_what_was_not_read(agent: Any, engine: str) -> None:
    licensed = "License: https://example.com/l.xml\n"
    closed = f"{licensed}User-agent: *\nDisallow: /"
    contents: list[Any] = [
        CONTENT,
        licensed,
        licensed.encode("utf-16"),
        f"User-agent: *\nDisallow: /\n#{'x' * 600_000}",
        closed,
    ]
    column = pa.array([one.encode() if isinstance(one, str) else one for one in contents]).dictionary_encode()
    for purpose in ("training", "search"):
        for one in (contents, column, pa.chunked_array([column])):
            found = may_use(one, agent, ["/signed/"] * 5, purpose=purpose, engine=engine)
            for content, row in zip(contents, found, strict=True):
                verdict = canfetch.may_use(
                    "https://example.com/signed/", purpose=purpose, agent="Googlebot", robots=canfetch.parse(content)
                )
                first = verdict.decided_by[0].standard if verdict.decided_by else None
                unread = unread_sources(verdict)
                assert (row["standard"], row["rule"], row["unread"]) == (first, verdict.combination, unread)


def test_a_control_token_counts_for_the_agents_of_its_operator(engine: str) -> None:
    agents = ["Googlebot", "Bingbot", "GPTBot", None, "a,b"]
    found = may_use(CONTENT, agents, "/grounded/", purpose="ai-use", engine=engine).to_pylist()
    assert [row["use"] for row in found] == ["disallow", "unknown", "unknown", None, None]
    for agent in (agents[:1], "Googlebot", canfetch.Agent("Googlebot")):
        (row,) = may_use(CONTENT, agent, ["/grounded/"], purpose="ai-use", engine=engine)
        assert (row["kind"], row["line"]) == ("control-token", 7)
    # It states nothing about search.
    (row,) = may_use(CONTENT, "Googlebot", ["/grounded/"], purpose="search", engine=engine)
    assert row["use"] == "unknown"


def test_the_first_of_several_control_tokens_decides(engine: str) -> None:
    content = "user-agent: YandexAdditionalBot\ndisallow: /\n\nuser-agent: YandexAdditional\ndisallow: /"
    found = may_use(content, ["YandexBot", "Googlebot"], ["/", "/"], purpose="ai-use", engine=engine)
    assert found_rows(found) == [expected_row(content, agent, "/", "ai-use") for agent in ("YandexBot", "Googlebot")]
    assert found.to_pylist()[0]["line"] == 5


def test_usage_has_preferences_only(engine: str) -> None:
    paths = ["/private/", "/grounded/"]
    found = usage(CONTENT, "Googlebot", paths, purpose="training", engine=engine).to_pylist()
    assert [(row["preference"], row["kind"], row["line"]) for row in found] == [
        ("unknown", "rule", 4),
        ("unknown", None, None),
    ]


def test_names_of_crawlers_have_all_tokens_of_the_registry(engine: str) -> None:
    content = "user-agent: googlebot\ndisallow: /"
    for agent in ("Googlebot-Image", ["Googlebot-Image"]):
        found = [
            may_use(content, agent, "/", purpose="training", use_registry=known, engine=engine).to_pylist()[0]["use"]
            for known in (False, True)
        ]
        assert found == ["unknown", "disallow"]


def test_columns_that_can_be_read_once(engine: str) -> None:
    rows = {"content": [CONTENT] * 2, "agent": ["Googlebot"] * 2, "url": ["/grounded/", "/signed/"]}
    columns = [
        pa.RecordBatchReader.from_batches(batch.schema, [batch])
        for batch in (pa.record_batch({name: values}) for name, values in rows.items())
    ]
    found = may_use(*columns, purpose="training", engine=engine).to_pylist()
    assert [row["kind"] for row in found] == ["control-token", "content-usage"]


@pytest.mark.parametrize("values", [pa.string(), pa.large_binary(), pa.string_view()], ids=str)
def test_chunks_of_dictionaries_can_have_more_values_than_their_keys(values: Any, engine: str) -> None:
    def column(text: str) -> Any:
        keys = pa.array([*range(100), None], pa.int8())
        names = (pa.array([text % number for number in range(first, first + 100)]) for first in (0, 100))
        return pa.chunked_array([pa.DictionaryArray.from_arrays(keys, part.cast(values)) for part in names])

    texts = ("User-agent: bot%d\nDisallow: /", "bot%d", "https://example.com/%d")
    columns = [column(text) for text in texts]
    rows = [[text % number for text in texts] for number in range(200)]
    expected = [expected_row(content, agent, url, "training") for content, agent, url in rows]
    found = may_use(*columns, purpose="training", engine=engine)
    assert found_rows(found) == [*expected[:100], (None,) * 3, *expected[100:], (None,) * 3]
    # The URLs are filtered for each control token.
    for agent, url in (("Googlebot", columns[2]), (columns[1], "/")):
        found = may_use("User-agent: Google-Extended\nDisallow: /", agent, url, purpose="training", engine=engine)
        uses = {row["use"] for row in found if row["use"]}
        assert uses == ({"disallow"} if agent == "Googlebot" else {"unknown"})


def test_purposes_are_a_column_or_repeated(engine: str) -> None:
    purposes = ["training", None, "", "search", "grounding"]
    found = may_use_by_purpose(CONTENT, "Googlebot", "/grounded/", purposes, engine=engine).to_pylist()
    assert [row["use"] for row in found] == ["disallow", None, None, "unknown", "disallow"]
    assert found[1] == found[2] == NOTHING
    assert may_use_by_purpose([], "Googlebot", [], [], engine=engine).to_pylist() == []
    with pytest.raises(InvalidColumn, match=r"different numbers of rows: url 2, purpose 3$"):
        may_use_by_purpose(CONTENT, "a", ["/", "/"], ["training"] * 3, engine=engine)
    with pytest.raises(InvalidColumn, match="column of integers: expected purposes"):
        may_use_by_purpose(CONTENT, "a", "/", [1], engine=engine)


def test_invalid_arguments_raise(engine: str) -> None:
    with pytest.raises(InvalidOption, match="unknown purpose 'x'"):
        may_use(CONTENT, "a", "/", purpose="x", engine=engine)
    with pytest.raises(InvalidOption, match="unknown purpose 'x'"):
        may_use_by_purpose(CONTENT, "a", ["/", "/"], ["search", "x"], engine=engine)
    with pytest.raises(InvalidProductToken):
        may_use(CONTENT, "two words", "/", purpose="search", engine=engine)
    with pytest.raises(InvalidColumn, match="column of integers"):
        may_use(CONTENT, [1], "/", purpose="training", engine=engine)


@pytest.mark.parametrize("path", ["", "/a "])
def test_the_explanation_of_a_row_is_limited(path: str, engine: str) -> None:
    lines = [f"Content-Usage: {path}train-ai=y;x=" + "y" * 1_000] * 150 + [f"Content-Usage: {path}train-ai=n"]
    (row,) = may_use("\n".join(["User-agent: *", *lines]), "a", ["/a"], purpose="training", engine=engine)
    assert (row["use"], row["line"], len(row["explanation"])) == ("disallow", 152, 1_001)
