"""What every server is told, before it is told in its own words.

1. A User-Agent header shows a crawler where one of its product names stands in it as a word, in any letter case, and
   not in a URL. Of several intents the most specific comes first, and the first that matches holds.
2. What is compared is the target as it was sent: path and query, escapes included (`author.expressions`). Of an
   intent's rules the first that matches decides, in the order of robots.txt: the most octets, allow before disallow.
3. `/robots.txt` is always served. A target with dot segments, whatever slashes and dots are written as, with a raw
   `#`, or without a path, is refused: no crawler sends one, and servers differ in what they take it for.
4. A header that shows no crawler passes: browsers must.
"""

from typing import Final, NamedTuple

from canfetch.author.regexes import target_regex
from canfetch.author.resolution import CrawlerIntent, resolve
from canfetch.author.site_policy import Intent, SitePolicy

# Neither a part of a longer name nor of a URL or an address.
_BEFORE_NAME: Final = "(?:^|[^A-Za-z0-9_./@+-])"
_BEHIND_NAME: Final = "(?:[^A-Za-z0-9_-]|$)"
_NAMES_AT_ONCE: Final = 50
ROBOTS_TXT: Final = r"/robots\.txt$"
# A whole URL may end with its host, or go on with its query: the target is `/`, and is not written.
NO_PATH: Final = r"(?:\?|$)"
# Servers decode escapes before they look for such segments, or not; some take a backslash for a slash, and drop what
# follows a `;`. So every writing counts.
_SLASH: Final = r"(?:[/\x5C]|%2[Ff]|%5[Cc])"
DOT_SEGMENTS: Final = rf"[^?\x20]*{_SLASH}(?:\.|%2[Ee])(?:\.|%2[Ee])?(?:[;/?\x5C]|%2[Ff]|%5[Cc]|$)"
# nginx and others drop it, and serve what is in front of it.
FRAGMENT: Final = r"[^\x20]*\x23"
NEVER_SENT: Final = (NO_PATH, DOT_SEGMENTS, FRAGMENT)


class ServerRule(NamedTuple):
    """A rule of an intent: the pattern, for people, and the expression that begins at the target's first octet."""

    allow: bool
    pattern: str
    expression: str


class ServerIntent(NamedTuple):
    """An intent's number, from 1, whom the header shows then, and its rules, of which the last matches everything."""

    number: int
    intent: Intent
    names: tuple[str, ...]
    rules: tuple[ServerRule, ...]

    @property
    def user_agent_regex(self) -> str:
        """The expression that finds one of the names in a User-Agent header, without regard to letter case."""
        return _expression_of_names(self.names)

    @property
    def user_agent_regexes(self) -> list[str]:
        """The same as several, for a server that reads no long words."""
        return [
            _expression_of_names(self.names[start : start + _NAMES_AT_ONCE])
            for start in range(0, len(self.names), _NAMES_AT_ONCE)
        ]

    @property
    def summary(self) -> str:
        """The intent in one line, for a comment."""
        return str(self.intent)


class ServerTag(NamedTuple):
    """An X-Robots-Tag header, from number 1: its value, and on which targets."""

    number: int
    value: str
    patterns: tuple[str, ...]

    @property
    def expressions(self) -> tuple[str, ...]:
        """The expressions of its targets, from their first octet."""
        return tuple(map(target_regex, self.patterns))

    @property
    def expression(self) -> str:
        """The same as one."""
        return f"(?:{'|'.join(self.expressions)})"


class ServerRules(NamedTuple):
    """All that a server is told."""

    intents: tuple[ServerIntent, ...]
    tags: tuple[ServerTag, ...]
    words: tuple[str, ...]

    def comments(self, compared: str) -> list[str]:
        """Say, for the top of the output, what it does and what it compares.

        Args: compared: what this server compares, in a sentence.
        """
        lines = [
            "Written by canfetch from a site's policy: refuses (403) what its robots.txt forbids.",
            compared,
            "A User-Agent header is a claim: who lies in it passes, and so does every browser.",
        ]
        if self.words:
            lines.append(f"Words in robots.txt that never fetch, and so have no rules here: {', '.join(self.words)}")
        return lines


COMPARED_AS_SENT: Final = (
    "Compared is the target as it was sent, path and query; an escape and its character are the same "
    "where RFC 9309 takes them for the same."
)


def build_server_rules(policy: SitePolicy) -> ServerRules:
    """Give what servers are told.

    Cost: O(crawlers and rules).
    """
    resolution = resolve(policy)
    intents: list[ServerIntent] = []
    for intent in policy.intents:
        meant = resolution.crawlers_for(intent)
        names = tuple(dict.fromkeys(name for crawler in meant for name in crawler.product_names))
        is_last_and_free = intent is policy.everyone and not _limits(intent)
        if names and not is_last_and_free:
            rules = tuple(
                ServerRule(rule.allow, rule.pattern, target_regex(rule.pattern)) for rule in intent.rules_by_precedence
            )
            intents.append(ServerIntent(len(intents) + 1, intent, names, rules))
    tags = tuple(ServerTag(number, page.value, page.patterns) for number, page in enumerate(policy.pages, 1))
    words = tuple(crawler.name for crawler in resolution.crawlers if _is_limited_word(crawler))
    return ServerRules(tuple(intents), tags, words)


def _expression_of_names(names: tuple[str, ...]) -> str:
    words = "|".join(name.replace(".", r"\.") for name in names)
    return f"{_BEFORE_NAME}(?:{words}){_BEHIND_NAME}"


def _limits(intent: Intent) -> bool:
    return any(not rule.allow for rule in intent.rules_by_precedence)


def _is_limited_word(crawler: CrawlerIntent) -> bool:
    return not crawler.product_names and crawler.is_known and crawler.intent is not None and _limits(crawler.intent)


def verb(*, allow: bool) -> str:
    """Give the rule's verb, for a comment."""
    return "allow" if allow else "disallow"
