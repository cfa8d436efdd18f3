"""Install each package in dist/ where nothing of the checkout is, and ask it the questions of tests/packaging.

usage: python tools/check_packages.py [NAME...]

`make packages` builds the packages and runs this. Each is installed into an empty folder, with a HOME of its own, by
the commands that the documentation shows. The wheel with the native engine is installed with each Python on this
machine that it serves. To add a package, write a function like `check_npm`, and list it in `checks`.

NAME is the beginning of a name that the command prints, such as "wheel". Without names, all packages are checked.

Exit codes: 0 all answers are correct; 1 a package cannot be installed or gives a wrong answer; 2 a package or an
interpreter is missing, or a name is unknown.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / "dist"
QUESTIONS = ROOT / "tests" / "packaging" / "questions.json"
OLDEST_MINOR, NEWEST_MINOR = 11, 16
# What a shell of a user has as well: where to find programs and registries.
_KEPT = re.compile(
    r"PATH|LANG|LC_\w+|SSL_CERT_\w+|GIT_SSL_\w+|NODE_EXTRA_CA_CERTS|(REQUESTS|CURL)_CA_BUNDLE|(PIP|UV|NPM_CONFIG|RUSTUP|CARGO_(HOME|HTTP|NET|REGISTR))_?\w*|\w+_PROXY",
    re.IGNORECASE,
)
# The example for C prints `URL: allowed, allow-rule, line 2: /a (user-agent: line 1)`.
_C_VERDICT = re.compile(r": (allowed|disallowed), [\w-]+(?:, line (\d+): .*)?", re.DOTALL)
_VERDICT = re.compile(r"(allowed|disallowed)\b(?:: line (\d+))?")
# For Node.js: as on docs/javascript.md.
_ASK_NPM = """\
import { readFileSync } from "node:fs";
import { parse } from "canfetch";

for (const { robots, url, agent } of JSON.parse(readFileSync("questions.json", "utf8"))) {
  console.log(String(parse(robots).decide(url, agent)));
}
"""
_ASK_PYODIDE = """\
import { readFileSync } from "node:fs";
import { loadPyodide } from "pyodide";

