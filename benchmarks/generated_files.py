"""Generated robots.txt files with the marginals of a population.

A file has rules for `*`, or a list of crawlers that are blocked. Sections follow for other user agents and for AI
crawlers. Many sites have the unchanged file of their software, so that a part of the files is identical.

The response of a host depends on its number, the seed and the population only. The shares of a population are exact in
expectation, because the probabilities are computed from them. Only the mean sizes were fitted, by two parameters.
"""

from bisect import bisect
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import accumulate
from random import Random
from typing import Final, NamedTuple, TypeVar

from benchmarks.populations import POPULATIONS, Naming, Population
from benchmarks.templates import BLOCKED_BOTS, ERROR_PAGE, SHOP, SITE_BUILDER, WORDPRESS, Template

_Item = TypeVar("_Item")
_WORDS: Final = (
    "admin",
    "cart",
    "search",
    "login",
    "tmp",
    "private",
    "user",
    "api",
    "feed",
    "tag",
    "media",
    "checkout",
)
_ENDS: Final = ("/", "/", "", ".html", "*?sort=", "/*.pdf$")
_SITEMAP_SHARE: Final = 0.6
_STACKED_SHARE: Final = 0.4
_MAX_RULES: Final = 2_000
_MAX_SEGMENTS: Final = 4
# Of the files with rules for some paths, those of WordPress.
_WORDPRESS_SHARE: Final = 0.3
# How frequent sections about AI crawlers are in a file: by what it disallows for `*`, relative to rules for some paths.
# In IMC 2025, files that restrict nothing or everything name GPTBot less often than others.
_AI_FACTORS: Final = {"paths": 1.0, "open": 0.6, "bots": 0.6, "closed": 0.35}
# How many of the agents a section is about, so that agents are named together.
_SECTION_DENSITY: Final = 0.85


class GeneratedFile(NamedTuple):
    """A response: the host, the status, the target of a redirect, the media type, and the content."""

    host: str
    status: int
    location: str | None
    media_type: str
    content: bytes


class _Agent(NamedTuple):
    """A user agent of a section: the probability that it is named, and the cumulated ones of what is disallowed."""

    name: str
    named: float
    closed: float
    open: float


class _Section(NamedTuple):
    probability: float
    agents: tuple[_Agent, ...]


class _Model(NamedTuple):
    """The probabilities of a population, ready to draw from."""

    population: Population
    statuses: tuple[int, ...]
    status_sums: list[float]
    kinds: tuple[str, ...]
    kind_sums: list[float]
    bots: float
    others: _Section
    ai: _Section
    ai_scale: float


@cache
def _model(name: str) -> _Model:
    population = POPULATIONS[name]
    star = population.star
    kinds = {
        "bots": 1 - star.share,
        "closed": star.share * star.closed,
        "open": star.share * star.open,
        "shop": _template_share(SHOP, population.others),
        "builder": _template_share(SITE_BUILDER, population.others),
    }
    paths = 1 - sum(kinds.values())
    kinds["wordpress"] = paths * _WORDPRESS_SHARE
    kinds["paths"] = paths - kinds["wordpress"]
    templates = {SHOP: kinds["shop"], SITE_BUILDER: kinds["builder"]}
    average = sum(share * _AI_FACTORS.get(kind, 1) for kind, share in kinds.items())
    in_templates = sum(
        share * sum(agent not in population.others for agent in template.agents)
        for template, share in templates.items()
    )
    named = star.share + sum(naming.share for naming in (*population.ai.values(), *population.others.values()))
    return _Model(
        population=population,
        statuses=tuple(population.statuses),
        status_sums=list(accumulate(population.statuses.values())),
        kinds=tuple(kinds),
        kind_sums=list(accumulate(kinds.values())),
        bots=(population.user_agents - named - in_templates) / kinds["bots"],
        others=_section(population.others, templates),
        ai=_section(population.ai, {}),
        ai_scale=1 / average,
    )


def _template_share(template: Template, namings: Mapping[str, Naming]) -> float:
    """Return how many files may have a template: few enough to leave room for what other files say of its agents."""
    shares = [0.045]
    for name, is_closed in template.agents.items():
        if name in namings:
            naming = namings[name]
            shares.append(naming.share * (naming.closed if is_closed else 1 - naming.closed) * 0.9)
    return min(shares)


def _section(namings: Mapping[str, Naming], templates: Mapping[Template, float]) -> _Section:
    """Return the probabilities of the user agents in the files whose template does not name them."""
    agents = []
    for name, naming in namings.items():
        inside = {template: share for template, share in templates.items() if name in template.agents}
        outside = 1 - sum(inside.values())
        named = (naming.share - sum(inside.values())) / outside
        closed = naming.share * naming.closed - sum(
            share for template, share in inside.items() if template.agents[name]
        )
        agents.append(_Agent(name, named, closed / outside / named, naming.open * naming.share / outside / named))
    probability = min(max(agent.named for agent in agents) / _SECTION_DENSITY, 1)
    return _Section(probability, tuple(agent._replace(named=agent.named / probability) for agent in agents))


