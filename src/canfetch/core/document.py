"""One parsed file, and the question it answers.

Octets become a `RobotsTxt`; that, for an agent, `AgentRules`; those, for a URL, a `Verdict`.
"""

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Final

from canfetch.core.agent import Agent, as_agent
from canfetch.core.agent_rules import AgentRules
from canfetch.core.contract import CompiledFile
from canfetch.core.engines import compiler_for, compiler_of
from canfetch.core.extensions.crawl_delay import KEY as CRAWL_DELAY_KEY
from canfetch.core.extensions.crawl_delay import parse_crawl_delay
from canfetch.core.extensions.request_rate import KEY as REQUEST_RATE_KEY
from canfetch.core.extensions.request_rate import RequestRate, parse_request_rate
from canfetch.core.extensions.sitemap import parse_sitemap
from canfetch.core.extensions.visit_time import KEY as VISIT_TIME_KEY
from canfetch.core.extensions.visit_time import parse_visit_time
from canfetch.core.extensions.windows import DailyWindow
from canfetch.core.groups import Group, TokenLines, build_group
from canfetch.core.keys import RecordKind
from canfetch.core.limits import COMPILED_RULES_LIMIT, DEFAULT_MAX_BYTES, MAX_BYTES_LIMIT
from canfetch.core.origin import Origin, check_origin, parse_robots_url
from canfetch.core.profiles import PROFILES, get_profile
from canfetch.core.records import Record, iter_records
from canfetch.core.source import decode_source
from canfetch.core.text import encode_text
from canfetch.core.urls import rejection, split_url, url_bytes
from canfetch.core.verdict import Verdict

if TYPE_CHECKING:
    # Few ask, and reading them takes an import of its own.
    from canfetch.core.extensions.collection import Extensions
    from canfetch.core.extensions.license import License
    from canfetch.core.extensions.page_rule import PathPageRule
    from canfetch.core.extensions.queries import ExtensionAnswers, GroupAnswers
    from canfetch.core.extensions.record import Extension
    from canfetch.core.extensions.usage import Usage

# Agents whose bound rules one file keeps, if all these have not too many rules; past that it begins anew.
_BOUND_AGENTS_LIMIT: Final = 256
_UTF_16_MARK_STARTS: Final = (b"\xff", b"\xfe")


# The octets as given, the file's URL, profile, limit and engine: a plain tuple, since parsing must cost little.
_Source = tuple[bytes, str | bytes | None, str, int, str | None]


