"""`origins`: the IDs of the URLs of a column."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from canfetch.bulk import origins
from canfetch.core.origin import find_origin
from canfetch.errors import InvalidColumn

PARTS = [
    "http",
    "HTTPS",
    "://",
    ":",
    "//",
    "/",
    "?",
    "#",
    "@",
    "a.EXAMPLE",
    "münchen.example",
    "[::1]",
    ":443",
    " ",
    "\\",
]


@pytest.mark.parametrize(
    "url, origin",
    [
        ("https://a.example/x", "https://a.example"),
        ("HTTPS://A.EXAMPLE/", "https://a.example"),
        ("https://a.example:443/", "https://a.example"),
        ("https://a.example:8443?x", "https://a.example:8443"),
        ("https://user:secret@a.example#x", "https://a.example"),
        ("https://münchen.example/", "https://xn--mnchen-3ya.example"),
        (b"http://a.example", "http://a.example"),
        ("//a.example/x", None),
        ("/x?https://a.example/", None),
        ("a.example", None),
        ("https:///x", None),
        ("", None),
        (None, None),
    ],
)
def test_origins(url: Any, origin: str | None) -> None:
    assert origins(url).to_pylist() == [origin]
    # The second one is remembered.
    assert origins([url, url]).to_pylist() == [origin, origin]


@given(st.lists(st.lists(st.sampled_from(PARTS), max_size=8).map("".join), max_size=6))
def test_origins_are_those_of_single_urls(urls: list[str]) -> None:
    urls = [url for text in urls for url in (text, f"https://{text}")]
    expected = [find_origin(url) for url in urls]
    assert origins(urls).to_pylist() == [None if origin is None else str(origin) for origin in expected]


def test_arrow_data() -> None:
    pa = pytest.importorskip("pyarrow")
    urls = pa.chunked_array([["https://A.example/1", None], ["https://a.example/2"]]).dictionary_encode()
    assert pa.array(origins(urls)).to_pylist() == ["https://a.example", None, "https://a.example"]
    assert origins(pa.array([], pa.string())).to_pylist() == []
    for column in ([1], pa.array([1])):
        with pytest.raises(InvalidColumn, match="a column of integers"):
            origins(column)
