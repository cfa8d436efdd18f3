"""Generated cases, reproducible by seed, that contain typical errors of parsers.

A case is one file with agents and URLs. Each agent with each URL is a triple. URLs are made
from the patterns of the file, so that most match a rule. Many cases have enough URLs for the native engine to build
its index.
"""

from random import Random
from typing import Final, NamedTuple

from tests.differential.targets import edit, url_from
from tests.differential.vocabulary import (
    BEGINNINGS,
    LINE_ENDS,
    OTHER_AGENTS,
    OTHER_LINES,
    PATTERN_STARTS,
    RULE_KEYS,
    SEPARATORS,
    TAILS,
    THEMES,
    TOKENS,
    USER_AGENT_KEYS,
    USER_AGENT_VALUES,
)

# The number of bytes that Google's parser reads of a line.
LINE_LIMIT: Final = 16_663


class Size(NamedTuple):
    """The maximum size of a kind of case."""

    groups: int
    rules: int
    agents: int
    urls: int


# Weighted by repetition: most are small, because Google's parser reads the file again for each triple.
SIZES: Final = (
    [Size(groups=2, rules=5, agents=3, urls=12)] * 50
    + [Size(groups=4, rules=3, agents=4, urls=10)] * 14
    + [Size(groups=2, rules=14, agents=2, urls=56)] * 26
    + [Size(groups=1, rules=60, agents=1, urls=64)] * 6
    + [Size(groups=24, rules=2, agents=5, urls=12)] * 3
)
LARGE: Final = Size(groups=3, rules=300, agents=1, urls=80)
LONG_LINES: Final = Size(groups=1, rules=2, agents=1, urls=12)
DENSE: Final = Size(groups=1, rules=180, agents=1, urls=56)
MANY_AGENTS: Final = Size(groups=180, rules=2, agents=150, urls=6)
RARE_SHARE: Final = 1 / 1000


class Case(NamedTuple):
    """A file, agents of one product token each, and URLs, some of them invalid."""

    seed: int
    content: bytes
    agents: tuple[bytes, ...]
    urls: tuple[str | bytes, ...]


def generate_case(seed: int) -> Case:
    """Return the case of a seed.

    Cost: some microseconds a triple.
    """
    return CaseMaker(seed).case()


