"""May this crawler fetch this URL, and why? The Robots Exclusion Protocol, whole.

The public names are imported when they are first used, so that importing canfetch costs little.
"""

from importlib import import_module

# Type checkers know the name. `typing` itself, which imports `re`, would be most of the time that importing takes.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from canfetch.agents import agent
    from canfetch.core.agent import Agent
    from canfetch.core.agent_rules import AgentRules
    from canfetch.core.document import RobotsTxt, parse
    from canfetch.core.groups import Group, UserAgentLine
    from canfetch.core.keys import RecordKind
    from canfetch.core.origin import Origin, robots_url
    from canfetch.core.profiles import PROFILES, Profile
    from canfetch.core.records import Note, Record
    from canfetch.core.tokens import product_token
    from canfetch.core.verdict import GroupChoice, GroupChosen, Reason, Rule, Verdict
    from canfetch.errors import (
        CanfetchError,
        EngineError,
        InvalidLimit,
        InvalidProductToken,
        InvalidRobotsURL,
        InvalidURL,
        OriginMismatch,
        UnknownProfile,
    )

    engine: str

__version__ = "0.1.0"

_HOMES = {
    "PROFILES": "core.profiles",
    "Agent": "core.agent",
    "AgentRules": "core.agent_rules",
    "CanfetchError": "errors",
    "EngineError": "errors",
    "Group": "core.groups",
    "GroupChoice": "core.verdict",
    "GroupChosen": "core.verdict",
    "InvalidLimit": "errors",
    "InvalidProductToken": "errors",
    "InvalidRobotsURL": "errors",
    "InvalidURL": "errors",
    "Note": "core.records",
    "Origin": "core.origin",
    "OriginMismatch": "errors",
    "Profile": "core.profiles",
    "Reason": "core.verdict",
    "Record": "core.records",
    "RecordKind": "core.keys",
    "RobotsTxt": "core.document",
    "Rule": "core.verdict",
    "UnknownProfile": "errors",
    "UserAgentLine": "core.groups",
    "Verdict": "core.verdict",
    "agent": "agents",
    "parse": "core.document",
    "product_token": "core.tokens",
    "robots_url": "core.origin",
}

__all__ = [
    "PROFILES",
    "Agent",
    "AgentRules",
    "CanfetchError",
    "EngineError",
    "Group",
    "GroupChoice",
    "GroupChosen",
    "InvalidLimit",
    "InvalidProductToken",
    "InvalidRobotsURL",
    "InvalidURL",
    "Note",
    "Origin",
    "OriginMismatch",
    "Profile",
    "Reason",
    "Record",
    "RecordKind",
    "RobotsTxt",
    "Rule",
    "UnknownProfile",
    "UserAgentLine",
    "Verdict",
    "agent",
    "engine",
    "parse",
    "product_token",
    "robots_url",
]


if not TYPE_CHECKING:  # a type checker would take every name for one that exists

    def __getattr__(name: str) -> object:
        if name == "engine":
            # Asked each time: the environment may choose another.
            return import_module("canfetch.core.engines").engine_name()
        home = _HOMES.get(name)
        if home is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(import_module(f"{__name__}.{home}"), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
