"""The C library in other languages, with the conformance cases."""

import pytest
from conformance.__main__ import main
from tests.c_library.conftest import PROGRAMS, SMALL, Library, require
from tests.conformance.case_lines import wrong_answers
from tests.missing import skip_unless_ci

pytestmark = pytest.mark.service


def test_ruby(library: Library) -> None:
    require("ruby")
    (shared,) = [path for path in (library.prefix / "lib").glob("libcanfetch.*") if path.suffix in {".so", ".dylib"}]
    wrong, count = wrong_answers(["ruby", str(PROGRAMS / "answers.rb"), str(shared)], SMALL)
    assert not wrong, "\n".join(wrong[:50])
    assert count > 5000


def test_go(capsys: pytest.CaptureFixture[str]) -> None:
    """The adapter of the scoreboard is in Go."""
    require("cargo", "gcc", "go", "pkg-config")
    code = main(["--adapter", "canfetch-c", "--quiet"])
    output = capsys.readouterr().out
    if "is not installed" in output:
        skip_unless_ci(output)
    assert code == 0, output[-2000:]
