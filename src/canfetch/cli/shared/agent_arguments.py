"""Who asks: names become Agents, by the registry unless `--exact`."""

from collections.abc import Iterator
from typing import NamedTuple

from canfetch.agents import REGISTRY, Crawler, Registry
from canfetch.cli.decisions.options import Question
from canfetch.cli.decisions.registry_file import registry_of
from canfetch.cli.shared.input_files import close_input, listed_lines, open_input
from canfetch.cli.shared.problems import Problem
from canfetch.cli.shared.terminal import Palette, shown
from canfetch.core.agent import Agent
from canfetch.core.quoting import quoted
from canfetch.core.tokens import product_token
from canfetch.errors import InvalidProductToken


class Asker(NamedTuple):
    """An agent as it was typed, the Agent that it means, and the registry's entry where that was used."""

    name: str
    agent: Agent
    crawler: Crawler | None

    @property
    def chain(self) -> str:
        """The tokens that are tried, in order."""
        tokens = ", then ".join(self.agent.tokens)
        if not self.agent.star_applies:
            return f"{tokens}, and never *"
        return tokens if "*" in self.agent.tokens else f"{tokens}, then *"

    @property
    def is_chain(self) -> bool:
        """Whether the registry asks something else than the bare token does."""
        return self.agent != Agent(self.name)


def askers_of(question: Question) -> list[Asker]:
    """Give the agents, in order, each once.

    Raises: Problem: there is none, or one is no product token.
    """
    askers: dict[str, Asker] = {}
    registry = registry_of(question.agents_registry)
    for name, place in _names(question):
        if name not in askers:
            askers[name] = asker_of(name, place, exact=question.exact, registry=registry)
    if not askers:
        raise Problem("no agent: give --agent TOKEN, such as --agent GPTBot, or --agents-file FILE")
    return list(askers.values())


def chain_lines(askers: list[Asker], palette: Palette) -> Iterator[str]:
    """Yield a line for each agent of which the registry knows more than its token."""
    for asker in askers:
        if asker.is_chain:
            yield palette.faint(f"# {shown(asker.name)} is asked as {shown(asker.chain)}") + "\n"


def _names(question: Question) -> Iterator[tuple[str, str]]:
    for name in question.agents:
        yield name, ""
    if question.agents_file is not None:
        stream = open_input(question.agents_file, "--agents-file")
        try:
            for line in listed_lines(stream, question.agents_file):
                # No token that can be matched holds a #: in robots.txt, too, it begins a comment.
                name = line.text.partition("#")[0].strip()
                if name:
                    yield name, line.place
        finally:
            close_input(stream)


def asker_of(name: str, place: str = "", *, exact: bool, registry: Registry = REGISTRY) -> Asker:
    """Give who is meant by a name.

    Args:
        place: where it stands, to be said in front of what is wrong with it.
        registry: who is known.
    Raises: Problem: it is no product token.
    """
    try:
        if exact:
            return Asker(name, Agent(name), None)
        return Asker(name, registry.agent(name), registry.get_crawler(name))
    except InvalidProductToken as error:
        if not name:
            raise Problem(str(error)) from None
        raise Problem(f"{place}agent {quoted(name)} is no product token: {_mend(name)}") from None


def _mend(header: str) -> str:
    if "/" in header or "(" in header:
        try:
            return f"of that User-Agent header give the token alone, {quoted(product_token(header))}"
        except InvalidProductToken:
            pass
    return "give one without white space, '/' and control characters, such as 'GPTBot'"
