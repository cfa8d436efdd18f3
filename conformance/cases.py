"""The cases as values: every TOML file of this folder is read, and its recipes are made into octets.

`README.md` says what the keys mean, `schema.json` says it to a machine. Only the standard library is needed.
"""

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, Self

ROOT = Path(__file__).resolve().parent
# What the folders of cases are called. Others, such as access/, hold cases of another form.
FOLDERS = ("google", "hostile", "rfc9309", "disputed", "strict", "tables")


class Answer(NamedTuple):
    """What a case expects, or what an implementation says.

    `line` is 0 where no rule decided. None stands for what is not said: then it is not compared.
    """

    allowed: bool | None = None
    line: int | None = None
    reason: str | None = None
    error: str | None = None

    def meets(self, expected: Self, *, compare_lines: bool = True, compare_reasons: bool = True) -> bool:
        """Say whether this is the expected answer, in what both of them say."""
        if (self.allowed, self.error) != (expected.allowed, expected.error):
            return False
        pairs: list[tuple[object, object]] = []
        if compare_lines:
            pairs.append((self.line, expected.line))
        if compare_reasons:
            pairs.append((self.reason, expected.reason))
        return all(said is None or wanted is None or said == wanted for said, wanted in pairs)

    def __str__(self) -> str:
        if self.error is not None:
            return f"error {self.error}"
        verdict = {True: "allowed", False: "disallowed", None: "no verdict"}[self.allowed]
        line = "" if self.line is None else f", line {self.line}" if self.line else ", no line"
        return verdict + line + (f", {self.reason}" if self.reason else "")


class Question(NamedTuple):
    """One URL asked of one file for one agent, and the answer that is expected.

    Who asks is one product token, several to try in order, or, with `agents` empty, a whole User-Agent header.
    """

    case: str
    profile: str
    agents: tuple[str, ...]
    user_agent: str | None
    star_applies: bool
    robots: bytes
    robots_url: str | None
    max_bytes: int | None
    url: bytes
    expected: Answer


class Case(NamedTuple):
    """One case: a file, who asks, and what is expected of which URL, in each of its profiles."""

    id: str
    source: str
    level: str
    why: str
    profiles: tuple[str, ...]
    file: str
    table: Mapping[str, Any]

    def questions(self) -> Iterator[Question]:
        """Give every question of the case: each expectation, in each profile."""
        robots = octets(self.table, "robots")
        for profile in self.profiles:
            for expectation in self.table["expect"]:
                yield Question(
                    case=self.id,
                    profile=profile,
                    agents=_several(expectation.get("agent", self.table.get("agent", []))),
                    user_agent=self.table.get("user_agent"),
                    star_applies=self.table.get("star_applies", True),
                    robots=robots,
                    robots_url=self.table.get("robots_url"),
                    max_bytes=self.table.get("max_bytes"),
                    url=octets(expectation, "url"),
                    expected=Answer(
                        expectation.get("allowed"),
                        expectation.get("line"),
                        expectation.get("reason"),
                        expectation.get("error"),
                    ),
                )


def load(root: Path = ROOT) -> list[Case]:
    """Read every file of cases below a folder, in the order of their names."""
    return [case for path in case_files(root) for case in load_file(path, root)]


def case_files(root: Path = ROOT) -> list[Path]:
    """List the files of cases."""
    return [path for folder in FOLDERS for path in sorted((root / folder).glob("*.toml"))]


def load_file(path: Path, root: Path = ROOT) -> Iterator[Case]:
    """Read one file of cases."""
    for table in tomllib.loads(path.read_bytes().decode())["case"]:
        yield Case(
            table["id"],
            table["source"],
            table["level"],
            table["why"],
            _several(table["profile"]),
            path.relative_to(root).as_posix(),
            table,
        )


def octets(table: Mapping[str, Any], key: str) -> bytes:
    """Give the octets of `key`, which is a text, or of `key_parts`, which is a recipe."""
    text = table.get(key)
    return built(table[f"{key}_parts"]) if text is None else text.encode()


def built(parts: Iterable[Mapping[str, Any]], number: int = 1) -> bytes:
    """Make a recipe into octets: its parts one after the other, each as often as it says.

    `number` is that of the numbered repetition that the parts stand in.
    """
    return b"".join(_part(part, number) for part in parts)


def _part(part: Mapping[str, Any], number: int) -> bytes:
    times = number if part.get("grows", False) else part.get("repeat", 1)
    if part.get("numbered", False):
        return b"".join(_once(part, n).replace(b"{n}", b"%d" % n) for n in range(1, times + 1))
    return bytes(_once(part, number) * times)


def _once(part: Mapping[str, Any], number: int) -> bytes:
    if "text" in part:
        return bytes(part["text"].encode())
    return bytes.fromhex(part["hex"]) if "hex" in part else built(part["parts"], number)


def _several(value: str | list[str]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)
