"""What the `*` group disallows, which a crawler with its own group does not follow."""

from itertools import islice
from typing import Final, NamedTuple

from canfetch.lint.analysis.example_paths import example_path
from canfetch.lint.linted_file import LintedFile, LintedRule

# The name of a crawler that no group names.
_WITHOUT_GROUP: Final = "*"
# Each one costs a decision.
_MAX_TRIED: Final = 8


class StarExample(NamedTuple):
    """A path that `*` may not fetch, and the line that decides this."""

    path: str
    line: int


def star_disallows(file: LintedFile) -> tuple[LintedRule, ...]:
    """Return the rules of the `*` group that disallow something."""
    return file.compute_once(_disallows)


def _disallows(file: LintedFile) -> tuple[LintedRule, ...]:
    return tuple(rule for group in file.groups_named("*") for rule in group.rules if rule.value and not rule.allow)


def star_example(file: LintedFile) -> StarExample | None:
    """Return the first of the rules for `*` that decides a path that looks real, or None.

    Cost: A few decisions at the first call.
    """
    return file.compute_once(_example)


def _example(file: LintedFile) -> StarExample | None:
    for rule in islice(star_disallows(file), _MAX_TRIED):
        path = example_path(rule.value)
        if path is not None and file.robots.decide(path, agent=_WITHOUT_GROUP).line == rule.line:
            return StarExample(path, rule.line)
    return None
