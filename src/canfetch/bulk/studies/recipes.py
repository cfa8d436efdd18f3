"""Recipes: the counts of which the published tables consist, for each period and agent.

A recipe yields, for one file, the cells that it belongs to. The table has the number of files in each cell, and their
share among the files with the same period, subject and measure. Classes without a file have rows, too.
"""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from decimal import ROUND_CEILING, Decimal
from functools import partial
from typing import Any, Final, NamedTuple

from canfetch.bulk.archives.http_archive_metrics import robots_metrics
from canfetch.bulk.archives.resolution import ResolvedFile
from canfetch.bulk.reading.captures import NO_RESPONSE
from canfetch.bulk.studies.cells import ALL, ALL_AGENTS, ANY_AGENT, FILE, Cell, Table
from canfetch.bulk.studies.definitions import DEFINITIONS, Definition, StudiedFile
from canfetch.bulk.studies.named_agents import FOLDED, NAMED, NOT_NAMED, named_agent_cells
from canfetch.core.choices import unknown_choice
from canfetch.core.document import parse
from canfetch.core.extensions.crawl_delay import KEY, CrawlDelay
from canfetch.core.extensions.record import Extension
from canfetch.core.notes import Note
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
# The crawlers that Krantz counted in the files of news sites (Evolution of AI bot blocking on news websites, 2024).
NEWS_AGENTS: Final = (
    "anthropic-ai",
    "CCBot",
    "ChatGPT-User",
    "cohere-ai",
    "FacebookBot",
    "Google-Extended",
    "GPTBot",
    "PerplexityBot",
)
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
# The limits of the published classes, and three more for small files.
_SIZE_KIB: Final = (0, 1, 5, 50, 100, 200, 300, 400, 500)
_SIZES: Final = (*[f"up to {limit} KiB" for limit in _SIZE_KIB], f"over {_SIZE_KIB[-1]} KiB")
_REDIRECT_UNRESOLVED: Final = "redirect-unresolved"
_NO_RESPONSE: Final = "no-response"
_STATUS_CLASS: Final = "common-crawl-status/1"
_STATUS_CLASSES: Final = (
    "with-rules",
    "no-rules",
    "no-text",
    "allow-all",
    "forbidden",
    "defer-visits",
    _REDIRECT_UNRESOLVED,
    _NO_RESPONSE,
)
# Surveys of publishers count the sites that block some of a list of crawlers, or none.
_BLOCKED: Final = "blocked-agents/1"
_BLOCKED_CLASSES: Final = ("all", "some", "none", "undecided")
SITEMAPS: Final = "sitemaps/1"
SYNTAX: Final = "syntax/1"
_ERRORS: Final = "errors"
_NO_ERRORS: Final = "no-errors"
_NO_RECORDS: Final = Note.NOT_A_RECORD | Note.MISSING_COLON
CRAWL_DELAY: Final = "crawl-delay/1"
CRAWL_DELAY_SECONDS: Final = "crawl-delay-seconds/1"
_NO_DELAY: Final = "none"
_INVALID_DELAY: Final = "invalid"
_DELAY_LIMITS: Final = (1, 5, 10, 30, 60)
_DELAY_LABELS: Final = (
    _NO_DELAY,
    _INVALID_DELAY,
    "0 s",
    *[f"up to {limit} s" for limit in _DELAY_LIMITS],
    f"over {_DELAY_LIMITS[-1]} s",
)
# Larger numbers have one class, and others are rounded, so that files cannot make any number of classes.
_DAY: Final = 86_400
_OVER_A_DAY: Final = f"over {_DAY}"
_DIGITS: Final = 3
_DECIMALS: Final = 2


class Plotted(NamedTuple):
    """What a plot shows.

    Attributes:
        measure: The measure.
        label: The class whose share it shows for each subject, or None for all classes of one subject.
        title: Its title.
        subject: This subject, or None if the measure has only one.
    """

    measure: str
    label: str | None
    title: str
    subject: str | None = None


class Recipe(NamedTuple):
    """A recipe.

    Attributes:
        name: Its name.
        summary: What it counts.
        source: The study whose table it has.
        agents: The agents by default.
        cells: Yields the cells of a file.
        tables: Yields the tables of some agents. A ranking has none, because the files decide which agents it has.
        plotted: What a plot shows.
    """

    name: str
    summary: str
    source: str
    agents: tuple[str, ...]
    cells: Callable[[ResolvedFile, tuple[str, ...]], Iterator[Cell]]
    tables: Callable[[tuple[str, ...]], Iterator[Table]] | None
    plotted: Plotted


class _Counts(NamedTuple):
    """How a recipe counts: its cells and its tables, in the order of `Recipe`."""

    cells: Callable[[ResolvedFile, tuple[str, ...]], Iterator[Cell]]
    tables: Callable[[tuple[str, ...]], Iterator[Table]]


