"""The cases of each file, for tests of all cases: a test for each of thousands takes longer than its check."""

from collections.abc import Callable, Iterable
from itertools import groupby
from operator import attrgetter

import pytest
from conformance.cases import Case, load

CASES = load()
STANDARD_LIBRARY = frozenset({"cpython-old", "cpython-new"})
"""The profiles of the cases that describe urllib.robotparser. canfetch does not have them."""


def by_file(cases: Iterable[Case]) -> dict[str, list[Case]]:
    """Return the cases of each file."""
    return {file: list(found) for file, found in groupby(cases, attrgetter("file"))}


def parameters(files: Iterable[str]) -> list[pytest.ParameterSet]:
    """Return a parameter for each file of cases. Those of hostile files take seconds."""
    return [pytest.param(file, marks=[pytest.mark.slow] if file.startswith("hostile/") else []) for file in files]


def check_each(cases: Iterable[Case], check: Callable[[Case], None]) -> None:
    """Check all cases, and fail with the ID and the message of each case that fails."""
    failures = []
    for case in cases:
        try:
            check(case)
        except Exception as error:  # noqa: BLE001 - the other cases are checked, too
            failures.append(f"{case.id}: {type(error).__name__}: {error}")
    assert not failures, "\n".join(failures)
