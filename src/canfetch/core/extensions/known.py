"""Which records beyond the RFC we know: their names, who defined them, where they count, and who reads them."""

from collections.abc import Callable
from functools import partial
from typing import Any, Final, NamedTuple

from canfetch.core.extensions import acap
from canfetch.core.extensions.ai_training import parse_ai_training_rule
from canfetch.core.extensions.cache_delay import parse_cache_delay
from canfetch.core.extensions.clean_param import parse_clean_param
from canfetch.core.extensions.comment import parse_comment
from canfetch.core.extensions.content_signal import parse_content_signal
from canfetch.core.extensions.content_usage import parse_content_usage
from canfetch.core.extensions.crawl_delay import CrawlDelay, parse_crawl_delay
from canfetch.core.extensions.host import parse_host
from canfetch.core.extensions.license import parse_license
from canfetch.core.extensions.page_rule import PAGE_RULES, parse_page_rule
from canfetch.core.extensions.preference import Preference
from canfetch.core.extensions.record import ExtensionNote, ExtensionScope
from canfetch.core.extensions.request_rate import parse_request_rate
from canfetch.core.extensions.robot_version import parse_robot_version
from canfetch.core.extensions.sitemap import SitemapURL, parse_sitemap
from canfetch.core.extensions.visit_time import parse_visit_time
from canfetch.core.text import display_text
from canfetch.core.urls import split_url

Reading = tuple[Any, ExtensionNote]
# For the crawlers of its group, or for everyone where it stands in none.
EITHER: Final = None


class KnownRecord(NamedTuple):
    """A record: its name, how its value is read, whom it speaks to (None: as it stands), and who defined it."""

    name: str
    read: Callable[[bytes], Reading]
    scope: ExtensionScope | None
    source: str
    notes: ExtensionNote = ExtensionNote.NONE


def known_record(key: bytes) -> KnownRecord:
    """Give what is known of a key, in lower case.

    Cost: O(octets).
    """
    known = KNOWN_RECORDS.get(key)
    if known is not None:
        return known
    if key.startswith(acap.PREFIX):
        return KnownRecord(display_text(key), partial(acap.parse_acap_field, key), EITHER, "ACAP 1.0")
    return KnownRecord(display_text(key), _unknown, EITHER, "", ExtensionNote.UNKNOWN_RECORD)


def _unknown(_value: bytes) -> Reading:
    return None, ExtensionNote.NONE


def _sitemap(value: bytes) -> Reading:
    url = parse_sitemap(value)
    if url is None:
        return None, ExtensionNote.UNREADABLE
    split = split_url(value)
    return SitemapURL(url), ExtensionNote.NONE if split and split.scheme else ExtensionNote.NOT_ABSOLUTE


def _crawl_delay(value: bytes) -> Reading:
    seconds = parse_crawl_delay(value)
    if seconds is None:
        return None, ExtensionNote.UNREADABLE
    return CrawlDelay(seconds), ExtensionNote.DECIMAL_COMMA if b"," in value else ExtensionNote.NONE


def _or_unreadable(read: Callable[[bytes], object | None]) -> Callable[[bytes], Reading]:
    def reading(value: bytes) -> Reading:
        meaning = read(value)
        return meaning, ExtensionNote.UNREADABLE if meaning is None else ExtensionNote.NONE

    return reading


_FILE: Final = ExtensionScope.FILE
_GROUP: Final = ExtensionScope.GROUP
_CONNER: Final = "An Extended Standard for Robot Exclusion, 1996"
_CANEL: Final = "draft-canel-robots-ai-control-00"
_SIGNALS: Final = "contentsignals.org"

_RECORDS: Final = (
    KnownRecord("sitemap", _sitemap, _FILE, "sitemaps.org"),
    KnownRecord("host", parse_host, _FILE, "Yandex Webmaster, until March 2018", ExtensionNote.OBSOLETE),
    KnownRecord("clean-param", parse_clean_param, _FILE, "Yandex Webmaster"),
    KnownRecord("crawl-delay", _crawl_delay, _GROUP, "Bing Webmaster; Yandex Webmaster until February 2018"),
    KnownRecord("cache-delay", parse_cache_delay, _GROUP, "libraries that read it"),
    KnownRecord("request-rate", _or_unreadable(parse_request_rate), _GROUP, _CONNER),
    KnownRecord("visit-time", _or_unreadable(parse_visit_time), _GROUP, _CONNER),
    KnownRecord("robot-version", parse_robot_version, EITHER, _CONNER),
    KnownRecord("comment", parse_comment, EITHER, _CONNER),
    *(KnownRecord(rule, partial(parse_page_rule, rule), _GROUP, "Google, until September 2019") for rule in PAGE_RULES),
    KnownRecord("content-signal", parse_content_signal, EITHER, _SIGNALS),
    KnownRecord("content-usage", parse_content_usage, _GROUP, "draft-ietf-aipref-attach-05"),
    KnownRecord("disallowaitraining", partial(parse_ai_training_rule, Preference.DISALLOW), _GROUP, _CANEL),
    KnownRecord("allowaitraining", partial(parse_ai_training_rule, Preference.ALLOW), _GROUP, _CANEL),
    KnownRecord("license", parse_license, EITHER, "RSL 1.0"),
)
KNOWN_RECORDS: Final[dict[bytes, KnownRecord]] = {
    **{record.name.encode(): record for record in _RECORDS},
    b"content-signals": KnownRecord(
        "content-signal", parse_content_signal, EITHER, _SIGNALS, ExtensionNote.MISSPELT_KEY
    ),
}