def _by_definitions(*names: str, with_any: bool = False) -> _Counts:
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
                yield Cell(ANY_AGENT, definition.name, definition.strictest(labels))
            if definition.classify_all is not None:
                yield Cell(ALL_AGENTS, definition.name, definition.classify_all(studied))

    return _Counts(cells, partial(_definition_tables, definitions, with_any=with_any))


def _definition_tables(
    definitions: Sequence[Definition], agents: tuple[str, ...], *, with_any: bool = False
) -> Iterator[Table]:
    for definition in definitions:
        subjects = [*agents]
        if with_any and agents:
            subjects.append(ANY_AGENT)
        if definition.classify_all is not None:
            subjects.append(ALL_AGENTS)
        for subject in subjects:
            yield Table(subject, definition.name, definition.classes)


def _common_crawl_cells(file: ResolvedFile, agents: tuple[str, ...]) -> Iterator[Cell]:
    label = _status_class(file)
    yield Cell(ALL, _STATUS_CLASS, label)
    if label == "with-rules":
        yield from _RULESETS.cells(file, (ALL, *agents))


def _common_crawl_tables(agents: tuple[str, ...]) -> Iterator[Table]:
    yield Table(ALL, _STATUS_CLASS, _STATUS_CLASSES)
    yield from _RULESETS.tables((ALL, *agents))


_RULESETS: Final = _by_definitions("common-crawl/1", "common-crawl/2", "common-crawl-published/1", "exact/1")


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
    yield Cell(ALL, "status", _without_response(file) if status is None else str(status))
    named: Collection[str] = ()
    if status == 200 and file.content is not None:
        metrics = robots_metrics(file.content, status=status, redirected=bool(file.hops))
        size = metrics["size_kib"]
        yield Cell(ALL, "size", _SIZES[sum(size > limit for limit in _SIZE_KIB)])
        named = metrics["record_counts"]["by_useragent"]
    # The published shares are of all sites, including those without a file.
    for agent in (ALL, *agents):
        yield Cell(agent, "named", NAMED if agent.lower() in named else NOT_NAMED)


def _almanac_tables(agents: tuple[str, ...]) -> Iterator[Table]:
    yield Table(ALL, "status", (_REDIRECT_UNRESOLVED, _NO_RESPONSE), is_open=True)
    yield Table(ALL, "size", _SIZES)
    for agent in (ALL, *agents):
        yield Table(agent, "named", (NAMED, NOT_NAMED))


_EXACT: Final = _by_definitions("exact/1")


def _publisher_cells(file: ResolvedFile, agents: tuple[str, ...]) -> Iterator[Cell]:
    cells = list(_EXACT.cells(file, agents))
    yield from cells
    if cells:
        blocked = {cell.label for cell in cells}
        is_blocked = {label == "disallow-all" for label in blocked}
        # An agent that is not decided may be blocked.
        label = "some" if len(is_blocked) > 1 else "all" if True in is_blocked else "none"
        yield Cell(FILE, _BLOCKED, "undecided" if "undecided" in blocked else label)


def _publisher_tables(agents: tuple[str, ...]) -> Iterator[Table]:
    yield from _EXACT.tables(agents)
    yield Table(FILE, _BLOCKED, _BLOCKED_CLASSES)


def _crawl_delay_cells(file: ResolvedFile, agents: tuple[str, ...]) -> Iterator[Cell]:
    """Yield the cells of a file: of its longest delay, and of the delay of each agent.

    Cost: O(bytes), and O(Crawl-delay lines) for each agent.
    """
    if file.effect is not Effect.CONDITIONAL_ALLOW or file.content is None:
        return
    robots = parse(file.content)
    # A line before all groups applies to no agent.
    records = [record for record in robots.extensions.by_name(KEY.decode()) if record.group is not None]
    yield from _delay_cells(FILE, records)
    for agent in (ALL, *agents):
        groups = frozenset(robots.rules_for(agent).group_indices) if records else ()
        yield from _delay_cells(agent, _of_groups(records, groups))


def _crawl_delay_tables(agents: tuple[str, ...]) -> Iterator[Table]:
    """Yield the tables of these cells."""
    for subject in (FILE, ALL, *agents):
        yield Table(subject, CRAWL_DELAY, _DELAY_LABELS)
        yield Table(subject, CRAWL_DELAY_SECONDS, (), is_open=True)


def _of_groups(records: Sequence[Extension[Any]], groups: Collection[int]) -> list[Extension[Any]]:
    return [record for record in records if record.group in groups]


def _delay_cells(subject: str, records: Sequence[Extension[Any]]) -> Iterator[Cell]:
    # The longest of several delays counts, as in `RobotsTxt.crawl_delay`.
    delays = [record.parsed.seconds for record in records if isinstance(record.parsed, CrawlDelay)]
    if not delays:
        yield Cell(subject, CRAWL_DELAY, _INVALID_DELAY if records else _NO_DELAY)
        return
    seconds = max(delays)
    yield Cell(subject, CRAWL_DELAY, _DELAY_LABELS[2 + sum(seconds > limit for limit in (0, *_DELAY_LIMITS))])
    yield Cell(subject, CRAWL_DELAY_SECONDS, _rounded(seconds) if seconds <= _DAY else _OVER_A_DAY)


