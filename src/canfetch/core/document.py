# ruff: noqa: SLF001 - `parse` sets the fields: a method that sets them adds 8 % to the time of a small file
"""A parsed robots.txt file.

`parse` turns bytes into a `RobotsTxt`, `RobotsTxt.rules_for` selects the `AgentRules` of an agent, and
`AgentRules.decide` returns the `Verdict` on a URL.
"""

from typing import TYPE_CHECKING, Any, Final

from canfetch.core.agent import Agent, as_agent
from canfetch.core.agent_rules import AgentRules
from canfetch.core.contract import BoundRules, CompiledFile, GroupRow
from canfetch.core.engines import compiler_for, default_compilers
from canfetch.core.extensions.request_rate import RequestRate
from canfetch.core.extensions.windows import DailyWindow
from canfetch.core.file_facts import FileFacts
from canfetch.core.groups import Group
from canfetch.core.limits import COMPILED_RULES_LIMIT, DEFAULT_MAX_BYTES
from canfetch.core.origin import Origin, OriginBinding, bind_origin
from canfetch.core.profiles import get_profile
from canfetch.core.quoting import reading_hint
from canfetch.core.records import Record
from canfetch.core.source import UTF_16_MARK_START, Source, decode_source, encode_content
from canfetch.core.urls import AnyURL, invalid_url, plain_url, split_url, url_bytes
from canfetch.core.verdict import Verdict

if TYPE_CHECKING:
    # Imported on first use, since most callers only need verdicts.
    from canfetch.core.extensions.collection import Extensions
    from canfetch.core.extensions.document_urls import License
    from canfetch.core.extensions.index import GroupExtensions
    from canfetch.core.extensions.path_rules import PathPageRule
    from canfetch.core.extensions.record import Extension
    from canfetch.core.extensions.usage import Usage

# Agents whose rules are cached, unless these have too many rules in total. The cache is cleared when it is full.
_CACHED_AGENTS_LIMIT: Final = 256
# The empty cache that all files share until they need their own. It is never changed.
_NOTHING_CACHED: Final[dict[str | Agent, Any]] = {}


ParseArguments = tuple[bytes, str | bytes | None, str, int, str | None]
"""The content, URL, profile, limit and engine that were passed to `parse`."""


