"""The resources of a page with the verdicts of robots.txt: which crawlers may fetch its scripts, styles and images."""

from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from canfetch.agents.requested import RequestedAgent
from canfetch.answers.crawlers import with_notes
from canfetch.answers.verdicts import matrix_cells
from canfetch.client.documents import Document, FetchFacts, Step, fetch_document
from canfetch.core.agent import Agent
from canfetch.core.origin import Origin
from canfetch.core.text import printable_text
from canfetch.core.verdict import AccessInfo, Verdict
from canfetch.errors import CanfetchError
from canfetch.pages.resources import PageResources, Resource, parse_resources

RESOURCES_SCHEMA: Final = "canfetch.resources/1"
# Origins whose robots.txt is fetched for one page, with that of the page.
MAX_ORIGINS: Final = 20
_TOO_MANY_ORIGINS: Final = "too-many-origins"

Decide = Callable[[str, Agent], Verdict]


class ResourceVerdicts(NamedTuple):
    """The verdicts on one resource, one for each agent in order. Without verdicts, `error` is the reason."""

    resource: Resource
    verdicts: tuple[Verdict, ...]
    error: str = ""

    @property
    def origin(self) -> str:
        """The origin whose robots.txt decides."""
        return str(Origin.from_url(self.resource.url))


class ResourceTable(NamedTuple):
    """The resources of a page, and who may fetch them.

    Attributes:
        url: The URL of the page: where redirects led to, or as passed.
        agents: The agents.
        rows: The resources with their verdicts.
        page: What was found in the page.
        fetched: Facts about the request for the page.
    """

    url: str
    agents: Sequence[RequestedAgent]
    rows: Sequence[ResourceVerdicts]
    page: PageResources
    fetched: FetchFacts

    @property
    def note_names(self) -> list[str]:
        """The notes about resources that are not listed or have no verdict."""
        is_bounded = any(row.error == _TOO_MANY_ORIGINS for row in self.rows)
        return self.page.note_names + [_TOO_MANY_ORIGINS] * is_bounded

    @property
    def accesses(self) -> dict[str, AccessInfo]:
        """How the robots.txt of each origin was obtained."""
        accesses: dict[str, AccessInfo] = {}
        for row in self.rows:
            access = row.verdicts[0].access if row.verdicts else None
            if access is not None:
                accesses.setdefault(row.origin, access)
        return accesses

    def to_json(self) -> dict[str, Any]:
        """Return the resources as JSON, in the form of `canfetch page --resources --format json`."""
        answer = {
            "schema": RESOURCES_SCHEMA,
            "url": printable_text(self.url),
            "fetched": self.fetched.to_json(),
            "base": None if self.page.base is None else printable_text(self.page.base),
            "resources": [self._row_json(row) for row in self.rows],
            "origins": [{"origin": origin, "access": access.to_json()} for origin, access in self.accesses.items()],
            "notes": self.note_names,
        }
        return with_notes(answer, self.agents)

    def _row_json(self, row: ResourceVerdicts) -> dict[str, Any]:
        facts = {**row.resource.to_json(), "origin": row.origin}
        if not row.verdicts:
            return {**facts, "verdicts": None, "error": printable_text(row.error)}
        return {**facts, "verdicts": matrix_cells(zip(self.agents, row.verdicts, strict=True)), "error": None}


class FetchedResources(NamedTuple):
    """The resources of a page that was fetched, without verdicts."""

    document: Document
    page: PageResources

    def origins(self) -> dict[str, str]:
        """Return the origins whose robots.txt decides, each with the first URL of it."""
        origins: dict[str, str] = {}
        for resource in self.page.resources:
            if len(origins) >= MAX_ORIGINS:
                break
            origins.setdefault(str(Origin.from_url(resource.url)), resource.url)
        return origins


def fetch_resources(url: str, *, max_bytes: int) -> Generator[Step, Any, FetchedResources]:
    """Fetch a page, follow redirects, and find its resources.

    Raises: NotFetched: robots.txt disallows the page, or its server fails.
    """
    document = yield from fetch_document(url, max_bytes=max_bytes)
    body = document.checked_body(": expected a page")
    content_type = None if document.response is None else document.response.header("content-type")
    page = parse_resources(body, url=document.url, content_type=content_type, max_bytes=max_bytes)
    return FetchedResources(document, page)


def decide_resources(found: FetchedResources, agents: Sequence[RequestedAgent], decide: Decide) -> ResourceTable:
    """Decide which agents may fetch the resources of a page. Resources of too many origins have no verdict.

    Args: decide: Returns the verdict on a URL for an agent. What it raises is the error of the resource.
    """
    origins = found.origins()
    rows = [_decide_resource(resource, agents, decide, origins) for resource in found.page.resources]
    return ResourceTable(found.document.url, agents, rows, found.page, found.document.facts())


def _decide_resource(
    resource: Resource, agents: Sequence[RequestedAgent], decide: Decide, origins: Mapping[str, str]
) -> ResourceVerdicts:
    if str(Origin.from_url(resource.url)) not in origins:
        return ResourceVerdicts(resource, (), _TOO_MANY_ORIGINS)
    try:
        return ResourceVerdicts(resource, tuple(decide(resource.url, agent.agent) for agent in agents))
    except CanfetchError as error:
        return ResourceVerdicts(resource, (), str(error))
