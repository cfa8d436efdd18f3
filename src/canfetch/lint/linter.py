"""The linter: which checks are asked, how bad what they find is, and the rounds of mending."""

from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import islice
from typing import Final, NamedTuple

from canfetch.core.equivalence import differing_profiles
from canfetch.errors import InvalidOption
from canfetch.lint.check import Check, Found
from canfetch.lint.checks import CHECKS, CHECKS_BY_WORD
from canfetch.lint.checks.comments import UNUSED_SUPPRESSION, unused_suppressions
from canfetch.lint.finding import Finding
from canfetch.lint.fixing import applied
from canfetch.lint.given import Given
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.report import LintReport
from canfetch.lint.severity import ALL, LINT_PROFILES, Severity
from canfetch.lint.suppression import Suppression, suppressions_of

FINDINGS_LIMIT: Final = 1000
# A round mends what does not touch; what is left over is for the next.
_MOST_ROUNDS: Final = 64


class Fixed(NamedTuple):
    """A file, mended.

    Attributes:
        octets: the file, in UTF-8.
        made: the findings that were mended, round by round.
        report: what is left.
    """

    octets: bytes
    made: tuple[Finding, ...]
    report: LintReport


class Linter:
    """Looks for what is wrong, odd or not read alike in a robots.txt; it never changes, and keeps nothing.

    Args:
        profile: a profile of severity, one of `canfetch.lint.LINT_PROFILES`.
        select: names, codes or beginnings of codes (`CF2`) of the checks to ask; empty for all.
        ignore: the same, of those not to ask; it wins.
        severities: other severities than the profile's, by name or code.
        ignore_in: what not to ask of files whose path matches a pattern of fnmatch.
        findings_limit: how much of one check is reported of one file; None for all.
    Raises: InvalidOption: there is no such profile or check.
    """

    __slots__ = ("_asked", "_findings_limit", "_ignored_in", "profile")

    def __init__(
        self,
        *,
        profile: str = ALL,
        select: Sequence[str] = (),
        ignore: Sequence[str] = (),
        severities: Mapping[str, Severity] | None = None,
        ignore_in: Mapping[str, Sequence[str]] | None = None,
        findings_limit: int | None = FINDINGS_LIMIT,
    ) -> None:
        if profile not in LINT_PROFILES:
            raise InvalidOption(f"profile of severity {profile!r} is none; choose one of {', '.join(LINT_PROFILES)}")
        if findings_limit is not None and findings_limit < 1:
            raise InvalidOption(f"findings_limit is {findings_limit}; give 1 or more, or None for all")
        self.profile = profile
        wanted = set(_checks_of(select)) if select else {check.code for check in CHECKS}
        wanted -= set(_checks_of(ignore))
        other = {code: severity for word, severity in (severities or {}).items() for code in _checks_of([word])}
        asked: list[tuple[Check, Severity]] = []
        for check in CHECKS:
            severity = other.get(check.code) or check.severities.in_profile(profile)
            if check.code in wanted and severity is not None:
                asked.append((check, severity))
        self._asked = tuple(asked)
        self._ignored_in = {pattern: frozenset(_checks_of(words)) for pattern, words in (ignore_in or {}).items()}
        self._findings_limit = findings_limit

    @property
    def checks(self) -> tuple[Check, ...]:
        """The checks that are asked."""
        return tuple(check for check, _ in self._asked)

    def lint(self, given: Given | bytes) -> LintReport:
        """Look at a file.

        Args: given: its octets, or these with what else is known.
        Raises: nothing, whatever the file is.
        Cost: O(octets) for each check, and O(octets of rules times rules) of a group at worst for few.
        """
        if isinstance(given, bytes):
            given = Given(given)
        file = LintedFile(given)
        suppressions = suppressions_of(file.octets, file.records)
        ignored = self._ignored(given.path)
        found: list[Finding] = []
        cut: list[str] = []
        unused: Severity | None = None
        for check, severity in self._asked:
            if check.code in ignored:
                continue
            if check is UNUSED_SUPPRESSION:
                unused = severity
                continue
            places = check.find(file)
            found += (_finding(file, check, severity, place) for place in islice(places, self._findings_limit))
            if self._findings_limit is not None and next(places, None) is not None:
                cut.append(check.name)
        kept, suppressed, used = _suppressed(found, suppressions)
        if unused is not None:
            asked = {check.code for check, _ in self._asked} - ignored
            places = unused_suppressions(file, suppressions, used, asked)
            kept += (_finding(file, UNUSED_SUPPRESSION, unused, place) for place in places)
        kept.sort(key=lambda finding: (finding.span, finding.check.code))
        name = given.path or given.url or "robots.txt"
        return LintReport(name, tuple(kept), tuple(suppressed), tuple(cut), file)

    def fix(self, given: Given | bytes, *, unsafe: bool = False, only: Sequence[str] = ()) -> Fixed:
        """Mend what can be mended.

        Fixes that do not say that they change verdicts are proved together, in every profile; those that do not hold
        are left out.

        Args:
            given: a file, or its octets with what else is known.
            unsafe: also make fixes that change what some crawler may fetch.
            only: names, codes or beginnings of codes of the checks whose findings are mended; empty for all.
        Raises: InvalidOption: there is no such check.
        Cost: some rounds of `lint`, and as parsing in every profile.
        """
        if isinstance(given, bytes):
            given = Given(given)
        thorough = self._without_limit()
        mending = frozenset(_checks_of(only)) if only else {check.code for check in CHECKS}
        made: list[Finding] = []
        barred: set[tuple[str, bytes]] = set()
        for _ in range(_MOST_ROUNDS):
            report = thorough.lint(given)
            fixable = [
                finding
                for finding in report.findings
                if finding.fix is not None
                and finding.check.code in mending
                and (unsafe or not finding.fix.changes_verdicts)
                and (finding.check.code, finding.quoted) not in barred
            ]
            if not fixable:
                break
            octets, done = _mended(report.file, fixable, barred)
            if octets == given.octets and not done:
                continue
            made += done
            given = given._replace(octets=octets)
        return Fixed(given.octets, tuple(made), self.lint(given))

    def _without_limit(self) -> "Linter":
        other = Linter(profile=self.profile, findings_limit=None)
        other._asked, other._ignored_in = self._asked, self._ignored_in
        return other

    def _ignored(self, path: str | None) -> frozenset[str]:
        if path is None:
            return frozenset()
        matching = (codes for pattern, codes in self._ignored_in.items() if fnmatchcase(path, pattern))
        return frozenset().union(*matching)


