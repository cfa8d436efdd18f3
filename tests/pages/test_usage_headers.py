"""Content-Usage and Content-Signal as headers: their values, and the notes about their form."""

import pytest

from canfetch.core.extensions.preference import Preference, UsagePurpose
from canfetch.pages import parse_page
from canfetch.pages.headers import Headers
from canfetch.pages.page_rules import UsageHeader


def headers_of(headers: Headers) -> list[UsageHeader]:
    return list(parse_page(headers=headers).usage_headers)


def test_each_name_is_one_header() -> None:
    usage, signal = headers_of(
        [("Content-Signal", "search=yes"), ("content-usage", "train-ai=n"), ("Content-Usage", "search=y;x=1")]
    )
    assert (usage.name, usage.value) == ("content-usage", "train-ai=n, search=y;x=1")
    assert [(one.purpose, one.preference) for one in usage.usage_preferences] == [
        (UsagePurpose.TRAINING, Preference.DISALLOW),
        (UsagePurpose.SEARCH, Preference.ALLOW),
    ]
    assert signal.to_json() == {
        "name": "content-signal",
        "value": "search=yes",
        "preferences": {"search": "allow"},
        "notes": [],
    }
    assert headers_of({}) == []


@pytest.mark.parametrize(
    "name, value",
    [
        ("Content-Usage", "Train-AI=n"),
        ("Content-Usage", ""),
        ("Content-Usage", "/a train-ai=n"),
        ("Content-Signal", "/a ai-train=no"),
        ("Content-Signal", "no"),
    ],
)
def test_a_value_that_cannot_be_read_states_nothing(name: str, value: str) -> None:
    (header,) = headers_of({name: value})
    assert header.is_unreadable
    assert header.usage_preferences == ()
    assert "unreadable" in header.to_json()["notes"]
