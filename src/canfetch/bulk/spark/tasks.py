"""Parts of an output, written by the workers of Spark, which share a file system with this process."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Final, TypeVar

from py4j.protocol import Py4JJavaError
from pyspark import SparkContext
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from canfetch.errors import WorkerKilled

Task = TypeVar("Task")
Result = TypeVar("Result")

# So that a worker with short tasks does not wait for one with a long task.
_TASKS_PER_CORE: Final = 4
_PYTHON: Final = "PYSPARK_PYTHON"
_PYTHON_SETTING: Final = "spark.pyspark.python"


def run_spark_tasks(function: Callable[[Task], Result], tasks: Iterable[Task]) -> Iterator[tuple[Task, Result]]:
    """As `run_tasks`, on the active session of Spark, or on one with the settings of `spark-submit`.

    Raises: WorkerKilled: A task failed on several workers.
    """
    active = SparkSession.getActiveSession()
    # Two attempts of a task at the same time would write the same file.
    builder = SparkSession.builder.appName("canfetch").config("spark.speculation", "false")
    spark = active or builder.getOrCreate()
    try:
        context = spark.sparkContext
        if active is None:
            _use_this_python(context)
        remaining = iter(tasks)
        while some := list(islice(remaining, _TASKS_PER_CORE * context.defaultParallelism)):
            results = context.parallelize(some, len(some)).map(function).collect()
            yield from zip(some, results, strict=True)
    except (PySparkException, Py4JJavaError) as error:
        raise WorkerKilled(f"a task failed on Spark: {_reason(error)}") from error
    finally:
        if active is None:
            spark.stop()


def _use_this_python(context: SparkContext) -> None:
    """Run workers on this machine with this Python, unless another one is configured.

    By default, Spark runs the `python3` of the PATH, which need not have canfetch.
    """
    is_configured = os.environ.get(_PYTHON) or context.getConf().get(_PYTHON_SETTING)
    if (context.master or "").startswith("local") and not is_configured:
        context.pythonExec = sys.executable


def _reason(error: Exception) -> str:
    """Return the last line of a message that is not part of a stack, as that of the exception on the worker."""
    lines = [line for line in str(error).splitlines() if line.strip() and not line.startswith((" ", "\t", "SQLSTATE"))]
    return lines[-1] if lines else type(error).__name__
