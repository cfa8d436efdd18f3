"""A User-Agent header instead of a product token."""

from collections.abc import Iterator
from functools import partial
from typing import Final

from canfetch.agents import REGISTRY
from canfetch.core.abnf import IDENTIFIER
from canfetch.core.records import Record
from canfetch.core.tokens import product_token
from canfetch.errors import InvalidProductToken
from canfetch.lint.analysis.agent_names import is_header
from canfetch.lint.analysis.group_assignment import can_assign_group
from canfetch.lint.analysis.needs import Trait
from canfetch.lint.check import VARIANT, Check, LineOccurrence, Occurrence, Variant, VerdictQuery
from canfetch.lint.fixes import replace_span
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere

# The first word of the headers of browsers, and of crawlers that imitate them.
_BROWSERS: Final = frozenset(["mozilla", "opera"])
# Parts of the names of crawlers that are not in the registry.
_CRAWLER_WORDS: Final = ("bot", "crawl", "spider")


def find(file: LintedFile) -> Iterator[LineOccurrence]:
    """Find user-agent lines with a version or a comment."""
    for index, value in zip(file.user_agents, file.user_agent_values, strict=True):
        if is_header(value):
            yield LineOccurrence(index + 1, partial(_occurrence, file, index))


def _occurrence(file: LintedFile, index: int) -> Occurrence:
    record = file.records[index]
    span, value = record.value or record.span, file.value(record)
    text = file.text(value)
    token = _product_token(text)
    fix = None
    if token is not None and _is_certain(file, record, text, token):
        fix = replace_span(*span, token.encode(), changes_verdicts=True)
    read = file.text(value.partition(b"/")[0].partition(b" ")[0])
    details = {"header": text, "read": read}
    is_missed = _misses_crawler(text, token, read.lower())
    if read.lower() in _BROWSERS and not is_missed:
        details[VARIANT] = "browser"
    return Occurrence(span, details, VerdictQuery(None), fix, harmless=not is_missed)


def _misses_crawler(header: str, token: str | None, read: str) -> bool:
    """Return whether the header hides the name of a crawler that is in use.

    Args:
        token: The header's product token, or None.
        read: What crawlers read of the header, in lower case.
    """
    if token is not None and token.lower() == read:
        return False
    crawler = REGISTRY.find_crawler(header) or (None if token is None else REGISTRY.get_crawler(token))
    if crawler is not None:
        return not crawler.retired and read not in map(str.lower, crawler.tokens)
    # Crawlers that are not in the registry read their names, too, but no crawler is called Mozilla.
    name = read if token is None else token.lower()
    return name != read and (read not in _BROWSERS or any(word in name for word in _CRAWLER_WORDS))


def _is_certain(file: LintedFile, record: Record, header: str, token: str) -> bool:
    product, _, version = header.partition("/")
    if token.lower() == product.lower():
        return version[:1].isdigit() or version == ""
    if token.lower() == header.partition("(")[0].rstrip().lower():
        return True
    if "(" not in header:
        return False
    # The fix makes the group apply to another crawler.
    crawler = REGISTRY.get_crawler(token)
    obeys = crawler is None or (
        crawler.obeys not in {"no", "might-ignore"} and not crawler.retired and not crawler.token_only
    )
    return obeys and not token.encode().translate(None, IDENTIFIER) and can_assign_group(file, record, token)


def _product_token(header: str) -> str | None:
    try:
        token = product_token(header)
    except InvalidProductToken:
        return None
    try:
        rest = token.encode().translate(None, IDENTIFIER + b"0123456789.")
    except UnicodeEncodeError:
        return None
    return None if rest else token


CHECK = Check(
    code="CF508",
    name="user-agent-header-as-token",
    severities=everywhere(Severity.ERROR),
    title="A User-Agent header instead of a product token",
    message="`{header}` is not a product token: crawlers read at most `{read}`",
    why="Crawlers look only for their product token, the short name that their operator documents. Most ignore a "
    "version after it. From a complete header, they read only the first word, which is usually a browser's name.",
    how_to_fix="Write the product token without version and comment.",
    variants={
        "browser": Variant(
            how_to_fix="Remove the line: no crawler has the name `{read}`. Some parsers would apply a group with this "
            "name to every crawler that sends the header of a browser. To keep out browsers, configure the server."
        )
    },
    source="RFC 9309 section 2.2.1",
    bad=b"User-agent: Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)\nDisallow: /\n",
    good=b"User-agent: GPTBot\nDisallow: /\n",
    find=find,
    needs=(Trait.OTHER_AGENT,),
    fixable=True,
    supersedes=("CF5",),
)
