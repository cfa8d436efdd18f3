"""The forms of responses with verdicts, for the OpenAPI document. Keys may be added, but are never renamed.

Responses are the JSON of values in `canfetch.answers`, and are not built from these models.
`tests/web/test_responses.py` compares the two.
"""

from typing import Annotated, Literal

from pydantic import BaseModel, Field

from canfetch.core.verdict import Access, Effect, GroupChoice, Reason

# Missing if there are none.
AgentNotes = Annotated[list[str], Field(description="Notes about unknown agents: the names that are probably meant.")]


class RuleObject(BaseModel):
    """An allow or disallow rule."""

    type: Literal["allow", "disallow"]
    pattern: str
    line: int
    specificity: int


class GroupObject(BaseModel):
    """The groups whose rules apply to an agent."""

    choice: GroupChoice
    token: str | None
    lines: list[int]


class AgentObject(BaseModel):
    """The product tokens that were tried, in order."""

    tokens: list[str]
    star_applies: bool


class AccessObject(BaseModel):
    """How a robots.txt was obtained, and what that permits."""

    access: Access
    effect: Effect
    explanation: str
    policy: str
    robots_url: str
    fetched_at: str | None
    sha256: str | None


class BareVerdict(BaseModel):
    """A verdict without the names of the URL and the agent, as `Verdict.to_json` returns it."""

    schema_: str = Field(alias="schema")
    allowed: bool
    reason: Reason
    rule: RuleObject | None
    also_matched: list[RuleObject]
    group: GroupObject
    agent: AgentObject
    target: str
    profile: str
    notes: list[str]
    access: AccessObject | None


class VerdictObject(BareVerdict):
    """A verdict, as `canfetch check --format ndjson` writes it."""

    url: str
    agent_name: str
    agent_notes: AgentNotes = []


class ErrorObject(BaseModel):
    """A verdict that cannot be computed."""

    url: str
    agent_name: str
    allowed: None
    error: str


class ListedVerdict(BaseModel):
    """A verdict that refers to the groups and rules of its list by index."""

    url: str
    agent_name: str
    allowed: bool
    reason: Reason
    rule: int | None = Field(description="The index of the deciding rule in `rules`.")
    also_matched: int = Field(description="The index in `rule_lists` of the other rules that matched.")
    group: int = Field(description="The index in `groups`.")
    agent: AgentObject
    target: str
    profile: str
    notes: list[str]
    access: AccessObject | None


class VerdictList(BaseModel):
    """The verdicts on several URLs, each with every agent."""

    schema_: str = Field(alias="schema")
    verdicts: list[ListedVerdict | ErrorObject]
    groups: list[GroupObject]
    rules: list[RuleObject]
    rule_lists: list[list[int]] = Field(description="Indexes in `rules`, the most specific rule first.")
    agent_notes: AgentNotes = []


class ProfileVerdict(BaseModel):
    """What one profile decides."""

    profile: str
    allowed: bool
    reason: Reason
    rule: RuleObject | None
    group: GroupObject
    explanation: str
    why: str
    differs: bool


class Explanation(BaseModel):
    """A verdict, and what each profile decides."""

    schema_: str = Field(alias="schema")
    verdict: VerdictObject
    explanation: str
    why: str = Field(description="Why the deciding rule decides, or what decides in place of a rule.")
    profiles: list[ProfileVerdict]
    agent_notes: AgentNotes = []


class Cell(BaseModel):
    """A verdict in a table."""

    allowed: bool
    reason: Reason
    line: int | None


class MatrixRow(BaseModel):
    """A URL, and the verdicts by the names of the agents."""

    url: str
    verdicts: dict[str, Cell]


class InvalidRow(BaseModel):
    """A URL that is not valid."""

    url: str
    error: str


class Matrix(BaseModel):
    """A table of agents and URLs."""

    rows: list[MatrixRow | InvalidRow]
    agent_notes: AgentNotes = []


class ChangedVerdict(BaseModel):
    """A verdict that differs between two versions."""

    url: str
    agent_name: str
    old: VerdictObject
    new: VerdictObject


class ChangedURLs(BaseModel):
    """URLs as patterns of a robots.txt, with a shortest URL for each."""

    patterns: list[str] = Field(description="Patterns all of whose URLs change.")
    partial_patterns: list[str] = Field(description="Patterns some of whose URLs change.")
    examples: list[str]


class ExactChange(BaseModel):
    """What changes for some agents, all alike."""

    agents: list[str]
    newly_disallowed: ChangedURLs
    newly_allowed: ChangedURLs


class ExactComparison(BaseModel):
    """What changes on all URLs, in `profile`, for the agents of the request."""

    changes: list[ExactChange]
    undecided: bool = Field(description="Whether the files are too large to be compared.")


class Comparison(BaseModel):
    """Two versions of a file, compared by their verdicts."""

    schema_: str = Field(alias="schema")
    profile: str
    compared: int
    changed: list[ChangedVerdict]
    errors: list[InvalidRow]
    changed_profiles: list[str] = Field(
        description="The profiles in which a verdict on any URL changes for any agent. The others are proved equal."
    )
    all_urls: ExactComparison
    agent_notes: AgentNotes = []
