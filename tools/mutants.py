"""Count the defects that the tests find: change the code in a fixed sample of places, and run the tests of the package.

usage: python tools/mutants.py [--number N] [--seed N] [--python PATH] [PACKAGE ...]

cosmic-ray makes the changes (mutants) in a copy of the committed files. A mutant is killed if a test of the package
fails. The mutants that survive are printed. They show what no test checks, or changes without an effect.
"""

import argparse
import os
import random
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from shutil import which
from typing import Final

from cosmic_ray.work_db import WorkDB, use_db
from cosmic_ray.work_item import WorkItem

ROOT: Final = Path(__file__).resolve().parents[1]
# The code of each package, and its tests.
PACKAGES: Final = {
    "core": ("src/canfetch/core", "tests/core"),
    "access": ("src/canfetch/access", "tests/access"),
    "frontier": ("src/canfetch/client/frontier", "tests/frontier"),
    "pages": ("src/canfetch/pages", "tests/pages"),
    "compare": ("src/canfetch/compare", "tests/compare"),
}
# The slow tests, too.
MARKERS: Final = "not packaging and not service"
# A mutant that makes a loop endless ends after this time, and is killed.
TIMEOUT_SECONDS: Final = 600
CONFIGURATION: Final = """\
[cosmic-ray]
module-path = "{code}"
excluded-modules = ["src/canfetch/core/_tables.py", "src/canfetch/access/_tables.py"]
timeout = {timeout}
test-command = "{command}"

[cosmic-ray.distributor]
name = "local"
"""


def main() -> int:
    """Test the packages that the arguments name."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("packages", nargs="*", metavar="PACKAGE", help=f"default: {' '.join(PACKAGES)}")
    parser.add_argument("--number", type=int, default=20, help="mutants of each package, default: 20")
    parser.add_argument("--seed", type=int, default=9309, help="the sample is the same for the same seed and code")
    parser.add_argument("--python", default=sys.executable, help="the interpreter that runs the tests")
    arguments = parser.parse_args()
    unknown = set(arguments.packages) - set(PACKAGES)
    if unknown:
        parser.error(f"unknown packages {sorted(unknown)}: expected some of {sorted(PACKAGES)}")
    with tempfile.TemporaryDirectory(prefix="canfetch-mutants-") as name:
        copy = Path(name) / "checkout"
        copy_checkout(copy, arguments.python)
        for package in arguments.packages or PACKAGES:
            test_package(package, copy, arguments)
    return 0


def copy_checkout(copy: Path, python: str) -> None:
    """Copy the committed files and the native module. Their bytecode depends on content, so no mutant uses old code."""
    git, tar = which("git"), which("tar")
    assert git
    assert tar
    copy.mkdir()
    archive = subprocess.run([git, "archive", "HEAD"], cwd=ROOT, capture_output=True, check=True)
    subprocess.run([tar, "-x", "-C", copy], input=archive.stdout, check=True)
    for module in (ROOT / "src" / "canfetch").glob("_native.*so"):
        (copy / "src" / "canfetch" / module.name).write_bytes(module.read_bytes())
    compile_files = [python, "-m", "compileall", "-q", "--invalidation-mode", "checked-hash", "src", "tests"]
    subprocess.run(compile_files, cwd=copy, check=True)


def test_package(package: str, copy: Path, arguments: argparse.Namespace) -> None:
    """Run the tests of a package for each mutant of the sample, and print the mutants that survive."""
    code, tests = PACKAGES[package]
    command = [arguments.python, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-m", MARKERS, tests]
    environment = {**os.environ, "PYTHONPATH": str(copy / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    configuration, database = copy.parent / f"{package}.toml", copy.parent / f"{package}.sqlite"
    configuration.write_text(CONFIGURATION.format(code=code, timeout=TIMEOUT_SECONDS, command=shlex.join(command)))
    subprocess.run(command, cwd=copy, env=environment, check=True, stdout=subprocess.DEVNULL)
    cosmic_ray = [str(Path(sys.executable).with_name("cosmic-ray")), "--verbosity", "ERROR"]
    subprocess.run([*cosmic_ray, "init", str(configuration), str(database)], cwd=copy, env=environment, check=True)
    with use_db(database, WorkDB.Mode.open) as session:
        items = session.work_items
        chosen = sample(items, arguments.number, random.Random(arguments.seed))  # noqa: S311 - a sample
        session.clear()
        session.add_work_items(chosen)
    subprocess.run([*cosmic_ray, "exec", str(configuration), str(database)], cwd=copy, env=environment, check=True)
    with use_db(database, WorkDB.Mode.open) as session:
        results = [result for _, result in session.results]
    killed = sum(result.is_killed for result in results)
    print(f"{package}: {killed} of {len(results)} mutants killed, of {len(items)} possible ones", flush=True)
    for result in results:
        if not result.is_killed:
            print(result.diff, flush=True)


def sample(items: Iterable[WorkItem], number: int, chance: random.Random) -> list[WorkItem]:
    """Return mutants of different places. A place is chosen first, because some operators have many replacements.

    `|` is left out: in this code it almost always joins types in an annotation, which no test can see.
    """
    places: dict[tuple[str, tuple[int, int]], list[WorkItem]] = {}
    for item in items:
        mutation = item.mutations[0]
        if "BinaryOperator_BitOr" not in mutation.operator_name:
            places.setdefault((str(mutation.module_path), mutation.start_pos), []).append(item)
    chosen = chance.sample(sorted(places), min(number, len(places)))
    return [chance.choice(sorted(places[place], key=lambda item: str(item.mutations[0]))) for place in chosen]


if __name__ == "__main__":
    sys.exit(main())
