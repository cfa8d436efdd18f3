"""Answers about random rules are compared with the verdicts on all short URLs. See tools/enumerate_comparisons.py."""

import random

import pytest

from canfetch import PROFILES
from enumerate_comparisons import (
    ESCAPE_BYTES,
    FREQUENT_WITH_ESCAPES,
    ShortURLs,
    changed_file,
    check_files,
    random_file,
    random_value,
)


@pytest.mark.parametrize("profile", PROFILES)
def test_no_answer_is_contradicted_by_an_enumerated_url(profile: str) -> None:
    short = ShortURLs(profile, 4)
    rng = random.Random(2026)  # noqa: S311 - reproducible files
    for _ in range(12):
        old = random_file(rng)
        check_files(old, changed_file(old, rng), short)


@pytest.mark.slow
@pytest.mark.parametrize("profile", PROFILES)
def test_no_answer_about_escapes_is_contradicted_by_an_enumerated_url(profile: str) -> None:
    short = ShortURLs(profile, 5, ESCAPE_BYTES)
    rng = random.Random(2026)  # noqa: S311 - reproducible files
    values = [random_value(rng, FREQUENT_WITH_ESCAPES) for _ in range(100)]
    for _ in range(12):
        old = random_file(rng, values)
        check_files(old, changed_file(old, rng, values), short)
