"""Validation of page-level rules: known directives, in a header that parses back to the same directives."""

from typing import Final

from canfetch.author.site_policy import PageIntent
from canfetch.core.choices import unknown_choice
from canfetch.core.quoting import quoted
from canfetch.errors import InvalidDraft
from canfetch.pages.directive_lists import parse_directives
from canfetch.pages.directives import DirectiveNote
from canfetch.pages.positions import PagePosition, PageSource
from canfetch.pages.vocabulary import KNOWN

# Sufficient for all dates and values, and without a special meaning in any server's configuration.
_CHARACTERS: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 ,:+_./-")


def validate_page_rules(page: PageIntent) -> None:
    """Check that page-level rules parse back to themselves, alone and combined in one header.

    Raises: InvalidDraft: A directive is unknown, a value is invalid, or two rules interfere with each other.
    """
    position = PagePosition(PageSource.X_ROBOTS_TAG, 1)
    for rule in page.rules:
        name, colon, value = (part.strip() for part in rule.partition(":"))
        if name.lower() not in KNOWN:
            raise InvalidDraft(unknown_choice("page-level rule", name, sorted(KNOWN)))
        if not _CHARACTERS.issuperset(rule):
            raise InvalidDraft(
                f"invalid page-level rule {quoted(rule)}: expected only ASCII letters, digits, spaces and ',:+_./-'"
            )
        found = list(parse_directives(rule, position, agents_inside=True))
        if len(found) != 1 or found[0].notes != DirectiveNote.NONE or (colon and found[0].value != value):
            raise InvalidDraft(f"invalid page-level rule {quoted(rule)}: expected one directive with a valid value")
    agent = None if page.crawler is None else page.crawler.lower()
    together = list(parse_directives(page.value, position, agents_inside=True))
    alone = [next(parse_directives(rule, position, agents_inside=True)) for rule in page.rules]
    if [(one.agent, one.name, one.value) for one in together] != [(agent, one.name, one.value) for one in alone]:
        raise InvalidDraft(
            f"ambiguous X-Robots-Tag header {quoted(page.value)}: use one [[page]] table for each rule, "
            "and a crawler whose name is not a directive"
        )
