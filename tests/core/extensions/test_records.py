"""Parsers of records beyond the RFC."""

from typing import Any

import pytest

import canfetch
from canfetch.core.extensions.acap import AcapField, parse_acap_field
from canfetch.core.extensions.clean_param import CleanParam, parse_clean_param
from canfetch.core.extensions.crawl_delay import CacheDelay, parse_delay_record
from canfetch.core.extensions.document_urls import License, parse_absolute_url
from canfetch.core.extensions.extended_standard import Comment, RobotVersion, parse_comment, parse_robot_version
from canfetch.core.extensions.host import HostName, parse_host
from canfetch.core.extensions.known_records import is_known_key, known_record
from canfetch.core.extensions.path_rules import AITrainingRule, PathPageRule, parse_path_rule
from canfetch.core.extensions.preference import Preference, most_restrictive
from canfetch.extensions import ExtensionNote as Note
from canfetch.extensions import ExtensionScope as Scope


@pytest.mark.parametrize(
    "value, host, notes",
    [
        (b"example.com", HostName(None, "example.com", None), Note.NONE),
        (b"Example.COM:8080", HostName(None, "example.com", 8080), Note.NONE),
        (b"https://example.com", HostName("https", "example.com", None), Note.NONE),
        (b"HTTP://example.com:080", HostName("http", "example.com", 80), Note.NONE),
        (b"https://example.com/", HostName("https", "example.com", None), Note.TRAILING_SLASH),
        (b"[::1]:81", HostName(None, "[::1]", 81), Note.NONE),
        *(
            (value, None, Note.UNREADABLE)
            for value in (
                b"",
                b"https://",
                b"example.com/path",
                b"user@example.com",
                b"example.com?x",
                b"ftp://example.com",
                b"://example.com",
                b"example.com:99999",
                b"two words",
            )
        ),
    ],
)
def test_yandex_host(value: bytes, host: HostName | None, notes: Note) -> None:
    parsed, noted = parse_host(value)
    assert parsed == host
    assert notes in noted


@pytest.mark.parametrize(
    "value, parameters, path",
    [
        (b"ref /some_dir/get_book.pl", (b"ref",), b"/some_dir/get_book.pl"),
        (b"sid&sort /forum/*.php", (b"sid", b"sort"), b"/forum/*.php"),
        (b"utm", (b"utm",), b"/"),
        (b"&a&&b&a", (b"a", b"b"), b"/"),
        (b"a\t  */b_c-d.e", (b"a",), b"*/b_c-d.e"),
    ],
)
def test_yandex_clean_param(value: bytes, parameters: tuple[bytes, ...], path: bytes) -> None:
    assert parse_clean_param(value) == (CleanParam(parameters, path), Note.NONE)


@pytest.mark.parametrize("value", [b"", b"&", b"a b", b"a /b c", b"a /b$", b"a /b?c", b"a /caf\xc3\xa9", b"a %2F"])
def test_yandex_unreadable_clean_param(value: bytes) -> None:
    assert parse_clean_param(value) == (None, Note.UNREADABLE)


def test_yandex_clean_param_over_500_bytes_is_noted() -> None:
    parsed, notes = parse_clean_param(b"a" * 501)
    assert parsed is not None
    assert notes is Note.TOO_LONG


@pytest.mark.parametrize("value", [b"/old/", b"*.pdf$"])
def test_google_noindex_is_a_pattern(value: bytes) -> None:
    assert parse_path_rule(PathPageRule, "noindex", value) == (PathPageRule("noindex", value), Note.OBSOLETE)


@pytest.mark.parametrize("value", [b"", b"old"])
def test_google_noindex_without_a_pattern_is_unreadable(value: bytes) -> None:
    assert parse_path_rule(PathPageRule, "noindex", value) == (None, Note.OBSOLETE | Note.UNREADABLE)


def test_conner1996_comment() -> None:
    assert parse_comment(b"call us first") == (Comment("call us first"), Note.NONE)
    assert parse_comment(b"\x1b\xff") == (Comment("%1B%FF"), Note.NONE)
    assert parse_comment(b"") == (None, Note.UNREADABLE)


