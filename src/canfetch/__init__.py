"""Decide whether a crawler may fetch a URL, and explain why: the Robots Exclusion Protocol (RFC 9309).

Public names are imported on first use, so that `import canfetch` takes about a millisecond.
"""

from importlib import import_module

__version__ = "0.1.0"

# The only list of public names. `tools/generate_public_stub.py` writes `__init__.pyi` from it for static analysis.
_EXPORTS = {
    "access.editions": ("EDITIONS", "Edition"),
    "access.pacing": ("DelayMode", "Pace", "next_request_at"),
    "access.policies": ("POLICIES", "AccessPolicy", "UnreachablePhase"),
    "agents": ("agent", "find_crawler"),
    "agents.crawler": ("Crawler",),
    "agents.registry": ("REGISTRY", "Registry"),
    "client.async_client": ("AsyncClient",),
    "client.evidence.recorder": ("EvidenceRecorder",),
    "client.frontier": ("FailedURL", "Frontier", "FrontierCounts", "SkippedURL", "Turn"),
    "client.skip_report": ("SkipReport", "SkippedPage", "read_skip_report"),
    "client.stats": ("ClientStats",),
    "client.sync_client": ("Client",),
    "consent.decision": ("may_use",),
    "consent.verdict": ("UseVerdict",),
    "core.agent": ("Agent",),
    "core.agent_rules": ("AgentRules",),
    "core.document": ("RobotsTxt", "parse"),
    "core.groups": ("Group", "UserAgentLine"),
    "core.keys": ("RecordKind",),
    "core.notes": ("Note",),
    "core.one_shot": ("allows",),
    "core.origin": ("Origin", "robots_url"),
    "core.profiles": ("PROFILES", "Profile"),
    "core.records": ("Record",),
    "core.tokens": ("product_token",),
    "core.urls": ("AnyURL",),
    "core.verdict": (
        "Access",
        "AccessInfo",
        "ClientVerdict",
        "Effect",
        "GroupChoice",
        "GroupSelection",
        "Reason",
        "RobotsDisallowed",
        "Rule",
        "Verdict",
    ),
    "errors": (
        "CanfetchError",
        "InvalidProductToken",
        "InvalidURL",
        "OriginDisallowed",
        "OriginMismatch",
        "RequestNotSent",
    ),
}
_MODULES = (
    "agents",
    "audit",
    "author",
    "bulk",
    "compare",
    "consent",
    "errors",
    "expectations",
    "extensions",
    "lint",
    "pages",
    "sitemaps",
)
_HOMES = {name: home for home, names in _EXPORTS.items() for name in names}

__all__ = sorted([*_HOMES, *_MODULES, "engine"])  # noqa: PLE0605


def __getattr__(name: str) -> object:
    if name == "engine":
        # Not cached: CANFETCH_ENGINE may change while the program runs.
        return import_module("canfetch.core.engines").engine_name()
    if name in _MODULES:
        return import_module(f"{__name__}.{name}")
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
