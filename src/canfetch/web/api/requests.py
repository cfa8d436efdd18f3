"""The requests of the API. Unknown keys and values of another type are rejected."""

from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from canfetch.access.editions import EDITIONS
from canfetch.agents.requested import RequestedAgent, requested_agent
from canfetch.answers.crawlers import requested_agents
from canfetch.answers.linting import ChosenFix, LintRequest
from canfetch.client.identity.recorded_requests import MAX_HEAD_BYTES
from canfetch.core.profiles import PROFILES
from canfetch.core.text import content_bytes
from canfetch.errors import InvalidOption
from canfetch.lint.catalogue import LANGUAGES
from canfetch.lint.severity import DEFAULT, SEVERITY_SETS
from canfetch.pages.dialects import PAGE_DIALECTS
from canfetch.web.settings import MAX_AGENTS, MAX_FACTS_AGENTS, MAX_URLS

_MAX_URL_CHARACTERS: Final = 16_384
_MAX_AGENT_CHARACTERS: Final = 1_000

URLText = Annotated[
    str,
    Field(max_length=_MAX_URL_CHARACTERS, description="An absolute URL, or a path that starts with `/`."),
]
LiveURL = Annotated[str, Field(max_length=_MAX_URL_CHARACTERS, description="An absolute http or https URL.")]
# A target has at most 8,000 bytes, of which a character can take 12.
QueryURL = Annotated[str, Field(max_length=4096, description="An absolute http or https URL.")]
AgentName = Annotated[
    str,
    Field(
        min_length=1,
        max_length=_MAX_AGENT_CHARACTERS,
        description="The product token of a crawler, such as `GPTBot`. Tokens that it falls back to are added.",
    ),
]
ProfileName = Annotated[str, Field(description="The parsing profile.", json_schema_extra={"enum": list(PROFILES)})]
OptionalProfile = Annotated[
    str | None,
    Field(
        description="The parsing profile. By default, that of the server: `rfc9309`, unless it was started "
        "with another.",
        json_schema_extra={"enum": [*PROFILES, None]},
    ),
]
OptionalEdition = Annotated[
    str | None,
    Field(
        description="The edition. It sets the parsing profile, in place of `profile`, and the access policy of a "
        "file that is fetched.",
        json_schema_extra={"enum": [*EDITIONS, None]},
    ),
]
Refresh = Annotated[bool, Field(description="Ask the servers of live files even if the cached copies are fresh.")]
ContentText = Annotated[str, Field(description="The robots.txt.")]
Encoding = Literal["utf-8", "base64"]
CheckNames = Annotated[list[str], Field(max_length=500)]


class Request(BaseModel):
    """The base class of requests."""

    model_config = ConfigDict(extra="forbid", strict=True)


class ReadingRequest(Request):
    """A request that selects how a file is read."""

    profile: OptionalProfile = None
    edition: OptionalEdition = None


class FileRequest(Request):
    """A request about one file."""

    content: ContentText
    content_encoding: Annotated[
        Encoding, Field(description="`base64` for files that are not valid UTF-8, such as files in UTF-16.")
    ] = "utf-8"

    def file(self) -> bytes:
        """Return the bytes of the file.

        Raises: InvalidOption.
        """
        return content_bytes(self.content, self.content_encoding)


class _OptionalFileRequest(ReadingRequest):
    content: Annotated[
        str | None, Field(description="The robots.txt. Without it, the live file of the origin is fetched, or cached.")
    ] = None
    content_encoding: Encoding = "utf-8"
    robots_url: Annotated[
        str | None, Field(description="The URL of `content`. URLs of other origins are then an error.")
    ] = None
    exact: Annotated[bool, Field(description="Use the token alone, without the registry's fallback tokens.")] = False
    refresh: Refresh = False

    def file(self) -> bytes | None:
        """Return the bytes of the file, or None if it has to be fetched.

        Raises: InvalidOption.
        """
        return None if self.content is None else content_bytes(self.content, self.content_encoding)


class DecideRequest(_OptionalFileRequest):
    """A request for the verdict on one URL."""

    url: URLText
    agent: AgentName

    def requested_agent(self) -> RequestedAgent:
        """Return the agent.

        Raises: InvalidProductToken.
        """
        return requested_agent(self.agent, exact=self.exact)


