"""Editions: the profile and the access policy of one crawler, or one edition of the standard, by one name."""

from pathlib import Path
from typing import Any

import pytest

import canfetch
from canfetch.access.editions import choose_profile, get_edition
from canfetch.errors import InvalidOption, UnknownEdition

ROOT = Path(__file__).resolve().parents[2]


def test_every_profile_has_an_edition_with_its_name() -> None:
    assert list(canfetch.EDITIONS) == list(canfetch.PROFILES)
    assert all(name == edition.name == edition.profile for name, edition in canfetch.EDITIONS.items())


def test_every_policy_belongs_to_an_edition() -> None:
    assert {edition.policy for edition in canfetch.EDITIONS.values()} == set(canfetch.POLICIES)
    assert all(edition.policy in {name, "google", "rfc9309"} for name, edition in canfetch.EDITIONS.items())


@pytest.mark.parametrize("name", canfetch.EDITIONS)
def test_edition_sets_the_options_of_a_client(name: str) -> None:
    with canfetch.Client(user_agent="ExampleBot/1.0", edition=name) as client:
        assert (client.options.profile.name, client.options.policy.name) == (name, get_edition(name).policy)


@pytest.mark.parametrize("other", ["profile", "policy"])
def test_edition_and_what_it_sets_cannot_be_combined(other: str) -> None:
    with pytest.raises(InvalidOption, match=f"^edition and {other} cannot be used together: "):
        canfetch.Client(user_agent="ExampleBot/1.0", edition="google2019", **{other: "google2019"})  # type: ignore[arg-type]  # any option


@pytest.mark.parametrize(
    "name, advice",
    [
        ("google2020", "did you mean 'google2019'"),
        (None, "choose from 'rfc9309'"),
        (["google"], "choose from 'rfc9309'"),
    ],
)
def test_unknown_edition_is_an_error(name: Any, advice: str) -> None:
    with pytest.raises(UnknownEdition, match=f"^unknown edition .*: {advice}"):
        canfetch.Client(user_agent="ExampleBot/1.0", edition=name)


def test_profile_or_edition_chooses_the_profile() -> None:
    assert [choose_profile(*options) for options in [(None, "google2019"), ("bing", None), (None, None)]] == [
        "google2019",
        "bing",
        "rfc9309",
    ]
    assert choose_profile(None, None, "yandex") == "yandex"
    with pytest.raises(
        InvalidOption, match=r"^edition and profile cannot be used together: edition 'google' sets profile$"
    ):
        choose_profile("bing", "google")


def test_documentation_lists_every_edition() -> None:
    text = (ROOT / "docs" / "editions.md").read_text("utf-8")
    rows = [line.split(" | ") for line in text.splitlines() if line.startswith("| `")]
    assert [[cell.strip("|` ") for cell in row] for row in rows] == [
        list(edition[:3]) + [edition.source] for edition in canfetch.EDITIONS.values()
    ]
