"""The message for an unknown name: the value, the nearest known name, and all known names."""

from enum import StrEnum

import pytest

from canfetch.core.choices import nearest_choice, unknown_choice


class Colour(StrEnum):
    """Names as an enumeration, as some callers have them."""

    DARK_RED = "red"
    DARK_BLUE = "blue"


@pytest.mark.parametrize(
    "value, message",
    [
        ("green", "unknown colour 'green': choose from 'red', 'blue'"),
        ("bleu", "unknown colour 'bleu': did you mean 'blue'? (choose from 'red', 'blue')"),
        ("RED", "unknown colour 'RED': did you mean 'red'? (choose from 'red', 'blue')"),
        ("", "unknown colour '': choose from 'red', 'blue'"),
        (3, "unknown colour 3: choose from 'red', 'blue'"),
        (None, "unknown colour None: choose from 'red', 'blue'"),
    ],
)
def test_message_names_the_value_and_the_choices(value: object, message: str) -> None:
    assert unknown_choice("colour", value, Colour) == message


@pytest.mark.parametrize(
    "value, nearest",
    [("block-ai", "block-ai-training"), ("block-a", "block-all"), ("Allow", "allow-all"), ("al", None)],
)
def test_the_start_of_one_name_is_completed(value: str, nearest: str | None) -> None:
    assert nearest_choice(value, ["block-all", "block-all-images", "block-ai-training", "allow-all"]) == nearest


def test_message_names_a_command_in_place_of_many_choices() -> None:
    assert unknown_choice("colour", "bleu", Colour, listed_by="colours") == (
        "unknown colour 'bleu': did you mean 'blue'? (run 'colours' to list them)"
    )


def test_message_names_what_the_value_is_for() -> None:
    assert unknown_choice("value", "bleu", Colour, of="colour") == (
        "unknown value 'bleu' of colour: did you mean 'blue'? (choose from 'red', 'blue')"
    )


def test_long_value_is_shortened() -> None:
    assert len(unknown_choice("colour", "blue" * 1_000_000, Colour)) < 300
