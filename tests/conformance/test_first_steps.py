"""The first steps of each language in the README, in an unpacked release archive."""

import re
import shutil
import subprocess
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
