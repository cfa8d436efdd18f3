"""Parser for files as urllib.robotparser reads them.

1. Lines end as in `str.splitlines`. A byte order mark is the first character of the first line.
2. A crawl delay or a request rate ends a run of user-agent lines, as a rule does.
3. Before the rewrite, an empty line drops user-agent lines without rules and ends an entry with rules. Escapes are
decoded immediately, and an entry without rules at the end of the file is dropped.
"""

from typing import Final, NamedTuple
from urllib.parse import unquote

from canfetch.core.contract import OtherRow
from canfetch.core.keys import RecordKind
from canfetch.core.profiles import Profile
from canfetch.core.reference.robotparser.paths import Path, old_path, rewritten_path

_ENDS_USER_AGENTS: Final = ("crawl-delay", "request-rate")
_START, _IN_USER_AGENTS, _IN_RULES = range(3)


class ParsedRule(NamedTuple):
    """A rule: its path, whether it allows, and its row of (allow, value, line) as written.

    `path` is None if the value is invalid.
    """

    path: Path | None
    allows: bool
    row: tuple[bool, bytes, int]


class ParsedEntry:
    """User-agent lines and the rules under them."""

    __slots__ = ("rules", "user_agents")

    def __init__(self) -> None:
        self.user_agents: list[tuple[str, int]] = []
        self.rules: list[ParsedRule] = []

    @property
    def names(self) -> list[str]:
        """The names in its user-agent lines, as written."""
        return [name for name, _ in self.user_agents]


class ParsedText(NamedTuple):
    """The result of parsing."""

    entries: list[ParsedEntry]
    others: list[OtherRow]


def parse_text(content: bytes, profile: Profile) -> ParsedText:
    """Parse a file.

    Cost: O(bytes).
    """
    reader = _Reader(rewritten=profile.robotparser_rewritten)
    start = 0
    for number, line in enumerate(content.decode("utf-8", "surrogateescape").splitlines(keepends=True), 1):
        reader.read(line, number, start)
        start += len(_encode(line))
    return reader.finish()


class _Reader:
    def __init__(self, *, rewritten: bool) -> None:
        self._rewritten = rewritten
        self._entries: list[ParsedEntry] = []
        self._others: list[tuple[ParsedEntry | None, OtherRow]] = []
        self._entry = ParsedEntry()
        self._state = _START

    def read(self, line: str, number: int, start: int) -> None:
        if not self._rewritten and not line.splitlines()[0]:
            self._empty_line()
        text = line.partition("#")[0]
        written_key, colon, written_value = text.partition(":")
        if not colon or not text.strip():
            return
        key, value = written_key.strip().lower(), written_value.strip()
        if key == "user-agent":
            self._user_agent(value, number)
        elif key in ("allow", "disallow"):
            self._rule(value, number, allow=key == "allow")
        else:
            self._other(written_key, written_value, number, start)
            if key in _ENDS_USER_AGENTS and self._state != _START:
                self._state = _IN_RULES

    def _empty_line(self) -> None:
        if self._state == _IN_RULES:
            self._entries.append(self._entry)
        if self._state != _START:
            self._entry, self._state = ParsedEntry(), _START

    def _user_agent(self, value: str, number: int) -> None:
        if self._state == _IN_RULES:
            self._entries.append(self._entry)
            self._entry = ParsedEntry()
        self._entry.user_agents.append((value if self._rewritten else unquote(value), number))
        self._state = _IN_USER_AGENTS

    def _rule(self, value: str, number: int, *, allow: bool) -> None:
        if self._state == _START:
            return
        self._state = _IN_RULES
        path = rewritten_path(value) if self._rewritten else old_path(value)
        # An empty disallow rule allows everything, as in the standard of 1994.
        allows = allow or not (value if self._rewritten else unquote(value))
        self._entry.rules.append(ParsedRule(path, allows, (allow, _encode(value), number)))

    def _other(self, written_key: str, written_value: str, number: int, start: int) -> None:
        key = written_key.strip()
        if not key:
            return
        kind = RecordKind.SITEMAP if key.lower() == "sitemap" else RecordKind.OTHER
        key_start = start + len(_encode(written_key)) - len(_encode(written_key.lstrip()))
        value = written_value.strip()
        after_colon = start + len(_encode(written_key)) + 1
        value_start = after_colon + len(_encode(written_value)) - len(_encode(written_value.lstrip()))
        spans = key_start, key_start + len(_encode(key)), value_start, value_start + len(_encode(value))
        self._others.append((None if self._state == _START else self._entry, (number, kind, *spans, -1)))

    def finish(self) -> ParsedText:
        if self._state == _IN_RULES or (self._rewritten and self._state == _IN_USER_AGENTS):
            self._entries.append(self._entry)
        # The entries have their final indices only now.
        indices = {id(entry): index for index, entry in enumerate(self._entries)}
        others = [(*row[:6], indices.get(id(entry), -1)) for entry, row in self._others]
        return ParsedText(self._entries, others)


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