class URLsRequest(_OptionalFileRequest):
    """A request for the verdicts on several URLs for several agents."""

    urls: Annotated[list[URLText], Field(min_length=1, max_length=MAX_URLS)]
    agents: Annotated[list[AgentName], Field(min_length=1, max_length=MAX_AGENTS)]

    def requested_agents(self) -> list[RequestedAgent]:
        """Return the agents, each once.

        Raises: InvalidProductToken.
        """
        return requested_agents(self.agents, exact=self.exact)


class ParseRequest(FileRequest, ReadingRequest):
    """A request for the structure of a file."""


class _LinterRequest(FileRequest):
    robots_url: Annotated[str | None, Field(description="The URL at which the file is, or will be, published.")] = None
    language: Annotated[
        str, Field(description="The language of messages.", json_schema_extra={"enum": list(LANGUAGES)})
    ] = "en"
    severities: Annotated[
        str, Field(description="The severity set.", json_schema_extra={"enum": list(SEVERITY_SETS)})
    ] = DEFAULT
    select: Annotated[CheckNames, Field(description="Run only these checks: names, codes or prefixes of codes.")] = []
    ignore: Annotated[CheckNames, Field(description="Skip these checks.")] = []

    def lint_request(self) -> LintRequest:
        """Return the file and the settings of the linter.

        Raises: InvalidOption.
        """
        return LintRequest(self.file(), self.robots_url, self.language, self.severities, self.select, self.ignore)


class LintFileRequest(_LinterRequest):
    """A request to lint a file."""

    delivery: Annotated[
        bool,
        Field(
            description="Also check how the live file at `robots_url` is delivered: its status, headers and redirects. "
            "It is fetched, or cached."
        ),
    ] = False
    edition: Annotated[
        str | None,
        Field(
            description="The edition whose access policy applies to the delivery.",
            json_schema_extra={"enum": [*EDITIONS, None]},
        ),
    ] = None


class FindingPlace(Request):
    """A finding whose fix is applied, as `/v1/lint` reported it."""

    code: Annotated[str, Field(max_length=100, description="The code of the check, such as `CF205`.")]
    span: Annotated[list[int], Field(min_length=2, max_length=2, description="The span of the finding, in bytes.")]

    def chosen(self) -> ChosenFix:
        """Return the choice."""
        return ChosenFix(self.code, (self.span[0], self.span[1]))


class FixRequest(_LinterRequest):
    """A request to fix a file. Without further keys, only fixes that change no verdict are applied."""

    findings: Annotated[
        list[FindingPlace] | None,
        Field(max_length=1000, description="Apply the fixes of these findings, even those that change verdicts."),
    ] = None
    unsafe: Annotated[bool, Field(description="Apply all fixes, even those that change verdicts.")] = False
    for_profiles: Annotated[
        list[ProfileName],
        Field(max_length=100, description="Apply every fix that keeps all verdicts in these profiles."),
    ] = []
    only: Annotated[CheckNames, Field(description="Fix only the findings of these checks.")] = []


class CompareRequest(ReadingRequest):
    """A request to compare two versions of a file."""

    old: ContentText
    old_encoding: Encoding = "utf-8"
    new: ContentText
    new_encoding: Encoding = "utf-8"
    urls: Annotated[list[URLText], Field(max_length=MAX_URLS)] = []
    agents: Annotated[list[AgentName], Field(max_length=MAX_AGENTS)] = []
    exact: bool = False

    def versions(self) -> tuple[bytes, bytes]:
        """Return the bytes of the old and the new version.

        Raises: InvalidOption.
        """
        return content_bytes(self.old, self.old_encoding), content_bytes(self.new, self.new_encoding)


