"""What tests need and machines may lack: they are skipped there, and fail in CI, which must have everything."""

import os
from typing import NoReturn

import pytest


def in_ci() -> bool:
    """Return whether this is a CI run."""
    return os.environ.get("CI", "") not in {"", "0", "false"}


def skip_unless_ci(reason: str) -> NoReturn:
    """Skip the test; fail it in CI."""
    if in_ci():
        pytest.fail(f"{reason}, and CI requires it")
    pytest.skip(reason)
