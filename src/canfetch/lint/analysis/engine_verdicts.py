"""Questions to the engines that no octets of a file make raise."""

from collections.abc import Iterable

from canfetch.agents import REGISTRY
from canfetch.core.agent import Agent
from canfetch.core.verdict import Verdict
from canfetch.errors import InvalidProductToken, InvalidURL
from canfetch.lint.check import VerdictQuery
from canfetch.lint.crawler_verdicts import example_path
from canfetch.lint.linted_file import LintedFile

STAR = "*"


def try_allows(file: LintedFile, path: str, profile: str, token: str) -> bool | None:
    """Say whether a crawler of that name may fetch a path, or None where neither name nor path can be asked for."""
    try:
        return file.robots_for(profile).allows(path, agent=_agent(token))
    except (InvalidURL, InvalidProductToken):
        return None


def try_decide(file: LintedFile, path: str, profile: str, token: str) -> Verdict | None:
    """Give the verdict on a path, or None where neither name nor path can be asked for."""
    try:
        return file.robots_for(profile).decide(path, agent=_agent(token))
    except (InvalidURL, InvalidProductToken):
        return None


def _agent(token: str) -> Agent:
    return Agent(token) if token == STAR else REGISTRY.agent(token)


def query_for(pattern: bytes, tokens: Iterable[str] = ()) -> VerdictQuery | None:
    """Give the question for a path that a pattern matches; two slashes at its start would be read as a host."""
    path = example_path(pattern)
    if path.startswith("//"):
        return None
    return VerdictQuery(path, tuple(tokens))