class RobotsTxt:
    """A parsed robots.txt file. Returned by `parse`; immutable and safe to share between threads."""

    # Set by `parse` and `with_url`. Separate fields are faster to create than a tuple.
    __slots__ = (
        "_binding",
        "_bound_by_agent",
        "_cached_rules",
        "_compiled",
        "_engine",
        "_facts",
        "_max_bytes",
        "_original",
        "_profile",
        "_rules_by_agent",
        "_source",
        "_url",
    )

    _original: bytes
    _url: str | bytes | None
    _profile: str
    _max_bytes: int
    _engine: str | None
    # None if the content was neither transcoded nor cut.
    _source: Source | None
    # None if the URL of the file is unknown.
    _binding: OriginBinding | None
    _compiled: CompiledFile
    # Both are replaced when they are first needed.
    _bound_by_agent: dict[str | Agent, BoundRules]
    _rules_by_agent: dict[str | Agent, AgentRules]
    # The rules of these agents, counted from the second agent on.
    _cached_rules: int
    _facts: FileFacts | None

    def __init__(self, *_args: object, **_options: object) -> None:
        raise TypeError(f"{type(self).__name__} has no public constructor: use canfetch.parse(content)")

    @property
    def _arguments(self) -> ParseArguments:
        return self._original, self._url, self._profile, self._max_bytes, self._engine

    @property
    def content(self) -> bytes:
        """The bytes that were parsed, in UTF-8, cut at the last line end within the size limit."""
        return self._original if self._source is None else self._source.content

    @property
    def tail(self) -> bytes:
        """The bytes past the size limit, which are ignored."""
        return b"" if self._source is None else self._source.tail

    @property
    def source_encoding(self) -> str:
        """`utf-8`, `utf-16-le` or `utf-16-be`."""
        return "utf-8" if self._source is None else self._source.encoding

    @property
    def profile(self) -> str:
        """The name of the parsing profile."""
        return self._profile

    @property
    def max_bytes(self) -> int:
        """The size limit in bytes that the file was parsed with."""
        return self._max_bytes

    @property
    def origin(self) -> Origin | None:
        """The origin that the file governs, or None if its URL is unknown."""
        return None if self._binding is None else self._binding.origin

    def render(self) -> bytes:
        """Return the original bytes of the file.

        For a UTF-8 file, these are the byte order mark, the spans of all records in order, and the tail. A UTF-16
        file is returned as it was passed in, because invalid UTF-16 cannot be encoded again.
        """
        return self._original

    def allows(self, url: AnyURL, *, agent: str | Agent) -> bool:
        """Return whether `agent` may fetch `url`.

        Args:
            url: An absolute URL, `//host/path` or a path. It is normalised, and its fragment is ignored.
            agent: A product token, compared case-insensitively in ASCII, or an `Agent`.
        Raises: InvalidURL, InvalidProductToken; OriginMismatch: the file governs another origin.
        Cost: O(bytes of the URL) in general, and never more than bytes of the rules times bytes of the target.
        Source: RFC 9309 sections 2.2.1 to 2.2.3.
        """
        try:
            bound = self._bound_by_agent.get(agent)
        except TypeError:
            # Not hashable, such as a list: `_bind` raises a TypeError that names the valid types.
            bound = None
        return (self._bind(agent) if bound is None else bound).allows(url)

    def decide(self, url: AnyURL, *, agent: str | Agent) -> Verdict:
        """Decide whether `agent` may fetch `url`, and return the decision with the deciding rule.

        The most specific matching rule wins. If an allow and a disallow rule are equally specific, the allow rule
        wins.

        Args:
            url: An absolute URL, `//host/path` or a path. It is normalised, and its fragment is ignored.
            agent: A product token, compared case-insensitively in ASCII, or an `Agent`.
        Raises: InvalidURL, InvalidProductToken; OriginMismatch: the file governs another origin.
        Cost: O(bytes of the target) plus the matching rules, and never more than bytes of the rules times bytes of
            the target.
        Source: RFC 9309 sections 2.2.1 to 2.2.3.
        """
        return self.rules_for(agent).decide(url)

    def rules_for(self, agent: str | Agent) -> AgentRules:
        """Return the rules that apply to `agent`. Use this to check many URLs for one agent.

        Args:
            agent: A product token, compared case-insensitively in ASCII, or an `Agent`.
        Raises: InvalidProductToken.
        Cost: O(rules of the agent's groups) for the first agent of those groups; a dictionary lookup afterwards.
        Source: RFC 9309 section 2.2.1.
        """
        # Another thread may replace the cache at any time.
        cached = self._rules_by_agent
        try:
            rules = cached.get(agent)
        except TypeError:
            rules = None
        if rules is None:
            chain = as_agent(agent)
            bound = self._bound_by_agent.get(agent) or self._bind(agent)
            reconstruction = _reconstruct_rules, (self._arguments, chain)
            rules = AgentRules(chain, bound, self._profile, self._file_facts, reconstruction)
            if cached is _NOTHING_CACHED:
                cached = self._rules_by_agent = {}
            cached[agent] = rules
        return rules

    def _bind(self, agent: str | Agent) -> BoundRules:
        chain = as_agent(agent)
        origin = self._binding
        if origin is None:
            bound = self._compiled.bind(chain.encoded_tokens, chain.star_applies, None, None)
        else:
            bound = self._compiled.bind(chain.encoded_tokens, chain.star_applies, origin.prefix, origin.check)
        if self._bound_by_agent is _NOTHING_CACHED:
            self._bound_by_agent = {}
        else:
            self._make_room(bound.rule_count)
        self._bound_by_agent[agent] = bound
        return bound

    def _make_room(self, rule_count: int) -> None:
        if not self._cached_rules:
            self._cached_rules = sum(bound.rule_count for bound in tuple(self._bound_by_agent.values()))
        self._cached_rules += rule_count
        if len(self._bound_by_agent) >= _CACHED_AGENTS_LIMIT or self._cached_rules > COMPILED_RULES_LIMIT:
            self._bound_by_agent.clear()
            self._rules_by_agent = _NOTHING_CACHED
            self._cached_rules = rule_count

    @property
    def _file_facts(self) -> FileFacts:
        if self._facts is None:
            self._facts = FileFacts(self._compiled, self.content, get_profile(self.profile))
        return self._facts

    @property
    def groups(self) -> tuple[Group, ...]:
        """The groups as written, in file order. Groups with the same token are merged only for an agent.

        Cost: O(bytes of the rules) at the first call.
        Source: RFC 9309 section 2.1.
        """
        return self._file_facts.groups

    @property
    def records(self) -> tuple[Record, ...]:
        """All lines, including blank lines and comments, with their records, spans and notes.

        Cost: O(bytes) in Python at the first call.
        """
        return self._file_facts.records

    @property
    def sitemaps(self) -> tuple[str, ...]:
        """The values of all sitemap records as written, in file order. They do not belong to groups.

        Cost: O(records other than rules and user-agent lines), and O(bytes) at the first call.
        """
        return self._file_facts.sitemaps()

    def crawl_delay(self, *, agent: str | Agent) -> float | None:
        """Return the Crawl-delay of the groups of `agent`, in seconds.

        The longest of several delays counts: no source defines which one applies, and this choice satisfies all.

        Args: agent: A product token or an `Agent`. Its groups are selected as for rules.
        Returns: The delay, or None if there is no valid one.
        Raises: InvalidProductToken.
        Cost: O(records other than rules and user-agent lines), and O(bytes) at the first call.
        """
        delay = self._file_facts.longest_delay(self._groups_of(agent))
        if delay is None and get_profile(self.profile).crawl_delay_of_star and as_agent(agent).star_applies:
            return self._file_facts.longest_delay(self._groups_of("*"))
        return delay

    def request_rates(self, *, agent: str | Agent) -> tuple[RequestRate, ...]:
        """Return the Request-rate values of the groups of `agent`, in file order.

        Args: agent: A product token or an `Agent`. Its groups are selected as for rules.
        Raises: InvalidProductToken.
        Cost: O(records other than rules and user-agent lines), and O(bytes) at the first call.
        """
        return self._file_facts.request_rates(self._groups_of(agent))

    def visit_times(self, *, agent: str | Agent) -> tuple[DailyWindow, ...]:
        """Return the Visit-time values of the groups of `agent`, in file order.

        Args: agent: A product token or an `Agent`. Its groups are selected as for rules.
        Raises: InvalidProductToken.
        Cost: O(records other than rules and user-agent lines), and O(bytes) at the first call.
        """
        return self._file_facts.visit_times(self._groups_of(agent))

    def _groups_of(self, agent: str | Agent) -> frozenset[int]:
        return frozenset(self.rules_for(agent).group_indices)

    def with_profile(self, profile: str) -> "RobotsTxt":
        """Return the same file, parsed with another profile.

        Args: profile: A name in `canfetch.PROFILES`.
        Raises: UnknownProfile.
        Cost: O(bytes).
        """
        return _parse_again(self._original, self._url, profile, self._max_bytes, self._engine)

    def with_url(self, url: AnyURL) -> "RobotsTxt":
        """Return the same file, fetched from another URL. It is not parsed again.

        Args: url: The URL of the file, as for `parse`. URLs of other origins then raise OriginMismatch.
        Raises: InvalidRobotsURL.
        Cost: O(1).
        """
        robots = _ParsedFile()
        robots._url = plain_url(url)
        robots._binding = bind_origin(robots._url)
        robots._original, robots._source, robots._compiled = self._original, self._source, self._compiled
        robots._profile, robots._max_bytes, robots._engine = self._profile, self._max_bytes, self._engine
        robots._bound_by_agent = robots._rules_by_agent = _NOTHING_CACHED
        robots._cached_rules, robots._facts = 0, None
        return robots

    @property
    def extensions(self) -> "Extensions":
        """All records other than rules and user-agent lines, with their parsed values, scopes and notes.

        Cost: O(bytes) at the first call.
        """
        return self._file_facts.extension_index.records

    def canonical(self, url: AnyURL) -> str:
        """Return `url` without the query parameters that Clean-param records declare irrelevant for its path.

        All Clean-param records of the file count, whichever group they are in. The fragment is removed; the rest
        of the URL is unchanged.

        Args:
            url: An absolute URL, `//host/path` or a path.
        Returns: The URL. Bytes that are not valid UTF-8 are surrogates (U+DC80 to U+DCFF), which all methods here
            accept.
        Raises: InvalidURL; OriginMismatch: the file governs another origin.
        Cost: O(bytes of the URL) plus the matching Clean-param records, and all of them at the first call.
        Source: Yandex Webmaster, "The Clean-param directive".
        """
        content = url_bytes(url)
        split = split_url(content)
        if split is None:
            raise invalid_url(url)
        if self._binding is not None:
            self._binding.check(url, None)
        return self._file_facts.extension_index.clean_params.canonical(content, split).decode(
            "utf-8", "surrogateescape"
        )

    def usage(self, url: AnyURL, *, agent: str | Agent, purpose: str, if_disallowed: bool = False) -> "Usage":
        """Return the site's preference on using content that `agent` fetches from `url` for `purpose`.

        The preference combines the Content-Signal, Content-Usage and AI training records of the agent's groups; the
        most restrictive one wins. It does not permit fetching, and is unknown for a URL that the agent may not
        fetch.

        Args:
            url, agent: As for `decide`.
            purpose: `training`, `search` or `ai-use`.
            if_disallowed: Also return what the file states on a URL that the agent may not fetch, whose content it may
                have from elsewhere.
        Returns: The preference with the records it is based on, the licenses, and the verdict.
        Raises: InvalidURL, InvalidProductToken, OriginMismatch; InvalidOption: `purpose` is unknown.
        Cost: As `decide`, plus the matching records, and all records of the agent's groups at the first call.
        Source: draft-ietf-aipref-attach-05; draft-ietf-aipref-vocab-08; contentsignals.org.
        """
        from canfetch.core.extensions.index import parse_purpose  # noqa: PLC0415 - few callers need it

        wanted = parse_purpose(purpose)
        return self._extensions_for(agent).usage(self.decide(url, agent=agent), wanted, if_disallowed=if_disallowed)

    def licenses(self, *, agent: str | Agent) -> "tuple[Extension[License], ...]":
        """Return the License records of the agent's groups, or else those outside groups.

        Args: agent: A product token or an `Agent`. Its groups are selected as for rules.
        Raises: InvalidProductToken.
        Cost: O(bytes) at the first call.
        Source: RSL 1.0.
        """
        return self._extensions_for(agent).licenses

    def page_rules(self, url: AnyURL, *, agent: str | Agent) -> "tuple[Extension[PathPageRule], ...]":
        """Return the Noindex, Nofollow and Noarchive records for `url`, which Google read until September 2019.

        Args: url, agent: As for `decide`.
        Raises: InvalidURL, InvalidProductToken, OriginMismatch.
        Cost: As `usage`.
        """
        return tuple(self._extensions_for(agent).page_rules.matching(self.decide(url, agent=agent).target))

    def _extensions_for(self, agent: str | Agent) -> "GroupExtensions":
        return self._file_facts.extension_index.for_groups(self.rules_for(agent).group_indices)

    def __repr__(self) -> str:
        origin = f" of {self.origin}" if self.origin else ""
        return f"<RobotsTxt{origin}: {len(self.content)} bytes, profile {self.profile}>"

    def __reduce__(self) -> tuple[object, ...]:
        return _parse_again, self._arguments


