"""The agent that a question is about: from its argument, from the server's configuration, or a stand-in."""

from typing import Final, Literal, NamedTuple

from canfetch.agents import Crawler
from canfetch.agents.requested import NAME_ENDS, alternatives, probable_tokens, requested_agent
from canfetch.answers.crawlers import token_only_text
from canfetch.core.agent import Agent
from canfetch.core.quoting import quoted
from canfetch.core.tokens import product_token
from canfetch.core.verdict import GroupChoice, Verdict
from canfetch.errors import InvalidProductToken
from canfetch.web.mcp.arguments import CallerError
from canfetch.web.mcp.quotation import quote, visible_text
from canfetch.web.mcp.results import AnsweredFor

_STAR: Final = "*"
MAX_NAME_TOKENS: Final = 12


class AskedAgent(NamedTuple):
    """The agent that a question is about.

    Attributes:
        agent: The tokens to try in order.
        chosen_by: Where it is from.
        crawler: The entry of a known crawler, or None.
        probable: The tokens of known crawlers that an unknown argument probably refers to.
    """

    agent: Agent
    chosen_by: Literal["argument", "server", "stand-in"]
    crawler: Crawler | None = None
    probable: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The first token, for a text."""
        token = self.agent.tokens[0]
        if self.chosen_by == "stand-in":
            return "a crawler that the file does not name (*)"
        return token if self.crawler is not None else quote(token, max_tokens=MAX_NAME_TOKENS)

    def advice(self, verdict: Verdict) -> str:
        """Return what the caller has to know about the agent, or an empty string.

        A name in a user-agent line of the file, as in `verdict`, is not a misspelt one.
        """
        if self.chosen_by == "stand-in":
            return "No agent was given: pass agent for your own."
        if self.probable and verdict.group.choice is not GroupChoice.OWN_TOKEN:
            return f"No crawler with this name is known: did you mean {alternatives(self.probable)}?"
        if self.crawler is not None and self.crawler.token_only:
            return f"{self.crawler.name} {token_only_text(self.crawler)}."
        return ""

    def to_result(self) -> AnsweredFor:
        """Return the agent for a structured result."""
        tokens = [visible_text(token) for token in self.agent.tokens]
        operator = None if self.crawler is None else self.crawler.operator
        return AnsweredFor(tokens=tokens, chosen_by=self.chosen_by, operator=operator)


STAND_IN: Final = AskedAgent(Agent(_STAR), "stand-in")


def configured_agent(user_agent: str | None) -> AskedAgent:
    """Return the agent of the server's configuration, or the stand-in without one.

    Raises: InvalidProductToken: The User-Agent header contains no product token.
    """
    return STAND_IN if user_agent is None else _known(product_token(user_agent), "server")


def parse_agent(text: str | None, configured: AskedAgent) -> AskedAgent:
    """Return the agent of an argument.

    Args:
        text: A product token or a User-Agent header, or None for the agent of the configuration.
        configured: That agent.
    Raises: CallerError: The text is neither, or no user-agent line can name the token.
    """
    if text is None:
        return configured
    name = text.strip()
    if name == _STAR:
        return AskedAgent(Agent(_STAR), "argument")
    is_list = "," in name and not any(character in "/(" for character in name)
    is_header = not is_list and any(character in "/(; " for character in name)
    try:
        return _known(product_token(name) if is_header else name, "argument")
    except InvalidProductToken as error:
        if not is_header and any(character in NAME_ENDS for character in name):
            raise CallerError(str(error)) from None
        raise CallerError(
            f"invalid agent {quoted(text)}: expected a product token such as 'GPTBot', or a User-Agent header such as "
            "'ExampleBot/1.0 (+https://example.com/bot)'"
        ) from None


def _known(token: str, chosen_by: Literal["argument", "server"]) -> AskedAgent:
    requested = requested_agent(token)
    probable = probable_tokens(requested) if chosen_by == "argument" else ()
    return AskedAgent(requested.agent, chosen_by, requested.crawler, probable)