@pytest.mark.parametrize("value, numbers", [(b"2.0.0", (2, 0, 0)), (b"1", (1,)), (b"2.00", (2, 0))])
def test_conner1996_robot_version(value: bytes, numbers: tuple[int, ...]) -> None:
    assert parse_robot_version(value) == (RobotVersion(numbers), Note.OBSOLETE)


@pytest.mark.parametrize("value", [b"", b"2.", b"two", b"-1", b"1" * 33])
def test_conner1996_invalid_robot_version(value: bytes) -> None:
    assert parse_robot_version(value) == (None, Note.OBSOLETE | Note.UNREADABLE)


def test_cache_delay() -> None:
    assert parse_delay_record(CacheDelay, b"5") == (CacheDelay(5.0), Note.NONE)
    assert parse_delay_record(CacheDelay, b"2,5") == (CacheDelay(2.5), Note.DECIMAL_COMMA)
    assert parse_delay_record(CacheDelay, b"soon") == (None, Note.UNREADABLE)


def test_rsl_license_is_an_absolute_url() -> None:
    url = b"https://example.com/license.xml"
    assert parse_absolute_url(License, url) == (License(url.decode()), Note.NONE)
    for value in (b"/license.xml", b"//example.com/license.xml", b"MIT", b""):
        assert parse_absolute_url(License, value) == (None, Note.UNREADABLE | Note.NOT_ABSOLUTE)


@pytest.mark.parametrize(
    "key, field",
    [
        (b"acap-crawler", AcapField(None, "crawler", b"x")),
        (b"acap-disallow-crawl", AcapField("disallow", "crawl", b"x")),
        (b"acap-allow-present-snippet", AcapField("allow", "present-snippet", b"x")),
        (b"acap-allow-", AcapField(None, "allow-", b"x")),
        (b"acap-allow", AcapField(None, "allow", b"x")),
        (b"acap-resource-set", AcapField(None, "resource-set", b"x")),
    ],
)
def test_acap_fields(key: bytes, field: AcapField) -> None:
    assert parse_acap_field(key, b"x") == (field, Note.OBSOLETE)


def test_acap_field_without_a_name_is_unreadable() -> None:
    assert parse_acap_field(b"acap-", b"x") == (None, Note.OBSOLETE | Note.UNREADABLE)


def test_canel2024_ai_training_rules() -> None:
    rule = AITrainingRule(Preference.DISALLOW, b"/x")
    assert parse_path_rule(AITrainingRule, Preference.DISALLOW, b"/x") == (rule, Note.OBSOLETE)
    assert [usage.label for usage in rule.usage_preferences] == ["disallowaitraining"]
    assert parse_path_rule(AITrainingRule, Preference.ALLOW, b"") == (None, Note.OBSOLETE | Note.UNREADABLE)


def test_aipref_most_restrictive() -> None:
    allow, disallow, unknown = Preference.ALLOW, Preference.DISALLOW, Preference.UNKNOWN
    assert most_restrictive([allow, disallow, unknown]) is disallow
    assert most_restrictive([unknown, allow]) is allow
    assert most_restrictive([unknown]) is most_restrictive([]) is unknown


FILE = b"""\
License: https://example.com/all
Crawl-delay: 1
Comment outside
User-agent: a
CRAWL-DELAY: 1,5
Sitemap: /s.xml
Site-map: https://example.com/t.xml
Sitemap:
Crawl-delay: soon
Request-rate: 1/5
Visit-time: never
Cache-delay: 3
Content-Signals: search=yes
ACAP-crawler: *
Host: example.com
Schemamap: https://example.com/map.xml
LLM\xff-Policy: x
Disallow: /
"""


