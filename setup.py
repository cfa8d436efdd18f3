"""Build with or without the native engine. Everything else is configured in pyproject.toml.

The environment variable `CANFETCH_BUILD` selects the engine:

    auto    (default) build the native engine; if that fails, install only the Python engine and print a notice
    native  build the native engine, or fail
    python  install only the Python engine: the `py3-none-any` wheel

A native wheel uses the stable ABI (abi3) of CPython 3.11 and later. Free-threaded builds before 3.15 and other
implementations have no stable ABI. A wheel without the native module is always tagged `py3-none-any`.
"""

from __future__ import annotations

import os
import platform
import sys
import sysconfig
from pathlib import Path
from typing import Any

from setuptools import setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.sdist import sdist
from setuptools.errors import SetupError

# The build frontend does not add this folder to the path.
sys.path.insert(0, str(Path(__file__).parent / "tools"))
import bundled_parts
from package_metadata import setup_arguments

VARIABLE = "CANFETCH_BUILD"
MODES = ("auto", "native", "python")
MODULE = "canfetch._native"
MANIFEST = "rust/python/Cargo.toml"
# Required by PyO3 and by the edition of the crates.
RUST = ">=1.85"
STABLE_ABI = "cp311"


def build_mode() -> str:
    """Return the value of `CANFETCH_BUILD`."""
    mode = os.environ.get(VARIABLE) or "auto"
    if mode not in MODES:
        raise SystemExit(f"invalid {VARIABLE} {mode!r}: choose from {', '.join(MODES)}")
    return mode


def has_stable_abi() -> bool:
    """Return whether one wheel works for this interpreter and later versions."""
    return platform.python_implementation() == "CPython" and not sysconfig.get_config_var("Py_GIL_DISABLED")


def notice(text: str) -> None:
    """Print a message that is visible in a long build log."""
    separator = "-" * 78
    print(f"{separator}\ncanfetch: {text}\n{separator}", file=sys.stderr)


class BdistWheel(bdist_wheel):
    """Add the licenses of bundled software and the bill of materials to the wheel."""

    # setuptools-rust derives a class with another name, and an editable build would not find the options of this one.
    command_name = "bdist_wheel"

    def write_wheelfile(self, wheelfile_base: str, *arguments: str) -> None:
        """Write WHEEL, the last file of the metadata, and what depends on the content of the wheel."""
        super().write_wheelfile(wheelfile_base, *arguments)
        dist_info = Path(wheelfile_base)
        # An editable wheel contains no package.
        if dist_info.parent == Path(self.bdist_dir or ""):
            bundled_parts.describe_wheel(dist_info.parent, dist_info)


class Sdist(sdist):
    """List the licenses of the tester page, which the sdist contains."""

    command_name = "sdist"

    def make_release_tree(self, base_dir: str, files: list[str]) -> None:
        """Copy the files, and write PKG-INFO."""
        super().make_release_tree(base_dir, files)
        bundled_parts.add_license_files(Path(base_dir, "PKG-INFO"), bundled_parts.page_notices())


COMMANDS = {"bdist_wheel": BdistWheel, "sdist": Sdist}


def native_build(*, optional: bool) -> dict[str, Any]:
    """Return the arguments of `setup` that build the native engine. If `optional`, the build may fail."""
    # Imported here, so that the pure wheel needs only setuptools.
    from setuptools_rust import Binding, RustExtension  # noqa: PLC0415
    from setuptools_rust.build import build_rust  # noqa: PLC0415

    class BuildRust(build_rust):
        """Build the native module, and report if that fails."""

        def run(self) -> None:
            # A module left by an earlier build would look like a successful build.
            for stale in self.modules():
                stale.unlink()
            super().run()
            if self.modules():
                return
            if not optional:
                raise SetupError(f"{MODULE} could not be built, and {VARIABLE}=native requires it")
            self.distribution.has_ext_modules = lambda: False  # type: ignore[method-assign]
            notice(
                "the native engine could not be built (see above), so only the Python engine is installed.\n"
                "Its results are the same, but it is slower. To build the native engine, install Rust "
                f"{RUST.removeprefix('>=')} or later,\nand reinstall with --no-cache-dir. Set {VARIABLE}=native to "
                f"make this an error, or\n{VARIABLE}=python to omit the native engine."
            )

        def modules(self) -> list[Path]:
            build_ext = self.get_finalized_command("build_ext")
            build_ext.inplace = self.inplace
            folder = Path(build_ext.get_ext_fullpath(MODULE)).parent
            name = MODULE.rpartition(".")[2]
            return [path for path in folder.glob(f"{name}.*") if path.suffix in {".so", ".pyd", ".dylib"}]

    class BdistNativeWheel(BdistWheel):
        """Tag the wheel by the actual result of the build."""

        def run_command(self, command: str) -> None:
            super().run_command(command)
            if command == "build" and not self.distribution.has_ext_modules():
                self.root_is_pure = True
                self.py_limited_api = False

    extension = RustExtension(
        MODULE,
        path=MANIFEST,
        binding=Binding.PyO3,
        cargo_manifest_args=["--locked"],
        rust_version=RUST,
        # The module is 7 % smaller. Single decisions take up to a twentieth longer, and columns no longer.
        rustc_flags=["-C", "llvm-args=-inline-threshold=50 -unroll-threshold=40"],
        # Editable installs are benchmarked too.
        debug=False,
        optional=optional,
    )
    return {
        "rust_extensions": [extension],
        "cmdclass": {**COMMANDS, "build_rust": BuildRust, "bdist_wheel": BdistNativeWheel},
        # setuptools-rust passes this to PyO3 as the feature `abi3-py311`.
        "options": {"bdist_wheel": {"py_limited_api": STABLE_ABI}} if has_stable_abi() else {},
    }


def arguments() -> dict[str, Any]:
    """Return the arguments of `setup` for the build mode and this interpreter."""
    mode = build_mode()
    if mode == "python":
        return {"cmdclass": COMMANDS}
    if mode == "auto" and platform.python_implementation() != "CPython":
        notice(
            f"only the Python engine is installed, because {platform.python_implementation()} runs it faster. "
            f"Set {VARIABLE}=native to build the native engine."
        )
        return {"cmdclass": COMMANDS}
    return native_build(optional=mode == "auto")


setup(**setup_arguments(), **arguments())