def _mended(file: LintedFile, fixable: list[Finding], barred: set[tuple[str, bytes]]) -> tuple[bytes, list[Finding]]:
    octets, done = _with_fixes(file, fixable)
    claimed = [finding for finding in done if finding.fix is not None and not finding.fix.changes_verdicts]
    if not claimed:
        return octets, done
    safe_octets, done_safely = _with_fixes(file, claimed)
    if not differing_profiles(file.octets, safe_octets[: len(safe_octets) - len(file.robots.tail)]):
        return octets, done
    # Something does not hold what it claims here: each is proved alone, and those that fail are barred.
    for finding in done_safely:
        alone, _ = _with_fixes(file, [finding])
        if differing_profiles(file.octets, alone[: len(alone) - len(file.robots.tail)]):
            barred.add((finding.check.code, finding.quoted))
    return file.octets + file.robots.tail, []


def _with_fixes(file: LintedFile, findings: list[Finding]) -> tuple[bytes, list[Finding]]:
    octets, made = applied(file.octets, [finding.fix for finding in findings if finding.fix is not None])
    return octets + file.robots.tail, [finding for finding, was in zip(findings, made, strict=True) if was]


def _finding(file: LintedFile, check: Check, severity: Severity, place: Found) -> Finding:
    return Finding(file, check, severity, place.span, place.details, place.probe, place.fix)


def _checks_of(words: Sequence[str]) -> Iterator[str]:
    for word in words:
        exact = CHECKS_BY_WORD.get(word)
        if exact is not None:
            yield exact.code
            continue
        begun = [check.code for check in CHECKS if word.startswith("CF") and check.code.startswith(word)]
        if not begun:
            raise InvalidOption(f"there is no check {word!r}; 'canfetch lint --list-checks' shows them all")
        yield from begun


def _suppressed(
    found: list[Finding], suppressions: tuple[Suppression, ...]
) -> tuple[list[Finding], list[Finding], set[tuple[int, str]]]:
    """Part findings into those that stay and those that comments allow, and say which comments were of use."""
    if not suppressions:
        return found, [], set()
    allowed: dict[tuple[int | None, str], list[tuple[int, str]]] = {}
    for suppression in suppressions:
        for name, span in suppression.names if suppression.is_understood else ():
            check = CHECKS_BY_WORD.get(name)
            if check is not None:
                allowed.setdefault((suppression.line, check.code), []).append((span[0], name))
    kept: list[Finding] = []
    suppressed: list[Finding] = []
    used: set[tuple[int, str]] = set()
    for finding in found:
        code = finding.check.code
        by = allowed.get((finding.line, code), []) + allowed.get((None, code), [])
        used.update(by)
        (suppressed if by else kept).append(finding)
    return kept, suppressed, used
