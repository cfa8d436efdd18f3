"""What tests share: the engines, the profiles, and how many examples Hypothesis tries.

`CANFETCH_EXAMPLES=N` lets each law try N new examples; without it the examples are few, and the same each time.
"""

import os

import pytest
from hypothesis import settings

from canfetch.core.engines import native_module
from canfetch.core.profiles import PROFILES, Profile

EXAMPLES = int(os.environ.get("CANFETCH_EXAMPLES") or 0)
settings.register_profile("canfetch", max_examples=EXAMPLES or 25, derandomize=not EXAMPLES, deadline=None)
settings.load_profile("canfetch")


def native_is_due() -> bool:
    """Say whether the native engine must be there: in CI, unless this run is the one without it."""
    in_ci = os.environ.get("CI", "") not in {"", "0", "false"}
    return in_ci and os.environ.get("CANFETCH_BUILD") != "python"


def need_native() -> None:
    """Skip a test where the native engine is not built; fail where it must be."""
    if native_module() is None:
        if native_is_due():
            pytest.fail("the native engine is not built, and in CI it must be")
        pytest.skip("the native engine is not built")


@pytest.fixture(scope="session", params=["python", "native"])
def engine(request: pytest.FixtureRequest) -> str:
    """Give each engine in turn."""
    name: str = request.param
    if name == "native":
        need_native()
    return name


@pytest.fixture(scope="session")
def both_engines() -> str:
    """Give the engine that runs both and compares them."""
    need_native()
    return "both"


@pytest.fixture(scope="session", params=list(PROFILES))
def profile(request: pytest.FixtureRequest) -> Profile:
    """Give each profile in turn."""
    return PROFILES[request.param]
