"""The rules of a policy in a form common to all servers.

1. A User-Agent header identifies a crawler if it contains one of its product names as a word, in any letter case, and
   not in a URL (`agents.declarations`). Intents are ordered from the most specific, and the first one that matches
   applies. If the published header of a crawler also contains a name of another one, as in `TelegramBot (like
   TwitterBot)`, its own name at the start of a header comes first. Names that only the policy has come after those of
   the registry. They do not count in the header of a browser that declares no crawler (`declarations.BROWSER_REGEX`),
   because a browser inside an app has the name of the app. Those that browsers, apps or libraries also send count only
   at the start. `Mozilla` and `Opera` never count.
2. Rules match the target as sent: path and query, including escapes (`author.regexes`). The first rule of an intent
   that matches decides, in the order of robots.txt: the most specific first, allow before disallow. Rules that disallow
   also match the other spellings of a path that servers and applications route in the same way, such as `//` and `%2F`.
3. `/robots.txt` is always served, with any query. Targets with dot segments in any spelling, with a raw `#`, with bytes
   outside of ASCII, with a null byte, a tab or a line break, without a path, or with a path that does not start with
   `/` are refused, because crawlers do not send them, and servers disagree about their meaning.
4. Requests that identify no crawler are served, because browsers must pass.
"""

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from canfetch.agents.declarations import BROWSER_REGEX, app_name_regex, first_name_regex, name_regex, names_in
from canfetch.agents.other_clients import BROWSER_PRODUCTS, is_other_client
from canfetch.agents.registry import REGISTRY
from canfetch.author.refusal import DEFAULT_REFUSAL, Refusal
from canfetch.author.regexes import application_regex, atomic_regex, target_regex
from canfetch.author.resolution import CrawlerIntent, Resolution, resolve
from canfetch.author.site_policy import Audience, Intent, SitePolicy
from canfetch.core.quoting import quoted
from canfetch.core.text import bounded_text
from canfetch.errors import InvalidSitePolicy

_NAMES_PER_REGEX: Final = 50
_MAX_COMMENT_BYTES: Final = 1_000
# A query does not change the file.
ROBOTS_TXT: Final = r"/robots\.txt(?:\?|$)"
# An absolute URL in a request may omit the path `/` before the end or the query.
NO_PATH: Final = r"(?:\?|$)"
_SCHEME: Final = r"[A-Za-z][A-Za-z0-9+.-]*"
# An absolute URL, which clients of a proxy send, up to its path.
ORIGIN: Final = rf"(?:{_SCHEME}://[^/?\x20]*)?"
# What precedes the path of a response: Apache and Caddy also serve `/x` for `http:/x`.
BEFORE_SERVED_PATH: Final = rf"(?:{_SCHEME}:(?://[^/?\x20]*)?)?"
# Neither a path, nor `*`, nor an absolute URL with `//`: some servers route `http:/x`, `http:x` and `%2Fx` as `/x`. It
# must not follow `ORIGIN`, which can also match less of a URL than its origin.
NOT_ROOTED: Final = rf"(?:[^A-Za-z/*\x20]|\*[^\x20]|{_SCHEME}(?:[^A-Za-z0-9+.:-]|$)|{_SCHEME}:/?(?:[^/]|$))"
# Some servers decode escapes before they resolve such segments, treat a backslash as a slash, or drop the text after a
# `;`. So every spelling is covered.
_SLASH: Final = r"(?:[/\x5C]|%2[Ff]|%5[Cc])"
DOT_SEGMENTS: Final = rf"[^?\x20]*{_SLASH}(?:\.|%2[Ee])(?:\.|%2[Ee])?(?:[;/?\x5C]|%2[Ff]|%5[Cc]|$)"
# nginx and others drop the fragment, and serve the path before it.
FRAGMENT: Final = r"[^\x20]*\x23"
# Applications read them as escapes, and engines of regexes read them differently.
NOT_ASCII: Final = r"[^\x20]*[^\x01-\x7F]"
# A null byte ends a path for some programs. The `$` of an application's route also matches before a line feed, and
# parsers of URLs that follow the WHATWG drop tabs and line breaks.
CONTROL_BYTES: Final = r"[^?\x20]*%0[09AaDd]"
NEVER_ALLOWED: Final = (NO_PATH, DOT_SEGMENTS, FRAGMENT, NOT_ASCII, CONTROL_BYTES)


class ServerRule(NamedTuple):
    """A rule of an intent.

    Attributes:
        allow: Whether the rule allows.
        pattern: The pattern, for comments.
        regex: The regex that matches the target from its first byte, for engines in linear time.
    """

    allow: bool
    pattern: str
    regex: str

    @property
    def atomic_regex(self) -> str:
        """`regex` for engines that backtrack."""
        return atomic_regex(self.regex)

    def __str__(self) -> str:
        return f"{'allow' if self.allow else 'disallow'} {self.pattern}"


