"""Directives and reservations together make the answers, as the reading says.

1. What is for everyone and what is for the agent's own tokens add up.
2. Where two disagree the more restrictive one holds; with `permissive_wins`, the permissive one.
3. Of limits the smallest holds; -1 is none at all. Of dates, the first.

Source: Google, robots meta tag specifications, handling combined rules; Yandex Webmaster; Bing blog, September 2023.
"""

from collections.abc import Iterable
from typing import Final

from canfetch.core.agent import Agent
from canfetch.core.verdict import Verdict
from canfetch.pages.dialects import PageDialect
from canfetch.pages.directives import NO_LIMIT, Directive
from canfetch.pages.positions import PageSource
from canfetch.pages.tdm import Reservation
from canfetch.pages.verdict import PageDecision, PageReason, PageVerdict
from canfetch.pages.vocabulary import (
    EXPANSIONS,
    IMAGE_PREVIEWS,
    MAX_IMAGE_PREVIEW,
    MAX_SNIPPET,
    MAX_VIDEO_PREVIEW,
    PERMISSIVE,
    UNAVAILABLE_AFTER,
)

_FREE: Final = PageDecision(allowed=True, reason=PageReason.NO_RESTRICTION)
# What is left where the content itself may not be used.
_SNIPPET_ONLY: Final = "snippet"


def decide_page(
    directives: Iterable[Directive],
    reservation: Reservation | None,
    *,
    tdm_unreachable: bool,
    agent: Agent,
    dialect: PageDialect,
    now: float,
    robots: Verdict | None,
) -> PageVerdict:
    """Answer for one agent.

    Args:
        directives: all that the page says.
        reservation: what holds of TDMRep.
        tdm_unreachable: whether the TDM file could not be had; where the page itself says nothing, it might reserve.
        now: seconds since the epoch, for `unavailable_after`.
        robots: the verdict of robots.txt; where it forbids fetching, nothing of the page is seen.
    Cost: O(directives).
    """
    tokens = frozenset(token.lower() for token in agent.tokens)
    own = tuple(
        directive for directive in directives if _is_for(directive, tokens, dialect, star_applies=agent.star_applies)
    )
    fetch_allowed = robots is None or robots.allowed
    unknown = tdm_unreachable and reservation is None
    answers = _Answers(own, reservation, dialect, now, tdm_unreachable=unknown)
    decisions = answers.decisions()
    if not fetch_allowed:
        hidden = PageDecision(allowed=False, reason=PageReason.ROBOTS_TXT, robots=robots)
        # What links give away is no secret.
        decisions = dict.fromkeys(decisions, hidden) | {"may_list": hidden._replace(allowed=True)}
    return PageVerdict(
        **decisions,
        agent=agent,
        dialect=dialect.name,
        now=now,
        fetch_allowed=fetch_allowed,
        robots=robots,
        directives=own,
    )


def _is_for(directive: Directive, tokens: frozenset[str], dialect: PageDialect, *, star_applies: bool) -> bool:
    """Say whether a directive has an effect on the agent that has these tokens."""
    if not directive.has_effect or directive.name not in dialect.directives:
        return False
    source = directive.position.source
    if directive.agent is None:
        # A crawler that ignores `*` in robots.txt ignores what is said to all here, too.
        if not star_applies:
            return False
    elif directive.agent in dialect.robots_txt_only_tokens or directive.agent not in tokens:
        return False
    if source is PageSource.META:
        return directive.agent not in dialect.ignored_names and (
            dialect.body_elements or directive.position.in_head is True
        )
    if source is PageSource.ROBOTS_TAG and not dialect.robots_tag:
        return False
    return dialect.permissive_in_headers or directive.name not in PERMISSIVE


