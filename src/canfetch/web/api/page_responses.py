"""The forms of responses about pages, for the OpenAPI document. Keys may be added, but are never renamed."""

from pydantic import BaseModel, Field

from canfetch.core.extensions.preference import Preference, UsagePurpose
from canfetch.pages.positions import PageSource
from canfetch.pages.resources import ResourceKind
from canfetch.pages.verdict import PageReason
from canfetch.web.api.verdict_responses import AccessObject, AgentNotes, AgentObject, BareVerdict, Cell


class RulePosition(BaseModel):
    """The position of a rule of a page. The last three are null outside of HTML."""

    source: PageSource
    number: int = Field(
        description="The header of its name, the element of its kind, or the entry of the file, from 1."
    )
    line: int | None
    offset: int | None = Field(description="In bytes of the HTML.")
    in_head: bool | None


class DirectiveObject(BaseModel):
    """A directive of a header or a meta element."""

    agent: str | None = Field(description="The crawler that it is for, in lower case, or null for all.")
    name: str
    value: str | None
    parsed: int | float | str | None
    raw: str
    position: RulePosition
    notes: list[str]
    suggestion: str | None = Field(description="The known directive that a misspelling resembles.")


class ReservationObject(BaseModel):
    """A reservation of rights to text and data mining (TDMRep), or its revocation."""

    reserved: bool | None
    policy: str | None
    location: str | None
    position: RulePosition
    notes: list[str]


class LinkObject(BaseModel):
    """A link with nofollow, ugc or sponsored."""

    element: str
    qualifiers: list[str]
    target: str | None
    rel: str
    position: RulePosition


class NoSnippetObject(BaseModel):
    """An element with `data-nosnippet`."""

    element: str
    valid: bool
    position: RulePosition


class UsageHeaderObject(BaseModel):
    """The Content-Usage or Content-Signal headers of a page."""

    name: str
    value: str
    preferences: dict[UsagePurpose, Preference]
    notes: list[str]


class LicenseLinkObject(BaseModel):
    """An RSL license that a page names or contains."""

    reference: str | None
    url: str | None
    position: RulePosition


class PageDecisionObject(BaseModel):
    """Whether a use of a page is allowed, and why."""

    allowed: bool
    reason: PageReason
    limit: int | float | str | None
    directive: DirectiveObject | None
    other_directives: list[DirectiveObject]
    reservation: ReservationObject | None
    explanation: str


class PageRulesObject(BaseModel):
    """The rules of a page, for all crawlers."""

    schema_: str = Field(alias="schema")
    directives: list[DirectiveObject]
    links: list[LinkObject]
    no_snippets: list[NoSnippetObject]
    reservations: list[ReservationObject]
    reservation: ReservationObject | None = Field(description="The reservation that applies to the page.")
    tdm_file_problem: str | None
    usage_headers: list[UsageHeaderObject]
    licenses: list[LicenseLinkObject]
    encoding: str | None
    notes: list[str]


class PageHop(BaseModel):
    """A redirect on the way to a page or a sitemap."""

    url: str
    status: int


class FetchedPageObject(BaseModel):
    """The request for a page."""

    url: str
    status: int | None = Field(description="null if robots.txt disallows the page.")
    bytes: int
    hops: list[PageHop]


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
    robots: BareVerdict | None
    directives: list[DirectiveObject]
    notes: list[str]
    fetched: FetchedPageObject | None
    page: PageRulesObject


class PageRows(BaseModel):
    """A row for each crawler."""

    rows: list[PageRow]
    agent_notes: AgentNotes = []


class ResourceObject(BaseModel):
    """A resource of a page, and who may fetch it."""

    url: str
    kind: ResourceKind
    element: str = Field(description="The name of the first element that refers to it.")
    line: int | None
    references: int = Field(description="How many references to it the page has.")
    origin: str
    verdicts: dict[str, Cell] | None = Field(description="By the name of the crawler.")
    error: str | None = Field(description="Why there are no verdicts.")


class ResourceOrigin(BaseModel):
    """An origin of resources, and how its robots.txt was obtained."""

    origin: str
    access: AccessObject


class ResourcesObject(BaseModel):
    """The resources of a page, as `canfetch page --resources --format json` writes them."""

    schema_: str = Field(alias="schema")
    url: str
    fetched: FetchedPageObject
    base: str | None
    resources: list[ResourceObject]
    origins: list[ResourceOrigin]
    notes: list[str]
    agent_notes: AgentNotes = []


class LivePageRows(PageRows):
    """A row for each crawler, and the resources of the page."""

    resources: ResourcesObject | None = Field(
        None, description="Null if the request does not ask for them, or if no crawler may fetch the page."
    )
