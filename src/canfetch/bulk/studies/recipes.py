"""Recipes: the counts of which the published tables consist, for each period and agent.

A recipe yields, for one file, the cells that it belongs to. The table has the number of files in each cell, and their
share among the files with the same period, subject and measure.
"""

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from canfetch.bulk.archives.http_archive_metrics import robots_metrics
from canfetch.bulk.archives.resolution import ResolvedFile
from canfetch.bulk.studies.definitions import DEFINITIONS, StudiedFile
from canfetch.core.choices import unknown_choice
from canfetch.core.content_formats import is_page
from canfetch.core.verdict import Effect
from canfetch.errors import InvalidOption

# The 24 user agents of IMC 2025 that are product tokens; `Kangaroo Bot` is compared as its first word.
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
# Those of Consent in Crisis, in the order of its figures.
CONSENT_AGENTS: Final = ("GPTBot", "CCBot", "Google-Extended", "anthropic-ai", "ClaudeBot", "cohere-ai", "FacebookBot")
_TEXT_TYPES: Final = frozenset(
    ["text/plain", "text/x-robots", "message/rfc822", "text/text", "text/txt", "text", "plain/text", "text/pain"]
)
_SIZE_KIB: Final = (0, 1, 5, 50, 100, 500)
_ALL: Final = "*"


class Cell(NamedTuple):
    """What a file is counted as.

    Attributes:
        subject: The agent, or `*` if the count is not about one.
        measure: What is measured: the name of a definition, or that of a classification of responses.
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


def _by_definitions(*names: str) -> Callable[[ResolvedFile, tuple[str, ...]], Iterator[Cell]]:
    definitions = [DEFINITIONS[name] for name in names]

    def cells(file: ResolvedFile, agents: tuple[str, ...]) -> Iterator[Cell]:
        # The studies count files with content. A status that closes or opens a site is not in their tables.
        if file.effect is not Effect.CONDITIONAL_ALLOW or file.content is None:
            return
        studied = StudiedFile(file.content)
        for agent in agents:
            for definition in definitions:
                yield Cell(agent, definition.name, definition.classify(studied, agent))

    return cells


def _common_crawl_cells(file: ResolvedFile, agents: tuple[str, ...]) -> Iterator[Cell]:
    label = _status_class(file)
    yield Cell(_ALL, "common-crawl-status/1", label)
    if label == "with-rules":
        yield from _RULESETS(file, (_ALL, *agents))


_RULESETS: Final = _by_definitions("common-crawl/1", "common-crawl-published/1", "exact/1")


def _status_class(file: ResolvedFile) -> str:
    """Return what Common Crawl's crawler would do after the last response."""
    status = _last_status(file)
    if file.access is None or 300 <= status < 400:
        return "redirect-unresolved"
    if status in {401, 403}:
        return "forbidden"
    if status == 429 or status >= 500:
        return "defer-visits"
    if status >= 400:
        return "allow-all"
    content = file.content or b""
    kind = dict(file.capture.headers).get("content-type", "text/plain").partition(";")[0].strip().lower()
    if not file.hops and (kind not in _TEXT_TYPES or is_page(content)):
        return "no-text"
    return "with-rules" if any(group.rules for group in StudiedFile(content).robots.groups) else "no-rules"


def _last_status(file: ResolvedFile) -> int:
    """Return the status after redirects. `detail` starts with it, unless there was a failure."""
    if not file.hops:
        return file.capture.status or 200
    word, _, rest = file.detail.partition(" ")
    number = rest[:3]
    return int(number) if word == "status" and number.isdecimal() else 300


def _almanac_cells(file: ResolvedFile, agents: tuple[str, ...]) -> Iterator[Cell]:
    status = _last_status(file)
    yield Cell(_ALL, "status", str(status))
    if status != 200 or file.content is None:
        return
    metrics = robots_metrics(file.content, status=status, redirected=bool(file.hops))
    size = metrics["size_kib"]
    label = next((f"up to {limit} KiB" for limit in _SIZE_KIB if size <= limit), f"over {_SIZE_KIB[-1]} KiB")
    yield Cell(_ALL, "size", label)
    named = metrics["record_counts"]["by_useragent"]
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
            _by_definitions("imc-2025/1", "imc-2025-mention/1", "imc-2025-explicit-allow/1", "exact/1"),
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
