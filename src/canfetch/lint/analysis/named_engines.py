"""The search engines that a file names."""

from collections.abc import Collection
from typing import Final

from canfetch.agents import REGISTRY
from canfetch.lint.analysis.extension_records import extension_names
from canfetch.lint.linted_file import LintedFile

# The severity set of each operator, and the start of its crawlers' names, for crawlers that are not in the registry.
_SETS: Final = {"Google": "google", "Microsoft": "bing", "Yandex": "yandex"}
_PREFIXES: Final = {"google": "google", "bing": "bing", "msnbot": "bing", "yandex": "yandex"}
_PREFIX_NAMES: Final = tuple(_PREFIXES)
# The crawlers that fill the index of a search engine. Others, such as those for images or ads, have a special purpose.
_MAIN_CRAWLERS: Final = frozenset({"googlebot", "bingbot", "msnbot", "duckduckbot", "applebot", "yandexbot", "yandex"})
# A group with the second name matters only if there is none with the first.
_MORE_SPECIFIC: Final = {"msnbot": "bingbot", "yandex": "yandexbot"}
# Only Yandex reads this record.
_YANDEX_RECORD: Final = "clean-param"


def named_engines(file: LintedFile) -> frozenset[str]:
    """Return the severity sets of the search engines that a group or a record is written for.

    Cost: O(bytes).
    """
    engines = {engine for group in file.groups for engine in map(engine_of, group.names) if engine is not None}
    if _YANDEX_RECORD in extension_names(file):
        engines.add("yandex")
    return frozenset(engines)


def main_crawlers(file: LintedFile, names: Collection[str]) -> frozenset[str]:
    """Return those of the product tokens, in lower case, under which a main crawler reads its groups in a file."""
    return frozenset(
        name for name in _MAIN_CRAWLERS.intersection(names) if not file.groups_named(_MORE_SPECIFIC.get(name, ""))
    )


def follower_of(file: LintedFile, name: str) -> str | None:
    """Return the crawler that follows the groups of a retired one in a file, such as bingbot for `msnbot`, or None.

    Args: name: The product token of the retired crawler, in lower case.
    """
    retired, successor = REGISTRY.get_crawler(name), REGISTRY.get_crawler(_MORE_SPECIFIC.get(name, ""))
    if retired is None or not retired.retired or successor is None or file.groups_named(successor.name):
        return None
    return successor.name


def engine_of(name: str) -> str | None:
    """Return the severity set of the search engine that a product token in lower case belongs to, or None."""
    crawler = REGISTRY.get_crawler(name)
    engine = None if crawler is None else _SETS.get(crawler.operator)
    if engine is not None or not name.startswith(_PREFIX_NAMES):
        return engine
    return next(engine for prefix, engine in _PREFIXES.items() if name.startswith(prefix))
