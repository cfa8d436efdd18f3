"""The populations that `benchmarks.generated_files` draws from, derived from published figures.

Studies count different sites, so their figures contradict each other, and no archive can have all of them. Each
population follows one study, and others for what that study does not count:

| population | statuses | user agents | what they disallow | sizes |
| --- | --- | --- | --- | --- |
| `web` | HTTP Archive | HTTP Archive | robotstxt-study | robotstxt-study |
| `common-crawl` | Common Crawl | robotstxt-study | robotstxt-study | robotstxt-study |
| `top-sites` | IMC 2025 | IMC 2025 | IMC 2025 | as `web` |
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

from benchmarks.published import (
    COMMON_CRAWL_CLASSES,
    HTTP_ARCHIVE_EMPTY,
    HTTP_ARCHIVE_NAMED,
    HTTP_ARCHIVE_NAMED_2024,
    HTTP_ARCHIVE_STATUSES,
    IMC_AGENTS,
    IMC_ERRORS,
    IMC_FILES,
    IMC_MISSING,
    IMC_UNNAMED,
    STUDY_CLOSED,
    STUDY_NAMED,
    STUDY_USER_AGENTS,
)

_STAR: Final = "*"


class Naming(NamedTuple):
    """The files that name a user agent.

    Attributes:
        share: Their share of the files that have user agents.
        closed: Of these, the share whose only rule for it is `Disallow: /`.
        open: Of these, the share that allow it everything.
    """

    share: float
    closed: float
    open: float = 0.0


class Population(NamedTuple):
    """What files are drawn from.

    Attributes:
        statuses: The share of each status among all hosts. The target of a redirect is not in the archive.
        moved: The share of hosts that redirect to another one in the archive, and so have its status.
        empty: The share of empty files among those with status 200.
        pages: The share of HTML pages among those.
        page_type: The media type of these pages.
        star: The user agent `*`.
        ai: The user agents of AI crawlers.
        others: Other user agents.
        user_agents: The mean number of user agents of a file that has any.
        rules: The mean of the logarithm of the number of rules for `*`. It sets the mean number of lines.
        deep: The probability of each of four more segments in a path. It sets the mean size.
    """

    statuses: dict[int, float]
    moved: float
    empty: float
    pages: float
    page_type: str
    star: Naming
    ai: dict[str, Naming]
    others: dict[str, Naming]
    user_agents: float
    rules: float
    deep: float

    @property
    def valid(self) -> float:
        """The share of files with user agents among those with status 200."""
        return 1 - self.empty - self.pages


# Estimates, where no study has a figure for the population.
_MOVED: Final = 0.01
_EMPTY: Final = 0.02
_STAR_OPEN: Final = 0.12
_CLOSED_AI: Final = 0.99
_CLOSED_OTHERS: Final = 0.5
# By what widespread software says of these user agents.
_CLOSED: Final = {
    "AdsBot-Google-Mobile": 0.0019,
    "AhrefsSiteAudit": 0.05,
    "DotBot": 0.2,
    "Nutch": 0.9,
    "Pinterest": 0.05,
}
# bingbot is less frequent than all others that HTTP Archive has, and these are less frequent than bingbot.
_RARE: Final = {
    "bingbot": 0.027,
    "Mediapartners-Google": 0.02,
    "Baiduspider": 0.02,
    "Yandex": 0.015,
    "ia_archiver": 0.015,
}
# The share of errors of IMC 2025 that are 403. The study does not tell them apart.
_FORBIDDEN: Final = 0.7


def _namings(shares: Mapping[str, float], total: float, closed: float) -> dict[str, Naming]:
    """Return namings from shares of a total, of which the files with user agents are the given share."""
    known = {**_CLOSED, **STUDY_CLOSED}
    return {name: Naming(share / total, known.get(name, closed)) for name, share in shares.items() if name != _STAR}


def _all_ai(known: Mapping[str, float], total: float) -> dict[str, Naming]:
    """Return the namings of AI crawlers. Those without a figure are as frequent, relative to GPTBot, as in IMC 2025."""
    gptbot = known["GPTBot"] / IMC_AGENTS["GPTBot"].named
    shares = {name: known.get(name, gptbot * counts.named) for name, counts in IMC_AGENTS.items()}
    return _namings(shares, total, _CLOSED_AI)


def _web() -> Population:
    found = HTTP_ARCHIVE_STATUSES[200]
    star = STUDY_NAMED[_STAR]
    # HTTP Archive does not count the files with user agents, but those with `*`, which nearly all of them name.
    total = HTTP_ARCHIVE_NAMED[_STAR] / star
    empty = HTTP_ARCHIVE_EMPTY / found
    others = {name: share for name, share in HTTP_ARCHIVE_NAMED.items() if name not in IMC_AGENTS}
    return Population(
        # The chart leaves out the rarest.
        statuses={**HTTP_ARCHIVE_STATUSES, 401: 1 - sum(HTTP_ARCHIVE_STATUSES.values())},
        moved=_MOVED,
        empty=empty,
        pages=1 - total / found - empty,
        page_type="text/html",
        star=Naming(star, STUDY_CLOSED[_STAR], _STAR_OPEN),
        ai=_all_ai(HTTP_ARCHIVE_NAMED, total),
        others=_namings(others | _RARE, total, _CLOSED_OTHERS),
        user_agents=STUDY_USER_AGENTS,
        rules=1.8215,
        deep=0.4355,
    )


def _common_crawl() -> Population:
    classes = COMMON_CRAWL_CLASSES
    total = sum(classes.values())
    files = classes["with-rules"] + classes["no-rules"]
    web = HTTP_ARCHIVE_NAMED[_STAR] / STUDY_NAMED[_STAR]
    return Population(
        statuses={
            200: files / total,
            404: classes["allow-all"] / total,
            301: classes["redirect-unresolved"] / total,
            403: classes["forbidden"] / total,
            503: classes["defer-visits"] / total,
        },
        moved=_MOVED,
        empty=_EMPTY,
        pages=classes["no-rules"] / files - _EMPTY,
        page_type="text/plain",
        star=Naming(STUDY_NAMED[_STAR], STUDY_CLOSED[_STAR], _STAR_OPEN),
        # The study has no shares of AI crawlers in 2023. The nearest are those of HTTP Archive in 2024.
        ai=_all_ai(HTTP_ARCHIVE_NAMED_2024, web),
        others=_namings(STUDY_NAMED, 1.0, _CLOSED_OTHERS),
        user_agents=STUDY_USER_AGENTS,
        rules=1.821,
        deep=0.379,
    )


def _top_sites() -> Population:
    web = _web()
    sites = IMC_FILES + IMC_MISSING + IMC_ERRORS
    star = web.valid * STUDY_NAMED[_STAR]
    # Files without user agents, or without `*`, restrict nothing either.
    is_open = IMC_UNNAMED.unrestricted / IMC_FILES - (1 - star)
    return web._replace(
        statuses={
            200: IMC_FILES / sites,
            404: IMC_MISSING / sites,
            403: IMC_ERRORS * _FORBIDDEN / sites,
            503: IMC_ERRORS * (1 - _FORBIDDEN) / sites,
        },
        star=Naming(STUDY_NAMED[_STAR], IMC_UNNAMED.fully / IMC_FILES / star, is_open / star),
        ai={
            name: Naming(
                counts.named / IMC_FILES / web.valid,
                counts.named_fully / counts.named,
                counts.named_unrestricted / counts.named,
            )
            for name, counts in IMC_AGENTS.items()
        },
    )


POPULATIONS: Final = {"web": _web(), "common-crawl": _common_crawl(), "top-sites": _top_sites()}
