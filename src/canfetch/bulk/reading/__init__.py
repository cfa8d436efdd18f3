"""Archives of robots.txt files, read as a stream of captures: WARC, folders, tar, Parquet, CSV and NDJSON.

paths -> (sources) files of a format -> Capture or Fault

`captures` and `sources` are the files to open first. Every damage is a `Fault` with its position, and reading continues
after it: a truncated or damaged member of a gzip file costs one record, and never becomes an empty robots.txt.
"""

from canfetch.bulk.reading.captures import Capture, Fault
from canfetch.bulk.reading.sources import read_captures

__all__ = ["Capture", "Fault", "read_captures"]
