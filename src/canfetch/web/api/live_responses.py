"""The forms of responses about pages, origins and crawlers, for the OpenAPI document. Keys may be added."""

from typing import Any, Literal

from pydantic import BaseModel, Field

from canfetch.web.api.verdict_responses import AgentNotes, AgentObject


class PageDecisionObject(BaseModel):
    """Whether a use of a page is allowed, and why."""

    allowed: bool
    reason: str
    limit: int | float | str | None
    directive: dict[str, Any] | None
    other_directives: list[dict[str, Any]]
    reservation: dict[str, Any] | None
    explanation: str


class PageRow(BaseModel):
    """What a crawler may do with a page, as `canfetch page --format json` writes it."""

    url: str | None
    agent_name: str
    schema_: str = Field(alias="schema")
    may_index: PageDecisionObject
    may_list: PageDecisionObject
    may_index_embedded: PageDecisionObject
    may_index_images: PageDecisionObject
    may_follow: PageDecisionObject
    may_snippet: PageDecisionObject
    may_preview_images: PageDecisionObject
    may_preview_video: PageDecisionObject
    may_archive: PageDecisionObject
    may_translate: PageDecisionObject
    may_answer: PageDecisionObject
    may_train: PageDecisionObject
    may_train_images: PageDecisionObject
    available: PageDecisionObject
    agent: AgentObject
    dialect: str
    now: str
    fetch_allowed: bool
    robots: dict[str, Any] | None
    directives: list[dict[str, Any]]
    notes: list[str]
    fetched: dict[str, Any] | None
    page: dict[str, Any]


class PageRows(BaseModel):
    """A row for each crawler."""

    rows: list[PageRow]
    agent_notes: AgentNotes = []


class HopObject(BaseModel):
    """A redirect."""

    url: str
    status: int
    location: str


class CopyObject(BaseModel):
    """The copy of a file in use."""

    sha256: str
    bytes: int
    url: str
    fetched_at: str


class FetchedFile(BaseModel):
    """The state of an origin, as `canfetch fetch --format json` writes it, and its file."""

    schema_: str = Field(alias="schema")
    origin: str
    robots_url: str
    access: Literal["successful", "unavailable", "unreachable"]
    effect: Literal["full-allow", "full-disallow", "conditional-allow"]
    explanation: str
    policy: str
    outcome: str
    status: int | None
    url: str
    hops: list[HopObject]
    headers: dict[str, str]
    fetched_at: str | None
    next_fetch_at: str
    failures: int
    copy_: CopyObject | None = Field(alias="copy")
    fresh_for: int = Field(description="Seconds until the file is fetched again.")
    content: str | None = Field(description="The file, or null if no rules apply.")


class SitemapObject(BaseModel):
    """The URLs of one sitemap."""

    schema_: str = Field(alias="schema")
    url: str
    hops: list[dict[str, Any]]
    kind: Literal["urlset", "index", "text"]
    urls: list[str]
    truncated: bool
    problem: str | None


class VerificationObject(BaseModel):
    """How to verify that a request comes from a crawler."""

    host_names: list[str]
    address_lists: list[str]
    note: str


class CrawlerObject(BaseModel):
    """An entry of the registry."""

    schema_: str = Field(alias="schema")
    name: str
    tokens: list[str]
    star_applies: bool
    operator: str
    purposes: list[str]
    obeys: Literal["yes", "might-ignore", "no", "not-documented"]
    token_only: bool
    retired: bool
    product_names: list[str]
    honours: list[str]
    verification: VerificationObject
    source: str
    source_kind: Literal["operator", "third-party"]
    checked: str


class CrawlerList(BaseModel):
    """Entries of the registry."""

    crawlers: list[CrawlerObject]


class FoundCrawler(BaseModel):
    """The crawler that a User-Agent header identifies, or null."""

    user_agent: str
    crawler: CrawlerObject | None
