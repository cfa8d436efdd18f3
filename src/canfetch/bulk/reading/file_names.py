"""What names of files show: the formats of archives and tables, and the host or origin and time of a robots.txt.

| name | file |
| --- | --- |
| `example.com.txt`, `example.com`, `example.com/robots.txt` | that of a host, for http and https |
| `example.com_8443.txt` | that of a host with a port |
| `https%3A%2F%2Fexample.com.txt` | that of an origin |
| `example.com/2026-05-01.txt`, `example.com/2026-05-01T12-30-00Z.txt` | that of a host, from a time on |
"""

import os
import re
from typing import Final, NamedTuple
from urllib.parse import unquote

from canfetch.bulk.reading.captures import Capture, Fault, Name
from canfetch.core.text import printable_text
from canfetch.errors import InvalidURL
from canfetch.logs.history import parse_dated_name

_JSON: Final = ".json"
_BY_SUFFIX: Final = {
    ".warc": "warc",
    ".wet": "warc",
    ".wat": "warc",
    ".arc": "arc",
    ".tar": "tar",
    ".tgz": "tar",
    ".tbz2": "tar",
    ".txz": "tar",
    ".parquet": "parquet",
    ".csv": "csv",
    ".tsv": "csv",
    ".ndjson": "ndjson",
    ".jsonl": "ndjson",
    # Spark writes NDJSON with this suffix.
    _JSON: "ndjson",
}
_COMPRESSIONS: Final = (".gz", ".bz2", ".xz")
# Only of WARC files.
_ZSTD: Final = ".zst"
# Spark and Hadoop write text with these names: part-00000, part-r-00000, part-00000-<UUID>-c000.txt. No host has them.
_TEXT_PART: Final = re.compile(
    r"part-([mr]-)?\d{5,}(-[\w-]+)?(\.c\d{3})?(\.txt)?(\.(gz|bz2|deflate|snappy|lz4|zst|zstd))?", re.ASCII
)
_SUFFIX: Final = ".txt"
_ROBOTS: Final = "robots.txt"
_DATE: Final = re.compile(r"\d{4}-\d\d-\d\d(?!\d)", re.ASCII)
# Hosts are written in lower case: `readme.md` may be one.
_DOCUMENTATION: Final = re.compile(r"(README|LICEN[CS]E|COPYING|CHANGELOG)(\.(md|txt|rst))?")
_PORT_SUFFIX: Final = re.compile(r"_(\d{1,5})\Z")


def format_of_name(name: str) -> str | None:
    """Return the format that the suffix of a name means, or None."""
    stem, suffix = os.path.splitext(name.lower())  # noqa: PTH122 - names only
    if suffix == _ZSTD:
        known = _BY_SUFFIX.get(os.path.splitext(stem)[1])  # noqa: PTH122 - names only
        return known if known == "warc" else None
    if suffix in _COMPRESSIONS:
        suffix = os.path.splitext(stem)[1]  # noqa: PTH122 - names only
    return _BY_SUFFIX.get(suffix)


def is_text_part_name(name: str) -> bool:
    """Return whether a name is that of a text file of Spark or Hadoop, which does not show its format."""
    return _TEXT_PART.fullmatch(name) is not None


def is_json_name(name: str) -> bool:
    """Return whether a name has the suffix `.json`, which tables have, and other documents as well."""
    stem, suffix = os.path.splitext(name.lower())  # noqa: PTH122 - names only
    return suffix == _JSON or (suffix in _COMPRESSIONS and stem.endswith(_JSON))


class NamedFile(NamedTuple):
    """The owner and the URL of a file, and its time in seconds since the epoch, or None."""

    name: Name
    time: float | None


def parse_file_name(path: str) -> NamedFile:
    """Parse a path with `/` as the separator.

    Raises: InvalidURL: It names no host, or its date is invalid.
    """
    *folders, last = [part for part in path.split("/") if part not in {"", "."}] or [""]
    time = None
    stem = _without_suffix(last)
    # A name with a dot is that of a host, such as 2026-05-01.example.com.
    if _DATE.match(stem) and "." not in stem:
        time = parse_dated_name(stem)
        if time is None:
            raise InvalidURL(f"invalid date {stem!r}: expected a name such as example.com/2026-05-01.txt")
        if not folders:
            raise InvalidURL(f"no host in the name {last!r}: expected a name such as example.com/2026-05-01.txt")
        last = folders[-1]
    elif last.lower() == _ROBOTS:
        if not folders:
            raise InvalidURL(f"no host in the name {last!r}: expected a name such as example.com.txt")
        last = folders[-1]
    owner = unquote(_without_suffix(last))
    return NamedFile(Name.parse_owner(owner if "://" in owner else _PORT_SUFFIX.sub(r":\1", owner)), time)


def _without_suffix(name: str) -> str:
    return name[: -len(_SUFFIX)] if name.lower().endswith(_SUFFIX) else name


def named_capture(path: str, content: bytes, source: str, position: int) -> Capture | Fault:
    """Return the capture of a file without a response, or a fault if its path does not name a host."""
    if _DOCUMENTATION.fullmatch(path.rpartition("/")[2]):
        return Fault(source, position, f"{printable_text(path)}: documentation by its name, and not a robots.txt")
    if is_text_part_name(path.rpartition("/")[2]):
        return Fault(source, position, f"{printable_text(path)}: text of Spark by its name, and not a robots.txt")
    try:
        (owner, url), time = parse_file_name(path)
    except InvalidURL as error:
        return Fault(source, position, f"{printable_text(path)}: {error}")
    return Capture(owner, url, time, None, (), content, source, position)
