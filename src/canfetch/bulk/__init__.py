"""Columns of files, agents and URLs: Arrow data in, Arrow data out, with the same verdicts as `parse`.

The functions accept any column with the Arrow PyCapsule interface, such as those of pyarrow, Polars, pandas and DuckDB,
and also lists and single values. They return a `Column`, which all of these libraries read. None of them is required.

The submodules `duckdb`, `pandas`, `polars` and `spark` have the same functions for these engines.
"""

from canfetch.bulk.column import Column
from canfetch.bulk.contents import metrics, rules, sitemaps
from canfetch.bulk.decisions import allows, clear_cache, decide, matrix
from canfetch.bulk.files import Files
from canfetch.bulk.preferences import usage
from canfetch.bulk.url_origins import origins

__all__ = [
    "Column",
    "Files",
    "allows",
    "clear_cache",
    "decide",
    "matrix",
    "metrics",
    "origins",
    "rules",
    "sitemaps",
    "usage",
]
