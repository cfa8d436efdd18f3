"""Columns of Spark, by the content of files."""

from functools import partial
from typing import Any

from pyspark.sql import Column

from canfetch.bulk import contents, decisions, preferences, url_origins, uses
from canfetch.bulk.decisions import AnyAgents, named_chains
from canfetch.bulk.http_archive import METRICS
from canfetch.bulk.spark.arrow_functions import AnySparkColumn, call_with_agent, spark_function
from canfetch.bulk.types import BOOL, DECISION, TEXT, USAGE, USE, struct_of
from canfetch.core.agent import Agent


def allows(content: AnySparkColumn, agent: str | Agent | Column, url: AnySparkColumn, **options: Any) -> Column:
    """Return whether each agent may fetch each URL, as `canfetch.bulk.allows` does.

    Args:
        content, url: Columns, or their names. Contents are strings or binary.
        agent: A product token, an `Agent`, or a column.
        **options: The options of `canfetch.bulk.allows`.
    """
    return call_with_agent(BOOL, partial(decisions.allows, **options), content, agent, url, name="allows")


def decide(content: AnySparkColumn, agent: str | Agent | Column, url: AnySparkColumn, **options: Any) -> Column:
    """Return the verdict on each URL as a struct, as `canfetch.bulk.decide` does.

    Args: content, agent, url, **options: As for `allows`.
    """
    return call_with_agent(DECISION, partial(decisions.decide, **options), content, agent, url, name="decide")


def usage(
    content: AnySparkColumn, agent: str | Agent | Column, url: AnySparkColumn, *, purpose: str, **options: Any
) -> Column:
    """Return the preference on using content as a struct, as `canfetch.bulk.usage` does.

    Args: content, agent, url, purpose, **options: As for `allows`, and for `canfetch.bulk.usage`.
    """
    return call_with_agent(
        USAGE, partial(preferences.usage, purpose=purpose, **options), content, agent, url, name="usage"
    )


def may_use(
    content: AnySparkColumn, agent: str | Agent | Column, url: AnySparkColumn, *, purpose: str, **options: Any
) -> Column:
    """Return whether content may be used as a struct, as `canfetch.bulk.may_use` does.

    Args: content, agent, url, purpose, **options: As for `allows`, and for `canfetch.bulk.may_use`.
    """
    return call_with_agent(USE, partial(uses.may_use, purpose=purpose, **options), content, agent, url, name="may_use")


def matrix(content: AnySparkColumn, agents: AnyAgents, url: AnySparkColumn, **options: Any) -> Column:
    """Return for each URL which agents may fetch it as a struct, as `canfetch.bulk.matrix` does.

    Args: content, url, agents, **options: As for `allows`, and for `canfetch.bulk.matrix`.
    """
    names, _ = named_chains(agents, use_registry=bool(options.get("use_registry")))

    def decide_all(files: Any, urls: Any) -> Any:
        return decisions.matrix(files, agents, urls, **options)

    called: Column = spark_function("matrix", struct_of(**dict.fromkeys(names, BOOL)), 2, decide_all)(content, url)
    return called


def rules(content: AnySparkColumn, **options: Any) -> Column:
    """Return the rules of each file as an array of structs, as `canfetch.bulk.rules` does."""
    called: Column = spark_function("rules", contents.RULES, 1, partial(contents.rules, **options))(content)
    return called


def sitemaps(content: AnySparkColumn, **options: Any) -> Column:
    """Return the sitemaps of each file as an array, as `canfetch.bulk.sitemaps` does."""
    called: Column = spark_function("sitemaps", contents.SITEMAPS, 1, partial(contents.sitemaps, **options))(content)
    return called


def metrics(content: AnySparkColumn) -> Column:
    """Return the counts of each file as a struct, as `canfetch.bulk.metrics` does."""
    called: Column = spark_function("metrics", METRICS, 1, contents.metrics)(content)
    return called


def origins(url: AnySparkColumn) -> Column:
    """Return the origin of each URL as a string, as `canfetch.bulk.origins` does."""
    called: Column = spark_function("origins", TEXT, 1, url_origins.origins)(url)
    return called
