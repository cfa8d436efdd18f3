"""The release archive of the cases."""

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from conformance.archive import build_archive, files, main, version
from conformance.cases import ROOT, case_files

LICENCE = ROOT.parent / "LICENSE"


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    return build_archive(tmp_path / "dist", LICENCE)


def test_archive_contains_cases_runner_and_license(archive: Path) -> None:
    folder = f"canfetch-conformance-{version()}"
    with tarfile.open(archive) as content:
        names = content.getnames()

    assert names == sorted(names, key=lambda name: (not name.endswith("/LICENSE"), name))
    required = {"LICENSE", "conformance/README.md", "conformance/__main__.py", "conformance/untrusted.pem"}
    required |= {f"conformance/{path.relative_to(ROOT).as_posix()}" for path in case_files()}
    assert {f"{folder}/{name}" for name in required} <= set(names)
    assert [name for name in names if "__pycache__" in name or "node_modules" in name] == []


@pytest.mark.slow
def test_equal_files_result_in_equal_bytes(archive: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    for path in files():
        target = copy / path.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
        os.utime(target, (10**9, 10**9))
        target.chmod(0o600)
    (copy / "scoreboard" / "__pycache__").mkdir()
    (copy / "scoreboard" / "__pycache__" / "page.pyc").write_bytes(b"compiled")

    again = build_archive(tmp_path / "again", LICENCE, copy)

    assert again.read_bytes() == archive.read_bytes()
    assert again.name == archive.name


def test_checksum_is_that_of_the_archive(archive: Path) -> None:
    digest, name = archive.with_name(f"{archive.name}.sha256").read_text().split()

    assert digest == hashlib.sha256(archive.read_bytes()).hexdigest()
    assert name == archive.name


@pytest.mark.slow
def test_unpacked_archive_runs_without_the_project(archive: Path, tmp_path: Path) -> None:
    with tarfile.open(archive) as content:
        content.extractall(tmp_path, filter="data")

    done = subprocess.run(
        [sys.executable, "-S", "-m", "conformance", "--command", "true", "--id", "disputed-01", "--profile", "rfc9309"],
        cwd=tmp_path / f"canfetch-conformance-{version()}",
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert "1 passed, 0 failed" in done.stdout


@pytest.mark.slow
def test_command_writes_the_archive(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path)]) == 0
    assert Path(capsys.readouterr().out.strip()).is_file()
    assert main([]) == 2
