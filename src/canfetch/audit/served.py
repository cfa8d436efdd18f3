"""What a site serves as its robots.txt: compared by behaviour with the intended file, past the cache, and by address.

A comparison is of all URLs for all known crawlers, all crawlers that a file names, and any other one. So lines that a
network adds are found by what they do, whatever they say.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from canfetch.access.outcomes import OutcomeKind
from canfetch.access.responses import Failure, FailureKind
from canfetch.agents import REGISTRY, Crawler
from canfetch.answers.crawlers import UNNAMED, all_agents, shown_name
from canfetch.audit.findings import AuditFinding, AuditKind, finding, quoted_line
from canfetch.audit.intended import is_closed
from canfetch.audit.report import HostCheck
from canfetch.audit.site_requests import SiteRequests
from canfetch.client.origin_state import OriginState
from canfetch.compare import diff
from canfetch.core.agent import Agent
from canfetch.core.content_formats import foreign_content_note
from canfetch.core.document import RobotsTxt, parse
from canfetch.core.extensions.preference import Preference, UsagePurpose
from canfetch.core.lines import BYTE_ORDER_MARK, physical_lines
from canfetch.core.origin import DEFAULT_PORTS, Origin
from canfetch.core.profiles import get_profile
from canfetch.core.quoting import quoted
from canfetch.core.redaction import redacted_url
from canfetch.core.text import abbreviated, counted, printable_text
from canfetch.core.verdict import Access
from canfetch.errors import CanfetchError, ClientClosed, OriginDisallowed, Undecided
from canfetch.lint import Linter, Severity
from canfetch.lint.analysis.site_urls import is_unreachable

_MAX_NAMES: Final = 4
_WWW: Final = "www."
_LABELS: Final = 2
# The lengths of the labels of public suffixes such as `co.uk` and `com.br`.
_MAX_SECOND_LEVEL: Final = 3
_COUNTRY_CODE: Final = 2
_SUCCESS: Final = 2
MISSING: Final = (404, 410)
"""The statuses of what does not exist."""
LOCKED: Final = (401, 403)
"""The statuses of what a server refuses."""
_OF_CLOSED_SITES: Final = ("whole-site-blocked",)
# The statuses of a gateway whose server does not answer, and the text of a failure with a status of a proxy.
_OF_GATEWAYS: Final = (502, 503, 504)
_PROXY_ANSWER: Final = "proxy responded"
# The sitemap of a local site is on a local host.
_OF_LOCAL_HOSTS: Final = ("sitemap-host-unreachable",)


class ServedFile(NamedTuple):
    """The robots.txt of an origin.

    Attributes:
        state: The state of the origin.
        robots: The file whose rules apply, or None if the origin is closed because it cannot be fetched.
    """

    state: OriginState
    robots: RobotsTxt | None


def served_file(state: OriginState, now: float) -> ServedFile:
    """Return the robots.txt of an origin."""
    try:
        return ServedFile(state, state.robots(now))
    except OriginDisallowed:
        return ServedFile(state, None)


class FreshFile(NamedTuple):
    """The robots.txt that a server sends to a request that no cache can answer.

    Attributes:
        robots: The file.
        url: The URL that was requested, with a query.
    """

    robots: RobotsTxt
    url: str


def check_file(
    served: ServedFile, now: float, *, source: RobotsTxt | None, added: Sequence["AddedLines"]
) -> Iterator[AuditFinding]:
    """Yield what is wrong with a served file by itself.

    Args:
        served: The file.
        now: Seconds since the epoch.
        source: The intended file, or None.
        added: The lines that a network added to it. What the linter reports only because of them is one finding.
    """
    state = served.state
    access = state.access_info(now)
    url, status = access.robots_url, state.entry.status
    if not has_answered(served.state):
        yield finding(AuditKind.SITE_UNREACHABLE, access.explanation, url=url)
        return
    if served.robots is None or access.access is Access.UNREACHABLE:
        is_redirected = state.entry.url != url
        leads = f"; {url} redirects to {quoted(redacted_url(state.entry.url))}" if is_redirected else ""
        yield finding(AuditKind.ROBOTS_UNREACHABLE, f"{access.explanation}{leads}", url=url, status=status)
        return
    copy = state.effective_access(now).copy
    if copy is None:
        is_missing = status in MISSING
        if not (is_missing and source is not None):
            kind = AuditKind.ROBOTS_MISSING if is_missing else AuditKind.ROBOTS_REFUSED
            yield finding(kind, access.explanation, url=url, status=status)
        return
    note = foreign_content_note(copy.content)
    if note is not None:
        yield finding(AuditKind.NOT_ROBOTS, note, url=url, status=status)
        return
    ignored = [
        *(_OF_CLOSED_SITES if is_closed(source) else ()),
        *(_OF_LOCAL_HOSTS if is_unreachable(state.origin.host) else ()),
    ]
    linter = Linter(ignore=ignored)
    report = linter.lint(copy.content)
    found = [group[0] for group in report.at_least(Severity.WARNING).grouped()]
    if added and source is not None:
        own = _lint_keys(linter, source.content)
        lines = _raw_lines(copy.content)
        caused = [one for one in found if (one.check.code, _line_at(lines, one.line)) not in own]
        if caused:
            names = abbreviated(list(dict.fromkeys(f"{one.check.code} {one.check.name}" for one in caused)), _MAX_NAMES)
            message = f"the linter reports only because of the added lines: {names}"
            yield finding(AuditKind.ADDED_LINES, message, url=url, line=added[0].first)
        found = [one for one in found if one not in caused]
    for one in found:
        message = f"{one.check.code} {one.check.name}: {one.message()}"
        linted = finding(AuditKind.LINT, message, severity=one.severity, url=url, line=one.line)
        yield linted._replace(check=one.check, how_to_fix=one.how_to_fix())
    notes = Counter(one.check.name for one in report.findings if one.severity < Severity.WARNING)
    if notes:
        names = abbreviated([f"{name} ({number:,})" for name, number in notes.most_common()], _MAX_NAMES)
        yield finding(AuditKind.LINT_NOTES, f"{counted(notes.total(), 'note')}: {names}", url=url)


def _lint_keys(linter: Linter, content: bytes) -> set[tuple[str, bytes]]:
    """Return the checks that report lines of a file, with the text of these lines."""
    lines = _raw_lines(content)
    return {(one.check.code, _line_at(lines, one.line)) for one in linter.lint(content).findings}


def _raw_lines(content: bytes) -> list[bytes]:
    return content.removeprefix(BYTE_ORDER_MARK).splitlines()


def _line_at(lines: Sequence[bytes], number: int | None) -> bytes:
    return lines[number - 1].strip() if number is not None and number <= len(lines) else b""


def has_answered(state: OriginState) -> bool:
    """Return whether a server answered the request for robots.txt: with any status, or with a broken response.

    A redirect is an answer, too, even if its target cannot be reached.
    """
    entry = state.entry
    return entry.status is not None or entry.url != state.origin.robots_url or entry.outcome.reached_server


def file_lines(state: OriginState, now: float) -> list[bytes]:
    """Return the lines of the robots.txt of an origin.

    Cost: O(bytes).
    """
    robots = served_file(state, now).robots
    return [] if robots is None else physical_lines(robots.content, get_profile(robots.profile))[1]


def rules_digest(robots: RobotsTxt) -> str:
    """Return a digest of the rules for each product token, in which neither order nor comments count.

    Cost: O(bytes).
    """
    rules: dict[str, set[tuple[bool, bytes]]] = {}
    for group in robots.groups:
        own = {(rule.allow, rule.pattern) for rule in group.rules if rule.specificity}
        for token in group.tokens:
            rules.setdefault(token.lower(), set()).update(own)
    text = repr(sorted((token, sorted(own)) for token, own in rules.items()))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def network_lines(source: RobotsTxt, served: RobotsTxt, fresh: FreshFile | None) -> list["AddedLines"]:
    """Return the lines that something between the server and the crawlers adds to the intended ones.

    Lines that the file past the cache lacks are those of an older file.
    """
    added = find_added_lines(source.content, served.content)
    if not added or fresh is None:
        return added
    lines = dict(_lines(served.content))
    numbers = (number for part in added for number in range(part.first, part.last + 1) if number in lines)
    past_cache = _counted(line for _, line in _lines(fresh.robots.content))
    past_cache -= _counted(line for _, line in _lines(source.content))
    return added if _counted(lines[number] for number in numbers) <= past_cache else []


def _counted(lines: Iterable[bytes]) -> Counter[bytes]:
    """Return how often each line occurs. Comments can have the time of the response."""
    return Counter(line for line in lines if not line.startswith(b"#"))


def compare_with_source(
    source: RobotsTxt, served: ServedFile, fresh: FreshFile | None, origin: Origin, added: Sequence["AddedLines"]
) -> Iterator[AuditFinding]:
    """Yield how a served file differs by behaviour from the intended one, and which lines were added to it.

    Args:
        source: The intended file.
        served: The served file.
        fresh: The file past the cache, or None. A cache may have an older file, in which the intended lines are not
            found.
        origin: The origin.
        added: The lines that were added to the served file.
    """
    if served.robots is None:
        return
    url = origin.robots_url
    if not added and fresh is not None:
        past_cache = find_added_lines(source.content, fresh.robots.content)
        if past_cache:
            effects = list(differences(source, fresh.robots, origin, "because of them, the file past the cache"))
            others = f"; and {counted(len(effects) - 1, 'more difference')}" if len(effects) > 1 else ""
            effect = f"{effects[0].text}{others}" if effects else "they have no effect on a verdict"
            message = f"past the cache, {_added_text(past_cache)}; {effect}"
            line = past_cache[0].first
            text = quoted_line(_raw_lines(fresh.robots.content)[line - 1])
            yield finding(AuditKind.ADDED_LINES, message, url=fresh.url, line=line, text=text)
    changes = list(differences(source, served.robots, origin, "the served file"))
    usages = list(usage_differences(source, served.robots, "*"))
    if added:
        effect = "" if changes or usages else ", without an effect on a verdict"
        yield finding(
            AuditKind.ADDED_LINES,
            f"{_added_text(added)}{effect}",
            severity=None if changes or usages else Severity.INFO,
            url=url,
            line=added[0].first,
        )
    for found in changes:
        kind = AuditKind.UNDECIDED if found.is_undecided else AuditKind.SERVED_DIFFERS
        cause = " because of the added lines" if added and not found.is_undecided else ""
        yield finding(kind, f"{found.text}{cause}", url=found.url)
    for usage in usages:
        message = f"{usage.purpose}: the served file states {usage.actual}, the intended one {usage.intended}"
        yield finding(AuditKind.USAGE_DIFFERS, message, url=url, line=usage.line)


class AddedLines(NamedTuple):
    """Lines of a served file that the intended file does not have.

    Attributes:
        first, last: Their numbers.
        place: `before`, `between` or `after` the lines of the intended file.
    """

    first: int
    last: int
    place: str

    @property
    def numbers(self) -> str:
        """The numbers in words."""
        return f"line {self.first}" if self.first == self.last else f"lines {self.first}-{self.last}"


def _added_text(added: Sequence[AddedLines]) -> str:
    return "not in the intended file: " + " and ".join(f"{one.numbers} {one.place} the intended ones" for one in added)


def find_added_lines(source: bytes, served: bytes) -> list[AddedLines]:
    """Return the lines of `served` before, after, or in one place between all the lines of `source`.

    Blank lines, and white space at the ends of lines, do not count. The result is empty if `served` lacks a line of
    `source`, or has lines in several places between its lines.

    Cost: O(bytes).
    """
    own = [line for _, line in _lines(source)]
    theirs = _lines(served)
    if not own or len(theirs) <= len(own):
        return []
    text = b"\n".join([b"", *(line for _, line in theirs), b""])
    start = text.find(b"\n".join([b"", *own, b""]))
    parts: list[tuple[str, list[tuple[int, bytes]]]]
    if start >= 0:
        index = text.count(b"\n", 0, start)
        parts = [("before", theirs[:index]), ("after", theirs[index + len(own) :])]
    else:
        equal = _equal_at_start(own, [line for _, line in theirs])
        rest = len(theirs) - len(own) + equal
        is_found = [line for _, line in theirs[rest:]] == own[equal:]
        parts = [("between", theirs[equal:rest])] if is_found else []
    return [AddedLines(lines[0][0], lines[-1][0], place) for place, lines in parts if lines]


def _equal_at_start(one: Sequence[bytes], other: Sequence[bytes]) -> int:
    return next(
        (index for index, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )


def _lines(content: bytes) -> list[tuple[int, bytes]]:
    lines = content.removeprefix(BYTE_ORDER_MARK).splitlines()
    return [(number, line.strip()) for number, line in enumerate(lines, 1) if line.strip()]


def file_past_cache(requests: SiteRequests, served: ServedFile, origin: Origin) -> FreshFile | None:
    """Return the robots.txt that the server sends to a request that no cache can answer, or None if it sends none.

    Raises: As `SiteRequests.state`.
    """
    if served.robots is None or served.state.entry.outcome.kind is not OutcomeKind.SUCCESS:
        return None
    url = f"{origin.robots_url}?canfetch={int(requests.clock() * 1000):x}"
    response = requests.fetch(url, max_bytes=served.state.options.max_bytes)
    # A server that treats the address with a query differently says nothing about the cache.
    if isinstance(response, Failure) or response.status // 100 != _SUCCESS or foreign_content_note(response.body):
        return None
    return FreshFile(parse(response.body, profile=served.robots.profile), url)


def check_cache(fresh: FreshFile, served: ServedFile, origin: Origin) -> Iterator[AuditFinding]:
    """Yield how the file past caches differs from the one that crawlers get."""
    if served.robots is None:
        return
    for found in differences(fresh.robots, served.robots, origin, "the file that crawlers get"):
        if not found.is_undecided:
            yield finding(AuditKind.STALE_CACHE, f"{found.text}; the other file is at this URL", url=fresh.url)


def host_addresses(origin: Origin, hosts: Sequence[Origin]) -> list[Origin]:
    """Return the other addresses of a site: http, https, with and without www, and those that are passed.

    A host such as `staging.example.com` has no address with www.
    """
    found = list(hosts)
    if origin.port == DEFAULT_PORTS.get(origin.scheme) and "." in origin.host and not _is_address(origin.host):
        names = [origin.host]
        if origin.host.startswith(_WWW):
            names.append(origin.host.removeprefix(_WWW))
        elif _is_registered_name(origin.host):
            names.append(f"{_WWW}{origin.host}")
        found += [Origin.from_url(f"{scheme}://{host}/") for host in names for scheme in ("https", "http")]
    return [one for one in dict.fromkeys(found) if one != origin]


def _is_registered_name(host: str) -> bool:
    """Return whether a host is probably a name such as `example.com` or `example.co.uk`, and not one below it."""
    labels = host.removesuffix(".").split(".")
    if len(labels) == _LABELS + 1:
        return len(labels[1]) <= _MAX_SECOND_LEVEL and len(labels[2]) == _COUNTRY_CODE
    return len(labels) == _LABELS


def _is_address(host: str) -> bool:
    return host.startswith("[") or host.rpartition(".")[2].isdigit()


def check_hosts(
    requests: SiteRequests,
    served: ServedFile,
    addresses: Sequence[Origin],
    named: Sequence[Origin],
    intended: Mapping[Origin, RobotsTxt],
    *,
    source: RobotsTxt | None = None,
) -> tuple[list[HostCheck], list[AuditFinding]]:
    """Compare the robots.txt of the other addresses of a site with that of the site.

    Args:
        requests: Sends the requests.
        served: The file of the site.
        addresses: The addresses.
        named: Those that the caller named.
        intended: The intended files of addresses that should have another file than the site.
        source: The intended file of the site, or None. An address that serves it is right, even if the site is not.
    """
    checks: list[HostCheck] = []
    findings: list[AuditFinding] = []
    for address in addresses:
        now = requests.clock()
        state = _requested_state(requests, address)
        if isinstance(state, CanfetchError):
            checks.append(HostCheck(str(address), None, None))
            findings.append(finding(AuditKind.LIMIT_REACHED, str(state), url=f"{address}/"))
            continue
        other = served_file(state, now)
        access = state.access_info(now)
        if other.robots is None or served.robots is None:
            checks.append(HostCheck(str(address), access, None))
            status = state.entry.status
            # An address without a server is not a part of the site, unless it was named. A server with an invalid
            # certificate is one, which visitors meet.
            is_part = address in named or _fails_tls(state)
            is_part = is_part or (has_answered(state) and not _is_answer_of_proxy(requests, addresses, state))
            if other.robots is None and served.robots is not None and is_part:
                kind = AuditKind.HOST_UNREACHABLE
                findings.append(finding(kind, access.explanation, url=access.robots_url, status=status))
            continue
        note = _foreign_note(other, now)
        # Where the site serves no robots.txt either, its addresses have the same rules: none.
        if note is not None and _foreign_note(served, now) is None:
            checks.append(HostCheck(str(address), access, None))
            findings.append(finding(AuditKind.HOST_DIFFERS, f"{note}, so no rule applies", url=access.robots_url))
            continue
        changes = list(differences(served.robots, other.robots, address, str(address)))
        checks.append(HostCheck(str(address), access, not changes))
        kind = AuditKind.HOST_DIFFERS
        if address in intended:
            if is_closed(intended[address]) and state.entry.status in LOCKED:
                # It is closed by its server.
                continue
            kind = AuditKind.SERVED_DIFFERS
            changes = list(differences(intended[address], other.robots, address, str(address)))
        elif source is not None and not list(differences(source, other.robots, address, str(address))):
            continue
        if changes:
            first, more = changes[0], len(changes) - 1
            kind = AuditKind.UNDECIDED if first.is_undecided else kind
            others = f"; and {counted(more, 'more difference')}" if more else ""
            findings.append(finding(kind, f"{first.text}{others}", url=first.url))
    return checks, findings


def _requested_state(requests: SiteRequests, address: Origin) -> OriginState | CanfetchError:
    """Return the state of an address after a request, or why there is none.

    Raises: ClientClosed.
    """
    try:
        return requests.state(f"{address}/", refresh=True)
    except ClientClosed:
        raise
    except CanfetchError as error:
        return error


def _is_answer_of_proxy(requests: SiteRequests, addresses: Sequence[Origin], state: OriginState) -> bool:
    """Return whether a proxy probably answered for a host without a server, because it opens no tunnel to the host."""
    if state.origin.scheme != "http" or state.entry.status not in _OF_GATEWAYS:
        return False
    secure = Origin.from_url(f"https://{state.origin.host}/")
    # Its robots.txt was requested before that of the http address.
    return secure in addresses and _PROXY_ANSWER in requests.state(f"{secure}/").entry.outcome.detail


def _fails_tls(state: OriginState) -> bool:
    return state.entry.outcome.failure_kind is FailureKind.TLS


def _foreign_note(served: ServedFile, now: float) -> str | None:
    """Return why the file of an address is not a robots.txt, such as a redirect to the home page, or None."""
    copy = served.state.effective_access(now).copy
    return None if copy is None else foreign_content_note(copy.content)


class Difference(NamedTuple):
    """What some crawlers may fetch by one file, and not by another.

    Attributes:
        text: The difference in words.
        url: A shortest URL that shows it.
        is_loss: Whether the crawlers may fetch less.
        is_undecided: Whether the files are too large to be compared.
    """

    text: str
    url: str
    is_loss: bool = False
    is_undecided: bool = False


def differences(
    expected: RobotsTxt, actual: RobotsTxt, origin: Origin, name: str, *, crawlers: Sequence[Crawler] | None = None
) -> Iterator[Difference]:
    """Yield what crawlers lose and gain, each with a shortest URL.

    Args:
        expected: One file.
        actual: The other file.
        origin: The origin for URLs.
        name: The subject of the sentences: what the other file is.
        crawlers: The crawlers to compare for, or None for all of the registry, those of the files, and all others.
    """
    if expected.content == actual.content:
        return
    url = origin.robots_url
    expected, actual = (parse(file.content, url=url, profile=file.profile) for file in (expected, actual))
    agents = crawlers or all_agents((expected, actual), REGISTRY)
    try:
        changes = diff(expected, actual, agents=[agent.agent for agent in agents])
    except Undecided as error:
        yield Difference(f"{name}: {error}", url, is_undecided=True)
        return
    for change in changes:
        same = set(change.agents)
        known = (agent.name for agent in agents if agent.agent in same and agent is not UNNAMED)
        names = [printable_text(shown_name(name)) for name in known]
        if UNNAMED.agent in same:
            who = f"{counted(len(names), 'known crawler')} and all others" if names else UNNAMED.name
        else:
            who = abbreviated(names, _MAX_NAMES)
        for verb, urls in (("disallows", change.newly_disallowed), ("allows", change.newly_allowed)):
            if urls:
                is_loss = urls is change.newly_disallowed
                example = urls.examples[0]
                partial = [f"{pattern} (in part)" for pattern in urls.partial_patterns]
                patterns = abbreviated([*urls.patterns, *partial], _MAX_NAMES)
                shown = f"{origin}{example}" if example.startswith("/") else example
                yield Difference(f"{name} {verb} {printable_text(patterns)} for {who}", shown, is_loss)


class UsageDifference(NamedTuple):
    """A preference on a use that two files state differently.

    Attributes:
        purpose: The use.
        intended, actual: The preferences.
        line: The line of the second file that states its preference, or None.
    """

    purpose: UsagePurpose
    intended: Preference
    actual: Preference
    line: int | None


def usage_differences(source: RobotsTxt, served: RobotsTxt, agent: str | Agent) -> Iterator[UsageDifference]:
    """Yield the uses for which two files state different preferences to an agent."""
    source, served = (parse(file.content, profile=file.profile) for file in (source, served))
    for purpose in UsagePurpose:
        intended, actual = (
            file.usage("/", agent=agent, purpose=purpose, if_disallowed=True) for file in (source, served)
        )
        if intended.preference is not actual.preference:
            line = next((statement.line for statement in actual.statements), None)
            yield UsageDifference(purpose, intended.preference, actual.preference, line)
