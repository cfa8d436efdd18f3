"""One parsed file, and the question it answers.

Octets become a `RobotsTxt`; that, for an agent, `AgentRules`; those, for a URL, a `Verdict`.
"""

from collections.abc import Callable
from functools import partial
from typing import Final, NamedTuple

from canfetch.core._tables import PARSE_OCTETS_LIMIT
from canfetch.core.agent import Agent, agent_of
from canfetch.core.agent_rules import AgentRules
from canfetch.core.engines import CompiledFile, OriginCheck, compiler_of
from canfetch.core.extensions.crawl_delay import KEY as CRAWL_DELAY_KEY
from canfetch.core.extensions.crawl_delay import crawl_delay_seconds
from canfetch.core.extensions.sitemap import sitemap_url
from canfetch.core.groups import Group, group_of
from canfetch.core.keys import RecordKind
from canfetch.core.octets import octets_of
from canfetch.core.origin import Origin, origin_check, origin_of_robots_url
from canfetch.core.profiles import profile_named
from canfetch.core.records import Record, records_of
from canfetch.core.source import source_of
from canfetch.core.verdict import Verdict

# Agents whose bound rules one file keeps; past that it begins anew.
_BOUND_AGENTS_LIMIT: Final = 256
_UTF_16_MARK_STARTS: Final = (b"\xff", b"\xfe")


class RobotsTxt:
    """One parsed robots.txt, made by `parse`; it never changes, and is safe to share among threads.

    Attributes:
        octets: what was read, in UTF-8, cut to the limit at a line end.
        tail: the octets past the limit, which count for nothing.
        source_encoding: `utf-8`, `utf-16-le` or `utf-16-be`.
        profile: the name of the profile that read it.
        origin: what the file rules over, or None where its URL is not known.
    """

    __slots__ = (
        "_allows_by_agent",
        "_check_origin",
        "_compiled",
        "_groups",
        "_records",
        "_rules_by_agent",
        "_source",
        "octets",
        "origin",
        "profile",
        "source_encoding",
        "tail",
    )

    octets: bytes
    tail: bytes
    source_encoding: str
    profile: str
    origin: Origin | None

    def __init__(self, source: "_Source") -> None:
        octets, url, profile, limit_octets, engine = source
        self._source = source
        self.profile = profile
        flags = profile_named(profile)
        if len(octets) <= PARSE_OCTETS_LIMIT <= limit_octets and octets[:1] not in _UTF_16_MARK_STARTS:
            # Nearly every file: nothing to transcode, nothing to cut.
            self.octets, self.tail, self.source_encoding = octets, b"", "utf-8"
        else:
            self.octets, self.tail, self.source_encoding = source_of(octets, flags, limit_octets)
        if url is None:
            self.origin = self._check_origin = None
        else:
            self.origin = origin_of_robots_url(url)
            self._check_origin = partial(origin_check, self.origin)
        self._compiled: CompiledFile = compiler_of(engine)(self.octets, profile)
        self._rules_by_agent: dict[str | Agent, AgentRules] = {}
        self._allows_by_agent: dict[str | Agent, Callable[[str | bytes], bool]] = {}
        self._groups: tuple[Group, ...] | None = None
        self._records: tuple[Record, ...] | None = None

    def allows(self, url: str | bytes, *, agent: str | Agent) -> bool:
        """Say whether `agent` may fetch `url`.

        Args:
            url: absolute URL, `//host/path` or a path, as str or bytes; a fragment is dropped.
            agent: product token, compared without case in ASCII, or a chain of tokens.
        Raises: InvalidURL, InvalidProductToken; OriginMismatch: the file's URL is known and rules over
            another origin.
        Cost: O(octets of the URL) as a rule; never more than octets of rules times octets of the target.
        Source: RFC 9309 sections 2.2.1 to 2.2.3.
        """
        allows = self._allows_by_agent.get(agent)
        return self.rules_for(agent).allows(url) if allows is None else allows(url)

    def decide(self, url: str | bytes, *, agent: str | Agent) -> Verdict:
        """Say whether `agent` may fetch `url`, and which rule says so.

        The matching rule with the most octets wins; between an allow and a disallow of equal length, allow.

        Args:
            url: absolute URL, `//host/path` or a path; normalised here, a fragment is dropped.
            agent: product token, compared without case in ASCII, or a chain of tokens.
        Returns: the verdict, with the deciding rule, or no rule and the reason.
        Raises: InvalidURL, InvalidProductToken; OriginMismatch: the file's URL is known and rules over
            another origin.
        Cost: O(octets of the target) plus the rules that match; never more than rules times target.
        Source: RFC 9309 sections 2.2.1 to 2.2.3.
        """
        return self.rules_for(agent).decide(url)

    def rules_for(self, agent: str | Agent) -> AgentRules:
        """Bind the file's rules to one agent: the hot path, for whoever asks more than once.

        Args: agent: product token, compared without case in ASCII, or a chain of tokens.
        Raises: InvalidProductToken.
        Cost: O(rules of its groups) for the first agent that chooses them; a look-up for the others.
        Source: RFC 9309 section 2.2.1.
        """
        rules = self._rules_by_agent.get(agent)
        if rules is None:
            who = agent_of(agent)
            prefix = None if self.origin is None else str(self.origin).encode()
            rules = AgentRules(self, who, self._compiled.bind(who.octets, who.star_applies, prefix, self._check_origin))
            if len(self._rules_by_agent) >= _BOUND_AGENTS_LIMIT:
                self._rules_by_agent.clear()
                self._allows_by_agent.clear()
            self._rules_by_agent[agent] = rules
            self._allows_by_agent[agent] = rules.allows
        return rules

    @property
    def groups(self) -> tuple[Group, ...]:
        """The groups, in file order, as they stand: groups of one token are merged when an agent asks.

        Cost: O(octets of rules) at the first call.
        Source: RFC 9309 section 2.1.
        """
        if self._groups is None:
            flags = profile_named(self.profile)
            self._groups = tuple(group_of(*rows, flags) for rows in self._compiled.group_table())
        return self._groups

    @property
    def records(self) -> tuple[Record, ...]:
        """Every line with its record, spans and notes; blank lines and comments too.

        Cost: O(octets) in Python at the first call.
        """
        if self._records is None:
            self._records = tuple(records_of(self.octets, profile_named(self.profile)))
        return self._records

    @property
    def sitemaps(self) -> tuple[str, ...]:
        """The values of all sitemap records, as written, in file order; they belong to no group.

        Cost: O(records that are no rules).
        """
        values = (
            sitemap_url(self.octets[row[4] : row[5]])
            for row in self._compiled.other_records()
            if row[1] == RecordKind.SITEMAP
        )
        return tuple(value for value in values if value is not None)

    def crawl_delay(self, *, agent: str | Agent) -> float | None:
        """Give the seconds that the groups of `agent` ask it to leave between two requests.

        Where they ask for several, the longest counts: no source decides, and it offends nobody.

        Args: agent: product token, or a chain of tokens; its groups are chosen as for rules.
        Returns: seconds, or None where they ask for none that is a number.
        Raises: InvalidProductToken.
        Cost: O(records that are no rules).
        """
        groups = self.rules_for(agent).group_indices
        delays = (
            crawl_delay_seconds(self.octets[value_start:value_end])
            for _, _, key_start, key_end, value_start, value_end, group in self._compiled.other_records()
            if group in groups and self.octets[key_start:key_end].lower() == CRAWL_DELAY_KEY
        )
        return max((delay for delay in delays if delay is not None), default=None)

    def render(self) -> bytes:
        """Give back the file, octet for octet: mark, lines, and the tail past the limit.

        Cost: O(octets).
        """
        if self.source_encoding != "utf-8":
            # What is no UTF-16 cannot be encoded again; what came in is kept.
            return self._source.octets
        mark = self.octets[: self.records[0].span[0]] if self.records else self.octets
        return b"".join([mark, *(self.octets[slice(*record.span)] for record in self.records), self.tail])

    def __repr__(self) -> str:
        where = f" of {self.origin}" if self.origin else ""
        return f"<RobotsTxt{where}: {len(self.octets)} octets, profile {self.profile}>"

    def __reduce__(self) -> tuple[object, ...]:
        return RobotsTxt, (self._source,)


