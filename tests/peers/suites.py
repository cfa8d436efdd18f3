"""Run the test suites of other projects with canfetch's classes in place of theirs.

`suites.toml` lists the suites and the tests that are known to fail, each with its reason. A suite comes from the sdist
of its project, which pip downloads into a temporary folder, or from the running interpreter. Its files are not changed:
a shim, which is a pytest plugin, puts canfetch's classes where the tests import them from.

    python -m tests.peers.suites [NAME ...]
"""

import argparse
import json
import os
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.robotparser import RobotFileParser

ROOT = Path(__file__).parents[2]
SUITES_FILE = Path(__file__).with_name("suites.toml")
SECONDS_LIMIT = 600.0


@dataclass(frozen=True)
class Difference:
    """Tests that are known to fail.

    Attributes:
        reason: What canfetch does, and why.
        standard: The source that canfetch follows.
        tests: The names of the tests, without the path of the suite. A name without parameters means all of them.
    """

    reason: str
    standard: str
    tests: tuple[str, ...]

    def __post_init__(self) -> None:
        if not (self.reason and self.standard and self.tests):
            raise ValueError(f"incomplete difference: {self}")


@dataclass(frozen=True)
class Suite:
    """A test suite.

    Attributes:
        name: The name of the suite.
        package: The distribution on PyPI, or None for the standard library of the running interpreter.
        version: The version of the distribution.
        files: The test files, relative to the sdist or the standard library.
        shim: The pytest plugin in this folder that installs canfetch's classes. The environment variable
            PEER_SUITE_FOLDER contains the folder of the sources.
        rewritten: Whether the suite is for interpreters with the rewritten urllib.robotparser, or None for all.
        minimum: The number of tests that must pass. A test with parameters counts once, and passes with all of them.
        ignored: Tests that are not run, such as those of private functions, with the reasons.
        differences: Tests that are known to fail.
    """

    name: str
    package: str | None
    version: str
    files: tuple[str, ...]
    shim: str
    rewritten: bool | None
    minimum: int
    ignored: dict[str, str]
    differences: tuple[Difference, ...]


@dataclass(frozen=True)
class Result:
    """The result of a suite: its tests by outcome, and everything that does not agree with `suites.toml`."""

    suite: Suite
    passed: tuple[str, ...]
    failed: tuple[str, ...]
    skipped: tuple[str, ...]
    problems: tuple[str, ...]

    def __str__(self) -> str:
        counts = f"{len(self.passed)} tests passed, {len(self.failed)} failed, {len(self.skipped)} were skipped"
        return "\n  ".join([f"{self.suite.name}: {counts}", *self.problems])


def load_suites() -> dict[str, Suite]:
    """Return the suites of `suites.toml` by name."""
    plain: dict[str, dict[str, Any]] = tomllib.loads(SUITES_FILE.read_text(encoding="utf-8"))
    return {name: _suite(name, values) for name, values in plain.items()}


def _suite(name: str, values: dict[str, Any]) -> Suite:
    differences = tuple(
        Difference(entry["reason"], entry["standard"], tuple(entry["tests"])) for entry in values.get("differences", ())
    )
    return Suite(
        name,
        values.get("package"),
        values.get("version", ""),
        tuple(values["files"]),
        values["shim"],
        values.get("rewritten"),
        values["minimum"],
        values.get("ignored", {}),
        differences,
    )


def is_rewritten() -> bool:
    """Return whether urllib.robotparser of the running interpreter follows RFC 9309.

    Maintenance releases of Python contain the rewrite, so that the version does not show it.
    """
    parser = RobotFileParser()
    parser.parse(["User-agent: *", "Disallow: /", "Allow: /a"])
    return parser.can_fetch("a", "/a")


