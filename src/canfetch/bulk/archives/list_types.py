"""The types of the columns of lists of URLs, which one Parquet file has to represent."""

from collections.abc import Sequence
from typing import Any

from canfetch.bulk.archives.filter_lists import URLList
from canfetch.bulk.reading.row_files import load_pyarrow, parquet_errors
from canfetch.bulk.writing.common_schemas import common_type
from canfetch.bulk.writing.part_writers import arrow_fields
from canfetch.core.quoting import quoted
from canfetch.errors import InvalidOption


def check_common_types(lists: Sequence[URLList]) -> None:
    """Raise InvalidOption if no type has all values of a column of lists, which have the same columns."""
    common = {name: (kind, lists[0]) for name, kind in _types(lists[0]).items()}
    for urls in lists[1:]:
        for name, kind in _types(urls).items():
            known, first = common[name]
            found = common_type(known, kind)
            if found is None:
                raise InvalidOption(
                    f"the column {quoted(name)} has the type {known} in {quoted(first.name)} and {kind} in "
                    f"{quoted(urls.name)}: write it with one type, or write CSV or NDJSON"
                )
            if found != known:
                common[name] = (found, urls)


def _types(urls: URLList) -> dict[str, Any]:
    if urls.format != "parquet":
        # Cells of other lists are text, as the part writers write them.
        return {column.name: field.type for column, field in zip(urls.columns, arrow_fields(urls.columns), strict=True)}
    _, parquet = load_pyarrow()
    with parquet_errors(urls.name):
        schema = parquet.read_schema(urls.name)
    return dict(zip(schema.names, schema.types, strict=True))
