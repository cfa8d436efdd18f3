"""An expectation as an assertion, for tests in Python."""

import warnings

from canfetch.agents.requested import requested_agent, unknown_agent_notes
from canfetch.core.document import RobotsTxt, parse
from canfetch.core.quoting import quoted
from canfetch.errors import InvalidOption
from canfetch.expectations.checking import check_expectations
from canfetch.expectations.expectation_file import Expectation


class UnknownAgentWarning(UserWarning):
    """Warns about an unknown agent whose name probably refers to known crawlers, such as `GPTBto` or `OpenAI`."""


def assert_expected(
    robots: RobotsTxt | bytes | str,
    *,
    agent: str,
    allowed: bool,
    url: str | None = None,
    pattern: str | None = None,
    why: str = "",
) -> None:
    """Check an expectation about a robots.txt.

    Args:
        robots: The file or its content.
        agent: A product token, with the fallback tokens of the registry. A name such as `GPTBto` or
            `OpenAI` causes an `UnknownAgentWarning`, unless a user-agent line of the file has it.
        allowed: Whether the agent is expected to be allowed.
        url: A URL or a path.
        pattern: A pattern as in a robots.txt, instead of `url`. The expectation is proved for all of its URLs.
        why: The reason for the expectation, for the message.
    Raises: AssertionError: It does not hold, or cannot be checked; InvalidOption: Both or none of `url` and `pattern`
        are given, or `allowed` is not a bool; InvalidProductToken.
    """
    if (url is None) == (pattern is None):
        raise InvalidOption("expected either url or pattern")
    if not isinstance(allowed, bool):
        raise InvalidOption(f"invalid allowed {quoted(allowed)}: expected True or False")
    requested = requested_agent(agent)
    file = robots if isinstance(robots, RobotsTxt) else parse(robots)
    for note in unknown_agent_notes([requested], files=[file]):
        warnings.warn(note, UnknownAgentWarning, stacklevel=2)
    expectation = Expectation(agent, requested.agent, url, pattern, allowed, why)
    for failure in check_expectations(file, [expectation]):
        if failure is not None:
            raise AssertionError(str(failure))
