"""Expressions for Polars, eager, lazy and streaming.

Importing this module registers the namespace `canfetch` of expressions:

    frame.with_columns(pl.col("content").canfetch.allows("GPTBot", pl.col("url")))

The result has the name of the function. Rows are decided in batches, in several threads with the streaming engine.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from canfetch.bulk import contents, decisions, preferences, uses
from canfetch.bulk.arguments import engine_column
from canfetch.bulk.column import Column
from canfetch.bulk.decisions import AnyAgents, named_chains
from canfetch.bulk.extras import import_extra
from canfetch.bulk.files import Files
from canfetch.bulk.http_archive import METRICS
from canfetch.bulk.types import BOOL, DECISION, FLOAT64, INT32, INT64, TEXT, USAGE, USE, ColumnType, struct_of
from canfetch.bulk.url_origins import origins
from canfetch.core.agent import Agent

if TYPE_CHECKING:
    import polars as pl
else:
    pl = import_extra("polars", "polars", "for canfetch.bulk.polars")


def polars_type(type_: ColumnType) -> Any:
    """Return a type of Polars."""
    if isinstance(type_, str):
        return {BOOL: pl.Boolean, INT32: pl.Int32, INT64: pl.Int64, FLOAT64: pl.Float64, TEXT: pl.String}[type_]
    kind, inner = type_
    if kind == "list":
        return pl.List(polars_type(inner))
    return pl.Struct({name: polars_type(field) for name, field in inner})


def _call(name: str, type_: ColumnType, function: Callable[..., Column], *columns: "pl.Expr") -> "pl.Expr":
    def decide(series: Any, **_: Any) -> "pl.Series":
        # Polars passes the type of the result, too.
        return pl.Series(function(*series))

    decided = pl.map_batches(columns, decide, return_dtype=polars_type(type_), is_elementwise=True)
    return decided.alias(name)


def _url(url: "pl.Expr") -> "pl.Expr":
    column: pl.Expr = engine_column("url", url, pl.Expr, "pl.col")
    return column


def _agent(agent: "str | Agent | pl.Expr", function: Callable[..., Column]) -> tuple[Any, Callable[..., Column]]:
    """Return the columns of the agent, and a function of these columns."""
    if isinstance(agent, str | Agent):
        return (), lambda first, url: function(first, agent, url)
    return (agent,), function


@pl.api.register_expr_namespace("canfetch")
class RobotsExpressions:
    """The functions of `canfetch.bulk`, for an expression with the content of files, with their IDs, or with URLs.

    An agent is a product token, an `Agent`, or an expression. URLs are an expression: a text is never the name of a
    column, so that an agent cannot be taken for one. Options are those of the functions with the same name.

    Raises: InvalidColumn: the URLs are a text.
    """

    def __init__(self, expression: "pl.Expr") -> None:
        self._first = expression

    def allows(self, agent: "str | Agent | pl.Expr", url: "pl.Expr", **options: Any) -> "pl.Expr":
        """Return whether each agent may fetch each URL, as `canfetch.bulk.allows` does."""
        agents, function = _agent(agent, lambda *columns: decisions.allows(*columns, **options))
        return _call("allows", BOOL, function, self._first, *agents, _url(url))

    def decide(self, agent: "str | Agent | pl.Expr", url: "pl.Expr", **options: Any) -> "pl.Expr":
        """Return the verdict on each URL as a struct, as `canfetch.bulk.decide` does."""
        agents, function = _agent(agent, lambda *columns: decisions.decide(*columns, **options))
        return _call("decide", DECISION, function, self._first, *agents, _url(url))

    def usage(self, agent: "str | Agent | pl.Expr", url: "pl.Expr", *, purpose: str, **options: Any) -> "pl.Expr":
        """Return the preference on using content as a struct, as `canfetch.bulk.usage` does."""
        agents, function = _agent(agent, lambda *columns: preferences.usage(*columns, purpose=purpose, **options))
        return _call("usage", USAGE, function, self._first, *agents, _url(url))

    def may_use(self, agent: "str | Agent | pl.Expr", url: "pl.Expr", *, purpose: str, **options: Any) -> "pl.Expr":
        """Return whether content may be used as a struct, as `canfetch.bulk.may_use` does."""
        agents, function = _agent(agent, lambda *columns: uses.may_use(*columns, purpose=purpose, **options))
        return _call("may_use", USE, function, self._first, *agents, _url(url))

    def matrix(self, agents: AnyAgents, url: "pl.Expr", **options: Any) -> "pl.Expr":
        """Return for each URL which agents may fetch it, as `canfetch.bulk.matrix` does."""
        names, _ = named_chains(agents, use_registry=bool(options.get("use_registry")))
        type_ = struct_of(**dict.fromkeys(names, BOOL))

        def decide(content: Any, url: Any) -> Column:
            return decisions.matrix(content, agents, url, **options)

        return _call("matrix", type_, decide, self._first, _url(url))

    def rules(self, **options: Any) -> "pl.Expr":
        """Return the rules of each file as a list of structs, as `canfetch.bulk.rules` does."""
        return _call("rules", contents.RULES, lambda content: contents.rules(content, **options), self._first)

    def sitemaps(self, **options: Any) -> "pl.Expr":
        """Return the sitemaps of each file as a list, as `canfetch.bulk.sitemaps` does."""
        return _call("sitemaps", contents.SITEMAPS, lambda content: contents.sitemaps(content, **options), self._first)

    def metrics(self) -> "pl.Expr":
        """Return the counts of each file as a struct, as `canfetch.bulk.metrics` does."""
        return _call("metrics", METRICS, contents.metrics, self._first)

    def origins(self) -> "pl.Expr":
        """Return the origin of each URL, as `canfetch.bulk.origins` does. The expression has URLs."""
        return _call("origins", TEXT, origins, self._first)

    def allows_at(self, files: Files, agent: "str | Agent | pl.Expr", url: "pl.Expr") -> "pl.Expr":
        """Return whether each agent may fetch each URL. The expression has the IDs of `files`."""
        agents, function = _agent(agent, files.allows_at)
        return _call("allows_at", BOOL, function, self._first, *agents, _url(url))

    def decide_at(self, files: Files, agent: "str | Agent | pl.Expr", url: "pl.Expr") -> "pl.Expr":
        """Return the verdict on each URL as a struct. The expression has the IDs of `files`."""
        agents, function = _agent(agent, files.decide_at)
        return _call("decide_at", DECISION, function, self._first, *agents, _url(url))

    def matrix_at(self, files: Files, agents: AnyAgents, url: "pl.Expr") -> "pl.Expr":
        """Return for each URL which agents may fetch it. The expression has the IDs of `files`."""
        names, _ = named_chains(agents, use_registry=files.use_registry)
        type_ = struct_of(**dict.fromkeys(names, BOOL))
        return _call("matrix_at", type_, lambda ids, url: files.matrix_at(ids, agents, url), self._first, _url(url))
