"""Errors: the caller's mistakes, under one base."""

import pickle

import pytest

from canfetch import errors

CLASSES = [value for value in vars(errors).values() if isinstance(value, type)]


@pytest.mark.parametrize("error", CLASSES, ids=lambda error: error.__name__)
def test_every_error_has_one_base_and_one_of_pythons(error: type[Exception]) -> None:
    assert issubclass(error, errors.CanfetchError)
    if error is not errors.CanfetchError:
        assert issubclass(error, (ValueError, RuntimeError, OSError, ImportError))


@pytest.mark.parametrize("error", CLASSES, ids=lambda error: error.__name__)
def test_the_docstring_of_errors_lists_every_one(error: type[Exception]) -> None:
    assert errors.__doc__ is not None
    assert f" {error.__name__} " in errors.__doc__.replace("\n", " ")


@pytest.mark.parametrize("error", [errors.InvalidURL, errors.OriginMismatch])
def test_an_error_of_a_batch_keeps_its_index_between_processes(
    error: type[errors.InvalidURL] | type[errors.OriginMismatch],
) -> None:
    twin = pickle.loads(pickle.dumps(error("no", index=3)))  # noqa: S301
    assert (str(twin), twin.index) == ("no", 3)
    assert error("no").index is None
