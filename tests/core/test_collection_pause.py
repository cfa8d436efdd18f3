"""The cyclic garbage collector while a large file is linted."""

import gc
from collections.abc import Iterator

import pytest

from canfetch.core.collection_pause import pause_collection
from canfetch.lint import Linter

LARGE = b"User-agent: *\n" + b"Disallow: /private/folder/\n" * 3_000


@pytest.fixture(autouse=True)
def _enabled() -> Iterator[None]:
    gc.enable()
    yield
    gc.enable()


def test_collector_is_off_during_the_pause_and_on_again_after_an_error() -> None:
    with pytest.raises(ZeroDivisionError), pause_collection():
        1 / gc.isenabled()
    assert gc.isenabled()


def test_collector_that_is_off_stays_off() -> None:
    gc.disable()
    with pause_collection():
        assert not gc.isenabled()
    assert not gc.isenabled()


@pytest.mark.parametrize("content, pauses", [(LARGE, True), (LARGE[:1000], False)])
def test_collector_is_paused_for_large_files_only(content: bytes, pauses: bool) -> None:  # noqa: FBT001 - a parameter
    collections: list[str] = []
    gc.callbacks.append(lambda phase, _: collections.append(phase))
    try:
        threshold = gc.get_threshold()
        gc.set_threshold(10)
        Linter().lint(content)
        during = len(collections)
    finally:
        gc.set_threshold(*threshold)
        gc.callbacks.pop()
    assert gc.isenabled()
    # A few before and after the pause.
    assert (during < 20) is pauses
