"""Preferences on training, search and AI use."""

import json
import pickle

import pytest

import canfetch
from canfetch.core.extensions.content_signal import parse_content_signal
from canfetch.core.extensions.content_usage import USAGE_LABELS, parse_content_usage
from canfetch.extensions import ContentSignal, ContentUsage, Preference, UsagePurpose
from canfetch.extensions import ExtensionNote as Note

ALLOW, DISALLOW = Preference.ALLOW, Preference.DISALLOW
EXAMPLE = b"""\
License: https://example.com/all.xml
User-agent: *
Disallow: /never/
Content-Usage: train-ai=n
Content-Usage: /ai-ok/ train-ai=y
Content-Signal: search=yes, use=reference

User-agent: ExampleBot
License: https://example.com/bot.xml
Content-Usage: Train-AI=n
Allow: /
"""


def test_aipref_preferences_with_their_statements(engine: str) -> None:
    robots = canfetch.parse(EXAMPLE, engine=engine)
    usage = robots.usage("https://example.com/test", agent="OtherBot", purpose="training")
    assert usage.preference is DISALLOW
    assert usage.purpose is UsagePurpose.TRAINING
    assert usage.lines == (4,)
    assert usage.statements
    assert str(usage) == "training: disallow: line 4, content-usage: train-ai=n (disallow)"
    assert [str(record) for record in usage.licenses] == ["line 1, license: https://example.com/all.xml"]
    assert usage.to_json() == json.loads(json.dumps(usage.to_json()))
    assert usage.to_json()["statements"][0] == {
        "record": usage.statements[0].record.to_json(),
        "label": "train-ai",
        "preference": "disallow",
        "draft": None,
    }


def test_usage_has_no_truth_value() -> None:
    usage = canfetch.parse(EXAMPLE).usage("/", agent="a", purpose="search")
    assert usage.preference is ALLOW
    with pytest.raises(TypeError, match="no truth value"):
        bool(usage)


def test_aipref_preference_is_unknown_for_a_disallowed_url() -> None:
    usage = canfetch.parse(EXAMPLE).usage("/never/x", agent="a", purpose="training")
    assert usage.preference is Preference.UNKNOWN
    assert usage.statements == ()
    assert usage.explanation == "the URL may not be fetched: line 3, Disallow: /never/"


def test_aipref_f14_upper_case_label_is_ignored() -> None:
    usage = canfetch.parse(EXAMPLE).usage("/", agent="ExampleBot", purpose="training")
    assert usage.preference is Preference.UNKNOWN
    assert usage.explanation == "no record mentions training"


def test_rsl_f15_license_of_a_group_replaces_that_of_the_file() -> None:
    robots = canfetch.parse(EXAMPLE)
    assert [found.line for found in robots.licenses(agent="examplebot")] == [9]
    assert [found.line for found in robots.licenses(agent="other")] == [1]


def test_aipref_f13_most_restrictive_record_of_a_path_counts() -> None:
    robots = canfetch.parse("User-agent: *\nContent-Usage: train-ai=y\nContent-Usage: / train-ai=n")
    assert robots.usage("/", agent="a", purpose="training").preference is DISALLOW


def test_unknown_purpose_raises() -> None:
    with pytest.raises(canfetch.errors.InvalidOption, match="unknown purpose 'trainin': did you mean 'training'"):
        canfetch.parse("").usage("/", agent="a", purpose="trainin")


@pytest.mark.parametrize("url", ["fish", "https://example.org/"])
def test_url_of_another_origin_and_invalid_url_raise(url: str) -> None:
    robots = canfetch.parse(EXAMPLE, url="https://example.com/robots.txt")
    for ask in (
        lambda: robots.usage(url, agent="a", purpose="search"),
        lambda: robots.canonical(url),
        lambda: robots.page_rules(url, agent="a"),
    ):
        with pytest.raises((canfetch.InvalidURL, canfetch.OriginMismatch)):
            ask()


def test_reserved_characters_in_a_query_match_in_both_forms(engine: str) -> None:
    body = "User-agent: *\nContent-Usage: /go?u=https://a.example/ train-ai=n\nContent-Usage: /go train-ai=y"
    robots = canfetch.parse(body, engine=engine)
    for url in ("/go?u=https://a.example/x", "/go?u=https%3A%2F%2Fa.example%2Fx"):
        assert robots.usage(url, agent="a", purpose="training").lines == (2,)
    assert robots.usage("/go", agent="a", purpose="training").lines == (3,)


def test_google_page_rules_for_a_url(engine: str) -> None:
    body = "User-agent: *\nNoindex: /old/\nNofollow: /\nNoarchive: /new\nNoindex: x\nUser-agent: a\nDisallow: /old"
    robots = canfetch.parse(body, engine=engine)
    assert [found.name for found in robots.page_rules("/old/x", agent="a")] == ["noindex", "nofollow"]
    assert robots.page_rules("/x", agent=canfetch.Agent("b", star_applies=False)) == ()


def test_extensions_of_groups_are_cached_up_to_a_limit() -> None:
    body = "".join(f"User-agent: a{n}\nContent-Usage: train-ai=n\nDisallow: /x\n" for n in range(70))
    robots = canfetch.parse(body)
    for _ in range(2):
        for n in range(70):
            assert robots.usage("/", agent=f"a{n}", purpose="training").lines == (3 * n + 2,)
    assert len(robots._file_facts.extension_index._by_groups) <= 64