class ServerIntent(NamedTuple):
    """An intent for servers.

    Attributes:
        number: A number, from 1, or 0 for browsers, which pass.
        intent: The intent.
        names: The product names of its crawlers.
        app_names: Those that apps send, too.
        rules: The rules in the order of precedence; the last one matches everything. Browsers have none.
        is_at_start: Whether the names count only at the start of a header.
    """

    number: int
    intent: Intent
    names: tuple[str, ...]
    app_names: tuple[str, ...]
    rules: tuple[ServerRule, ...]
    is_at_start: bool = False

    @property
    def is_for_browsers(self) -> bool:
        """Whether it selects browsers, so that no later intent applies to them."""
        return self.number == 0

    @property
    def user_agent_regex(self) -> str:
        """The regex that finds one of the names in a User-Agent header; it must be matched case-insensitively."""
        return "|".join(self._regexes(len(self.names)))

    @property
    def user_agent_regexes(self) -> list[str]:
        """`user_agent_regex`, split into several regexes for servers that limit the length of a word."""
        return list(self._regexes(_NAMES_PER_REGEX))

    def _regexes(self, length: int) -> Iterator[str]:
        if self.is_for_browsers:
            yield BROWSER_REGEX
            return
        if self.is_at_start:
            yield first_name_regex(self.names)
            return
        names = [name for name in self.names if name not in self.app_names]
        for start in range(0, len(names), length):
            yield name_regex(names[start : start + length])
        if self.app_names:
            yield app_name_regex(self.app_names)

    @property
    def summary(self) -> str:
        """The intent in one line, for comments."""
        if self.is_for_browsers:
            return "browsers, also inside apps: they pass, although later names may be words of their headers"
        text = f"{', '.join(self.names)} at the start: {self.intent}" if self.is_at_start else str(self.intent)
        return _comment(text)

    def rule_summary(self, rule: ServerRule) -> str:
        """One of the rules in a line, for comments."""
        return _comment(f"{self.intent.audience}: {rule}")


_BROWSERS: Final = ServerIntent(0, Intent(Audience("everyone")), (), (), ())


class ServerTag(NamedTuple):
    """An X-Robots-Tag header for servers.

    Attributes:
        number: A number, from 1.
        value: The value of the header.
        patterns: The patterns of the targets.
    """

    number: int
    value: str
    patterns: tuple[str, ...]

    @property
    def summary(self) -> str:
        """The patterns in one line, for comments."""
        return _comment(" ".join(self.patterns))

    @property
    def regexes(self) -> tuple[str, ...]:
        """The regexes of the targets, from their first byte, for engines in linear time."""
        return tuple(map(target_regex, self.patterns))

    @property
    def atomic_regexes(self) -> tuple[str, ...]:
        """`regexes` for engines that backtrack."""
        return tuple(map(atomic_regex, self.regexes))


def check_length(regex: str, most: int, *, server: str, tag: ServerTag) -> str:
    """Return the regex of all paths of a tag.

    Raises: InvalidSitePolicy: It has more characters than the server reads.
    """
    if len(regex) > most:
        raise InvalidSitePolicy(
            f"too long for {server}: the {len(tag.patterns)} paths of X-Robots-Tag {quoted(tag.value)} require a regex "
            f"of {len(regex)} bytes, expected at most {most}; write several [[page]] tables, or use another server"
        )
    return regex


def _comment(text: str) -> str:
    # nginx reads no line over 4,096 bytes, and Apache none over 8,190 in a .htaccess, also if it is a comment.
    return bounded_text(text, _MAX_COMMENT_BYTES)


def any_of(regexes: Iterable[str]) -> str:
    """Return the regex that matches what one of the regexes matches."""
    return f"(?:{'|'.join(regexes)})"


class ServerRules(NamedTuple):
    """The rules for a server.

    Attributes:
        intents: The intents, the most specific first.
        tags: The X-Robots-Tag headers.
        silent_tokens: Tokens with rules in robots.txt that never send requests.
        refusal: The response to requests that are refused.
    """

    intents: tuple[ServerIntent, ...]
    tags: tuple[ServerTag, ...]
    silent_tokens: tuple[str, ...]
    refusal: Refusal = DEFAULT_REFUSAL

    def comments(self, compared: str) -> list[str]:
        """Return the comments for the top of the output.

        Args: compared: What this server matches, in a sentence.
        """
        status = self.refusal.status
        lines = [
            f"Generated by canfetch from a site policy. Responds with {status} to what its robots.txt disallows.",
            compared,
            "User-Agent headers are not verified. Browsers pass, and so do crawlers with a false header.",
        ]
        if self.silent_tokens:
            tokens = ", ".join(self.silent_tokens)
            lines.append(_comment(f"Tokens in robots.txt that never send requests, and have no rules here: {tokens}"))
        return lines