class CaseMaker:
    """Draws one case. The order of the draws must not change, so that a seed always has the same case."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.random = random = Random(seed)  # noqa: S311 - cases, not secrets
        self.atoms = random.choice(THEMES)
        self.tokens = random.choices(TOKENS, k=3)
        self.named: list[bytes] = []
        self.patterns: list[bytes] = []
        self.long_patterns: list[bytes] = []
        # In a quiet file, keys, separators and line breaks are plain, and only the patterns are unusual.
        self.quiet = random.random() < 0.5

    def case(self) -> Case:
        """Draw the case."""
        random = self.random
        rare = int(random.random() / RARE_SHARE)
        if rare <= 1:
            return self._draw_long_lines()
        if rare == 2:
            return self._draw_dense_wildcards()
        if rare == 3:
            # More sets of groups than an engine caches, and more tokens than it searches one by one.
            self.quiet = True
            self.tokens = [b"bot-" + bytes(random.choices(b"abcDEF_", k=3)) for _ in range(300)]
        self.quiet = self.quiet and rare != 4
        size = LARGE if rare == 4 else MANY_AGENTS if rare == 3 else random.choice(SIZES)
        lines: list[bytes] = []
        if random.random() < 0.1:
            lines += self._rule_lines(2)
        fewest = size.groups // 2 if size.groups > 50 else 0
        for _ in range(1 + fewest + int(random.random() * (size.groups - fewest))):
            lines += self._group_lines(size)
        return self._finish(lines, size)

    def _finish(self, lines: list[bytes], size: Size) -> Case:
        random = self.random
        ends = (b"\n",) if self.quiet else random.choice(LINE_ENDS)
        if len(ends) == 1:
            content = ends[0].join(lines)
        else:
            content = b"".join(line + end for line, end in zip(lines, random.choices(ends, k=len(lines)), strict=True))
        if random.random() < 0.7:
            content += ends[0]
        content = random.choice(BEGINNINGS) + content
        agents = self._agents(size.agents)
        patterns = self.patterns or [b"/"]
        # At least half, because the number of URLs decides whether an index is used.
        count = size.urls // 2 + int(random.random() * (size.urls // 2 + 1))
        urls = tuple(url_from(random, pattern, self.atoms) for pattern in random.choices(patterns, k=count))
        return Case(self.seed, content, agents, urls)

    # --- groups and lines ---

    def _group_lines(self, size: Size) -> list[bytes]:
        random = self.random
        lines: list[bytes] = []
        for _ in range(1 + int(random.random() * random.random() * 4)):
            value = random.choice(USER_AGENT_VALUES if not self.quiet else (b"@", b"*"))
            if b"@" in value:
                token = random.choice(self.tokens)
                self.named.append(token)
                if random.random() < 0.2:
                    token = token.swapcase()
                value = value.replace(b"@", token)
            lines.append(self._line(USER_AGENT_KEYS, b"User-agent", value))
            if random.random() < 0.12:
                lines.append(random.choice(OTHER_LINES))
        most = size.rules
        least = most // 2 if most > 20 else 0
        lines += self._rule_lines(least + int(random.random() * (most - least + 1)))
        return lines

    def _rule_lines(self, count: int) -> list[bytes]:
        random = self.random
        lines: list[bytes] = []
        for _ in range(count):
            pattern = self._pattern()
            self.patterns.append(pattern)
            lines.append(self._line(RULE_KEYS, None, pattern))
            if not self.quiet and random.random() < 0.08:
                lines.append(random.choice(OTHER_LINES))
        return lines

    def _line(self, keys: list[bytes], plain_key: bytes | None, value: bytes) -> bytes:
        random = self.random
        if self.quiet or random.random() < 0.5:
            key = plain_key or (b"Allow" if random.random() < 0.5 else b"Disallow")
            return key + b": " + value
        key = random.choice(keys)
        if random.random() < 0.35:
            # More spellings than an engine caches.
            key = bytes(byte ^ 0x20 if byte > 0x60 and random.random() < 0.5 else byte for byte in key)
        return key + random.choice(SEPARATORS) + value + random.choice(TAILS)

    def _pattern(self) -> bytes:
        random = self.random
        known = self.patterns
        if known and random.random() < 0.5:
            # Derived from a known pattern: the same, longer, or edit.
            pattern = random.choice(known)
            kind = random.random()
            if kind < 0.15:
                return pattern
            if kind < 0.45:
                return pattern + random.choice(self.atoms)
            return edit(random, pattern, self.atoms)
        if random.random() < 0.04:
            return b""
        length = int(random.random() * random.random() * 7)
        return random.choice(PATTERN_STARTS) + b"".join(random.choices(self.atoms, k=length))

    def _agents(self, count: int) -> tuple[bytes, ...]:
        random = self.random
        # First agents with a group, then one that may have none.
        others = [random.choice(self.tokens if random.random() < 0.4 else OTHER_AGENTS)]
        agents = list(dict.fromkeys([*dict.fromkeys(self.named), *others]))[:count]
        return tuple(agent.swapcase() if random.random() < 0.25 else agent for agent in agents)

    # --- rare cases ---

    def _draw_dense_wildcards(self) -> Case:
        # The pieces of each rule occur almost everywhere in each URL, but in another order, so searching is expensive.
        random = self.random
        letters = random.choice([b"ab", b"abc", b"a/", b"ab?", b"aab"])
        self.atoms = [bytes(random.choices(letters, k=3 + int(random.random() * 6))) for _ in range(12)]
        lines = [b"User-agent: *"]
        for _ in range(DENSE.rules // 2 + int(random.random() * DENSE.rules)):
            pieces = random.choices(self.atoms, k=1 + int(random.random() * 4))
            start = random.choice([b"/*", b"/*", b"/*", b"*", b"/", b"/a*"])
            pattern = start + b"*".join(pieces) + random.choice([b"", b"", b"$", b"*", b"c", b"*c$", b"*$"])
            lines.append(random.choice([b"Allow: ", b"Disallow: "]) + pattern)
        lengths = random.choices((4, 25, 75), k=8)
        self.patterns = [b"/" + bytes(random.choices(letters, k=length * 4)) for length in lengths]
        return self._finish(lines, DENSE)

    def _draw_long_lines(self) -> Case:
        random = self.random
        lines = [b"User-agent: *"]
        for _ in range(1 + int(random.random() * 3)):
            lines += [self._long_line(), *self._rule_lines(int(random.random() * 2))]
        self.patterns += self.long_patterns
        return self._finish(lines, LONG_LINES)

    def _long_line(self) -> bytes:
        # Its length is around the limit, and the cut is in a sensitive part.
        random = self.random
        key = random.choice([b"Disallow", b"Allow", b"disalow", b"User-agent"])
        end = LINE_LIMIT - 4 + int(random.random() * 7)
        last = random.choice([b"$", b"%C3%a9", b"\xc3\xa9", b"*", b"ab", b"*a", b"index.html", b"%4", b"/", b"$$"])
        kind = random.random()
        if kind < 0.08:
            # The white space before the value extends across the limit.
            return (key + b": ").ljust(end - 1) + b"/" + last
        if kind < 0.16:
            return b"\t" * (end - len(key) - 8) + key + b": /a%41" + last
        if kind < 0.24:
            return (key + b": /a").ljust(end) + last + b" # c"
        if kind < 0.32:
            return (key + b": /a #").ljust(end, b"c") + b"\0d: /" + last
        if kind < 0.4:
            # The colon is past the limit, so white space is the separator.
            return key.ljust(end) + random.choice([b"/a", b": /a", b" /", b"", last])
        filler = random.choice([b"a", b"%C3", b"\xc3\xa9", b"%4", b"/", b"$", b"?:", b"ab"])
        head = key + b": /"
        value = b"/" + (filler * end)[: end - len(head)]
        # Not used to draw rules: with a `*` in such a pattern, Google's parser takes a second for each URL.
        self.long_patterns += [value + last[:length] for length in range(4)]
        self.long_patterns += [value[:-1], value + last]
        return key + b": " + value + last + random.choice([b"", b"b", b" c", b"#"])
