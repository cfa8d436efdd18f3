"""The answer for a page, and why: what an agent may do with it, each with its reason and its place.

`PageVerdict.to_json` is stable: keys are added, never renamed, under the same `schema`.
"""

from enum import StrEnum
from typing import Any, Final, NamedTuple, NoReturn

from canfetch.core.agent import Agent
from canfetch.core.text import display_text
from canfetch.core.verdict import Reason, Verdict
from canfetch.pages.directives import Directive
from canfetch.pages.tdm import Reservation

PAGE_VERDICT_SCHEMA: Final = "canfetch.page-verdict/1"
_FORBIDS: Final = "forbids fetching the page, so"


class PageReason(StrEnum):
    """What decided."""

    NO_RESTRICTION = "no-restriction"
    DIRECTIVE = "directive"
    PERMISSIVE_DIRECTIVE = "permissive-directive"
    EXPIRED = "expired"
    RESERVATION = "reservation"
    ROBOTS_TXT = "robots-txt"
    TDM_FILE_UNREACHABLE = "tdm-file-unreachable"


class PageDecision(NamedTuple):
    """One answer.

    `limit` says how much is allowed where that is not all: characters, seconds, a word, a moment; None is no
    limit. `directive`, `reservation` or `robots` decided, or none of them; `also` are the directives that bear on it
    too. The decision itself has no truth value: ask `.allowed`, or `.unlimited` for "allowed, and nothing to look at".
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
        """Whether it is allowed without a limit."""
        return self.allowed and self.limit is None

    def __bool__(self) -> NoReturn:
        raise TypeError("a PageDecision is neither true nor false; ask its .allowed")

    def to_json(self) -> dict[str, Any]:
        """Give the decision in plain values."""
        return {
            "allowed": self.allowed,
            "reason": str(self.reason),
            "limit": self.limit,
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
            no_file = self.robots.reason in {Reason.UNAVAILABLE, Reason.UNREACHABLE}
            why = f"is {self.robots.reason}, so the page may not be fetched, and" if no_file else _FORBIDS
            return f"robots.txt {why} what it says is never seen"
        if self.reason is PageReason.TDM_FILE_UNREACHABLE:
            return "tdmrep.json could not be had, so what it reserves is not known"
        if self.directive is None:
            return "nothing that the page says restricts it"
        stands = f"{self.directive}, {self.directive.position}"
        if self.reason is PageReason.EXPIRED:
            return f"{stands}: that has passed"
        if self.reason is PageReason.PERMISSIVE_DIRECTIVE and self.other_directives:
            return f"{stands}, goes before {self.other_directives[0]}, {self.other_directives[0].position}"
        return stands

    def __str__(self) -> str:
        return f"{'yes' if self.allowed else 'no'}{self._limited}: {self.explanation}"

    @property
    def _limited(self) -> str:
        return f", up to {self.limit}" if self.allowed and self.limit is not None else ""


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
    """What an agent may do with a page, and why.

    Attributes:
        may_index: its content may be found by searching.
        may_list: its bare URL may be, as links give it away. Where robots.txt hides the page, it may be, whatever
            the page says.
        may_index_embedded: its content may be indexed as a part of a page that embeds it.
        may_index_images: images may be found as this page's.
        may_follow: links may be followed.
        may_snippet: text may be quoted; `limit` is the most characters.
        may_preview_images: images may be shown; `limit` is the largest size, `standard` or `large`.
        may_preview_video: video may be shown; `limit` is the most seconds.
        may_archive: a kept copy may be shown.
        may_translate: a translation may be offered.
        may_answer: content may go into generated answers; `limit` is the most characters, or `snippet`.
        may_train: content may train models; `limit` is `snippet` where URL, title and snippet may alone.
        may_train_images: the same of images.
        available: whether `unavailable_after` has not passed; `limit` is that moment, in seconds since the epoch.
        agent: who asks.
        reading: whose reading of page-level rules was used, by its name.
        now: the time that was asked about, in seconds since the epoch.
        seen: whether the agent gets to see the page: False where robots.txt forbids fetching it.
        robots: the verdict of robots.txt, where it was given.
        directives: the directives that are for this agent and have an effect, in order. Where the page is not
            seen, they are those that stay hidden.
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

    @property
    def unavailable_after(self) -> float | None:
        """The moment after which the page counts as gone, in seconds since the epoch, or None."""
        limit = self.available.limit
        return None if limit is None else float(limit)

    def __bool__(self) -> NoReturn:
        raise TypeError("a PageVerdict is neither true nor false; ask its .may_index.allowed")

    def to_json(self) -> dict[str, Any]:
        """Give the verdict in plain values, in its one documented form.

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
            "now": self.now,
            "fetch_allowed": self.fetch_allowed,
            "robots": None if self.robots is None else self.robots.to_json(),
            "directives": [directive.to_json() for directive in self.directives],
        }

    def __str__(self) -> str:
        return "\n".join(f"{name.replace('_', ' ')}: {getattr(self, name)}" for name in DECISION_NAMES)
