"""`Files` decides a table of `canfetch bulk parse` as `canfetch bulk filter` decides URLs by the same archive."""

import json
from base64 import b64encode
from hashlib import sha256
from pathlib import Path
from shutil import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from canfetch.access.policies import get_policy
from canfetch.agents import agent
from canfetch.bulk import Files, origins
from canfetch.bulk.archives.archive_job import collect, store_path, write_table
from canfetch.bulk.archives.capture_store import CaptureStore
from canfetch.bulk.archives.decisions import FileDecisions
from canfetch.bulk.archives.output_tables import TableOptions
from canfetch.bulk.archives.resolution import resolve_capture
from canfetch.bulk.archives.url_decisions import URLDecisions
from canfetch.bulk.parsed_files import OUTCOMES, FileTable, Plan, needed_columns, plan_sources
from canfetch.bulk.reading.sources import find_source
from canfetch.bulk.writing.work_folder import WorkFolder
from canfetch.core.profiles import Profile
from canfetch.errors import EngineError, InvalidColumn

pa = pytest.importorskip("pyarrow")

Row = dict[str, Any]
POLICIES = ["rfc9309", "yandex", "draft1996"]
DISALLOW = "User-agent: *\nDisallow: /"
PRIVATE = "User-agent: *\nDisallow: /private\n\nUser-agent: GPTBot\nDisallow: /gpt"
OTHER = "https://a.example/other.txt"
ORIGINS = ["https://a.example", "http://a.example", "https://b.example", "https://c.example:8443", "d.example"]
LOCATIONS = [
    *(f"{origin}/robots.txt" for origin in ORIGINS[:4]),
    "https://d.example/robots.txt",
    "http://d.example/robots.txt",
    "HTTPS://B.example:443/robots.txt",
    "https://missing.example/robots.txt",
    "/robots.txt?x",
    OTHER,
    "",
]
PATHS = ["/", "/private/x", "/gpt", "/robots.txt"]
CAPTURES = st.fixed_dictionaries(
    {
        "status": st.sampled_from([200, 200, 301, 301, 302, 404, 401, 503]),
        "location": st.sampled_from(LOCATIONS),
        "content": st.sampled_from([DISALLOW, PRIVATE, "", "busy"]),
    }
)


def parse_archive(folder: Path, rows: list[Row], policy: str = "rfc9309") -> list[Row]:
    """Return the rows of `canfetch bulk parse`. The captures are in `captures.sqlite`."""
    archive = folder / "files.ndjson"
    archive.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    work = WorkFolder(folder / "out.ndjson", "ndjson", {}, restart=True)
    store = store_path(work)
    collect([find_source(str(archive))], store, advance=lambda _: None, on_fault=lambda _: None)
    # The end of the run removes the store.
    copy(store, folder / "captures.sqlite")
    write_table(work, TableOptions("files"), policy=policy, processes=1, advance=lambda _: None)
    return [json.loads(line) for line in (folder / "out.ndjson").read_text(encoding="utf-8").splitlines()]


def decide(files: Files, origin: str) -> list[tuple[bool | None, str | None]]:
    found = files.decide_at([origin] * len(PATHS), agent("GPTBot"), PATHS).to_pylist()
    assert files.allows_at(origin, agent("GPTBot"), PATHS).to_pylist() == [row["allowed"] for row in found]
    assert files.matrix_at(origin, ["GPTBot"], PATHS).to_pylist() == [{"GPTBot": row["allowed"]} for row in found]
    return [(row["allowed"], row["reason"]) for row in found]


