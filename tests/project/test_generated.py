"""Generated files are up to date."""

import subprocess
import sys
from pathlib import Path

import pytest

from generated import ROOT, write_or_check


@pytest.mark.slow
@pytest.mark.parametrize("generator", sorted((ROOT / "tools").glob("generate_*.py")), ids=lambda path: path.name)
def test_generated_files_are_fresh(generator: Path) -> None:
    run = subprocess.run([sys.executable, str(generator), "--check"], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr


def test_only_outdated_files_are_named_and_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("generated.ROOT", tmp_path)
        patch.setattr("sys.argv", ["tools/generate_numbers.py"])
        (tmp_path / "one.txt").write_text("1", encoding="utf-8")
        texts = {tmp_path / "one.txt": "1", tmp_path / "two.txt": "2"}
        assert write_or_check(texts, check=True) == 1
        assert capsys.readouterr().out == "two.txt is out of date: run python tools/generate_numbers.py\n"
        assert write_or_check(texts, check=False) == 0
        assert capsys.readouterr().out == "two.txt written\n"
        assert write_or_check(texts, check=True) == 0
        assert capsys.readouterr().out == ""
