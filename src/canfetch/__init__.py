"""May this crawler fetch this URL, and why? The Robots Exclusion Protocol, whole.

The public names are imported when they are first used, so that importing canfetch costs little.
"""

from importlib import import_module

# Type checkers know the name. `typing` itself, which imports `re`, would be most of the time that importing takes.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from canfetch.access.outcomes import Access, Effect
    from canfetch.access.pacing import DelayReading, Pace, next_request_at
    from canfetch.access.policies import POLICIES, AccessPolicy
    from canfetch.agents import agent, crawler_of
    from canfetch.agents.crawler import Crawler, Verification
    from canfetch.agents.registry import REGISTRY, Registry
    from canfetch.author.draft import Draft, DraftGroup
    from canfetch.author.effecting import render_policy
    from canfetch.author.formatting import Formatted, formatted
    from canfetch.author.policy_file import parse_policy
    from canfetch.author.proving import Proof, ProvenIntent, Shortfall, prove
    from canfetch.author.site_policy import Audience, Intent, PageIntent, SitePolicy
    from canfetch.author.values import literal_path
    from canfetch.client.async_client import AsyncClient
    from canfetch.client.evidence.recording import EvidenceRecorder
    from canfetch.client.schedule import Schedule, Turn
    from canfetch.client.sync_client import Client
    from canfetch.core.agent import Agent
    from canfetch.core.agent_rules import AgentRules
    from canfetch.core.document import RobotsTxt, parse
    from canfetch.core.extensions.acap import AcapField
    from canfetch.core.extensions.ai_training import AITrainingRule
    from canfetch.core.extensions.cache_delay import CacheDelay
    from canfetch.core.extensions.clean_param import CleanParam
    from canfetch.core.extensions.comment import Comment
    from canfetch.core.extensions.content_signal import ContentSignal
    from canfetch.core.extensions.content_usage import ContentUsage
    from canfetch.core.extensions.crawl_delay import CrawlDelay
    from canfetch.core.extensions.host import HostName
    from canfetch.core.extensions.license import License
    from canfetch.core.extensions.page_rule import PathPageRule
    from canfetch.core.extensions.preference import Preference, SaidOfUse, UsagePurpose
    from canfetch.core.extensions.reading import Extensions
    from canfetch.core.extensions.record import Extension, ExtensionNote, ExtensionScope
    from canfetch.core.extensions.request_rate import RequestRate
    from canfetch.core.extensions.robot_version import RobotVersion
    from canfetch.core.extensions.sitemap import SitemapURL
    from canfetch.core.extensions.usage import Usage, UsageStatement
    from canfetch.core.extensions.windows import DailyWindow
    from canfetch.core.groups import Group, UserAgentLine
    from canfetch.core.keys import RecordKind
    from canfetch.core.origin import Origin, robots_url
    from canfetch.core.profiles import PROFILES, Profile
    from canfetch.core.records import Note, Record
    from canfetch.core.tokens import product_token
    from canfetch.core.verdict import AccessFacts, GroupChoice, GroupChosen, Reason, Rule, Verdict
    from canfetch.errors import (
        CanfetchError,
        ClientClosed,
        CorruptEntry,
        EngineError,
        EvidenceError,
        InvalidDraft,
        InvalidLimit,
        InvalidOption,
        InvalidProductToken,
        InvalidRobotsURL,
        InvalidSitePolicy,
        InvalidURL,
        MissingExtra,
        OriginMismatch,
        StoreError,
        UnknownPolicy,
        UnknownProfile,
    )
    from canfetch.lint.finding import Finding
    from canfetch.lint.linter import Fixed, Linter
    from canfetch.lint.report import LintReport
    from canfetch.lint.severity import Severity
    from canfetch.pages.directives import Directive, DirectiveNote
    from canfetch.pages.document import PageNote, PageRules, parse_page
    from canfetch.pages.places import PagePlace, PageSource
    from canfetch.pages.readings import PAGE_READINGS, PageReading
    from canfetch.pages.relations import NoSnippet, QualifiedLink
    from canfetch.pages.tdm import Reservation, ReservationNote, TDMFile
    from canfetch.pages.verdict import PageDecision, PageReason, PageVerdict

    engine: str

__version__ = "0.1.0"

