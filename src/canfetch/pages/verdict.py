"""The verdict for a page: one decision for each use, with its reason and position.

`PageVerdict.to_json` is stable: within one `schema`, keys are added and never renamed.
"""

from enum import StrEnum
from typing import Any, Final, NamedTuple, NoReturn

from canfetch.core.agent import Agent
from canfetch.core.text import display_text
from canfetch.core.times import rfc3339
from canfetch.core.verdict import Reason, Verdict
from canfetch.pages.directives import Directive
from canfetch.pages.tdm import Reservation

PAGE_VERDICT_SCHEMA: Final = "canfetch.page-verdict/2"


class PageReason(StrEnum):
    """Why a use is allowed or not."""

    NO_RESTRICTION = "no-restriction"
    DIRECTIVE = "directive"
    PERMISSIVE_DIRECTIVE = "permissive-directive"
    EXPIRED = "expired"
    RESERVATION = "reservation"
    ROBOTS_TXT = "robots-txt"
    TDM_FILE_UNREACHABLE = "tdm-file-unreachable"


class PageDecision(NamedTuple):
    """The decision about one use of a page.

    A decision has no truth value. Use `.allowed`, or `.unlimited` for "allowed without a limit".

    Attributes:
        allowed: Whether the use is allowed.
        reason: Why.
        limit: How much is allowed: characters, seconds, a keyword, or a time in seconds since the epoch. None means
            no limit.
        directive: The directive that decides, or None.
        other_directives: The other directives that apply to this use.
        reservation: The TDMRep reservation that decides, or None.
        robots: The verdict of robots.txt, if it decides.
    """

    allowed: bool
    reason: PageReason
    limit: float | str | None = None
    directive: Directive | None = None
    other_directives: tuple[Directive, ...] = ()
    reservation: Reservation | None = None
    robots: Verdict | None = None

    @property
    def unlimited(self) -> bool:
        """Whether the use is allowed without a limit."""
        return self.allowed and self.limit is None

    def __bool__(self) -> NoReturn:
        raise TypeError("a PageDecision has no truth value: use .allowed")

    def to_json(self) -> dict[str, Any]:
        """Return the decision as JSON-compatible values; a limit in time is an RFC 3339 string."""
        return {
            "allowed": self.allowed,
            "reason": str(self.reason),
            "limit": self._formatted_limit,
            "directive": None if self.directive is None else self.directive.to_json(),
            "other_directives": [directive.to_json() for directive in self.other_directives],
            "reservation": None if self.reservation is None else self.reservation.to_json(),
            "explanation": self.explanation,
        }

    @property
    def explanation(self) -> str:
        """The reason in one sentence."""
        if self.reservation is not None:
            return f"tdm-reservation is 1, {self.reservation.position}"
        if self.robots is not None:
            if self.robots.reason in {Reason.UNAVAILABLE, Reason.UNREACHABLE}:
                return f"robots.txt is {self.robots.reason}, so the page may not be fetched and its rules are unknown"
            return "robots.txt disallows the page, so its rules are never read"
        if self.reason is PageReason.TDM_FILE_UNREACHABLE:
            return "tdmrep.json could not be fetched, so it may reserve the rights"
        if self.directive is None:
            return "no rule of the page restricts it"
        decider = f"{self.directive}, {self.directive.position}"
        if self.reason is PageReason.EXPIRED:
            return f"{decider}: this date has passed"
        if self.reason is PageReason.PERMISSIVE_DIRECTIVE and self.other_directives:
            return f"{decider}, overrides {self.other_directives[0]}, {self.other_directives[0].position}"
        return decider

    def __str__(self) -> str:
        limit = f", up to {self._formatted_limit}" if self.allowed and self.limit is not None else ""
        return f"{'yes' if self.allowed else 'no'}{limit}: {self.explanation}"

    @property
    def _formatted_limit(self) -> float | str | None:
        if self.directive is not None and self.directive.is_date and isinstance(self.limit, int | float):
            return rfc3339(self.limit)
        return self.limit


DECISION_NAMES: Final = (
    "may_index",
    "may_list",
    "may_index_embedded",
    "may_index_images",
    "may_follow",
    "may_snippet",
    "may_preview_images",
    "may_preview_video",
    "may_archive",
    "may_translate",
    "may_answer",
    "may_train",
    "may_train_images",
    "available",
)


class PageVerdict(NamedTuple):
    """What one agent may do with a page, and why.

    A verdict has no truth value. Use one of its decisions, such as `.may_index.allowed`.

    Attributes:
        may_index: Index the content and return it in search results.
        may_list: List the bare URL, which is known from links. If robots.txt disallows the page, listing stays
            allowed, because its `noindex` is never read.
        may_index_embedded: Index the content as part of a page that embeds it.
        may_index_images: Index images as belonging to this page.
        may_follow: Follow links.
        may_snippet: Show a text snippet; `limit` is the number of characters.
        may_preview_images: Show image previews; `limit` is the largest size, `standard` or `large`.
        may_preview_video: Show video previews; `limit` is the number of seconds.
        may_archive: Show a cached copy.
        may_translate: Offer a translation.
        may_answer: Use the content in generated answers; `limit` is the number of characters, or `snippet`.
        may_train: Train models on the content; `limit` is `snippet` if only URL, title and snippet may be used.
        may_train_images: Train models on the images.
        available: Whether `unavailable_after` has not passed; `limit` is that time, in seconds since the epoch.
        agent: The agent.
        dialect: The name of the dialect used.
        now: The time used, in seconds since the epoch.
        fetch_allowed: Whether the agent may fetch the page: False if robots.txt disallows it.
        robots: The verdict of robots.txt, if it was passed.
        directives: The directives that apply to this agent, in order. If the page may not be fetched, the agent
            never reads them.
        notes: Remarks on directives that have no effect, such as those after `robots:` in a header. Usually empty.
    """

    may_index: PageDecision
    may_list: PageDecision
    may_index_embedded: PageDecision
    may_index_images: PageDecision
    may_follow: PageDecision
    may_snippet: PageDecision
    may_preview_images: PageDecision
    may_preview_video: PageDecision
    may_archive: PageDecision
    may_translate: PageDecision
    may_answer: PageDecision
    may_train: PageDecision
    may_train_images: PageDecision
    available: PageDecision
    agent: Agent
    dialect: str
    now: float
    fetch_allowed: bool
    robots: Verdict | None
    directives: tuple[Directive, ...]
    notes: tuple[str, ...] = ()

    @property
    def unavailable_after(self) -> float | None:
        """The time after which the page is treated as removed, in seconds since the epoch, or None."""
        limit = self.available.limit
        return None if limit is None else float(limit)

    def __bool__(self) -> NoReturn:
        raise TypeError("a PageVerdict has no truth value: use one of its decisions, such as .may_index.allowed")

    def to_json(self) -> dict[str, Any]:
        """Return the verdict as JSON-compatible values; times are RFC 3339 strings.

        Cost: O(directives).
        """
        return {
            "schema": PAGE_VERDICT_SCHEMA,
            **{name: getattr(self, name).to_json() for name in DECISION_NAMES},
            "agent": {
                "tokens": [display_text(token) for token in self.agent.encoded_tokens],
                "star_applies": self.agent.star_applies,
            },
            "dialect": self.dialect,
            "now": rfc3339(self.now),
            "fetch_allowed": self.fetch_allowed,
            "robots": None if self.robots is None else self.robots.to_json(),
            "directives": [directive.to_json() for directive in self.directives],
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        return "\n".join(f"{name.replace('_', ' ')}: {getattr(self, name)}" for name in DECISION_NAMES)
