"""Optional dependencies."""

from importlib import import_module
from typing import Any

from canfetch.errors import MissingExtra


def import_extra(module: str, extra: str, purpose: str) -> Any:
    """Import a module of an optional dependency.

    Raises: MissingExtra: it is not installed.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as missing:
        if missing.name != module.partition(".")[0]:
            raise
        raise MissingExtra(f"{missing.name} is required {purpose}: pip install 'canfetch[{extra}]'") from None


def import_pyarrow(purpose: str) -> Any:
    """Import pyarrow.

    Raises: MissingExtra: it is not installed.
    """
    return import_extra("pyarrow", "arrow", purpose)