def test_used_file_can_be_pickled() -> None:
    robots = canfetch.parse(EXAMPLE)
    before = robots.usage("/", agent="a", purpose="training")
    again = pickle.loads(pickle.dumps(robots))  # noqa: S301 - our own
    assert again.usage("/", agent="a", purpose="training") == before
    assert pickle.loads(pickle.dumps(robots.extensions)) == robots.extensions  # noqa: S301 - our own


@pytest.mark.parametrize(
    "value, signals, notes",
    [
        (b"search=yes", (("search", "yes"),), Note.NONE),
        (b"Search = YES,use=full", (("search", "yes"), ("use", "full")), Note.NONE),
        (b"search=maybe", (("search", "maybe"),), Note.UNKNOWN_VALUE),
        (b"use=yes", (("use", "yes"),), Note.UNKNOWN_VALUE),
        (b"search=yes,", (("search", "yes"),), Note.UNKNOWN_VALUE),
        (b"ai_train=no", (("ai_train", "no"),), Note.UNKNOWN_LABEL),
    ],
)
def test_contentsignals_values(value: bytes, signals: tuple[tuple[str, str], ...], notes: Note) -> None:
    assert parse_content_signal(value) == (ContentSignal(None, signals), notes)
    assert parse_content_signal(b"/A\t" + value) == (ContentSignal(b"/A", signals), notes)


def test_contentsignals_unreadable_values() -> None:
    assert parse_content_signal(b"/a") == parse_content_signal(b"/a ,") == (None, Note.UNREADABLE | Note.UNKNOWN_VALUE)
    assert parse_content_signal(b"yes")[0] is parse_content_signal(b"")[0] is parse_content_signal(b"=yes")[0] is None


def test_contentsignals_use_does_not_affect_preferences() -> None:
    signal = ContentSignal(None, (("use", "full"), ("use", "reference"), ("use", "never")))
    assert signal.use == "reference"
    assert ContentSignal(b"/", (("search", "yes"),)).use is None
    assert list(signal.usage_preferences) == []


@pytest.mark.parametrize(
    "value, path, preferences, notes",
    [
        (b"train-ai=n", None, (("train-ai", DISALLOW),), Note.NONE),
        (b"/a\ttrain-ai=n, ai-use=y", b"/a", (("train-ai", DISALLOW), ("ai-use", ALLOW)), Note.NONE),
        (b"train-genai=n", None, (("train-genai", DISALLOW),), Note.OLD_LABEL),
        (b"train-ai=x, search, teach=n", None, (), Note.UNKNOWN_VALUE | Note.UNKNOWN_LABEL),
    ],
)
def test_aipref_values(
    value: bytes, path: bytes | None, preferences: tuple[tuple[str, Preference], ...], notes: Note
) -> None:
    assert parse_content_usage(value) == (ContentUsage(path, preferences), notes)


@pytest.mark.parametrize("value", [b"", b"/path", b"/path ", b"Train-AI=n", b"train-ai=n;", b"/a b c"])
def test_aipref_malformed_value_is_unknown(value: bytes) -> None:
    usage, notes = parse_content_usage(value)
    assert (usage.preferences, notes) == ((), Note.UNREADABLE)
    assert usage.path == (b"/path" if b"path" in value else b"/a" if value[:1] == b"/" else None)


def test_aipref_malformed_record_with_the_longest_path_is_unknown(engine: str) -> None:
    content = (
        b"User-agent: *\nContent-Usage: train-ai=y\nContent-Usage: /a/ Train-AI=n\nContent-Usage: /b/ train-ai=maybe\n"
    )
    robots = canfetch.parse(content, engine=engine)
    preferences = [str(robots.usage(url, agent="x", purpose="training").preference) for url in ("/", "/a/x", "/b/x")]
    assert preferences == ["allow", "unknown", "unknown"]


def test_aipref_literal_paths_match(engine: str) -> None:
    content = b"User-agent: *\nContent-Usage: /a*$ train-ai=n\nDisallow: /x\n"
    for profile, preference in (("draft1996", "disallow"), ("original1994", "disallow")):
        robots = canfetch.parse(content, profile=profile, engine=engine)
        assert str(robots.usage("/a*$b", agent="x", purpose="training").preference) == preference
        assert str(robots.usage("/ab", agent="x", purpose="training").preference) == "unknown"


@pytest.mark.parametrize("name", USAGE_LABELS)
def test_aipref_labels_have_purposes_and_drafts(name: str) -> None:
    label = USAGE_LABELS[name]
    usage = ContentUsage(None, ((name, DISALLOW),))
    assert tuple(stated.purpose for stated in usage.usage_preferences) == label.purposes
    assert (label.draft is None) == (label.rank == 0)
    assert {stated.draft for stated in usage.usage_preferences} == {label.draft}


def test_current_labels_override_old_ones_and_narrow_ones_broad_ones() -> None:
    usage = ContentUsage(None, (("bots", DISALLOW), ("search", ALLOW), ("train-genai", ALLOW)))
    assert [(stated.purpose, stated.preference, stated.label) for stated in usage.usage_preferences] == [
        (UsagePurpose.TRAINING, ALLOW, "train-genai"),
        (UsagePurpose.SEARCH, ALLOW, "search"),
        (UsagePurpose.AI_USE, DISALLOW, "bots"),
    ]