class _Source(NamedTuple):
    octets: bytes
    url: str | bytes | None
    profile: str
    limit_octets: int
    engine: str | None


def parse(
    octets: bytes | str,
    *,
    url: str | bytes | None = None,
    profile: str = "rfc9309",
    limit_octets: int = PARSE_OCTETS_LIMIT,
    engine: str | None = None,
) -> RobotsTxt:
    """Parse a robots.txt. Whatever is in it, this does not raise.

    Args:
        octets: the file's octets; a str is encoded as UTF-8. UTF-16 that says so is transcoded.
        url: where the file is, such as `https://example.com/robots.txt`; a question about another origin
            then raises OriginMismatch.
        profile: whose reading of the file: `rfc9309`, `strict`, `google2019`, `google` or `googlebot`.
        limit_octets: how much is read, 500 KiB at least; the rest is kept as `tail`.
        engine: `python`, `native` or `both`; None is what `CANFETCH_ENGINE` says, or the native one.
    Raises: InvalidRobotsURL, UnknownProfile, InvalidLimit, EngineError; TypeError.
    Cost: O(octets).
    Source: RFC 9309 sections 2.1, 2.2, 2.3 and 2.5.
    """
    if octets.__class__ is not bytes:
        if isinstance(octets, str):
            octets = octets_of(octets)
        elif isinstance(octets, bytes | bytearray | memoryview):
            octets = bytes(octets)
        else:
            raise TypeError(f"a file is bytes or str, not {type(octets).__name__}")
    return RobotsTxt(_Source(octets, url, profile, limit_octets, engine))
