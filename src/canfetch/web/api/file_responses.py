"""The forms of responses about a file, for the OpenAPI document. Keys may be added, but are never renamed."""

from typing import Annotated, Literal

from pydantic import BaseModel, Field

from canfetch.core.extensions.record import ExtensionScope
from canfetch.web.api.verdict_responses import RuleObject

SpanObject = Annotated[tuple[int, int], Field(description="Start and end in bytes of the file as UTF-8, half open.")]
ContentEncoding = Annotated[
    Literal["utf-8", "base64"], Field(description="`base64` if the file is not valid UTF-8, such as a file in UTF-16.")
]
SeverityName = Literal["error", "warning", "info"]


class UserAgentObject(BaseModel):
    """A user-agent line."""

    token: str
    line: int


class FileGroup(BaseModel):
    """A group of a file, as written."""

    user_agents: list[UserAgentObject]
    rules: list[RuleObject]


class RecordObject(BaseModel):
    """A record of a file."""

    line: int
    span: SpanObject
    kind: Literal["user-agent", "allow", "disallow", "sitemap", "other"]
    key: str
    key_span: SpanObject
    value: str
    value_span: SpanObject
    group: int | None
    notes: list[str]


class ExtensionObject(BaseModel):
    """A record beyond RFC 9309."""

    name: str
    value: str
    line: int
    group: int | None
    scope: ExtensionScope
    notes: list[str]
    source: str


class ParsedFile(BaseModel):
    """What a profile reads in a file."""

    schema_: str = Field(alias="schema")
    profile: str
    bytes: int
    bytes_read: int
    source_encoding: Literal["utf-8", "utf-16-le", "utf-16-be"]
    not_robots: str | None
    groups: list[FileGroup]
    records: list[RecordObject]
    sitemaps: list[str]
    extensions: list[ExtensionObject]


class EditObject(BaseModel):
    """Replaces the bytes of a span."""

    span: SpanObject
    replacement: str
    replacement_encoding: Annotated[
        Literal["utf-8", "base64"],
        Field(description="`base64` if the replacement is not valid UTF-8. Absent for other replacements."),
    ] = "utf-8"


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


class CrawlerVerdictObject(BaseModel):
    """What one crawler may fetch because of the lines of a finding, and after its fix if that is different."""

    crawler: str = Field(description="The product token, or `*` for any crawler without a group of its own.")
    profile: str
    url: str
    allowed: bool
    line: int | None
    allowed_after_fix: bool | None


class FindingObject(BaseModel):
    """A finding of the linter."""

    schema_: str = Field(alias="schema")
    code: str
    name: str
    severity: SeverityName
    message: str
    effect: str | None
    why: str
    how_to_fix: str
    source: str
    start: PositionObject
    end: PositionObject
    span: SpanObject
    verdicts: list[CrawlerVerdictObject]
    fix: FixObject | None


class LintReportObject(BaseModel):
    """The findings in a file, as `canfetch lint --format json` writes them."""

    schema_: str = Field(alias="schema")
    name: str
    findings: list[FindingObject]
    suppressed: int
    truncated_checks: list[str]
    undecided_fixes: int = Field(description="Fixes that were not applied because a limit was reached.")


class FixedFile(BaseModel):
    """A fixed file. `edits` turn the old file into the new one."""

    schema_: str = Field(alias="schema")
    content: str
    content_encoding: ContentEncoding
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
    content_encoding: ContentEncoding
    changed: bool
    edits: list[EditObject]
    refusal: str | None
    skipped: list[str]
