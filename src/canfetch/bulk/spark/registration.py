"""SQL functions of Spark."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from pyspark.sql import SparkSession

from canfetch.bulk import contents, decisions, preferences, uses
from canfetch.bulk.decisions import AnyAgents, named_chains
from canfetch.bulk.http_archive import METRICS
from canfetch.bulk.spark.arrow_functions import spark_function
from canfetch.bulk.spark.broadcast_files import BroadcastFiles
from canfetch.bulk.types import BOOL, DECISION, TEXT, USAGE, USE, struct_of
from canfetch.bulk.url_origins import origins
from canfetch.core.lists import check_list


def register(
    spark: SparkSession,
    *,
    files: BroadcastFiles | None = None,
    agents: AnyAgents | None = None,
    prefix: str = "",
    **options: Any,
) -> None:
    """Register the functions of `canfetch.bulk` for SQL. Functions that exist are replaced.

    `allows`, `decide`, `usage` and `may_use` take the content of a file, an agent and a URL, and the last two also
    a purpose. `rules`, `sitemaps` and `metrics` take the content, and `origins` a URL. With `files`, `allows_at`
    and `decide_at` take the ID of a file instead. With `agents`, `matrix` takes the content and a URL, and
    `matrix_at` the ID and a URL.

    Args:
        spark: The session.
        files: The files that rows name by ID.
        agents: The agents of the matrix.
        prefix: The beginning of all names, such as `robots_`.
        **options: The options of `canfetch.bulk.allows`. `files` has its own.
    Raises: InvalidOption: `agents` is invalid; UnknownProfile, InvalidLimit, EngineError.
    """
    if agents is not None:
        check_list("agents", agents)
    # Raises at once if an option is invalid, instead of in a query.
    decisions.allows(None, None, None, **options)
    parse = {name: value for name, value in options.items() if name != "use_registry"}
    functions = {
        "allows": spark_function("allows", BOOL, 3, partial(decisions.allows, **options)),
        "decide": spark_function("decide", DECISION, 3, partial(decisions.decide, **options)),
        "usage": spark_function("usage", USAGE, 4, partial(preferences.usage_by_purpose, **options)),
        "may_use": spark_function("may_use", USE, 4, partial(uses.may_use_by_purpose, **options)),
        "rules": spark_function("rules", contents.RULES, 1, partial(contents.rules, **parse)),
        "sitemaps": spark_function("sitemaps", contents.SITEMAPS, 1, partial(contents.sitemaps, **parse)),
        "metrics": spark_function("metrics", METRICS, 1, contents.metrics),
        "origins": spark_function("origins", TEXT, 1, origins),
    }
    if files is not None:
        functions |= files.sql_functions()
    if agents is not None:
        columns: AnyAgents = dict(agents) if isinstance(agents, Mapping) else list(agents)
        names, _ = named_chains(columns, use_registry=bool(options.get("use_registry")))
        type_ = struct_of(**dict.fromkeys(names, BOOL))

        def matrix(content: Any, url: Any) -> Any:
            return decisions.matrix(content, columns, url, **options)

        functions["matrix"] = spark_function("matrix", type_, 2, matrix)
        if files is not None:
            functions["matrix_at"] = files.matrix_function(columns)
    for name, function in functions.items():
        spark.udf.register(prefix + name, function)
