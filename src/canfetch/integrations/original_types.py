"""Compatibility with `isinstance` checks for the class of another library, without importing that library."""

import sys
from typing import Any


class OriginalType:
    """The `__class__` of instances: the class of the other library if that is imported, otherwise their own.

    `isinstance` compares both the type and the `__class__` of an object, so such an instance is accepted as an instance
    of either class.

    Args: module, name: The class of the other library.
    """

    def __init__(self, module: str, name: str) -> None:
        self._module = module
        self._name = name

    def __get__(self, instance: object | None, owner: type[Any]) -> type[Any]:
        original = getattr(sys.modules.get(self._module), self._name, owner)
        return original if isinstance(original, type) else owner


class PicklableInstance:
    """Base class of classes with an `OriginalType`. Without it, pickle rejects their instances."""

    def __reduce__(self) -> tuple[object, ...]:
        return _new_instance, (type(self),), vars(self)


def _new_instance(cls: type[PicklableInstance]) -> PicklableInstance:
    return cls.__new__(cls)
