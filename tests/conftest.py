"""Shared by all tests: the engines, the profiles, the number of Hypothesis examples, and the service marker.

`CANFETCH_EXAMPLES=N` makes each law try N new examples. By default it tries 25, the same in every run.
"""

import gc
import os
import signal
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from coverage import Coverage
from hypothesis import HealthCheck, settings
from tests.missing import in_ci

from canfetch.core.engines import native_module
from canfetch.core.profiles import PROFILES, Profile

# The servers of the tests run on this machine, where a proxy of the environment cannot reach them.
if any(name.lower().endswith("_proxy") for name in os.environ):
    os.environ["no_proxy"] = "localhost,127.0.0.1,::1,test,example,example.com,example.org"

# A later release of the registry, which somebody installed, does not change what is tested.
os.environ["CANFETCH_REGISTRY"] = "builtin"

# A shell starts background jobs with Ctrl-C ignored, and the commands that tests interrupt would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

_TESTS = Path(__file__).parent
# The packages whose branches their own tests must all take.
_COVERED_PACKAGES = ("access", "core", "pages")

EXAMPLES = int(os.environ.get("CANFETCH_EXAMPLES") or 0)
settings.register_profile(
    "canfetch",
    max_examples=EXAMPLES or 25,
    derandomize=not EXAMPLES,
    # No test fails because a machine is slow.
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("canfetch")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that use a server which pip does not install, and those that only `make test-all` runs."""
    for item in items:
        if "redis_url" in getattr(item, "fixturenames", ()) or item.get_closest_marker("nightly"):
            item.add_marker("service")


_paused_coverage: list[Coverage] = []


def pytest_collection_finish() -> None:
    """Exclude modules and tests from garbage collection, or each collection of a test would traverse all of them.

    Coverage, if it is measured, pauses until a test of a covered package runs.
    """
    gc.collect()
    gc.freeze()
    coverage = Coverage.current()
    if coverage is not None:
        coverage.stop()
        _paused_coverage.append(coverage)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Measure coverage only in the tests of the covered packages: tracing would slow all others down."""
    if not _paused_coverage or item.path.relative_to(_TESTS).parts[0] not in _COVERED_PACKAGES:
        return (yield)
    _paused_coverage[0].start()
    try:
        return (yield)
    finally:
        _paused_coverage[0].stop()


def pytest_unconfigure() -> None:
    """Undo `gc.freeze`. Otherwise, libraries report their objects as leaked when the interpreter exits."""
    gc.unfreeze()


def native_is_required() -> bool:
    """Return whether the native engine must be built: in CI, unless this run builds the Python engine alone."""
    return in_ci() and os.environ.get("CANFETCH_BUILD") != "python"


def need_native() -> None:
    """Skip the test if the native engine is not built; fail it in CI."""
    if native_module() is None:
        if native_is_required():
            pytest.fail("the native engine is not built, and CI requires it")
        pytest.skip("the native engine is not built")


@pytest.fixture(scope="module", autouse=True)
def _garbage_of_the_module() -> Iterator[None]:
    """Collect what the tests of a module leave. A socket left open fails this module, and not any later test.

    What survives, such as imported modules, is excluded from later collections.
    """
    yield
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", params=["python", "native"])
def engine(request: pytest.FixtureRequest) -> str:
    """Return each engine in turn."""
    name: str = request.param
    if name == "native":
        need_native()
    return name


@pytest.fixture(scope="session")
def both_engines() -> str:
    """Return the engine that runs both engines and compares them."""
    need_native()
    return "both"


@pytest.fixture(scope="session", params=list(PROFILES))
def profile(request: pytest.FixtureRequest) -> Profile:
    """Return each profile in turn."""
    return PROFILES[request.param]
