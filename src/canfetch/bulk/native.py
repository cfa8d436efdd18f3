"""The part of the native module that works on columns."""

from typing import Any

from canfetch.core.engines import native_module
from canfetch.errors import EngineError


def native_attribute(name: str) -> Any:
    """Return a class or function of the native module.

    Raises: EngineError: the module is missing, or older than this package.
    """
    value = getattr(native_module(), name, None)
    if value is None:
        raise EngineError(f"outdated native engine: it has no {name}; reinstall canfetch")
    return value
