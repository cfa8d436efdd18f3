"""Recipes: the counts of which the published tables consist, for each period and agent.

A recipe yields, for one file, the cells that it belongs to. The table has the number of files in each cell, and their
share among the files with the same period, subject and measure.
"""

import re
from collections.abc import Callable, Collection, Iterator
from typing import Final, NamedTuple

from canfetch.bulk.archives.http_archive_metrics import robots_metrics
from canfetch.bulk.archives.resolution import ResolvedFile
from canfetch.bulk.reading.captures import NO_RESPONSE
from canfetch.bulk.studies.definitions import DEFINITIONS, StudiedFile
from canfetch.core.choices import unknown_choice
from canfetch.core.verdict import Effect
from canfetch.errors import InvalidOption

# The 24 user agents of IMC 2025 as product tokens. The paper has `Kangaroo Bot`, which no group matches.
IMC_2025_AGENTS: Final = (
    "Amazonbot",
    "AI2Bot",
    "anthropic-ai",
    "Applebot",
    "Applebot-Extended",
    "Bytespider",
    "CCBot",
    "ChatGPT-User",
    "Claude-Web",
    "ClaudeBot",
    "cohere-ai",
    "Diffbot",
    "FacebookBot",
    "Google-Extended",
    "GPTBot",
    "Kangaroo",
    "Meta-ExternalAgent",
    "Meta-ExternalFetcher",
    "OAI-SearchBot",
    "omgili",
    "PerplexityBot",
    "Timpibot",
    "Webzio-Extended",
    "YouBot",
)
# The agents of Consent in Crisis, in the order of its figures.
CONSENT_AGENTS: Final = ("GPTBot", "CCBot", "Google-Extended", "anthropic-ai", "ClaudeBot", "cohere-ai", "FacebookBot")
# The media types that Common Crawl counts as robots.txt, and those of the files that its script reads.
_ROBOTS_TYPE: Final = re.compile(r"text(?!/html)", re.IGNORECASE)
_READ_TYPES: Final = frozenset(
    [
        "text/plain",
        "text/x-robots",
        "text/text",
        "text/txt",
        "text",
        "plain/text",
        "text/pain",
        "text/plan",
    ]
)
_SIZE_KIB: Final = (0, 1, 5, 50, 100, 500)
_REDIRECT_UNRESOLVED: Final = "redirect-unresolved"
_NO_RESPONSE: Final = "no-response"
_ALL: Final = "*"
# Subjects that are not product tokens.
_ANY_AGENT: Final = "any agent"
_ALL_AGENTS: Final = "all agents"


class Cell(NamedTuple):
    """A cell of the counts to which a file belongs.

    Attributes:
        subject: The agent, or `*` if the count is not about one. `any agent` has the strictest class of the agents of
            the run, and `all agents` means all user agents that a file names.
        measure: The name of a definition, or of a classification of responses.
        label: The class.
    """

    subject: str
    measure: str
    label: str


class Plotted(NamedTuple):
    """What a plot shows: the share of a class by a measure, or that of all classes without one, and its title."""

    measure: str
    label: str | None
    title: str


class Recipe(NamedTuple):
    """A recipe.

    Attributes:
        name: Its name.
        summary: What it counts.
        source: The study whose table it has.
        agents: The agents by default.
        cells: Yields the cells of a file.
        plotted: What a plot shows.
    """

    name: str
    summary: str
    source: str
    agents: tuple[str, ...]
    cells: Callable[[ResolvedFile, tuple[str, ...]], Iterator[Cell]]
    plotted: Plotted


def _by_definitions(*names: str, with_any: bool = False) -> Callable[[ResolvedFile, tuple[str, ...]], Iterator[Cell]]:
    definitions = [DEFINITIONS[name] for name in names]

    def cells(file: ResolvedFile, agents: tuple[str, ...]) -> Iterator[Cell]:
        # The studies count files with content. A status that closes or opens a site is not in their tables.
        if file.effect is not Effect.CONDITIONAL_ALLOW or file.content is None:
            return
        studied = StudiedFile(file.content)
        for definition in definitions:
            labels = [definition.classify(studied, agent) for agent in agents]
            for agent, label in zip(agents, labels, strict=True):
                yield Cell(agent, definition.name, label)
            if with_any and labels:
                yield Cell(_ANY_AGENT, definition.name, definition.strictest(labels))
            if definition.classify_all is not None:
                yield Cell(_ALL_AGENTS, definition.name, definition.classify_all(studied))

    return cells


def _common_crawl_cells(file: ResolvedFile, agents: tuple[str, ...]) -> Iterator[Cell]:
    label = _status_class(file)
    yield Cell(_ALL, "common-crawl-status/1", label)
    if label == "with-rules":
        yield from _RULESETS(file, (_ALL, *agents))


