"""Which engine compiles: by name, by environment, by what is built."""

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
from canfetch.core.reference import CompiledFile, compile_file
from canfetch.core.reference.robotparser.file import RobotparserFile
from canfetch.errors import EngineError

FILE = b"User-agent: *\nDisallow: /x"


@pytest.fixture(autouse=True)
def _forgetful() -> Iterator[None]:
    # What was found once is remembered; a test finds something else.
    forget()
    yield
    forget()


def forget() -> None:
    engines.native_module.cache_clear()
    engines.engine_name.cache_clear()
    engines._compilers.clear()


@pytest.fixture
def no_native(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the machine one where no native module is built."""
    # Python refuses to import what is None here.
    monkeypatch.setitem(sys.modules, "canfetch._native", None)
    monkeypatch.delenv("CANFETCH_ENGINE", raising=False)


@pytest.fixture
def native(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Make the machine one where a module is built that says it is native."""
    module = ModuleType("canfetch._native")
    module.CONTRACT = CONTRACT  # type: ignore[attr-defined]
    module.PROFILES = ("rfc9309", "google")  # type: ignore[attr-defined]
    module.compile_file = compile_file  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "canfetch._native", module)
    monkeypatch.delenv("CANFETCH_ENGINE", raising=False)
    return module


@pytest.mark.usefixtures("no_native")
def test_without_a_native_module_python_answers() -> None:
    assert canfetch.engine == "python"
    assert isinstance(canfetch.parse(FILE)._compiled, CompiledFile)
    for name in engines.ENGINES:
        assert engines.profiles_of(name) == tuple(PROFILES)


@pytest.mark.usefixtures("no_native")
@pytest.mark.parametrize("name", ["native", "both"])
def test_an_engine_that_is_not_built_is_refused(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(EngineError, match="not built here; install canfetch with CANFETCH_BUILD=native"):
        canfetch.parse(FILE, engine=name)
    monkeypatch.setenv("CANFETCH_ENGINE", name)
    with pytest.raises(EngineError, match="not built here"):
        canfetch.parse(FILE)
    with pytest.raises(EngineError, match="not built here"):
        engines.engine_name()


def test_the_native_module_answers_where_it_is_built(native: ModuleType) -> None:
    assert canfetch.engine == "native"
    assert engines.compiler_of(None) is native.compile_file
    assert engines.compiler_of("native") is native.compile_file
    assert engines.compiler_of("python") is compile_file
    assert engines.profiles_of("native") == ("rfc9309", "google")
    assert engines.profiles_of("python") == tuple(PROFILES)


@pytest.mark.usefixtures("native")
@pytest.mark.parametrize("name", engines.ENGINES)
def test_the_environment_chooses(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CANFETCH_ENGINE", name)
    assert canfetch.engine == name
    assert not canfetch.parse(FILE).allows("/x", agent="a")
    assert isinstance(canfetch.parse(FILE)._compiled, CompiledFilePair) is (name == "both")
    # The caller's word counts more.
    assert isinstance(canfetch.parse(FILE, engine="python")._compiled, CompiledFile)


def test_an_engine_that_does_not_exist_is_told_which_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(EngineError, match="unknown engine 'rust': choose from 'python', 'native', 'both'"):
        canfetch.parse(FILE, engine="rust")
    monkeypatch.setenv("CANFETCH_ENGINE", "rust")
    with pytest.raises(
        EngineError, match="CANFETCH_ENGINE: unknown engine 'rust': choose from 'python', 'native', 'both'"
    ):
        canfetch.parse(FILE)


def test_a_stale_native_module_is_refused(native: ModuleType) -> None:
    native.CONTRACT = CONTRACT + 1  # type: ignore[attr-defined]
    with pytest.raises(EngineError, match=f"contract {CONTRACT + 1}, .*; install canfetch again"):
        canfetch.parse(FILE)


def test_a_native_module_that_cannot_be_loaded_is_no_reason_to_be_slow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / f"_native{EXTENSION_SUFFIXES[0]}"
    broken.write_bytes(b"no module")
    monkeypatch.delitem(sys.modules, "canfetch._native", raising=False)
    monkeypatch.delattr(canfetch, "_native", raising=False)
    monkeypatch.delenv("CANFETCH_ENGINE", raising=False)
    monkeypatch.setattr(canfetch, "__path__", [str(tmp_path), *canfetch.__path__])
    with pytest.raises(EngineError, match=r"cannot be loaded .*; install canfetch again, or set"):
        canfetch.parse(FILE)
    monkeypatch.setenv("CANFETCH_ENGINE", "python")
    assert not canfetch.parse(FILE).allows("/x", agent="a")


def test_the_environment_is_asked_once(native: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    assert engines.compiler_of(None) is native.compile_file
    monkeypatch.setenv("CANFETCH_ENGINE", "python")
    # What the name says is what answers.
    assert canfetch.engine == "native"
    assert engines.compiler_of(None) is native.compile_file


def test_the_native_module_is_looked_for_once(native: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    assert engines.native_module() is native
    # Looking for what is not there costs more than parsing a file.
    monkeypatch.setitem(sys.modules, "canfetch._native", None)
    assert engines.native_module() is native


def test_the_real_native_module_does_every_profile_but_those_of_python_itself(both_engines: str) -> None:
    assert engines.profiles_of(both_engines) == tuple(name for name, flags in PROFILES.items() if not flags.robotparser)


@pytest.mark.usefixtures("native")
@pytest.mark.parametrize("profile", ["cpython-old", "cpython-new"])
def test_python_readings_of_python_itself_are_of_the_python_engine(profile: str) -> None:
    for engine in (None, "python"):
        assert isinstance(canfetch.parse(FILE, profile=profile, engine=engine)._compiled, RobotparserFile)
    for engine in ("native", "both", "rust"):
        with pytest.raises(EngineError, match=f"does not do the profile {profile}; leave it out, or use 'python'"):
            canfetch.parse(FILE, profile=profile, engine=engine)
    assert engines.compiler_for("native", PROFILES["rfc9309"]) is engines.compiler_of("native")
