"""The formatter: one form, no verdict changed, and a reason where it refuses."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.conftest import need_native
from tests.lint.corpus import files

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
        ("some-THING:x\n", "some-THING: x\n"),
        ("\n\n# head\n\n\n\nUser-agent: *\nDisallow: /\n\n\n", "# head\n\nUser-agent: *\nDisallow: /\n"),
        (
            "User-agent: a\nDisallow: /\n# next\nUser-agent: b\nDisallow: /b\nSitemap: https://a.example/s\n",
            "User-agent: a\nDisallow: /\n\n# next\nUser-agent: b\nDisallow: /b\nSitemap: https://a.example/s\n",
        ),
        # A blank line in a group ends it for some: it stays, and is not doubled.
        ("User-agent: a\n\n\nDisallow: /\n", "User-agent: a\n\nDisallow: /\n"),
        # Neither a typo nor a missing colon is read by all: the linter mends these.
        ("User-agent: a\nDissalow: /x\nDisallow /y\n", "User-agent: a\nDissalow: /x\nDisallow /y\n"),
        ("User-agent: a\nUser-agent: b\nDisallow: /\n", "User-agent: a\nUser-agent: b\nDisallow: /\n"),
        ("not a record   \n", "not a record\n"),
        ("\ufeffuser-agent: *\ndisallow: /\n", "\ufeffUser-agent: *\nDisallow: /\n"),
        ("\ufeff\nUser-agent: *\nDisallow: /\n", "\ufeff\nUser-agent: *\nDisallow: /\n"),
    ],
)
def test_the_form(before: str, after: str) -> None:
    result = format_robots(before.encode())
    assert result.refusal is None
    assert result.content.decode() == after
    assert format_robots(result.content).content == result.content


def test_comments_stay() -> None:
    octets = b"# one\nUser-agent: * # two\n\n#three\n#\n   # four\nDisallow: /a #five\n# six"
    result = format_robots(octets)
    comments = [line.partition(b"#")[2].rstrip() for line in octets.splitlines() if b"#" in line]
    assert [line.partition(b"#")[2] for line in result.content.splitlines() if b"#" in line] == comments


def test_what_some_reader_reads_otherwise_is_left() -> None:
    # Some take the misspelt line for no rule, so that the two user-agent lines are of one group: no gap parts them.
    result = format_robots(b"User-agent: a\nDissalow: /x\nuser-agent: b\nDisallow: /y\n")
    assert result.content == b"User-agent: a\nDissalow: /x\nUser-agent: b\nDisallow: /y\n"
    assert (result.refusal, result.skipped) == (None, ("group-gaps",))


def test_white_space_on_a_line_is_left_where_a_reader_takes_it_for_text() -> None:
    # Python's old robot parser takes a line of blanks for none that is empty.
    octets = b"User-agent: a\n \nDisallow: /x\n"
    result = format_robots(octets)
    assert result.content == octets
    assert "blank-lines" in result.skipped


@pytest.mark.parametrize(
    "octets, says",
    [
        ("User-agent: *\nDisallow: /\n".encode("utf-16"), "it is utf-16"),
        (b"User-agent: *\n" + b"# filler\n" * 60_000 + b"Disallow: /\n", "are read"),
    ],
)
def test_it_refuses_with_the_reason(octets: bytes, says: str) -> None:
    result = format_robots(octets)
    assert result.content == octets
    assert result.refusal is not None
    assert says in result.refusal


@settings(max_examples=100)
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
def test_formatting_twice_is_formatting_once_and_changes_no_verdict(octets: bytes) -> None:
    result = format_robots(octets)
    assert format_robots(result.content).content == result.content
    if result.refusal is None:
        assert differing_profiles(octets, result.content) == ()
    else:
        assert result.content == octets


def test_both_engines_say_the_same_of_many_formatted_files() -> None:
    """The formatter proves itself with the engine of the day; here the other one says it, too."""
    need_native()
    refused = total = 0
    for name, octets in files(made=100):
        total += 1
        result = format_robots(octets)
        refused += result.refusal is not None
        assert format_robots(result.content).content == result.content, name
        if result.content == octets:
            continue
        for profile, flags in PROFILES.items():
            for engine in ("python",) if flags.robotparser else ("python", "native"):
                before, after = (comparison_key(one, profile, engine=engine) for one in (octets, result.content))
                assert before == after, (name, profile, engine)
    assert refused < total / 20
