"""Load the conformance cases from the TOML files of this folder.

`README.md` explains the keys, and `schema.json` defines the format. Only the standard library is needed.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, Self

ROOT = Path(__file__).resolve().parent
# The folders with cases in this format. Other folders, such as access/, use other formats.
FOLDERS = ("google", "hostile", "rfc9309", "disputed", "strict", "tables")

RAISED = "raised"

# What a case has in common with the case that its key `like` names.
INHERITED = ("agent", "user_agent", "star_applies", "robots", "robots_parts", "robots_url", "max_bytes")

_ID_LINE = re.compile(r'^id = "([^"\n]*)"$', re.MULTILINE)


class Answer(NamedTuple):
    """The expected answer of a case, or the answer of an implementation.

    `line` is 0 if no rule decided. A `line` or `reason` that is None is not compared. An error that starts with
    `RAISED` is an exception of a library, which counts as any expected error.
    """

    allowed: bool | None = None
    line: int | None = None
    reason: str | None = None
    error: str | None = None

    def matches(self, expected: Self, *, compare_lines: bool = True, compare_reasons: bool = True) -> bool:
        """Return whether this answer matches `expected`. A line or reason that either side lacks is ignored."""
        if expected.error is not None and self.error is not None and self.error.startswith(RAISED):
            return True
        if (self.allowed, self.error) != (expected.allowed, expected.error):
            return False
        pairs: list[tuple[object, object]] = []
        if compare_lines:
            pairs.append((self.line, expected.line))
        if compare_reasons:
            pairs.append((self.reason, expected.reason))
        return all(None in pair or pair[0] == pair[1] for pair in pairs)

    def __str__(self) -> str:
        if self.error is not None:
            return f"error {self.error}"
        verdict = {True: "allowed", False: "disallowed", None: "no verdict"}[self.allowed]
        line = "" if self.line is None else f", line {self.line}" if self.line else ", no line"
        return verdict + line + (f", {self.reason}" if self.reason else "")


class Question(NamedTuple):
    """One file, agent, profile and URL, with the expected answer.

    `agents` holds one product token, or several to try in order. If it is empty, `user_agent` is a whole header.
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
    # What the origin of `url` responds to a request for robots.txt, in cases for clients.
    event: Mapping[str, Any] | None = None
    # The response whose page-level rules are read, in cases for them.
    page: Mapping[str, Any] | None = None
    # What one client goes through, in cases for clients over time. The question is that of the last step.
    steps: tuple[Mapping[str, Any], ...] = ()


class Case(NamedTuple):
    """One case: a file, an agent, and the expected answers in each of its profiles. `line` is that of its ID."""

    id: str
    source: str
    level: str
    why: str
    profiles: tuple[str, ...]
    file: str
    line: int
    table: Mapping[str, Any]

    def questions(self) -> Iterator[Question]:
        """Yield every question of the case: each expectation in each profile."""
        robots = encode_value(self.table, "robots")
        for profile in self.profiles:
            for expectation in self.table["expect"]:
                yield Question(
                    case=self.id,
                    profile=profile,
                    agents=as_tuple(expectation.get("agent", self.table.get("agent", []))),
                    user_agent=self.table.get("user_agent"),
                    star_applies=expectation.get("star_applies", self.table.get("star_applies", True)),
                    robots=robots,
                    robots_url=self.table.get("robots_url"),
                    max_bytes=self.table.get("max_bytes"),
                    url=encode_value(expectation, "url"),
                    expected=Answer(
                        expectation.get("allowed"),
                        expectation.get("line"),
                        expectation.get("reason"),
                        expectation.get("error"),
                    ),
                    event=self.table.get("event"),
                    page=expectation.get("page"),
                    steps=self.table.get("steps", ()),
                )


def load(root: Path = ROOT) -> list[Case]:
    """Load all cases below `root`, sorted by file name."""
    return [case for path in case_files(root) for case in load_file(path, root)]


def case_files(root: Path = ROOT) -> list[Path]:
    """Return the paths of the files that contain cases."""
    return [path for folder in FOLDERS for path in sorted((root / folder).glob("*.toml"))]


def load_file(path: Path, root: Path) -> Iterator[Case]:
    """Yield the cases of one file."""
    text = path.read_bytes().decode()
    lines = id_lines(text)
    for table in load_tables(text):
        yield Case(
            id=table["id"],
            source=table["source"],
            level=table["level"],
            why=table["why"],
            profiles=as_tuple(table["profile"]),
            file=path.relative_to(root).as_posix(),
            line=lines[table["id"]],
            table=table,
        )


def load_tables(text: str) -> Iterator[dict[str, Any]]:
    """Yield the tables of the cases in the text of a file, each with what `like` takes from a case before it."""
    tables: dict[str, dict[str, Any]] = {}
    for table in tomllib.loads(text)["case"]:
        if "like" in table:
            table.update({key: value for key, value in tables[table["like"]].items() if key in INHERITED})
        tables[table["id"]] = table
        yield table


def id_lines(text: str) -> dict[str, int]:
    """Return the line of each case ID in the text of a file, counted from 1."""
    return {match[1]: text.count("\n", 0, match.start()) + 1 for match in _ID_LINE.finditer(text)}


def encode_value(table: Mapping[str, Any], key: str) -> bytes:
    """Return the value of `key`, encoded as UTF-8, or the value that `key_parts` describes."""
    text = table.get(key)
    return build_parts(table[f"{key}_parts"]) if text is None else text.encode()


def build_parts(parts: Iterable[Mapping[str, Any]], number: int = 1) -> bytes:
    """Build a value from its parts, repeating each part as specified.

    Args:
        parts: Parts as described in README.md.
        number: Number of the enclosing numbered repetition.
    """
    return b"".join(_build_part(part, number) for part in parts)


def _build_part(part: Mapping[str, Any], number: int) -> bytes:
    times = number if part.get("grows", False) else part.get("repeat", 1)
    if part.get("numbered", False):
        return b"".join(_build_repetition(part, n).replace(b"{n}", b"%d" % n) for n in range(1, times + 1))
    return bytes(_build_repetition(part, number) * times)


def _build_repetition(part: Mapping[str, Any], number: int) -> bytes:
    if "text" in part:
        return bytes(part["text"].encode())
    return bytes.fromhex(part["hex"]) if "hex" in part else build_parts(part["parts"], number)


def as_tuple(value: str | list[str]) -> tuple[str, ...]:
    """Return a value that is a string or a list of strings as a tuple."""
    return (value,) if isinstance(value, str) else tuple(value)
