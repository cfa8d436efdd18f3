"""Combining rules: the directives and reservations that apply to an agent become its decisions.

1. Directives for all agents and directives for the agent's own tokens add up.
2. If two directives disagree, the more restrictive one wins, or with `permissive_wins` the permissive one.
3. Of several limits the smallest wins, where -1 means unlimited. Of several dates the earliest wins.

Source: Google, robots meta tag specifications, handling combined rules; Yandex Webmaster; Bing blog, September 2023.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from canfetch.core.agent import Agent
from canfetch.core.verdict import Verdict
from canfetch.pages.dialects import PageDialect
from canfetch.pages.directives import NO_LIMIT, Directive, DirectiveNote
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

_UNRESTRICTED: Final = PageDecision(allowed=True, reason=PageReason.NO_RESTRICTION)
# The limit if only URL, title and snippet may be used.
_SNIPPET_ONLY: Final = "snippet"


def decide_page(
    directives: Sequence[Directive],
    reservation: Reservation | None,
    *,
    tdm_unreachable: bool,
    agent: Agent,
    dialect: PageDialect,
    now: float,
    robots: Verdict | None,
) -> PageVerdict:
    """Return the verdict of a page for one agent.

    Args:
        directives: All directives of the page.
        reservation: The TDMRep reservation that applies to the page.
        tdm_unreachable: Whether the TDM file could not be fetched. Unless the page has a reservation of its own, the
            file may reserve the rights.
        agent: The agent.
        dialect: The dialect.
        now: Seconds since the epoch, for `unavailable_after`.
        robots: The verdict of robots.txt. If it disallows the page, no rule of the page is read.
    Cost: O(directives).
    """
    tokens = dialect.page_tokens(agent)
    own = tuple(
        directive for directive in directives if _applies(directive, tokens, dialect, star_applies=agent.star_applies)
    )
    fetch_allowed = robots is None or robots.allowed
    may_reserve = tdm_unreachable and reservation is None
    decisions = _Decider(own, reservation, dialect, now, tdm_may_reserve=may_reserve).decisions()
    if not fetch_allowed:
        hidden = PageDecision(allowed=False, reason=PageReason.ROBOTS_TXT, robots=robots)
        # The URL itself is known from links.
        decisions = dict.fromkeys(decisions, hidden) | {"may_list": hidden._replace(allowed=True)}
    return PageVerdict(
        **decisions,
        agent=agent,
        dialect=dialect.name,
        now=now,
        fetch_allowed=fetch_allowed,
        robots=robots,
        directives=own,
        notes=tuple(_notes(directives, tokens)),
    )


def _notes(directives: Iterable[Directive], tokens: frozenset[str]) -> Iterator[str]:
    """Yield at most one note, on the first header whose directives are for `robots`."""
    for directive in directives:
        if DirectiveNote.ROBOTS_AS_AGENT in directive.notes and directive.agent not in tokens:
            yield (
                f"{directive.position}: 'robots:' names no crawler, so the directives after it have no effect; remove "
                "'robots:' to address all crawlers"
            )
            return


def _applies(directive: Directive, tokens: frozenset[str], dialect: PageDialect, *, star_applies: bool) -> bool:
    """Return whether a directive applies to the agent with these tokens."""
    if not directive.has_effect or directive.name not in dialect.directives:
        return False
    source = directive.position.source
    if directive.agent is None:
        # A crawler that ignores `*` in robots.txt also ignores directives for all agents.
        if not star_applies:
            return False
    elif directive.agent not in tokens:
        return False
    if source is PageSource.META:
        return directive.agent not in dialect.ignored_names and (
            dialect.body_elements or directive.position.in_head is True
        )
    if source is PageSource.ROBOTS_TAG and not dialect.robots_tag:
        return False
    return dialect.permissive_in_headers or directive.name not in PERMISSIVE


class _Decider:
    """The directives of one agent, and the decisions that result from them."""

    def __init__(
        self,
        own: tuple[Directive, ...],
        reservation: Reservation | None,
        dialect: PageDialect,
        now: float,
        *,
        tdm_may_reserve: bool,
    ) -> None:
        self._own = own
        self._tdm_may_reserve = tdm_may_reserve
        self._reservation = reservation
        self._dialect = dialect
        self._now = now

    def decisions(self) -> dict[str, PageDecision]:
        """Return all decisions by name."""
        available = self._available()
        listed = self._flag("noindex", "index")
        indexed = listed if available.allowed else self._expired(available, listed)
        snippet = self._snippet()
        train = self._train("noai")
        return {
            "may_index": indexed,
            "may_list": indexed,
            "may_index_embedded": self._embedded(indexed),
            "may_index_images": self._flag("noimageindex", "imageindex"),
            "may_follow": self._flag("nofollow", "follow"),
            "may_snippet": snippet,
            "may_preview_images": self._image_preview(),
            "may_preview_video": self._video_preview(),
            "may_archive": self._flag("noarchive", "archive", also_restricting="nocache"),
            "may_translate": self._flag("notranslate", "translate"),
            "may_answer": self._answer(snippet),
            "may_train": train,
            "may_train_images": train if not train.allowed else self._train("noimageai"),
            "available": available,
        }

    def _expired(self, available: PageDecision, listed: PageDecision) -> PageDecision:
        """Return the decision after the date. A `noindex` applies as well."""
        noindex = () if listed.allowed or listed.directive is None else (listed.directive, *listed.other_directives)
        return available._replace(limit=None, other_directives=(*available.other_directives, *noindex))

    def _named(self, *names: str) -> tuple[Directive, ...]:
        """Return the directives with one of these names, or whose expansion includes one of them."""
        return tuple(
            directive
            for directive in self._own
            if directive.name in names or any(name in names for name in EXPANSIONS.get(directive.name, ()))
        )

    def _flag(self, restricting_name: str, permissive_name: str, *, also_restricting: str = "") -> PageDecision:
        restricting = self._named(restricting_name, also_restricting)
        if not restricting:
            return _UNRESTRICTED
        permissive = self._named(permissive_name) if self._dialect.permissive_wins else ()
        if permissive:
            return PageDecision(
                allowed=True,
                reason=PageReason.PERMISSIVE_DIRECTIVE,
                directive=permissive[0],
                other_directives=(*restricting, *permissive[1:]),
            )
        return _forbidden(restricting)

    def _embedded(self, indexed: PageDecision) -> PageDecision:
        permissive = self._named("indexifembedded")
        if indexed.reason is PageReason.DIRECTIVE and permissive and indexed.directive is not None:
            return PageDecision(
                allowed=True,
                reason=PageReason.PERMISSIVE_DIRECTIVE,
                directive=permissive[0],
                other_directives=(indexed.directive, *indexed.other_directives),
            )
        return indexed

    def _snippet(self) -> PageDecision:
        return self._limited(MAX_SNIPPET, self._named("nosnippet"))

    def _video_preview(self) -> PageDecision:
        # A page without snippets has no video previews either, and max-snippet: 0 means no snippet.
        empty = tuple(one for one in self._own if one.name == MAX_SNIPPET and one.parsed == 0)
        return self._limited(MAX_VIDEO_PREVIEW, (*self._named("nosnippet"), *empty))

    def _limited(self, name: str, forbidding: tuple[Directive, ...]) -> PageDecision:
        """Return the decision for the smallest limit; a forbidding directive is a limit of 0."""
        numbers = sorted(
            (
                (directive.parsed, index, directive)
                for index, directive in enumerate(self._own)
                if directive.name == name
            ),
            key=_smallest_first,
        )
        limiting = tuple(directive for number, _, directive in numbers if number != NO_LIMIT)
        deciding = (*forbidding, *limiting)
        if not deciding:
            return _UNRESTRICTED
        limit = 0 if forbidding else limiting[0].parsed
        return PageDecision(
            allowed=limit != 0,
            reason=PageReason.DIRECTIVE,
            limit=limit,
            directive=deciding[0],
            other_directives=deciding[1:],
        )

    def _image_preview(self) -> PageDecision:
        sizes = [directive for directive in self._own if directive.name == MAX_IMAGE_PREVIEW]
        if not sizes:
            return _UNRESTRICTED
        sizes.sort(key=lambda directive: IMAGE_PREVIEWS.index(str(directive.parsed)))
        smallest = sizes[0]
        return PageDecision(
            allowed=smallest.parsed != IMAGE_PREVIEWS[0],
            reason=PageReason.DIRECTIVE,
            limit=smallest.parsed,
            directive=smallest,
            other_directives=tuple(sizes[1:]),
        )

    def _available(self) -> PageDecision:
        dates = [directive for directive in self._own if directive.name == UNAVAILABLE_AFTER]
        if not dates:
            return _UNRESTRICTED
        dates.sort(key=lambda directive: float(directive.parsed or 0))
        earliest = dates[0]
        time = float(earliest.parsed or 0)
        expired = self._now > time
        return PageDecision(
            allowed=not expired,
            reason=PageReason.EXPIRED if expired else PageReason.DIRECTIVE,
            limit=time,
            directive=earliest,
            other_directives=tuple(dates[1:]),
        )

    def _answer(self, snippet: PageDecision) -> PageDecision:
        if self._dialect.nocache_limits_ai:
            cached = self._cached()
            if not cached.unlimited:
                return cached
        return snippet if self._dialect.nosnippet_limits_answers else _UNRESTRICTED

    def _train(self, name: str) -> PageDecision:
        restricting = self._named(name)
        if restricting:
            return _forbidden(restricting)
        if self._reservation is not None and self._reservation.reserved:
            return PageDecision(allowed=False, reason=PageReason.RESERVATION, reservation=self._reservation)
        if self._tdm_may_reserve:
            # DEVIATION(tdmrep): it does not define this case; as with robots.txt, unreachable is not permission.
            return PageDecision(allowed=False, reason=PageReason.TDM_FILE_UNREACHABLE)
        if self._dialect.noarchive_blocks_training:
            return self._flag("noarchive", "archive")
        return self._cached() if self._dialect.nocache_limits_ai else _UNRESTRICTED

    def _cached(self) -> PageDecision:
        """Return Bing's decision about AI: nocache permits URL, title and snippet, noarchive nothing.

        With both, nocache wins, the milder of the two.
        """
        nocache, noarchive = self._named("nocache"), self._named("noarchive")
        if not nocache:
            return _forbidden(noarchive) if noarchive else _UNRESTRICTED
        return PageDecision(
            allowed=True,
            reason=PageReason.DIRECTIVE,
            limit=_SNIPPET_ONLY,
            directive=nocache[0],
            other_directives=(*nocache[1:], *noarchive),
        )


def _forbidden(restricting: tuple[Directive, ...]) -> PageDecision:
    return PageDecision(
        allowed=False, reason=PageReason.DIRECTIVE, directive=restricting[0], other_directives=restricting[1:]
    )


def _smallest_first(row: tuple[int | float | str | None, int, Directive]) -> tuple[float, int]:
    return float(row[0] or 0), row[1]
