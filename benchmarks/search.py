"""Search for slower hostile files by random variation of one family of rules and URLs.

`python -m benchmarks.search --engine native --seconds 60` prints the slowest ones found. A rule of the family is

    allow: * UNIT x before, ODD, UNIT x after [* EXTRA] [* ?:]

The URL repeats UNIT after a short start that contains every short substring of the rule, but not the rule.
"""

from __future__ import annotations

import argparse
import dataclasses
import itertools
import time
from dataclasses import dataclass

from benchmarks import hostile, peers
from benchmarks.contenders import Contender, get_contender
from benchmarks.inputs import AGENT, ORIGIN, Dice, make_file
from benchmarks.table import format_duration
from benchmarks.timing import measure

UNITS = ("q", "Z", "'", "a", "ab", "aab", "$", "\xe9", "\xff", "%41", "%2F", "%", "~", ".", "/", "q/", "=", "qe")
ODDS = ("e", "a", "b", "t", "/", ".", "q", "$", "%", "\xe9", "-", "ee", "ea")


@dataclass(frozen=True, slots=True)
class Recipe:
    """The parameters of a file and its URL."""

    unit: str
    before: int
    odd: str
    after: int
    distinct: bool
    two_forms: bool
    anchored: bool

    def build_content(self) -> bytes:
        """Return the file, filled with this rule."""
        needle = self.unit * self.before + self.odd + self.unit * self.after
        end = ("*?:" if self.two_forms else "") + ("$" if self.anchored else "")
        extra = hostile.pairs() if self.distinct else itertools.repeat(b"")
        lines = (b"allow:*" + needle.encode() + (b"*" + word if word else b"") + end.encode() for word in extra)
        return hostile.fill(lines)

    def url(self) -> str:
        """Return the URL: the start that contains every gram, then the unit repeated."""
        run = self.unit * 2 + self.odd + self.unit * 3
        path = run + self.unit * hostile.URL_BYTES
        query = "?:" if self.two_forms else ""
        space = hostile.URL_BYTES - len(ORIGIN) - 1 - len(query)
        while len(path.encode()) > space:
            path = path[: max(space // 4, len(path) - max(1, (len(path.encode()) - space) // 4))]
        return f"{ORIGIN}/{path}{query}"


def mutate(recipe: Recipe, dice: Dice) -> Recipe:
    """Return a recipe with one or two parameters changed."""
    new = recipe
    for _ in range(1 + dice.below(2)):
        kind = dice.below(8)
        if kind == 0:
            new = dataclasses.replace(new, unit=dice.pick(UNITS))
        elif kind == 1:
            new = dataclasses.replace(new, odd=dice.pick(ODDS))
        elif kind == 2:
            new = dataclasses.replace(new, before=dice.below(3) * dice.below(40) + dice.below(12))
        elif kind == 3:
            new = dataclasses.replace(new, after=dice.below(2) * dice.below(40) + dice.below(6))
        elif kind == 4:
            new = dataclasses.replace(new, before=max(0, new.before + dice.below(5) - 2))
        elif kind == 5:
            new = dataclasses.replace(new, distinct=not new.distinct)
        elif kind == 6:
            new = dataclasses.replace(new, two_forms=not new.two_forms)
        else:
            new = dataclasses.replace(new, anchored=dice.chance(0.3))
    return new


def time_first(recipe: Recipe, contender: Contender) -> int:
    """Return the nanoseconds of parsing and the first decision."""
    content, url = recipe.build_content(), recipe.url()
    return measure(lambda: contender.parse_and_check(content, AGENT, url))


def time_indexed(recipe: Recipe, contender: Contender) -> int:
    """Return the nanoseconds of a decision after an index was built."""
    url = recipe.url()
    rules = contender.parse_file(make_file("", recipe.build_content())).rules_for(AGENT)
    rules.allows_many(["/"] * 50)
    rules.allows(url)
    return measure(lambda: rules.allows(url))


def main() -> None:
    """Search, and print the slowest recipes."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.search", description=__doc__)
    parser.add_argument("--engine", default="native")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    peers.activate()
    contender = get_contender("canfetch-" + options.engine)
    dice = Dice(options.seed)
    pool = [
        (time_first(recipe, contender), recipe)
        for recipe in (Recipe(unit, 9, "e", 0, False, False, False) for unit in UNITS)
    ]
    until = time.monotonic() + options.seconds
    while time.monotonic() < until:
        pool = sorted(pool, key=lambda item: -item[0])[:12]
        recipe = mutate(pool[dice.below(len(pool))][1], dice)
        if all(recipe != other for _, other in pool):
            pool.append((time_first(recipe, contender), recipe))
    for elapsed, recipe in sorted(pool, key=lambda item: -item[0])[:6]:
        print(f"{format_duration(elapsed)}, indexed {format_duration(time_indexed(recipe, contender))}: {recipe}")


if __name__ == "__main__":
    main()
