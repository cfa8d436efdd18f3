"""The purposes of uses: their names in vocabularies, and the tokens in robots.txt that control them.

A control token is never the name of a crawler that fetches. An operator reads its group to decide about the content
that its other crawlers have fetched.

Source: draft-ietf-aipref-vocab-08; contentsignals.org; RSL 1.0; Google, common crawlers; Apple, about Applebot; Yandex,
robots of Yandex.
"""

from collections.abc import Mapping
from functools import cache
from typing import Final

from canfetch.agents import REGISTRY
from canfetch.agents.crawler import Crawler
from canfetch.core.agent import Agent
from canfetch.core.choices import unknown_choice
from canfetch.core.extensions.preference import UsagePurpose
from canfetch.errors import InvalidOption

PURPOSE_NAMES: Final[Mapping[str, UsagePurpose]] = {
    "training": UsagePurpose.TRAINING,
    "search": UsagePurpose.SEARCH,
    "ai-use": UsagePurpose.AI_USE,
    # Of other vocabularies, and of the registry of crawlers.
    "train": UsagePurpose.TRAINING,
    "ai-train": UsagePurpose.TRAINING,
    "train-ai": UsagePurpose.TRAINING,
    "ai-training": UsagePurpose.TRAINING,
    "search-index": UsagePurpose.SEARCH,
    "ai-input": UsagePurpose.AI_USE,
    "rag": UsagePurpose.AI_USE,
    "grounding": UsagePurpose.AI_USE,
    "answers": UsagePurpose.AI_USE,
    "user-triggered": UsagePurpose.AI_USE,
}
"""The purpose of each name. The first three are the names in answers."""

RSL_USAGES: Final[Mapping[UsagePurpose, tuple[frozenset[str], ...]]] = {
    UsagePurpose.TRAINING: (frozenset({"ai-train", "train-ai"}), frozenset({"ai-all"}), frozenset({"all"})),
    UsagePurpose.SEARCH: (frozenset({"search"}), frozenset({"all"})),
    UsagePurpose.AI_USE: (frozenset({"ai-input", "ai-use"}), frozenset({"ai-all"}), frozenset({"all"})),
}
"""The usage tokens of RSL that include each purpose, the narrowest ones first.

The guides of RSL also use `train-ai`, a label of AIPREF, so its label `ai-use` counts as well. `ai-index` is about the
index of an AI system, and not about what an answer uses.

Source: RSL 1.0 section 3.4.1.1.
"""

KNOWN_RSL_USAGES: Final = frozenset({"ai-index"}).union(*(names for usages in RSL_USAGES.values() for names in usages))
"""The usage tokens of RSL. Another one may be a misspelled restriction."""

# Google-Extended controls grounding as well. The registry has the main purpose of a token.
_FURTHER_PURPOSES: Final[Mapping[str, UsagePurpose]] = {"Google-Extended": UsagePurpose.AI_USE}


def purpose_key(name: str) -> str:
    """Return the name of a purpose in lower case, with hyphens."""
    return name.strip().lower().replace("_", "-").replace(" ", "-")


def find_purpose(name: str) -> UsagePurpose:
    """Return the purpose with a name, in any case, with hyphens or underscores.

    Raises: InvalidOption: The purpose is unknown; TypeError.
    """
    if not isinstance(name, str):
        raise TypeError(f"purpose must be a str, not {type(name).__name__}")
    purpose = PURPOSE_NAMES.get(purpose_key(name))
    if purpose is None:
        raise InvalidOption(unknown_choice("purpose", name, UsagePurpose))
    return purpose


def is_control_token(name: str) -> bool:
    """Return whether a product token is only one that controls uses: no crawler that fetches reads its groups.

    `Yandex` is not such a token, because crawlers of Yandex that fetch read its group.

    Args: name: The token, ignoring case.
    """
    return name.lower() in _control_tokens()


def control_tokens(agent: Agent, purpose: UsagePurpose) -> tuple[Crawler, ...]:
    """Return the tokens with which a site controls training or AI use by the operator of an agent.

    An agent that the registry does not know has none. Search has none either: tokens such as Googlebot-News control in
    which product a page appears.
    """
    if purpose is UsagePurpose.SEARCH:
        return ()
    # Further tokens of an agent can be those of other operators: Applebot falls back to Googlebot.
    crawler = REGISTRY.get_crawler(agent.tokens[0])
    return () if crawler is None else tuple(one for one in _tokens(purpose) if one.operator == crawler.operator)


@cache
def _control_tokens() -> frozenset[str]:
    read = {token for crawler in REGISTRY.crawlers if not crawler.token_only for token in crawler.tokens}
    return frozenset(one.name.lower() for one in REGISTRY.crawlers if one.token_only and one.name not in read)


@cache
def _tokens(purpose: UsagePurpose) -> tuple[Crawler, ...]:
    return tuple(
        crawler
        for crawler in REGISTRY.crawlers
        if crawler.token_only
        and (
            _FURTHER_PURPOSES.get(crawler.name) is purpose
            or any(PURPOSE_NAMES.get(name) is purpose for name in crawler.purposes)
        )
    )
