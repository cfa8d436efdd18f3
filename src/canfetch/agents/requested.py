"""Agents as people name them: one product token, looked up in the registry.

Every interface that accepts the name of an agent uses this module, so that all of them accept the same names.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from canfetch.agents.crawler import Crawler
from canfetch.agents.operator_names import CRAWLERS_BY_OPERATOR
from canfetch.agents.registry import REGISTRY, Registry
from canfetch.core.agent import Agent, as_agent
from canfetch.core.quoting import quoted
from canfetch.core.tokens import product_token
from canfetch.errors import InvalidProductToken

if TYPE_CHECKING:
    from canfetch.core.document import RobotsTxt

_STAR: Final = "*"
# The characters that end a token in a user-agent line. After `#`, the rest of the line is a comment.
NAME_ENDS: Final = "*,#"
_ENDS: Final = re.compile(f"[{NAME_ENDS}]")
# A shorter token is too often one letter away from another.
_MIN_MISSPELT_CHARACTERS: Final = 5
_MAX_MISSPELT_CHARACTERS: Final = 100
_CACHED_NAMES: Final = 256


class RequestedAgent(NamedTuple):
    """A name as written, its Agent, and its registry entry if that was used.

    Attributes: exact: Whether the name was taken as it is, without the registry.
    """

    name: str
    agent: Agent
    crawler: Crawler | None
    exact: bool = False

    @property
    def chain(self) -> str:
        """The tokens that are tried, in order."""
        tokens = ", then ".join(self.agent.tokens)
        if not self.agent.star_applies:
            return f"{tokens}, and never *"
        return tokens if "*" in self.agent.tokens else f"{tokens}, then *"

    @property
    def is_chain(self) -> bool:
        """Whether more than the name and `*` counts: other tokens are tried, or `*` does not apply."""
        return self.agent != Agent(self.name, star_applies=True)


def requested_agent(name: str, *, exact: bool = False, registry: Registry = REGISTRY) -> RequestedAgent:
    """Return the agent with a name.

    Args:
        name: A product token that a user-agent line can name.
        exact: Use the token alone, without the tokens that the registry has for the crawler.
        registry: Where to look the token up.
    Raises: InvalidProductToken: `name` is not a product token, or contains `,`, `*` or `#`, which end a token in a
        user-agent line; TypeError: `name` is not a str. The core accepts such tokens, which programs may find in
        User-Agent headers, but no group is about them.
    Source: docs/semantics.md section 3.
    """
    crawler = None if exact else registry.get_crawler(name)
    if crawler is not None:
        return RequestedAgent(name, crawler.agent, crawler)
    try:
        agent = as_agent(name) if exact else registry.agent(name)
    except InvalidProductToken:
        raise InvalidProductToken(f"invalid agent {quoted(name)}: expected {_expected(name)}") from None
    if name != _STAR and _ENDS.search(name):
        raise InvalidProductToken(f"invalid agent {quoted(name)}: expected {_expected_one(name)}")
    return RequestedAgent(name, agent, None, exact)


def named_agent(agent: str | Agent, *, exact: bool = True) -> Agent:
    """Return an argument as an `Agent`. A `str` is a name, as for `requested_agent`.

    Raises: InvalidProductToken: as `requested_agent`; TypeError: `agent` is neither a str nor an `Agent`.
    """
    return requested_agent(agent, exact=exact).agent if isinstance(agent, str) else as_agent(agent)


def named_tokens(robots: "RobotsTxt") -> dict[str, str]:
    """Return the product tokens that a file names, as it has them, by their lower case.

    Cost: O(groups).
    """
    return {token.lower(): token for group in reversed(robots.groups) for token in reversed(group.tokens)}


def unknown_agent_note(agent: RequestedAgent, registry: Registry = REGISTRY) -> str | None:
    """Return a note with the tokens that an unknown name probably refers to, or None if there are none.

    Cost: As `probable_tokens`.
    """
    tokens = probable_tokens(agent, registry)
    if not tokens:
        return None
    return f"unknown crawler {quoted(agent.name)}: did you mean {alternatives([repr(token) for token in tokens])}?"


def probable_tokens(agent: RequestedAgent, registry: Registry = REGISTRY) -> tuple[str, ...]:
    """Return the tokens of known crawlers that an unknown name probably refers to.

    The name is that of their operator or product, such as `OpenAI` or `ChatGPT`, or a word for all crawlers, or one
    typing error away from the token.

    Cost: O(crawlers); a dictionary lookup for a recent name.
    """
    if agent.exact or agent.crawler is not None or len(agent.name) > _MAX_MISSPELT_CHARACTERS:
        return ()
    folded = agent.name.lower()
    tokens = CRAWLERS_BY_OPERATOR.get(folded) or _tokens_by_operator(registry).get(folded, ())
    if tokens or len(folded) < _MIN_MISSPELT_CHARACTERS:
        return tokens
    nearest = _nearest_token(folded, registry)
    return () if nearest is None else (nearest,)


def letters_of(name: str) -> str:
    """Return the letters and digits of a name, in lower case."""
    return "".join(filter(str.isalnum, name.lower()))


def alternatives(names: Sequence[str]) -> str:
    """Return names for a question, such as `A, B or C`."""
    *others, last = names
    return f"{', '.join(others)} or {last}" if others else last


def unknown_agent_notes(
    agents: Iterable[RequestedAgent], registry: Registry = REGISTRY, files: "Iterable[RobotsTxt]" = ()
) -> list[str]:
    """Return the notes about several agents, one for each name that none of the files has in a user-agent line."""
    notes = {agent.name: unknown_agent_note(agent, registry) for agent in agents}
    known = list(files)
    return list(
        dict.fromkeys(
            note for name, note in notes.items() if note is not None and not any(is_named(name, file) for file in known)
        )
    )


def is_named(name: str, file: "RobotsTxt") -> bool:
    """Return whether a user-agent line of the file is for a product token, as the profile of the file compares them.

    Cost: As `RobotsTxt.rules_for`.
    """
    return bool(file.rules_for(Agent(name, star_applies=False)).group_indices)


@lru_cache(maxsize=8)
def _tokens_by_operator(registry: Registry) -> Mapping[str, tuple[str, ...]]:
    """Return the tokens of each operator by its name in lower case, and by its letters and digits alone."""
    tokens: dict[str, tuple[str, ...]] = {}
    for crawler in registry.crawlers:
        name = crawler.operator.lower()
        for one in {name, letters_of(name)}:
            tokens[one] = (*tokens.get(one, ()), crawler.name)
    return tokens


@lru_cache(_CACHED_NAMES)
def _nearest_token(name: str, registry: Registry) -> str | None:
    known = (token for crawler in registry.crawlers for token in (crawler.name, *crawler.agent.tokens))
    return next((token for token in known if _is_one_edit(name, token.lower())), None)


def _is_one_edit(left: str, right: str) -> bool:
    """Return whether one inserted, deleted, replaced or swapped character makes the texts equal."""
    if left == right or abs(len(left) - len(right)) > 1:
        return False
    start = _common_length(left, right)
    end = _common_length(left[start:][::-1], right[start:][::-1])
    left, right = left[start : len(left) - end], right[start : len(right) - end]
    return max(len(left), len(right)) == 1 or (len(left) == 2 and left == right[::-1])


def _common_length(left: str, right: str) -> int:
    pairs = enumerate(zip(left, right, strict=False))
    return next((index for index, (a, b) in pairs if a != b), min(len(left), len(right)))


def _expected(header: str) -> str:
    if not header:
        return "a product token such as 'GPTBot', or '*'"
    scheme, separator, _ = header.partition("://")
    if separator and scheme.isalpha():
        return "a product token such as 'GPTBot', not a URL"
    if "/" in header or "(" in header:
        try:
            return f"only the product token of that User-Agent header, {quoted(product_token(header))}"
        except InvalidProductToken:
            pass
    elif "," in header:
        return _expected_one(header)
    return "a product token without spaces, '/' and control characters, such as 'GPTBot'"


def _expected_one(names: str) -> str:
    valid = next(filter(None, _ENDS.split(names)), "").strip() or "GPTBot"
    return f"one name without ',', '*' and '#', such as {quoted(valid)}; pass several names separately"
