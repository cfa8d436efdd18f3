"""`--engine spark` without a cluster and without an activated environment."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.bulk.spark_cluster import JAVA_OPTIONS, ROOT, is_expected

pytestmark = [
    pytest.mark.service,
    pytest.mark.skipif(sys.platform != "linux", reason="the scripts are those of a POSIX shell"),
    pytest.mark.skipif(not is_expected(), reason="Java is not installed"),
]
pytest.importorskip("pyspark")


def run_spark(folder: Path, **settings: str) -> "subprocess.CompletedProcess[str]":
    """Run a command on Spark. The `python3` of the PATH writes a file and fails."""
    (folder / "robots").mkdir()
    (folder / "robots" / "a.example.txt").write_text("User-agent: *\nDisallow: /\n", encoding="utf-8")
    programs = folder / "programs"
    programs.mkdir()
    other = programs / "python3"
    other.write_text(f"#!/bin/sh\ntouch {folder}/started\nexit 1\n", encoding="utf-8")
    other.chmod(0o755)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYSPARK", "SPARK"))}
    environment |= JAVA_OPTIONS
    environment |= {
        "PATH": f"{programs}{os.pathsep}{environment['PATH']}",
        "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)]),
        "SPARK_LOCAL_IP": "127.0.0.1",
        **settings,
    }
    command = [sys.executable, "-m", "canfetch", "bulk", "matrix", "robots", "--agent", "GPTBot"]
    return subprocess.run(
        [*command, "--engine", "spark", "-o", "matrix.csv"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def test_workers_on_this_machine_run_the_same_python(tmp_path: Path) -> None:
    done = run_spark(tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "matrix.csv").read_text(encoding="utf-8").splitlines()[1].endswith(",conditional-allow,false")
    assert not (tmp_path / "started").exists()


def test_a_configured_python_runs_the_workers(tmp_path: Path) -> None:
    done = run_spark(tmp_path, PYSPARK_PYTHON=str(tmp_path / "programs" / "python3"))
    assert done.returncode == 2
    assert (tmp_path / "started").exists()
