"""A company, a product or a word such as `all` instead of a crawler's name."""

from collections.abc import Iterator

from canfetch.agents.operator_names import CRAWLERS_BY_OPERATOR
from canfetch.lint.analysis.agent_names import named_agents
from canfetch.lint.analysis.needs import Trait
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find names of operators and products, and words that mean all crawlers."""
    for name in named_agents(file):
        tokens = CRAWLERS_BY_OPERATOR.get(name.text.lower())
        if tokens is not None:
            group = file.group_of(name.record)
            # With a real name in the same group, the other one is superfluous.
            harmless = group is not None and any(token.lower() in group.names for token in tokens)
            yield Occurrence(name.span, {"name": name.text, "tokens": ", ".join(tokens)}, harmless=harmless)


CHECK = Check(
    code="CF511",
    name="agent-by-operator-name",
    severities=everywhere(Severity.WARNING),
    title="A company, a product or a word such as `all` instead of a crawler's name",
    message="no crawler is named `{name}`; possible names: {tokens}",
    why="Crawlers look for their exact product token. The name of the operator, or a part of the token, does not "
    "reach them. A word such as `all` does not work either: only `*` applies to every crawler.",
    how_to_fix="Write the product token of each intended crawler on its own `User-agent` line.",
    source="RFC 9309 section 2.2.1; the operators' documentation",
    bad=b"User-agent: Google\nDisallow: /private/\n",
    good=b"User-agent: Googlebot\nDisallow: /private/\n",
    find=find,
    needs=(Trait.OTHER_AGENT,),
)