_RULESETS: Final = _by_definitions("common-crawl/1", "common-crawl-published/1", "exact/1")


def _status_class(file: ResolvedFile) -> str:
    """Return the class of a response in Common Crawl's table: what a crawler would do after it."""
    status = None if file.response is None else file.response.status
    if status is None or 300 <= status < 400:
        return _without_response(file)
    if status == 403:
        return "forbidden"
    if status == 429 or 500 <= status <= 599:
        return "defer-visits"
    if status != 200:
        return "allow-all"
    kind = _content_type(file)
    if _ROBOTS_TYPE.search(kind) is None:
        return "no-text"
    # The published script reads files of some types only. It decides which files have rules.
    has_rules = kind in _READ_TYPES and StudiedFile(file.content or b"").published_common_crawl_rulesets
    return "with-rules" if has_rules else "no-rules"


def _without_response(file: ResolvedFile) -> str:
    return _NO_RESPONSE if file.capture.status == NO_RESPONSE else _REDIRECT_UNRESOLVED


def _content_type(file: ResolvedFile) -> str:
    """Return the media type of a response. That after redirects is not known, and many tables do not have it."""
    value = "" if file.hops else dict(file.capture.headers).get("content-type", "")
    return value.partition(";")[0].strip().lower() or "text/plain"


def _almanac_cells(file: ResolvedFile, agents: tuple[str, ...]) -> Iterator[Cell]:
    status = None if file.response is None else file.response.status
    yield Cell(_ALL, "status", _without_response(file) if status is None else str(status))
    named: Collection[str] = ()
    if status == 200 and file.content is not None:
        metrics = robots_metrics(file.content, status=status, redirected=bool(file.hops))
        size = metrics["size_kib"]
        label = next((f"up to {limit} KiB" for limit in _SIZE_KIB if size <= limit), f"over {_SIZE_KIB[-1]} KiB")
        yield Cell(_ALL, "size", label)
        named = metrics["record_counts"]["by_useragent"]
    # The published shares are of all sites, including those without a file.
    for agent in (_ALL, *agents):
        yield Cell(agent, "named", "named" if agent.lower() in named else "not-named")


RECIPES: Final = {
    recipe.name: recipe
    for recipe in (
        Recipe(
            "imc-2025",
            "AI crawlers: disallowed fully or partially, mentioned, explicitly allowed.",
            "Liu et al., Somesite I Used To Crawl, IMC 2025, figures 2 to 4",
            IMC_2025_AGENTS,
            _by_definitions("imc-2025/1", "imc-2025-mention/1", "imc-2025-explicit-allow/1", "exact/1", with_any=True),
            Plotted("imc-2025/1", "fully-disallowed", "Files that fully disallow the agent"),
        ),
        Recipe(
            "common-crawl",
            "Responses by what a crawler does next, and rulesets.",
            "Common Crawl, robotstxt-experiments, IIPC 2025",
            ("CCBot", "GPTBot", "ClaudeBot", "Google-Extended", "Bytespider", "Googlebot"),
            _common_crawl_cells,
            Plotted("common-crawl-status/1", None, "Responses by what the crawler does"),
        ),
        Recipe(
            "http-archive",
            "Status codes, sizes, and the user agents that files name.",
            "HTTP Archive, Web Almanac 2025, chapter SEO",
            ("GPTBot", "ClaudeBot", "CCBot", "Google-Extended", "PerplexityBot", "Googlebot", "bingbot", "AhrefsBot"),
            _almanac_cells,
            Plotted("named", "named", "Files that name the user agent"),
        ),
        Recipe(
            "consent-in-crisis",
            "Blocked AI crawlers, by the published parser and exactly.",
            "Longpre et al., Consent in Crisis, 2024",
            CONSENT_AGENTS,
            _by_definitions("consent-in-crisis-published/1", "consent-in-crisis/1", "exact/1"),
            Plotted("consent-in-crisis/1", "all", "Files that block all for the agent"),
        ),
        Recipe(
            "definitions",
            "All definitions of a blocked agent side by side.",
            "the sources of the definitions",
            ("GPTBot", "CCBot", "ClaudeBot", "Googlebot"),
            _by_definitions(*DEFINITIONS),
            Plotted("exact/1", "disallow-all", "Files that disallow everything"),
        ),
    )
}


def get_recipe(name: str) -> Recipe:
    """Return a recipe by its name.

    Raises: InvalidOption: No recipe has this name. The message lists the names.
    """
    recipe = RECIPES.get(name)
    if recipe is None:
        raise InvalidOption(unknown_choice("recipe", name, RECIPES))
    return recipe