def _rounded(seconds: float) -> str:
    """Return a number rounded up to three digits, of which two can be decimals: one of about 4,500 texts.

    Upwards, because a class of `crawl-delay/1` includes its limit. A delay over 0 is not 0.
    """
    exact = Decimal(repr(seconds))
    last = max(exact.adjusted() - _DIGITS + 1, -_DECIMALS)
    return f"{exact.quantize(Decimal((0, (1,), last)), ROUND_CEILING).normalize():f}"


def _content_cells(file: ResolvedFile, _: tuple[str, ...]) -> Iterator[Cell]:
    """Yield the cells of a file.

    Cost: O(bytes).
    """
    if file.effect is not Effect.CONDITIONAL_ALLOW or file.content is None:
        return
    robots = parse(file.content)
    # A Sitemap line without a value is not a sitemap. The size of a file limits their number, and that of the classes.
    yield Cell(FILE, SITEMAPS, str(sum(bool(sitemap) for sitemap in robots.sitemaps)))
    yield Cell(FILE, SYNTAX, _ERRORS if any(record.notes & _NO_RECORDS for record in robots.records) else _NO_ERRORS)


def _content_tables(_: tuple[str, ...]) -> Iterator[Table]:
    """Yield the tables of these cells."""
    yield Table(FILE, SITEMAPS, ("0", "1"), is_open=True)
    yield Table(FILE, SYNTAX, (_ERRORS, _NO_ERRORS))


RECIPES: Final = {
    recipe.name: recipe
    for recipe in (
        Recipe(
            "imc-2025",
            "AI crawlers: disallowed fully or partially, mentioned, explicitly allowed.",
            "Liu et al., Somesite I Used To Crawl, IMC 2025, figures 2 to 4",
            IMC_2025_AGENTS,
            *_by_definitions("imc-2025/1", "imc-2025-mention/2", "imc-2025-explicit-allow/2", "exact/1", with_any=True),
            Plotted("imc-2025/1", "fully-disallowed", "Files that fully disallow the agent"),
        ),
        Recipe(
            "common-crawl",
            "Responses by what a crawler does next, and rulesets.",
            "Common Crawl, robotstxt-experiments, IIPC 2025",
            ("CCBot", "GPTBot", "ClaudeBot", "Google-Extended", "Bytespider", "Googlebot"),
            _common_crawl_cells,
            _common_crawl_tables,
            Plotted(_STATUS_CLASS, None, "Responses by what the crawler does"),
        ),
        Recipe(
            "http-archive",
            "Status codes, sizes, and the user agents that files name.",
            "HTTP Archive, Web Almanac 2025, chapter SEO",
            ("GPTBot", "ClaudeBot", "CCBot", "Google-Extended", "PerplexityBot", "Googlebot", "bingbot", "AhrefsBot"),
            _almanac_cells,
            _almanac_tables,
            Plotted("named", "named", "Files that name the user agent"),
        ),
        Recipe(
            "consent-in-crisis",
            "Blocked AI crawlers, by the published parser and exactly.",
            "Longpre et al., Consent in Crisis, 2024",
            CONSENT_AGENTS,
            *_by_definitions("consent-in-crisis-published/1", "consent-in-crisis/1", "exact/1"),
            Plotted("consent-in-crisis/1", "all", "Files that block all for the agent"),
        ),
        Recipe(
            "news-publishers",
            "AI crawlers that files disallow entirely: all, some or none of a list.",
            "surveys of news publishers, such as Press Gazette, 2024",
            NEWS_AGENTS,
            _publisher_cells,
            _publisher_tables,
            Plotted("exact/1", "disallow-all", "Files that disallow everything"),
        ),
        Recipe(
            "crawl-delay",
            "The distribution of crawl delays, of files and of agents.",
            "Bing's documentation",
            ("bingbot", "Slurp", "AhrefsBot", "SemrushBot", "MJ12bot", "GPTBot", "ClaudeBot", "CCBot"),
            _crawl_delay_cells,
            _crawl_delay_tables,
            Plotted(CRAWL_DELAY, None, "Files by their longest crawl delay", FILE),
        ),
        Recipe(
            "contents",
            "The number of sitemaps, and lines that are not records.",
            "RFC 9309",
            (),
            _content_cells,
            _content_tables,
            Plotted(SYNTAX, None, "Files with and without errors", FILE),
        ),
        Recipe(
            "agents",
            "The ranking of user agents by the number of files that name them.",
            "RFC 9309",
            (),
            named_agent_cells,
            None,
            Plotted(FOLDED, NAMED, "Files that name the user agent"),
        ),
        Recipe(
            "definitions",
            "All definitions of a blocked agent side by side.",
            "the sources of the definitions",
            ("GPTBot", "CCBot", "ClaudeBot", "Googlebot"),
            *_by_definitions(*DEFINITIONS),
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
