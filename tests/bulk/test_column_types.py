"""Both engines accept the same types of Arrow data, and read nulls in the same way."""

from typing import Any

import pytest

from canfetch import Agent
from canfetch.bulk import Files, allows, decide, matrix, rules
from canfetch.errors import InvalidColumn

pa = pytest.importorskip("pyarrow")
OPEN = "user-agent: *\nallow: /"
CLOSED = "user-agent: *\ndisallow: /"


def struct(values: Any, mask: list[bool]) -> Any:
    """Return structs with one field, whose values exist also where the mask has nulls."""
    return pa.StructArray.from_arrays([values], names=["field"], mask=pa.array(mask))


def dictionary(values: Any, keys: list[int]) -> Any:
    """Return a dictionary whose keys are not checked."""
    return pa.DictionaryArray.from_arrays(pa.array(keys), values, safe=False)


FIELDS = {
    "text": pa.array,
    "large text": lambda rows: pa.array(rows, pa.large_string()),
    "view": lambda rows: pa.array(rows, pa.string_view()),
    "bytes": lambda rows: pa.array([row and row.encode() for row in rows]),
    "dictionary": lambda rows: pa.array(rows).dictionary_encode(),
}


@pytest.mark.parametrize("field", FIELDS.values(), ids=FIELDS)
def test_a_null_row_of_a_struct_is_null(field: Any, engine: str) -> None:
    contents = field([CLOSED, CLOSED, None, OPEN])
    column = struct(contents, [False, True, False, False])
    assert allows(column, "bot", "/", engine=engine).to_pylist() == [False, None, None, True]
    assert allows(column[1:], "bot", "/", engine=engine).to_pylist() == [None, None, True]
    # Without nulls in the field.
    column = struct(contents[:2], [True, False])
    assert allows(column, "bot", "/", engine=engine).to_pylist() == [None, False]
    chunked = pa.chunked_array([column, column[1:]])
    assert allows(chunked, "bot", "/", engine=engine).to_pylist() == [None, False, False]
    # A field that starts before its struct.
    column = struct(contents[1:], [True, False, False])
    assert allows(column[1:], "bot", "/", engine=engine).to_pylist() == [None, True]


def test_a_null_row_of_a_struct_is_null_in_each_argument(engine: str) -> None:
    texts = struct(pa.array(["bot", "bot"]), [True, False])
    assert [row["reason"] for row in decide(CLOSED, texts, "/", engine=engine)] == [None, "disallow-rule"]
    urls = struct(pa.array(["/", "/"]), [True, False])
    assert [row["reason"] for row in decide(CLOSED, "bot", urls, engine=engine)] == [None, "disallow-rule"]
    assert matrix(CLOSED, ["bot"], urls, engine=engine).to_pylist() == [{"bot": None}, {"bot": False}]
    assert rules(struct(pa.array([CLOSED, CLOSED]), [True, False]), engine=engine).to_pylist()[0] is None
    for numbers in (pa.array([1, 1]), pa.array([1, 1]).dictionary_encode()):
        ids = struct(numbers, [True, False])
        assert Files({1: CLOSED}, engine=engine).allows_at(ids, "bot", "/").to_pylist() == [None, False]


@pytest.mark.parametrize(
    "ids",
    [
        pa.array([1, None, 3]),
        pa.array([1, None, 3]).dictionary_encode(),
        pa.DictionaryArray.from_arrays(pa.array([0, 1, 2], pa.uint8()), pa.array([1, None, 3], pa.int8())),
        pa.chunked_array([pa.array([1]).dictionary_encode(), pa.array([None, 3]).dictionary_encode()]),
    ],
    ids=["integers", "dictionary", "dictionary with a null", "chunks"],
)
def test_ids_may_be_a_dictionary_of_integers(ids: Any, engine: str) -> None:
    table = Files({1: CLOSED}, engine=engine)
    assert [row["reason"] for row in table.decide_at(ids, "bot", "/")] == ["disallow-rule", None, "no-robots"]


def test_categories_of_integers_are_ids(engine: str) -> None:
    pd = pytest.importorskip("pandas")
    ids = pd.Series([2, 1, 2], dtype="category")
    assert Files({1: CLOSED, 2: OPEN}, engine=engine).allows_at(ids, "bot", "/").to_pylist() == [True, False, True]


def test_a_table_of_files_may_have_a_dictionary_of_integers(engine: str) -> None:
    table = pa.table({"id": pa.array([7, 8]).dictionary_encode(), "content": [CLOSED, OPEN]})
    assert Files(table, engine=engine).allows_at([8, 7], "bot", "/").to_pylist() == [True, False]


@pytest.mark.parametrize("keys", [[0, 1], [-1, 0]], ids=["above", "negative"])
def test_a_key_that_is_not_in_the_dictionary(keys: list[int], engine: str) -> None:
    with pytest.raises(InvalidColumn, match="a key that is not in the dictionary"):
        allows(dictionary(pa.array([CLOSED]), keys), "bot", "/", engine=engine)
    with pytest.raises(InvalidColumn, match="a key that is not in the dictionary"):
        Files({1: CLOSED}, engine=engine).allows_at(dictionary(pa.array([1]), keys), "bot", "/")


