"""The exception hierarchy."""

import pickle

import pytest

from canfetch import errors

CLASSES = [value for value in vars(errors).values() if isinstance(value, type)]


@pytest.mark.parametrize("error", CLASSES, ids=lambda error: error.__name__)
def test_errors_have_the_base_class_and_a_builtin_one(error: type[Exception]) -> None:
    assert issubclass(error, errors.CanfetchError)
    if error is not errors.CanfetchError:
        assert issubclass(error, (ValueError, LookupError, RuntimeError, OSError, ImportError))


@pytest.mark.parametrize("error", CLASSES, ids=lambda error: error.__name__)
def test_docstring_lists_all_errors(error: type[Exception]) -> None:
    assert errors.__doc__ is not None
    assert f" {error.__name__} " in errors.__doc__.replace("\n", " ")


@pytest.mark.parametrize("error", [errors.InvalidURL, errors.OriginMismatch])
def test_index_survives_pickling(
    error: type[errors.InvalidURL] | type[errors.OriginMismatch],
) -> None:
    twin = pickle.loads(pickle.dumps(error("no", index=3)))  # noqa: S301
    assert (str(twin), twin.index) == ("no", 3)
    assert error("no").index is None