@pytest.mark.slow
@given(
    captures=st.dictionaries(st.sampled_from(ORIGINS), CAPTURES, min_size=1),
    other=CAPTURES,
    policy=st.sampled_from(POLICIES),
)
def test_files_of_an_archive_decide_as_lists_of_urls_do(
    captures: dict[str, Any], other: Row, policy: str, engine: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("archive")
    rows = [{"origin": origin} | capture for origin, capture in captures.items()]
    table = pa.Table.from_pylist(parse_archive(folder, [*rows, {"url": OTHER} | other], policy))
    files = Files(table, id="origin", engine=engine)
    with CaptureStore(folder / "captures.sqlite", read_only=True) as store:
        decisions = URLDecisions(store, policy=get_policy(policy), profile="rfc9309", missing=None)
        for name in captures:
            for origin in [name] if "://" in name else [f"https://{name}", f"http://{name}"]:
                expected = [decisions.decide(f"{origin}{path}", agent("GPTBot"), None) for path in PATHS]
                for asked in (name, *origins([f"{origin}{path}" for path in PATHS])):
                    assert decide(files, asked) == [(decision.allowed, decision.reason) for decision in expected]


def row(origin: str, effect: str | None, redirects: Any = 0, final: str | None = None, **cells: Any) -> Row:
    url = f"{origin}/robots.txt" if "://" in origin else f"https://{origin}/robots.txt"
    return {"origin": origin, "url": url, "effect": effect, "redirects": redirects, "final_url": final or url} | cells


ROWS = [
    row("https://a.example", "conditional-allow", content=DISALLOW),
    row("https://b.example", "conditional-allow", 1, "https://a.example/robots.txt", content=""),
    row("https://c.example", "full-disallow", content="busy"),
    row("https://d.example", "full-allow", content="gone"),
    row("https://e.example", None, 1, content=""),
    row("https://f.example", "conditional-allow", None, content=""),
    row("https://g.example", "conditional-allow", content=None),
]
EXPECTED = [
    (False, "disallow-rule"),
    (False, "disallow-rule"),
    (False, "unreachable"),
    (True, "unavailable"),
    (None, "redirect-unresolved"),
    (None, "redirect-unresolved"),
    (None, "no-robots"),
]


def first_decisions(rows: list[Row], engine: str, *columns: str) -> list[tuple[bool | None, str | None]]:
    table = pa.Table.from_pylist(rows)
    files = Files(table.select(columns) if columns else table, id="origin", engine=engine)
    return [decide(files, row["origin"])[0] for row in rows]


def test_each_effect_in_tables_of_each_library(engine: str) -> None:
    assert first_decisions(ROWS, engine) == EXPECTED
    table = pa.Table.from_pylist(ROWS)
    for source in (table.to_reader(), pa.concat_tables([table.slice(0, 1), table.slice(1)])):
        files = Files(source, id="origin", engine=engine)
        assert len(files) == 1
        assert [decide(files, row["origin"])[0] for row in ROWS] == EXPECTED
    # CSV may be read as text.
    texts = [{name: None if cell is None else str(cell) for name, cell in row.items()} for row in ROWS]
    assert first_decisions(texts, engine) == EXPECTED
    frame = pytest.importorskip("pandas").DataFrame(ROWS).astype({"redirects": "Int64"})
    for source in (frame, pytest.importorskip("polars").DataFrame(ROWS)):
        files = Files(source, id="origin", engine=engine)
        assert [decide(files, row["origin"])[0] for row in ROWS] == EXPECTED


def test_contents_of_text_formats(engine: str, tmp_path: Path) -> None:
    """NDJSON and CSV have content that is not UTF-8 in another column, and libraries read an empty cell as null."""
    pd = pytest.importorskip("pandas")
    latin_1 = b64encode(b"User-agent: *\nDisallow: / # caf\xe9").decode()
    rows = parse_archive(
        tmp_path,
        [
            {"origin": "https://a.example", "status": 200, "content_base64": latin_1},
            {"origin": "https://b.example", "status": 301, "location": "https://a.example/robots.txt"},
            {"origin": "https://c.example", "status": 200, "content": "", "bytes": 0},
        ],
    )
    assert [row.get("content") for row in rows] == [None, "", ""]
    expected = [(False, "disallow-rule"), (False, "disallow-rule"), (True, "no-group")]
    assert first_decisions(rows, engine) == expected
    rows[2]["content"] = None
    assert first_decisions(rows, engine) == expected
    # After a left join, pandas has floating-point numbers, and rows of nulls.
    joined = pd.DataFrame({"origin": ["https://d.example", *(row["origin"] for row in rows)]}).merge(
        pd.DataFrame(rows), how="left"
    )
    assert joined["redirects"].dtype == joined["bytes"].dtype == float
    files = Files(joined, id="origin", engine=engine)
    assert [decide(files, row["origin"])[0] for row in rows] == expected
    assert decide(files, "https://d.example")[0] == (None, "redirect-unresolved")
    broken = [row | {"content_base64": "a"} for row in rows[:1]]
    with pytest.raises(InvalidColumn, match="row 0 has the content_base64 'a': expected a value that canfetch bulk"):
        first_decisions(broken, engine)


def test_tables_with_fewer_columns(engine: str) -> None:
    unresolved = [EXPECTED[0], (None, "redirect-unresolved"), *EXPECTED[2:]]
    assert first_decisions(ROWS, engine, "origin", "effect", "redirects", "content") == unresolved
    with pytest.raises(InvalidColumn, match="'effect' of canfetch bulk parse, but not its column 'redirects'"):
        first_decisions(ROWS, engine, "origin", "effect", "content")
    # Without `effect`, a content is a file.
    assert first_decisions(ROWS, engine, "origin", "content")[2] == (True, "no-group")
    for access in ("successful", "unavailable", "unreachable"):
        for effect, allowed in (("full-allow", True), ("full-disallow", False)):
            cells = [row("https://a.example", effect, access=access, content="x")]
            assert first_decisions(cells, engine) == [(allowed, access)]


@pytest.mark.parametrize(
    "cells, message",
    [
        ({"effect": "strong"}, "row 0 has the effect 'strong': expected a value that canfetch bulk parse writes"),
        ({"effect": "full-allow", "access": "x"}, "row 0 has the effect 'full-allow' and the access 'x'"),
        ({"redirects": "many"}, "row 0 has the number of redirects 'many'"),
        ({"redirects": 1.5}, "a column of type"),
    ],
)
def test_columns_with_other_values(cells: Row, message: str, engine: str) -> None:
    with pytest.raises(InvalidColumn, match=message):
        first_decisions([ROWS[0] | cells], engine)


def hashed(cells: Row, final: str | None = None) -> Row:
    """Return a row with the hash of its content, and that of the content to which its redirect led."""
    digests = [None if text is None else sha256(text.encode()).hexdigest() for text in (cells["content"], final)]
    return cells | {"sha256": digests[0], "final_sha256": digests[1]}


def test_several_captures_of_a_target(engine: str) -> None:
    """The hash shows to which of them a redirect led. Captures with the same content agree."""
    first, second = hashed(ROWS[0]), hashed(ROWS[0] | {"content": ""})
    led_to_first, led_to_second = hashed(ROWS[1], DISALLOW), hashed(ROWS[1], "")
    elsewhere, unknown = hashed(ROWS[1], PRIVATE), hashed(ROWS[1])

    def reasons(*rows: Row, without: tuple[str, ...] = ()) -> list[str]:
        table = pa.Table.from_pylist([row | {"id": number} for number, row in enumerate(rows)])
        files = Files(table.drop_columns(list(without)), engine=engine)
        return [found["reason"] for found in files.decide_at(list(range(len(rows))), "GPTBot", "/").to_pylist()]

    unresolved = "redirect-unresolved"
    all_rows = (first, second, led_to_first, led_to_second, elsewhere, unknown)
    both = ["disallow-rule", "no-group"]
    assert reasons(*all_rows) == [*both, *both, unresolved, unresolved]
    assert reasons(*all_rows, without=("final_sha256",)) == [*both, *[unresolved] * 4]
    assert reasons(*all_rows, without=("sha256",)) == [*both, *[unresolved] * 4]
    equal = (first, first, led_to_first, led_to_second, elsewhere, unknown)
    assert reasons(*equal) == ["disallow-rule"] * 6
    assert reasons(*equal, without=("final_sha256",)) == ["disallow-rule"] * 6
    assert reasons(*equal, without=("sha256",)) == [*["disallow-rule"] * 2, *[unresolved] * 4]
    # Hashes that are missing are not equal.
    assert reasons(*(row | {"sha256": None} for row in equal[:3])) == [*["disallow-rule"] * 2, unresolved]
    with pytest.raises(InvalidColumn, match=r"two files with the ID https://a\.example: keep one row for each ID"):
        Files(pa.Table.from_pylist([first, second]), id="origin", engine=engine)


TIMES = st.sampled_from([None, "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z", "2026-03-01T00:00:00Z"])


# Few origins and targets, so that most targets have several captures.
HISTORY = st.tuples(
    st.sampled_from(["https://a.example", "http://d.example", "d.example"]),
    TIMES,
    st.fixed_dictionaries(
        {
            "status": st.sampled_from([200, 200, 301, 503]),
            "location": st.sampled_from(["https://a.example/robots.txt", "http://d.example/robots.txt", OTHER]),
            "content": st.sampled_from([DISALLOW, PRIVATE, ""]),
        }
    ),
)


@pytest.mark.slow
@given(captures=st.lists(HISTORY, min_size=3, max_size=10))
def test_each_capture_of_a_history_is_decided_as_it_was_resolved(
    captures: list[tuple[str, str | None, Row]], engine: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("history")
    rows = parse_archive(folder, [{"origin": origin, "time": time} | cells for origin, time, cells in captures])
    table = pa.Table.from_pylist([row | {"id": number} for number, row in enumerate(rows)])
    files = Files(table, engine=engine)
    policy = get_policy("rfc9309")
    with CaptureStore(folder / "captures.sqlite", read_only=True) as store:
        resolved = [resolve_capture(capture, store, policy) for _, capture in store.files(1, store.last_id())]
    assert len(resolved) == len(rows)
    for number, file in enumerate(resolved):
        decisions = FileDecisions(file.access, file.effect, file.content, "rfc9309")
        expected = [decisions.decide(path, agent("GPTBot")) for path in PATHS]
        found = files.decide_at(number, agent("GPTBot"), PATHS).to_pylist()
        assert [(row["allowed"], row["reason"]) for row in found] == [one[:2] for one in expected]


def test_the_file_of_a_host_is_that_of_both_schemes(engine: str) -> None:
    moved = [
        row("https://b.example", "conditional-allow", 1, f"{scheme}://a.example/robots.txt", content="")
        for scheme in ("http", "https")
    ]
    host = row("a.example", "conditional-allow", content=DISALLOW)
    for redirect in moved:
        assert first_decisions([host, redirect], engine) == [EXPECTED[0]] * 2
    origin = row("http://a.example", "conditional-allow", content="User-agent: *\nAllow: /")
    assert first_decisions([host, origin, moved[0]], engine)[2] == (None, "redirect-unresolved")
    led_to = [hashed(host), hashed(origin), hashed(moved[0], DISALLOW)]
    assert first_decisions(led_to, engine)[2] == EXPECTED[0]


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_response_of_a_host_after_a_redirect_is_that_of_both_schemes(
    scheme: str, engine: str, tmp_path: Path
) -> None:
    """The rows of the table have the same decisions as the archive, also if the table is read as an archive."""
    target = {"origin": "d.example", "url": "https://d.example/other.txt", "status": 200, "content": DISALLOW}
    redirect = {"origin": "https://a.example", "status": 301, "location": f"{scheme}://d.example/other.txt"}
    first = parse_archive(tmp_path, [redirect, target])
    assert first_decisions(first, engine) == [(False, "disallow-rule")]
    again = tmp_path / "again"
    again.mkdir()
    (second,) = parse_archive(again, first)
    assert {**second, "source": None} == {**first[0], "source": None}


def test_the_origins_of_a_host_are_ids(engine: str) -> None:
    rows = [
        row("a.example", "conditional-allow", content=DISALLOW),
        row("b.example:8443", "full-disallow", content=""),
        row("http://a.example", "full-allow", content=""),
    ]
    files = Files(pa.Table.from_pylist(rows), id="origin", engine=engine)
    asked = ["a.example", "https://a.example", "http://a.example", "https://b.example:8443", "https://b.example"]
    assert files.allows_at(asked, "GPTBot", "/").to_pylist() == [False, False, True, False, None]
    # Other names than those of the column `origin` are as they are.
    table = pa.Table.from_pylist(rows).append_column("site", pa.array(["a.example", "b", "c"]))
    files = Files(table, id="site", engine=engine)
    assert files.allows_at(asked[:2], "GPTBot", "/").to_pylist() == [False, None]
    # A table without `effect` has no aliases either.
    files = Files(pa.Table.from_pylist(rows).select(["origin", "content"]), id="origin", engine=engine)
    assert files.allows_at(asked[:2], "GPTBot", "/").to_pylist() == [False, None]


def test_exempt_robots_txt(profile: Profile, engine: str) -> None:
    """An unreachable origin allows its robots.txt in the profiles in which rules do."""
    options: dict[str, Any] = {"profile": profile.name, "engine": engine}
    files = Files(pa.Table.from_pylist(ROWS[2:3]), id="origin", **options)
    allowed = files.allows_at("https://c.example", "GPTBot", ["/robots.txt", "/x"]).to_pylist()
    assert allowed == [profile.robots_txt_allowed, False]


def test_both_engines_have_the_same_outcomes() -> None:
    pytest.importorskip("canfetch._native")
    table = pa.table({"id": range(len(OUTCOMES)), "content": [""] * len(OUTCOMES)})
    files = Files({}, engine="native")
    kernel = files._kernel
    kernel.load_table(kernel.open_table(table), "id", "content", Plan([-1 - n for n in range(len(OUTCOMES))], []))
    found = files.decide_at(table["id"], "GPTBot", "/").to_pylist()
    assert [(row["allowed"], row["reason"]) for row in found] == list(OUTCOMES)
    for sources in ([-1 - len(OUTCOMES)] * 7, [7] * 7, [0]):
        with pytest.raises(InvalidColumn):
            kernel.load_table(kernel.open_table(table), "id", "content", Plan(sources, []))


def test_an_outdated_native_module_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    native = pytest.importorskip("canfetch._native")
    monkeypatch.delattr(native, "Table")
    with pytest.raises(EngineError, match="outdated native engine: it has no Table; reinstall canfetch"):
        Files({1: ""}, engine="native")


def test_columns_that_workers_need() -> None:
    names = [
        "origin",
        "url",
        "time",
        "status",
        "final_url",
        "redirects",
        "access",
        "effect",
        "bytes",
        "sha256",
        "content",
    ]
    assert needed_columns(names, "origin", "content") == [
        "origin",
        "content",
        "effect",
        "access",
        "redirects",
        "url",
        "final_url",
        "bytes",
        "sha256",
    ]
    assert needed_columns(["id", "content", "url"], "id", "content") == ["id", "content"]


class _Table:
    """A table of values, as engines open them."""

    def __init__(self, columns: dict[str, list[Any]]) -> None:
        self._columns = columns

    @property
    def names(self) -> list[str]:
        return list(self._columns)

    def values(self, name: str, /) -> list[Any]:
        return self._columns[name]


def test_invalid_urls_and_targets_are_unresolved() -> None:
    columns: dict[str, list[Any]] = {
        "effect": [b"conditional-allow"] * 3,
        "redirects": [1] * 3,
        "url": [b"https://a.example/robots.txt", None, b"\xff"],
        "final_url": [b"no URL", None, b"https://b.example/x"],
        "redirect_targets": [b"[", b"[]", b'[{"url": "https://b.example/x", "content": "x", "status": 200}]'],
    }
    table: FileTable = _Table(columns)
    assert plan_sources(table, "id") == Plan([-1, -1, 3], [b"x"])