class _Answers:
    """The directives of one agent, and what they come to."""

    def __init__(
        self,
        own: tuple[Directive, ...],
        reservation: Reservation | None,
        dialect: PageDialect,
        now: float,
        *,
        tdm_unreachable: bool,
    ) -> None:
        self._own = own
        self._tdm_unknown = tdm_unreachable
        self._reservation = reservation
        self._dialect = dialect
        self._now = now

    def decisions(self) -> dict[str, PageDecision]:
        """Give every answer by its name."""
        available = self._available()
        listed = self._word("noindex", "index")
        indexed = listed if available.allowed else available._replace(limit=None)
        snippet = self._snippet()
        train = self._train("noai")
        return {
            "may_index": indexed,
            "may_list": indexed,
            "may_index_embedded": self._embedded(indexed),
            "may_index_images": self._word("noimageindex", "imageindex"),
            "may_follow": self._word("nofollow", "follow"),
            "may_snippet": snippet,
            "may_preview_images": self._image_preview(),
            "may_preview_video": self._video_preview(),
            "may_archive": self._word("noarchive", "archive", also_against="nocache"),
            "may_translate": self._word("notranslate", "translate"),
            "may_answer": self._answer(snippet),
            "may_train": train,
            "may_train_images": train if not train.allowed else self._train("noimageai"),
            "available": available,
        }

    def _saying(self, *words: str) -> tuple[Directive, ...]:
        """Give the directives that say one of the words, or stand for several of which it is one."""
        return tuple(
            directive
            for directive in self._own
            if directive.name in words or any(word in words for word in EXPANSIONS.get(directive.name, ()))
        )

    def _word(self, against: str, favouring: str, *, also_against: str = "") -> PageDecision:
        restricting = self._saying(against, also_against)
        if not restricting:
            return _FREE
        permitting = self._saying(favouring) if self._dialect.permissive_wins else ()
        if permitting:
            return PageDecision(
                allowed=True,
                reason=PageReason.PERMISSIVE_DIRECTIVE,
                directive=permitting[0],
                other_directives=(*restricting, *permitting[1:]),
            )
        return _forbidden(restricting)

    def _embedded(self, indexed: PageDecision) -> PageDecision:
        permitting = self._saying("indexifembedded")
        if indexed.reason is PageReason.DIRECTIVE and permitting and indexed.directive is not None:
            return PageDecision(
                allowed=True,
                reason=PageReason.PERMISSIVE_DIRECTIVE,
                directive=permitting[0],
                other_directives=(indexed.directive, *indexed.other_directives),
            )
        return indexed

    def _snippet(self) -> PageDecision:
        return self._limited(MAX_SNIPPET, self._saying("nosnippet"))

    def _video_preview(self) -> PageDecision:
        # A page without snippets shows no moving ones either, and a snippet of no characters is none.
        empty = tuple(one for one in self._own if one.name == MAX_SNIPPET and one.parsed_value == 0)
        return self._limited(MAX_VIDEO_PREVIEW, (*self._saying("nosnippet"), *empty))

    def _limited(self, name: str, forbidding: tuple[Directive, ...]) -> PageDecision:
        """Give the smallest number that is said; 0 and what forbids are the same."""
        numbers = sorted(
            (
                (directive.parsed_value, position, directive)
                for position, directive in enumerate(self._own)
                if directive.name == name
            ),
            key=_smallest_first,
        )
        limiting = tuple(directive for meaning, _, directive in numbers if meaning != NO_LIMIT)
        bearing = (*forbidding, *limiting)
        if not bearing:
            return _FREE
        limit = 0 if forbidding else limiting[0].parsed_value
        return PageDecision(
            allowed=limit != 0,
            reason=PageReason.DIRECTIVE,
            limit=limit,
            directive=bearing[0],
            other_directives=bearing[1:],
        )

    def _image_preview(self) -> PageDecision:
        named = [directive for directive in self._own if directive.name == MAX_IMAGE_PREVIEW]
        if not named:
            return _FREE
        named.sort(key=lambda directive: IMAGE_PREVIEWS.index(str(directive.parsed_value)))
        first = named[0]
        return PageDecision(
            allowed=first.parsed_value != IMAGE_PREVIEWS[0],
            reason=PageReason.DIRECTIVE,
            limit=first.parsed_value,
            directive=first,
            other_directives=tuple(named[1:]),
        )

    def _available(self) -> PageDecision:
        dated = [directive for directive in self._own if directive.name == UNAVAILABLE_AFTER]
        if not dated:
            return _FREE
        dated.sort(key=lambda directive: float(directive.parsed_value or 0))
        first = dated[0]
        moment = float(first.parsed_value or 0)
        passed = self._now > moment
        return PageDecision(
            allowed=not passed,
            reason=PageReason.EXPIRED if passed else PageReason.DIRECTIVE,
            limit=moment,
            directive=first,
            other_directives=tuple(dated[1:]),
        )

    def _answer(self, snippet: PageDecision) -> PageDecision:
        if self._dialect.nocache_limits_ai:
            cached = self._cached()
            if not cached.unlimited:
                return cached
        return snippet if self._dialect.nosnippet_limits_answers else _FREE

    def _train(self, word: str) -> PageDecision:
        restricting = self._saying(word)
        if restricting:
            return _forbidden(restricting)
        if self._reservation is not None and self._reservation.reserved:
            return PageDecision(allowed=False, reason=PageReason.RESERVATION, reservation=self._reservation)
        if self._tdm_unknown:
            # DEVIATION(tdmrep): it does not say; as with robots.txt, who cannot be asked has not agreed.
            return PageDecision(allowed=False, reason=PageReason.TDM_FILE_UNREACHABLE)
        if self._dialect.noarchive_blocks_training:
            return self._word("noarchive", "archive")
        return self._cached() if self._dialect.nocache_limits_ai else _FREE

    def _cached(self) -> PageDecision:
        """Bing's: nocache leaves URL, title and snippet; noarchive nothing; both are nocache, the milder."""
        milder, harder = self._saying("nocache"), self._saying("noarchive")
        if not milder:
            return _forbidden(harder) if harder else _FREE
        return PageDecision(
            allowed=True,
            reason=PageReason.DIRECTIVE,
            limit=_SNIPPET_ONLY,
            directive=milder[0],
            other_directives=(*milder[1:], *harder),
        )


def _forbidden(restricting: tuple[Directive, ...]) -> PageDecision:
    return PageDecision(
        allowed=False, reason=PageReason.DIRECTIVE, directive=restricting[0], other_directives=restricting[1:]
    )


def _smallest_first(row: tuple[int | float | str | None, int, Directive]) -> tuple[float, int]:
    return float(row[0] or 0), row[1]
