"""What one crawler did, counted while the log is read."""

from collections.abc import Callable
from math import inf
from typing import Final, Generic, TypeVar

from canfetch.agents.identity import IdentityStatus
from canfetch.core.agent import Agent
from canfetch.core.agent_rules import AgentRules
from canfetch.core.lines import line_text, physical_lines
from canfetch.core.profiles import get_profile
from canfetch.core.text import display_text
from canfetch.errors import CanfetchError
from canfetch.logs.bounded_memory import Recent, SignatureCounts
from canfetch.logs.history import RobotsHistory, Timeline
from canfetch.logs.report import CrawlerReport

# RFC 9309 section 2.4: crawlers should not use a robots.txt for longer than 24 hours.
_ROBOTS_TXT_LIFETIME: Final = 86_400.0
DEFAULT_GRACE: Final = _ROBOTS_TXT_LIFETIME
_EXAMPLES: Final = 5
_EXAMPLE_BYTES: Final = 300
_LINE_BYTES: Final = 200
# Hosts of one crawler that are counted apart. Anyone can send any Host header.
_HOSTS_LIMIT: Final = 1_000
# Logs write whole seconds, so two requests may be almost a second closer or further apart than they seem.
_RESOLUTION: Final = 1.0
_Detail = TypeVar("_Detail")
_ROBOTS_TXT: Final = b"/robots.txt"
# The statuses with which networks refuse crawlers.
_REFUSALS: Final = frozenset({b"403", b"429"})


class Shared:
    """What the activities of one analysis share: the history, and bounded memories.

    Attributes:
        last_requests: When an address last made a request, for each activity on a host.
        addresses_left: How many more addresses may be counted.
        addresses_truncated: Whether there were more.
        log_start: The time of the first line, or None.
    """

    __slots__ = ("addresses_left", "addresses_truncated", "grace", "history", "last_requests", "log_start")

    def __init__(self, history: RobotsHistory, *, grace: float, addresses: int) -> None:
        self.history = history
        self.grace = grace
        self.last_requests: Recent[tuple[int, bytes], float] = Recent(100_000)
        self.addresses_left = addresses
        self.addresses_truncated = False
        self.log_start: float | None = None


class Activity:
    """The requests of one crawler with one identity.

    Attributes:
        signatures: The results of their signatures.
    """

    __slots__ = (
        "_addresses",
        "_agent",
        "_delays",
        "_delays_kept",
        "_disallowed",
        "_first",
        "_first_line_text",
        "_hosts",
        "_judged",
        "_last",
        "_refused",
        "_requests",
        "_robots_txt",
        "_shared",
        "_unchecked",
        "signatures",
    )

    def __init__(self, agent: Agent, shared: Shared) -> None:
        self._agent = agent
        self._shared = shared
        self._hosts: dict[bytes, _HostActivity] = {}
        self._addresses: set[bytes] = set()
        self._disallowed: _Events[int | None] = _Events()
        self._refused: _Events[int] = _Events()
        self._requests = self._robots_txt = self._unchecked = self._judged = 0
        self._delays = self._delays_kept = 0
        self.signatures = SignatureCounts()
        self._first, self._last = inf, -inf
        self._first_line_text: str | None = None

    def add(self, client: bytes, at: float, target: bytes, host: bytes, status: bytes) -> bool:
        """Count a request, and return whether its target is usable.

        Args:
            at: Unix seconds.
            target: A path with its query, or a URL.
            host: The host, or empty if the log has none.
            status: The status code, or empty if the log has none.
        Cost: O(bytes of the target).
        """
        on_host = self._hosts.get(host)
        if on_host is None:
            on_host = self._add_host(host)
        if not on_host.start <= at < on_host.end:
            on_host.move_to(at)
        if target[:11] == _ROBOTS_TXT and target[11:12] in b"?":
            on_host.last_robots_txt = at
            self._robots_txt += 1
            if status in _REFUSALS and on_host.is_judged:
                self._refused.add(at, target, lambda: int(status))
        elif not self._add_page(on_host, client, at, target, status):
            return False
        self._requests += 1
        self._judged += on_host.is_judged
        # Not with min() and max(), whose calls take longer.
        if at > self._last:  # noqa: PLR1730
            self._last = at
        if at < self._first:  # noqa: PLR1730
            self._first = at
        if client not in self._addresses:
            if self._shared.addresses_left:
                self._shared.addresses_left -= 1
                self._addresses.add(client)
            else:
                self._shared.addresses_truncated = True
        return True

    def report(
        self, name: str, operator: str, purposes: tuple[str, ...], identity: IdentityStatus | None
    ) -> CrawlerReport | None:
        """Return the counts, or None without requests."""
        if not self._requests:
            return None
        return CrawlerReport(
            name=name,
            operator=operator,
            purposes=purposes,
            identity=identity,
            requests=self._requests,
            robots_txt_requests=self._robots_txt,
            unchecked_requests=self._unchecked,
            judged_requests=self._judged,
            disallowed_requests=self._disallowed.number,
            delays=self._delays,
            delays_kept=self._delays_kept,
            addresses=len(self._addresses),
            first=self._first,
            last=self._last,
            examples=tuple(self._disallowed.examples.items()),
            first_disallowed=self._disallowed.first,
            last_disallowed=self._disallowed.last,
            first_line_text=self._first_line_text,
            refused_requests=self._refused.number,
            first_refused=self._refused.first,
            last_refused=self._refused.last,
            refused_examples=tuple(self._refused.examples.items()),
            signatures=self.signatures.report(),
        )

    def _add_host(self, host: bytes) -> "_HostActivity":
        if len(self._hosts) >= _HOSTS_LIMIT:
            # The hosts beyond the limit are counted as one, whose robots.txt is not known.
            host = b"?"
            if host in self._hosts:
                return self._hosts[host]
        on_host = self._hosts[host] = _HostActivity(self._agent, display_text(host), self._shared)
        return on_host

    def _add_page(self, on_host: "_HostActivity", client: bytes, at: float, target: bytes, status: bytes) -> bool:
        # Alone, two slashes would be followed by a host.
        url = b"http://host.invalid" + target if target[:2] == b"//" else target
        try:
            allowed = on_host.allows(url)
        except CanfetchError:
            # The target of CONNECT, or of OPTIONS for the whole server.
            return False
        if at - on_host.last_robots_txt > _ROBOTS_TXT_LIFETIME:
            self._unchecked += 1
        if on_host.delay is not None:
            self._count_delay(on_host, client, at)
        if not allowed:
            if not self._disallowed.number:
                self._first_line_text = on_host.deciding_line_text(url)
            self._disallowed.add(at, target, lambda: on_host.deciding_line(url))
        elif status in _REFUSALS and on_host.is_judged:
            self._refused.add(at, target, lambda: int(status))
        return True

    def _count_delay(self, on_host: "_HostActivity", client: bytes, at: float) -> None:
        last = self._shared.last_requests.exchange((id(on_host), client), at)
        if last is not None and at >= last and on_host.delay is not None:
            self._delays += 1
            self._delays_kept += at - last + _RESOLUTION > on_host.delay


