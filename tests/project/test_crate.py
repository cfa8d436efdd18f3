"""The crate for Rust: its version, its license, and its public interface."""

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from tests.missing import skip_unless_ci

import canfetch

ROOT = Path(__file__).parents[2]


def manifest(crate: str) -> dict[str, Any]:
    return tomllib.loads((ROOT / "rust" / crate / "Cargo.toml").read_text("utf-8"))


def test_the_crates_and_the_package_have_one_version() -> None:
    workspace = manifest(".")["workspace"]["package"]
    assert workspace["version"] == manifest("wasm")["package"]["version"] == canfetch.__version__
    assert all(manifest(crate)["package"]["version"] == {"workspace": True} for crate in ("c", "core", "python"))


def test_the_crates_name_one_oldest_rust_version() -> None:
    oldest = manifest(".")["workspace"]["package"]["rust-version"]
    assert manifest("wasm")["package"]["rust-version"] == oldest
    assert f"minimum Rust version is {oldest}" in (ROOT / "rust/core/README.md").read_text("utf-8")


def test_the_crate_has_the_license() -> None:
    assert (ROOT / "rust/core/LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()


@pytest.mark.slow
def test_the_list_of_the_public_interface_is_complete() -> None:
    if shutil.which("cargo") is None:
        skip_unless_ci("cargo is not installed")
    target = os.environ.get("CARGO_TARGET_DIR", str(ROOT / "rust/target"))
    command = [sys.executable, "tools/crate_interface.py", "--check", "--target-dir", target]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
