"""The known records beyond the RFC: their names, parsers, scopes and sources."""

from collections.abc import Callable
from functools import partial
from typing import Any, Final, NamedTuple

from canfetch.core.extensions import acap
from canfetch.core.extensions.clean_param import parse_clean_param
from canfetch.core.extensions.content_signal import parse_content_signal
from canfetch.core.extensions.content_usage import parse_content_usage
from canfetch.core.extensions.crawl_delay import CacheDelay, CrawlDelay, parse_delay_record
from canfetch.core.extensions.document_urls import CatalogURL, License, parse_absolute_url, parse_sitemap_record
from canfetch.core.extensions.extended_standard import parse_comment, parse_robot_version
from canfetch.core.extensions.host import parse_host
from canfetch.core.extensions.path_rules import PAGE_RULES, AITrainingRule, PathPageRule, parse_path_rule
from canfetch.core.extensions.preference import Preference
from canfetch.core.extensions.record import ExtensionNote, ExtensionScope
from canfetch.core.extensions.request_rate import parse_request_rate
from canfetch.core.extensions.windows import parse_daily_window
from canfetch.core.text import display_text

ParseResult = tuple[Any, ExtensionNote]
# The record applies to its group, or to the whole file if it is outside all groups.
GROUP_OR_FILE: Final = None


class KnownRecord(NamedTuple):
    """A record that is defined somewhere.

    Attributes:
        name: The record's name in lower case.
        parse: Parses the value.
        scope: The crawlers that the record applies to, or None if its position decides.
        source: The source that defines the record.
        notes: Notes on every occurrence.
    """

    name: str
    parse: Callable[[bytes], ParseResult]
    scope: ExtensionScope | None
    source: str
    notes: ExtensionNote = ExtensionNote.NONE


def is_known_key(key: bytes) -> bool:
    """Return whether some source defines a record with this key, which must be in lower case."""
    return key in KNOWN_RECORDS or key.startswith(acap.PREFIX)


def known_record(key: bytes) -> KnownRecord:
    """Return the record with this key, which must be in lower case.

    Cost: O(bytes).
    """
    known = KNOWN_RECORDS.get(key)
    if known is not None:
        return known
    if key.startswith(acap.PREFIX):
        return KnownRecord(display_text(key), partial(acap.parse_acap_field, key), GROUP_OR_FILE, "ACAP 1.0")
    return KnownRecord(display_text(key), _parse_unknown, GROUP_OR_FILE, "", ExtensionNote.UNKNOWN_RECORD)


def _parse_unknown(_value: bytes) -> ParseResult:
    return None, ExtensionNote.NONE


def _with_note(parse: Callable[[bytes], object | None]) -> Callable[[bytes], ParseResult]:
    def parse_with_note(value: bytes) -> ParseResult:
        parsed = parse(value)
        return parsed, ExtensionNote.UNREADABLE if parsed is None else ExtensionNote.NONE

    return parse_with_note


_FILE: Final = ExtensionScope.FILE
_GROUP: Final = ExtensionScope.GROUP
_CONNER: Final = "An Extended Standard for Robot Exclusion, 1996"
_CANEL: Final = "draft-canel-robots-ai-control-00"
_SIGNALS: Final = "contentsignals.org"

_RECORDS: Final = (
    KnownRecord("sitemap", parse_sitemap_record, _FILE, "sitemaps.org"),
    KnownRecord("host", parse_host, _FILE, "Yandex Webmaster, until March 2018", ExtensionNote.OBSOLETE),
    KnownRecord("clean-param", parse_clean_param, _FILE, "Yandex Webmaster"),
    KnownRecord(
        "crawl-delay",
        partial(parse_delay_record, CrawlDelay),
        _GROUP,
        "Bing Webmaster; Yandex Webmaster until February 2018",
    ),
    KnownRecord("cache-delay", partial(parse_delay_record, CacheDelay), _GROUP, "libraries that read it"),
    KnownRecord("request-rate", _with_note(parse_request_rate), _GROUP, _CONNER),
    KnownRecord("visit-time", _with_note(parse_daily_window), _GROUP, _CONNER),
    KnownRecord("robot-version", parse_robot_version, GROUP_OR_FILE, _CONNER),
    KnownRecord("comment", parse_comment, GROUP_OR_FILE, _CONNER),
    *(
        KnownRecord(rule, partial(parse_path_rule, PathPageRule, rule), _GROUP, "Google, until September 2019")
        for rule in PAGE_RULES
    ),
    KnownRecord("content-signal", parse_content_signal, GROUP_OR_FILE, _SIGNALS),
    KnownRecord("content-usage", parse_content_usage, _GROUP, "draft-ietf-aipref-attach-05"),
    KnownRecord("disallowaitraining", partial(parse_path_rule, AITrainingRule, Preference.DISALLOW), _GROUP, _CANEL),
    KnownRecord("allowaitraining", partial(parse_path_rule, AITrainingRule, Preference.ALLOW), _GROUP, _CANEL),
    KnownRecord("license", partial(parse_absolute_url, License), GROUP_OR_FILE, "RSL 1.0"),
    KnownRecord("agentmap", partial(parse_absolute_url, CatalogURL), _FILE, "Agentic Resource Discovery v0.91"),
    KnownRecord("schemamap", partial(parse_absolute_url, CatalogURL), _FILE, "NLWeb"),
)
KNOWN_RECORDS: Final[dict[bytes, KnownRecord]] = {
    **{record.name.encode(): record for record in _RECORDS},
    b"content-signals": KnownRecord(
        "content-signal", parse_content_signal, GROUP_OR_FILE, _SIGNALS, ExtensionNote.MISSPELT_KEY
    ),
}
