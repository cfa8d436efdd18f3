"""Checks expectations about one robots.txt, also as assertions of tests in Python."""

import warnings
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from canfetch.agents.requested import requested_agent, unknown_agent_notes
from canfetch.compare import find_url
from canfetch.core.document import RobotsTxt, parse
from canfetch.core.quoting import quoted
from canfetch.core.text import printable_text
from canfetch.core.verdict import Verdict
from canfetch.errors import CanfetchError, InvalidOption, Undecided
from canfetch.expectations.expectation_file import Expectation


class Failure(NamedTuple):
    """An expectation that does not hold, or that cannot be checked.

    Attributes:
        expectation: The expectation.
        verdict: The verdict on a URL that contradicts it, or None if it could not be checked.
        url: That URL, as short as possible for a pattern, or None.
        error: Why the expectation could not be checked, or None.
    """

    expectation: Expectation
    verdict: Verdict | None = None
    url: str | None = None
    error: str | None = None

    def __str__(self) -> str:
        expectation = self.expectation
        if self.verdict is None:
            reason = f"cannot be checked: {self.error}"
        else:
            verb = "may fetch" if self.verdict.allowed else "may not fetch"
            url = None if self.url is None else printable_text(self.url)
            reason = f"{expectation.agent_name} {verb} {url}: {self.verdict.explanation}"
        why = f" ({expectation.why})" if expectation.why else ""
        return f"expected that {expectation}{why}, but {reason}"


def check_expectations(robots: RobotsTxt, expectations: Iterable[Expectation]) -> Iterator[Failure | None]:
    """Yield None for each expectation that holds, and a failure for each other one, in order.

    An expectation about a pattern holds if it holds for every URL that matches. `/robots.txt` does not count in the
    profiles that always allow it.

    Cost: A decision for each URL, and `canfetch.compare.find_url` for each pattern.
    """
    for expectation in expectations:
        yield _check(robots, expectation)


def _check(robots: RobotsTxt, expectation: Expectation) -> Failure | None:
    try:
        url = expectation.url
        if expectation.pattern is not None:
            url = find_url(robots, agent=expectation.agent, allowed=not expectation.allowed, within=expectation.pattern)
            if url is None:
                return None
        assert url is not None
        verdict = robots.decide(url, agent=expectation.agent)
    except (Undecided, CanfetchError) as error:
        return Failure(expectation, error=str(error))
    return None if verdict.allowed is expectation.allowed else Failure(expectation, verdict, url)


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
