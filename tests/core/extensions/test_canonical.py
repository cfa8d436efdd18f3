"""Canonical URLs with Clean-param."""

import pytest

import canfetch

BODY = "User-agent: Yandex\nClean-param: ref&sid /dir/*.pl\nClean-param: utm\nClean-param: utm\nDisallow: /x"


@pytest.mark.parametrize(
    "url, canonical",
    [
        ("https://example.com/dir/a/b.pl?ref=1&id=2&sid", "https://example.com/dir/a/b.pl?id=2"),
        ("//example.com/other?ref=1&utm=2", "//example.com/other?ref=1"),
        ("/dir/b.pl?utm=1#top", "/dir/b.pl"),
        ("/dir/b.pl?id=1", "/dir/b.pl?id=1"),
        ("/dir/b.pl#?utm=1", "/dir/b.pl"),
        ("/caf\u00e9?utm=\u00e9&x=\u00e9", "/caf\u00e9?x=\u00e9"),
        ("/\udcff?utm&x", "/\udcff?x"),
    ],
)
def test_yandex_canonical(engine: str, url: str, canonical: str) -> None:
    robots = canfetch.parse(BODY, engine=engine)
    assert robots.canonical(url) == canonical
    assert robots.canonical(url.encode("utf-8", "surrogateescape")) == canonical


def test_yandex_without_clean_param_all_parameters_remain(engine: str) -> None:
    assert canfetch.parse("", engine=engine).canonical("/a?utm=1#x") == "/a?utm=1"


def test_yandex_dot_segments_are_only_resolved_to_match_the_path() -> None:
    robots = canfetch.parse("Clean-param: a /b")
    assert robots.canonical("/x/../b?a=1") == "/x/../b"


@pytest.mark.slow
def test_canonical_url_does_not_depend_on_the_profile() -> None:
    for profile in ("google", "googlebot", "yandex", "original1994", "strict"):
        assert canfetch.parse(BODY, profile=profile).canonical("/%64ir/b.pl?ref=1") == "/%64ir/b.pl"
