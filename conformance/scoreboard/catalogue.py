"""The implementations of the scoreboard, which `adapters/adapters.toml` lists."""

import os
import re
import subprocess
import sys
import tomllib
from argparse import ArgumentTypeError
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
REGISTRIES = {
    "python": "PyPI",
    "rust": "crates.io",
    "go": "Go proxy",
    "java": "Maven Central",
    "javascript": "npm",
}
LOADERS = {ROBOTS: load, ACCESS: load_access, PAGES: load_pages}


class Adapter(NamedTuple):
    """A program that answers questions with one implementation."""

    name: str
    title: str
    language: str
    package: str
    profiles: tuple[str, ...]
    claim: str
    source: str
    program: tuple[str, ...]
    version: str = ""
    versions: tuple[tuple[str, str], ...] = ()
    names_specification: bool = True
    asks: str = ROBOTS
    build: str | None = None
    version_command: tuple[str, ...] = ()
    supports: frozenset[str] = frozenset()
    environment: tuple[tuple[str, str], ...] = ()
    differs: tuple[tuple[str, str], ...] = ()
    not_asked: tuple[tuple[str, str], ...] = ()
    not_built: tuple[tuple[str, str], ...] = ()

    @property
    def registry(self) -> str:
        """The registry of the library, or an empty string for what is not from a registry."""
        return REGISTRIES.get((self.build or "").partition("-")[0], "")

    def releases(self) -> "list[Adapter]":
        """Return the adapter with each version of the library, the newest first."""
        return [self._replace(version=version) for version, _date in self.versions] or [self]

    @property
    def is_older(self) -> bool:
        """Whether the library has a newer version on the scoreboard."""
        return self.version != self.releases()[0].version

    @property
    def released(self) -> str:
        """The day on which the version was released, if the registry has it."""
        return dict(self.versions).get(self.version, "")

    @property
    def label(self) -> str:
        """The name for `--adapter`."""
        return f"{self.name}@{self.version}" if self.is_older else self.name

    def folder(self, root: Path = BUILD) -> Path:
        """Return the folder in which the adapter is built, below `root`."""
        language = root / (self.build or "")
        return language / re.sub(r"[^\w.-]", "-", f"{self.package}-{self.version}") if self.is_older else language

    def command(self, root: Path = BUILD) -> list[str]:
        """Return the command that starts the adapter, which is built below `root`."""
        return [_fill(word, self.folder(root)) for word in self.program]

    def process_environment(self) -> dict[str, str]:
        """Return the environment of the adapter's process."""
        return {**os.environ, **dict(self.environment)}

    def installed_version(self, root: Path = BUILD) -> str:
        """Return the version that answers: the pinned one, or that of the running interpreter."""
        if not self.version_command:
            return self.version
        command = [_fill(word, self.folder(root)) for word in self.version_command]
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
    """Return all adapters by name, each with the newest version of its library."""
    tables = {table["name"]: table for table in _catalogue()["adapter"]}
    return {name: _adapter({**tables.get(table.get("like"), {}), **table}) for name, table in tables.items()}


def find_adapter(label: str) -> Adapter:
    """Return the adapter with the name `label`, or with an older version of its library for `NAME@VERSION`."""
    for adapter in adapters().values():
        for each in adapter.releases():
            if label in {each.label, f"{each.name}@{each.version}"}:
                return each
    raise ArgumentTypeError(f"unknown adapter {label!r}: expected NAME or NAME@VERSION of adapters.toml")


def unavailable() -> list[Unavailable]:
    """Return the implementations and the versions that cannot be built or asked."""
    versions: dict[tuple[str, str], Unavailable] = {}
    for adapter in adapters().values():
        for version, reason in adapter.not_built:
            # The client of a library has the versions of the parser, which comes first.
            entry = Unavailable(f"{adapter.title} {version}", adapter.language, reason)
            versions.setdefault((adapter.package, version), entry)
    return [*(Unavailable(**table) for table in _catalogue()["unavailable"]), *versions.values()]


@cache
def _catalogue() -> dict[str, Any]:
    return tomllib.loads((ADAPTERS / "adapters.toml").read_text("utf-8"))


def _adapter(table: dict[str, Any]) -> Adapter:
    name = table["name"]
    table = {"title": name, "package": table.get("like", name), "profiles": ["rfc9309"], "source": "README.md", **table}
    table.pop("like", None)
    # Each is a version and, if the registry has it, the date of its release.
    table["versions"] = tuple(_version_and_date(line) for line in table.get("versions", ()))
    table["version"] = table["versions"][0][0] if table["versions"] else ""
    table["differs"] = tuple((entry["quote"], entry["source"]) for entry in table.get("differs", ()))
    for key in ("not_asked", "not_built", "environment"):
        table[key] = tuple(table.get(key, {}).items())
    table["supports"] = frozenset(table.get("supports", ()))
    for key in ("profiles", "program", "version_command"):
        table[key] = tuple(table.get(key, ()))
    return Adapter(**table)


def _version_and_date(line: str) -> tuple[str, str]:
    version, _, date = line.partition(" ")
    return version, date


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
