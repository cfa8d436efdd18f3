"""The npm package, as `npm pack` archives it and npm installs it: in an empty folder, with a HOME of its own."""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest
from tests.missing import run_build_script, skip_unless_ci

ROOT: Final = Path(__file__).resolve().parents[2]
PROGRAMS: Final = Path(__file__).parent / "programs"
SECONDS: Final = 900
# The JavaScript runtimes: their npm package, the program in it, and its arguments before the name of a script. Node.js
# is installed on the machine.
RUNTIMES: Final = {
    "node": ("", "node", ("--expose-gc",)),
    "deno": ("deno@2.9.6", "@deno/*/deno", ("run", "--allow-all", "--no-prompt", "--v8-flags=--expose-gc")),
    "bun": ("bun@1.4.4", "@oven/*/bin/bun", ("run", "--expose-gc")),
}


class Archive(NamedTuple):
    """What `npm pack` made.

    Attributes:
        file: The archive.
        size: Its size in bytes.
        names: The files in it.
        folder: The folder that was packed.
    """

    file: Path
    size: int
    names: list[str]
    folder: Path


class Project(NamedTuple):
    """A folder in which packages are installed, and the programs of the tests."""

    folder: Path

    @property
    def environment(self) -> dict[str, str]:
        """The environment of its processes."""
        home = self.folder / "home"
        return {"PATH": os.environ["PATH"], "HOME": str(home), "npm_config_cache": str(home / "npm")}

    def install(self, *packages: str) -> str:
        """Install packages, without their scripts. Return why npm cannot do it, or an empty string."""
        command = ["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", *packages]
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        return "" if done.returncode == 0 else done.stderr[-500:] or "unknown reason"

    def run(self, *command: str | Path, questions: str | None = None) -> str:
        """Run a command in the folder, and return its output. It must not write to standard error."""
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=self.environment,
            input=questions,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
        return done.stdout


class Runtime(NamedTuple):
    """A project that also has robots-parser, and the command that runs its programs."""

    project: Project
    command: tuple[str | Path, ...]

    def run(self, program: str, *arguments: str, questions: str | None = None) -> str:
        """Run a program, and return its output. It must not write to standard error."""
        return self.project.run(*self.command, program, *arguments, questions=questions)


def new_project(folder: Path, archive: Archive) -> Project:
    """Return a new project with the package and the programs."""
    shutil.copytree(PROGRAMS, folder, dirs_exist_ok=True)
    (folder / "home").mkdir()
    (folder / "package.json").write_text('{ "private": true }\n', encoding="utf-8")
    project = Project(folder)
    problem = project.install("--offline", str(archive.file))
    assert not problem, problem
    return project


def install_required(project: Project, package: str) -> None:
    """Install a package. If npm cannot do it, skip the test; fail it in CI."""
    if problem := project.install(package):
        skip_unless_ci(f"npm cannot install {package}: {problem}")


@pytest.fixture(scope="session")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Archive:
    """Return the archive of the package. Without a toolchain, skip the test; fail it in CI."""
    if shutil.which("node") is None:
        skip_unless_ci("Node.js is not installed")
    folder = tmp_path_factory.mktemp("package")
    run_build_script("build_npm_package.sh", folder / "canfetch")
    command = ["npm", "pack", "--json", "--pack-destination", str(folder), str(folder / "canfetch")]
    packed = subprocess.run(command, capture_output=True, text=True, check=True)
    (description,) = json.loads(packed.stdout)
    names = [file["path"] for file in description["files"]]
    return Archive(folder / description["filename"], description["size"], names, folder / "canfetch")


@pytest.fixture(scope="session")
def project(archive: Archive, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Return a project with the package only."""
    return new_project(tmp_path_factory.mktemp("project"), archive)


@pytest.fixture(scope="session")
def with_robots_parser(archive: Archive, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Return a project that also has robots-parser, with its tests."""
    project = new_project(tmp_path_factory.mktemp("robots-parser"), archive)
    install_required(project, "robots-parser@3.0.1")
    lock = json.loads((project.folder / "package-lock.json").read_text(encoding="utf-8"))
    expected = "sha512-s+pyvQeIKIZ0dx5iJiQk1tPLJAWln39+MI5jtM8wnyws+G5azk+dMnMX0qfbqNetKKNgcWWOdi0sfm+FbQbgdQ=="
    assert lock["packages"]["node_modules/robots-parser"]["integrity"] == expected
    return project


@pytest.fixture(scope="session", params=RUNTIMES)
def runtime(with_robots_parser: Project, request: pytest.FixtureRequest) -> Runtime:
    """Return each runtime. Skip the test if npm has no program of it for this platform."""
    package, program, arguments = RUNTIMES[request.param]
    if not package:
        return Runtime(with_robots_parser, (program, *arguments))
    install_required(with_robots_parser, package)
    executable = next((with_robots_parser.folder / "node_modules").glob(program), None)
    if executable is None:
        pytest.skip(f"the npm package of {request.param} has no program for this platform")
    return Runtime(with_robots_parser, (executable, *arguments))


def lines_of_json(text: str) -> list[Any]:
    """Return the values of an output of one line of JSON for each."""
    return [json.loads(line) for line in text.splitlines()]
