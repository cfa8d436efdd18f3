"""Compare the answers of canfetch.compare with the verdicts on all short URLs, for random rules.

The URLs are all paths of at most `--length` bytes over `/`, `*`, `$`, `%`, `?` and two letters. Files have up to 6
rules over the same bytes. With `--escapes`, `2` and `F` replace `$` and the letters, and `%2F` is frequent in rules.
Every claim that there is no URL is checked with all of them, and every example is checked to be as short as the
shortest of them. The first contradiction ends the run.

    python tools/enumerate_comparisons.py --profile rfc9309 --files 5600 --length 7 --values 3000 --seed 1
    python tools/enumerate_comparisons.py --profile rfc9309 --files 1000 --length 7 --values 3000 --escapes
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
from canfetch.compare import coverage, dead_rules, diff, difference, equivalent, find_minimization, rule_effects
from canfetch.core.profiles import get_profile

if TYPE_CHECKING:
    from collections.abc import Sequence

    from canfetch.compare import URLSet

BYTES = "/*$%?ab"
AGENT = "ExampleBot"
OTHER_AGENT = "OtherBot"
# Rules over these bytes match often.
_FREQUENT = tuple("//**$%?abab")
ESCAPE_BYTES = "/*%?2F"
FREQUENT_WITH_ESCAPES = (*"//**??2F%", "%2F", "%2F", "2F")
_LENGTHS = (1, 1, 2, 2, 3, 3, 4, 5)
# So many sets of URLs are kept in memory: 100 MB with all URLs of up to 7 bytes.
_MAX_REMEMBERED = 6000
# Of so many pairs of files, the verdicts of one are compared with those derived from its rules.
_DECISIONS_CHECKED = 20
_DIGITS = bytes([ord("0"), ord("1")]).ljust(0x100, b"1")


class Contradiction(AssertionError):
    """An answer is wrong for an enumerated URL."""


def _require(claim: object, *facts: object) -> None:
    if not claim:
        raise Contradiction("; ".join(map(repr, facts)))


class ShortURLs:
    """All short URLs in order of the length of their targets.

    Sets of these URLs are integers with a bit for each, the lowest bit for the shortest target.

    Args:
        profile: The profile.
        length: The maximum length of their paths in bytes.
        alphabet: The bytes.
    """

    def __init__(self, profile: str, length: int, alphabet: str = BYTES) -> None:
        decide = canfetch.parse("", profile=profile).rules_for(AGENT).decide
        paths = ("".join(path) for count in range(length) for path in product(alphabet, repeat=count))
        urls = [f"https://example.com/{path}" for path in paths]
        lengths = {url: len(decide(url).target) for url in urls}
        self.profile = profile
        self.urls = sorted(urls, key=lengths.__getitem__)
        self.every = (1 << len(urls)) - 1
        self._lengths = [lengths[url] for url in self.urls]
        # The highest bit comes first.
        self._reversed = self.urls[::-1]
        self._matched: dict[str, int] = {}

    def shortest(self, urls: int) -> int | None:
        """Return the length of the shortest target of a set, or None if the set is empty."""
        return self._lengths[(urls & -urls).bit_length() - 1] if urls else None

    def first(self, urls: int) -> str:
        """Return a URL of a set with a shortest target."""
        return self.urls[(urls & -urls).bit_length() - 1]

    def allowed(self, robots: canfetch.RobotsTxt, agent: str = AGENT) -> int:
        """Return the URLs that an agent may fetch, from the verdicts about all of them."""
        return _bits(robots.rules_for(agent).allows_many(self._reversed))

    def matched(self, pattern: str) -> int:
        """Return the URLs that a pattern matches."""
        found = self._matched.get(pattern)
        if found is None:
            alone = canfetch.parse(f"User-agent: *\nDisallow: {pattern}\n", profile=self.profile)
            found = self.every ^ self.allowed(alone)
            if len(self._matched) < _MAX_REMEMBERED:
                self._matched[pattern] = found
        return found


class Decisions:
    """The decisions of one agent's rules about all short URLs.

    They follow from the URLs that each rule matches, and from the order of precedence. Which URLs a rule matches is the
    verdict of the engine about a file with this rule alone.

    Args:
        robots: The file.
        short: The URLs.
        agent: The agent.

    Attributes:
        rules: The rules in file order.
        matched: The URLs that each rule matches, by its line.
        decided: The URLs about which each rule decides, by its line.
        allowed: The allowed URLs.
    """

    def __init__(self, robots: canfetch.RobotsTxt, short: ShortURLs, agent: str = AGENT) -> None:
        bound = robots.rules_for(agent)
        groups = robots.groups
        self.rules = [rule for index in bound.group_indices for rule in groups[index].rules]
        self.matched: dict[int, int] = {}
        self.decided: dict[int, int] = {}
        profile = get_profile(robots.profile)
        in_order = self.rules
        if not profile.first_match:
            in_order = sorted(self.rules, key=lambda rule: (-rule.specificity, not rule.allow, rule.line))
        self.allowed = remaining = short.every
        for rule in in_order:
            self.matched[rule.line] = matched = short.matched(rule.pattern.decode())
            self.decided[rule.line] = decided = matched & remaining
            remaining ^= decided
            if not rule.allow:
                self.allowed ^= decided


def _bits(flags: list[bool]) -> int:
    return int(bytes(flags).translate(_DIGITS), 2)


def random_value(rng: random.Random, texts: Sequence[str] = _FREQUENT) -> str:
    """Return the value of a rule that consists of some texts."""
    value = "".join(rng.choice(texts) for _ in range(rng.choice(_LENGTHS)))
    return f"{rng.choice(('/', '/', '/', '/', '*', ''))}{value}"


def random_file(rng: random.Random, values: Sequence[str] = ()) -> str:
    """Return a file with up to 6 rules, and sometimes with a second group.

    Args: values: Values of rules to choose from, or none for random ones.
    """
    text = _group("*", rng, 6, values)
    return text + _group(OTHER_AGENT, rng, 3, values) if rng.random() < 0.2 else text


def changed_file(text: str, rng: random.Random, values: Sequence[str] = ()) -> str:
    """Return a file with one or two other rules, or another file."""
    if rng.random() < 0.3:
        return random_file(rng, values)
    lines = text.splitlines()
    for _ in range(rng.randint(1, 2)):
        index = rng.randrange(1, len(lines))
        if not lines[index].startswith("User-agent"):
            lines[index] = _rule(rng, values)
    return "\n".join(lines) + "\n"


def _group(name: str, rng: random.Random, most: int, values: Sequence[str]) -> str:
    rules = [_rule(rng, values) for _ in range(rng.randint(1, most))]
    return "\n".join([f"User-agent: {name}", *rules]) + "\n"


def _rule(rng: random.Random, values: Sequence[str]) -> str:
    value = rng.choice(values) if values else random_value(rng)
    return f"{rng.choice(('Allow', 'Disallow', 'Disallow'))}: {value}"


def check_files(old: str, new: str, short: ShortURLs) -> None:
    """Check all answers about two files.

    Raises: Contradiction.
    """
    files = [canfetch.parse(text, profile=short.profile) for text in (old, new)]
    decisions = [Decisions(robots, short) for robots in files]
    for robots, decided in zip(files, decisions, strict=True):
        check_coverage(robots, decided, short)
        check_rules(robots, decided, short)
        check_minimization(robots, decided, short)
    check_difference(files[0], files[1], [decided.allowed for decided in decisions], short)


def check_decisions(text: str, short: ShortURLs) -> None:
    """Check that the decisions derived from each rule alone are the verdicts about the file."""
    robots = canfetch.parse(text, profile=short.profile)
    for agent in (AGENT, OTHER_AGENT):
        same = Decisions(robots, short, agent).allowed == short.allowed(robots, agent)
        _require(same, "decisions", robots.content, agent)


def check_coverage(robots: canfetch.RobotsTxt, decisions: Decisions, short: ShortURLs) -> None:
    """Check the kind and the examples of the coverage."""
    found = coverage(robots, agent=AGENT)
    for wanted, example, urls in (
        (True, found.allowed_example, decisions.allowed),
        (False, found.disallowed_example, short.every ^ decisions.allowed),
    ):
        shortest = short.shortest(urls)
        if example is None:
            _require(shortest is None, "coverage", robots.content, found)
        else:
            verdict = robots.decide(example, agent=AGENT)
            _require(verdict.allowed is wanted, "coverage", robots.content, found)
            _require(shortest is None or len(verdict.target) <= shortest, "coverage", robots.content, found)


def check_rules(robots: canfetch.RobotsTxt, decisions: Decisions, short: ShortURLs) -> None:
    """Check which rules are dead, the examples of the others, and the rules that win over dead ones."""
    rules = robots.rules_for(AGENT)
    dead = []
    by_rule = 0
    for decided in decisions.decided.values():
        by_rule |= decided
    for effect in rule_effects(robots, agent=AGENT):
        line = effect.rule.line
        shortest = short.shortest(decisions.decided[line])
        if effect.example is None:
            dead.append(effect)
            _require(shortest is None, "dead rule", robots.content, effect)
            won = 0
            for rule in effect.winners:
                won |= decisions.matched[rule.line]
            lost = decisions.matched[line] & by_rule & ~won
            _require(not lost, "winners", robots.content, effect, lost and short.first(lost))
        else:
            verdict = rules.decide(effect.example)
            _require(verdict.line == line and verdict.rule == effect.rule, "rule", robots.content, effect)
            _require(shortest is None or len(verdict.target) <= shortest, "rule", robots.content, effect)
    _require(dead_rules(robots, agent=AGENT) == tuple(dead), "dead rules", robots.content)


def check_minimization(robots: canfetch.RobotsTxt, decisions: Decisions, short: ShortURLs) -> None:
    """Check that the minimized file has the same verdicts, and that it cannot be minimized again."""
    found = find_minimization(robots)
    if not found.removed:
        return
    smaller = canfetch.parse(found.content, profile=short.profile)
    same = decisions.allowed == Decisions(smaller, short).allowed
    other = Decisions(robots, short, OTHER_AGENT).allowed == Decisions(smaller, short, OTHER_AGENT).allowed
    _require(same and other, "minimization", robots.content, found)
    _require(find_minimization(smaller).content == found.content, "minimized twice", robots.content, found)


def check_difference(
    old: canfetch.RobotsTxt, new: canfetch.RobotsTxt, allowed: Sequence[int], short: ShortURLs
) -> None:
    """Check whether two files differ, the example, and the changes with their patterns."""
    before, after = allowed
    found = difference(old, new, agent=AGENT)
    shortest = short.shortest(before ^ after)
    _require(equivalent(old, new, agent=AGENT) is (found is None), "equivalent", old.content, new.content)
    if found is None:
        _require(shortest is None, "difference", old.content, new.content)
    else:
        _require(found.first.allowed is not found.second.allowed, "difference", old.content, new.content, found)
        length = len(found.first.target)
        _require(shortest is None or length <= shortest, "difference", old.content, new.content, found)
    changes = diff(old, new, agents=[AGENT])
    _require(bool(changes) is (found is not None), "diff", old.content, new.content, changes)
    for change in changes:
        _check_urls(old, change.newly_allowed, short, after & ~before, new)
        _check_urls(old, change.newly_disallowed, short, before & ~after, new)


def _check_urls(old: canfetch.RobotsTxt, urls: URLSet, short: ShortURLs, changed: int, new: canfetch.RobotsTxt) -> None:
    facts = old.content, new.content, urls
    shortest = short.shortest(changed)
    if not urls:
        _require(shortest is None, "diff", *facts)
        return
    _require(all(map(urls.contains, urls.examples)), "examples", *facts, urls.examples)
    length = len(old.decide(urls.examples[0], agent=AGENT).target)
    _require(shortest is None or length <= shortest, "examples", *facts, urls.examples)
    whole, some = (_matched(patterns, short) for patterns in (urls.patterns, urls.partial_patterns))
    wrong, missing = whole & ~changed, changed & ~(whole | some)
    _require(not wrong, "pattern", *facts, wrong and short.first(wrong))
    _require(not missing, "patterns", *facts, missing and short.first(missing))


def _matched(patterns: tuple[str, ...], short: ShortURLs) -> int:
    found = 0
    for pattern in patterns:
        found |= short.matched(pattern)
    return found


def main() -> int:
    """Run the enumeration."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--profile", default="rfc9309", choices=canfetch.PROFILES, help="the profile of all files")
    parser.add_argument("--files", type=int, default=1000, help="the number of pairs of files")
    parser.add_argument("--length", type=int, default=5, help="the maximum length of the paths")
    parser.add_argument("--seed", type=int, default=1, help="the seed of the random files")
    parser.add_argument("--values", type=int, default=0, help="choose from so many random rules: faster")
    parser.add_argument("--escapes", action="store_true", help="paths and rules with escapes; needs --values")
    parser.add_argument("--verbose", action="store_true", help="print the progress")
    options = parser.parse_args()
    if options.escapes and not options.values:
        parser.error("--escapes needs --values")
    rng = random.Random(options.seed)  # noqa: S311 - reproducible files
    short = ShortURLs(options.profile, options.length, ESCAPE_BYTES if options.escapes else BYTES)
    texts = FREQUENT_WITH_ESCAPES if options.escapes else _FREQUENT
    values = sorted({random_value(rng, texts) for _ in range(options.values)})
    started = time.monotonic()
    for number in range(options.files):
        old = random_file(rng, values)
        check_files(old, changed_file(old, rng, values), short)
        if number % _DECISIONS_CHECKED == 0:
            check_decisions(old, short)
        if options.verbose and number % 100 == 99:
            print(f"{options.profile}: {number + 1} pairs, {time.monotonic() - started:.0f} s", flush=True)
    seconds = time.monotonic() - started
    urls = f"{len(short.urls)} URLs"
    print(f"{options.profile}: {options.files} pairs, {urls}, no contradiction, {seconds:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
