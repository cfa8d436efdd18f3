"""SQL functions for DuckDB, which decide vectors of rows with the native engine.

    canfetch.bulk.duckdb.register(connection)
    connection.sql("select url, allows(content, 'GPTBot', url) from pages")

DuckDB copies the content of a file for each row that it joins. `register(connection, files=...)` loads the files once,
and rows name them by their ID.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from canfetch.access.editions import choose_profile
from canfetch.bulk import contents, decisions, preferences, uses
from canfetch.bulk.column import Column
from canfetch.bulk.decisions import AnyAgents, named_chains
from canfetch.bulk.extras import import_extra
from canfetch.bulk.files import Files
from canfetch.bulk.http_archive import METRICS
from canfetch.bulk.types import BOOL, DECISION, FLOAT64, INT32, INT64, TEXT, USAGE, USE, ColumnType, struct_of
from canfetch.bulk.url_origins import origins
from canfetch.core.limits import DEFAULT_MAX_BYTES
from canfetch.core.lists import check_list
from canfetch.errors import InvalidOption

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_NAMES: Final = {BOOL: "BOOLEAN", INT32: "INTEGER", INT64: "BIGINT", FLOAT64: "DOUBLE", TEXT: "VARCHAR"}
_CONTENT_TYPES: Final = ("VARCHAR", "BLOB")


def register(
    connection: "DuckDBPyConnection",
    *,
    files: Files | None = None,
    agents: AnyAgents | None = None,
    content_type: str = "VARCHAR",
    id_type: str | None = None,
    prefix: str = "",
    profile: str | None = None,
    edition: str | None = None,
    max_bytes: int = DEFAULT_MAX_BYTES,
    use_registry: bool = False,
    engine: str | None = None,
) -> None:
    """Register the functions of `canfetch.bulk` with a connection. Functions that exist are replaced.

    `allows`, `decide`, `usage` and `may_use` take the content of a file, an agent and a URL, and the last two also
    a purpose. `rules`, `sitemaps` and `metrics` take the content, and `origins` a URL. With `files`, `allows_at`
    and `decide_at` take the ID of a file instead of its content. With `agents`, `matrix` takes the content and a
    URL, and `matrix_at` the ID and a URL. Nothing is replaced if an argument is invalid.

    Args:
        connection: The connection. Its cursors have the functions, too.
        files: The files that rows name by ID.
        agents: The agents of the matrix.
        content_type: The type of contents: `VARCHAR` or `BLOB`. SQL's `encode` and `decode` convert them.
        id_type: The type of IDs, such as `UBIGINT` for those of `hash()`. The default is `VARCHAR` if an ID of the
            files is a text, or their column has this type but no rows, and otherwise `BIGINT`.
        prefix: The beginning of all names, such as `robots_`.
        profile, edition, max_bytes, use_registry, engine: As for `allows`. `files` has its own.
    Raises: MissingExtra: DuckDB or pyarrow is not installed; InvalidOption: `content_type` or `id_type` is unknown, or
        `agents` is invalid or has names that differ only in case, or both `profile` and `edition` are set;
        UnknownEdition, UnknownProfile, InvalidLimit, EngineError.
    """
    duckdb = import_extra("duckdb", "duckdb", "for canfetch.bulk.duckdb")
    import_extra("pyarrow", "duckdb", "by DuckDB for vectors of rows")
    if content_type not in _CONTENT_TYPES:
        raise InvalidOption(f"invalid content_type {content_type!r}: expected VARCHAR or BLOB")
    parse: dict[str, Any] = {"profile": choose_profile(profile, edition), "max_bytes": max_bytes, "engine": engine}
    options = parse | {"use_registry": use_registry}
    # Raises at once if an option is invalid, instead of in a query.
    decisions.allows(None, None, None, **options)
    functions: list[_Function] = []

    def add(*function: Any) -> None:
        functions.append(_Function(*function))

    columns: AnyAgents = []

    # DuckDB counts the parameters of each function.
    def allows(content: Any, agent: Any, url: Any) -> Column:
        return decisions.allows(content, agent, url, **options)

    def decide(content: Any, agent: Any, url: Any) -> Column:
        return decisions.decide(content, agent, url, **options)

    def matrix(content: Any, url: Any) -> Column:
        return decisions.matrix(content, columns, url, **options)

    row = [content_type, "VARCHAR", "VARCHAR"]
    add("allows", row, BOOL, allows)
    add("decide", row, DECISION, decide)
    add("usage", [*row, "VARCHAR"], USAGE, _by_purpose(preferences.usage_by_purpose, options))
    add("may_use", [*row, "VARCHAR"], USE, _by_purpose(uses.may_use_by_purpose, options))
    add("rules", [content_type], contents.RULES, lambda content: contents.rules(content, **parse))
    add("sitemaps", [content_type], contents.SITEMAPS, lambda content: contents.sitemaps(content, **parse))
    add("metrics", [content_type], METRICS, contents.metrics)
    add("origins", ["VARCHAR"], TEXT, origins)
    if files is not None:
        id_type = _id_type(duckdb, connection, files, id_type)
        add("allows_at", [id_type, "VARCHAR", "VARCHAR"], BOOL, files.allows_at)
        add("decide_at", [id_type, "VARCHAR", "VARCHAR"], DECISION, files.decide_at)
    if agents is not None:
        # A single name would be listed letter by letter.
        check_list("agents", agents)
        columns = dict(agents) if isinstance(agents, Mapping) else list(agents)
        names, _ = named_chains(columns, use_registry=use_registry)
        _check_columns(names)
        type_ = struct_of(**dict.fromkeys(names, BOOL))
        add("matrix", [content_type, "VARCHAR"], type_, matrix)
        if files is not None:
            loaded = files
            add("matrix_at", [id_type, "VARCHAR"], type_, lambda ids, url: loaded.matrix_at(ids, columns, url))
    # All arguments are valid.
    _replace_all(duckdb, connection, [function._replace(name=prefix + function.name) for function in functions])


class _Function(NamedTuple):
    """A function of SQL."""

    name: str
    parameters: list[str]
    type: ColumnType
    function: Callable[..., Column]


def _by_purpose(function: Callable[..., Column], options: dict[str, Any]) -> Callable[..., Column]:
    def decide(content: Any, agent: Any, url: Any, purpose: Any) -> Column:
        return function(content, agent, url, purpose, **options)

    return decide


def _replace_all(duckdb: Any, connection: "DuckDBPyConnection", functions: list[_Function]) -> None:
    # The types of DuckDB do not describe functions of Arrow data.
    create: Any = connection.create_function
    for name, parameters, type_, function in functions:
        # DuckDB has no function that shows whether a name is taken.
        with suppress(duckdb.Error):
            connection.remove_function(name)
        # `special`: rows with a null are passed, and a result may be null.
        create(name, function, parameters, duckdb_type(type_), type="arrow", null_handling="special")


def _id_type(duckdb: Any, connection: "DuckDBPyConnection", files: Files, name: str | None) -> str:
    """Return the type of IDs: by default that of the files.

    Raises: InvalidOption: The type is unknown.
    """
    if name is None:
        return "VARCHAR" if files.has_text_ids else "BIGINT"
    try:
        connection.sqltype(name)
    except duckdb.Error:
        raise InvalidOption(f"invalid id_type {name!r}: expected a type such as BIGINT or VARCHAR") from None
    return name


def _check_columns(names: list[str]) -> None:
    """Check that DuckDB has a column for each name: it does not distinguish case.

    Raises: InvalidOption.
    """
    known: dict[str, str] = {}
    for name in names:
        other = known.setdefault(name.lower(), name)
        if other != name:
            raise InvalidOption(
                f"invalid agents: the columns {other!r} and {name!r} are the same in DuckDB, which ignores case; "
                "pass a mapping with other names"
            )


def duckdb_type(type_: ColumnType) -> str:
    """Return the name of a type in SQL."""
    if isinstance(type_, str):
        return _NAMES[type_]
    kind, inner = type_
    if kind == "list":
        return f"{duckdb_type(inner)}[]"
    fields = (f"{quoted_name(name)} {duckdb_type(field)}" for name, field in inner)
    return f"STRUCT({', '.join(fields)})"


def quoted_name(name: str) -> str:
    """Return the name of a column in SQL."""
    return '"' + name.replace('"', '""') + '"'
