"""One switch: with the native engine or without it. Everything else is in pyproject.toml.

`CANFETCH_BUILD` is one of

    auto    (default) try the native engine; where it cannot be built, install on the Python engine and say so
    native  the native engine, or the build fails
    python  the Python engine alone: the `py3-none-any` wheel

A native wheel is abi3 for every CPython from 3.11, except on a free-threaded build, which has no stable ABI before
3.15, and on other implementations. A wheel without the native module is tagged `py3-none-any`, however it came about.
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
from setuptools.errors import SetupError

SWITCH = "CANFETCH_BUILD"
CHOICES = ("auto", "native", "python")
MODULE = "canfetch._native"
MANIFEST = "rust/python/Cargo.toml"
# The least that PyO3 and the crates' edition take.
RUST = ">=1.85"
STABLE_ABI = "cp311"


def choice() -> str:
    """Read the switch."""
    chosen = os.environ.get(SWITCH) or "auto"
    if chosen not in CHOICES:
        raise SystemExit(f"{SWITCH} is {chosen!r}: choose one of {', '.join(CHOICES)}")
    return chosen


def has_stable_abi() -> bool:
    """Say whether one wheel serves this interpreter and the later ones."""
    return platform.python_implementation() == "CPython" and not sysconfig.get_config_var("Py_GIL_DISABLED")


def note(text: str) -> None:
    """Print what the build decided where a log of thousands of lines does not hide it."""
    rule = "-" * 78
    print(f"{rule}\ncanfetch: {text}\n{rule}", file=sys.stderr)


def native_build(*, optional: bool) -> dict[str, Any]:
    """Give the arguments of `setup` that build the native engine; optional: its failure fails nothing else."""
    # Imported here, so that the pure wheel needs setuptools alone.
    from setuptools_rust import Binding, RustExtension  # noqa: PLC0415
    from setuptools_rust.build import build_rust  # noqa: PLC0415

    class BuildRust(build_rust):
        """Build the native module, and say where it did not come about."""

        def run(self) -> None:
            # The module of an earlier build must not pass for this one's.
            for stale in self.modules():
                stale.unlink()
            super().run()
            if self.modules():
                return
            if not optional:
                raise SetupError(f"{MODULE} was not built, and {SWITCH}=native says that it must be")
            self.distribution.has_ext_modules = lambda: False  # type: ignore[method-assign]
            note(
                "the native engine could not be built (the reason is above), so this installs the Python engine.\n"
                "It gives the same answers, slower. To get the native one, install Rust "
                f"{RUST.removeprefix('>=')} or later and build again;\n{SWITCH}=native turns this note into an error, "
                f"{SWITCH}=python asks for the Python engine."
            )

        def modules(self) -> list[Path]:
            build_ext = self.get_finalized_command("build_ext")
            build_ext.inplace = self.inplace
            folder = Path(build_ext.get_ext_fullpath(MODULE)).parent
            name = MODULE.rpartition(".")[2]
            return [path for path in folder.glob(f"{name}.*") if path.suffix in {".so", ".pyd", ".dylib"}]

    class BdistWheel(bdist_wheel):
        """Tag the wheel by what was built, not by what was to be built."""

        # setuptools-rust derives a class of another name, under which an editable build would miss the options below.
        command_name = "bdist_wheel"

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
        # An editable install is measured and tested like any other.
        debug=False,
        optional=optional,
    )
    return {
        "rust_extensions": [extension],
        "cmdclass": {"build_rust": BuildRust, "bdist_wheel": BdistWheel},
        # setuptools-rust hands this on to PyO3 as the feature `abi3-py311`.
        "options": {"bdist_wheel": {"py_limited_api": STABLE_ABI}} if has_stable_abi() else {},
    }


def arguments() -> dict[str, Any]:
    """Give the arguments of `setup` for the switch and this interpreter."""
    chosen = choice()
    if chosen == "python":
        return {}
    if chosen == "auto" and platform.python_implementation() != "CPython":
        note(f"{platform.python_implementation()} runs the Python engine best; {SWITCH}=native builds the native one.")
        return {}
    return native_build(optional=chosen == "auto")


setup(**arguments())
