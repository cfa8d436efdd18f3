"""The forms of responses about a file, for the OpenAPI document. Keys may be added, but are never renamed."""

from typing import Any, Literal

from pydantic import BaseModel, Field

from canfetch.web.api.verdict_responses import AgentNotes, RuleObject


class UserAgentObject(BaseModel):
    """A user-agent line."""

    token: str
    line: int


class FileGroup(BaseModel):
    """A group of a file, as written."""

    user_agents: list[UserAgentObject]
    rules: list[RuleObject]


class RecordObject(BaseModel):
    """A record of a file. Spans are byte offsets into the file as UTF-8, half open."""

    line: int
    span: list[int]
    kind: str | None
    key: str
    key_span: list[int]
    value: str
    value_span: list[int]
    group: int | None
    notes: list[str]


class ExtensionObject(BaseModel):
    """A record beyond RFC 9309."""

    name: str
    value: str
    line: int
    group: int | None
    scope: Literal["file", "group", "none"]
    notes: list[str]
    source: str


class ParsedFile(BaseModel):
    """What a profile reads in a file."""

    schema_: str = Field(alias="schema")
    profile: str
    bytes: int
    bytes_read: int
    source_encoding: str
    not_robots: str | None
    groups: list[FileGroup]
    records: list[RecordObject]
    sitemaps: list[str]
    extensions: list[ExtensionObject]


class EditObject(BaseModel):
    """Replaces the bytes of a span."""

    span: list[int]
    replacement: str


class FixObject(BaseModel):
    """The fix of a finding."""

    safe: bool
    changes_verdicts: bool
    changed_profiles: list[str] | None
    edits: list[EditObject]


class PositionObject(BaseModel):
    """A position in a file: the line from 1, the column in bytes from 0."""

    line: int
    column: int


class FindingObject(BaseModel):
    """A finding of the linter."""

    schema_: str = Field(alias="schema")
    code: str
    name: str
    severity: Literal["error", "warning", "info"]
    message: str
    effect: str | None
    why: str
    how_to_fix: str
    source: str
    start: PositionObject
    end: PositionObject
    span: list[int]
    verdicts: list[dict[str, Any]]
    fix: FixObject | None


class LintReportObject(BaseModel):
    """The findings in a file, as `canfetch lint --format json` writes them."""

    schema_: str = Field(alias="schema")
    name: str
    findings: list[FindingObject]
    suppressed: int
    truncated_checks: list[str]


class FixedFile(BaseModel):
    """A fixed file. `edits` turn the old file into the new one."""

    schema_: str = Field(alias="schema")
    content: str
    changed: bool
    changed_profiles: list[str]
    edits: list[EditObject]
    fixed: list[FindingObject]
    refusal: str | None
    report: LintReportObject


class FormattedFile(BaseModel):
    """A formatted file. `skipped` lists kinds of changes that would alter verdicts."""

    schema_: str = Field(alias="schema")
    content: str
    changed: bool
    edits: list[EditObject]
    refusal: str | None
    skipped: list[str]


class UsageObject(BaseModel):
    """The preference of a site on one use by one crawler."""

    schema_: str = Field(alias="schema")
    purpose: Literal["training", "search", "ai-use"]
    preference: Literal["allow", "disallow", "unknown"]
    statements: list[dict[str, Any]]
    licenses: list[ExtensionObject]
    verdict: dict[str, Any]


class CrawlerUsage(BaseModel):
    """The preferences of a site on what one crawler fetches."""

    agent_name: str
    operator: str | None
    purposes: list[str]
    honours: list[str]
    allowed: bool
    line: int | None
    explanation: str
    usage: dict[str, UsageObject]


class UsageTable(BaseModel):
    """The preferences of a site on a URL, by crawler and purpose."""

    schema_: str = Field(alias="schema")
    url: str
    profile: str
    crawlers: list[CrawlerUsage]
    records: list[ExtensionObject]
    tdm_reservation: dict[str, Any] | None
    tdm_file_problem: str | None
    agent_notes: AgentNotes = []
