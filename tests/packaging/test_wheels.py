"""The wheels in dist/: a platform wheel contains the native module, and a pure wheel does not."""

import json
import tarfile
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.packaging

DIST = Path(__file__).parents[2] / "dist"
WHEELS = sorted(DIST.glob("*.whl"))


def names_in(wheel: Path) -> list[str]:
    with zipfile.ZipFile(wheel) as archive:
        return archive.namelist()


def native_modules(wheel: Path) -> list[str]:
    return [name for name in names_in(wheel) if name.startswith("canfetch/_native.") and name.endswith((".so", ".pyd"))]


def is_pure(wheel: Path) -> bool:
    return wheel.stem.endswith("-any")


def test_dist_contains_a_native_and_a_pure_wheel() -> None:
    assert {is_pure(wheel) for wheel in WHEELS} == {True, False}, "build them first: make package"


@pytest.mark.parametrize("wheel", WHEELS, ids=lambda wheel: wheel.name)
def test_wheel_contains_the_native_module_unless_it_is_pure(wheel: Path) -> None:
    assert len(native_modules(wheel)) == (0 if is_pure(wheel) else 1)


@pytest.mark.parametrize("wheel", WHEELS, ids=lambda wheel: wheel.name)
def test_wheel_tag_matches_the_native_module(wheel: Path) -> None:
    python, abi, _ = wheel.stem.split("-")[-3:]
    if is_pure(wheel):
        assert (python, abi) == ("py3", "none")
    elif abi.endswith("t"):
        # Free-threaded: no stable ABI.
        assert python.startswith("cp3")
    else:
        assert (python, abi) == ("cp311", "abi3")
        assert all(".abi3." in name or name.endswith(".pyd") for name in native_modules(wheel))


@pytest.mark.parametrize("wheel", WHEELS, ids=lambda wheel: wheel.name)
def test_wheel_contains_type_information_and_license(wheel: Path) -> None:
    names = names_in(wheel)
    assert {"canfetch/__init__.py", "canfetch/py.typed", "canfetch/_native.pyi"} <= set(names)
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in names)
    assert all(name.startswith(("canfetch/", "canfetch-")) for name in names)


@pytest.mark.parametrize("wheel", WHEELS, ids=lambda wheel: wheel.name)
def test_wheel_contains_the_tester_page_with_its_engine(wheel: Path) -> None:
    folder = "canfetch/web/assets/"
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        files = json.loads(archive.read(f"{folder}manifest.json"))["files"]
    assert {f"{folder}index.html", f"{folder}static.html"} <= names
    assert {folder + name for name in files} <= names
    assert any(name.endswith(".wasm") for name in files)


def test_sdist_contains_the_files_for_builds_and_tests() -> None:
    (sdist,) = DIST.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    required = {
        ".ci/run",
        "Makefile",
        "conformance/README.md",
        "deploy/image/healthcheck",
        "docs/conf.py",
        "examples/robots.txt",
        "pyproject.toml",
        "rust/Cargo.lock",
        "rust/core/src/lib.rs",
        "rust/python/Cargo.toml",
        "action.yml",
        "audit/comment.py",
        "setup.py",
        "src/canfetch/_native.pyi",
        "src/canfetch/lint/languages/ja.toml",
        "src/canfetch/py.typed",
        "tables/protocol.toml",
        "tests/packaging/test_wheels.py",
        "tools/generate_tables.py",
    }
    assert required <= names
    # So that pip needs no npm.
    assert "src/canfetch/web/assets/manifest.json" in names
    assert not [name for name in names if "/target/" in name or name.endswith((".so", ".pyc"))]
