"""Compare the answers of canfetch.compare with the verdicts on all short URLs, for random rules.

The URLs are all paths of at most `--length` bytes over `/`, `*`, `$`, `%`, `?` and two letters. Files have up to 6
rules over the same bytes. Every claim that there is no URL is checked with all of them, and every example is checked to
be as short as the shortest of them. The first contradiction ends the run.

    python tools/enumerate_comparisons.py --profile rfc9309 --files 100000 --length 7 --seed 1
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

import canfetch
from canfetch.compare import coverage, diff, difference, find_minimization, rule_effects

if TYPE_CHECKING:
    from canfetch.compare import URLSet

BYTES = "/*$%?ab"
AGENT = "ExampleBot"
OTHER_AGENT = "OtherBot"
# Rules over these bytes match often.
_FREQUENT = "//**$%?abab"
_LENGTHS = (1, 1, 2, 2, 3, 3, 4, 5)


class Contradiction(AssertionError):
    """An answer is wrong for an enumerated URL."""


def _require(claim: object, *facts: object) -> None:
    if not claim:
        raise Contradiction("; ".join(map(repr, facts)))


class ShortURLs:
    """All short URLs in order of the length of their targets.

    Args:
        profile: The profile.
        length: The maximum length of their paths in bytes.
    """

    def __init__(self, profile: str, length: int) -> None:
        decide = canfetch.parse("", profile=profile).rules_for(AGENT).decide
        paths = ("".join(path) for count in range(length) for path in product(BYTES, repeat=count))
        urls = [f"https://example.com/{path}" for path in paths]
        lengths = {url: len(decide(url).target) for url in urls}
        self.profile = profile
        self.urls = sorted(urls, key=lengths.__getitem__)
        self.lengths = [lengths[url] for url in self.urls]

    def shortest(self, wanted: list[bool]) -> int | None:
        """Return the length of the shortest target for which `wanted` is true, or None."""
        return next((length for length, one in zip(self.lengths, wanted, strict=True) if one), None)


def random_file(rng: random.Random) -> str:
    """Return a file with up to 6 rules, and sometimes with a second group."""
    text = _group("*", rng, 6)
    return text + _group(OTHER_AGENT, rng, 3) if rng.random() < 0.2 else text


def changed_file(text: str, rng: random.Random) -> str:
    """Return a file with one or two other rules, or another file."""
    if rng.random() < 0.3:
        return random_file(rng)
    lines = text.splitlines()
    for _ in range(rng.randint(1, 2)):
        index = rng.randrange(1, len(lines))
        if not lines[index].startswith("User-agent"):
            lines[index] = _rule(rng)
    return "\n".join(lines) + "\n"


def _group(name: str, rng: random.Random, most: int) -> str:
    return "\n".join([f"User-agent: {name}", *(_rule(rng) for _ in range(rng.randint(1, most)))]) + "\n"


def _rule(rng: random.Random) -> str:
    key = rng.choice(("Allow", "Disallow", "Disallow"))
    value = "".join(rng.choice(_FREQUENT) for _ in range(rng.choice(_LENGTHS)))
    return f"{key}: {rng.choice(('/', '/', '/', '/', '*', ''))}{value}"


def check_files(old: str, new: str, short: ShortURLs) -> None:
    """Check all answers about two files.

    Raises: Contradiction.
    """
    first, second = (canfetch.parse(text, profile=short.profile) for text in (old, new))
    check_coverage(first, short)
    check_rules(first, short)
    check_minimization(first, short)
    check_difference(first, second, short)


def _allowed(robots: canfetch.RobotsTxt, short: ShortURLs, agent: str = AGENT) -> list[bool]:
    return robots.rules_for(agent).allows_many(short.urls)


def check_coverage(robots: canfetch.RobotsTxt, short: ShortURLs) -> None:
    """Check the kind and the examples of the coverage."""
    found = coverage(robots, agent=AGENT)
    allowed = _allowed(robots, short)
    for wanted, example in ((True, found.allowed_example), (False, found.disallowed_example)):
        shortest = short.shortest([one is wanted for one in allowed])
        if example is None:
            _require(shortest is None, "coverage", robots.content, found)
        else:
            verdict = robots.decide(example, agent=AGENT)
            _require(verdict.allowed is wanted, "coverage", robots.content, found)
            _require(shortest is None or len(verdict.target) <= shortest, "coverage", robots.content, found)


def check_rules(robots: canfetch.RobotsTxt, short: ShortURLs) -> None:
    """Check which rules are dead, the examples of the others, and the rules that win over dead ones."""
    rules = robots.rules_for(AGENT)
    verdicts = [rules.decide(url) for url in short.urls]
    shortest: dict[int | None, int] = {}
    for length, verdict in zip(short.lengths, verdicts, strict=True):
        shortest.setdefault(verdict.line, length)
    for effect in rule_effects(robots, agent=AGENT):
        line = effect.rule.line
        if effect.example is None:
            _require(line not in shortest, "dead rule", robots.content, effect)
            winners = {rule.line for rule in effect.winners}
            for verdict in verdicts:
                matching = {rule.line for rule in verdict.also_matched}
                if verdict.line is not None and line in matching:
                    _require(winners & {verdict.line, *matching}, "winners", robots.content, effect, verdict)
        else:
            verdict = rules.decide(effect.example)
            _require(verdict.line == line, "rule", robots.content, effect)
            _require(len(verdict.target) <= shortest.get(line, sys.maxsize), "rule", robots.content, effect)


def check_minimization(robots: canfetch.RobotsTxt, short: ShortURLs) -> None:
    """Check that the minimized file has the same verdicts, and that it cannot be minimized again."""
    found = find_minimization(robots)
    smaller = canfetch.parse(found.content, profile=short.profile)
    for agent in (AGENT, OTHER_AGENT):
        same = _allowed(robots, short, agent) == _allowed(smaller, short, agent)
        _require(same, "minimization", robots.content, found)
    _require(find_minimization(smaller).content == found.content, "minimized twice", robots.content, found)


def check_difference(old: canfetch.RobotsTxt, new: canfetch.RobotsTxt, short: ShortURLs) -> None:
    """Check whether two files differ, the example, and the changes with their patterns."""
    pairs = list(zip(_allowed(old, short), _allowed(new, short), strict=True))
    found = difference(old, new, agent=AGENT)
    shortest = short.shortest([before is not after for before, after in pairs])
    if found is None:
        _require(shortest is None, "difference", old.content, new.content)
    else:
        _require(found.first.allowed is not found.second.allowed, "difference", old.content, new.content, found)
        length = len(found.first.target)
        _require(shortest is None or length <= shortest, "difference", old.content, new.content, found)
    changes = diff(old, new, agents=[AGENT])
    _require(bool(changes) is (found is not None), "diff", old.content, new.content, changes)
    for change in changes:
        _check_urls(old, change.newly_allowed, short, [pair == (False, True) for pair in pairs], new)
        _check_urls(old, change.newly_disallowed, short, [pair == (True, False) for pair in pairs], new)


def _check_urls(
    old: canfetch.RobotsTxt, urls: URLSet, short: ShortURLs, changed: list[bool], new: canfetch.RobotsTxt
) -> None:
    facts = old.content, new.content, urls
    shortest = short.shortest(changed)
    if not urls:
        _require(shortest is None, "diff", *facts)
        return
    _require(all(map(urls.contains, urls.examples)), "examples", *facts, urls.examples)
    length = len(old.decide(urls.examples[0], agent=AGENT).target)
    _require(shortest is None or length <= shortest, "examples", *facts, urls.examples)
    whole = _matched(urls.patterns, short)
    some = _matched(urls.partial_patterns, short)
    for url, in_set, in_whole, in_some in zip(short.urls, changed, whole, some, strict=True):
        _require(in_set or not in_whole, "pattern", *facts, url)
        _require(not in_set or in_whole or in_some, "patterns", *facts, url)


def _matched(patterns: tuple[str, ...], short: ShortURLs) -> list[bool]:
    rules = "".join(f"Disallow: {pattern}\n" for pattern in patterns if pattern)
    allowed = _allowed(canfetch.parse(f"User-agent: *\n{rules}", profile=short.profile), short)
    return [not one for one in allowed]


def main() -> int:
    """Run the enumeration."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--profile", default="rfc9309", choices=canfetch.PROFILES, help="the profile of all files")
    parser.add_argument("--files", type=int, default=1000, help="the number of pairs of files")
    parser.add_argument("--length", type=int, default=5, help="the maximum length of the paths")
    parser.add_argument("--seed", type=int, default=1, help="the seed of the random files")
    options = parser.parse_args()
    rng = random.Random(options.seed)  # noqa: S311 - reproducible files
    short = ShortURLs(options.profile, options.length)
    started = time.monotonic()
    for _ in range(options.files):
        old = random_file(rng)
        check_files(old, changed_file(old, rng), short)
    seconds = time.monotonic() - started
    print(f"{options.profile}: {options.files} pairs, {len(short.urls)} URLs, no contradiction, {seconds:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
