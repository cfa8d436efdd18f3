"""`make release-check` names each fault in one line."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import canfetch
import release_check
from release_check import (
    EARLY,
    ROOT,
    Step,
    fault_of,
    faults_of_files,
    faults_of_git,
    faults_of_interface,
    faults_of_npm,
    last_release,
    main,
    steps_by_hand,
)

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
    settings = tmp_path / "src/canfetch/repository.py"
    replace(settings, "PUBLISHED: Final[bool] = False", "PUBLISHED: Final[bool] = True")
    address = re.compile(r"^REPOSITORY: .*", re.MULTILINE)
    text = settings.read_text(encoding="utf-8")
    text = address.sub('REPOSITORY: Final[str | None] = "https://example.com"', text)
    settings.write_text(re.sub(r"(RELEASE_KEYS: .* = ).*", r'\1("AAAA",)', text), encoding="utf-8")
    (tmp_path / "docs").mkdir()
    for page in EARLY:
        (tmp_path / page).write_text("Tested on all platforms.\n", encoding="utf-8")
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
            committed(lambda tree: replace(tree / "src/canfetch/repository.py", '"https://example.com"', "None")),
            "REPOSITORY in src/canfetch/repository.py is None: set it, because the packages link to it",
        ),
        (
            committed(lambda tree: replace(tree / "src/canfetch/repository.py", '("AAAA",)', "()")),
            "RELEASE_KEYS in src/canfetch/repository.py is empty: run tools/build_registry_release.py --new-key KEY",
        ),
        (
            committed(
                lambda tree: replace(
                    tree / "docs/agents.md", "Tested", "There is one, but this version has no key for them"
                )
            ),
            "docs/agents.md has the sentence 'this version has no key for them': write where releases are published",
        ),
        (
            committed(lambda tree: replace(tree / "CONTRIBUTING.md", "Tested", "They have never run, but tested")),
            "CONTRIBUTING.md has the sentence 'They have never run': run the workflows, and write what they tested",
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
    ids=[
        *(
            "npm",
            "wasm",
            "lock",
            "no entry",
            "empty entry",
            "unreleased",
            "switch",
            "address",
            "pin",
            "no key",
            "untested",
        ),
        *("changed", "new", "tag"),
    ],
)
def test_each_fault_is_one_line(tree: Path, change: Callable[[Path], object], fault: str) -> None:
    change(tree)
    assert faults(tree) == [fault]


def test_a_step_that_fails_names_its_output(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(release_check, "LOGS", ROOT / "build" / "release-check" / tmp_path.name)
    unset = ("CANFETCH_ENGINE", "ARGS", "PREFIX", "DESTDIR", "WORKERS", "GIT_DIR")
    for name in unset:
        monkeypatch.setenv(name, "value")
    code = f"import os; print('the reason', os.environ['CI'], {set(unset)} & set(os.environ)); raise SystemExit(3)"
    log = f"build/release-check/{tmp_path.name}/a-step.log"
    try:
        fault = fault_of(Step("A step", (sys.executable, "-c", code)), tmp_path)
        assert fault == f"A step: {sys.executable} -c {code} failed with exit code 3: see {log}"
        assert (ROOT / log).read_text(encoding="utf-8") == "the reason true set()\n"
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
    assert [step for step in later if ".ci/run" in step] == later[:1]


def test_the_last_release_is_the_highest_version_before_head(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert last_release(tree) is None
    for tag in ("v0.9.0", "v0.10.0", "v0.10.0rc1", "v1.0.0-rc1", "version"):
        git(tree, "tag", tag)
    git(tree, "checkout", "--quiet", "-b", "next")
    git(tree, "commit", "--quiet", "--allow-empty", "--message", "A later release")
    git(tree, "tag", "v2.0.0")
    git(tree, "checkout", "--quiet", "-")
    assert last_release(tree) == "v0.10.0"
    # In a hook of git, variables name another repository.
    monkeypatch.setenv("GIT_DIR", str(tree / "missing"))
    assert last_release(tree) == "v0.10.0"


@pytest.fixture
def cargo(tree: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put a program named cargo on PATH, and return its folder. It fails if the tree has a file `broken`."""
    programs = tmp_path_factory.mktemp("programs")
    program = programs / "cargo"
    program.write_text('#!/bin/sh\necho "$@"\n! test -e broken\n', encoding="utf-8")
    program.chmod(0o755)
    # The log of a step is named relative to the checkout.
    monkeypatch.setattr(release_check, "ROOT", tree)
    monkeypatch.setattr(release_check, "LOGS", tree / "logs")
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}/usr/bin{os.pathsep}/bin")
    return programs


def test_before_the_first_release_the_interface_has_only_a_list(
    tree: Path, cargo: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    del cargo
    assert list(faults_of_interface(tree)) == []
    skipped = "interface of the crate since the last release: skipped, because there is no release tag\n"
    assert capsys.readouterr().out == skipped


def test_after_a_release_the_interface_is_compared_with_its_tag(tree: Path, cargo: Path) -> None:
    git(tree, "tag", "v0.0.9")
    name = "interface of the crate since the last release"
    assert list(faults_of_interface(tree)) == [f"{name}: not checked: run cargo install --locked cargo-semver-checks"]
    shutil.copy(cargo / "cargo", cargo / "cargo-semver-checks")
    assert list(faults_of_interface(tree)) == []
    log = tree / "logs" / "interface-of-the-crate-since-the-last-release.log"
    command = "semver-checks --manifest-path rust/Cargo.toml --package canfetch --baseline-rev v0.0.9"
    assert log.read_text(encoding="utf-8") == f"{command}\n"
    (tree / "broken").touch()
    assert list(faults_of_interface(tree)) == [
        f"{name}: cargo {command} failed with exit code 1: see {log.relative_to(tree)}"
    ]


def test_metadata_for_npm_are_checked(tmp_path: Path) -> None:
    source = ROOT / "npm" / "package.json"
    shutil.copy(source, tmp_path)
    names = re.findall(r'"\./([\w.-]+)"', source.read_text(encoding="utf-8"))
    for name in names:
        if "." in name and name != "package.json":
            (tmp_path / name).touch()
    assert list(faults_of_npm(tmp_path, VERSION)) == []
    (tmp_path / "index.d.ts").unlink()
    replace(tmp_path / "package.json", '"Apache-2.0"', '"MIT"')
    assert set(faults_of_npm(tmp_path, VERSION)) == {
        "metadata for npm: license is 'MIT', expected 'Apache-2.0'",
        "metadata for npm: the package has no file ./index.d.ts",
    }


def test_a_quick_check_never_says_how_to_release(
    tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(release_check, "ROOT", tree)
    assert main(["--quick"]) == 0
    output = capsys.readouterr().out
    assert f"canfetch {VERSION}: 0 faults\n" in output
    assert output.endswith("\nNo package was built. Run `make release-check` before you tag a release.\n")
    assert "By hand" not in output


def test_the_tag_must_be_that_of_the_version(
    tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(release_check, "ROOT", tree)
    assert main(["--tag", f"v{VERSION}"]) == 0
    capsys.readouterr()
    assert main(["--tag", "v9.9.9"]) == 1
    fault = f"the tag is v9.9.9, and src/canfetch/__init__.py has the version {VERSION}"
    assert capsys.readouterr().out == f"canfetch {VERSION}: 1 fault\n  fault: {fault}\n"