def run_suite(suite: Suite, folder: Path) -> Result:
    """Run a suite and compare its results with those that are expected.

    Args: folder: A temporary folder for the sdist.
    Raises: subprocess.CalledProcessError: The sdist cannot be downloaded; RuntimeError: pytest ran no tests.
    """
    sources = _standard_library() if suite.package is None else _download(suite, folder)
    results = folder / f"{suite.name}.jsonl"
    configuration = folder / "pytest.ini"
    configuration.write_text("[pytest]\n", encoding="utf-8")
    command = [
        *(sys.executable, "-m", "pytest", "-q", "-c", str(configuration), "--rootdir", str(sources)),
        *("-p", "no:cacheprovider", "-p", "recorder", "-p", suite.shim),
        *(f"--deselect={folder}{name}" for name in suite.ignored for folder in {_folder(file) for file in suite.files}),
        *(str(sources / file) for file in suite.files),
    ]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(SUITES_FILE.parent)]),
        # Nothing is written next to the tests.
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "PEER_SUITE_FOLDER": str(sources),
        "PEER_SUITE_RESULTS": str(results),
    }
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=SECONDS_LIMIT, check=False, cwd=folder
    )
    if not results.exists():
        raise RuntimeError(f"{suite.name}: pytest ran no tests:\n{done.stdout}{done.stderr}")
    outcomes = _read_outcomes(results)
    return _compare(suite, outcomes)


def _standard_library() -> Path:
    return Path(sysconfig.get_path("stdlib"))


def _download(suite: Suite, folder: Path) -> Path:
    target = folder / suite.name
    target.mkdir()
    command = [
        *(sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"),
        *("--no-binary", str(suite.package), "--dest", str(target), f"{suite.package}=={suite.version}"),
    ]
    subprocess.run(command, check=True, timeout=SECONDS_LIMIT)
    (archive,) = target.glob("*.tar.gz")
    with tarfile.open(archive) as sdist:
        sdist.extractall(target, filter="data")
    (sources,) = (path for path in target.iterdir() if path.is_dir())
    return sources


def _read_outcomes(results: Path) -> dict[str, str]:
    outcomes: dict[str, str] = {}
    for line in results.read_text(encoding="utf-8").splitlines():
        name, outcome = json.loads(line)
        # A test has a report for each phase and each subtest. One failure counts.
        if outcomes.get(name) != "failed":
            outcomes[name] = outcome
    return outcomes


def _compare(suite: Suite, outcomes: dict[str, str]) -> Result:
    known = [name for difference in suite.differences for name in difference.tests]
    problems = [f"failed: {name}" for name in outcomes if outcomes[name] == "failed" and not _is_listed(name, known)]
    tests: dict[str, set[str]] = {}
    for name, outcome in outcomes.items():
        tests.setdefault(name.partition("[")[0], set()).add(outcome)
    for listed in known:
        found = {outcome for name, outcome in outcomes.items() if _is_listed(name, [listed])}
        if not found:
            problems.append(f"listed as a difference, but does not exist: {listed}")
        elif "failed" not in found:
            problems.append(f"listed as a difference, but passed: {listed}")
    passed = [name for name, found in tests.items() if found == {"passed"}]
    failed = [name for name, found in tests.items() if "failed" in found]
    skipped = [name for name, found in tests.items() if "skipped" in found]
    if len(passed) < suite.minimum:
        problems.append(f"only {len(passed)} tests passed: expected at least {suite.minimum}")
    return Result(suite, tuple(passed), tuple(failed), tuple(skipped), tuple(problems))


def _folder(file: str) -> str:
    folder, slash, _ = file.rpartition("/")
    return folder + slash


def _is_listed(name: str, listed: Iterable[str]) -> bool:
    return any(name == entry or name.startswith((f"{entry}[", f"{entry}::")) for entry in listed)


def main() -> None:
    """Run the suites and print their results."""
    suites = load_suites()
    arguments = argparse.ArgumentParser(prog="python -m tests.peers.suites", description=__doc__)
    arguments.add_argument("names", nargs="*", choices=[[], *suites], help="The suites. Default: all.")
    names = arguments.parse_args().names or list(suites)
    failed = False
    for name in names:
        if suites[name].rewritten not in {None, is_rewritten()}:
            print(f"{name}: not for this interpreter")  # noqa: T201 - the output of the command
            continue
        with tempfile.TemporaryDirectory() as folder:
            result = run_suite(suites[name], Path(folder))
        print(result)  # noqa: T201 - the output of the command
        failed = failed or bool(result.problems)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
