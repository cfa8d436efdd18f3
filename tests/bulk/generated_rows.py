"""Files, agents and URLs for comparing engines: generated files, or real ones from `CANFETCH_CORPUS`."""

import os
import random
from pathlib import Path
from typing import NamedTuple

from canfetch import REGISTRY

PIECES = ["a", "b", "shop", "cart", "private", "é", "%C3%A9", "*", "x.php", "%zz"]
FILES = 24
URLS = 3


class GeneratedRows(NamedTuple):
    """Columns of equal length; a file is named by its ID."""

    files: dict[int, bytes | None]
    ids: list[int]
    agents: list[str]
    urls: list[str]

    @property
    def contents(self) -> list[bytes | None]:
        """The content of the file of each row."""
        return [self.files.get(number) for number in self.ids]


def generated_rows() -> GeneratedRows:
    """Return a row for each file, each agent of the registry, and each of some URLs."""
    dice = random.Random(9309)  # noqa: S311 - not for cryptography
    names = [crawler.name for crawler in REGISTRY.crawlers]
    files = dict(enumerate(_real_files() or [_content(dice, names) for _ in range(FILES)]))
    rows = [(number, name, _url(dice)) for number in files for name in names for _ in range(URLS)]
    # An ID without a file, invalid names and URLs, and null content.
    rows += [(len(files) + 7, "a", "/"), (0, "two words", "/"), (0, "a", "not a URL"), (len(files), "a", "/")]
    ids, agents, urls = (list(column) for column in zip(*rows, strict=True))
    return GeneratedRows(files | {len(files): None}, ids, agents, urls)


def _real_files() -> list[bytes]:
    folder = os.environ.get("CANFETCH_CORPUS")
    if not folder:
        return []
    return [path.read_bytes() for path in sorted(Path(folder).iterdir()) if path.is_file()][:200]


def _path(dice: random.Random) -> str:
    return "/" + "/".join(dice.choice(PIECES) for _ in range(dice.randint(1, 3)))


def _content(dice: random.Random, names: list[str]) -> bytes:
    lines = []
    for _ in range(dice.randint(1, 6)):
        lines += [f"User-agent: {name}" for name in dice.sample(names, dice.randint(1, 8))]
        lines += [f"{dice.choice(['Allow', 'Disallow'])}: {_path(dice)}{dice.choice(['', '$', '*'])}" for _ in range(4)]
    lines += ["User-agent: *", *(f"Disallow: {_path(dice)}" for _ in range(5)), "Allow: /a"]
    return "\n".join(lines).encode()


def _url(dice: random.Random) -> str:
    return dice.choice(["", "https://example.com", "//example.com"]) + _path(dice) + dice.choice(["", "?q=/a", "#f"])
