"""Suggestions for misspelt directives."""

import pytest

from canfetch.pages.vocabulary import KNOWN, suggest_directive


@pytest.mark.parametrize(
    "name, suggestion", [("no-index", "noindex"), ("no_follow", "nofollow"), ("no index", "noindex")]
)
def test_separators_do_not_matter(name: str, suggestion: str) -> None:
    assert suggest_directive(name) == suggestion


@pytest.mark.parametrize("name", sorted(KNOWN))
def test_known_directive_has_no_suggestion(name: str) -> None:
    assert suggest_directive(name) is None


@pytest.mark.parametrize("name", ["", "x", "no-index" * 6])
def test_unknown_or_long_name_has_no_suggestion(name: str) -> None:
    assert suggest_directive(name) is None
