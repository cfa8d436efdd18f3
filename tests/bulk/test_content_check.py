"""Names of files, URLs or hosts in the place of contents are a warning, once a call and at the call."""

import re
import warnings
from collections.abc import Callable
from typing import Any

import pytest
from tests.bulk.archives.test_output_tables import make_table
from tests.bulk.warc_files import compressed, response

from canfetch import Agent, bulk
from canfetch.bulk import Files
from canfetch.bulk.archives.decisions import NamedAgent
from canfetch.bulk.archives.output_tables import TableOptions

FILE = "a file name, not the content of a robots.txt: pass Path(...).read_bytes()"
URL = "a URL, not the content of a robots.txt: fetch it with canfetch.Client"
HOST = "the name of a host or a file, not the content of a robots.txt"
CONTENT = "user-agent: *\ndisallow: /"


def warned(call: Callable[[], object], name: str, advice: str) -> None:
    with pytest.warns(UserWarning, match=re.escape(f"content '{name}' is {advice}")) as caught:
        call()
    assert [warning.filename for warning in caught] == [__file__]


@pytest.mark.slow
@pytest.mark.parametrize("name, advice", [("ex.txt", FILE), ("https://a.example/robots.txt", URL), ("a.example", HOST)])
def test_names_in_the_place_of_contents(name: str, advice: str, engine: str) -> None:
    pa = pytest.importorskip("pyarrow")
    columns: list[Any] = [
        name,
        name.encode(),
        [name, "other.example"],
        [None, name] * 10_000,
        pa.array([None, name]),
        pa.array([name, "b.txt"]).dictionary_encode(),
        pa.chunked_array([[], [name]], pa.string()),
        # Only the first contents are looked at.
        [*[name] * 8, CONTENT],
    ]
    for column in columns:
        for function in (bulk.allows, bulk.decide):
            warned(lambda: function(column, "bot", "/", engine=engine), name, advice)  # noqa: B023 - called at once
        warned(lambda: bulk.matrix(column, ["bot"], "/", engine=engine), name, advice)  # noqa: B023 - as above
        warned(lambda: bulk.usage(column, "bot", "/", purpose="search", engine=engine), name, advice)  # noqa: B023
        warned(lambda: bulk.rules(column, engine=engine), name, advice)  # noqa: B023 - as above
        warned(lambda: bulk.sitemaps(column, engine=engine), name, advice)  # noqa: B023 - as above
    warned(lambda: bulk.metrics(name), name, advice)
    warned(lambda: Files({1: name}, engine=engine), name, advice)
    warned(lambda: Files(pa.table({"id": [1], "content": [name]}), engine=engine), name, advice)


def test_both_engines_warn_once(both_engines: str) -> None:
    warned(lambda: bulk.allows("ex.txt", "bot", "/", engine=both_engines), "ex.txt", FILE)
    warned(lambda: Files({1: "ex.txt"}, engine=both_engines), "ex.txt", FILE)


@pytest.mark.parametrize(
    "column",
    [
        [],
        [None],
        [""],
        CONTENT,
        ["ex.txt", CONTENT],
        [CONTENT, "ex.txt"],
        ["ex.txt", "", "b.txt"],
        [None] * 64 + ["ex.txt"],
        "x" * 2048 + ".txt",
        b"\xff\xfe",
        "Disallow: /robots.txt",
    ],
    ids=repr,
)
def test_columns_of_contents(column: Any, engine: str) -> None:
    # Warnings are errors in tests.
    bulk.allows(column, "bot", "/", engine=engine)
    bulk.rules(column, engine=engine)
    Files(dict(enumerate(column if isinstance(column, list) else [column])), engine=engine)


def test_archives_are_not_checked(tmp_path: Any) -> None:
    """Strangers wrote these contents, so that no caller has to be warned."""
    archive = compressed([response("a.example", b"https://a.example/sitemap.xml")])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        path = make_table(tmp_path, [archive], TableOptions("matrix", (NamedAgent("bot", Agent("bot")),)))
        assert '"bot": true' in path.read_text(encoding="utf-8")
        pa = pytest.importorskip("pyarrow")
        columns = {"id": [1], "content": ["a.txt"], "effect": ["conditional-allow"], "redirects": [0]}
        assert Files(pa.table(columns)).allows_at(1, "bot", "/").to_pylist() == [True]
