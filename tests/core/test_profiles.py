"""Parsing profiles by name."""

from typing import Any

import pytest

from canfetch.core.profiles import PROFILES, get_profile
from canfetch.errors import UnknownProfile


def test_profiles_have_the_names_under_which_they_are_listed() -> None:
    assert [get_profile(name).name for name in PROFILES] == list(PROFILES)


@pytest.mark.parametrize("name", ["", "RFC9309", "bing ", ["google"]])
def test_error_for_an_unknown_profile_lists_all_profiles(name: Any) -> None:
    with pytest.raises(
        UnknownProfile, match="choose from 'rfc9309', 'strict', 'google2019', 'google', 'googlebot'"
    ) as caught:
        get_profile(name)
    assert repr(name) in str(caught.value)