UNSUPPORTED = {
    "floats": pa.array([1.5]),
    "booleans": pa.array([True]),
    "lists": pa.array([["/"]]),
    "bytes of a fixed size": pa.array([b"/"], pa.binary(1)),
    "structs of structs": pa.array([{"a": {"b": "/"}}]),
    "two fields": pa.array([{"a": "/", "b": "/"}]),
    "a dictionary of floats": pa.array([1.5]).dictionary_encode(),
    "a dictionary of structs": dictionary(pa.array([{"a": "/"}]), [0]),
}


@pytest.mark.parametrize("column", UNSUPPORTED.values(), ids=UNSUPPORTED)
def test_other_types_are_invalid_everywhere(column: Any, engine: str) -> None:
    table = Files({1: CLOSED}, engine=engine)
    for columns in ((column, "bot", "/"), (CLOSED, column, "/"), (CLOSED, "bot", column)):
        with pytest.raises(InvalidColumn):
            allows(*columns, engine=engine)
    with pytest.raises(InvalidColumn):
        table.allows_at(column, "bot", "/")
    with pytest.raises(InvalidColumn):
        Files(pa.table({"id": column, "content": [CLOSED]}), engine=engine)


def test_messages_list_the_types_that_are_accepted(engine: str) -> None:
    table = Files({1: CLOSED}, engine=engine)
    with pytest.raises(InvalidColumn, match="expected text or bytes, or a dictionary of them"):
        allows(CLOSED, "bot", pa.array([1.5]), engine=engine)
    with pytest.raises(InvalidColumn, match="expected integers, text or bytes, or a dictionary of them"):
        table.allows_at(pa.array([True]), "bot", "/")
    with pytest.raises(InvalidColumn, match="expected integers, text or bytes, or a dictionary of them"):
        Files(pa.table({"id": [True], "content": [CLOSED]}), engine=engine)
    with pytest.raises(InvalidColumn, match="a column of integers: expected URLs"):
        allows(CLOSED, "bot", pa.array([1]).dictionary_encode(), engine=engine)


def test_an_extension_type_counts_as_its_storage(engine: str) -> None:
    urls = pa.ExtensionArray.from_storage(pa.json_(), pa.array(["/", None]))
    assert allows(CLOSED, "bot", urls, engine=engine).to_pylist() == [False, None]


def test_agents_of_a_column_are_texts(engine: str) -> None:
    with pytest.raises(TypeError, match="invalid value of type Agent"):
        allows(CLOSED, [Agent("bot")], "/", engine=engine)


@pytest.mark.slow
@pytest.mark.parametrize("field", FIELDS.values(), ids=FIELDS)
def test_agents_that_share_their_first_and_last_letters(field: Any, engine: str) -> None:
    names = [f"{'a' * length}{end}" for length in range(1, 25) for end in ("", "b", "bb", "ba", "baa", "baaaa")]
    content = "\n\n".join(f"user-agent: {name}\ndisallow: /{name}$" for name in names)
    rows = [(agent, name) for name in names for agent in names]
    found = allows(content, field([row[0] for row in rows]), field([f"/{row[1]}" for row in rows]), engine=engine)
    assert found.to_pylist() == [agent != name for agent, name in rows]


def test_agents_of_a_matrix_may_be_arrow_data(engine: str) -> None:
    expected = [{"GPTBot": False, "bot": False}]
    for agents in (pa.array(["GPTBot", "bot"]), pa.chunked_array([["GPTBot"], ["bot"]])):
        assert matrix(CLOSED, agents, "/", engine=engine).to_pylist() == expected
    named = {"x": pa.scalar("GPTBot")}
    assert matrix(CLOSED, named, "/", engine=engine).to_pylist() == [{"x": False}]


@pytest.mark.parametrize("agents", [[None], [b"bot"], [1], {"a": None}, {1: "bot"}], ids=repr)
def test_other_agents_of_a_matrix_raise(agents: Any, engine: str) -> None:
    with pytest.raises(TypeError, match=r"invalid agent|invalid name of a column"):
        matrix(CLOSED, agents, "/", engine=engine)
    with pytest.raises(TypeError, match=r"invalid agent|invalid name of a column"):
        Files({1: CLOSED}, engine=engine).matrix_at(1, agents, "/")


def test_two_columns_of_files_with_the_same_name(engine: str) -> None:
    table = pa.table([pa.array([1]), pa.array([CLOSED]), pa.array([OPEN])], names=["id", "content", "content"])
    with pytest.raises(InvalidColumn, match="a table with two columns 'content'"):
        Files(table, engine=engine)


def test_a_null_row_of_a_table_of_files(engine: str) -> None:
    fields = [pa.array([1, 2]), pa.array([CLOSED, OPEN])]
    table = pa.StructArray.from_arrays(fields, names=["id", "content"], mask=pa.array([False, True]))
    with pytest.raises(InvalidColumn):
        Files(table, engine=engine)
