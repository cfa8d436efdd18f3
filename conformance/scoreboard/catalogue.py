"""The implementations of the scoreboard, which `adapters/adapters.toml` lists."""

import os
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from conformance.access_cases import load_access
from conformance.cases import ROOT, Case, Question, load
from conformance.page_cases import OPTIONAL_INPUT, load_pages

ADAPTERS = ROOT / "adapters"
# Where adapters are built: in the current folder, because an installed package should not change. Git ignores it.
BUILD = Path("build", "adapters").resolve()
# By what an adapter is asked about: files, responses for robots.txt, or page-level rules.
ROBOTS, ACCESS, PAGES = "robots", "access", "pages"
LOADERS = {ROBOTS: load, ACCESS: load_access, PAGES: load_pages}


class Adapter(NamedTuple):
    """A program that answers questions with one implementation."""

    name: str
    title: str
    language: str
    registry: str
    package: str
    version: str
    profiles: tuple[str, ...]
    claim: str
    source: str
    program: tuple[str, ...]
    names_specification: bool = True
    asks: str = ROBOTS
    build: str | None = None
    version_command: tuple[str, ...] = ()
    supports: frozenset[str] = frozenset()
    environment: tuple[tuple[str, str], ...] = ()
    differs: tuple[tuple[str, str], ...] = ()
    not_asked: tuple[tuple[str, str], ...] = ()

    def command(self, folder: Path = BUILD) -> list[str]:
        """Return the command that starts the adapter, which is built in `folder`."""
        return [_fill(word, folder) for word in self.program]

    def process_environment(self) -> dict[str, str]:
        """Return the environment of the adapter's process."""
        return {**os.environ, **dict(self.environment)}

    def installed_version(self, folder: Path = BUILD) -> str:
        """Return the version that answers: the pinned one, or that of the running interpreter."""
        if not self.version_command:
            return self.version
        command = [_fill(word, folder) for word in self.version_command]
        environment = self.process_environment()
        return subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout.strip()

    def cases(self) -> list[Case]:
        """Return the cases that the adapter is asked."""
        return LOADERS[self.asks]()

    def reason_to_skip(self, question: Question) -> str:
        """Return why the interface of this implementation cannot express `question`, or an empty string."""
        needs = {
            "user-agent-headers": question.user_agent is not None,
            "agent-lists": len(question.agents) > 1,
            "no-star": not question.star_applies,
            "robots-urls": question.robots_url is not None,
            "size-limits": question.max_bytes is not None,
            "urls-of-bytes": not _is_text(question.url),
            # Few interfaces promise to reject URLs.
            "invalid-urls": question.expected.error == "invalid-url",
            "invalid-robots-urls": question.expected.error == "invalid-robots-url",
            "ftp": question.event is not None and "ftp" in question.event,
            "kept-clients": bool(question.steps),
            "clocks": any(step["hours"] for step in question.steps),
            "agents-of-one-client": len({step["agent"] for step in question.steps}) > 1,
        }
        if question.page is not None:
            needs |= {key: question.page[key] is not None for key in OPTIONAL_INPUT}
            needs[question.page["decision"]] = True
        return ", ".join(need for need, needed in needs.items() if needed and need not in self.supports)


class Unavailable(NamedTuple):
    """An implementation that is not on the scoreboard, with the reason."""

    title: str
    language: str
    reason: str


@cache
def adapters() -> dict[str, Adapter]:
    """Return all adapters by name."""
    return {table["name"]: _adapter(table) for table in _catalogue()["adapter"]}


def unavailable() -> list[Unavailable]:
    """Return the implementations that cannot be built or asked."""
    return [Unavailable(**table) for table in _catalogue()["unavailable"]]


@cache
def _catalogue() -> dict[str, Any]:
    return tomllib.loads((ADAPTERS / "adapters.toml").read_text("utf-8"))


def _adapter(table: dict[str, Any]) -> Adapter:
    table = dict(table)
    table["differs"] = tuple((entry["quote"], entry["source"]) for entry in table.get("differs", ()))
    table["not_asked"] = tuple(table.get("not_asked", {}).items())
    table["environment"] = tuple(table.get("environment", {}).items())
    table["supports"] = frozenset(table.get("supports", ()))
    for key in ("profiles", "program", "version_command"):
        table[key] = tuple(table.get(key, ()))
    return Adapter(**table)


def _fill(word: str, folder: Path) -> str:
    for key, value in (("{interpreter}", sys.executable), ("{adapters}", str(ADAPTERS)), ("{build}", str(folder))):
        word = word.replace(key, value)
    return word


def _is_text(value: bytes) -> bool:
    try:
        value.decode()
    except UnicodeDecodeError:
        return False
    return True
