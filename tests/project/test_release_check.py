"""`make release-check` names each fault in one line."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import canfetch
import release_check
from release_check import ROOT, Step, fault_of, faults_of_files, faults_of_git, steps_by_hand

VERSION = canfetch.__version__
FILES = (
    "src/canfetch/__init__.py",
    "src/canfetch/repository.py",
    "rust/Cargo.toml",
    "rust/wasm/Cargo.toml",
    *(f"rust/{folder}Cargo.lock" for folder in ("", "wasm/", "bench/", "fuzz/")),
    "npm/package.json",
)
ENTRY = f"## [{VERSION}] - 2026-12-01\n\n### Added\n\n- Everything.\n"


def git(tree: Path, *arguments: str) -> None:
    identity = {f"GIT_{who}_{what}": "a@b" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    environment = {**os.environ, **identity, "GIT_CONFIG_GLOBAL": os.devnull}
    subprocess.run(["git", *arguments], cwd=tree, env=environment, capture_output=True, check=True)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Return a repository that can be released."""
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    replace(tmp_path / "src/canfetch/repository.py", "PUBLISHED: Final[bool] = False", "PUBLISHED: Final[bool] = True")
    (tmp_path / "CHANGELOG.md").write_text(f"# Changelog\n\n## [Unreleased]\n\n{ENTRY}", encoding="utf-8")
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "--message", "A release")
    return tmp_path


def replace(path: Path, old: str, new: str) -> None:
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")


def faults(tree: Path) -> list[str]:
    return [*faults_of_git(tree, VERSION), *faults_of_files(tree)]


def test_a_release_has_no_faults(tree: Path) -> None:
    assert faults(tree) == []


def committed(change: Callable[[Path], object]) -> Callable[[Path], None]:
    def apply(tree: Path) -> None:
        change(tree)
        git(tree, "commit", "--quiet", "--all", "--message", "A change")

    return apply


@pytest.mark.parametrize(
    "change, fault",
    [
        (
            committed(lambda tree: replace(tree / "npm/package.json", f'"{VERSION}"', '"9.9.9"')),
            f"npm/package.json has the version 9.9.9, and src/canfetch/__init__.py has {VERSION}",
        ),
        (
            committed(
                lambda tree: replace(tree / "rust/wasm/Cargo.toml", f'version = "{VERSION}"', 'version = "9.9.9"')
            ),
            f"rust/wasm/Cargo.toml has the version 9.9.9, and src/canfetch/__init__.py has {VERSION}",
        ),
        (
            committed(
                lambda tree: replace(
                    tree / "rust/Cargo.lock", f'"canfetch"\nversion = "{VERSION}"', '"canfetch"\nversion = "9.9.9"'
                )
            ),
            f"rust/Cargo.lock has the version 9.9.9, and src/canfetch/__init__.py has {VERSION}",
        ),
        (
            committed(lambda tree: replace(tree / "CHANGELOG.md", ENTRY, "")),
            f"CHANGELOG.md has no entry '## [{VERSION}] - YYYY-MM-DD' with changes",
        ),
        (
            committed(lambda tree: replace(tree / "CHANGELOG.md", "- Everything.\n", "")),
            f"CHANGELOG.md has no entry '## [{VERSION}] - YYYY-MM-DD' with changes",
        ),
        (
            committed(lambda tree: replace(tree / "CHANGELOG.md", "[Unreleased]\n", "[Unreleased]\n\n- One more.\n")),
            f"CHANGELOG.md has changes under [Unreleased]: move them into the entry of {VERSION}",
        ),
        (
            committed(lambda tree: replace(tree / "src/canfetch/repository.py", "[bool] = True", "[bool] = False")),
            "PUBLISHED in src/canfetch/repository.py is False: set it, and run python tools/generate_release_marks.py",
        ),
        (
            lambda tree: replace(tree / "npm/package.json", "robots.txt", "robots"),
            "the tree is dirty: 1 files differ from HEAD, such as npm/package.json",
        ),
        (
            lambda tree: (tree / "new.txt").write_text("", encoding="utf-8"),
            "the tree is dirty: 1 files differ from HEAD, such as new.txt",
        ),
        (
            lambda tree: git(tree, "tag", f"v{VERSION}"),
            f"the tag v{VERSION} exists: raise the version",
        ),
    ],
    ids=["npm", "wasm", "lock", "no entry", "empty entry", "unreleased", "switch", "changed", "new", "tag"],
)
def test_each_fault_is_one_line(tree: Path, change: Callable[[Path], object], fault: str) -> None:
    change(tree)
    assert faults(tree) == [fault]


def test_a_step_that_fails_names_its_output(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(release_check, "LOGS", ROOT / "build" / "release-check" / tmp_path.name)
    monkeypatch.setenv("CANFETCH_ENGINE", "python")
    code = "import os; print('the reason', os.environ['CI'], 'CANFETCH_ENGINE' in os.environ); raise SystemExit(3)"
    log = f"build/release-check/{tmp_path.name}/a-step.log"
    try:
        fault = fault_of(Step("A step", (sys.executable, "-c", code)), tmp_path)
        assert fault == f"A step: {sys.executable} -c {code} failed with exit code 3: see {log}"
        assert (ROOT / log).read_text(encoding="utf-8") == "the reason true False\n"
        assert fault_of(Step("A step", (sys.executable, "-c", "")), tmp_path) is None
        missing = fault_of(Step("A step", ("no-such-program",)), tmp_path)
        assert missing == f"A step: no-such-program failed with exit code 127: see {log}"
    finally:
        shutil.rmtree(release_check.LOGS, ignore_errors=True)


def test_the_first_release_needs_more_steps_by_hand(tree: Path) -> None:
    first = steps_by_hand(tree, VERSION, "1234abcd")
    git(tree, "tag", "v0.0.1")
    later = steps_by_hand(tree, VERSION, "1234abcd")
    assert set(later) < set(first)
    assert f"Tag the commit that was checked: git tag -s v{VERSION} -m 'canfetch {VERSION}' 1234abcd" in later
