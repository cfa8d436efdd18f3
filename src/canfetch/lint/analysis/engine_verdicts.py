"""Verdicts for tokens and paths from the file, which may be invalid."""

from collections.abc import Sequence

from canfetch.agents import REGISTRY
from canfetch.core.agent import Agent, as_agent
from canfetch.core.agent_rules import find_deciding_rule
from canfetch.core.verdict import Verdict
from canfetch.errors import InvalidProductToken, InvalidURL
from canfetch.lint.linted_file import LintedFile

STAR = "*"


def try_allows(file: LintedFile, path: str, profile: str, token: str) -> bool | None:
    """Return whether a crawler may fetch a path, or None if the token or the path is not valid."""
    try:
        return file.robots_for(profile).allows(path, agent=_agent(token))
    except (InvalidURL, InvalidProductToken):
        return None


def try_allows_many(file: LintedFile, paths: Sequence[str], profile: str, token: str) -> list[bool | None]:
    """Return for each path whether a crawler may fetch it, or None if the token or the path is not valid."""
    try:
        return [*file.robots_for(profile).rules_for(_agent(token)).allows_many(paths)]
    except (InvalidURL, InvalidProductToken):
        return [try_allows(file, path, profile, token) for path in paths]


def try_decide(file: LintedFile, path: str, profile: str, token: str) -> Verdict | None:
    """Return the verdict for a path, or None if the token or the path is not valid."""
    try:
        return file.robots_for(profile).decide(path, agent=_agent(token))
    except (InvalidURL, InvalidProductToken):
        return None


def deciding_line(file: LintedFile, path: str, profile: str, token: str) -> int | None:
    """Return the line of the rule that decides about a path, or None without one."""
    try:
        _, rule = find_deciding_rule(file.robots_for(profile).rules_for(_agent(token)), path)
    except (InvalidURL, InvalidProductToken):
        return None
    return None if rule is None else rule.line


def _agent(token: str) -> Agent:
    return as_agent(token) if token == STAR else REGISTRY.agent(token)