class FactsRequest(ReadingRequest):
    """A request for everything that a file states, or the live file of an origin."""

    content: Annotated[str | None, Field(description="The robots.txt. Without it, `url` is required.")] = None
    content_encoding: Encoding = "utf-8"
    url: Annotated[LiveURL | None, Field(description="A URL of the origin whose live file is used.")] = None
    agents: Annotated[
        list[AgentName],
        Field(max_length=MAX_FACTS_AGENTS, description="The crawlers. By default, those that the file distinguishes."),
    ] = []
    exact: bool = False
    refresh: Refresh = False

    def file(self) -> bytes | None:
        """Return the bytes of the file, or None if it has to be fetched.

        Raises: InvalidOption: There is neither a file nor a URL, or both.
        """
        if (self.content is None) == (self.url is None):
            raise InvalidOption("expected either content or url")
        return None if self.content is None else content_bytes(self.content, self.content_encoding)


class UseRequest(FileRequest, ReadingRequest):
    """A request about the uses of content."""

    url: URLText = "/"
    agents: Annotated[list[AgentName], Field(min_length=1, max_length=MAX_AGENTS)]
    exact: bool = False
    headers: Annotated[str, Field(max_length=65_536, description="The head of the response with the content.")] = ""
    tdm_file: Annotated[str | None, Field(description="The /.well-known/tdmrep.json of the origin.")] = None


class LiveUseRequest(ReadingRequest):
    """A request about one use of content that is fetched."""

    url: LiveURL
    purpose: Annotated[str, Field(max_length=100, description="`training`, `search` or `ai-use`.")]
    agents: Annotated[list[AgentName], Field(min_length=1, max_length=50)]
    exact: bool = False
    refresh: Refresh = False


class _AgentsOfPage(Request):
    agents: Annotated[list[AgentName], Field(min_length=1, max_length=50)]
    exact: bool = False
    dialect: Annotated[
        str | None,
        Field(
            description="The reading of page-level rules. By default, that of the crawler's operator.",
            json_schema_extra={"enum": [*PAGE_DIALECTS, None]},
        ),
    ] = None


class PageRequest(_AgentsOfPage, ReadingRequest):
    """A request about a page whose headers and HTML are known."""

    headers: Annotated[str, Field(max_length=65_536, description="The head of the response, one header a line.")] = ""
    html: str = ""
    url: Annotated[str | None, Field(max_length=_MAX_URL_CHARACTERS)] = None
    tdm_file: Annotated[str | None, Field(description="The /.well-known/tdmrep.json. It requires `url`.")] = None
    robots: Annotated[str | None, Field(description="The robots.txt of the origin. It requires `url`.")] = None
    robots_encoding: Encoding = "utf-8"

    def robots_file(self) -> bytes | None:
        """Return the bytes of the robots.txt, or None if it is not in the request.

        Raises: InvalidOption.
        """
        return None if self.robots is None else content_bytes(self.robots, self.robots_encoding)


class LivePageRequest(_AgentsOfPage, ReadingRequest):
    """A request about a page that is fetched."""

    url: LiveURL
    resources: Annotated[
        bool, Field(description="Also return the resources of the page, and which of the agents may fetch them.")
    ] = False
    refresh: Refresh = False


class FetchRequest(Request):
    """A request to fetch a robots.txt."""

    url: LiveURL
    refresh: Refresh = False
    edition: OptionalEdition = None


class SitemapRequest(Request):
    """A request for the URLs of one sitemap."""

    url: LiveURL
    limit: Annotated[int, Field(ge=1, le=MAX_URLS, description="The number of URLs to return.")] = MAX_URLS
    refresh: Refresh = False


class VerifyRequest(Request):
    """A request to verify the signatures of a recorded request."""

    request: Annotated[
        str,
        Field(
            max_length=MAX_HEAD_BYTES,
            description="The head: a line such as `GET /fish HTTP/1.1` or `GET https://example.com/fish`, and a line "
            "for each header field.",
        ),
    ]
    at: Annotated[str | None, Field(max_length=100, description="When it was received, as RFC 3339. Default: now.")] = (
        None
    )
    host: Annotated[
        str | None, Field(max_length=300, description="The host of the site. Signatures for others are invalid.")
    ] = None


class StreamLine(ReadingRequest):
    """A line of a stream: a question, or with `content` and without `url` the file for the following lines."""

    url: URLText | None = None
    agent: AgentName | None = None
    content: str | None = None
    content_encoding: Encoding = "utf-8"
    exact: bool = False
