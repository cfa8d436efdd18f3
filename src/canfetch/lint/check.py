"""The definition of a check: what it finds, how severe that is, its texts, and an example of both outcomes.

`CheckEntry` is its row in the generated table: what the linter has to know before it imports the check.
"""

from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from canfetch.lint.fixes import Fix
from canfetch.lint.lint_input import LintInput
from canfetch.lint.severity import Severities

if TYPE_CHECKING:
    from canfetch.lint.analysis.needs import Need
    from canfetch.lint.linted_file import LintedFile

_NO_DETAILS: Final[Mapping[str, str]] = MappingProxyType({})
# The name of the detail that selects a variant of the check's texts.
VARIANT: Final = "variant"


class Category(StrEnum):
    """What a check examines. The first digit of its code is the category's number."""

    FILE = "file"
    LINES = "lines"
    GROUPS = "groups"
    PATTERNS = "patterns"
    AGENTS = "agents"
    EXTENSIONS = "extensions"
    POLICY = "policy"
    DELIVERY = "delivery"
    COMMENTS = "comments"


_CATEGORIES: Final = dict(zip("123456789", Category, strict=True))


class VerdictQuery(NamedTuple):
    """A URL whose verdicts show the effect of a finding.

    The crawlers are `crawlers`, or else all crawlers, that read the groups of `lines`, as the file is or as the fix
    leaves it. Each one uses its own parsing profile.

    Attributes:
        url: The URL or path. None takes a path that a rule of the group disallows.
        lines: The lines that the finding is about. Empty means the finding's own line.
        contrast_only: Whether verdicts are shown only if crawlers differ. Set if the message already describes what the
            line does.
        crawlers: The product tokens of the crawlers that the finding is about. Empty means all readers of the groups.
        shows_line: Whether verdicts are also shown if they only show that the line decides. Not set if the finding is
            about crawlers that ignore the line.
    """

    url: str | None
    lines: tuple[int, ...] = ()
    contrast_only: bool = False
    crawlers: tuple[str, ...] = ()
    shows_line: bool = True


class Variant(NamedTuple):
    """Texts for some findings of a check, with placeholders. An empty one leaves the check's own text."""

    message: str = ""
    how_to_fix: str = ""


class Occurrence(NamedTuple):
    """One place that a check reports.

    A file can have very many places, of which only the first become findings. So what takes time can be a function,
    which is called before the next place is found, or never.

    Attributes:
        span: Start and end in bytes of `LintedFile.content`, half open.
        details: Values for the placeholders of the check's message, and of its `how_to_fix_here` where this applies.
            `VARIANT` has the name of one of the check's `variants`.
        query: Verdicts that show the effect, or None, or a function that returns them.
        fix: The fix for this place, or None, or a function that returns it.
        lines: Numbers of other lines that the occurrence is about.
        harmless: Whether this place does no harm, or hardly any, or a function that returns this. Such a finding has
            the severity `info`, unless the configuration overrides it.
    """

    span: tuple[int, int]
    details: Mapping[str, str] = _NO_DETAILS
    query: "VerdictQuery | Callable[[], VerdictQuery | None] | None" = None
    fix: "Fix | Callable[[], Fix | None] | None" = None
    lines: tuple[int, ...] = ()
    harmless: "bool | Callable[[], bool]" = False

    def make_query(self) -> VerdictQuery | None:
        """Return the query, or call the function that returns it."""
        return self.query() if callable(self.query) else self.query

    def make_fix(self) -> Fix | None:
        """Return the fix, or call the function that returns it."""
        return self.fix() if callable(self.fix) else self.fix

    def is_harmless(self) -> bool:
        """Return whether the place does no harm, or call the function that returns it."""
        return self.harmless() if callable(self.harmless) else self.harmless

    def make(self) -> "Occurrence":
        """Return the occurrence itself, as `LineOccurrence.make` does."""
        return self


