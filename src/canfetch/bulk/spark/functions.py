"""Columns of Spark, by the content of files."""

from functools import partial
from typing import Any

from pyspark.sql import Column

from canfetch.bulk import contents, decisions, preferences, url_origins, uses
from canfetch.bulk.decisions import AnyAgents, named_chains
from canfetch.bulk.http_archive import METRICS
from canfetch.bulk.spark.arrow_functions import call_function, call_with_agent
from canfetch.bulk.types import BOOL, DECISION, TEXT, USAGE, USE, struct_of
from canfetch.core.agent import Agent


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
