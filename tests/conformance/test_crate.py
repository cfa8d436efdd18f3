"""Every conformance case, through the public interface of the crate for Rust."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from conformance.__main__ import main
from tests.conformance.case_files import CASES, STANDARD_LIBRARY
from tests.conformance.case_lines import is_answered, wrong_answers
from tests.missing import skip_unless_ci

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def program() -> Path:
    if shutil.which("cargo") is None:
        skip_unless_ci("cargo is not installed")
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "rust/target"))
    command = [
        "cargo",
        "build",
        "--quiet",
        "--locked",
        "--release",
        "--package",
        "canfetch",
        "--example",
        "answer_cases",
    ]
    build = subprocess.run(
        [*command, "--manifest-path", ROOT / "rust/Cargo.toml", "--target-dir", target],
        capture_output=True,
        text=True,
        check=False,
    )
    assert build.returncode == 0, build.stderr
    return target / "release/examples/answer_cases"


@pytest.mark.slow
def test_cases(program: Path) -> None:
    wrong, count = wrong_answers([str(program)], CASES)
    assert not wrong, "\n".join(wrong[:50])
    assert count > 5000


@pytest.mark.service
def test_the_archive_of_the_crate(capsys: pytest.CaptureFixture[str]) -> None:
    """The adapter of the scoreboard uses the crate as `cargo package` archives it."""
    code = main(["--adapter", "canfetch-crate", "--quiet"])
    output = capsys.readouterr().out
    if "is not installed" in output:
        skip_unless_ci(output)
    assert code == 0, output[-2000:]


def test_only_origins_are_left_out() -> None:
    for case in CASES:
        for question in case.questions():
            is_about_origins = question.robots_url is not None or question.profile in STANDARD_LIBRARY
            assert is_answered(question) is not is_about_origins
