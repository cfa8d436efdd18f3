"""A crawler, as the registry knows it."""

from typing import Literal, NamedTuple

from canfetch.core.agent import Agent

Purpose = Literal[
    "ads",
    "answers",
    "archive",
    "feeds",
    "notifications",
    "preview",
    "research",
    "safety",
    "search-index",
    "shopping",
    "site-owner",
    "testing",
    "training",
    "user-triggered",
]
"""What the operator says that it fetches for, first of all."""

Obeys = Literal["yes", "may-not", "no", "not-documented"]
"""What the operator says about robots.txt: it obeys, may not obey, does not, or nothing that was found."""


class Crawler(NamedTuple):
    """One crawler.

    `tokens` are its product token and those that it falls back on, in order; where no group has one of
    them, `*` decides if `star_applies`. A `token_only` entry never fetches: it is a word in robots.txt by
    which a site speaks to other crawlers of the operator. `source` is where this was read, and `checked`
    the day on which it said so, as YYYY-MM-DD.
    """

    tokens: tuple[str, ...]
    operator: str
    purpose: Purpose
    source: str
    obeys: Obeys = "yes"
    star_applies: bool = True
    token_only: bool = False
    checked: str = "2026-11-20"

    @property
    def name(self) -> str:
        """Its own product token."""
        return self.tokens[0]

    @property
    def agent(self) -> Agent:
        """Who asks when it asks."""
        return Agent(self.tokens, star_applies=self.star_applies)
