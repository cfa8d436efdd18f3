"""The formatter: the layout, unchanged verdicts, and refusals with a reason."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.conftest import EXAMPLES, need_native
from tests.lint.corpus import corpus_files

from canfetch import PROFILES
from canfetch.author.formatting import format_robots
from canfetch.core.equivalence import comparison_key, differing_profiles


@pytest.mark.parametrize(
    "before, after",
    [
        ("", ""),
        ("\n\n", ""),
        ("user-agent:*\nDISALLOW :/a/", "User-agent: *\nDisallow: /a/\n"),
        ("  User-Agent: a\r\n\tdisallow:\t/x \t\r\n", "User-agent: a\nDisallow: /x\n"),
        ("User-agent: *\rDisallow: /a\r", "User-agent: *\nDisallow: /a\n"),
        ("User-agent: *\nDisallow: /a#b\n", "User-agent: *\nDisallow: /a  #b\n"),
        ("User-agent: *\nDisallow: /a    # why  \n", "User-agent: *\nDisallow: /a  # why\n"),
        ("User-agent: *\nDisallow:\n", "User-agent: *\nDisallow:\n"),
        ("crawl-delay: 5\nCONTENT-USAGE: train-ai=n\n", "Crawl-delay: 5\nContent-Usage: train-ai=n\n"),
        ("Host:a.example\nsome-THING:x\n", "Host: a.example\nsome-THING: x\n"),
        ("\n\n# head\n\n\n\nUser-agent: *\nDisallow: /\n\n\n", "# head\n\nUser-agent: *\nDisallow: /\n"),
        (
            "User-agent: a\nDisallow: /\n# next\nUser-agent: b\nDisallow: /b\nSitemap: https://a.example/s\n",
            "User-agent: a\nDisallow: /\n\n# next\nUser-agent: b\nDisallow: /b\nSitemap: https://a.example/s\n",
        ),
        # Some parsers end a group at a blank line, so one blank line is kept.
        ("User-agent: a\n\n\nDisallow: /\n", "User-agent: a\n\nDisallow: /\n"),
        # Misspelt keys and missing colons are not fixed here, because not all parsers accept them.
        ("User-agent: a\nDissalow: /x\nDisallow /y\n", "User-agent: a\nDissalow: /x\nDisallow /y\n"),
        ("User-agent: a\nUser-agent: b\nDisallow: /\n", "User-agent: a\nUser-agent: b\nDisallow: /\n"),
        ("Host: a.example\nnot a record   \n", "Host: a.example\nnot a record\n"),
        ("\ufeffuser-agent: *\ndisallow: /\n", "\ufeffUser-agent: *\nDisallow: /\n"),
        ("\ufeff\nUser-agent: *\nDisallow: /\n", "\ufeff\nUser-agent: *\nDisallow: /\n"),
    ],
)
def test_layout(before: str, after: str) -> None:
    result = format_robots(before.encode())
    assert result.refusal is None
    assert result.content.decode() == after
    assert format_robots(result.content).content == result.content


def test_content_of_another_type_raises() -> None:
    with pytest.raises(TypeError, match="content must be bytes, not str"):
        format_robots("User-agent: *\n")  # type: ignore[arg-type]  # invalid on purpose


def test_comments_are_kept() -> None:
    content = b"# one\nUser-agent: * # two\n\n#three\n#\n   # four\nDisallow: /a #five\n# six"
    result = format_robots(content)
    comments = [line.partition(b"#")[2].rstrip() for line in content.splitlines() if b"#" in line]
    assert [line.partition(b"#")[2] for line in result.content.splitlines() if b"#" in line] == comments


def test_changes_that_would_alter_verdicts_are_skipped() -> None:
    # Parsers that ignore the misspelt line see one group with two user-agent lines, which a blank line would split.
    result = format_robots(b"User-agent: a\nDissalow: /x\nuser-agent: b\nDisallow: /y\n")
    assert result.content == b"User-agent: a\nDissalow: /x\nUser-agent: b\nDisallow: /y\n"
    assert (result.refusal, result.skipped) == (None, ("group-gaps",))


@pytest.mark.parametrize(
    "content, reason",
    [
        ("User-agent: *\nDisallow: /\n".encode("utf-16"), "encoding is utf-16"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x01:\0\xff", "the content is binary data, not a robots.txt"),
        (b"\x1f\x8b\x08\0 key:value\r\n", "the content is gzip data, not a robots.txt"),
        (b"<html>\r\n<p>fish:chips</p>", "the content is HTML or XML, not a robots.txt"),
        (b"<html>\nDisallow: /\n" + b"key:value\n" * 9, "not a robots.txt: 1 of 11 lines are known records"),
        (b"import os\r\nif os:\r\n    x = {1:2}", "not a robots.txt: 0 of 3 lines are known records"),
        (b"\r\n\nname:value", "not a robots.txt: 0 of 1 lines are known records"),
        (b"User-agent: *\n" + b"# filler\n" * 60_000 + b"Disallow: /\n", "file too long"),
    ],
)
def test_refusals_have_a_reason(content: bytes, reason: str) -> None:
    result = format_robots(content)
    assert result.content == content
    assert result.refusal is not None
    assert reason in result.refusal


@pytest.mark.parametrize("content", [b"", b"\n\n", b"# a\n#b", b"Sitemap:/x", b"a:b\nc:d\nHost:example.com"])
def test_files_without_rules_are_formatted(content: bytes) -> None:
    assert format_robots(content).refusal is None


@pytest.mark.slow
@settings(max_examples=EXAMPLES or 40)
@given(
    st.binary(max_size=120)
    | st.lists(
        st.sampled_from(
            [b"User-agent: a", b"user-agent :*", b"Disallow: /x", b" Allow:/y# z", b"", b" ", b"# c", b"Disalow: /t"]
            + [b"Crawl-delay: 1", b"Sitemap: https://a.example/", b"\x1cUser-agent: b", b"Disallow /m", b"\xef\xbb\xbf"]
        ),
        max_size=12,
    ).map(b"\n".join)
)
def test_formatting_is_idempotent_and_changes_no_verdict(content: bytes) -> None:
    result = format_robots(content)
    assert format_robots(result.content).content == result.content
    if result.refusal is None:
        assert differing_profiles(content, result.content) == ()
    else:
        assert result.content == content


@pytest.mark.slow
def test_both_engines_agree_on_formatted_files() -> None:
    """The formatter verifies its result with one engine; this test uses both."""
    need_native()
    refused = total = 0
    for name, content in corpus_files(generated=100):
        total += 1
        result = format_robots(content)
        refused += result.refusal is not None
        assert format_robots(result.content).content == result.content, name
        if result.content == content:
            continue
        for profile in PROFILES:
            for engine in ("python", "native"):
                before, after = (comparison_key(one, profile, engine=engine) for one in (content, result.content))
                assert before == after, (name, profile, engine)
    assert refused < total / 20
