"""The first steps of each language in the README, in an unpacked release archive."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from conformance.archive import build_archive, version
from conformance.cases import ROOT

README = (ROOT / "README.md").read_text("utf-8")
BLOCK = re.compile(r"^### ([^\n]+)\n(?:(?!^#).)*?^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)
STEPS = dict(BLOCK.findall(README))
TOOLS = {"Python": "python3", "JavaScript": "npm", "Rust": "cargo", "Go": "go", "Java": "mvn", "C++": "c++"}


@pytest.mark.slow
def test_adapter_in_the_repository_of_its_author(tmp_path: Path) -> None:
    """The file and the command of the documentation, in a folder that has nothing else of the project."""
    page = (ROOT.parent / "docs" / "conformance.md").read_text("utf-8")
    source, command = re.findall(
        r"^:caption: adapter\.py\n\n(.*?)^```.*^\$ (python -m conformance [^\n]*)", page, re.MULTILINE | re.DOTALL
    )[0]
    (tmp_path / "adapter.py").write_text(source, encoding="utf-8")
    with tarfile.open(build_archive(tmp_path / "cases", ROOT.parent / "LICENSE")) as archive:
        archive.extractall(tmp_path / "cases", filter="data")

    done = subprocess.run(
        ["bash", "-c", command],
        cwd=tmp_path,
        env={
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
            "PYTHONPATH": str(tmp_path / "cases" / f"canfetch-conformance-{version()}"),
        },
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stderr) == (1, "")
    assert re.search(
        r"^[1-9]\d+ passed, [1-9]\d+ failed, [1-9]\d* skipped, of \d+ cases$",
        (tmp_path / "report.txt").read_text("utf-8"),
        re.MULTILINE,
    )


@pytest.mark.slow
def test_every_language_has_steps() -> None:
    assert set(STEPS) == set(TOOLS)


@pytest.mark.service
# Rust compiles the parsers and all that they depend on, for more than a minute.
@pytest.mark.parametrize(
    "language", [pytest.param(name, marks=pytest.mark.nightly) if name == "Rust" else name for name in TOOLS]
)
def test_first_steps(language: str, tmp_path: Path) -> None:
    if shutil.which(TOOLS[language]) is None:
        pytest.skip(f"{TOOLS[language]} is not installed")
    with tarfile.open(build_archive(tmp_path, ROOT.parent / "LICENSE")) as archive:
        archive.extractall(tmp_path, filter="data")

    done = subprocess.run(
        ["bash", "-e", "-c", STEPS[language]],
        cwd=tmp_path / f"canfetch-conformance-{version()}",
        capture_output=True,
        text=True,
        check=False,
    )

    # Every implementation passes some cases. Some fail others, so that the code is 0 or 1.
    assert done.returncode in {0, 1}, done.stderr
    assert re.search(r"^[1-9]\d* passed, \d+ failed, \d+ skipped", done.stdout, re.MULTILINE), done.stdout + done.stderr
