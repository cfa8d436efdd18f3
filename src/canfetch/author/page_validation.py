"""Page-level rules of a policy: only words that page readers know, in a header that is read back as it was meant."""

from typing import Final

from canfetch.author.site_policy import PageIntent
from canfetch.core.choices import unknown_choice
from canfetch.core.quoting import quoted
from canfetch.errors import InvalidDraft
from canfetch.pages.directive_lists import parse_directives
from canfetch.pages.directives import DirectiveNote
from canfetch.pages.positions import PagePosition, PageSource
from canfetch.pages.vocabulary import KNOWN

# What every date and every value needs, and no server gives a meaning.
_CHARACTERS: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 ,:+_./-")


def validate_page_rules(page: PageIntent) -> None:
    """Let page-level rules pass that say, read back, just what was given.

    Raises: InvalidDraft: a word that there is not, a value that it has not, or one that takes over its neighbour.
    """
    place = PagePosition(PageSource.X_ROBOTS_TAG, 1)
    for rule in page.rules:
        name, colon, value = (part.strip() for part in rule.partition(":"))
        if name.lower() not in KNOWN:
            raise InvalidDraft(unknown_choice("page-level rule", name, sorted(KNOWN)))
        if not _CHARACTERS.issuperset(rule):
            raise InvalidDraft(
                f"invalid page-level rule {quoted(rule)}: expected only ASCII letters, digits, spaces and ',:+_./-'"
            )
        found = list(parse_directives(rule, place, agents_inside=True))
        if len(found) != 1 or found[0].notes != DirectiveNote.NONE or (colon and found[0].value != value):
            raise InvalidDraft(f"{quoted(rule)} is not read as it is meant: look at its value")
    agent = None if page.crawler is None else page.crawler.lower()
    read = [(found.agent, found.name, found.value) for found in parse_directives(page.value, place, agents_inside=True)]
    alone = [next(parse_directives(rule, place, agents_inside=True)) for rule in page.rules]
    if read != [(agent, rule.name, rule.value) for rule in alone]:
        raise InvalidDraft(f"{quoted(page.value)} is not read as it is meant: give one [[page]] for each rule")
