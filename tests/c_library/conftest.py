"""The C library, as `make c-library` installs it, and programs that are compiled with its pkg-config file."""

import os
import shlex
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

import pytest
from tests.conformance.case_files import CASES
from tests.missing import run_build_script, skip_unless_ci

ROOT: Final = Path(__file__).resolve().parents[2]
PROGRAMS: Final = Path(__file__).parent / "programs"
EXAMPLES: Final = ROOT / "rust" / "c" / "examples"
SECONDS: Final = 900
WARNINGS: Final = ("-Wall", "-Wextra", "-Werror")
VALGRIND: Final = ("valgrind", "--quiet", "--leak-check=full", "--error-exitcode=99")
# Larger files and URLs take long in slow programs.
SMALL: Final = [
    case for case in CASES if all(len(question.robots) + len(question.url) < 4000 for question in case.questions())
]


def require(*tools: str) -> None:
    """Skip the test if a tool is missing; fail it in CI."""
    for tool in tools:
        if shutil.which(tool) is None:
            skip_unless_ci(f"{tool} is not installed")


def require_sqlite() -> None:
    """Skip the test if SQLite or its headers are missing; fail it in CI."""
    require("gcc", "sqlite3")
    header = b"#include <sqlite3ext.h>"
    checked = subprocess.run(["gcc", "-E", "-"], input=header, capture_output=True, timeout=SECONDS, check=False)
    if checked.returncode:
        skip_unless_ci("the headers of SQLite are not installed: libsqlite3-dev on Debian")


def run(*command: str | Path, folder: Path | None = None, environment: Mapping[str, str] | None = None) -> str:
    """Run a command, which must not write to standard error, and return its output."""
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
    return done.stdout


class Library(NamedTuple):
    """The installed library.

    Attributes: prefix: The folder in which it is installed.
    """

    prefix: Path

    @property
    def environment(self) -> dict[str, str]:
        """The environment of programs that are compiled and linked with the library."""
        folder = self.prefix / "lib"
        paths = {"PKG_CONFIG_PATH": str(folder / "pkgconfig"), "LD_LIBRARY_PATH": str(folder)}
        return {**os.environ, **paths, "DYLD_LIBRARY_PATH": str(folder)}

    def options(self, *arguments: str) -> list[str]:
        """Return what pkg-config prints."""
        return shlex.split(run("pkg-config", *arguments, "canfetch", environment=self.environment))

    def compile(self, source: Path, output: Path, *options: str) -> Path:
        """Compile a program that is linked with the shared library."""
        libraries = self.options("--cflags", "--libs")
        run("gcc", "-std=c99", *WARNINGS, "-g", source, "-o", output, *options, *libraries)
        return output


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """Return the library, installed in an empty folder. Without a toolchain, skip the test; fail it in CI."""
    require("gcc", "pkg-config")
    prefix = tmp_path_factory.mktemp("library") / "prefix"
    run_build_script("build_c_library.sh", prefix)
    return Library(prefix)
