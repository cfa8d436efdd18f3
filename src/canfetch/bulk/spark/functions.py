"""Functions of Spark, by the content of files: of columns, and for SQL."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from pyspark.sql import Column, SparkSession

from canfetch.bulk import contents, decisions, preferences, url_origins, uses
from canfetch.bulk.decisions import AnyAgents, named_chains
from canfetch.bulk.http_archive import METRICS
from canfetch.bulk.spark.arrow_functions import call_function, call_with_agent, spark_function
from canfetch.bulk.spark.broadcast_files import BroadcastFiles
from canfetch.bulk.types import BOOL, DECISION, TEXT, USAGE, USE, struct_of
from canfetch.core.agent import Agent
from canfetch.core.lists import check_list


def allows(content: Column, agent: str | Agent | Column, url: Column, **options: Any) -> Column:
    """Return whether each agent may fetch each URL, as `canfetch.bulk.allows` does.

    Args:
        content, url: Columns. A text is never the name of a column. Contents are strings or binary.
        agent: A product token, an `Agent`, or a column.
        **options: The options of `canfetch.bulk.allows`.
    Raises: InvalidColumn: a text is passed for a column.
    """
    return call_with_agent("allows", BOOL, partial(decisions.allows, **options), agent, content=content, url=url)


def decide(content: Column, agent: str | Agent | Column, url: Column, **options: Any) -> Column:
    """Return the verdict on each URL as a struct, as `canfetch.bulk.decide` does.

    Args: content, agent, url, **options: As for `allows`.
    """
    return call_with_agent("decide", DECISION, partial(decisions.decide, **options), agent, content=content, url=url)


def usage(content: Column, agent: str | Agent | Column, url: Column, *, purpose: str, **options: Any) -> Column:
    """Return the preference on using content as a struct, as `canfetch.bulk.usage` does.

    Args: content, agent, url, purpose, **options: As for `allows`, and for `canfetch.bulk.usage`.
    """
    function = partial(preferences.usage, purpose=purpose, **options)
    return call_with_agent("usage", USAGE, function, agent, content=content, url=url)


def may_use(content: Column, agent: str | Agent | Column, url: Column, *, purpose: str, **options: Any) -> Column:
    """Return whether content may be used as a struct, as `canfetch.bulk.may_use` does.

    Args: content, agent, url, purpose, **options: As for `allows`, and for `canfetch.bulk.may_use`.
    """
    function = partial(uses.may_use, purpose=purpose, **options)
    return call_with_agent("may_use", USE, function, agent, content=content, url=url)


def matrix(content: Column, agents: AnyAgents, url: Column, **options: Any) -> Column:
    """Return for each URL which agents may fetch it as a struct, as `canfetch.bulk.matrix` does.

    Args: content, url, agents, **options: As for `allows`, and for `canfetch.bulk.matrix`.
    """
    names, _ = named_chains(agents, use_registry=bool(options.get("use_registry")))

    def decide_all(files: Any, urls: Any) -> Any:
        return decisions.matrix(files, agents, urls, **options)

    return call_function("matrix", struct_of(**dict.fromkeys(names, BOOL)), decide_all, content=content, url=url)


def rules(content: Column, **options: Any) -> Column:
    """Return the rules of each file as an array of structs, as `canfetch.bulk.rules` does."""
    return call_function("rules", contents.RULES, partial(contents.rules, **options), content=content)


def sitemaps(content: Column, **options: Any) -> Column:
    """Return the sitemaps of each file as an array, as `canfetch.bulk.sitemaps` does."""
    return call_function("sitemaps", contents.SITEMAPS, partial(contents.sitemaps, **options), content=content)


def metrics(content: Column) -> Column:
    """Return the counts of each file as a struct, as `canfetch.bulk.metrics` does."""
    return call_function("metrics", METRICS, contents.metrics, content=content)


def origins(url: Column) -> Column:
    """Return the origin of each URL as a string, as `canfetch.bulk.origins` does."""
    return call_function("origins", TEXT, url_origins.origins, url=url)


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
        "origins": spark_function("origins", TEXT, 1, url_origins.origins),
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
