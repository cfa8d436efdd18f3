"""A check: what it looks for, how bad that is, what it says about it, and how it is shown to be right."""

from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

from canfetch.lint.fixing import Fix
from canfetch.lint.given import Given
from canfetch.lint.severity import Severities

if TYPE_CHECKING:
    from canfetch.lint.linted_file import LintedFile

_NO_DETAILS: Final[Mapping[str, str]] = MappingProxyType({})


class Subject(StrEnum):
    """What a check looks at, by the first digit of its code."""

    FILE = "file"
    LINES = "lines"
    GROUPS = "groups"
    PATTERNS = "patterns"
    AGENTS = "agents"
    EXTENSIONS = "extensions"
    POLICY = "policy"
    DELIVERY = "delivery"
    COMMENTS = "comments"


_SUBJECTS: Final = dict(zip("123456789", Subject, strict=True))


class Probe(NamedTuple):
    """A question that shows what a finding does: a URL, and the product tokens that ask it.

    Each token is asked as its crawler reads files. Without tokens, the search engines ask and a crawler of the RFC.
    """

    url: str
    tokens: tuple[str, ...] = ()


class Found(NamedTuple):
    """One place where a check found what it looks for.

    `span` is the place in octets of `LintedFile.octets`, half open; `details` fill the braces of the check's
    message.
    """

    span: tuple[int, int]
    details: Mapping[str, str] = _NO_DETAILS
    probe: Probe | None = None
    fix: Fix | None = None


class Check(NamedTuple):
    """One check.

    Attributes:
        code: stable, `CF` and three digits, of which the first is the subject.
        name: stable; reads after "allow" in a comment.
        severities: how bad it is, and for whom.
        title: what is found, in a few words.
        message: what is found there, a sentence without its full stop; `{braces}` are filled with details.
        why: what crawlers do with it, and since when.
        mend: what to do.
        source: who says so.
        bad: a file in which it finds something.
        good: the same, mended.
        find: looks for it.
        fixable: whether it has a fix where it can tell what is meant.
    """

    code: str
    name: str
    severities: Severities
    title: str
    message: str
    why: str
    mend: str
    source: str
    bad: Given
    good: Given
    find: "Callable[[LintedFile], Iterator[Found]]"
    fixable: bool = False

    @property
    def subject(self) -> Subject:
        """What it looks at."""
        return _SUBJECTS[self.code[2]]
