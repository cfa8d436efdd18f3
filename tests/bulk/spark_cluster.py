"""A Spark cluster on this machine: a standalone master, and two workers in processes of their own."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa

ROOT = Path(__file__).resolve().parent.parent.parent
WORKERS = 2
# The JVMs of a test end before optimized code would pay for its compilation, which takes half of their processor time.
JAVA_OPTIONS = {"JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}


def is_expected() -> bool:
    """Return whether Spark is started: if Java is installed, and always in CI."""
    return shutil.which("java") is not None or os.environ.get("CI") == "true"


@contextmanager
def started_cluster(folder: Path) -> Iterator[str]:
    """Start a master and two workers, and yield the URL of the master."""
    import pyspark

    home = Path(pyspark.__file__).parent
    environment = os.environ | JAVA_OPTIONS
    environment |= {
        "SPARK_HOME": str(home),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_LOCAL_DIRS": str(folder / "local"),
        "SPARK_WORKER_DIR": str(folder / "work"),
        "PYSPARK_PYTHON": sys.executable,
    }
    run = [str(home / "bin" / "spark-class")]
    deploy = "org.apache.spark.deploy"
    master = _start(
        [*run, f"{deploy}.master.Master", "--host", "127.0.0.1", "--port", "0", "--webui-port", "0"], environment
    )
    workers: list[subprocess.Popen[str]] = []
    try:
        url = "spark://" + _wait_for(master, "Starting Spark master at spark://").partition("spark://")[2].strip()
        for _ in range(WORKERS):
            workers.append(
                _start([*run, f"{deploy}.worker.Worker", "-c", "1", "-m", "1g", "--webui-port", "0", url], environment)
            )
            _wait_for(master, "Registering worker")
        yield url
    finally:
        for process in [*workers, master]:
            process.kill()
            process.wait()
            if process.stderr is not None:
                process.stderr.close()


def _start(command: list[str], environment: dict[str, str]) -> "subprocess.Popen[str]":
    return subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def _wait_for(process: "subprocess.Popen[str]", text: str) -> str:
    """Return the first line of the log with a text."""
    assert process.stderr is not None
    lines = []
    for line in process.stderr:
        lines.append(line)
        if text in line:
            return line
    raise AssertionError("".join(lines))


@contextmanager
def session(master: str, folder: Path) -> Iterator[Any]:
    """Connect to a master."""
    from pyspark.sql import SparkSession

    python_path = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    settings = {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "512m",
        "spark.executor.memory": "512m",
        "spark.executor.cores": "1",
        "spark.executorEnv.PYTHONPATH": python_path,
        "spark.local.dir": str(folder / "local"),
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    os.environ |= JAVA_OPTIONS
    builder = SparkSession.builder.master(master).appName("canfetch")
    for name, value in settings.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    try:
        yield spark
    finally:
        spark.stop()


def killing_one_worker(marker: str, after: int) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Return a function for `mapInArrow` that kills its executor and its worker, once, at a row from `after` on."""

    def pass_rows(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            if batch.column(0)[0].as_py() >= after:
                kill_worker_once(marker)
            yield batch

    return pass_rows


def kill_worker_once(marker: str) -> None:
    """Kill the worker of this process with SIGKILL, unless another process has killed one before."""
    try:
        os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return
    # This process is a child of the daemon of Python processes, which is a child of the executor.
    executor = _parent(os.getppid())
    worker = _parent(executor)
    Path(marker).write_text(f"{executor} {worker}", encoding="ascii")
    os.kill(worker, signal.SIGKILL)
    os.kill(executor, signal.SIGKILL)


def _parent(process: int) -> int:
    status = Path(f"/proc/{process}/status").read_text(encoding="ascii")
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("PPid:"))