class _ParsedFile(RobotsTxt):
    """The class of all files. With an `__init__` in Python, `parse` would take a fifth longer for a small file."""

    __slots__ = ()

    if not TYPE_CHECKING:  # pragma: no branch
        __init__ = object.__init__


# Callers only know the public class.
_ParsedFile.__name__ = _ParsedFile.__qualname__ = RobotsTxt.__name__


def group_rows(robots: RobotsTxt) -> list[GroupRow]:
    """Return the rows of `RobotsTxt.groups`, without creating and keeping their objects.

    Cost: O(rules and user-agent lines).
    """
    return robots._compiled.group_table()


def keep_dot_segments(robots: RobotsTxt) -> RobotsTxt:
    """Return the same file, whose rules are compared with the dot segments of URLs as they are.

    Cost: O(bytes), by the Python engine.
    """
    from canfetch.core.reference.compiled import CompiledFile  # noqa: PLC0415 - not needed for most files

    kept = robots.with_profile(robots.profile)
    kept._compiled = CompiledFile(robots.content, get_profile(robots.profile)._replace(remove_dot_segments=False))
    return kept


def _reconstruct_rules(arguments: ParseArguments, agent: Agent) -> AgentRules:
    # Parses again instead of holding the file: a reference cycle would delay freeing the memory.
    return _parse_again(*arguments).rules_for(agent)


