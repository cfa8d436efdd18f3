"""Columns have the verdicts of `parse`, in both engines and for every kind of column."""

import copy
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.laws.strategies import any_content, any_url, files

from canfetch import Agent, parse
from canfetch.agents.requested import requested_agent
from canfetch.bulk import Column, Files, allows, clear_cache, decide, matrix
from canfetch.core.profiles import Profile
from canfetch.core.text import encode_text
from canfetch.errors import (
    EngineError,
    InvalidColumn,
    InvalidLimit,
    InvalidOption,
    InvalidProductToken,
    InvalidURL,
    UnknownProfile,
)

CONTENT = b"user-agent: *\ndisallow: /a\nallow: /a/b\n\nuser-agent: GoodBot\nallow: /\n"
OTHER = b"user-agent: *\ndisallow: /\n"
TOKENS = ["a", "FooBot", "foobot", "mj12bot", "b", "nobody"]
NAMES = [*TOKENS, "*", "", "two words", "a/1", "café", "a,b", "a*"]


def expected_row(content: Any, agent: Any, url: Any, profile: str, engine: str) -> dict[str, Any]:
    """Return the row of `decide` that `parse` leads to."""
    row = dict.fromkeys(["allowed", "reason", "line", "rule", "specificity"])
    if content is None or agent is None or url is None:
        return row
    try:
        requested_agent(agent, exact=True)
        rules = parse(content, profile=profile, engine=engine).rules_for(agent)
    except InvalidProductToken:
        return row | {"reason": "invalid-agent"}
    try:
        verdict = rules.decide(url)
    except InvalidURL:
        return row | {"reason": "invalid-url"}
    row |= {"allowed": verdict.allowed, "reason": str(verdict.reason)}
    rule = verdict.rule
    return row if rule is None else row | {"line": rule.line, "rule": str(rule), "specificity": rule.specificity}


ROWS = st.lists(
    st.tuples(
        st.none() | any_content() | files().map(b"\n".join),
        st.none() | st.sampled_from(NAMES),
        st.none() | any_url(),
    ),
    max_size=12,
)


@pytest.mark.slow
@given(rows=ROWS)
def test_columns_have_the_verdicts_of_parse(rows: list[tuple[Any, Any, Any]], profile: Profile, engine: str) -> None:
    contents, agents, urls = ([row[column] for row in rows] for column in range(3))
    options: dict[str, Any] = {"profile": profile.name, "engine": engine}
    expected = [expected_row(*row, options["profile"], options["engine"]) for row in rows]
    assert decide(contents, agents, urls, **options).to_pylist() == expected
    assert allows(contents, agents, urls, **options).to_pylist() == [row["allowed"] for row in expected]
    by_id = Files(dict(enumerate(contents)), **options)
    for found, want in zip(by_id.decide_at(list(range(len(rows))), agents, urls).to_pylist(), expected, strict=True):
        missing = want["reason"] is None and found["reason"] is not None
        assert found == (want | {"reason": found["reason"]} if missing else want)


