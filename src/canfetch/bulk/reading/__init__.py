"""Archives of robots.txt files, read as a stream of captures: WARC, folders, tar, Parquet, CSV and NDJSON."""

from canfetch.bulk.reading.captures import Capture, Fault
from canfetch.bulk.reading.sources import read_captures

__all__ = ["Capture", "Fault", "read_captures"]
