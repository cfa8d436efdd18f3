"""The robots.txt files of the URLs' origins, fetched or cached. Imports the client."""

import time
from collections.abc import Callable, Generator
from contextlib import closing
from typing import TYPE_CHECKING

from canfetch.cli.decisions.options import DecisionOptions
from canfetch.cli.decisions.robots_files import NamedRobots, URLsWithFiles
from canfetch.cli.shared.command_errors import CommandError
from canfetch.cli.shared.origin_lookup import OriginLookup
from canfetch.cli.shared.requested_urls import RequestedURL
from canfetch.client.origin_state import OriginState
from canfetch.core.agent import Agent
from canfetch.core.origin import check_origin, parse_robots_url
from canfetch.core.quoting import quoted
from canfetch.core.verdict import Verdict
from canfetch.errors import CanfetchError, InvalidRobotsURL, InvalidURL

if TYPE_CHECKING:
    from canfetch.client.evidence import EvidenceRecorder


class FetchedFiles:
    """The file of each URL's origin, or of one origin for all URLs."""

    def __init__(
        self, options: DecisionOptions, robots_url: str | None, agents: list[Agent], *, warn: Callable[[str], None]
    ) -> None:
        self._robots_url = None if robots_url is None else _to_robots_url(robots_url)
        self._agents = agents
        self._lookup = OriginLookup(
            options.network,
            warn=warn,
            profile=options.profile,
            max_bytes=options.max_bytes,
            engine=options.engine,
        )

    @property
    def only_file(self) -> None:
        """None: there may be several files."""

    def assign(self, urls: Generator[RequestedURL]) -> URLsWithFiles:
        """Yield the URLs in order, each with its file or with the error."""
        last: _FetchedFile | None = None
        rows = self._lookup.states(urls, to_url=self._lookup_url, to_weight=lambda url: len(url.url))
        with closing(rows):
            for url, state in rows:
                if isinstance(state, CanfetchError | CommandError):
                    yield url, state
                    continue
                if last is None or last.state is not state:
                    last = _FetchedFile(state, self._agents, check_origin=self._robots_url is not None)
                yield url, last

    def close(self) -> None:
        """Release connections and the store."""
        self._lookup.close()

    def _lookup_url(self, url: RequestedURL) -> str:
        if url.error:
            raise CommandError(url.error)
        if self._robots_url is not None:
            return self._robots_url
        if url.url.startswith("/"):
            raise InvalidURL(
                f"cannot fetch robots.txt for {quoted(url.url)}: expected an absolute URL, or --robots FILE"
            )
        return url.url


class _FetchedFile:
    """The state of one origin."""

    def __init__(self, state: OriginState, agents: list[Agent], *, check_origin: bool) -> None:
        self.state = state
        self._agents = agents
        self._check_origin = check_origin

    def decide(self, url: str) -> tuple[Verdict, ...]:
        now, state = self._now(url), self.state
        return tuple([state.decide(url, agent, now) for agent in self._agents])

    def allows_all(self, urls: list[str]) -> bool:
        # Every URL is checked, so that an invalid one is reported even after a disallowed one.
        allowed = True
        for url in urls:
            now = self._now(url)
            for agent in self._agents:
                allowed = self.state.allows(url, agent, now) and allowed
        return allowed

    def deciding_file(self) -> NamedRobots | None:
        state = self.state
        copy = state.effective_access(state.entry.fetched_at).copy
        return None if copy is None else NamedRobots(state.parse_copy(copy), state.origin.robots_url)

    def with_profile(self, profile: str) -> "_FetchedFile":
        return _FetchedFile(self.state.with_profile(profile), self._agents, check_origin=self._check_origin)

    def record(self, evidence: "EvidenceRecorder", url: str, verdict: Verdict) -> None:
        evidence.record(url, verdict, self.state)

    def _now(self, url: str) -> float:
        if self._check_origin:
            # Without a file, the decision itself does not compare origins.
            check_origin(self.state.origin, url, None)
        return time.time()


def _to_robots_url(option: str) -> str:
    """Return the robots.txt URL for the value of `--robots`. For an origin without a path, this is its robots.txt."""
    scheme, _, rest = option.partition("://")
    is_origin = rest and not rest.partition("/")[2]
    url = f"{scheme}://{rest.removesuffix('/')}/robots.txt" if is_origin else option
    try:
        return parse_robots_url(url).robots_url
    except InvalidRobotsURL as error:
        raise CommandError(f"--robots: {error}") from None
