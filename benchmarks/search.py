"""Look for the worst hostile file: vary one family of rules and URLs by chance, and keep what takes longer.

`python -m benchmarks.search --engine native --seconds 60` prints the worst that it met. A rule of the family is

    allow: * UNIT x before, ODD, UNIT x after [* EXTRA] [* ?:]

and the URL repeats UNIT after a short run that holds every few octets in a row of the rule, yet not the rule.
"""

from __future__ import annotations

import argparse
import dataclasses
import itertools
import time
from dataclasses import dataclass

from benchmarks import hostile, peers
from benchmarks.contenders import Contender, contender
from benchmarks.inputs import AGENT, ORIGIN, Dice, make_file
from benchmarks.table import duration
from benchmarks.timing import clock

UNITS = ("q", "Z", "'", "a", "ab", "aab", "$", "\xe9", "\xff", "%41", "%2F", "%", "~", ".", "/", "q/", "=", "qe")
ODDS = ("e", "a", "b", "t", "/", ".", "q", "$", "%", "\xe9", "-", "ee", "ea")


@dataclass(frozen=True, slots=True)
class Recipe:
    """What a file and a URL are made of."""

    unit: str
    before: int
    odd: str
    after: int
    distinct: bool
    two_forms: bool
    anchored: bool

    def octets(self) -> bytes:
        """The file: this rule as often as it fits."""
        needle = self.unit * self.before + self.odd + self.unit * self.after
        end = ("*?:" if self.two_forms else "") + ("$" if self.anchored else "")
        extra = hostile.pairs() if self.distinct else itertools.repeat(b"")
        lines = (b"allow:*" + needle.encode() + (b"*" + word if word else b"") + end.encode() for word in extra)
        return hostile.filled(lines)

    def url(self) -> str:
        """The URL: the run that holds every gram, then the unit to the end."""
        run = self.unit * 2 + self.odd + self.unit * 3
        path = run + self.unit * hostile.URL_OCTETS
        query = "?:" if self.two_forms else ""
        room = hostile.URL_OCTETS - len(ORIGIN) - 1 - len(query)
        while len(path.encode()) > room:
            path = path[: max(room // 4, len(path) - max(1, (len(path.encode()) - room) // 4))]
        return f"{ORIGIN}/{path}{query}"


def changed(recipe: Recipe, dice: Dice) -> Recipe:
    """Give a neighbour: one or two of its parts are others."""
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


def score(recipe: Recipe, chosen: Contender) -> int:
    """Give the nanoseconds of parsing with the first decision."""
    octets, url = recipe.octets(), recipe.url()
    return clock(lambda: chosen.one_shot(octets, AGENT, url))


def settled(recipe: Recipe, chosen: Contender) -> int:
    """Give the nanoseconds of a decision when any index is built."""
    url = recipe.url()
    rules = chosen.parsed(make_file("", recipe.octets())).rules_for(AGENT)
    rules.allows_many(["/"] * 50)
    rules.allows(url)
    return clock(lambda: rules.allows(url))


def main() -> None:
    """Search, and print the worst met."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.search", description=__doc__)
    parser.add_argument("--engine", default="native")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=1)
    chosen_options = parser.parse_args()
    peers.activate()
    chosen = contender("canfetch-" + chosen_options.engine)
    dice = Dice(chosen_options.seed)
    pool = [
        (score(recipe, chosen), recipe) for recipe in (Recipe(unit, 9, "e", 0, False, False, False) for unit in UNITS)
    ]
    until = time.monotonic() + chosen_options.seconds
    while time.monotonic() < until:
        pool = sorted(pool, key=lambda item: -item[0])[:12]
        recipe = changed(pool[dice.below(len(pool))][1], dice)
        if all(recipe != known for _, known in pool):
            pool.append((score(recipe, chosen), recipe))
    for took, recipe in sorted(pool, key=lambda item: -item[0])[:6]:
        print(f"{duration(took)}, indexed {duration(settled(recipe, chosen))}: {recipe}")


if __name__ == "__main__":
    main()
