"""Do everything of a release but the upload, from a clean clone of HEAD, and print what is left to do by hand.

usage: python tools/release_check.py [--quick]

Every fault is one line. What a failed step printed is in build/release-check/. `--quick` builds nothing.

Exit codes: 0 the release can be tagged; 1 there are faults.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
LOGS = ROOT / "build" / "release-check"
# The version of the Python package is the one that others must have.
_VERSION = re.compile(r'^__version__(?:: \w+(?:\[str\])?)? = "([^"]+)"$', re.MULTILINE)
# What would lead from the clone back to this checkout.
_UNSET = re.compile(r"(PYTHON|CANFETCH_|VIRTUAL_ENV|VENV|MAKE|MFLAGS|GIT_|CARGO_TARGET_DIR|CARGO_BUILD_TARGET_DIR)")


class Step(NamedTuple):
    """A command that runs in the clone."""

    name: str
    command: tuple[str, ...]


STEPS = (
    Step("marks of commands that need a registry", (".venv/bin/python", "tools/generate_release_marks.py", "--check")),
    Step("metadata for PyPI", ("sh", "-c", ".venv/bin/python -m twine check --strict dist/*.whl dist/*.tar.gz")),
    Step("interface of the crate", (".venv/bin/python", "tools/crate_interface.py", "--check")),
    Step(
        "metadata for crates.io",
        ("cargo", "publish", "--dry-run", "--locked", "--manifest-path", "rust/Cargo.toml", "--package", "canfetch"),
    ),
    Step("metadata for npm", ("npm", "pack", "--dry-run", "./build/npm")),
)
BUILD = Step("packages, their licenses, bills of materials and answers", ("make", "packages"))
SETUP = Step("environment", ("make", ".venv/.canfetch/group-release"))
SEMVER = "interface of the crate since the last release"


def git(tree: Path, *arguments: str) -> str:
    """Return the output of a git command."""
    command = [shutil.which("git") or "git", *arguments]
    return subprocess.run(command, cwd=tree, capture_output=True, text=True, check=True).stdout.strip()


def package_version(tree: Path) -> str:
    """Return the version of the Python package."""
    found = _VERSION.search((tree / "src/canfetch/__init__.py").read_text(encoding="utf-8"))
    if found is None:
        raise SystemExit("canfetch: src/canfetch/__init__.py has no line `__version__ = ...`")
    return found[1]


def other_versions(tree: Path) -> dict[str, str]:
    """Return the versions in other files, by what has them."""
    found: dict[str, str] = {}
    rust: dict[str, Any] = tomllib.loads((tree / "rust/Cargo.toml").read_text(encoding="utf-8"))
    found["rust/Cargo.toml"] = rust["workspace"]["package"]["version"]
    wasm: dict[str, Any] = tomllib.loads((tree / "rust/wasm/Cargo.toml").read_text(encoding="utf-8"))
    found["rust/wasm/Cargo.toml"] = wasm["package"]["version"]
    for name in ("rust/Cargo.lock", "rust/wasm/Cargo.lock", "rust/bench/Cargo.lock", "rust/fuzz/Cargo.lock"):
        for package in tomllib.loads((tree / name).read_text(encoding="utf-8"))["package"]:
            if package["name"] == "canfetch":
                found[name] = package["version"]
    found["npm/package.json"] = json.loads((tree / "npm/package.json").read_text(encoding="utf-8"))["version"]
    return found


def faults_of_files(tree: Path) -> Iterator[str]:
    """Yield what is wrong with the committed files of a release, a line for each fault."""
    version = package_version(tree)
    for name, other in other_versions(tree).items():
        if other != version:
            yield f"{name} has the version {other}, and src/canfetch/__init__.py has {version}"
    sections = re.split(r"^## ", (tree / "CHANGELOG.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    entry = re.compile(rf"\[{re.escape(version)}\] - \d{{4}}-\d\d-\d\d\n(?=[\s\S]*^- )", re.MULTILINE)
    if not any(entry.match(section) for section in sections):
        yield f"CHANGELOG.md has no entry '## [{version}] - YYYY-MM-DD' with changes"
    elif any(section.startswith("[Unreleased]") and "\n- " in section for section in sections):
        yield f"CHANGELOG.md has changes under [Unreleased]: move them into the entry of {version}"
    if "PUBLISHED: Final[bool] = True\n" not in (tree / "src/canfetch/repository.py").read_text(encoding="utf-8"):
        yield "PUBLISHED in src/canfetch/repository.py is False: set it, and run python tools/generate_release_marks.py"


def faults_of_git(tree: Path, version: str) -> Iterator[str]:
    """Yield what is wrong with the state of the repository."""
    if changed := git(tree, "status", "--porcelain").splitlines():
        example = changed[0].split(maxsplit=1)[1]
        yield f"the tree is dirty: {len(changed)} files differ from HEAD, such as {example}"
    if git(tree, "tag", "--list", f"v{version}"):
        yield f"the tag v{version} exists: raise the version"


def fault_of(step: Step, clone: Path) -> str | None:
    """Run a step in the clone, print its duration, and return its fault."""
    log = LOGS / f"{re.sub(r'[^a-z]+', '-', step.name.lower())}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    environment = {name: value for name, value in os.environ.items() if not _UNSET.match(name)}
    environment["PATH"] = os.pathsep.join(
        folder for folder in os.environ["PATH"].split(os.pathsep) if not Path(folder).absolute().is_relative_to(ROOT)
    )
    begun = time.monotonic()
    with log.open("w", encoding="utf-8") as output:
        try:
            done = subprocess.run(
                step.command,
                cwd=clone,
                # In CI, a missing tool is an error. Builds share the dependencies that they compile.
                env={**environment, "CI": "true", "CARGO_TARGET_DIR": str(clone / "rust" / "target")},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                check=False,
            )
            code = done.returncode
        except FileNotFoundError as error:
            output.write(f"{error}\n")
            code = 127
    print(f"{step.name}: {'FAILED' if code else 'passed'} ({time.monotonic() - begun:.0f} s)", flush=True)
    if code:
        return f"{step.name}: {' '.join(step.command)} failed with exit code {code}: see {log.relative_to(ROOT)}"
    return None


def faults_of_clone(clone: Path) -> Iterator[str]:
    """Build and check the packages in a clone, and yield the faults."""
    built = True
    for step in (SETUP, BUILD, *STEPS):
        fault = fault_of(step, clone)
        if fault is not None:
            yield fault
            if step in {SETUP, BUILD}:
                built = False
                break
    if built and (changed := git(clone, "status", "--porcelain").splitlines()):
        yield f"the build changes committed files, such as {changed[0].split(maxsplit=1)[1]}"
    if tags := git(clone, "tag", "--list", "v*", "--sort=-version:refname").splitlines():
        command = ("cargo", "semver-checks", "--manifest-path", "rust/Cargo.toml", "--package", "canfetch")
        fault = fault_of(Step(SEMVER, (*command, "--baseline-rev", tags[0])), clone)
        if fault is not None:
            yield fault
    else:
        print(f"{SEMVER}: skipped, because there is no release tag")


def steps_by_hand(tree: Path, version: str, commit: str) -> list[str]:
    """Return what a maintainer has to do, in order, to release the commit that was checked."""
    steps = []
    repository = (tree / "src/canfetch/repository.py").read_text(encoding="utf-8")
    if "\nREPOSITORY: Final[str | None] = None" in repository:
        steps.append(
            "Set REPOSITORY and DOCUMENTATION in src/canfetch/repository.py, so that the packages link to them."
        )
    if not git(tree, "tag", "--list", "v*"):
        steps += [
            "Create the environment `release` in the repository, with a required reviewer.",
            "On PyPI, add a pending trusted publisher: project canfetch, workflow wheels.yml, environment release.",
            "Add the secrets CARGO_REGISTRY_TOKEN (crates.io) and NPM_TOKEN (npm) to the environment.",
        ]
    return [
        *steps,
        f"Tag the commit that was checked: git tag -s v{version} -m 'canfetch {version}' {commit}",
        f"Push the tag: git push origin v{version}. The workflow Wheels builds and checks the packages.",
        "Approve the environment `release` in the run of the workflow. It uploads to PyPI, crates.io and npm.",
        "Install each package in an empty folder from its registry, as docs/installation.md shows.",
        f"Write the release notes of v{version} from CHANGELOG.md. Attach the archive of `make conformance-archive`.",
    ]


def main() -> int:
    """Check a release, and print the faults and the steps by hand."""
    parser = argparse.ArgumentParser(description="Check everything of a release but the upload.")
    parser.add_argument("--quick", action="store_true", help="build nothing")
    quick = parser.parse_args().quick
    begun = time.monotonic()
    version = package_version(ROOT)
    # HEAD may move while the packages are built.
    commit = git(ROOT, "rev-parse", "HEAD")
    faults = [*faults_of_git(ROOT, version)]
    with tempfile.TemporaryDirectory(prefix="canfetch-release-") as folder:
        clone = Path(folder).resolve() / "canfetch"
        git(ROOT, "clone", "--quiet", "--no-checkout", str(ROOT), str(clone))
        git(clone, "checkout", "--quiet", "--detach", commit)
        faults += faults_of_files(clone)
        if not quick:
            faults += faults_of_clone(clone)
    print(f"\ncanfetch {version}: {len(faults)} faults, {time.monotonic() - begun:.0f} s")
    for fault in faults:
        print(f"  fault: {fault}")
    print("\nBy hand:" if not faults else "\nBy hand, after the faults are repaired:")
    for number, text in enumerate(steps_by_hand(ROOT, version, commit), start=1):
        print(f"  {number}. {text}")
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