COMPARED_AS_SENT: Final = (
    "Rules match the target as sent, path and query. An escape is equal to its character where RFC 9309 treats "
    "them as equal. Rules that disallow also match paths with other escapes or more slashes."
)


class _Named(NamedTuple):
    """The product names that select an intent; see `ServerIntent`."""

    intent: Intent
    names: tuple[str, ...]
    app_names: tuple[str, ...] = ()
    is_at_start: bool = False


def build_server_rules(policy: SitePolicy) -> ServerRules:
    """Return the rules of a policy for servers.

    Cost: O(crawlers and rules).
    """
    resolution = resolve(policy)
    known: list[_Named] = []
    own: list[_Named] = []
    for intent in policy.intents:
        # As in the middlewares, a retired crawler that still comes is one.
        retired = (crawler for crawler in resolution.retired if crawler.intent is intent)
        crawlers = [*resolution.crawlers_for(intent), *retired]
        if intent is policy.everyone and not _restricts(intent):
            continue
        for named, is_known in ((known, True), (own, False)):
            of_kind = [crawler for crawler in crawlers if crawler.is_known is is_known]
            names = tuple(dict.fromkeys(name for crawler in of_kind for name in _names_anywhere(crawler)))
            app_names = tuple(dict.fromkeys(name for crawler in of_kind for name in crawler.app_names))
            if names:
                named.append(_Named(intent, names, app_names))
    # `Example` is also found in `Example.Feeds`.
    own.sort(key=lambda named: -max(map(len, named.names)))
    of_registry = [*_names_at_start(resolution, [*known, *own]), *known]
    # Last: in `curl/8 (compatible; GPTBot/1.2)`, the crawler counts.
    ordered = [*of_registry, *own, *_names_of_other_clients(resolution)]
    intents = [
        ServerIntent(number, one.intent, one.names, one.app_names, _server_rules(one.intent), one.is_at_start)
        for number, one in enumerate(ordered, 1)
    ]
    if own:
        intents.insert(len(of_registry), _BROWSERS)
    tags = tuple(ServerTag(number, page.value, page.patterns) for number, page in enumerate(policy.pages, 1))
    silent = tuple(crawler.name for crawler in resolution.crawlers if _is_restricted_and_silent(crawler))
    return ServerRules(tuple(intents), tags, silent, policy.refusal)


def _server_rules(intent: Intent) -> tuple[ServerRule, ...]:
    return tuple(
        ServerRule(
            rule.allow, rule.pattern, target_regex(rule.pattern) if rule.allow else application_regex(rule.pattern)
        )
        for rule in intent.rules_by_precedence
    )


def _names_at_start(resolution: Resolution, named: list[_Named]) -> Iterator[_Named]:
    """Yield the names of crawlers whose published headers would otherwise select the intent of another crawler."""
    for crawler in (*resolution.crawlers, *resolution.retired):
        entry = REGISTRY.get_crawler(crawler.name)
        for header in () if entry is None else entry.headers:
            words = names_in(header.value)
            found = (one.intent for one in named if any(name.lower() in words for name in one.names))
            if next(found, crawler.intent) is not crawler.intent:
                # A crawler without an intent may fetch everything.
                intent = crawler.intent or Intent(Audience("crawler", crawler.name))
                yield _Named(intent, crawler.product_names, is_at_start=True)
                break


def _names_anywhere(crawler: CrawlerIntent) -> tuple[str, ...]:
    """Return the names that identify a crawler wherever they are in a header."""
    if crawler.is_known:
        return crawler.product_names
    return tuple(name for name in crawler.product_names if not is_other_client(name))


def _names_of_other_clients(resolution: Resolution) -> Iterator[_Named]:
    """Yield the names of crawlers beyond the registry that browsers, apps or libraries have in their headers.

    As in the middlewares, such a name counts only as the first product of a header. `Mozilla` and `Opera` never count.
    """
    for crawler in resolution.crawlers:
        others = sorted(set(crawler.product_names).difference(_names_anywhere(crawler)))
        names = tuple(name for name in others if name.lower() not in BROWSER_PRODUCTS)
        if names and crawler.intent is not None:
            yield _Named(crawler.intent, names, is_at_start=True)


def _restricts(intent: Intent) -> bool:
    return any(not rule.allow for rule in intent.rules_by_precedence)


def _is_restricted_and_silent(crawler: CrawlerIntent) -> bool:
    return not crawler.product_names and crawler.is_known and crawler.intent is not None and _restricts(crawler.intent)
