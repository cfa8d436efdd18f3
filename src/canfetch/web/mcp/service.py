"""What all tools use: the client that fetches robots.txt files, and the processes that read them."""

import asyncio
import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from functools import partial
from math import ceil, inf
from types import MappingProxyType, TracebackType
from typing import Any, Final, NamedTuple, Self, TypeVar

from canfetch import __version__
from canfetch.access.editions import get_edition
from canfetch.access.responses import FailureKind
from canfetch.client.async_client import AsyncClient
from canfetch.client.origin_state import OriginState
from canfetch.client.site_files import FileStep, KeptFile, SiteFile, kept_file
from canfetch.client.stores import Store
from canfetch.client.transports.fetch_rules import NO_RULES, FetchRules
from canfetch.client.use import license_step, tdm_file_step
from canfetch.core.origin import Origin
from canfetch.core.quoting import quoted
from canfetch.core.redaction import redacted_url
from canfetch.errors import InvalidURL, WorkerKilled
from canfetch.repository import default_user_agent
from canfetch.web.mcp.agents import AskedAgent, configured_agent, parse_agent
from canfetch.web.mcp.arguments import CallerError
from canfetch.web.mcp.request_turns import outside_turn
from canfetch.web.policy_clients import PolicyClients
from canfetch.web.server.clients import RateLimiter, current_client
from canfetch.web.server.shares import CLIENT_PART, Shares
from canfetch.web.server.work_queue import QueueFull, WorkQueue
from canfetch.web.server.worker_process import WorkerProcess
from canfetch.web.settings import UNLIMITED, RateLimit
from canfetch.web.web_transport import WEB_SCHEMES, WebTransport

ResultT = TypeVar("ResultT")

# Of a file and the URL. Several decisions about so few bytes take less time than sending them to a process.
_INLINE_BYTES: Final = 4096
_READING_PROCESSES: Final = 2
# Before a refusal, so that a client that repeats its questions at once does not keep the server busy with refusals.
_REFUSAL_SECONDS: Final = 1.0
MAX_REQUESTS: Final = 64
# Of one client at a time.
CLIENT_QUESTIONS: Final = MAX_REQUESTS // CLIENT_PART
# Added to the time of a fetch: for the wait for a free connection, and for reading a large file.
_READING_SECONDS: Final = 20.0


class ServiceSettings(NamedTuple):
    """The configuration of the server.

    Attributes:
        user_agent: The User-Agent header, whose product token is also the agent of questions without one. None sends
            the header of canfetch, and answers for a stand-in.
        policy: The name of the access policy.
        profile: The name of the parsing profile.
        timeout: Seconds for a fetch with all its redirects.
        allow_private: Whether to connect to private and loopback addresses, and through proxies.
        rules: What may be connected to.
        store: The store, or None. The service closes it.
        max_questions: Questions at the same time. More are refused.
        fetches: The rate of fetches for each client. Cached files do not count.
        is_shared: Whether several clients use the server. Then the questions of each are limited further, and the
            processes that read files start with the server.
    """

    user_agent: str | None = None
    policy: str = "rfc9309"
    profile: str = "rfc9309"
    timeout: float = 10.0
    allow_private: bool = False
    rules: FetchRules = NO_RULES
    store: Store | None = None
    max_questions: int = 256
    fetches: RateLimit = UNLIMITED
    is_shared: bool = False


class FetchedFiles(NamedTuple):
    """Files of a site besides its robots.txt.

    Attributes:
        tdm: The TDM file, or None if it was not requested.
        licenses: The RSL licenses by URL.
        expires_at: When the first of them has to be fetched again, in seconds since the epoch.
    """

    tdm: SiteFile | None = None
    licenses: Mapping[str, SiteFile] = MappingProxyType({})
    expires_at: float = inf

    @property
    def size(self) -> int:
        """The bytes of all files."""
        files = (self.tdm, *self.licenses.values())
        return sum(len(file.content) for file in files if file is not None and file.content is not None)