class RobotsTxt:
    """One parsed robots.txt, made by `parse`; it never changes, and is safe to share among threads.

    Attributes:
        content: what was read, in UTF-8, cut to the limit at a line end.
        tail: the octets past the limit, which count for nothing.
        source_encoding: `utf-8`, `utf-16-le` or `utf-16-be`.
        profile: the name of the profile that read it.
        origin: what the file rules over, or None where its URL is not known.
    """

    __slots__ = (
        "_check_origin",
        "_compiled",
        "_extension_answers",
        "_groups",
        "_records",
        "_rules_by_agent",
        "_rules_held",
        "_source",
        "_token_lines",
        "content",
        "origin",
        "profile",
        "source_encoding",
        "tail",
    )

    content: bytes
    tail: bytes
    source_encoding: str
    profile: str
    origin: Origin | None

    def __init__(self, source: _Source) -> None:
        content, url, profile, max_bytes, engine = self._source = source
        self.profile = profile
        flags = PROFILES.get(profile) or get_profile(profile)
        if (
            len(content) <= DEFAULT_MAX_BYTES <= max_bytes <= MAX_BYTES_LIMIT
            and max_bytes.__class__ is int
            and content[:1] not in _UTF_16_MARK_STARTS
        ):
            # Nearly every file: nothing to transcode, nothing to cut.
            self.content, self.tail, self.source_encoding = content, b"", "utf-8"
        else:
            self.content, self.tail, self.source_encoding = decode_source(content, flags, max_bytes)
        if url is None:
            self.origin = self._check_origin = None
        else:
            self.origin = parse_robots_url(url)
            self._check_origin = partial(check_origin, self.origin)
        compile_file = compiler_for(engine, flags) if flags.robotparser else compiler_of(engine)
        self._compiled: CompiledFile = compile_file(self.content, profile)
        self._token_lines: TokenLines | None = None
        self._extension_answers: ExtensionAnswers | None = None
        self._rules_by_agent: dict[str | Agent, AgentRules] = {}
        self._rules_held = 0
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
        try:
            return self._rules_by_agent[agent].allows(url)
        except (KeyError, TypeError):
            # An agent that is not bound yet, or what is no agent or no URL: which of them, is found out here.
            return self.rules_for(agent).allows(url)

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
        try:
            rules = self._rules_by_agent.get(agent)
        except TypeError:
            # A list of tokens has no hash; it is told what an agent is.
            as_agent(agent)
            raise
        if rules is None:
            who = as_agent(agent)
            prefix = None if self.origin is None else str(self.origin).encode()
            bound = self._compiled.bind(who.encoded_tokens, who.star_applies, prefix, self._check_origin)
            if self._token_lines is None:
                self._token_lines = TokenLines(self._compiled, get_profile(self.profile))
            rules = AgentRules(who, bound, self.profile, self._token_lines, (_rules_again, (self._source, who)))
            rule_count = bound.rule_count
            self._rules_held += rule_count
            if len(self._rules_by_agent) >= _BOUND_AGENTS_LIMIT or self._rules_held > COMPILED_RULES_LIMIT:
                self._rules_by_agent.clear()
                self._rules_held = rule_count
            self._rules_by_agent[agent] = rules
        return rules

    @property
    def groups(self) -> tuple[Group, ...]:
        """The groups, in file order, as they stand: groups of one token are merged when an agent asks.

        Cost: O(octets of rules) at the first call.
        Source: RFC 9309 section 2.1.
        """
        if self._groups is None:
            flags = get_profile(self.profile)
            self._groups = tuple(build_group(*rows, flags) for rows in self._compiled.group_table())
        return self._groups

    @property
    def records(self) -> tuple[Record, ...]:
        """Every line with its record, spans and notes; blank lines and comments too.

        Cost: O(octets) in Python at the first call.
        """
        if self._records is None:
            self._records = tuple(iter_records(self.content, get_profile(self.profile)))
        return self._records

    @property
    def sitemaps(self) -> tuple[str, ...]:
        """The values of all sitemap records, as written, in file order; they belong to no group.

        Cost: O(records that are no rules).
        """
        values = (
            parse_sitemap(self.content[row[4] : row[5]])
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
        delay = self._longest_delay(agent)
        if delay is None and get_profile(self.profile).crawl_delay_of_star and as_agent(agent).star_applies:
            return self._longest_delay("*")
        return delay

    def _longest_delay(self, agent: str | Agent) -> float | None:
        delays = map(parse_crawl_delay, self._values_for(agent, CRAWL_DELAY_KEY))
        return max((delay for delay in delays if delay is not None), default=None)

    def request_rates(self, *, agent: str | Agent) -> tuple[RequestRate, ...]:
        """Give the request rates that the groups of `agent` ask for, in file order.

        Args: agent: product token, or a chain of tokens; its groups are chosen as for rules.
        Raises: InvalidProductToken.
        Cost: O(records that are no rules).
        """
        rates = map(parse_request_rate, self._values_for(agent, REQUEST_RATE_KEY))
        return tuple(rate for rate in rates if rate is not None)

    def visit_times(self, *, agent: str | Agent) -> tuple[DailyWindow, ...]:
        """Give the times of day at which the groups of `agent` ask it to come, in file order.

        Args: agent: product token, or a chain of tokens; its groups are chosen as for rules.
        Raises: InvalidProductToken.
        Cost: O(records that are no rules).
        """
        windows = map(parse_visit_time, self._values_for(agent, VISIT_TIME_KEY))
        return tuple(window for window in windows if window is not None)

    def _values_for(self, agent: str | Agent, key: bytes) -> Iterator[bytes]:
        groups = frozenset(self.rules_for(agent).group_indices)
        for _, _, key_start, key_end, value_start, value_end, group in self._compiled.other_records():
            if group in groups and self.content[key_start:key_end].lower() == key:
                yield self.content[value_start:value_end]

    def with_profile(self, profile: str) -> "RobotsTxt":
        """Give the same file, as another profile reads it.

        Args: profile: whose reading, by its name in `canfetch.PROFILES`. One that Python's engine alone does is read
            by that, whichever engine the file was parsed with.
        Raises: UnknownProfile.
        Cost: O(octets).
        """
        content, url, _, max_bytes, engine = self._source
        if get_profile(profile).robotparser:
            engine = None
        return RobotsTxt((content, url, profile, max_bytes, engine))

    @property
    def extensions(self) -> "Extensions":
        """Every record that is neither a rule nor a user-agent line: what it says, where, and what is odd.

        Cost: O(octets of these records) at the first call.
        """
        return self._asides.records

    def canonical(self, url: str | bytes) -> str:
        """Give the one address of a page that has many: without the parameters that Clean-param names for it.

        The records count wherever in the file they stand. What remains of the URL is as it was written; a
        fragment is dropped.

        Args: url: absolute URL, `//host/path` or a path, as str or bytes.
        Returns: the URL; an octet that is no UTF-8 is U+DC80 to U+DCFF, which every question here takes back.
        Raises: InvalidURL; OriginMismatch: the file's URL is known and rules over another origin.
        Cost: O(octets of the URL) and the Clean-param records that match; at the first call all of them.
        Source: Yandex Webmaster, "The Clean-param directive".
        """
        content = url_bytes(url)
        split = split_url(content)
        if split is None:
            raise rejection(url)
        if self._check_origin is not None:
            self._check_origin(url, None)
        return self._asides.clean_params.canonical(content, split).decode("utf-8", "surrogateescape")

    def usage(self, url: str | bytes, *, agent: str | Agent, purpose: str) -> "Usage":
        """Say what the file says about using what `agent` fetches at `url`: a preference, and no permission.

        Content-Signal, Content-Usage and the lines of AI training count, of the groups that decide for the
        agent; the most restrictive wins. Of a URL that may not be fetched nothing is said.

        Args:
            url, agent: as those of `decide`.
            purpose: `training`, `search` or `ai-use`.
        Returns: the preference, the records behind it, the licenses beside it, and the verdict.
        Raises: InvalidURL, InvalidProductToken, OriginMismatch; InvalidOption: there is no such purpose.
        Cost: as `decide`, and the records that match; for groups that are asked first, all of theirs.
        Source: draft-ietf-aipref-attach-05; draft-ietf-aipref-vocab-08; contentsignals.org.
        """
        from canfetch.core.extensions.queries import usage_purpose  # noqa: PLC0415 - few ask

        wanted = usage_purpose(purpose)
        return self._asides_for(agent).usage(self.decide(url, agent=agent), wanted)

    def licenses(self, *, agent: str | Agent) -> "tuple[Extension[License], ...]":
        """Give where the terms of use are: those of the agent's groups, or else those of the file.

        Args: agent: product token, or a chain of tokens; its groups are chosen as for rules.
        Raises: InvalidProductToken.
        Cost: O(records that are no rules) for groups that are asked first; a look-up for the others.
        Source: RSL 1.0.
        """
        return self._asides_for(agent).licenses

    def page_rules(self, url: str | bytes, *, agent: str | Agent) -> "tuple[Extension[PathPageRule], ...]":
        """Give the Noindex, Nofollow and Noarchive lines for a URL, which Google read until September 2019.

        Args: url, agent: as those of `decide`.
        Raises: InvalidURL, InvalidProductToken, OriginMismatch.
        Cost: as `usage`.
        """
        return tuple(self._asides_for(agent).page_rules.matching(self.decide(url, agent=agent).target))

    @property
    def _asides(self) -> "ExtensionAnswers":
        if self._extension_answers is None:
            from canfetch.core.extensions.queries import ExtensionAnswers  # noqa: PLC0415 - few ask

            rows = self._compiled.other_records()
            self._extension_answers = ExtensionAnswers(self.content, rows, get_profile(self.profile))
        return self._extension_answers

    def _asides_for(self, agent: str | Agent) -> "GroupAnswers":
        return self._asides.of_groups(self.rules_for(agent).group_indices)

    def render(self) -> bytes:
        """Give back the file as it came, octet for octet.

        In UTF-8 that is a byte order mark, the records' spans in order, and the tail past the limit. UTF-16
        was kept as it came: what is none could not be encoded again.
        """
        return self._source[0]

    def __repr__(self) -> str:
        where = f" of {self.origin}" if self.origin else ""
        return f"<RobotsTxt{where}: {len(self.content)} octets, profile {self.profile}>"

    def __reduce__(self) -> tuple[object, ...]:
        return RobotsTxt, (self._source,)


def _rules_again(source: _Source, agent: Agent) -> AgentRules:
    # Not the file itself: its rules would hold what holds them, and be freed late.
    return RobotsTxt(source).rules_for(agent)


def parse(
    content: bytes | bytearray | memoryview | str,
    *,
    url: str | bytes | None = None,
    profile: str = "rfc9309",
    max_bytes: int = DEFAULT_MAX_BYTES,
    engine: str | None = None,
) -> RobotsTxt:
    """Parse a robots.txt. Whatever is in it, this does not raise.

    Args:
        content: the file's bytes; a str is encoded as UTF-8. UTF-16 that says so is transcoded.
        url: where the file is, such as `https://example.com/robots.txt`; a question about another origin
            then raises OriginMismatch.
        profile: whose reading of the file, by its name in `canfetch.PROFILES`.
        max_bytes: how much is read, from 500 KiB to 512 MiB; the rest is kept as `tail`.
        engine: `python`, `native` or `both`; None is what `CANFETCH_ENGINE` says, or the native one.
    Raises: InvalidRobotsURL, UnknownProfile, InvalidLimit, EngineError; TypeError.
    Cost: O(octets).
    Source: RFC 9309 sections 2.1, 2.2, 2.3 and 2.5.
    """
    if content.__class__ is not bytes:
        if isinstance(content, str):
            content = encode_text(content)
        elif isinstance(content, bytes | bytearray | memoryview):
            content = bytes(content)
        else:
            raise TypeError(f"a file is bytes or str, not {type(content).__name__}")
    return RobotsTxt((content, url, profile, max_bytes, engine))
