"""Every source that a check, a profile or an access policy cites is on the page of sources."""

import re
import tomllib
from pathlib import Path

import pytest
from source_names import document_urls, mention_pattern, mention_url

from canfetch.lint import CHECKS

ROOT = Path(__file__).parents[2]
URLS = document_urls()
MENTION = mention_pattern(URLS)
# Sources without a document of their own.
OWN = (
    "canfetch",
    "the canfetch",
    "The operator's documentation",
    "the operators' documentation",
    "the documentation of",
    "ACAP 1.0",
)


def table_sources(name: str) -> list[str]:
    found: list[str] = []

    def collect(value: object) -> None:
        if isinstance(value, dict):
            found.extend(source for key, source in value.items() if key == "source" and isinstance(source, str))
            for inner in value.values():
                collect(inner)

    collect(tomllib.loads((ROOT / "tables" / name).read_text(encoding="utf-8")))
    return found


def cited() -> set[str]:
    sources = [check.source for check in CHECKS] + table_sources("protocol.toml")
    return {part.strip() for source in sources for part in source.split(";")}


def test_every_cited_source_is_on_the_page() -> None:
    found = cited()
    assert len(found) > 50
    assert not sorted(source for source in found if not source.startswith(OWN) and not MENTION.search(source))


@pytest.mark.parametrize(
    "text, url",
    [
        ("RFC 9309", "https://www.rfc-editor.org/rfc/rfc9309"),
        ("RFC 9309 section 2.2.1", "https://www.rfc-editor.org/rfc/rfc9309#section-2.2.1"),
        ("RFC 9309 sections 2.3 and 2.4", "https://www.rfc-editor.org/rfc/rfc9309#section-2.3"),
        ("Google's specification of 2019", URLS["Google's specification of 2019"]),
        ("google/robotstxt, robots.cc", "https://github.com/google/robotstxt"),
    ],
)
def test_longest_name_is_found(text: str, url: str) -> None:
    mention = MENTION.match(text)
    assert mention is not None
    assert mention_url(mention, URLS) == url


def test_every_document_on_the_page_has_an_address() -> None:
    page = (ROOT / "docs" / "sources.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (?!cited|---)(.+?) \| (.+) \|$", page, re.MULTILINE)
    assert len(rows) > 30
    assert [names for names, document in rows if "](" not in document] == ["ACAP 1.0"]
