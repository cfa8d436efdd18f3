"""What is parsed and asked: generated files and URLs, the same on every machine, and the real files of a folder.

A generated file looks like a shop's: named crawlers with a few rules each, then `*` with about two thirds of the
octets; three rules in ten hold a wildcard. Half of the URLs of a set match some rule of `*`, three in ten have a
query, one in ten an escape.
"""

from __future__ import annotations

import os
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

SIZES = {"300 B": 300, "5 KB": 5_000, "100 KB": 100_000, "500 KB": 500_000}
AGENT = "examplebot"  # no generated file names it, so `*` applies
ORIGIN = "https://www.example.com"
CORPUS = "CANFETCH_CORPUS"

WORDS = (  # noqa: SIM905 (a line for each word would hide the file)
    "about account admin ajax api archive article assets auth author basket blog book brand cache cart catalog "
    "category cgi-bin checkout client comment compare contact content coupon customer data debug detail download "
    "draft edit email error event export feed file filter forum gallery group guest help history home image import "
    "include index invite item job js landing legal library list login logout mail map media member menu message "
    "mobile module news node offer order page panel partner payment photo plugin policy popup post press preview "
    "price print private product profile promo public query rating recent redirect register report result review "
    "rss sale script search section secure seller send session settings share shop sign-in site skin sort static "
    "stats store style submit subscribe tag team temp terms test theme thread ticket tmp tool topic track upload "
    "user vendor video view vote wiki wishlist wp-admin wp-content wp-includes"
).split()
CRAWLERS = (  # noqa: SIM905 (a line for each word would hide the file)
    "Googlebot Googlebot-Image Bingbot Slurp DuckDuckBot Baiduspider YandexBot AhrefsBot SemrushBot MJ12bot DotBot "
    "GPTBot ClaudeBot CCBot PerplexityBot Applebot Twitterbot facebookexternalhit PetalBot Bytespider SeznamBot "
    "Amazonbot Exabot BLEXBot DataForSeoBot ia_archiver Mediapartners-Google AdsBot-Google Sogou rogerbot"
).split()
ENDINGS = ("", "/", "/", ".php", ".html", ".aspx", "?", "/index.html")
FILE_TYPES = ("pdf", "php", "json", "xml", "jpg", "doc", "gif", "xls", "zip", "css")
KEYS = ("id", "page", "q", "sort", "utm_source", "ref", "sid", "lang", "color", "print")
ESCAPES = ("%20", "%C3%A9", "%2B", "%E2%82%AC", "%28x%29", "%26", "%7Euser", "%3D")


class Dice:
    """A seeded source of choices; `random.Random.random` alone is promised to stay the same over versions."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed).random  # noqa: S311 (nothing here is secret)

    def below(self, limit: int) -> int:
        """A number from 0 to `limit` - 1."""
        return int(self._random() * limit)

    def pick(self, values: Sequence[str]) -> str:
        """One of the values."""
        return values[self.below(len(values))]

    def chance(self, share: float) -> bool:
        """True in `share` of the cases."""
        return self._random() < share


@dataclass(frozen=True, slots=True)
class RobotsFile:
    """One robots.txt in both shapes that parsers take, made before any clock runs."""

    name: str
    octets: bytes
    text: str
    star_patterns: tuple[str, ...] = ()

    @property
    def rules(self) -> int:
        """How many allow and disallow lines it has."""
        lines = self.octets.lower().splitlines()
        return sum(line.lstrip().startswith((b"allow", b"disallow")) for line in lines)


def make_file(name: str, octets: bytes, star_patterns: tuple[str, ...] = ()) -> RobotsFile:
    """Give the file with its text as a caller of a `str` parser would decode it."""
    return RobotsFile(name, octets, octets.decode("utf-8", "replace"), star_patterns)


def segment(dice: Dice) -> str:
    """One segment of a path."""
    word = dice.pick(WORDS)
    if dice.chance(0.35):
        word += "-" + dice.pick(WORDS)
    if dice.chance(0.25):
        word += str(dice.below(1000))
    return word


def pattern(dice: Dice) -> str:
    """One rule's value; three in ten hold a wildcard."""
    if dice.chance(0.3):
        kind = dice.below(6)
        if kind == 0:
            return f"/*.{dice.pick(FILE_TYPES)}{dice.below(10) or ''}$"
        if kind == 1:
            return f"/*?{dice.pick(KEYS)}{dice.below(500)}="
        if kind == 2:
            return f"/*?*{dice.pick(KEYS)}={dice.pick(WORDS)}{dice.below(100)}"
        if kind == 3:
            return f"/*/{segment(dice)}/"
        if kind == 4:
            return f"/{segment(dice)}/*/{dice.pick(WORDS)}"
        return f"/{segment(dice)}/*.{dice.pick(FILE_TYPES)}$"
    path = "/" + "/".join(segment(dice) for _ in range(1 + dice.below(3)))
    return path + dice.pick(ENDINGS)


def _rule(dice: Dice, value: str) -> str:
    return f"{'Allow' if dice.chance(0.15) else 'Disallow'}: {value}"


