"""Series and frames of pandas.

Importing this module registers the accessor `canfetch` of series:

    frame["allowed"] = frame["content"].canfetch.allows("GPTBot", frame["url"])

Results have the index of the series, and rows belong together by their position.
"""

from typing import TYPE_CHECKING, Any

from canfetch.bulk import contents, decisions, preferences, uses
from canfetch.bulk.arguments import AnyColumn
from canfetch.bulk.column import Column
from canfetch.bulk.decisions import AnyAgents
from canfetch.bulk.extras import import_extra
from canfetch.bulk.files import Files
from canfetch.bulk.url_origins import origins
from canfetch.core.agent import Agent

if TYPE_CHECKING:
    import pandas as pd
else:
    pd = import_extra("pandas", "pandas", "for canfetch.bulk.pandas")
    import_extra("pyarrow", "pandas", "by pandas for Arrow data")


@pd.api.extensions.register_series_accessor("canfetch")
class RobotsSeries:
    """The functions of `canfetch.bulk`, for a series with the content of files, with their IDs, or with URLs.

    Agents and URLs are series, other columns, lists, or single values. Options are those of the functions with the same
    name.
    """

    def __init__(self, series: "pd.Series") -> None:
        self._series = series

    def allows(self, agent: AnyColumn | Agent, url: AnyColumn, **options: Any) -> "pd.Series":
        """Return whether each agent may fetch each URL, as a series of type `boolean`."""
        return self._series_of(decisions.allows(self._series, agent, url, **options))

    def decide(self, agent: AnyColumn | Agent, url: AnyColumn, **options: Any) -> "pd.DataFrame":
        """Return the verdicts as a frame: `allowed`, `reason`, `line`, `rule`, `specificity`."""
        return self._frame(decisions.decide(self._series, agent, url, **options))

    def usage(self, agent: AnyColumn | Agent, url: AnyColumn, *, purpose: str, **options: Any) -> "pd.DataFrame":
        """Return the preferences on using content as a frame."""
        return self._frame(preferences.usage(self._series, agent, url, purpose=purpose, **options))

    def may_use(self, agent: AnyColumn | Agent, url: AnyColumn, *, purpose: str, **options: Any) -> "pd.DataFrame":
        """Return whether content may be used as a frame: `use`, `kind`, `line`, `explanation`."""
        return self._frame(uses.may_use(self._series, agent, url, purpose=purpose, **options))

    def matrix(self, agents: AnyAgents, url: AnyColumn, **options: Any) -> "pd.DataFrame":
        """Return a frame with a column for each agent."""
        return self._frame(decisions.matrix(self._series, agents, url, **options))

    def rules(self, **options: Any) -> "pd.Series":
        """Return the rules of each file, as a series of lists of dicts."""
        return self._series_of(contents.rules(self._series, **options))

    def sitemaps(self, **options: Any) -> "pd.Series":
        """Return the sitemaps of each file, as a series of lists."""
        return self._series_of(contents.sitemaps(self._series, **options))

    def metrics(self) -> "pd.DataFrame":
        """Return the counts of each file as a frame."""
        return self._frame(contents.metrics(self._series))

    def origins(self) -> "pd.Series":
        """Return the origin of each URL. The series has URLs."""
        return self._series_of(origins(self._series))

    def allows_at(self, files: Files, agent: AnyColumn | Agent, url: AnyColumn) -> "pd.Series":
        """Return whether each agent may fetch each URL. The series has the IDs of `files`."""
        return self._series_of(files.allows_at(self._series, agent, url))

    def decide_at(self, files: Files, agent: AnyColumn | Agent, url: AnyColumn) -> "pd.DataFrame":
        """Return the verdicts as a frame. The series has the IDs of `files`."""
        return self._frame(files.decide_at(self._series, agent, url))

    def matrix_at(self, files: Files, agents: AnyAgents, url: AnyColumn) -> "pd.DataFrame":
        """Return a frame with a column for each agent. The series has the IDs of `files`."""
        return self._frame(files.matrix_at(self._series, agents, url))

    def _frame(self, column: Column) -> "pd.DataFrame":
        fields = column.to_pyarrow()
        index = self._index(column)
        names = [field.name for field in fields.type]
        return pd.DataFrame({name: _series(fields.field(name), index) for name in names}, index=index)

    def _series_of(self, column: Column) -> "pd.Series":
        return _series(column.to_pyarrow(), self._index(column))

    def _index(self, column: Column) -> Any:
        # The series is repeated if it has one row.
        return self._series.index if len(column) == len(self._series) else pd.RangeIndex(len(column))


def _series(array: Any, index: Any) -> "pd.Series":
    """Return an array of pyarrow as a series. Types that can be null are kept, and nested values are plain ones."""
    pa = import_extra("pyarrow", "pandas", "by pandas for Arrow data")
    if pa.types.is_nested(array.type):
        return pd.Series(array.to_pylist(), index=index, dtype=object)
    types = {
        pa.bool_(): pd.BooleanDtype(),
        pa.int32(): pd.Int32Dtype(),
        pa.int64(): pd.Int64Dtype(),
        # The default is `object` if all rows are null.
        pa.string(): pd.Series(dtype="str").dtype,
    }
    return array.to_pandas(types_mapper=types.get).set_axis(index)
