"""The formats of archives and tables, by the suffixes of their names."""

import os
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


def format_of_name(name: str) -> str | None:
    """Return the format that the suffix of a name means, or None."""
    stem, suffix = os.path.splitext(name.lower())  # noqa: PTH122 - names only
    if suffix == _ZSTD:
        known = _BY_SUFFIX.get(os.path.splitext(stem)[1])  # noqa: PTH122 - names only
        return known if known == "warc" else None
    if suffix in _COMPRESSIONS:
        suffix = os.path.splitext(stem)[1]  # noqa: PTH122 - names only
    return _BY_SUFFIX.get(suffix)


def is_json_name(name: str) -> bool:
    """Return whether a name has the suffix `.json`, which tables have, and other documents as well."""
    stem, suffix = os.path.splitext(name.lower())  # noqa: PTH122 - names only
    return suffix == _JSON or (suffix in _COMPRESSIONS and stem.endswith(_JSON))