def generate(octets: int, *, seed: int = 9309, star_alone: bool = False) -> RobotsFile:
    """Make a file of about `octets` octets.

    Args:
        octets: the size aimed at; the last line may exceed it.
        seed: another seed, another file.
        star_alone: one group, `*`, holds every rule.
    """
    dice = Dice(seed + octets)
    lines = [] if star_alone else [f"# robots.txt of {ORIGIN}", ""]
    size = sum(map(len, lines))
    crawlers = 0 if star_alone else octets * 24 // 100
    number = 0
    while size < crawlers:
        group = []
        for _ in range(1 + dice.below(3)):
            round_number, place = divmod(number, len(CRAWLERS))
            group.append(f"User-agent: {CRAWLERS[place]}{'-' + 'x' * round_number if round_number else ''}")
            number += 1
        if dice.chance(0.3):
            group.append(f"Crawl-delay: {1 + dice.below(20)}")
        group += [_rule(dice, pattern(dice)) for _ in range(1 + dice.below(5))]
        group.append("")
        lines += group
        size += sum(len(line) + 1 for line in group)
    lines.append("User-agent: *")
    patterns: list[str] = []
    seen: set[str] = set()
    while size < octets - 40:
        if not star_alone and dice.chance(0.03):
            lines.append(f"# {dice.pick(WORDS)} pages")
        else:
            value = pattern(dice)
            if value in seen:
                continue
            seen.add(value)
            patterns.append(value)
            lines.append(_rule(dice, value))
        size += len(lines[-1]) + 1
    if not star_alone:
        lines += ["", f"Sitemap: {ORIGIN}/sitemap.xml"]
    return make_file(f"{octets} octets", "\n".join(lines).encode() + b"\n", tuple(patterns))


def star_file(rules: int) -> RobotsFile:
    """Make a file whose one group, `*`, has `rules` rules."""
    whole = generate(rules * 60, star_alone=True)
    lines = whole.octets.splitlines(keepends=True)[: rules + 1]
    return make_file(f"{rules} rules", b"".join(lines), whole.star_patterns[:rules])


def matches(value: str, target: str) -> bool:
    """Say whether a pattern without escapes covers a target: `*` is any octets, a final `$` the end."""
    anchored = value.endswith("$")
    head, *others = (value[:-1] if anchored else value).split("*")
    if not target.startswith(head):
        return False
    place = len(head)
    last = others.pop() if others and anchored else None
    for part in others:
        found = target.find(part, place)
        if found < 0:
            return False
        place = found + len(part)
    if last is not None:
        return len(target) - len(last) >= place and target.endswith(last)
    return not anchored or place == len(target)


def _filled(dice: Dice, value: str) -> str:
    """Write a target that the pattern covers."""
    target = "".join(segment(dice) if sign == "*" else sign for sign in value.removesuffix("$"))
    if not value.endswith("$") and dice.chance(0.6):
        target += dice.pick(ESCAPES) if dice.chance(0.15) else segment(dice)
    return target


def _stray(dice: Dice) -> str:
    """Write a target that probably no rule covers."""
    parts = [segment(dice) for _ in range(1 + dice.below(3))]
    if dice.chance(0.1):
        parts.append(dice.pick(ESCAPES) + segment(dice))
    return "/" + "/".join(parts) + dice.pick(("", "/", ".html", ".htm"))


def urls(source: RobotsFile, count: int, *, seed: int = 1994) -> list[str]:
    """Make distinct URLs to ask of a generated file: half are covered by some rule of `*`, half by none."""
    dice = Dice(seed)
    patterns = list(source.star_patterns)
    heads = tuple(value for value in patterns if "*" not in value and "$" not in value)
    others = [value for value in patterns if "*" in value or "$" in value]
    found: dict[str, None] = {}
    covered = 0
    while len(found) < count:
        wanted = covered * 2 < count
        value = dice.pick(patterns)
        target = _filled(dice, value) if wanted else _stray(dice)
        if dice.chance(0.3 if "?" not in target else 0.0):
            target += f"?{dice.pick(KEYS)}={segment(dice)}"
        elif dice.chance(0.06):
            target += dice.pick(ESCAPES)
        if wanted and not matches(value, target):
            continue
        if not wanted and (target.startswith(heads) or any(matches(other, target) for other in others)):
            continue
        if ORIGIN + target not in found:
            found[ORIGIN + target] = None
            covered += wanted
    mixed = list(found)
    for place in range(len(mixed) - 1, 0, -1):
        other = dice.below(place + 1)
        mixed[place], mixed[other] = mixed[other], mixed[place]
    return mixed


def real_files(max_bytes: int = 512_000) -> tuple[list[RobotsFile], str]:
    """Read the folder that CANFETCH_CORPUS names; without it, generate as many kinds of small files as are usual.

    Returns: the files, and a sentence that says which were taken.
    """
    folder = os.environ.get(CORPUS)
    if not folder:
        # Half of the real files are under 600 octets, one in ten is over 4 KB, one in a hundred over 90 KB.
        sizes = (180, 250, 400, 600, 600, 900, 1_800, 2_500, 4_100, 9_000)
        files = [generate(size, seed=7 * number + size) for number in range(20) for size in sizes]
        files += [generate(size, seed=1) for size in (90_000, 45_000)]
        return files, f"{len(files)} generated files in the sizes of real ones ({CORPUS} is not set)"
    paths = sorted(path for path in Path(folder).iterdir() if path.is_file())
    files = [make_file(path.name, path.read_bytes()[:max_bytes]) for path in paths]
    octets = sum(len(file.octets) for file in files)
    return files, f"{len(files):,} real files of {CORPUS}, {octets:,} octets"


def question(file: RobotsFile, number: int = 0) -> str:
    """Make a URL to ask of any file: from one of its own rules where it has some, otherwise a common page."""
    dice = Dice(number * 7919 + len(file.octets))
    values = []
    for line in file.text.splitlines():
        key, colon, value = line.partition(":")
        if colon and key.strip().lower() in {"allow", "disallow"}:
            values.append(value.partition("#")[0].strip())
    host = "https://" + (file.name if "." in file.name else "www.example.com")
    usable = [value for value in values if value.startswith("/") and value.isascii() and value.isprintable()]
    if not usable or number % 3 == 2:
        return host + _stray(dice)
    return host + _filled(dice, dice.pick(usable).replace(" ", "%20"))
