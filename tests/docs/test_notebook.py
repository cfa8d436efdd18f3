"""The example notebook runs in a real kernel, and has the results that it shows."""

import base64
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.docs.blocks import ROOT

NOTEBOOK = ROOT / "examples" / "blocked_ai_crawlers.ipynb"
EXECUTE = """
import sys, nbclient, nbformat
notebook = nbformat.read(sys.argv[1], 4)
nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": "."}}).execute()
nbformat.write(notebook, sys.argv[2])
"""


def outputs(path: Path) -> list[dict[str, Any]]:
    cells = json.loads(path.read_text("utf-8"))["cells"]
    return [output for cell in cells for output in cell.get("outputs", ())]


def texts(found: list[dict[str, Any]]) -> list[str]:
    return ["".join(output["data"]["text/plain"]) for output in found]


@pytest.mark.service
def test_the_notebook_has_the_results_that_it_shows(tmp_path: Path) -> None:
    pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    executed = tmp_path / "executed.ipynb"
    folders = {name: str(tmp_path / name) for name in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR")}
    done = subprocess.run(
        [sys.executable, "-c", EXECUTE, str(NOTEBOOK), str(executed)],
        cwd=tmp_path,
        env={**os.environ, **folders, "JUPYTER_PLATFORM_DIRS": "1"},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found, shown = outputs(executed), outputs(NOTEBOOK)
    assert [output["output_type"] for output in found] == ["execute_result", "execute_result", "display_data"]
    assert texts(found) == texts(shown)
    for plot in (found[-1], shown[-1]):
        assert base64.b64decode("".join(plot["data"]["image/png"])).startswith(b"\x89PNG\r\n")
    # The rates of the example files.
    lines = texts(found)[1].splitlines()
    assert {line.split()[0]: line.split()[1] for line in lines[1:4]} == {
        "CCBot": "0.200",
        "GPTBot": "0.200",
        "ClaudeBot": "0.144",
    }
