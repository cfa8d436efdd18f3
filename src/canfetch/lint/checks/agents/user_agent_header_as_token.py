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
from canfetch.lint.check import Check, LineOccurrence, Occurrence, VerdictQuery
from canfetch.lint.fixes import replace_span
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere

# The first word of the headers of browsers, and of crawlers that imitate them.
_BROWSERS: Final = frozenset(["mozilla", "opera"])


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
    # Most crawlers ignore what follows their name, but no crawler is called Mozilla.
    is_harmless = b"(" not in value and read.lower() not in _BROWSERS
    return Occurrence(span, {"header": text, "read": read}, VerdictQuery(None), fix, harmless=is_harmless)


def _is_certain(file: LintedFile, record: Record, header: str, token: str) -> bool:
    product, _, version = header.partition("/")
    if token.lower() == product.lower():
        return version[:1].isdigit() or version == ""
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
    source="RFC 9309 section 2.2.1",
    bad=b"User-agent: Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)\nDisallow: /\n",
    good=b"User-agent: GPTBot\nDisallow: /\n",
    find=find,
    needs=(Trait.OTHER_AGENT,),
    fixable=True,
    supersedes=("CF5",),
)
