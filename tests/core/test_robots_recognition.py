"""Files that a program must not rewrite, because they are not a robots.txt."""

import pytest

from canfetch.core.robots_recognition import refusal_to_rewrite


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"# only a comment\n\n",
        b"User-agent: *\nDisallow: /a\n",
        b"Sitemap: https://example.com/sitemap.xml\n",
        b"User-agent: *\nCrawl-delay: 1\nContent-Signal: search=yes\n",
        b"Foo: 1\nFoo: 2\nDisallow: /a\n",
        b"some prose\nmore prose\nUser-agent: *\n",
    ],
)
def test_robots_files_may_be_rewritten(content: bytes) -> None:
    assert refusal_to_rewrite(content) is None


@pytest.mark.parametrize(
    "content, reason",
    [
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "the content is"),
        (b"<!DOCTYPE html><html><body>Not found</body></html>", "the content is"),
        (b"import sys\n\nprint(sys.argv)\n", "not a robots.txt: 0 of 2 lines are known records"),
        (b"Foo: 1\nFoo: 2\nFoo: 3\nDisallow: /a\n", "not a robots.txt: 1 of 4 lines are known records"),
    ],
)
def test_other_files_are_refused(content: bytes, reason: str) -> None:
    refusal = refusal_to_rewrite(content)
    assert refusal is not None
    assert refusal.startswith(reason)


def test_lines_that_rewriting_turns_into_records_count() -> None:
    content = b"Foo\nUser agent = *\nDisallow = /a\n"
    assert refusal_to_rewrite(content) is not None
    assert refusal_to_rewrite(content, b"Foo\nUser-agent: *\nDisallow: /a\n") is None
