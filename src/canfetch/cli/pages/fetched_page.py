"""The page of `canfetch page URL`, fetched with the network options of the command."""

from functools import partial

from canfetch.access.responses import Failure, Response
from canfetch.answers.pages import PageView, fetch_page
from canfetch.cli.pages.options import PageOptions
from canfetch.cli.shared.document_fetcher import DocumentFetcher
from canfetch.client.documents import DecideStep, FetchStep, Step, quoted_url, run_steps
from canfetch.core.agent import Agent
from canfetch.core.origin import find_origin
from canfetch.core.verdict import Verdict
from canfetch.errors import InvalidURL


class FetchedPage:
    """The page that the server sends. Every redirect is checked against robots.txt.

    Raises: CommandError: The store cannot be opened, or an option is invalid.
    """

    def __init__(self, options: PageOptions, url: str) -> None:
        self._options = options
        self._url = url
        origin = find_origin(url)
        self._fetcher = DocumentFetcher(
            options.network,
            profile=options.profile,
            accept="text/html, */*;q=0.5",
            named_origins=() if origin is None else (origin,),
        )
        # Failures are stored as well, so that the next agent does not wait for the same timeout.
        self._responses: dict[str, Response | Failure] = {}

    @property
    def robots(self) -> None:
        """None: the files are fetched."""

    def view(self, agent: Agent) -> PageView:
        """Return the page as `agent` sees it.

        Raises: InvalidURL, NotFetched.
        """
        return run_steps(fetch_page(self._url, max_bytes=self._options.max_bytes), partial(self._perform, agent))

    def close(self) -> None:
        """Close the client and the transport."""
        self._fetcher.close()

    def _perform(self, agent: Agent, step: Step) -> Verdict | Response | Failure:
        if isinstance(step, DecideStep):
            return self._fetcher.decide(_check_absolute(step.url), agent)
        return self._fetch(step)

    def _fetch(self, step: FetchStep) -> Response | Failure:
        """Fetch a URL once for all agents."""
        response = self._responses.get(step.url)
        if response is None:
            response = self._responses[step.url] = self._fetcher.send(step)
        return response


def _check_absolute(url: str) -> str:
    if url.startswith("/"):
        raise InvalidURL(f"cannot fetch {quoted_url(url)}: expected an absolute URL, or --html FILE")
    return url
