"""A crawler, as the registry knows it."""

from collections.abc import Iterator
from typing import Any, Final, Literal, NamedTuple

from canfetch.core.agent import Agent

CRAWLER_SCHEMA: Final = "canfetch.crawler/1"

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
    "seo",
    "shopping",
    "site-owner",
    "testing",
    "training",
    "user-triggered",
]
"""What the operator says that it fetches for, first of all."""

Obeys = Literal["yes", "may-not", "no", "not-documented"]
"""What the operator says about robots.txt: it obeys, may not obey, does not, or nothing that was found."""


class Verification(NamedTuple):
    """How a service can tell that a request is from whom its User-Agent names.

    `host_names` are the endings of the names that reverse DNS gives for its addresses, and which must lead back to
    the address; `address_lists` are the URLs at which the operator publishes addresses; `note` is anything else.
    """

    host_names: tuple[str, ...] = ()
    address_lists: tuple[str, ...] = ()
    note: str = ""

    @property
    def is_documented(self) -> bool:
        """Whether anything is known."""
        return bool(self.host_names or self.address_lists or self.note)

    def __str__(self) -> str:
        ways = list(self._ways())
        return "; ".join(ways) if ways else "nothing documented was found"

    def _ways(self) -> Iterator[str]:
        if self.host_names:
            yield f"reverse DNS gives a name under {', '.join(self.host_names)}, which leads back to the address"
        if self.address_lists:
            yield f"its addresses are listed at {', '.join(self.address_lists)}"
        if self.note:
            yield self.note


class Crawler(NamedTuple):
    """One crawler.

    `tokens` are its product token and those that it falls back on, in order; where no group has one of
    them, `*` decides if `star_applies`. A `token_only` entry never fetches: it is a word in robots.txt by
    which a site speaks to other crawlers of the operator. `source` is where this was read, and `checked`
    the day on which it said so, as YYYY-MM-DD.

    `user_agents` are the product names by which its User-Agent header shows it, where its own token is not the
    only one; `honours` are the records beyond the RFC that it says it reads; `retired` says that the operator has
    given it up.
    """

    tokens: tuple[str, ...]
    operator: str
    purpose: Purpose
    source: str
    obeys: Obeys = "yes"
    star_applies: bool = True
    token_only: bool = False
    checked: str = "2026-11-20"
    user_agents: tuple[str, ...] = ()
    honours: tuple[str, ...] = ()
    verification: Verification = Verification()
    retired: bool = False

    @property
    def name(self) -> str:
        """Its own product token."""
        return self.tokens[0]

    @property
    def agent(self) -> Agent:
        """Who asks when it asks."""
        return Agent(self.tokens, star_applies=self.star_applies)

    @property
    def product_names(self) -> tuple[str, ...]:
        """The product names that its User-Agent header may hold; none where it never fetches."""
        return () if self.token_only else self.user_agents or (self.name,)

    def to_json(self) -> dict[str, Any]:
        """Give the entry in plain values, in its one documented form: keys are added, never renamed."""
        return {
            "schema": CRAWLER_SCHEMA,
            "name": self.name,
            "tokens": list(self.tokens),
            "star_applies": self.star_applies,
            "operator": self.operator,
            "purpose": self.purpose,
            "obeys": self.obeys,
            "token_only": self.token_only,
            "retired": self.retired,
            "product_names": list(self.product_names),
            "honours": list(self.honours),
            "verification": {
                "host_names": list(self.verification.host_names),
                "address_lists": list(self.verification.address_lists),
                "note": self.verification.note,
            },
            "source": self.source,
            "checked": self.checked,
        }
