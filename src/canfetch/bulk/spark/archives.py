"""Archives of robots.txt files as a data source of Spark."""

from collections.abc import Iterator
from typing import Any

from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.types import StructType

from canfetch.access.editions import get_lone_edition
from canfetch.access.policies import AccessPolicy, get_policy
from canfetch.bulk.archives.resolution import ResolvedFile, resolve_alone
from canfetch.bulk.reading.captures import Capture, Fault
from canfetch.bulk.reading.datasets import list_parts
from canfetch.bulk.reading.sources import read_captures
from canfetch.errors import InvalidOption

# The names are those of `canfetch bulk parse`, so that `BroadcastFiles` recognises a table of responses.
_SCHEMA = (
    "origin string, url string, time double, status int, location string, redirects int, access string, "
    "effect string, content binary, source string, position bigint, fault string"
)
_FIELDS = 12


class RobotsArchives(DataSource):
    """Archives of robots.txt files: WARC, tar, Parquet, CSV, NDJSON and folders, one partition for each.

        spark.dataSource.register(RobotsArchives)
        spark.read.format("robots-archives").load("/archives/a.warc.gz,/archives/b.warc.gz")

    Options: `path` has names that all workers can read, separated by commas, and `format` is that of all archives,
    which is recognised by default. `policy` is the access policy, or `edition` an edition that sets it. A record that
    cannot be used is a row with a `fault` and without content. Records of other URLs than a robots.txt are left out.
    Redirects are not followed: they have the value 1 in `redirects` and no `effect`.
    """

    @classmethod
    def name(cls) -> str:
        """The name of the format."""
        return "robots-archives"

    def schema(self) -> str:
        """The columns: those of a response, what it permits, and the fault of a record that cannot be used."""
        return _SCHEMA

    def reader(self, schema: StructType) -> "ArchiveReader":
        """Return the reader of the archives."""
        del schema
        return ArchiveReader(self.options)


class ArchiveReader(DataSourceReader):
    """Reads one archive in each task."""

    def __init__(self, options: Any) -> None:
        self._names = [name for name in options.get("path", "").split(",") if name]
        self._format = options.get("format")
        self.policy = _policy(options)
        if not self._names:
            raise InvalidOption("robots-archives needs the option path: the names of archives, separated by commas")

    def partitions(self) -> list[InputPartition]:
        """Return a partition for each archive, and for each file in a folder of archives or tables."""
        return [InputPartition(part) for name in self._names for part in list_parts(name, self._format)]

    def read(self, partition: InputPartition) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of an archive."""
        for item in read_captures(partition.value, format=self._format):
            if isinstance(item, Fault):
                yield (*[None] * (_FIELDS - 3), item.source, item.position, item.reason)
            else:
                yield _row(item, resolve_alone(item, self.policy))


def _policy(options: Any) -> AccessPolicy:
    edition, policy = options.get("edition"), options.get("policy")
    if edition is not None:
        policy = get_lone_edition(edition, () if policy is None else ("policy",)).policy
    return get_policy("rfc9309" if policy is None else policy)


def _row(capture: Capture, file: ResolvedFile) -> tuple[Any, ...]:
    return (
        capture.owner,
        capture.url,
        capture.time,
        capture.status,
        dict(capture.headers).get("location"),
        len(file.hops),
        None if file.access is None else str(file.access),
        None if file.effect is None else str(file.effect),
        capture.content,
        capture.source,
        capture.position,
        None,
    )