def generate_file(number: int, seed: int = 0, population: str = "web") -> GeneratedFile:
    """Return the response of one host.

    Args:
        number: The number of the host.
        seed: The seed.
        population: A name in `POPULATIONS`.
    """
    model = _model(population)
    chance = Random(f"{seed}:{number}")  # noqa: S311 - reproducible
    host = f"host{number}.example"
    if number and chance.random() < model.population.moved:
        target = f"https://host{chance.randrange(number)}.example/robots.txt"
        return GeneratedFile(host, 301, target, "text/plain", b"")
    status = _draw(chance, model.statuses, model.status_sums)
    if status == 301:
        return GeneratedFile(host, status, f"https://gone{number}.example/robots.txt", "text/plain", b"")
    if status != 200:
        return GeneratedFile(host, status, None, "text/plain", b"")
    part = chance.random()
    if part < model.population.empty:
        return GeneratedFile(host, status, None, "text/plain", b"")
    if part < model.population.empty + model.population.pages:
        return GeneratedFile(host, status, None, model.population.page_type, ERROR_PAGE.encode())
    return GeneratedFile(host, status, None, "text/plain", _rules(chance, model, host).encode())


def _draw(chance: Random, items: Sequence[_Item], sums: list[float]) -> _Item:
    return items[min(bisect(sums, chance.random() * sums[-1]), len(items) - 1)]


def _rules(chance: Random, model: _Model, host: str) -> str:
    kind = _draw(chance, model.kinds, model.kind_sums)
    named: Mapping[str, bool] = {}
    if kind == "wordpress":
        text = WORDPRESS
    elif kind == "open":
        text = chance.choice(("User-agent: *\nDisallow:\n", "User-agent: *\nAllow: /\n"))
    elif kind == "closed":
        text = "User-agent: *\nDisallow: /\n"
    elif kind == "shop":
        text, named = SHOP.text, SHOP.agents
    elif kind == "builder":
        text, named = SITE_BUILDER.text, SITE_BUILDER.agents
    elif kind == "bots":
        # The sum of two random numbers rounds down to a whole number with the same mean.
        count = int(model.bots * (0.5 + chance.random()) + chance.random())
        text = "# No bots, please\n" + _block(chance.sample(BLOCKED_BOTS, count), is_stacked=False)
    else:
        count = min(int(chance.lognormvariate(model.population.rules, 1.0)) + 1, _MAX_RULES)
        text = "User-agent: *\n" + _paths(chance, count, model.population.deep)
    if chance.random() < model.others.probability:
        text += _groups(chance, model.others, named, model.population.deep)
    if chance.random() < model.ai.probability * model.ai_scale * _AI_FACTORS.get(kind, 1):
        text += _groups(chance, model.ai, named, model.population.deep)
    if kind in {"shop", "builder", "wordpress", "paths"} and chance.random() < _SITEMAP_SHARE:
        text += f"\nSitemap: https://{host}/sitemap.xml\n"
    return text


def _groups(chance: Random, section: _Section, named: Mapping[str, bool], deep: float) -> str:
    """Return the groups of a section, without the user agents that the file names already."""
    blocked = []
    text = ""
    for agent in section.agents:
        if chance.random() >= agent.named or agent.name in named:
            continue
        part = chance.random()
        if part < agent.closed:
            blocked.append(agent.name)
        elif part < agent.closed + agent.open:
            text += f"\nUser-agent: {agent.name}\nAllow: /\n"
        else:
            text += f"\nUser-agent: {agent.name}\n{_paths(chance, chance.randrange(1, 6), deep)}"
    if blocked:
        text += "\n" + _block(blocked, is_stacked=chance.random() < _STACKED_SHARE)
    return text


def _block(names: Sequence[str], *, is_stacked: bool) -> str:
    if is_stacked:
        return "".join(f"User-agent: {name}\n" for name in names) + "Disallow: /\n"
    return "\n".join(f"User-agent: {name}\nDisallow: /\n" for name in names)


def _paths(chance: Random, count: int, deep: float) -> str:
    # Without a disallow rule, the group would restrict nothing.
    text = f"Disallow: {_path(chance, deep)}\n"
    for _ in range(count - 1):
        text += f"{'Allow' if chance.random() < 0.2 else 'Disallow'}: {_path(chance, deep)}\n"
    return text


def _path(chance: Random, deep: float) -> str:
    path = f"/{chance.choice(_WORDS)}"
    for _ in range(_MAX_SEGMENTS):
        if chance.random() < deep:
            path += f"/{chance.choice(_WORDS)}-{chance.choice(_WORDS)}"
    return f"{path}-{chance.randrange(500)}{chance.choice(_ENDS)}"
