"""The forms of responses about origins, sitemaps and crawlers, for the OpenAPI document. Keys may be added."""

from typing import Annotated

from pydantic import BaseModel, Field

from canfetch.access.outcomes import OutcomeKind
from canfetch.agents import Obeys, Purpose
from canfetch.agents.crawler import SourceKind
from canfetch.agents.identity import IdentityStatus, SignatureReason, SignatureStatus
from canfetch.answers.site_facts import MayFetch, RowKind
from canfetch.core.extensions.preference import Preference, UsagePurpose
from canfetch.core.verdict import Access, Effect, GroupChoice
from canfetch.sitemaps import SitemapKind
from canfetch.web.api.file_responses import ContentEncoding, ExtensionObject
from canfetch.web.api.page_responses import PageHop
from canfetch.web.api.verdict_responses import AccessObject, AgentNotes, RuleObject


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


class WindowObject(BaseModel):
    """A period of each day in UTC, as `HH:MM`."""

    start: str
    end: str


class RateObject(BaseModel):
    """A Request-rate: so many requests in so many seconds, in the window if there is one."""

    requests: int
    seconds: int
    window: WindowObject | None
    line: int


class VisitTimeObject(WindowObject):
    """A Visit-time."""

    line: int


class PaceObject(BaseModel):
    """How fast a site asks a crawler to be."""

    seconds_between_requests: Annotated[
        float | None, Field(description="The delay that follows from all records, at most a day.")
    ]
    crawl_delay: float | None
    crawl_delay_line: int | None
    request_rates: list[RateObject]
    visit_times: Annotated[list[VisitTimeObject], Field(description="Empty for all times.")]
    may_visit_now: bool
    next_visit_at: Annotated[str | None, Field(description="null if the crawler may visit the site now.")]


class StatedUse(BaseModel):
    """The preference on a use of the home page, and the records that state it."""

    preference: Preference
    records: list[ExtensionObject]


class StatedRuleObject(RuleObject):
    """A rule of some crawlers."""

    matches: Annotated[bool, Field(description="Whether it matches some URL.")]


class CrawlerFactsObject(BaseModel):
    """What a file states for some crawlers."""

    kind: RowKind
    names: Annotated[list[str], Field(description="The product tokens as the file writes them, or as requested.")]
    lines: Annotated[list[int], Field(description="Their user-agent lines.")]
    group: Annotated[GroupChoice, Field(description="How the groups were selected.")]
    may_fetch: MayFetch
    rules: Annotated[list[StatedRuleObject], Field(description="The first 100 rules.")]
    rule_count: int
    pace: PaceObject
    ignoring_crawl_delay: Annotated[list[str], Field(description="Crawlers of the row that ignore its Crawl-delay.")]
    crawl_delay_as_window: Annotated[
        list[str], Field(description="Crawlers of the row that read it as a window with one request.")
    ]
    usage: dict[UsagePurpose, StatedUse]
    licenses: list[ExtensionObject]
    known_crawlers: Annotated[list[str], Field(description="Known crawlers of the row that the file does not name.")]
    control_tokens: Annotated[
        list[str], Field(description="Names that fetch nothing: `may_fetch` is about the URLs whose use is permitted.")
    ]
    fetches_nothing: Annotated[bool, Field(description="Whether all crawlers of the row are control tokens.")]


class FileRecordObject(BaseModel):
    """A sitemap, or a preferred host."""

    value: str
    line: int


class SiteFactsObject(BaseModel):
    """Everything that a file states, as `canfetch facts --format json` writes it."""

    schema_: str = Field(alias="schema")
    profile: str
    access: AccessObject | None
    bytes_read: Annotated[int, Field(description="The bytes of the file, in UTF-8, that state the facts.")]
    robots_truncated: Annotated[bool, Field(description="Whether the file is longer than the size limit.")]
    crawlers: list[CrawlerFactsObject]
    truncated: Annotated[bool, Field(description="Whether the file distinguishes more crawlers.")]
    sitemaps: list[FileRecordObject]
    hosts: list[FileRecordObject]
    other_records: Annotated[list[ExtensionObject], Field(description="The first 100 records of other kinds.")]
    agent_notes: AgentNotes = []
