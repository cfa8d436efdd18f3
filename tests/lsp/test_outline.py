"""Symbols, folding ranges, highlights and links."""

import pytest

from canfetch.lsp.file_view import FileView
from canfetch.lsp.outline import Fold, folds, highlights, links, symbols

FILE = b"""\
# first
# second
User-agent: *
Disallow: /a
Sitemap: https://example.com/s.xml

User-agent: GPTBot
User-agent: gptbot
Allow: /a
Disallow: /b
# one
License: ftp://example.com/x
"""
VIEW = FileView(FILE, "rfc9309")


def test_symbols_are_groups_with_their_records() -> None:
    found = [(symbol.name, symbol.detail, [child.name for child in symbol.children]) for symbol in symbols(VIEW)]
    assert found == [
        ("*", "1 rule", ["User-agent: *", "Disallow: /a"]),
        ("Sitemap: https://example.com/s.xml", "", []),
        (
            "GPTBot, gptbot",
            "2 rules",
            ["User-agent: GPTBot", "User-agent: gptbot", "Allow: /a", "Disallow: /b", "License: ftp://example.com/x"],
        ),
    ]


def test_the_selection_of_a_symbol_is_inside_it() -> None:
    for symbol in symbols(VIEW):
        assert symbol.span[0] <= symbol.selection[0] < symbol.selection[1] <= symbol.span[1]
        for child in symbol.children:
            assert symbol.span[0] <= child.span[0] <= child.span[1] <= symbol.span[1]


def test_a_group_without_a_product_token_has_a_name() -> None:
    assert [symbol.name for symbol in symbols(FileView(b"User-agent:\nDisallow: /\n", "rfc9309"))] == ["no crawler"]


def test_records_of_a_very_long_file_are_left_out() -> None:
    content = b"User-agent: *\n" + b"Disallow: /a\n" * 5000
    (group,) = symbols(FileView(content, "rfc9309"))
    assert (group.detail, group.children) == ("5,000 rules", ())


def test_groups_and_blocks_of_comments_fold() -> None:
    assert sorted(folds(VIEW)) == [Fold(0, 1, True), Fold(2, 4, False), Fold(6, 11, False)]
    assert list(folds(FileView(b"# a\n# b", "rfc9309"))) == [Fold(0, 1, True)]


def highlighted(line: int) -> list[int]:
    return [FILE.count(b"\n", 0, start) for start, _ in highlights(VIEW, line)]


def test_highlights_are_the_same_crawler_or_path() -> None:
    assert highlighted(6) == [6, 7]
    assert highlighted(3) == [3, 8]
    assert highlighted(4) == [4]
    assert highlighted(5) == highlighted(0) == highlighted(99) == []


@pytest.mark.slow
def test_links_are_http_urls() -> None:
    assert [url for _, url in links(VIEW)] == ["https://example.com/s.xml"]
