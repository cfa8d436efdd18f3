"""Parsing the elements of a page, within limits."""

import subprocess
import sys
from collections.abc import Callable

import pytest

from canfetch.pages import html
from canfetch.pages.html import MAX_ELEMENTS, parse_elements

pytest.importorskip("lxml", reason="lxml is not installed")


def names(page: bytes) -> list[tuple[str | None, bool]]:
    return [(meta.attributes.get("name"), meta.in_head) for meta in parse_elements(page, None).metas]


@pytest.mark.parametrize(
    "page, expected",
    [
        (b"<meta name=a>", [("a", True)]),
        (b"<!doctype html>\n<html lang=x>\n <head> <title>x y</title><meta name=a>", [("a", True)]),
        (b"<head><script>text</script><style>text</style><noscript>text</noscript><meta name=a>", [("a", True)]),
        (b"<head><template>text<p></template><meta name=a>", [("a", False)]),
        (b"<head></head> <meta name=a><body><meta name=b>", [("a", True), ("b", False)]),
        (b"text<meta name=a>", [("a", False)]),
        (b"<head><p><meta name=a>", [("a", False)]),
        (b"<head></title></template></script><meta name=a>", [("a", True)]),
        (b"<template><template><meta name=a></template><meta name=b></template><meta name=c>", [("c", True)]),
        (b"<template><meta name=a>", []),
        (b"<html><body><html><head><meta name=a>", [("a", False)]),
        (b"</html><meta name=a>", [("a", True)]),
        (b"<meta>", [(None, True)]),
    ],
)
def test_whatwg_head_and_body(page: bytes, expected: list[tuple[str | None, bool]]) -> None:
    assert names(page) == expected


def test_content_over_the_limit_is_not_parsed() -> None:
    page = b"<meta name=a><meta name=b>"
    truncated = parse_elements(page, None, max_bytes=14)
    assert [meta.attributes for meta in truncated.metas] == [{"name": "a"}]
    assert truncated.truncated
    assert not parse_elements(page, None, max_bytes=len(page)).truncated


def test_elements_over_the_limit_are_dropped() -> None:
    elements = parse_elements(b"<meta>" * (MAX_ELEMENTS + 1), None)
    assert (len(elements.metas), elements.metas[-1].number, elements.too_many_elements) == (10_000, 10_000, True)
    assert not parse_elements(b"<meta>" * 10, None).too_many_elements


def test_long_attributes_are_truncated() -> None:
    (meta,) = parse_elements(b"<meta content='" + b"x" * 100_000 + b"'>", None).metas
    assert len(meta.attributes["content"]) == 65_536


def test_offsets_include_the_byte_order_mark() -> None:
    (meta,) = parse_elements(b"\xef\xbb\xbf<meta name=a>", None).metas
    assert (meta.offset, meta.line) == (3, 1)


def test_offsets_in_utf_16_refer_to_its_utf_8_form() -> None:
    (meta,) = parse_elements("\u20ac\n<meta name=a>".encode("utf-16"), None).metas
    assert (meta.offset, meta.line) == (4, 2)


def test_stateful_encoding() -> None:
    page = "<meta charset=iso-2022-jp>\n<meta name=\u8868 content=noindex>".encode("iso2022-jp")
    assert [meta.attributes.get("name") for meta in parse_elements(page, None).metas] == [None, "\u8868"]


def test_own_offset_attributes_of_a_page_are_removed() -> None:
    page = b"<p data-canfetch-offset=5 data-nosnippet><span data-canfetch-offset=99 data-nosnippet>"
    unmarked, marked = parse_elements(page, None).no_snippets
    assert (unmarked.offset, unmarked.attributes) == (5, {"data-nosnippet": ""})
    assert (marked.offset, marked.attributes) == (41, {"data-nosnippet": ""})


@pytest.mark.parametrize("text", [None, "", "x", "\u0661", "-1", "1234567890", "1.0"])
def test_invalid_offset_attribute_is_none(text: str | None) -> None:
    assert html._parse_offset(text) is None


HOSTILE: dict[str, Callable[[int], bytes]] = {
    "deep": lambda size: b"<div>" * (size // 5),
    "deep-formatting": lambda size: b"<b>" * (size // 3),
    "formatting-again": lambda size: b"".join(b"<b a%d>" % n for n in range(size // 20)) + b"<p>" * (size // 6),
    "attributes": lambda size: b"<meta " + b"".join(b"a%d " % n for n in range(size // 8)) + b">",
    "links": lambda size: b"<a rel=nofollow>" * (size // 16),
    "marks": lambda size: b"<a " * (size // 3),
    "comments": lambda size: b"<!--" * (size // 4),
    "entities": lambda size: b"<p>" + b"&amp;" * (size // 5),
    "open-tag": lambda size: b"<meta name='" + b"x" * size,
    "charset": lambda size: b"<meta charset=" + b"charset" * (size // 7),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_page_is_parsed_within_limits(name: str) -> None:
    # A subprocess with limited memory and CPU time fails if the cost is quadratic.
    program = f"""
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
resource.setrlimit(resource.RLIMIT_CPU, (60, 60))
from tests.pages.test_html import HOSTILE
from canfetch.pages.html import DEFAULT_MAX_PAGE_BYTES, parse_elements
parse_elements(HOSTILE[{name!r}](DEFAULT_MAX_PAGE_BYTES), None)
"""
    pytest.importorskip("resource", reason="resource limits require Unix")
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
