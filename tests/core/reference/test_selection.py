"""Selection of groups: RFC 9309 section 2.2.1, Google's tables of groups."""

import pytest

from canfetch.core.profiles import PROFILES
from canfetch.core.reference.compiled import Selection, TokenTable
from canfetch.core.reference.parser import parse_file


def table(*groups: str, profile: str = "rfc9309") -> TokenTable:
    lines = "".join(
        "".join(f"User-agent: {token}\n" for token in group.split("+")) + "Disallow: /\n" for group in groups
    )
    return TokenTable(parse_file(lines.encode(), PROFILES[profile]).groups, PROFILES[profile])


@pytest.mark.parametrize(
    "tokens, choice, token_index, groups",
    [
        (["googlebot-news", "googlebot"], "own-token", 0, (0,)),
        (["googlebot"], "own-token", 0, (2,)),
        (["googlebot-image", "googlebot"], "fallback", 1, (2,)),
        (["otherbot"], "star", -1, (1,)),
        (["otherbot-news"], "star", -1, (1,)),
        (["storebot-google"], "star", -1, (1,)),
    ],
)
def test_google_table_of_groups(tokens: list[str], choice: str, token_index: int, groups: tuple[int, ...]) -> None:
    found = table("googlebot-news", "*", "googlebot").select(tuple(map(str.encode, tokens)), star_applies=True)
    assert found == Selection(choice, token_index, groups)


@pytest.mark.parametrize(
    "tokens, star_applies, expected",
    [
        # The groups of a token in file order, each once, without those of `*`.
        ([b"a"], True, Selection("own-token", 0, (0, 2))),
        ([b"A"], True, Selection("own-token", 0, (0, 2))),
        ([b"b"], True, Selection("own-token", 0, (0,))),
        ([b"x"], True, Selection("star", -1, (1, 3))),
        ([b"x"], False, Selection("none", -1, ())),
        ([b"*"], False, Selection("star", -1, (1, 3))),
        ([b"x", b"*"], False, Selection("star", -1, (1, 3))),
        ([b"x", b"b", b"a"], True, Selection("fallback", 1, (0,))),
        # Tokens must be equal, a common prefix is not enough.
        ([b"ab"], False, Selection("none", -1, ())),
        ([b""], False, Selection("none", -1, ())),
    ],
)
def test_rfc9309_2_2_1_the_first_token_with_a_group_decides(
    tokens: list[bytes],
    star_applies: bool,  # noqa: FBT001
    expected: Selection,
) -> None:
    found = table("a+b+A", "*", "a+", "*+c").select(tuple(tokens), star_applies=star_applies)
    assert found == expected


def test_rfc9309_2_2_1_without_groups_none_is_selected() -> None:
    assert table().select((b"*", b"a"), star_applies=True) == Selection("none", -1, ())


@pytest.mark.parametrize("profile", PROFILES)
def test_rfc9309_2_2_1_tokens_are_case_insensitive(profile: str) -> None:
    assert table("FooBot", profile=profile).select((b"fOObOT",), star_applies=True).choice == "own-token"


def test_only_ascii_letters_are_case_insensitive() -> None:
    assert table("\u00c9").select(("\u00e9".encode(),), star_applies=True).choice == "none"
    # In Unicode, KELVIN SIGN is a `k` in lower case.
    assert table("\u212a").select((b"k",), star_applies=True).choice == "none"


def test_draft1996_the_first_group_whose_value_contains_the_name_applies() -> None:
    for profile in ("draft1996", "original1994"):
        found = table("Googlebot-News", "Foo, Bar/1.0", "*", "googlebot", "* all", profile=profile)
        assert found.select((b"GoogleBot",), star_applies=True) == Selection("own-token", 0, (0,))
        assert found.select((b"bar",), star_applies=True) == Selection("own-token", 0, (1,))
        assert found.select((b"Baz", b"foo"), star_applies=True) == Selection("fallback", 1, (1,))
        # The name is longer than the value.
        assert found.select((b"Googlebot-News-Uk",), star_applies=True) == Selection("star", -1, (2,))
        assert found.select((b"*",), star_applies=False) == Selection("star", -1, (2,))


def test_original1994_a_group_without_rules_applies_to_no_agent() -> None:
    content = b"User-agent: a\n\nUser-agent: a\nAllow: /\n\nUser-agent: *\nDisallow: /"
    for profile, groups in (("original1994", (2,)), ("draft1996", (1,)), ("yandex", (0, 1))):
        found = TokenTable(parse_file(content, PROFILES[profile]).groups, PROFILES[profile])
        assert found.select((b"a",), star_applies=True).groups == groups