const python = await loadPyodide();
python.unpackArchive(new Uint8Array(readFileSync(process.argv[2])), "wheel");
python.globals.set("questions", readFileSync("questions.json", "utf8"));
console.log(python.runPython(`
import json, platform
import canfetch

lines = [f"{platform.python_version()}, engine {canfetch.engine}"]
for question in json.loads(questions):
    lines.append(str(canfetch.parse(question["robots"]).decide(question["url"], agent=question["agent"])))
"\\\\n".join(lines)
`));
"""


class Answer(NamedTuple):
    """A verdict, and the number of the line that decides, or 0."""

    allowed: bool
    line: int


class Result(NamedTuple):
    """The answers of a package, and what else identifies it."""

    answers: list[Answer]
    about: str


class PackageError(Exception):
    """A package cannot be installed or asked."""


class CleanFolder:
    """An empty folder with a HOME of its own, in which commands run."""

    def __init__(self, folder: Path, variables: Mapping[str, str] | None = None) -> None:
        self.folder = folder / "elsewhere"
        self.folder.mkdir()
        home = folder / "home"
        home.mkdir()
        self.environment = {
            **user_settings(Path.home()),
            **{name: value for name, value in os.environ.items() if _KEPT.fullmatch(name)},
            "HOME": str(home),
            "PATH": path_without_checkout(),
            **(variables or {}),
        }

    def run(self, *command: str | Path, codes: Sequence[int] = (0,)) -> str:
        """Run a command, and return its output.

        Raises: PackageError: it is not installed, or its exit code is not one of `codes`.
        """
        program = shutil.which(str(command[0]), path=self.environment["PATH"])
        if program is None:
            raise PackageError(f"{command[0]} is not installed")
        done = subprocess.run(
            [program, *map(str, command[1:])],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        if done.returncode not in codes:
            words = " ".join(map(str, command))
            raise PackageError(f"exit code {done.returncode} of {words}\n{(done.stdout + done.stderr)[-3000:]}")
        return done.stdout

    def write(self, name: str, text: str) -> None:
        """Write a file into the folder."""
        (self.folder / name).write_text(text, encoding="utf-8", newline="\n")


def user_settings(home: Path) -> dict[str, str]:
    """Return variables for the tools and settings of a user, such as those of registries, that are found by HOME."""
    files = {
        "NPM_CONFIG_USERCONFIG": [home / ".npmrc"],
        "PIP_CONFIG_FILE": [
            Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config") / "pip" / "pip.conf",
            home / "Library" / "Application Support" / "pip" / "pip.conf",
            home / ".pip" / "pip.conf",
        ],
    }
    # npm reads its variables in lower case, too.
    given = {name.upper() for name in os.environ}
    return {
        "CARGO_HOME": str(home / ".cargo"),
        "RUSTUP_HOME": str(home / ".rustup"),
        **{
            name: str(next(filter(Path.is_file, places)))
            for name, places in files.items()
            if name not in given and any(map(Path.is_file, places))
        },
    }


def is_inside(path: str) -> bool:
    """Return whether a folder on PATH belongs to the checkout."""
    return Path(path).absolute().is_relative_to(ROOT) or Path(path).resolve().is_relative_to(ROOT)


def path_without_checkout() -> str:
    """Return PATH without the folders of the checkout."""
    return os.pathsep.join(folder for folder in os.environ["PATH"].split(os.pathsep) if not is_inside(folder))


def questions() -> list[dict[str, Any]]:
    """Return the questions, which are rows of conformance cases."""
    listed: list[dict[str, Any]] = json.loads(QUESTIONS.read_text(encoding="utf-8"))
    return listed


def answers_of(lines: Sequence[str]) -> list[Answer]:
    """Return the answers in verdicts as text, such as `disallowed: line 2, Disallow: /a`."""
    found = []
    for line in lines:
        verdict = _VERDICT.match(line)
        if verdict is None:
            raise PackageError(f"not a verdict: {line!r}")
        found.append(Answer(verdict[1] == "allowed", int(verdict[2] or 0)))
    return found


def the_file(pattern: str) -> Path:
    """Return the file or folder in dist/ that a pattern describes.

    Raises: FileNotFoundError: there is none, or there are several.
    """
    found = sorted(DIST.glob(pattern))
    if len(found) != 1:
        raise FileNotFoundError(f"dist/{pattern}: {len(found)} files, and not one: run make packages")
    return found[0]


# --- Python --------------------------------------------------------------------------------------


def interpreters() -> dict[str, Path]:
    """Return an interpreter for each version of CPython on this machine that the native wheel serves."""
    found: dict[str, Path] = {}
    code = (
        "import ensurepip, platform, sys, sysconfig, venv;"
        "assert sys.implementation.name == 'cpython' and not sysconfig.get_config_var('Py_GIL_DISABLED');"
        "print(platform.python_version(), sys._base_executable)"
    )
    for minor in range(OLDEST_MINOR, NEWEST_MINOR + 1):
        name = f"python3.{minor}"
        folders = [*os.environ["PATH"].split(os.pathsep), "/usr/bin", "/usr/local/bin"]
        folders += sorted(map(str, Path.home().glob(f".pyenv/versions/3.{minor}.*/bin")))
        for candidate in filter(None, (shutil.which(name, path=folder) for folder in folders)):
            done = subprocess.run([candidate, "-c", code], capture_output=True, text=True, check=False)
            if done.returncode == 0:
                version, executable = done.stdout.split(maxsplit=1)
                found[version] = Path(executable.strip())
                break
    return found


def check_python(
    place: Path, *, file: Path, interpreter: Path, engine: str, variables: Mapping[str, str] | None = None
) -> Result:
    """Install a wheel or an sdist with pip, and ask the command `canfetch`."""
    here = CleanFolder(place, variables)
    here.run(interpreter, "-m", "venv", place / "venv")
    here.environment["PATH"] = f"{place / 'venv' / 'bin'}{os.pathsep}{here.environment['PATH']}"
    here.run("pip", "install", "--quiet", file)
    version = here.run("canfetch", "--version").strip()
    if f"engine {engine}," not in version:
        raise PackageError(f"not the engine {engine}: {version}")
    where = here.run("python", "-c", "import canfetch; print(canfetch.__file__)").strip()
    if not Path(where).is_relative_to(place):
        raise PackageError(f"canfetch is imported from {where}")
    answers = []
    for question in questions():
        here.write("robots.txt", question["robots"])
        command = ("canfetch", "check", question["url"], "--agent", question["agent"], "--robots", "robots.txt")
        verdict = json.loads(here.run(*command, "--format", "ndjson", codes=(0, 1)))
        answers.append(Answer(verdict["allowed"], verdict["rule"]["line"] if verdict["rule"] else 0))
    return Result(answers, version)


def path_without_rust(folder: Path) -> str:
    """Return a PATH with everything but the toolchain: a folder of links."""
    folder.mkdir()
    for entry in os.environ["PATH"].split(os.pathsep):
        if is_inside(entry) or not Path(entry).is_dir():
            continue
        for program in Path(entry).iterdir():
            link = folder / program.name
            if (
                not program.name.startswith(("cargo", "rustc", "rustup"))
                and not link.exists()
                and os.access(program, os.X_OK)
            ):
                link.unlink(missing_ok=True)
                link.symlink_to(program)
    return str(folder)


def check_python_without_rust(place: Path, *, file: Path, interpreter: Path) -> Result:
    """Install the sdist on a machine without Rust, where it falls back to the Python engine."""
    return check_python(
        place,
        file=file,
        interpreter=interpreter,
        engine="python",
        variables={"PATH": path_without_rust(place / "path"), "CANFETCH_BUILD": "auto"},
    )


def check_pyodide(place: Path, *, file: Path) -> Result:
    """Unpack the wheel without native code in Pyodide, which is CPython as WebAssembly, and ask the library."""
    here = CleanFolder(place)
    version = json.loads((ROOT / "page" / "package.json").read_text(encoding="utf-8"))["devDependencies"]["pyodide"]
    here.write("package.json", '{ "private": true }')
    here.run("npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--silent", f"pyodide@{version}")
    here.write("questions.json", QUESTIONS.read_text(encoding="utf-8"))
    here.write("ask.mjs", _ASK_PYODIDE)
    about, *lines = here.run("node", "ask.mjs", file).splitlines()
    return Result(answers_of(lines), f"Pyodide {version}, Python {about}")


# --- Rust, C and JavaScript -------------------------------------------------------------------------


def check_crate(place: Path, *, file: Path) -> Result:
    """Add the unpacked crate to a new program, the example of docs/rust.md, and ask it."""
    here = CleanFolder(place)
    with tarfile.open(file) as archive:
        archive.extractall(place, filter="data")
    crate = place / file.stem
    here.run("cargo", "init", "--quiet", "--name", "check", "--vcs", "none")
    here.run("cargo", "add", "--quiet", "canfetch", "--path", crate)
    shutil.copy(crate / "examples" / "check.rs", here.folder / "src" / "main.rs")
    lines = []
    for question in questions():
        here.write("robots.txt", question["robots"])
        output = here.run(
            "cargo", "run", "--quiet", "--", "robots.txt", question["agent"], question["url"], codes=(0, 1)
        )
        lines.append(output.splitlines()[0].partition("\t")[2])
    return Result(answers_of(lines), here.run("cargo", "--version").strip())


def check_c(place: Path, *, file: Path) -> Result:
    """Compile the example of docs/c.md with a copy of the library that pkg-config finds, and ask it."""
    here = CleanFolder(place)
    library = place / "library"
    shutil.copytree(file, library, symlinks=True)
    here.environment["PKG_CONFIG_PATH"] = str(library / "lib" / "pkgconfig")
    flags = here.run("pkg-config", "--cflags", "--libs", "canfetch").split()
    shutil.copy(ROOT / "rust" / "c" / "examples" / "check.c", here.folder)
    here.run("cc", "-std=c99", "check.c", "-o", "check", *flags, f"-Wl,-rpath,{library / 'lib'}")
    lines = []
    for question in questions():
        here.write("robots.txt", question["robots"])
        output = here.run(here.folder / "check", "robots.txt", question["agent"], question["url"])
        verdict = _C_VERDICT.fullmatch(output.removeprefix(question["url"]).strip())
        if verdict is None:
            raise PackageError(f"not a verdict: {output!r}")
        lines.append(f"{verdict[1]}: line {verdict[2] or 0}")
    return Result(answers_of(lines), f"version {here.run('pkg-config', '--modversion', 'canfetch').strip()}")


def check_npm(place: Path, *, file: Path) -> Result:
    """Install the archive with npm, and ask it in Node.js."""
    here = CleanFolder(place)
    here.write("package.json", '{ "private": true }')
    here.run("npm", "install", "--offline", "--no-audit", "--no-fund", "--silent", file)
    here.write("questions.json", QUESTIONS.read_text(encoding="utf-8"))
    here.write("ask.mjs", _ASK_NPM)
    return Result(
        answers_of(here.run("node", "ask.mjs").splitlines()), f"Node.js {here.run('node', '--version').strip()}"
    )


class Check(NamedTuple):
    """A package, and the function that installs and asks it.

    Attributes:
        pattern: Its file or folder in dist/.
        ask: Called with an empty folder, and with the package as `file`.
    """

    pattern: str
    ask: Callable[..., Result]


def checks() -> dict[str, Check]:
    """Return the check of each package, by name.

    Raises: FileNotFoundError: there is no interpreter.
    """
    found = interpreters()
    if not found:
        raise FileNotFoundError(f"no CPython 3.{OLDEST_MINOR} or later with ensurepip and venv is installed")
    oldest = next(iter(found.values()))
    # The dependencies that other builds have compiled.
    shared = {"CANFETCH_BUILD": "native", "CARGO_TARGET_DIR": str(ROOT / "rust" / "target")}
    native, pure, sdist = "canfetch-*-cp*.whl", "canfetch-*-none-any.whl", "canfetch-*.tar.gz"
    return {
        "sdist": Check(sdist, partial(check_python, interpreter=oldest, engine="native", variables=shared)),
        "sdist without Rust": Check(sdist, partial(check_python_without_rust, interpreter=oldest)),
        **{
            f"wheel with Python {version}": Check(
                native, partial(check_python, interpreter=interpreter, engine="native")
            )
            for version, interpreter in found.items()
        },
        "pure wheel": Check(pure, partial(check_python, interpreter=oldest, engine="python")),
        "pure wheel in Pyodide": Check(pure, check_pyodide),
        "crate": Check("crate/canfetch-*.crate", check_crate),
        "C library": Check("c", check_c),
        "npm": Check("npm/canfetch-*.tgz", check_npm),
    }


def chosen_checks(names: Sequence[str]) -> dict[str, Callable[[Path], Result]]:
    """Return the functions for the packages whose names begin with one of `names`, or for all.

    Raises:
        FileNotFoundError: a package is missing, or there is no interpreter.
        LookupError: no package has one of the names.
    """
    known = checks()
    for name in names:
        if not any(other.startswith(name) for other in known):
            raise LookupError(f"no package {name!r}: expected one of {', '.join(known)}")
    return {
        name: partial(check.ask, file=the_file(check.pattern))
        for name, check in known.items()
        if not names or name.startswith(tuple(names))
    }


def faults_of(check: Callable[[Path], Result]) -> tuple[list[str], str]:
    """Return what is wrong with a package, and a description of it."""
    with tempfile.TemporaryDirectory(prefix="canfetch-package-") as folder:
        try:
            answers, about = check(Path(folder).resolve())
        except PackageError as error:
            return [str(error)], ""
        # Such as output in an unexpected format. The results of the other packages are printed.
        except (OSError, LookupError, ValueError, TypeError, tarfile.TarError) as error:
            return [f"{type(error).__name__}: {error}"], ""
    asked = questions()
    if len(answers) != len(asked):
        return [f"{len(answers)} answers to {len(asked)} questions"], about
    return [
        f"{question['case']}: {question['url']} for {question['agent']}: expected {expected}, and not {answer}"
        for question, answer in zip(asked, answers, strict=True)
        if answer != (expected := Answer(question["allowed"], question["line"]))
    ], about


def main(names: Sequence[str]) -> int:
    """Check the packages, two at a time."""
    try:
        chosen = chosen_checks(names)
    except (FileNotFoundError, LookupError) as error:
        print(f"canfetch: {error}", file=sys.stderr)
        return 2
    failed = False

    def timed(check: Callable[[Path], Result]) -> tuple[list[str], str, float]:
        begun = time.monotonic()
        return *faults_of(check), time.monotonic() - begun

    with ThreadPoolExecutor(max_workers=2) as pool:
        for name, (faults, about, seconds) in zip(chosen, pool.map(timed, chosen.values()), strict=True):
            failed = failed or bool(faults)
            state = "FAILED" if faults else f"{len(questions())} correct answers"
            print(f"{name}: {state} ({', '.join(filter(None, (about, f'{seconds:.0f} s')))})", flush=True)
            for fault in faults:
                print(f"  {fault}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
