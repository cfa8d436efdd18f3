"""The formats of archives and tables, by the suffixes of their names."""

import os
import re
from typing import Final

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