@pytest.mark.slow
@given(content=any_content(), urls=st.lists(any_url(), max_size=6))
def test_a_matrix_has_the_verdicts_of_each_agent(content: bytes, urls: list[str | bytes], engine: str) -> None:
    agents: list[str | Agent] = [*TOKENS, Agent(["nobody-2", "FooBot"]), Agent("nobody-3", star_applies=False)]
    names = [*TOKENS, "nobody-2", "nobody-3"]
    found = matrix(content, agents, urls, engine=engine).to_pylist()
    assert found == matrix(content, dict(zip(names, agents, strict=True)), urls, engine=engine).to_pylist()
    columns = [allows(content, agent, urls, engine=engine).to_pylist() for agent in agents]
    assert found == [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def test_single_values_are_repeated(engine: str) -> None:
    for content in (CONTENT, CONTENT.decode(), [CONTENT], (CONTENT,), bytearray(CONTENT), memoryview(CONTENT)):
        column = allows(content, "bot", ["/a", "/a/b"], engine=engine)
        assert (len(column), list(column), repr(column)) == (2, [False, True], "<Column of 2 rows>")
    assert allows([CONTENT, OTHER], ["bot", "goodbot"], "/a", engine=engine).to_pylist() == [False, False]
    assert allows(CONTENT, Agent(["x", "goodbot"]), "/a", engine=engine).to_pylist() == [True]
    assert allows(None, "bot", ["/a", "/b"], engine=engine).to_pylist() == [None, None]
    assert allows([], "bot", "/a", engine=engine).to_pylist() == []


def test_a_name_of_the_registry_has_all_its_tokens(engine: str) -> None:
    content = "user-agent: googlebot\ndisallow: /"
    assert allows(content, ["Googlebot-Image"], "/", engine=engine).to_pylist() == [True]
    assert allows(content, ["Googlebot-Image"], "/", use_registry=True, engine=engine).to_pylist() == [False]
    assert allows(content, "Googlebot-Image", "/", use_registry=True, engine=engine).to_pylist() == [False]
    table = Files({1: content}, use_registry=True, engine=engine)
    assert table.matrix_at(1, ["Googlebot-Image"], "/").to_pylist() == [{"Googlebot-Image": False}]


def test_files_by_id(engine: str) -> None:
    table = Files({1: CONTENT, 2: OTHER, 3: CONTENT, 4: None, -7: OTHER}, engine=engine)
    assert (len(table), repr(table)) == (2, "<Files: 2 distinct contents, profile rfc9309>")
    ids = [1, 2, 3, 4, 5, -7, None, 2**64]
    assert table.allows_at(ids, "bot", "/b").to_pylist() == [True, False, True, None, None, False, None, None]
    reasons = [row["reason"] for row in table.decide_at([4, 5, None], ["bot", "bot", "bot"], "/b")]
    assert reasons == ["no-robots", "no-robots", None]
    texts = Files({"https://a.example": OTHER, "café": CONTENT}, engine=engine)
    assert texts.allows_at(["café", b"https://a.example", "x"], "bot", "/b").to_pylist() == [True, False, None]


def test_ids_of_another_type_than_those_of_the_files(engine: str) -> None:
    integers, texts = Files({1: CONTENT, -7: None}, engine=engine), Files({"1": CONTENT}, engine=engine)
    for table in (integers, texts):
        assert table.has_text_ids is (table is texts)
        asked = ["1", None] if table is integers else [None, 1]
        found, expected = ("text", "integers") if table is integers else ("integers", "texts")
        message = f"a column of {found}: the IDs of the files are {expected}"
        with pytest.raises(InvalidColumn, match=message):
            table.allows_at(asked, "bot", "/b")
        with pytest.raises(InvalidColumn, match=message):
            table.matrix_at(asked[asked[0] is None], ["bot"], "/b")
        # Nulls have no type.
        assert table.decide_at([None, None], "bot", "/b").to_pylist()[0]["reason"] is None
    # Without files, and with both types, every ID is looked up.
    assert Files({}, engine=engine).allows_at(["1"], "bot", "/b").to_pylist() == [None]
    assert Files({}, engine=engine).allows_at([1], "bot", "/b").to_pylist() == [None]


def test_files_and_columns_cannot_be_pickled(engine: str) -> None:
    files = Files({1: CONTENT}, engine=engine)
    for value, message in [
        (files, "Files cannot be pickled: create one in each process"),
        (files.allows_at(1, "bot", "/"), r"a Column cannot be pickled: pass column\.to_pyarrow\(\) or"),
    ]:
        with pytest.raises(TypeError, match=message):
            pickle.dumps(value)
        with pytest.raises(TypeError, match=message):
            copy.copy(value)


def test_invalid_tables(engine: str) -> None:
    for table in ({None: CONTENT}, {1: 5}, {"a": b"", b"a": b""}, {2**64: b""}):
        with pytest.raises((InvalidColumn, TypeError)):
            Files(table, engine=engine)
    columns: dict[str, Any] = {"id": [1], "content": [CONTENT]}
    for layout in (columns, {name: tuple(column) for name, column in columns.items()}):
        with pytest.raises(
            TypeError, match=r"a (list|tuple) as the content of 'id': .* such as dict\(zip\(ids, content"
        ):
            Files(layout, engine=engine)
    with pytest.raises(TypeError, match="a table must be Arrow data or a mapping, not list"):
        Files([CONTENT], engine=engine)  # type: ignore[arg-type]


def test_columns_of_different_lengths(engine: str) -> None:
    with pytest.raises(InvalidColumn, match=r"different numbers of rows: content 2, url 3$"):
        allows([CONTENT, OTHER], "bot", ["/", "/", "/"], engine=engine)
    with pytest.raises(InvalidColumn, match=r"different numbers of rows: content 3, agent 2, url 3$"):
        decide([CONTENT] * 3, ["a", "b"], ["/"] * 3, engine=engine)
    with pytest.raises(InvalidColumn, match=r"different numbers of rows: content 2, url 0$"):
        matrix([CONTENT] * 2, ["a", "b"], [], engine=engine)
    with pytest.raises(InvalidColumn, match=r"different numbers of rows: id 2, agent 3$"):
        Files({"a": CONTENT}, engine=engine).allows_at(["a", "a"], ["b"] * 3, "/")


@pytest.mark.parametrize(
    "columns",
    [([1], "bot", "/"), (CONTENT, [1], "/"), (CONTENT, "bot", [1])],
    ids=["content", "agent", "url"],
)
def test_columns_of_integers(columns: tuple[Any, Any, Any], engine: str) -> None:
    with pytest.raises(InvalidColumn, match="a column of integers"):
        allows(*columns, engine=engine)


@pytest.mark.parametrize("column", [1.5, {"a": 1}, {"a"}, ["/", 1], [1.5], [["/"]]], ids=repr)
def test_other_types_raise(column: Any, engine: str) -> None:
    with pytest.raises(TypeError):
        allows(CONTENT, "bot", column, engine=engine)


def test_nan_in_a_list_is_a_missing_value(engine: str) -> None:
    missing = float("nan")
    for contents, agents, urls in (
        ([CONTENT, missing], "bot", ["/a", "/a"]),
        (CONTENT, ["bot", missing], "/a"),
        (CONTENT, "bot", ("/a", missing)),
    ):
        found = decide(contents, agents, urls, engine=engine).to_pylist()
        assert [(row["allowed"], row["reason"]) for row in found] == [(False, "disallow-rule"), (None, None)]
    assert Files({1: CONTENT}, engine=engine).allows_at([1, missing], "bot", "/a").to_pylist() == [False, None]


def test_the_agent_star_has_the_groups_of_all_crawlers(engine: str) -> None:
    found = decide([OTHER, CONTENT, CONTENT], "*", ["/", "/a", "/"], engine=engine).to_pylist()
    assert [row["allowed"] for row in found] == [False, False, True]


def test_invalid_arguments(engine: str) -> None:
    for name in ("two words", "GPTBot,CCBot"):
        with pytest.raises(InvalidProductToken, match=f"invalid agent '{name}': expected "):
            allows(CONTENT, name, "/", engine=engine)
    with pytest.raises(UnknownProfile):
        allows(CONTENT, "bot", "/", profile="x", engine=engine)
    with pytest.raises(InvalidLimit):
        Files({1: CONTENT}, max_bytes=1, engine=engine)
    with pytest.raises(EngineError):
        allows(CONTENT, "bot", "/", engine="x")
    with pytest.raises(InvalidOption, match="the list is empty"):
        matrix(CONTENT, [], "/", engine=engine)
    with pytest.raises(InvalidOption, match="two agents are named 'a'"):
        matrix(CONTENT, ["a", "b", Agent("a")], "/", engine=engine)
    with pytest.raises(TypeError, match="expected a list"):
        matrix(CONTENT, "bot", "/", engine=engine)


def test_a_file_over_the_limit_is_cut_as_parse_cuts_it(engine: str) -> None:
    content = CONTENT + b"#" * 600_000 + b"\n" + OTHER
    utf_16 = b"\xff\xfe" + OTHER.decode().encode("utf-16-le")
    assert allows([content, utf_16], "bot", "/b", engine=engine).to_pylist() == [True, False]
    assert allows(content, "bot", "/b", max_bytes=700_000, engine=engine).to_pylist() == [False]
    assert Files({1: content}, engine=engine).allows_at(1, "bot", "/b").to_pylist() == [True]


def test_surrogates_are_bytes(engine: str) -> None:
    content = "user-agent: caf\udce9\ndisallow: /\udcff"
    agents = ["caf\udce9", b"caf\xe9"]
    assert allows(content, agents, ["/\udcff", b"/\xff"], engine=engine).to_pylist() == [False, False]
    assert encode_text(content).endswith(b"\xff")
    assert decide(content, agents, "/%FF", engine=engine).to_pylist()[0]["rule"] == "Disallow: /%FF"


def test_both_engines_are_compared(both_engines: str) -> None:
    clear_cache()
    assert allows([CONTENT, OTHER], "bot", "/b", engine=both_engines).to_pylist() == [True, False]
    assert decide(CONTENT, "bot", "/a", engine=both_engines).to_pylist()[0]["line"] == 2
    table = Files({1: CONTENT}, engine=both_engines)
    assert table.matrix_at([1, 2], ["bot"], "/a").to_pylist() == [{"bot": False}, {"bot": None}]
    assert len(table) == 1


@pytest.mark.slow
def test_few_of_many_agents_have_a_group(engine: str) -> None:
    agents = [f"bot{number}" for number in range(9000)]
    content = b"user-agent: bot77\nuser-agent: bot8999\ndisallow: /\n"
    found = allows(content, agents, "/", engine=engine).to_pylist()
    assert [number for number, allowed in enumerate(found) if not allowed] == [77, 8999]


@pytest.mark.slow
def test_more_files_than_memory(engine: str) -> None:
    contents = [b"user-agent: *\ndisallow: /%d$\n#" % number + b"x" * 400_000 for number in range(40)] * 2
    urls = [f"/{number % 7}" for number in range(80)]
    expected = [number % 40 != number % 7 for number in range(80)]
    assert allows(contents, "bot", urls, engine=engine).to_pylist() == expected
    clear_cache()


def test_many_rows_are_decided_in_blocks(engine: str) -> None:
    rows = 10_000
    found: Column = decide([CONTENT, OTHER] * (rows // 2), ["bot"] * rows, ["/a/b", "/"] * (rows // 2), engine=engine)
    allowed = [row["allowed"] for row in found]
    assert allowed == [True, False] * (rows // 2)


def test_urls_that_begin_like_the_one_before(engine: str) -> None:
    urls = ["https://h/a", "https://h", "https://h?a", "https://h#a", "https://hh/a", "https://h:x/a", "https://h:/a"]
    urls += ["https://h/a/b", "/a", "//h/a", "//h", "//hh/a", "//[/a", "//h/a/b", "https:///a", "HTTPS://h/a", "h/a"]
    urls += reversed(urls)
    expected = [expected_row(CONTENT, "bot", url, "rfc9309", engine) for url in urls]
    assert decide(CONTENT, "bot", urls, engine=engine).to_pylist() == expected


def test_long_urls_are_decided_in_several_blocks() -> None:
    long = "/a/" + "b" * 3_000_000
    assert allows(CONTENT, "bot", [long, "/a/c", "/"] * 30).to_pylist() == [True, False, True] * 30


@pytest.mark.slow
def test_a_block_may_end_before_the_rows_that_were_looked_up() -> None:
    """The native engine looks up files and agents ahead of URLs, and a block ends after long URLs."""
    pa = pytest.importorskip("pyarrow")
    rows, rejected = range(3_000), range(0, 700, 7)
    content = "".join(f"user-agent: bot{number}\n" for number in rejected) + "disallow: /"
    contents = {number: content if number == 3 else "" for number in range(5)}
    parts = [rows[first : first + 350] for first in range(0, len(rows), 350)]

    def chunks(values: list[Any]) -> Any:
        return pa.chunked_array([[values[row] for row in part] for part in parts])

    ids, agents = [row % 5 for row in rows], chunks([f"bot{row % 700}" for row in rows])
    # Rows with a dictionary share one long URL.
    texts = pa.array(["/a/" + "b" * 1_500_000, "/a"])
    keys = [pa.array([int(row % 30 != 0) for row in part], pa.int8()) for part in parts]
    urls = pa.chunked_array([pa.DictionaryArray.from_arrays(key, texts) for key in keys])
    expected = [number != 3 or row % 700 not in rejected for row, number in zip(rows, ids, strict=True)]
    assert Files(contents).allows_at(chunks(ids), agents, urls).to_pylist() == expected
    loaded = Files({str(number): content for number, content in contents.items()})
    assert loaded.allows_at(chunks([str(number) for number in ids]), agents, urls).to_pylist() == expected


@pytest.mark.slow
def test_rows_of_many_files_keep_their_order() -> None:
    """The native engine copies rows to lists by file. There are more files than lists, so some files share one."""
    count, rows = 5_000, 270_000
    agents = ["one", "two", "other"]
    rules = "user-agent: one\ndisallow: /{0}$\n\nuser-agent: two\ndisallow: /{1}$\n"
    loaded = Files({number: rules.format(number, number + 1) for number in range(count)})
    ids = [row * 7919 % count for row in range(rows)]
    chosen = [row * 31 // 7 % 3 for row in range(rows)]
    paths = [number + row % 2 for row, number in enumerate(ids)]
    found = loaded.allows_at(ids, [agents[agent] for agent in chosen], [f"/{path}" for path in paths]).to_pylist()
    disallowed = [{0: number, 1: number + 1}.get(agent) for number, agent in zip(ids, chosen, strict=True)]
    assert found == [path != rule for path, rule in zip(paths, disallowed, strict=True)]
    assert 0 < found.count(False) < rows // 2
