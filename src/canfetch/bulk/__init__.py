"""Columns of files, agents and URLs: Arrow data in, Arrow data out, with the same verdicts as `parse`.

Arrow data, lists -> columns -> Kernel: (file number, agent number, URL) -> rules -> Column
                                  |
                                  contents, IDs, agents -> numbers

The functions accept any column with the Arrow PyCapsule interface, such as those of pyarrow, Polars, pandas and DuckDB,
and also lists and single values. They return a `Column`, which all of these libraries read. None of them is required.

The submodules `duckdb`, `pandas`, `polars` and `spark` have the same functions for these engines.

- `decisions` has the functions, and is the file to open first. `kernels` chooses the kernel: that of the native engine
  (`rust/python/src/columns`), or `python_kernel`. A kernel compiles each distinct file once, and a call looks up each
  file and agent of a dictionary once. Tables of files and agents are bounded, and all calls share them.
- Archives and lists of URLs become tables: `reading` yields captures, `archives` decides, and `writing` writes parts.
  `studies` counts the files of an archive by the definitions of research papers. `captured_sites` answers for single
  URLs as of a date.
"""

from canfetch.bulk.captured_sites import CapturedSites
from canfetch.bulk.column import Column
from canfetch.bulk.contents import metrics, rules, sitemaps
from canfetch.bulk.decisions import allows, clear_cache, decide, matrix
from canfetch.bulk.files import Files
from canfetch.bulk.preferences import usage
from canfetch.bulk.url_origins import origins
from canfetch.bulk.uses import may_use

__all__ = [
    "CapturedSites",
    "Column",
    "Files",
    "allows",
    "clear_cache",
    "decide",
    "matrix",
    "may_use",
    "metrics",
    "origins",
    "rules",
    "sitemaps",
    "usage",
]
