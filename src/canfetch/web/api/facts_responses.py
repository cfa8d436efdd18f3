"""The form of the answer about everything that a file states, for the OpenAPI document. Keys may be added."""

from typing import Annotated

from pydantic import BaseModel, Field

from canfetch.answers.site_facts import MayFetch, RowKind
from canfetch.core.extensions.preference import Preference, UsagePurpose
from canfetch.core.verdict import GroupChoice
from canfetch.web.api.file_responses import ExtensionObject
from canfetch.web.api.verdict_responses import AccessObject, AgentNotes, RuleObject


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


class CrawlerFactsObject(BaseModel):
    """What a file states for some crawlers."""

    kind: RowKind
    names: Annotated[list[str], Field(description="The product tokens as the file writes them, or as requested.")]
    lines: Annotated[list[int], Field(description="Their user-agent lines.")]
    group: Annotated[GroupChoice, Field(description="How the groups were selected.")]
    may_fetch: MayFetch
    rules: Annotated[list[RuleObject], Field(description="The first 100 rules.")]
    rule_count: int
    pace: PaceObject
    ignoring_crawl_delay: Annotated[list[str], Field(description="Crawlers of the row that ignore its Crawl-delay.")]
    crawl_delay_as_window: Annotated[
        list[str], Field(description="Crawlers of the row that read it as a window with one request.")
    ]
    usage: dict[UsagePurpose, StatedUse]
    licenses: list[ExtensionObject]
    known_crawlers: Annotated[list[str], Field(description="Known crawlers of the row that the file does not name.")]


class FileRecordObject(BaseModel):
    """A sitemap, or a preferred host."""

    value: str
    line: int


class SiteFactsObject(BaseModel):
    """Everything that a file states, as `canfetch facts --format json` writes it."""

    schema_: str = Field(alias="schema")
    profile: str
    access: AccessObject | None
    crawlers: list[CrawlerFactsObject]
    truncated: Annotated[bool, Field(description="Whether the file distinguishes more crawlers.")]
    sitemaps: list[FileRecordObject]
    hosts: list[FileRecordObject]
    agent_notes: AgentNotes = []
