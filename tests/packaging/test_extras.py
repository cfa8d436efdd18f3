"""The command in the message about a missing extra works in an environment of canfetch, before there is a release."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from tests.missing import skip_unless_ci

from check_packages import CleanFolder

pytestmark = pytest.mark.packaging

ROOT = Path(__file__).parents[2]


def run(*command: str | Path) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def make_wheel(folder: Path, name: str, *, extra: str = "") -> None:
    """Write a wheel of version 99.0 without content."""
    info = f"{name}-99.0.dist-info"
    with zipfile.ZipFile(folder / f"{name}-99.0-py3-none-any.whl", "w") as archive:
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 99.0\n{extra}")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")


def test_extra_is_added_to_the_installed_canfetch(tmp_path: Path) -> None:
    wheel = next((ROOT / "dist").glob("canfetch-*-none-any.whl"))
    index = tmp_path / "index"
    index.mkdir()
    for name in ("click", "h11", "idna", "rich"):
        make_wheel(index, name)
    # A package of another project that has the name.
    make_wheel(index, "canfetch", extra="Provides-Extra: cli\n")
    run(sys.executable, "-m", "venv", tmp_path / "venv")
    python = tmp_path / "venv" / "bin" / "python"
    pip = (python, "-m", "pip", "--isolated", "install", "--quiet", "--no-index", "--find-links", index)
    run(*pip, wheel)
    run(*pip, "canfetch[cli]")
    listed = run(python, "-m", "pip", "list", "--format", "freeze").splitlines()
    assert {"rich==99.0", f"canfetch=={wheel.name.split('-')[1]}"} <= set(listed)


def test_uv_installs_the_command_from_a_repository(tmp_path: Path) -> None:
    # `make` does without uv where it cannot be installed.
    uv = Path(sys.executable).with_name("uv")
    if not uv.exists():
        pytest.skip("uv is not installed")
    if not (ROOT / ".git").exists():
        skip_unless_ci("this is not a checkout")
    place = CleanFolder(tmp_path, {"CANFETCH_BUILD": "python"})
    place.run(uv, "tool", "install", "--quiet", "--python", sys.executable, f"git+file://{ROOT}")
    assert "engine python" in place.run(Path(place.environment["HOME"], ".local", "bin", "canfetch"), "--version")
