"""The commands on the page of the C library do what it shows."""

import shutil
import subprocess
from pathlib import Path

import pytest
from tests.c_library.conftest import ROOT, SECONDS, Library, require, require_sqlite
from tests.docs.blocks import blocks
from tests.docs.page_runner import expect, split_command

pytestmark = pytest.mark.service

PAGE = ROOT / "docs" / "c.md"
REASON = "needs the C library"


def test_page(library: Library, tmp_path: Path) -> None:
    require("cc")
    require_sqlite()
    shutil.copytree(ROOT / "rust" / "c" / "examples", tmp_path / "rust" / "c" / "examples")
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    found = blocks(PAGE)
    for block in found:
        if block.file is not None:
            (tmp_path / block.file).write_text(block.text, encoding="utf-8")
    sessions = [block for block in found if block.reason == REASON]
    assert len(sessions) == 3
    for session in sessions:
        parts = [split_command(part) for part in session.text.removeprefix("$ ").split("\n$ ")]
        # One shell, because a command sets a variable.
        script = "\n".join(command for command, _ in parts)
        done = subprocess.run(
            ["bash", "-euc", script],
            cwd=tmp_path,
            env=library.environment,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, "")
        expect(done.stdout, "".join(shown for _, shown in parts))
