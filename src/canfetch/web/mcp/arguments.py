"""The arguments of the tools, validated. Their JSON schemas are the input schemas.

Messages are one sentence with the value and the fix, because a model reads them and tries again.
"""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Final, Literal, Self, TypeVar, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    WithJsonSchema,
    field_validator,
    model_validator,
)

from canfetch.access.editions import EDITIONS, get_edition
from canfetch.consent.purposes import find_purpose, purpose_key
from canfetch.core.choices import unknown_choice
from canfetch.core.quoting import quoted
from canfetch.errors import CanfetchError, InvalidOption, UnknownEdition

MAX_URL_CHARACTERS: Final = 4096
MAX_AGENT_CHARACTERS: Final = 500
MAX_AGENTS: Final = 8
# More than crawlers read, so that the linter can report the size of a file.
MAX_ROBOTS_CHARACTERS: Final = 600_000

Purpose = Literal["training", "search", "ai-use", "user-request"]
_USER_REQUESTS: Final = ("user-request", "user", "user-triggered")

_URL: Final = "Absolute http or https URL"
_AGENT: Final = "Product token such as GPTBot, or a User-Agent header. Default: the agent of the server's configuration"

ArgumentsT = TypeVar("ArgumentsT", bound="Arguments")


class CallerError(CanfetchError):
    """An argument is invalid. The message is one sentence that names the fix."""


class Arguments(BaseModel):
    """The arguments of one tool. Hosts send null or empty strings for arguments that a model leaves out."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    @model_validator(mode="before")
    @classmethod
    def _drop_empty(cls, values: Any) -> Any:
        if isinstance(values, Mapping):
            return {name: value for name, value in values.items() if value is not None and value not in ("", [])}
        return values


def _known_edition(name: str) -> str:
    try:
        return get_edition(name).name
    except UnknownEdition as error:
        raise CallerError(str(error)) from None


EditionName = Annotated[
    Annotated[str, AfterValidator(_known_edition), WithJsonSchema({"enum": list(EDITIONS), "type": "string"})] | None,
    Field(description="Whose reading of robots.txt and of status codes. Default: that of the server"),
]


class MayFetchArguments(Arguments):
    """The arguments of `may_fetch`."""

    url: Annotated[str, Field(description=_URL, max_length=MAX_URL_CHARACTERS)]
    agent: Annotated[str | None, Field(description=_AGENT, max_length=MAX_AGENT_CHARACTERS)] = None
    purpose: Annotated[
        Purpose | None,
        Field(
            description="What the content is for: training a model; search (an index with links); ai-use (input of a "
            "model, such as RAG or grounding); user-request (a person asked for this page, treated as ai-use)"
        ),
    ] = None
    edition: EditionName = None

    @field_validator("purpose", mode="before")
    @classmethod
    def _known_purpose(cls, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        if purpose_key(value) in _USER_REQUESTS:
            return "user-request"
        try:
            return str(find_purpose(value))
        except InvalidOption:
            raise CallerError(unknown_choice("purpose", value, get_args(Purpose))) from None


class ExplainArguments(Arguments):
    """The arguments of `explain`."""

    url: Annotated[
        str, Field(description=f"{_URL}; with robots_txt also a path such as /a?b", max_length=MAX_URL_CHARACTERS)
    ]
    agents: Annotated[
        list[Annotated[str, Field(max_length=MAX_AGENT_CHARACTERS)]],
        Field(
            description="Agents to compare, each as in may_fetch. Default: the agent of the server",
            max_length=MAX_AGENTS,
        ),
    ] = []
    robots_txt: Annotated[
        str | None,
        Field(
            description="Content to use in place of the live file, such as a draft; not if it is empty",
            max_length=MAX_ROBOTS_CHARACTERS,
        ),
    ] = None
    edition: EditionName = None

    @field_validator("agents", mode="before")
    @classmethod
    def _listed(cls, value: Any) -> Any:
        return [value] if isinstance(value, str) else value


class WhoMayTrainArguments(Arguments):
    """The arguments of `who_may_train`."""

    site: Annotated[
        str, Field(description="Host such as example.com, or a URL of the site", max_length=MAX_URL_CHARACTERS)
    ]
    edition: EditionName = None


class LintArguments(Arguments):
    """The arguments of `lint`."""

    site: Annotated[
        str | None,
        Field(description="Host or URL of the site whose robots.txt to fetch", max_length=MAX_URL_CHARACTERS),
    ] = None
    robots_txt: Annotated[
        str | None, Field(description="Content to lint, instead of site", max_length=MAX_ROBOTS_CHARACTERS)
    ] = None

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        if (self.site is None) == (self.robots_txt is None):
            raise CallerError("pass either site, such as 'example.com', or robots_txt with the content of a file")
        return self


def parse_arguments(kind: type[ArgumentsT], values: Mapping[str, Any] | None) -> ArgumentsT:
    """Validate the arguments of a call.

    Raises: CallerError: An argument is missing, unknown or invalid.
    """
    try:
        return kind.model_validate(values or {})
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        raise CallerError(_sentence(first["type"], first["loc"], first, kind.model_fields)) from None


def _sentence(kind: str, location: tuple[int | str, ...], error: Mapping[str, Any], names: Iterable[str]) -> str:
    name = str(location[0]) if location else "arguments"
    if kind == "missing":
        return f"missing argument {quoted(name)}: expected {', '.join(names)}"
    if kind == "extra_forbidden":
        return unknown_choice("argument", name, names)
    value = error["input"]
    if kind == "string_too_long":
        return f"invalid {name} of {len(value)} characters: it is longer than this tool accepts"
    if kind == "too_long":
        return f"invalid {name} with {len(value)} items: expected at most {MAX_AGENTS}"
    expected = "a list of strings" if kind == "list_type" else "a string"
    return f"invalid {name} {quoted(value)}: expected {expected}"
