"""Spark: functions of columns, SQL functions, tables of files on all workers, and archives as a data source.

canfetch has to be installed on the workers. Spark copies the content of a file for each row that it joins, so
`BroadcastFiles` sends the files to each worker once, and rows name them by ID. `PartitionedFiles` brings files of any
number to their rows.
"""

from canfetch.bulk.extras import import_extra

import_extra("pyspark", "spark", "for canfetch.bulk.spark")
import_extra("pyarrow", "spark", "by Spark for Arrow data")

from canfetch.bulk.spark.archives import RobotsArchives  # noqa: E402 - after the check
from canfetch.bulk.spark.broadcast_files import BroadcastFiles  # noqa: E402
from canfetch.bulk.spark.functions import (  # noqa: E402
    allows,
    decide,
    matrix,
    may_use,
    metrics,
    origins,
    register,
    rules,
    sitemaps,
    usage,
)
from canfetch.bulk.spark.partitioned_files import PartitionedFiles  # noqa: E402

__all__ = [
    "BroadcastFiles",
    "PartitionedFiles",
    "RobotsArchives",
    "allows",
    "decide",
    "matrix",
    "may_use",
    "metrics",
    "origins",
    "register",
    "rules",
    "sitemaps",
    "usage",
]
