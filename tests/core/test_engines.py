"""Which engine compiles a file: by name, by environment variable, by what is installed."""

import sys
from collections.abc import Iterator
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from types import ModuleType

import pytest

import canfetch
from canfetch.core import engines
from canfetch.core.both import CompiledFilePair
from canfetch.core.contract import CONTRACT
from canfetch.core.profiles import PROFILES
from canfetch.core.reference.compiled import CompiledFile, compile_file
from canfetch.errors import EngineError, UnknownProfile

FILE = b"User-agent: *\nDisallow: /x"


@pytest.fixture(autouse=True)
def _empty_caches() -> Iterator[None]:
    clear_caches()
    yield
    clear_caches()


def clear_caches() -> None:
    engines.native_module.cache_clear()
    engines.engine_name.cache_clear()
    engines.compiler_for.cache_clear()
    engines.native_engine_for.cache_clear()
    engines.default_compilers.clear()


@pytest.fixture
def no_native(monkeypatch: pytest.MonkeyPatch) -> None:
    """Simulate an installation without the native module."""
    # Importing a module that is None here raises ModuleNotFoundError.
    monkeypatch.setitem(sys.modules, "canfetch._native", None)
    monkeypatch.delenv("CANFETCH_ENGINE", raising=False)


@pytest.fixture
def native(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Simulate an installation with a native module."""
    module = ModuleType("canfetch._native")
    module.CONTRACT = CONTRACT  # type: ignore[attr-defined]
    module.PROFILES = ("rfc9309", "google")  # type: ignore[attr-defined]
    module.compile_file = compile_file  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "canfetch._native", module)
    monkeypatch.delenv("CANFETCH_ENGINE", raising=False)
    return module


@pytest.mark.usefixtures("no_native")
def test_the_python_engine_is_the_default_without_a_native_module() -> None:
    assert canfetch.engine == "python"
    assert isinstance(canfetch.parse(FILE)._compiled, CompiledFile)


@pytest.mark.usefixtures("no_native")
@pytest.mark.parametrize("name", ["native", "both"])
def test_an_engine_that_is_not_installed_is_an_error(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(EngineError, match="not installed; reinstall canfetch with CANFETCH_BUILD=native"):
        canfetch.parse(FILE, engine=name)
    monkeypatch.setenv("CANFETCH_ENGINE", name)
    with pytest.raises(EngineError, match="not installed"):
        canfetch.parse(FILE)
    with pytest.raises(EngineError, match="not installed"):
        engines.engine_name()


def test_the_native_engine_is_the_default_if_it_is_installed(native: ModuleType) -> None:
    assert canfetch.engine == "native"
    assert engines.get_compiler(None) is native.compile_file
    assert engines.get_compiler("native") is native.compile_file
    assert engines.get_compiler("python") is compile_file


@pytest.mark.usefixtures("native")
@pytest.mark.parametrize("name", engines.ENGINES)
def test_the_environment_sets_the_default(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CANFETCH_ENGINE", name)
    assert canfetch.engine == name
    assert not canfetch.parse(FILE).allows("/x", agent="a")
    assert isinstance(canfetch.parse(FILE)._compiled, CompiledFilePair) is (name == "both")
    # The argument overrides it.
    assert isinstance(canfetch.parse(FILE, engine="python")._compiled, CompiledFile)


def test_an_unknown_engine_is_an_error_that_lists_the_engines(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(EngineError, match="unknown engine 'rust': choose from 'python', 'native', 'both'"):
        canfetch.parse(FILE, engine="rust")
    monkeypatch.setenv("CANFETCH_ENGINE", "rust")
    with pytest.raises(EngineError, match="CANFETCH_ENGINE: unknown engine 'rust': choose from 'python', 'native'"):
        canfetch.parse(FILE)


def test_an_outdated_native_module_is_an_error(native: ModuleType) -> None:
    native.CONTRACT = CONTRACT + 1  # type: ignore[attr-defined]
    with pytest.raises(EngineError, match=f"contract {CONTRACT + 1}, expected {CONTRACT}; reinstall canfetch"):
        canfetch.parse(FILE)


def test_a_native_module_without_a_function_is_outdated(native: ModuleType) -> None:
    assert engines.native_attribute("CONTRACT") == native.CONTRACT
    with pytest.raises(EngineError, match="outdated native engine: it has no fish; reinstall canfetch"):
        engines.native_attribute("fish")


def test_a_native_module_that_cannot_be_loaded_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = tmp_path / f"_native{EXTENSION_SUFFIXES[0]}"
    broken.write_bytes(b"not a module")
    monkeypatch.delitem(sys.modules, "canfetch._native", raising=False)
    monkeypatch.delattr(canfetch, "_native", raising=False)
    monkeypatch.delenv("CANFETCH_ENGINE", raising=False)
    monkeypatch.setattr(canfetch, "__path__", [str(tmp_path), *canfetch.__path__])
    with pytest.raises(EngineError, match=r"cannot load the native engine .*; reinstall canfetch, or set"):
        canfetch.parse(FILE)
    monkeypatch.setenv("CANFETCH_ENGINE", "python")
    assert not canfetch.parse(FILE).allows("/x", agent="a")


def test_the_environment_is_read_once(native: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    assert engines.get_compiler(None) is native.compile_file
    monkeypatch.setenv("CANFETCH_ENGINE", "python")
    # The name matches the engine that is used.
    assert canfetch.engine == "native"
    assert engines.get_compiler(None) is native.compile_file


def test_the_native_module_is_searched_once(native: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    assert engines.native_module() is native
    # A failed import takes longer than parsing a file.
    monkeypatch.setitem(sys.modules, "canfetch._native", None)
    assert engines.native_module() is native


def test_every_engine_has_every_profile() -> None:
    native = pytest.importorskip("canfetch._native")
    assert tuple(native.PROFILES) == tuple(PROFILES)


@pytest.mark.parametrize("engine", [None, "python"])
@pytest.mark.parametrize("profile", ["cpython-old", "cpython-new"])
def test_removed_profiles_name_their_replacement(profile: str, engine: str | None) -> None:
    with pytest.raises(UnknownProfile, match=f"^unknown profile '{profile}': .*call urllib.robotparser$"):
        canfetch.parse(FILE, profile=profile, engine=engine)