def _parse_again(
    content: bytes, url: str | bytes | None, profile: str, max_bytes: int, engine: str | None
) -> RobotsTxt:
    return parse(content, url=url, profile=profile, max_bytes=max_bytes, engine=engine)


def parse(
    content: bytes | bytearray | memoryview | str,
    *,
    url: AnyURL | None = None,
    profile: str = "rfc9309",
    max_bytes: int = DEFAULT_MAX_BYTES,
    engine: str | None = None,
) -> RobotsTxt:
    """Parse a robots.txt file. No content makes this raise.

    Args:
        content: The file, as bytes or text. UTF-16 with a byte order mark is transcoded to UTF-8. Text that is a URL
            or a file name is parsed like other content, with a UserWarning.
        url: The URL of the file, such as `https://example.com/robots.txt`. URLs of other origins then raise
            OriginMismatch.
        profile: The parsing profile, a name in `canfetch.PROFILES`.
        max_bytes: The size limit, from 500 KiB to 512 MiB. Bytes past the limit are ignored.
        engine: `python`, `native` or `both`. The default is the `CANFETCH_ENGINE` environment variable, or else the
            native engine if it is installed.
    Raises: InvalidRobotsURL, UnknownProfile, InvalidLimit, EngineError; TypeError.
    Cost: O(bytes).
    Source: RFC 9309 sections 2.1, 2.2, 2.3 and 2.5.
    """
    if content.__class__ is not bytes:
        if isinstance(content, str):
            content = encode_content(content)
        elif isinstance(content, bytes | bytearray | memoryview):
            content = bytes(content)
        else:
            raise TypeError(f"content must be bytes or str, not {type(content).__name__}{reading_hint(content)}")
    try:
        compile_file = default_compilers[profile] if engine is None else None
    except KeyError:
        compile_file = None
    if compile_file is None:
        compile_file = compiler_for(engine, profile)
    robots = _ParsedFile()
    robots._original = content
    robots._profile = profile
    robots._max_bytes = max_bytes
    robots._engine = engine
    if max_bytes is DEFAULT_MAX_BYTES and len(content) <= DEFAULT_MAX_BYTES and content < UTF_16_MARK_START:
        # The fast path for nearly every file: nothing to transcode, nothing to cut.
        robots._source = None
    else:
        robots._source = decode_source(content, get_profile(profile), max_bytes)
        content = robots._source.content
    robots._url = None if url is None else plain_url(url)
    robots._binding = None if robots._url is None else bind_origin(robots._url)
    robots._compiled = compile_file(content, profile)
    robots._bound_by_agent = robots._rules_by_agent = _NOTHING_CACHED
    robots._cached_rules = 0
    robots._facts = None
    return robots
