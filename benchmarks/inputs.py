"""Input files and URLs: generated ones, which are the same on every machine, and real files from a folder.

A generated file resembles that of a shop: groups of named crawlers with a few rules each, then a group for `*` with
about two thirds of the bytes. 30 % of the rules have a wildcard. Of the URLs, half match a rule for `*`, 30 % have a
query, and 10 % have an escape.
"""

from __future__ import annotations

import os
import random
import sys
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
    """A seeded random generator. It uses only `random.Random.random`, which is the same in all Python versions."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed).random  # noqa: S311 (not for cryptography)

    def below(self, limit: int) -> int:
        """Return a number from 0 to `limit` - 1."""
        return int(self._random() * limit)

    def pick(self, values: Sequence[str]) -> str:
        """Return one of the values."""
        return values[self.below(len(values))]

    def chance(self, share: float) -> bool:
        """Return True with the probability `share`."""
        return self._random() < share


@dataclass(frozen=True, slots=True)
class RobotsFile:
    """One robots.txt as bytes and as str, decoded before any measurement."""

    name: str
    content: bytes
    text: str
    star_patterns: tuple[str, ...] = ()

    @property
    def rules(self) -> int:
        """Number of allow and disallow lines."""
        lines = self.content.lower().splitlines()
        return sum(line.lstrip().startswith((b"allow", b"disallow")) for line in lines)


def make_file(name: str, content: bytes, star_patterns: tuple[str, ...] = ()) -> RobotsFile:
    """Return the file with its text, decoded as for a parser that takes str."""
    return RobotsFile(name, content, content.decode("utf-8", "replace"), star_patterns)


def segment(dice: Dice) -> str:
    """Return one segment of a path."""
    word = dice.pick(WORDS)
    if dice.chance(0.35):
        word += "-" + dice.pick(WORDS)
    if dice.chance(0.25):
        word += str(dice.below(1000))
    return word


def pattern(dice: Dice) -> str:
    """Return the value of a rule. 30 % have a wildcard."""
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


def generate(file_size: int, *, seed: int = 9309, star_only: bool = False) -> RobotsFile:
    """Generate a file of about `file_size` bytes.

    Args:
        file_size: Target size. The last line may exceed it.
        seed: Seed of the random generator.
        star_only: Put all rules into one group, for `*`.
    """
    dice = Dice(seed + file_size)
    lines = [] if star_only else [f"# robots.txt of {ORIGIN}", ""]
    size = sum(map(len, lines))
    crawlers = 0 if star_only else file_size * 24 // 100
    number = 0
    while size < crawlers:
        group = []
        for _ in range(1 + dice.below(3)):
            round_number, position = divmod(number, len(CRAWLERS))
            group.append(f"User-agent: {CRAWLERS[position]}{'-' + 'x' * round_number if round_number else ''}")
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
    while size < file_size - 40:
        if not star_only and dice.chance(0.03):
            lines.append(f"# {dice.pick(WORDS)} pages")
        else:
            value = pattern(dice)
            if value in seen:
                continue
            seen.add(value)
            patterns.append(value)
            lines.append(_rule(dice, value))
        size += len(lines[-1]) + 1
    if not star_only:
        lines += ["", f"Sitemap: {ORIGIN}/sitemap.xml"]
    return make_file(f"{file_size} bytes", "\n".join(lines).encode() + b"\n", tuple(patterns))


def star_file(rules: int) -> RobotsFile:
    """Return a file with one group, for `*`, of `rules` rules."""
    whole = generate(rules * 60, star_only=True)
    lines = whole.content.splitlines(keepends=True)[: rules + 1]
    return make_file(f"{rules} rules", b"".join(lines), whole.star_patterns[:rules])


def matches(value: str, target: str) -> bool:
    """Return whether a pattern without escapes matches `target`."""
    anchored = value.endswith("$")
    head, *others = (value[:-1] if anchored else value).split("*")
    if not target.startswith(head):
        return False
    position = len(head)
    last = others.pop() if others and anchored else None
    for part in others:
        found = target.find(part, position)
        if found < 0:
            return False
        position = found + len(part)
    if last is not None:
        return len(target) - len(last) >= position and target.endswith(last)
    return not anchored or position == len(target)


def _matching_target(dice: Dice, value: str) -> str:
    """Return a target that matches the pattern."""
    target = "".join(segment(dice) if sign == "*" else sign for sign in value.removesuffix("$"))
    if not value.endswith("$") and dice.chance(0.6):
        target += dice.pick(ESCAPES) if dice.chance(0.15) else segment(dice)
    return target


def _other_target(dice: Dice) -> str:
    """Return a target that probably matches no rule."""
    parts = [segment(dice) for _ in range(1 + dice.below(3))]
    if dice.chance(0.1):
        parts.append(dice.pick(ESCAPES) + segment(dice))
    return "/" + "/".join(parts) + dice.pick(("", "/", ".html", ".htm"))


def urls(source: RobotsFile, count: int, *, seed: int = 1994) -> list[str]:
    """Return distinct URLs for a generated file. Half of them match a rule for `*`, the others match none."""
    dice = Dice(seed)
    patterns = list(source.star_patterns)
    heads = tuple(value for value in patterns if "*" not in value and "$" not in value)
    others = [value for value in patterns if "*" in value or "$" in value]
    found: dict[str, None] = {}
    covered = 0
    while len(found) < count:
        wanted = covered * 2 < count
        value = dice.pick(patterns)
        target = _matching_target(dice, value) if wanted else _other_target(dice)
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
    for position in range(len(mixed) - 1, 0, -1):
        other = dice.below(position + 1)
        mixed[position], mixed[other] = mixed[other], mixed[position]
    return mixed


def real_files() -> tuple[list[RobotsFile], str]:
    """Read the files in the folder of CANFETCH_CORPUS, or generate files of the usual sizes if it is not set.

    Returns: The files, and a description of them.
    Raises: SystemExit: The folder contains no files.
    """
    folder = os.environ.get(CORPUS)
    if not folder:
        # The median of real files is 600 bytes; 10 % are over 4 KB, and 1 % are over 90 KB.
        sizes = (180, 250, 400, 600, 600, 900, 1_800, 2_500, 4_100, 9_000)
        files = [generate(size, seed=7 * number + size) for number in range(20) for size in sizes]
        files += [generate(size, seed=1) for size in (90_000, 45_000)]
        return files, f"{len(files)} generated files of the usual sizes ({CORPUS} is not set)"
    paths = sorted(path for path in Path(folder).iterdir() if path.is_file())
    if not paths:
        sys.exit(f"{CORPUS}={folder}: the folder contains no files")
    files = [make_file(path.name, path.read_bytes()[:512_000]) for path in paths]
    size = sum(len(file.content) for file in files)
    return files, f"{len(files):,} real files of {CORPUS}, {size:,} bytes"


def sample_url(file: RobotsFile, number: int = 0) -> str:
    """Return a URL for any file, made from one of its rules if it has usable ones, or else a typical URL."""
    dice = Dice(number * 7919 + len(file.content))
    values = []
    for line in file.text.splitlines():
        key, colon, value = line.partition(":")
        if colon and key.strip().lower() in {"allow", "disallow"}:
            values.append(value.partition("#")[0].strip())
    host = "https://" + (file.name if "." in file.name else "www.example.com")
    usable = [value for value in values if value.startswith("/") and value.isascii() and value.isprintable()]
    if not usable or number % 3 == 2:
        return host + _other_target(dice)
    return host + _matching_target(dice, dice.pick(usable).replace(" ", "%20"))
