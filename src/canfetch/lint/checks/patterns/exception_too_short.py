"""An `Allow` that is meant as an exception, but is shorter than the `Disallow`."""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from canfetch.core.keys import RecordKind
from canfetch.lint.analysis.engine_verdicts import deciding_line
from canfetch.lint.check import Check, Occurrence, VerdictQuery
from canfetch.lint.linted_file import LintedFile, LintedGroup, LintedRule
from canfetch.lint.severity import Severity, everywhere

_TYPE: Final = re.compile(rb"/?\*(\.([A-Za-z0-9]{2,5})\$?)")
_FOLDER: Final = re.compile(rb"/[^*$?]+/")
_WORD: Final = re.compile(rb"[a-z0-9]+")
# Each one takes a pass over the rules of its group, and a decision.
_MAX_EXAMINED: Final = 64


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find allow rules for a folder that lose to a longer rule for a file type.

    Such a rule is meant as an exception if it names the type, as `/pdf/` does, if it is a single one next to the other
    rule, or if its group disallows nothing but file types.
    """
    pairs = (pair for group in file.groups for pair in _exceptions(group))
    for group, rule, other in islice(pairs, _MAX_EXAMINED):
        found = _TYPE.fullmatch(other.value)
        if found is None or _has_purpose(group, rule):
            continue
        path = file.text(rule.value + b"x." + found.group(2))
        # Another rule may open the file.
        if deciding_line(file, path, "rfc9309", group.first_token) == other.line:
            details = {
                "pattern": file.text(rule.value),
                "path": path,
                "other": file.text(other.value),
                "line": str(other.line),
                "exception": file.text(rule.value + b"*" + found.group(1)),
            }
            yield Occurrence(
                file.text_span(rule.record), details, VerdictQuery(path, (other.line,), contrast_only=True)
            )


def _exceptions(group: LintedGroup) -> Iterator[tuple[LintedGroup, LintedRule, LintedRule]]:
    """Yield the allow rules for a folder, each with the longer rule from which it is meant as an exception."""
    types: dict[bytes, LintedRule] = {}
    is_only = True
    for rule in group.rules:
        found = None if rule.allow else _TYPE.fullmatch(rule.value)
        if found is not None:
            types.setdefault(found.group(2).lower(), rule)
        is_only = is_only and (rule.allow or found is not None)
    if not types:
        return
    last = next(reversed(types.values())) if is_only else None
    for place, rule in enumerate(group.rules):
        if rule.allow and _FOLDER.fullmatch(rule.value):
            words = _WORD.findall(rule.value.lower())
            named = (types.get(name) for word in words for name in (word, word.removesuffix(b"s")))
            for other in (*named, *_near(group.rules, place), last):
                if other is not None and other.specificity > rule.specificity:
                    yield group, rule, other
                    break


def _near(rules: tuple[LintedRule, ...], place: int) -> Iterator[LintedRule]:
    """Yield the rules for file types on the lines before and after a rule, unless it is one of several allow rules."""
    rule = rules[place]
    near = [one for one in rules[max(place - 1, 0) : place + 2] if abs(one.line - rule.line) == 1]
    if not any(one.allow for one in near):
        yield from (one for one in near if _TYPE.fullmatch(one.value))


def _has_purpose(group: LintedGroup, rule: LintedRule) -> bool:
    """Return whether a shorter rule blocks the folder, so that the allow rule opens other files of it."""
    starts = (other.value.rstrip(b"*$") for other in group.rules if not other.allow and other.value)
    return any(b"*" not in start and rule.value.startswith(start) for start in starts)


CHECK = Check(
    code="CF430",
    name="exception-too-short",
    severities=everywhere(Severity.WARNING),
    title="An `Allow` that is too short to be an exception",
    message="`{pattern}` does not open `{path}`, because `{other}` on line {line} is longer: write "
    "`Allow: {exception}` instead",
    why="The longest rule that matches decides, whatever the order of the rules. Nothing else in the group blocks the "
    "folder, so the `Allow` is probably meant as an exception from the longer rule.",
    how_to_fix="Write the folder and the file type in one `Allow`, such as `Allow: /pdf/*.pdf$`. Remove the rule if "
    "the files should stay blocked.",
    source="RFC 9309 section 2.2.2; Google, order of precedence for rules",
    bad=b"User-agent: *\nAllow: /pdf/\nDisallow: /*.pdf$\n",
    good=b"User-agent: *\nAllow: /pdf/*.pdf$\nDisallow: /*.pdf$\n",
    find=find,
    needs=(RecordKind.ALLOW,),
    supersedes=("CF428",),
)
