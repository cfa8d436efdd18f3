"""Completion offers what applies at a place."""

import pytest

from canfetch.lint import CHECKS
from canfetch.lsp.completion import MAX_ITEMS, Completions, complete
from canfetch.lsp.file_view import FileView

FILE = """\
Sitemap: https://www.example.com/news.xml
User-agent: GPTBot
User-agent: FooBot
Disallow: /shop/
Allow: /shop/é
Disallow: /a

"""


def completions(line: str, number: int = 6, text: str = FILE) -> Completions:
    """Return the completions at the `|` of a line, which replaces a line of the file, from 0."""
    index = line.index("|")
    line = line.replace("|", "")
    lines = text.split("\n")
    lines[number] = line
    return complete(FileView("\n".join(lines).encode(), "rfc9309"), number, line, index)


def labels(line: str, number: int = 6, text: str = FILE) -> list[str]:
    return [item.label for item in completions(line, number, text).items]


def test_a_group_offers_rules_first() -> None:
    found = labels("|")
    assert found[:3] == ["Disallow", "Allow", "User-agent"]
    assert {"Crawl-delay", "Sitemap", "Content-Signal"} <= set(found)
    assert not {"Host", "Noindex", "Cache-delay"} & set(found)


def test_outside_of_groups_only_records_that_apply_there_are_offered() -> None:
    found = labels("|", number=0)
    assert found[0] == "User-agent"
    assert "Sitemap" in found
    assert not {"Disallow", "Allow", "Crawl-delay"} & set(found)


def test_a_key_ends_with_a_colon_unless_there_is_one() -> None:
    assert completions("Dis|").items[0].text == "Disallow: "
    assert completions("Dis|allow: /").items[0].text == "Disallow"
    assert completions("  dis|").start == 2


def test_keys_name_their_source_and_readers() -> None:
    (delay,) = completions("crawl|").items
    assert "Bing" in delay.detail
    assert "bingbot" in delay.documentation


def test_user_agents_are_those_of_the_registry_and_of_the_file() -> None:
    found = {item.label: item for item in completions("User-agent: |").items}
    assert found["*"].detail == "all other crawlers"
    assert found["GPTBot"].detail == "OpenAI"
    assert "It obeys robots.txt, according to its operator." in found["GPTBot"].documentation
    assert "Named on line 2." in found["GPTBot"].documentation
    assert found["FooBot"].detail == "in this file"
    assert found["AdsBot-Google-Mobile-Apps"].deprecated


def test_typed_text_filters_and_what_starts_with_it_comes_first() -> None:
    found = labels("User-agent: bot|")
    assert all("bot" in label.lower() for label in found)
    assert labels("User-agent: googleb|")[0] == "Googlebot"


@pytest.mark.parametrize("line", ["Disallow: |", "allow:|", "Dissalow: |"])
def test_rules_offer_the_paths_of_the_file(line: str) -> None:
    assert labels(line) == ["/shop/", "/shop/é", "/a"]


def test_a_space_follows_the_colon() -> None:
    assert completions("Disallow:|").items[0].text == " /shop/"
    assert completions("Disallow: |").items[0].text == "/shop/"
    assert completions("Disallow:/s|").items[0].text == "/shop/"


def test_the_path_of_the_line_itself_is_not_offered() -> None:
    assert labels("Disallow: /sh|", number=6) == ["/shop/", "/shop/é"]


def test_sitemaps_are_on_the_hosts_of_the_file() -> None:
    assert labels("Sitemap: |") == ["https://www.example.com/sitemap.xml"]
    assert labels("Sitemap: |", text="\n" * 7) == ["https://"]


def test_values_of_lists_are_completed_one_by_one() -> None:
    found = completions("Content-Signal: search=yes, ai-t|")
    assert ([item.label for item in found.items], found.start) == (["ai-train=yes", "ai-train=no"], 28)
    assert "train-ai=n" in labels("Content-Usage: |")


def test_comments_offer_suppressions_and_checks() -> None:
    assert labels("# |") == ["canfetch: allow", "canfetch: allow-file"]
    assert labels("# canfetch: allow missing-c|") == ["missing-colon"]
    assert len(labels("Disallow: /a # canfetch: allow-file CF201, |")) == len(CHECKS)
    assert labels("# any other text|") == []


def test_unknown_keys_have_no_values() -> None:
    assert labels("Foo: |") == []


def test_a_long_list_is_incomplete() -> None:
    text = "User-agent: *\n" + "".join(f"Disallow: /{number}\n" for number in range(MAX_ITEMS + 1)) + "\n"
    found = completions("Disallow: /|", MAX_ITEMS + 2, text)
    assert (len(found.items), found.is_incomplete) == (MAX_ITEMS, True)
