"""`Files` decides a table of `canfetch bulk parse` as `canfetch bulk filter` decides URLs by the same archive."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.bulk.parsed_files.tables import DISALLOW, PATHS, PRIVATE, Row, decisions_at, pa, parse_archive

from canfetch.access.policies import get_policy
from canfetch.agents import agent
from canfetch.bulk import Files, origins
from canfetch.bulk.archives.capture_store import CaptureStore
from canfetch.bulk.archives.decisions import FileDecisions
from canfetch.bulk.archives.resolution import resolve_capture
from canfetch.bulk.archives.url_decisions import URLDecisions

POLICIES = ["rfc9309", "yandex", "draft1996"]
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
CAPTURES = st.fixed_dictionaries(
    {
        "status": st.sampled_from([200, 200, 301, 301, 302, 404, 401, 503]),
        "location": st.sampled_from(LOCATIONS),
        "content": st.sampled_from([DISALLOW, PRIVATE, "", "busy"]),
    }
)
TIMES = [None, "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z", "2026-03-01T00:00:00Z"]
# Few origins and targets, so that most targets have several captures.
HISTORY = st.fixed_dictionaries(
    {
        "origin": st.sampled_from(["https://a.example", "http://d.example", "d.example"]),
        "time": st.sampled_from(TIMES),
        "status": st.sampled_from([200, 200, 301, 503]),
        "location": st.sampled_from(["https://a.example/robots.txt", "http://d.example/robots.txt", OTHER]),
        "content": st.sampled_from([DISALLOW, PRIVATE, ""]),
    }
)


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
    archive = [{"origin": origin} | capture for origin, capture in captures.items()]
    table = pa.Table.from_pylist(parse_archive(folder, [*archive, {"url": OTHER} | other], policy))
    files = Files(table, id="origin", engine=engine)
    with CaptureStore(folder / "captures.sqlite", read_only=True) as store:
        by_archive = URLDecisions(store, policy=get_policy(policy), profile="rfc9309", missing=None)
        for name in captures:
            for origin in [name] if "://" in name else [f"https://{name}", f"http://{name}"]:
                urls = [f"{origin}{path}" for path in PATHS]
                decided = [by_archive.decide(url, agent("GPTBot"), None) for url in urls]
                for file_id in (name, *origins(urls)):
                    assert decisions_at(files, file_id) == [(one.allowed, one.reason) for one in decided]


@pytest.mark.slow
@given(captures=st.lists(HISTORY, min_size=3, max_size=10))
def test_each_capture_of_a_history_is_decided_as_it_was_resolved(
    captures: list[Row], engine: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("history")
    rows = parse_archive(folder, captures)
    table = pa.Table.from_pylist([each | {"id": number} for number, each in enumerate(rows)])
    files = Files(table, engine=engine)
    policy = get_policy("rfc9309")
    with CaptureStore(folder / "captures.sqlite", read_only=True) as store:
        resolved = [resolve_capture(capture, store, policy) for _, capture in store.files(1, store.last_id())]
    assert len(resolved) == len(rows)
    for number, file in enumerate(resolved):
        by_capture = FileDecisions(file.access, file.effect, file.content, "rfc9309")
        expected = [by_capture.decide(path, agent("GPTBot")) for path in PATHS]
        found = files.decide_at(number, agent("GPTBot"), PATHS).to_pylist()
        assert [(each["allowed"], each["reason"]) for each in found] == [one[:2] for one in expected]