_HOMES = {
    "PAGE_READINGS": "pages.readings",
    "POLICIES": "access.policies",
    "PROFILES": "core.profiles",
    "REGISTRY": "agents.registry",
    "AITrainingRule": "core.extensions.ai_training",
    "AcapField": "core.extensions.acap",
    "Access": "access.outcomes",
    "AccessFacts": "core.verdict",
    "AccessPolicy": "access.policies",
    "Agent": "core.agent",
    "AgentRules": "core.agent_rules",
    "AsyncClient": "client.async_client",
    "Audience": "author.site_policy",
    "CacheDelay": "core.extensions.cache_delay",
    "CanfetchError": "errors",
    "CleanParam": "core.extensions.clean_param",
    "Client": "client.sync_client",
    "ClientClosed": "errors",
    "Comment": "core.extensions.comment",
    "ContentSignal": "core.extensions.content_signal",
    "ContentUsage": "core.extensions.content_usage",
    "CorruptEntry": "errors",
    "CrawlDelay": "core.extensions.crawl_delay",
    "Crawler": "agents.crawler",
    "DailyWindow": "core.extensions.windows",
    "DelayReading": "access.pacing",
    "Directive": "pages.directives",
    "DirectiveNote": "pages.directives",
    "Draft": "author.draft",
    "DraftGroup": "author.draft",
    "Effect": "access.outcomes",
    "EngineError": "errors",
    "EvidenceError": "errors",
    "EvidenceRecorder": "client.evidence.recording",
    "Extension": "core.extensions.record",
    "ExtensionNote": "core.extensions.record",
    "ExtensionScope": "core.extensions.record",
    "Extensions": "core.extensions.reading",
    "Finding": "lint.finding",
    "Fixed": "lint.linter",
    "Formatted": "author.formatting",
    "Group": "core.groups",
    "GroupChoice": "core.verdict",
    "GroupChosen": "core.verdict",
    "HostName": "core.extensions.host",
    "Intent": "author.site_policy",
    "InvalidDraft": "errors",
    "InvalidLimit": "errors",
    "InvalidOption": "errors",
    "InvalidProductToken": "errors",
    "InvalidRobotsURL": "errors",
    "InvalidSitePolicy": "errors",
    "InvalidURL": "errors",
    "License": "core.extensions.license",
    "LintReport": "lint.report",
    "Linter": "lint.linter",
    "MissingExtra": "errors",
    "NoSnippet": "pages.relations",
    "Note": "core.records",
    "Origin": "core.origin",
    "OriginMismatch": "errors",
    "Pace": "access.pacing",
    "PageDecision": "pages.verdict",
    "PageIntent": "author.site_policy",
    "PageNote": "pages.document",
    "PagePlace": "pages.places",
    "PageReading": "pages.readings",
    "PageReason": "pages.verdict",
    "PageRules": "pages.document",
    "PageSource": "pages.places",
    "PageVerdict": "pages.verdict",
    "PathPageRule": "core.extensions.page_rule",
    "Preference": "core.extensions.preference",
    "Profile": "core.profiles",
    "Proof": "author.proving",
    "ProvenIntent": "author.proving",
    "QualifiedLink": "pages.relations",
    "Reason": "core.verdict",
    "Record": "core.records",
    "RecordKind": "core.keys",
    "Registry": "agents.registry",
    "RequestRate": "core.extensions.request_rate",
    "Reservation": "pages.tdm",
    "ReservationNote": "pages.tdm",
    "RobotVersion": "core.extensions.robot_version",
    "RobotsTxt": "core.document",
    "Rule": "core.verdict",
    "SaidOfUse": "core.extensions.preference",
    "Schedule": "client.schedule",
    "Severity": "lint.severity",
    "Shortfall": "author.proving",
    "SitePolicy": "author.site_policy",
    "SitemapURL": "core.extensions.sitemap",
    "StoreError": "errors",
    "TDMFile": "pages.tdm",
    "Turn": "client.schedule",
    "UnknownPolicy": "errors",
    "UnknownProfile": "errors",
    "Usage": "core.extensions.usage",
    "UsagePurpose": "core.extensions.preference",
    "UsageStatement": "core.extensions.usage",
    "UserAgentLine": "core.groups",
    "Verdict": "core.verdict",
    "Verification": "agents.crawler",
    "agent": "agents",
    "crawler_of": "agents",
    "formatted": "author.formatting",
    "literal_path": "author.values",
    "next_request_at": "access.pacing",
    "parse": "core.document",
    "parse_page": "pages.document",
    "parse_policy": "author.policy_file",
    "product_token": "core.tokens",
    "prove": "author.proving",
    "render_policy": "author.effecting",
    "robots_url": "core.origin",
}

__all__ = [
    "PAGE_READINGS",
    "POLICIES",
    "PROFILES",
    "REGISTRY",
    "AITrainingRule",
    "AcapField",
    "Access",
    "AccessFacts",
    "AccessPolicy",
    "Agent",
    "AgentRules",
    "AsyncClient",
    "Audience",
    "CacheDelay",
    "CanfetchError",
    "CleanParam",
    "Client",
    "ClientClosed",
    "Comment",
    "ContentSignal",
    "ContentUsage",
    "CorruptEntry",
    "CrawlDelay",
    "Crawler",
    "DailyWindow",
    "DelayReading",
    "Directive",
    "DirectiveNote",
    "Draft",
    "DraftGroup",
    "Effect",
    "EngineError",
    "EvidenceError",
    "EvidenceRecorder",
    "Extension",
    "ExtensionNote",
    "ExtensionScope",
    "Extensions",
    "Finding",
    "Fixed",
    "Formatted",
    "Group",
    "GroupChoice",
    "GroupChosen",
    "HostName",
    "Intent",
    "InvalidDraft",
    "InvalidLimit",
    "InvalidOption",
    "InvalidProductToken",
    "InvalidRobotsURL",
    "InvalidSitePolicy",
    "InvalidURL",
    "License",
    "LintReport",
    "Linter",
    "MissingExtra",
    "NoSnippet",
    "Note",
    "Origin",
    "OriginMismatch",
    "Pace",
    "PageDecision",
    "PageIntent",
    "PageNote",
    "PagePlace",
    "PageReading",
    "PageReason",
    "PageRules",
    "PageSource",
    "PageVerdict",
    "PathPageRule",
    "Preference",
    "Profile",
    "Proof",
    "ProvenIntent",
    "QualifiedLink",
    "Reason",
    "Record",
    "RecordKind",
    "Registry",
    "RequestRate",
    "Reservation",
    "ReservationNote",
    "RobotVersion",
    "RobotsTxt",
    "Rule",
    "SaidOfUse",
    "Schedule",
    "Severity",
    "Shortfall",
    "SitePolicy",
    "SitemapURL",
    "StoreError",
    "TDMFile",
    "Turn",
    "UnknownPolicy",
    "UnknownProfile",
    "Usage",
    "UsagePurpose",
    "UsageStatement",
    "UserAgentLine",
    "Verdict",
    "Verification",
    "agent",
    "crawler_of",
    "engine",
    "formatted",
    "literal_path",
    "next_request_at",
    "parse",
    "parse_page",
    "parse_policy",
    "product_token",
    "prove",
    "render_policy",
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