NO_FILES: Final = FetchedFiles()


def _shares(total: int, client_total: int | None = None, *, is_shared: bool) -> Shares:
    """Return what the clients share, or what the single host has for itself."""
    return Shares(total, client_total) if is_shared else Shares(total, total, total)


class Service:
    """Fetches and reads robots.txt files for the tools, with bounded time and concurrency.

    It is used as an asynchronous context manager. Concurrent questions about one origin share one request.

    Args: settings: The configuration.
    Raises: InvalidProductToken: The User-Agent header contains no product token; InvalidOption, UnknownPolicy.
    """

    def __init__(self, settings: ServiceSettings) -> None:
        self.configured_agent = configured_agent(settings.user_agent)
        self.profile = settings.profile
        self._settings = settings
        most = settings.max_questions
        self._questions = _shares(most, CLIENT_QUESTIONS, is_shared=settings.is_shared)
        self._fetches = RateLimiter(settings.fetches, time.monotonic)
        # A single host needs no second process, because no other client waits for it.
        processes = _READING_PROCESSES if settings.is_shared else 1
        self._workers = [WorkerProcess(preload) for _ in range(processes)]
        self._queue: WorkQueue | None = None
        user_agent = settings.user_agent or default_user_agent(__version__)
        requests = _shares(MAX_REQUESTS, is_shared=settings.is_shared)
        transport = WebTransport(trust_env=settings.allow_private, requests=requests, rules=settings.rules)
        create = partial(
            AsyncClient,
            user_agent=user_agent,
            transport=transport,
            store=settings.store,
            profile=settings.profile,
            timeout=settings.timeout,
            connect_timeout=settings.timeout,
            read_timeout=settings.timeout,
            allow_private=settings.allow_private,
        )
        self._clients = PolicyClients(create, settings.policy)

    async def __aenter__(self) -> Self:
        # The number of questions bounds the number that waits.
        most = max(1, self._settings.max_questions)
        self._queue = WorkQueue(self._workers, max_waiting=most, client_waiting=most)
        if self._settings.is_shared:
            self._queue.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._queue is not None:
            self._queue.close()
        for worker in self._workers:
            worker.close()
        await self._clients.close()

    async def answer(self, question: Coroutine[Any, Any, ResultT]) -> ResultT:
        """Await the answer to a question, for a bounded time.

        Raises: CallerError: There are too many questions, or the time is over.
        """
        client = current_client.get()
        if not self._questions.take(client):
            question.close()
            async with outside_turn():
                await asyncio.sleep(_REFUSAL_SECONDS)
            raise CallerError("the server is answering too many questions: ask again in a few seconds")
        try:
            async with outside_turn(), asyncio.timeout(self._settings.timeout + _READING_SECONDS):
                return await question
        except TimeoutError:
            raise CallerError("the answer took too long: ask again in a minute") from None
        finally:
            self._questions.give_back(client)

    async def fetch(self, url: str, *, edition: str | None = None) -> OriginState:
        """Return the state of the origin of a URL. Network failures are states, too.

        Args: edition: The edition that selects how the file is fetched and read, or None for that of the server.
        Raises: CallerError: The URL is invalid, the server may not fetch from its host, or the client causes too many
            fetches.
        """
        origin = parse_origin(url)
        selected = None if edition is None else get_edition(edition)
        robots_client = self._clients.get(None if selected is None else selected.policy)
        if self._settings.fetches != UNLIMITED and robots_client.cached_state(url) is None:
            wait = self._fetches.take(current_client.get())
            if wait > 0:
                raise CallerError(f"too many sites were fetched for this client: ask again in {ceil(wait)} s")
        state = await robots_client.origin_state(url)
        if not state.entry.hops and state.entry.copy is None and is_forbidden(state):
            if self._settings.allow_private:
                raise CallerError(
                    f"the server may not fetch from {quoted(str(origin))}: --fetch-allow or --fetch-refuse excludes it"
                )
            raise CallerError(
                f"{quoted(str(origin))} does not exist, or has no public address: only a server that was started with "
                "--allow-private answers for private networks"
            )
        return state if selected is None else state.with_profile(selected.profile)

    async def files(self, tdm_url: str | None, licenses: Sequence[str]) -> FetchedFiles:
        """Return the TDM file of the origin of a URL, if there is a URL, and RSL licenses by URL.

        Files that take longer than a fetch have a problem.
        """
        steps = [*map(license_step, licenses), *(() if tdm_url is None else [tdm_file_step(tdm_url)])]
        kept = await asyncio.gather(*map(self._file, steps))
        tdm = None if tdm_url is None else kept[-1].file
        by_url = {url: one.file for url, one in zip(licenses, kept, strict=False)}
        return FetchedFiles(tdm, by_url, min((one.expires_at for one in kept), default=inf))

    async def _file(self, step: FileStep) -> KeptFile:
        # It can be on another host, whose robots.txt is fetched as well.
        try:
            async with asyncio.timeout(self._settings.timeout):
                return await self._clients.own.site_file(step)
        except TimeoutError:
            return kept_file(SiteFile(None, f"{quoted(redacted_url(step.url))} took too long", "timeout"), time.time())

    async def read_state(
        self,
        reading: Callable[..., ResultT],
        state: OriginState,
        *arguments: Any,
        is_quick: bool = True,
        other_bytes: int = 0,
    ) -> ResultT:
        """Return the result of a function that reads the file of a state. See `read`.

        Args: other_bytes: The bytes of the other files that it reads.
        """
        size = other_bytes + (0 if state.file is None else len(state.file.content))
        return await self.read(reading, state, *arguments, size=size, is_quick=is_quick)

    async def read(self, reading: Callable[..., ResultT], *arguments: Any, size: int, is_quick: bool = True) -> ResultT:
        """Return the result of a function of a module that reads a file, called in a process. It ends with the task.

        Args:
            reading: The function.
            arguments: Its arguments.
            size: The bytes of the file and the URL.
            is_quick: Whether the function is called at once if these are few.
        Raises: CallerError: Too many files are waiting, or the process was ended; and what the function raises.
        """
        if is_quick and size <= _INLINE_BYTES:
            return reading(*arguments)
        assert self._queue is not None
        try:
            return await self._queue.run(reading, *arguments, size=size)
        except (QueueFull, WorkerKilled):
            await asyncio.sleep(_REFUSAL_SECONDS)
            raise CallerError("the server is too busy: ask again in a few seconds") from None

    def agent(self, text: str | None) -> AskedAgent:
        """Return the agent of an argument.

        Raises: CallerError: It is invalid.
        """
        return parse_agent(text, self.configured_agent)


def preload() -> None:
    """Import most of what reading a file needs. The modules of the tools follow with their first call."""
    from canfetch.lint import Linter  # noqa: PLC0415 - hosts that never lint do not wait for it

    Linter().lint(b"")


def parse_origin(url: str) -> Origin:
    """Return the origin of a URL that a caller asks about.

    Raises: CallerError: The URL is invalid, or its scheme is not http or https.
    """
    try:
        origin = Origin.from_url(url)
    except InvalidURL as error:
        raise CallerError(str(error)) from None
    if origin.scheme not in WEB_SCHEMES:
        raise CallerError(f"invalid URL {quoted(redacted_url(url))}: expected the scheme http or https")
    return origin


def is_forbidden(state: OriginState) -> bool:
    """Return whether an origin could not be fetched because of a private address."""
    return state.entry.outcome.failure_kind is FailureKind.FORBIDDEN_ADDRESS


def site_url(site: str) -> str:
    """Return the URL of the home page of a site, from a host such as `example.com` or any URL of the site.

    Raises: CallerError: It is neither.
    """
    text = site.strip()
    return f"{parse_origin(text if '://' in text else f'https://{text}')}/"
