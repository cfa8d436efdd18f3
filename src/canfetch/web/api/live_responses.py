"""The forms of responses about origins, sitemaps and crawlers, for the OpenAPI document. Keys may be added."""

from pydantic import BaseModel, Field

from canfetch.access.outcomes import OutcomeKind
from canfetch.agents import Obeys, Purpose
from canfetch.agents.crawler import SourceKind
from canfetch.agents.identity import IdentityStatus, SignatureReason, SignatureStatus
from canfetch.core.verdict import Access, Effect
from canfetch.sitemaps import SitemapKind
from canfetch.web.api.file_responses import ContentEncoding
from canfetch.web.api.page_responses import PageHop


class HopObject(BaseModel):
    """A redirect on the way to a robots.txt."""

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
    access: Access
    effect: Effect
    explanation: str
    policy: str
    outcome: OutcomeKind
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
    content_encoding: ContentEncoding


class SitemapObject(BaseModel):
    """The URLs of one sitemap."""

    schema_: str = Field(alias="schema")
    url: str
    hops: list[PageHop]
    kind: SitemapKind
    urls: list[str]
    truncated: bool
    problem: str | None


class VerificationObject(BaseModel):
    """How to verify that a request comes from a crawler."""

    host_names: list[str]
    address_lists: list[str]
    note: str
    key_directories: list[str]


class HeaderObject(BaseModel):
    """A User-Agent header of a crawler, and where it is published."""

    value: str
    source: str
    source_kind: SourceKind
    checked: str = Field(description="When the source was checked, or an empty string.")


class FieldSourceObject(BaseModel):
    """The source of a field that is not that of the entry."""

    field: str
    source: str
    checked: str


class CrawlerObject(BaseModel):
    """An entry of the registry."""

    schema_: str = Field(alias="schema")
    name: str
    tokens: list[str]
    star_applies: bool
    operator: str
    purposes: list[Purpose]
    obeys: Obeys
    token_only: bool
    retired: bool
    product_names: list[str]
    app_names: list[str]
    headers: list[HeaderObject]
    honours: list[str]
    verification: VerificationObject
    source: str
    source_kind: SourceKind
    checked: str
    field_sources: list[FieldSourceObject]


class CrawlerList(BaseModel):
    """Entries of the registry."""

    crawlers: list[CrawlerObject]


class FoundCrawler(BaseModel):
    """The crawler that a User-Agent header identifies, or null."""

    user_agent: str
    crawler: CrawlerObject | None


class SignatureObject(BaseModel):
    """The check of the signatures of a request. Without a valid one, `url` and `key_id` are what the request claims."""

    status: SignatureStatus
    reason: SignatureReason
    detail: str
    url: str | None
    key_id: str | None
    covers_body: bool
    components: list[str]


class RequestIdentity(BaseModel):
    """Who sent a recorded request. `crawler` is the one that its User-Agent field names, or null."""

    crawler: str | None
    status: IdentityStatus
    reason: str
    signature: SignatureObject
