"""Crawlers: the entries of the registry."""

from collections.abc import Iterator
from typing import Any, Final, Literal, NamedTuple

from canfetch.core.agent import Agent, cached_agent

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
"""What a crawler fetches pages for."""

Obeys = Literal["yes", "might-ignore", "no", "not-documented"]
"""Whether the crawler obeys robots.txt, according to the source of the entry.

`might-ignore` means that it ignores the file in some cases, such as fetches that a user triggers.
"""

SourceKind = Literal["operator", "third-party"]
"""Whether the source of an entry is the operator's own documentation, or that of someone else."""


class Verification(NamedTuple):
    """How to verify that a request comes from the crawler in its User-Agent header.

    Attributes:
        host_names: Suffixes of the host names that reverse DNS returns for the crawler's addresses. The names must
            resolve back to the address.
        address_lists: URLs where the operator publishes the addresses.
        note: Any other method.
        key_directories: URLs of the keys of Web Bot Auth that sign requests of the crawler, according to its operator.
            The crawler may send requests without a signature as well.
    """

    host_names: tuple[str, ...] = ()
    address_lists: tuple[str, ...] = ()
    note: str = ""
    key_directories: tuple[str, ...] = ()

    @property
    def is_documented(self) -> bool:
        """Whether a method is documented."""
        return bool(self.host_names or self.address_lists or self.note or self.key_directories)

    def __str__(self) -> str:
        ways = list(self._ways())
        return "; ".join(ways) if ways else "no documented method"

    def _ways(self) -> Iterator[str]:
        if self.host_names:
            yield f"reverse DNS returns a name under {', '.join(self.host_names)} that resolves back to the address"
        if self.address_lists:
            yield f"the addresses are listed at {', '.join(self.address_lists)}"
        if self.key_directories:
            yield f"requests may be signed with a key that is published at {', '.join(self.key_directories)}"
        if self.note:
            yield self.note


class PublishedHeader(NamedTuple):
    """A User-Agent header of a crawler.

    Attributes:
        value: The header. `W.X.Y.Z` and `X.X.X.X` are placeholders of operators for the version of a browser.
        source: The page or list that has it.
        source_kind: Whether the source is the operator's own, or a third party's.
        checked: The date when the source was last checked, as YYYY-MM-DD, or an empty string if it is unknown.
    """

    value: str
    source: str
    source_kind: SourceKind = "operator"
    checked: str = ""

    def to_json(self) -> dict[str, str]:
        """Return the header as plain values."""
        return self._asdict()


class FieldSource(NamedTuple):
    """The source of one field of a crawler, if it is not that of the entry.

    Attributes:
        field: The name of the field, such as `purposes` or `verification.host_names`.
        source: The page or document.
        checked: The date when it was last checked, as YYYY-MM-DD.
    """

    field: str
    source: str
    checked: str


class Crawler(NamedTuple):
    """A crawler.

    Attributes:
        tokens: The crawler's product token, followed by those that it falls back to, in order.
        operator: The organisation that operates the crawler.
        purposes: What the crawler fetches pages for, the main purpose first, according to the source.
        source: The page or document that this entry is based on.
        obeys: Whether the crawler obeys robots.txt, according to the source.
        star_applies: Whether the `*` groups apply if no token has a group.
        token_only: Whether the token is only used in robots.txt files, where it controls the use of content.
        checked: The date when the source was last checked, as YYYY-MM-DD.
        user_agents: The product names in the crawler's User-Agent header, if they differ from its token.
        honours: The records beyond the RFC that the crawler reads, according to the source.
        verification: How to verify that a request comes from the crawler.
        retired: Whether the operator has retired the crawler.
        source_kind: Whether the source is the operator's own, or a third party's.
        headers: The User-Agent headers that are known, those that the operator publishes first.
        app_names: The product names that an app sends, too. They identify the crawler only in a header that has
            nothing but the name, a version and a comment, or after `compatible;`.
        field_sources: The fields that have another source, or another date, than the entry.
    """

    tokens: tuple[str, ...]
    operator: str
    purposes: tuple[Purpose, ...]
    source: str
    obeys: Obeys = "yes"
    star_applies: bool = True
    token_only: bool = False
    checked: str = "2026-11-20"
    user_agents: tuple[str, ...] = ()
    honours: tuple[str, ...] = ()
    verification: Verification = Verification()
    retired: bool = False
    source_kind: SourceKind = "operator"
    headers: tuple[PublishedHeader, ...] = ()
    app_names: tuple[str, ...] = ()
    field_sources: tuple[FieldSource, ...] = ()

    @property
    def name(self) -> str:
        """The crawler's own product token."""
        return self.tokens[0]

    @property
    def agent(self) -> Agent:
        """The product tokens in order, and whether the `*` groups apply."""
        return cached_agent(self.tokens, self.star_applies)

    @property
    def product_names(self) -> tuple[str, ...]:
        """The product names in the crawler's User-Agent header. Empty if the token is only used in robots.txt files."""
        return () if self.token_only else self.user_agents or (self.name,)

    def to_dict(self) -> dict[str, str | bool | None]:
        """Return the entry as one flat row, for example for a DataFrame. `to_json` returns all of it.

        Several values are separated by spaces, as in the CSV of `canfetch agents list`.
        """
        return {
            "name": self.name,
            "tokens": " ".join(self.tokens),
            "star_applies": self.star_applies,
            "operator": self.operator,
            "purposes": " ".join(self.purposes),
            "obeys": self.obeys,
            "token_only": self.token_only,
            "retired": self.retired,
            "product_names": " ".join(self.product_names) or None,
            "honours": " ".join(self.honours) or None,
            "verification": str(self.verification),
            "source": self.source,
            "source_kind": self.source_kind,
            "checked": self.checked,
        }

    def to_json(self) -> dict[str, Any]:
        """Return the entry as plain values. Within one schema, keys are added but never renamed."""
        return {
            "schema": CRAWLER_SCHEMA,
            "name": self.name,
            "tokens": list(self.tokens),
            "star_applies": self.star_applies,
            "operator": self.operator,
            "purposes": list(self.purposes),
            "obeys": self.obeys,
            "token_only": self.token_only,
            "retired": self.retired,
            "product_names": list(self.product_names),
            "app_names": list(self.app_names),
            "headers": [header.to_json() for header in self.headers],
            "honours": list(self.honours),
            "verification": {
                "host_names": list(self.verification.host_names),
                "address_lists": list(self.verification.address_lists),
                "note": self.verification.note,
                "key_directories": list(self.verification.key_directories),
            },
            "source": self.source,
            "source_kind": self.source_kind,
            "checked": self.checked,
            "field_sources": [one._asdict() for one in self.field_sources],
        }
