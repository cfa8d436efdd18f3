"""Two engines, one answer: which of them compiles a file.

`CANFETCH_ENGINE` is `python`, `native` or `both`; without it the native engine is used where it is
built. `both` runs both and raises where they differ.
"""

import os
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Final

from canfetch.core.choices import unknown_choice
from canfetch.core.contract import CONTRACT, CompileFile
from canfetch.core.profiles import PROFILES, Profile
from canfetch.errors import EngineError

ENGINES: Final = ("python", "native", "both")


@cache
def native_module() -> ModuleType | None:
    """Give the native module, or None where it is not built; looked for once, since looking takes long.

    Raises: EngineError: it is there and cannot be loaded, or speaks another contract, as a stale build does.
    """
    try:
        module = import_module("canfetch._native")
    except ModuleNotFoundError:
        # Not built on every platform.
        return None
    except ImportError as error:
        raise EngineError(
            f"the native engine is there and cannot be loaded ({error}); install canfetch again, "
            "or set CANFETCH_ENGINE=python"
        ) from error
    if module.CONTRACT != CONTRACT:
        raise EngineError(
            f"the native engine speaks contract {module.CONTRACT}, this canfetch {CONTRACT}; install canfetch again"
        )
    return module


@cache
def engine_name() -> str:
    """Say which engine answers: `python`, `native` or `both`; the environment is asked once in a process.

    Raises: EngineError: `CANFETCH_ENGINE` names none, or one that is not built.
    """
    name = os.environ.get("CANFETCH_ENGINE", "")
    if not name:
        return "python" if native_module() is None else "native"
    if name not in ENGINES:
        raise EngineError(f"CANFETCH_ENGINE: {unknown_choice('engine', name, ENGINES)}")
    if name != "python":
        _required_native_module()
    return name


def _required_native_module() -> ModuleType:
    native = native_module()
    if native is None:
        raise EngineError(
            "the native engine is not built here; install canfetch with CANFETCH_BUILD=native, or use 'python'"
        )
    return native


# What was asked for once is not looked for again.
_compilers: dict[str | None, CompileFile] = {}


def compiler_of(engine: str | None) -> CompileFile:
    """Give the function that compiles files in that engine; None means the default.

    Raises: EngineError: there is none of that name, or it is not built.
    """
    compiler = _compilers.get(engine)
    if compiler is None:
        compiler = _compilers[engine] = _find_compiler(engine_name() if engine is None else engine)
    return compiler


def _find_compiler(engine: str) -> CompileFile:
    if engine == "python":
        from canfetch.core.reference import compile_file  # noqa: PLC0415 - not needed beside the native engine

        return compile_file
    if engine not in ENGINES:
        raise EngineError(unknown_choice("engine", engine, ENGINES))
    native = _required_native_module()
    compile_natively: CompileFile = native.compile_file
    if engine == "native":
        return compile_natively
    from canfetch.core.both import pair_compilers  # noqa: PLC0415 - for careful users only

    return pair_compilers(compiler_of("python"), compile_natively)


def compiler_for(engine: str | None, profile: Profile) -> CompileFile:
    """Give the function that compiles files in that engine for a profile, Python's where it alone does the profile.

    Raises: EngineError: there is none of that name, it is not built, or it does not do the profile.
    """
    if not profile.robotparser:
        return compiler_of(engine)
    if engine not in (None, "python"):
        raise EngineError(
            f"the engine {engine!r} does not do the profile {profile.name}; leave it out, or use 'python'"
        )
    from canfetch.core.reference.robotparser import compile_file  # noqa: PLC0415 - two profiles alone need it

    return compile_file


def profiles_of(engine: str) -> tuple[str, ...]:
    """List the profiles that an engine does."""
    native = None if engine == "python" else native_module()
    return tuple(PROFILES) if native is None else tuple(native.PROFILES)
