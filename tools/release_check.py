"""Do everything of a release but the upload, from a clean clone of HEAD, and print what is left to do by hand.

usage: python tools/release_check.py [--quick | --tag TAG]

Every fault is one line. What a failed step printed is in build/release-check/. `--quick` builds nothing. `--tag` only
checks the files of a commit that has the tag. The workflow that uploads the packages runs it.

Exit codes: 0 no faults; 1 there are faults.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import runpy
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from check_packages import path_without_checkout

ROOT = Path(__file__).resolve().parent.parent
LOGS = ROOT / "build" / "release-check"
# The version of the Python package is the one that others must have.
_VERSION = re.compile(r'^__version__(?:: \w+(?:\[str\])?)? = "([^"]+)"$', re.MULTILINE)
# What would lead from the clone back to this checkout, or is an argument of its Makefile.
_UNSET = re.compile(
    r"PYTHON|CANFETCH_|VIRTUAL_ENV|VENV|MAKE|MFLAGS|GIT_|CARGO_TARGET_DIR|CARGO_BUILD_TARGET"
    r"|(ARGS|PREFIX|DESTDIR|WORKERS|COVERAGE)$"
)
_RUN = "run the workflows, and write what they tested"
# What pages state before the first release, and what to do before they can state something else.
EARLY = {
    "CONTRIBUTING.md": ("They have never run", _RUN),
    "docs/installation.md": ("Nothing else has been tested yet", _RUN),
    "docs/agents.md": ("this version has no key for them", "write where releases are published"),
}
_RELEASE = re.compile(r"v(\d+)\.(\d+)\.(\d+)")


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
)
BUILD = Step("packages, their licenses, bills of materials and answers", ("make", "packages"))
SETUP = Step("environment", ("make", ".venv/.canfetch/group-release"))
SEMVER = "interface of the crate since the last release"


def git(tree: Path, *arguments: str) -> str:
    """Return the output of a git command."""
    command = [shutil.which("git") or "git", *arguments]
    # A hook of git sets variables that name another repository.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True, check=True).stdout.strip()


def last_release(tree: Path) -> str | None:
    """Return the tag of the last release before HEAD that is not a pre-release."""
    found = filter(_RELEASE.fullmatch, git(tree, "tag", "--list", "v*", "--merged", "HEAD").splitlines())
    return max(found, key=lambda tag: [int(number) for number in re.findall(r"\d+", tag)], default=None)


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
    settings = runpy.run_path(str(tree / "src/canfetch/repository.py"))
    if not settings["PUBLISHED"]:
        yield "PUBLISHED in src/canfetch/repository.py is False: set it, and run python tools/generate_release_marks.py"
    if not settings["REPOSITORY"]:
        yield "REPOSITORY in src/canfetch/repository.py is None: set it, because the packages link to it"
    if not settings["RELEASE_KEYS"]:
        yield "RELEASE_KEYS in src/canfetch/repository.py is empty: run tools/build_registry_release.py --new-key KEY"
    for page, (sentence, advice) in EARLY.items():
        if sentence in (tree / page).read_text(encoding="utf-8"):
            yield f"{page} has the sentence '{sentence}': {advice}"


def faults_of_npm(package: Path, version: str) -> Iterator[str]:
    """Yield what is wrong with the metadata of the npm package that was built in a folder."""
    metadata: dict[str, Any] = json.loads((package / "package.json").read_text(encoding="utf-8"))
    for field, expected in (("name", "canfetch"), ("version", version), ("license", "Apache-2.0")):
        if metadata.get(field) != expected:
            yield f"metadata for npm: {field} is {metadata.get(field)!r}, expected {expected!r}"
    files = [metadata.get(field) for field in ("main", "module", "types", "exports")]
    while files:
        file = files.pop()
        if isinstance(file, dict):
            files += file.values()
        elif not isinstance(file, str) or not (package / file).is_file():
            yield f"metadata for npm: the package has no file {file}"


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
    environment["PATH"] = path_without_checkout()
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


def faults_of_tag(tag: str, version: str) -> Iterator[str]:
    """Yield the fault of a tag that is not that of the version."""
    if tag != f"v{version}":
        yield f"the tag is {tag}, and src/canfetch/__init__.py has the version {version}"


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
    if built:
        yield from faults_of_npm(clone / "build" / "npm", package_version(clone))
        if changed := git(clone, "status", "--porcelain").splitlines():
            yield f"the build changes committed files, such as {changed[0].split(maxsplit=1)[1]}"
    yield from faults_of_interface(clone)


def faults_of_interface(clone: Path) -> Iterator[str]:
    """Compare the public interface of the crate with that of the last release, and yield the fault.

    Before the first release, only the step "interface of the crate" compares it, with the list in the repository.
    """
    tag = last_release(clone)
    if tag is None:
        print(f"{SEMVER}: skipped, because there is no release tag")
    elif shutil.which("cargo-semver-checks") is None:
        yield f"{SEMVER}: not checked: run cargo install --locked cargo-semver-checks"
    else:
        command = ("cargo", "semver-checks", "--manifest-path", "rust/Cargo.toml", "--package", "canfetch")
        fault = fault_of(Step(SEMVER, (*command, "--baseline-rev", tag)), clone)
        if fault is not None:
            yield fault


def steps_by_hand(tree: Path, version: str, commit: str) -> list[str]:
    """Return what a maintainer has to do, in order, to release the commit that was checked."""
    steps = [f"Run .ci/run on {commit}, unless it has passed: this command runs neither the tests nor the linters."]
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
        "If crawlers have changed, run tools/build_registry_release.py FOLDER --key KEY, and publish both files.",
    ]


def print_faults(version: str, faults: list[str]) -> int:
    """Print the faults, and return the exit code."""
    print(f"canfetch {version}: {len(faults)} fault{'' if len(faults) == 1 else 's'}")
    for fault in faults:
        print(f"  fault: {fault}")
    return int(bool(faults))


def main(arguments: Sequence[str] | None = None) -> int:
    """Check a release, and print the faults and the steps by hand."""
    parser = argparse.ArgumentParser(description="Check everything of a release but the upload.")
    only = parser.add_mutually_exclusive_group()
    only.add_argument("--quick", action="store_true", help="build nothing")
    only.add_argument("--tag", help="check only the files of a commit that has this tag")
    options = parser.parse_args(arguments)
    quick = options.quick
    begun = time.monotonic()
    version = package_version(ROOT)
    if options.tag is not None:
        return print_faults(version, [*faults_of_tag(options.tag, version), *faults_of_files(ROOT)])
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
    print(f"\n{commit}, {time.monotonic() - begun:.0f} s")
    code = print_faults(version, faults)
    if quick:
        print("\nNo package was built. Run `make release-check` before you tag a release.")
        return code
    print("\nBy hand, after the faults are fixed:" if faults else "\nBy hand:")
    for number, text in enumerate(steps_by_hand(ROOT, version, commit), start=1):
        print(f"  {number}. {text}")
    return code


if __name__ == "__main__":
    sys.exit(main())