class LineOccurrence(NamedTuple):
    """A place within one line. It is an `Occurrence` whose values are computed only if it becomes a finding.

    Checks that may report each line of a hostile file yield it. Of most places, only the line is needed: to leave out
    the findings of other checks with the same cause.

    Attributes:
        line: The number of the line.
        make: Returns the occurrence. Its span is within the line, and it is about no other lines.
    """

    line: int
    make: Callable[[], Occurrence]


AnyOccurrence = Occurrence | LineOccurrence


Example = bytes | LintInput | Callable[[], bytes | LintInput]


def _input_of(example: Example) -> LintInput:
    made = example() if callable(example) else example
    return LintInput(made) if isinstance(made, bytes) else made


class Check(NamedTuple):
    """One check.

    Attributes:
        code: Stable identifier: `CF` and three digits, the first of which is the category.
        name: Stable name, used in configuration and in `canfetch: allow NAME` comments.
        severities: The severity in each severity set.
        title: What it finds, in a few words.
        message: What it found, as a sentence without a full stop. `{placeholders}` are filled from the details.
        why: How crawlers handle it, and since when.
        how_to_fix: What to change.
        how_to_fix_here: A sentence after `how_to_fix` in findings whose details have all of its placeholders, or "".
        variants: Texts that replace `message` and `how_to_fix` in the findings whose details name them.
        source: The specification, documentation or source code that the check relies on.
        bad: A file that the check reports, as bytes, or as an input with the context of the file. Or a function that
            returns it: no run of the linter needs large inputs.
        good: The same file, fixed.
        find: Yields the places that the check reports.
        fixable: Whether some occurrences have a fix.
        requires: The part of `LintInput` without which the check cannot find anything, or None.
        finds_more_with: The part of `LintInput` without which the check finds less, or None.
        needs: What a file has in which the check finds something: at least one of these. Otherwise, the linter does not
            even import the check. Empty means that any file can have findings.
        removes_redundant_lines: Whether its fixes remove lines that other lines make redundant. They run after the
            fixes that change how lines are read.
        supersedes: Codes, or code prefixes, of the checks whose findings have the same cause. On the lines of its own
            findings, theirs are dropped.
        yields_to_others: Whether a finding of any other check on the same line has the same cause.
        notable: Whether a note of it has a line even where notes are only counted: the owner probably believes that the
            file says something else.
    """

    code: str
    name: str
    severities: Severities
    title: str
    message: str
    why: str
    how_to_fix: str
    source: str
    bad: Example
    good: Example
    find: "Callable[[LintedFile], Iterator[AnyOccurrence]]"
    how_to_fix_here: str = ""
    variants: Mapping[str, Variant] = MappingProxyType({})
    fixable: bool = False
    requires: Literal["path", "url", "pages", "delivery", "siblings"] | None = None
    finds_more_with: Literal["url", "pages"] | None = None
    needs: "tuple[Need, ...]" = ()
    removes_redundant_lines: bool = False
    supersedes: tuple[str, ...] = ()
    yields_to_others: bool = False
    notable: bool = False

    @property
    def category(self) -> Category:
        """What the check examines."""
        return _CATEGORIES[self.code[2]]

    def bad_input(self) -> LintInput:
        """Return the input that the check reports."""
        return _input_of(self.bad)

    def good_input(self) -> LintInput:
        """Return the fixed input."""
        return _input_of(self.good)


class CheckEntry(NamedTuple):
    """A check that is not imported yet.

    Attributes:
        code, name, severities, requires, needs: As in `Check`.
        module: Its module, below `canfetch.lint.checks`.
        superseded_by: The codes of the checks that supersede it.
    """

    code: str
    name: str
    module: str
    severities: Severities
    superseded_by: tuple[str, ...] = ()
    requires: str | None = None
    needs: "tuple[Need, ...]" = ()

    @property
    def check(self) -> Check:
        """The check, which is imported on first access."""
        return _load(self.module)


@cache
def _load(module: str) -> Check:
    check: Check = import_module(f"canfetch.lint.checks.{module}").CHECK
    return check