def test_extensions_of_a_file(engine: str) -> None:
    records = canfetch.parse(FILE, engine=engine).extensions
    assert [(record.line, record.name, str(record.scope), record.group, record.notes) for record in records] == [
        (1, "license", "file", None, Note.NONE),
        (2, "crawl-delay", "none", None, Note.OUTSIDE_GROUP),
        (3, "comment", "file", None, Note.MISSING_COLON),
        (5, "crawl-delay", "group", 0, Note.DECIMAL_COMMA),
        (6, "sitemap", "file", 0, Note.NOT_ABSOLUTE),
        (7, "sitemap", "file", 0, Note.MISSPELT_KEY),
        (8, "sitemap", "file", 0, Note.UNREADABLE),
        (9, "crawl-delay", "group", 0, Note.UNREADABLE),
        (10, "request-rate", "group", 0, Note.NONE),
        (11, "visit-time", "group", 0, Note.UNREADABLE),
        (12, "cache-delay", "group", 0, Note.NONE),
        (13, "content-signal", "group", 0, Note.MISSPELT_KEY),
        (14, "acap-crawler", "group", 0, Note.OBSOLETE),
        (15, "host", "file", 0, Note.OBSOLETE),
        (16, "schemamap", "file", 0, Note.NONE),
        (17, "llm%FF-policy", "group", 0, Note.UNKNOWN_RECORD),
    ]
    assert [record.line for record in records.unknown] == [17]
    assert [record.line for record in records.by_name("Crawl-Delay")] == [2, 5, 9]
    delays = [(record.line, record.parsed) for record in records.of_type(canfetch.extensions.CrawlDelay)]
    assert delays == [(2, canfetch.extensions.CrawlDelay(1.0)), (5, canfetch.extensions.CrawlDelay(1.5))]


def test_record_as_text_and_json() -> None:
    (record,) = canfetch.parse(b"User-agent: a\nCrawl-delay: 1,5\xff").extensions
    assert str(record) == "line 2, crawl-delay: 1,5%FF"
    assert record.to_json() == {
        "name": "crawl-delay",
        "value": "1,5%FF",
        "line": 2,
        "group": 0,
        "scope": "group",
        "notes": ["unreadable"],
        "source": "Bing Webmaster; Yandex Webmaster until February 2018",
    }


def test_extensions_are_cached() -> None:
    robots = canfetch.parse(FILE)
    assert robots.extensions is robots.extensions


@pytest.mark.parametrize("name", ["Comment x", "DisallowAITraining: /", "Content-Usage: / train-ai=n", "Noindex: /"])
def test_rfc9309_2_2_4_other_records_never_end_a_group(engine: str, name: str) -> None:
    robots = canfetch.parse(f"User-agent: a\n{name}\nUser-agent: b\nDisallow: /", engine=engine)
    assert len(robots.groups) == 1
    assert not robots.allows("/x", agent="a")
    (record,) = robots.extensions
    assert (record.group, record.scope) == (0, Scope.GROUP)


def test_google_prefix_keys_are_rules_and_not_extensions() -> None:
    body = "User-agent: *\nDisallowAITraining: /"
    google: Any = canfetch.parse(body, profile="google")
    assert not google.allows("/x", agent="a")
    assert len(google.extensions) == 0
    assert canfetch.parse(body).allows("/x", agent="a")


def test_repeated_records_have_their_own_lines_and_groups() -> None:
    content = b"X: y\nX: y\nUser-agent: a\nX: y\nDisallow: /\nUser-agent: b\nX: y\n" + b"".join(
        b"K%d: v\n" % number for number in range(5000)
    )
    records = canfetch.parse(content).extensions
    assert [(one.line, one.group) for one in records.by_name("x")] == [(1, None), (2, None), (4, 0), (7, 1)]
    assert len(records) == 5004


@pytest.mark.parametrize("key, source", [("Agentmap", "Agentic Resource Discovery v0.91"), ("SCHEMAMAP", "NLWeb")])
def test_catalogs_for_agents_are_known_records(key: str, source: str) -> None:
    robots = canfetch.parse(f"{key}: https://example.com/a\nUser-agent: *\n{key}: /a\nDisallow: /x\n")
    first, second = robots.extensions
    assert (first.name, first.parsed) == (key.lower(), canfetch.extensions.CatalogURL("https://example.com/a"))
    assert (first.source, first.notes, first.scope) == (source, Note.NONE, "file")
    assert (second.parsed, second.notes, second.scope) == (None, Note.UNREADABLE | Note.NOT_ABSOLUTE, "file")
    assert not robots.extensions.unknown
    assert not robots.allows("/x", agent="ExampleBot")


@pytest.mark.parametrize(
    "key, is_known",
    [(b"crawl-delay", True), (b"content-signals", True), (b"acap-x", True), (b"crawl-delays", False), (b"", False)],
)
def test_known_keys(key: bytes, *, is_known: bool) -> None:
    assert is_known_key(key) is is_known
    assert (Note.UNKNOWN_RECORD not in known_record(key).notes) is is_known
