"""The C library: what is installed, its functions in C, and all conformance cases."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.c_library.conftest import EXAMPLES, PROGRAMS, ROOT, SMALL, VALGRIND, WARNINGS, Library, require, run
from tests.conformance.case_files import CASES
from tests.conformance.case_lines import wrong_answers

import canfetch

pytestmark = pytest.mark.service

# It has 0.6 MB. That of another compiler may be larger.
MAX_BYTES = 1_000_000


def test_the_library_is_complete(library: Library) -> None:
    version = canfetch.__version__
    minor = version.rpartition(".")[0]
    files = {path.relative_to(library.prefix).as_posix() for path in library.prefix.rglob("*") if not path.is_dir()}
    if sys.platform == "linux":
        shared = [f"lib/libcanfetch.so{suffix}" for suffix in ("", f".{minor}", f".{version}")]
        assert files == {
            "include/canfetch.h",
            "lib/libcanfetch.a",
            *shared,
            "lib/pkgconfig/canfetch.pc",
            "share/licenses/canfetch/LICENSE",
            "share/licenses/canfetch/LICENSES-OF-PARTS",
        }
        assert (library.prefix / shared[2]).stat().st_size < MAX_BYTES
    assert library.options("--modversion") == [version]
    notices = (library.prefix / "share/licenses/canfetch/LICENSES-OF-PARTS").read_text(encoding="utf-8")
    for notice in ("memchr", "rust-standard-library", "Permission is hereby granted"):
        assert notice in notices


@pytest.mark.skipif(sys.platform != "linux", reason="nm has other options")
def test_the_shared_library_exports_what_the_header_declares(library: Library) -> None:
    require("nm")
    symbols = run("nm", "-D", "--defined-only", library.prefix / "lib" / "libcanfetch.so").split()
    header = (ROOT / "rust/c/include/canfetch.h").read_text(encoding="utf-8")
    names = {name for name in symbols if name.startswith("canfetch_")}
    assert names == {line.split("(")[0].split()[-1].lstrip("*") for line in header.splitlines() if is_function(line)}
    assert len(names) == len(symbols) // 3


def is_function(line: str) -> bool:
    return not line.startswith(("//", " ", "#")) and "canfetch_" in line


def test_the_header_is_that_of_the_sources() -> None:
    require("cargo")
    manifest = ROOT / "rust" / "header" / "Cargo.toml"
    target = os.environ.get("CARGO_TARGET_DIR", str(ROOT / "rust" / "target")) + "/header"
    command = ["cargo", "run", "--quiet", "--locked", f"--manifest-path={manifest}", f"--target-dir={target}"]
    done = subprocess.run([*command, "--", "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "compiler, standards", [("gcc", ("c99", "c11", "c2x")), ("g++", ("c++11", "c++17"))], ids=["c", "c++"]
)
def test_the_header_is_valid(library: Library, compiler: str, standards: tuple[str, ...], tmp_path: Path) -> None:
    require(compiler)
    suffix = "c" if compiler == "gcc" else "cc"
    program = tmp_path / f"program.{suffix}"
    program.write_text(
        "#include <canfetch.h>\n"
        "int main() { CanfetchStatus status = CANFETCH_STATUS_OK; return canfetch_status_message(status) == 0; }\n",
        encoding="utf-8",
    )
    for standard in standards:
        # Before C23, an empty list of parameters is not a prototype.
        options = [f"-std={standard}", *WARNINGS, "-Wpedantic"]
        run(compiler, *options, program, "-o", tmp_path / "program", *library.options("--cflags", "--libs"))
        run(tmp_path / "program", environment=library.environment)


@pytest.mark.parametrize("name", ["arguments", "threads"])
def test_program_in_valgrind(library: Library, name: str, tmp_path: Path) -> None:
    require("valgrind")
    version = f'-DEXPECTED_VERSION="{canfetch.__version__}"'
    program = library.compile(PROGRAMS / f"{name}.c", tmp_path / name, version, "-pthread")
    run(*VALGRIND, program, environment=library.environment)


def test_all_conformance_cases(library: Library, tmp_path: Path) -> None:
    program = library.compile(PROGRAMS / "answers.c", tmp_path / "answers", f"-Wl,-rpath,{library.prefix}/lib")
    wrong, count = wrong_answers([str(program)], CASES)
    assert not wrong, "\n".join(wrong[:50])
    assert count > 5000


def test_conformance_cases_in_valgrind(library: Library, tmp_path: Path) -> None:
    require("valgrind")
    program = library.compile(PROGRAMS / "answers.c", tmp_path / "answers", f"-Wl,-rpath,{library.prefix}/lib")
    wrong, count = wrong_answers([*VALGRIND, str(program)], SMALL)
    assert not wrong, "\n".join(wrong[:50])
    assert count > 5000


def test_the_static_library_is_enough(library: Library, tmp_path: Path) -> None:
    options = library.options("--static", "--cflags", "--libs")
    archive = str(library.prefix / "lib" / "libcanfetch.a")
    options = [archive if option == "-lcanfetch" else option for option in options]
    run("gcc", "-std=c99", *WARNINGS, EXAMPLES / "check.c", "-o", tmp_path / "check", *options)
    output = run(tmp_path / "check", ROOT / "examples" / "robots.txt", "GPTBot", "/blog/members/1")
    assert output.startswith("/blog/members/1: disallowed, disallow-rule, line 57: ")


@pytest.mark.parametrize("name", ["check", "speed"])
def test_examples_compile_without_warnings(library: Library, name: str, tmp_path: Path) -> None:
    library.compile(EXAMPLES / f"{name}.c", tmp_path / name, "-O2", "-Wpedantic")


def test_the_example_reads_no_part_of_a_line(library: Library, tmp_path: Path) -> None:
    program = library.compile(EXAMPLES / "check.c", tmp_path / "check", f"-Wl,-rpath,{library.prefix}/lib")
    file = tmp_path / "robots.txt"
    begin = "User-agent: Bot\nDisallow: /a\nUser-agent: Other\nUser-agent: Bot\nDisallow: /b\n#"
    rule = "\nDisallow: /"
    # The limit of 512,000 bytes is after the last slash.
    file.write_text(f"{begin:#<{512_000 - len(rule)}}{rule}private\n", encoding="utf-8")
    # The rule is in the second group of the agent.
    assert run(program, file, "Bot", "/public", "/b") == (
        "/public: allowed, no-match\n/b: disallowed, disallow-rule, line 5: /b (user-agent: line 1)\n"
    )
    done = subprocess.run([program, tmp_path, "Bot", "/"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, f"{tmp_path}: Is a directory\n")


def test_the_build_uses_the_folder_of_a_platform(library: Library, tmp_path: Path) -> None:
    require("rustc")
    platform = run("rustc", "-vV").partition("host: ")[2].split()[0]
    # Nobody runs what is built.
    fast = {"CARGO_PROFILE_RELEASE_LTO": "off", "CARGO_PROFILE_RELEASE_OPT_LEVEL": "0"}
    environment = {**os.environ, **fast, "PYTHON": sys.executable, "CARGO_BUILD_TARGET": platform}
    # Without `realpath -m`, which only GNU has, a relative folder is one of the current folder.
    done = subprocess.run(
        [ROOT / "tools" / "build_c_library.sh", "a/relative/folder"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    built = Library(tmp_path / "a" / "relative" / "folder")
    assert built.options("--static", "--libs")[2:] == library.options("--static", "--libs")[2:]


def test_a_package_needs_an_absolute_prefix(tmp_path: Path) -> None:
    require("make")
    command = ["make", "--directory", str(ROOT), "c-library", "PREFIX=dist/c", f"DESTDIR={tmp_path}/package"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "canfetch: DESTDIR needs an absolute PREFIX, such as PREFIX=/usr\n" in done.stderr
    assert not list(tmp_path.iterdir())


def test_the_installed_folder_can_be_moved(library: Library, tmp_path: Path) -> None:
    moved = Library(tmp_path / "moved")
    (tmp_path / "moved").symlink_to(library.prefix)
    program = moved.compile(EXAMPLES / "check.c", tmp_path / "check")
    run(program, ROOT / "examples" / "robots.txt", "GPTBot", "/", environment=moved.environment)
