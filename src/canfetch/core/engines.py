"""Selection of the engine that compiles files.

The environment variable `CANFETCH_ENGINE` is `python`, `native` or `both`. The default is the native engine if it is
installed, otherwise the Python engine. `both` runs both engines and raises EngineError if they differ.

`native_module`, `engine_name` and `get_compiler` select an engine. The others cache the selection for one caller each:
`default_compilers` for a parse with the default engine, `compiler_for` for a parse with any engine, and
`native_engine_for` for a decision in one call. A parse of a small file takes 0.7 microseconds. With `compiler_for` as
the only cache, it takes a tenth longer, because the call of a cached function is slower than a lookup.
"""

import os
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any, Final

from canfetch.core.choices import unknown_choice
from canfetch.core.contract import CONTRACT, CompileFile
from canfetch.core.profiles import get_profile
from canfetch.errors import EngineError

ENGINES: Final = ("python", "native", "both")


@cache
def native_module() -> ModuleType | None:
    """Return the native module, or None if it is not installed. The result is cached, because the search is slow.

    Raises: EngineError: the module cannot be loaded, or was built for another version of the contract.
    """
    try:
        module = import_module("canfetch._native")
    except ModuleNotFoundError:
        # Not available on every platform.
        return None
    except ImportError as error:
        raise EngineError(
            f"cannot load the native engine ({error}); reinstall canfetch, or set CANFETCH_ENGINE=python"
        ) from error
    if module.CONTRACT != CONTRACT:
        raise EngineError(
            f"outdated native engine: it has contract {module.CONTRACT}, expected {CONTRACT}; reinstall canfetch"
        )
    return module


def native_attribute(name: str) -> Any:
    """Return a class or function of the native module that works on columns.

    Raises: EngineError: the module is missing, or older than this package.
    """
    value = getattr(native_module(), name, None)
    if value is None:
        raise EngineError(f"outdated native engine: it has no {name}; reinstall canfetch")
    return value


@cache
def engine_name() -> str:
    """Return the name of the default engine: `python`, `native` or `both`. The environment is read once per process.

    Raises: EngineError: `CANFETCH_ENGINE` is not a valid name, or the engine is not installed.
    """
    name = os.environ.get("CANFETCH_ENGINE", "")
    if not name:
        return "python" if native_module() is None else "native"
    if name not in ENGINES:
        raise EngineError(f"CANFETCH_ENGINE: {unknown_choice('engine', name, ENGINES)}")
    if name != "python":
        _require_native_module()
    return name


def _require_native_module() -> ModuleType:
    native = native_module()
    if native is None:
        raise EngineError(
            "the native engine is not installed; reinstall canfetch with CANFETCH_BUILD=native, or use 'python'"
        )
    return native


def get_compiler(engine: str | None) -> CompileFile:
    """Return the function that compiles files in an engine.

    Args: engine: name of the engine; None for the default.
    Raises: EngineError: the engine is unknown or not installed.
    """
    if engine is None:
        engine = engine_name()
    if engine == "python":
        from canfetch.core.reference.compiled import compile_file  # noqa: PLC0415 - not needed with the native engine

        return compile_file
    if engine not in ENGINES:
        raise EngineError(unknown_choice("engine", engine, ENGINES))
    native = _require_native_module()
    compile_natively: CompileFile = native.compile_file
    if engine == "native":
        return compile_natively
    from canfetch.core.both import pair_compilers  # noqa: PLC0415 - rarely needed

    return pair_compilers(get_compiler("python"), compile_natively)


default_compilers: Final[dict[str, CompileFile]] = {}
"""The functions that `compiler_for` found for the default engine, by profile. A lookup is faster than a cached call."""


@cache
def compiler_for(engine: str | None, profile_name: str) -> CompileFile:
    """Return the function that compiles files for a profile. The result is cached, because every parse needs it.

    Args: engine: name of the engine; None for the default.

    Raises: UnknownProfile, EngineError.
    """
    get_profile(profile_name)
    compile_file = get_compiler(engine)
    if engine is None:
        default_compilers[profile_name] = compile_file
    return compile_file


@cache
def native_engine_for(engine: str | None, profile_name: str) -> ModuleType | None:
    """Return the native module if it alone compiles files in an engine and a profile, otherwise None.

    Raises: UnknownProfile, EngineError.
    """
    native = native_module()
    return native if native is not None and compiler_for(engine, profile_name) is native.compile_file else None