class _Events(Generic[_Detail]):
    """Requests of one kind.

    Attributes:
        number: Their number.
        first: When the first one was made, or None.
        last: When the last one was made, or None.
        examples: Some of their targets, each with a detail. The first one is first.
    """

    __slots__ = ("examples", "first", "last", "number")

    def __init__(self) -> None:
        self.number = 0
        self.first: float | None = None
        self.last: float | None = None
        self.examples: dict[str, _Detail] = {}

    def add(self, at: float, target: bytes, detail: Callable[[], _Detail]) -> None:
        """Count a request."""
        self.number += 1
        self.first = at if self.first is None else min(self.first, at)
        self.last = at if self.last is None else max(self.last, at)
        if len(self.examples) < _EXAMPLES:
            text = display_text(target[:_EXAMPLE_BYTES])
            if text not in self.examples:
                self.examples[text] = detail()


class _HostActivity:
    """One crawler on one host: the rules that count at the moment.

    Attributes:
        start: The start of the current period.
        end: Its end.
        allows: Whether some version that counts allows a target.
        delay: The Crawl-delay that every version that counts asks for, or None.
        is_judged: Whether a version is known.
        last_robots_txt: When the crawler last requested the robots.txt, or the start of the log.
    """

    __slots__ = (
        "_agent",
        "_delays",
        "_rules",
        "_timeline",
        "_versions",
        "allows",
        "delay",
        "end",
        "is_judged",
        "last_robots_txt",
        "start",
    )

    def __init__(self, agent: Agent, host: str, shared: Shared) -> None:
        versions = shared.history.versions_for(host)
        self._agent = agent
        self._versions = versions
        self._timeline = Timeline.from_versions(versions, grace=shared.grace)
        self._rules: list[AgentRules] = [version.robots.rules_for(agent) for version in versions]
        self._delays = [version.robots.crawl_delay(agent=agent) for version in versions]
        self.last_robots_txt = -inf if shared.log_start is None else shared.log_start
        self.start = self.end = inf
        self.allows: Callable[[bytes], bool] = _allow
        self.delay: float | None = None
        self.is_judged = False

    def move_to(self, at: float) -> None:
        """Make the period at a time the current one."""
        starts = self._timeline.starts
        index = self._timeline.find(at)
        self.start = starts[index]
        self.end = starts[index + 1] if index + 1 < len(starts) else inf
        counting = self._timeline.counting[index]
        self.is_judged = bool(counting)
        if len(counting) == 1:
            self.allows = self._rules[counting[0]].allows
        else:
            each = [self._rules[version].allows for version in counting]
            self.allows = (lambda url: any(allows(url) for allows in each)) if each else _allow
        delays = [self._delays[version] for version in counting]
        self.delay = None if not delays or None in delays else min(delay for delay in delays if delay is not None)

    def deciding_line(self, target: bytes) -> int | None:
        """Return the line of the latest version that disallows a target."""
        return self._rules[self._latest].decide(target).line

    def deciding_line_text(self, target: bytes) -> str | None:
        """Return the text of that line, cut after 200 bytes, or None.

        Cost: O(bytes of the file).
        """
        line = self.deciding_line(target)
        robots = self._versions[self._latest].robots
        lines = physical_lines(robots.content, get_profile(robots.profile))[1]
        return None if line is None or line > len(lines) else line_text(lines[line - 1].strip(), _LINE_BYTES)

    @property
    def _latest(self) -> int:
        return self._timeline.counting[self._timeline.find(self.start)][-1]


def _allow(_target: bytes) -> bool:
    return True
