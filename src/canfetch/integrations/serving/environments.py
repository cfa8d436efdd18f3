"""The environment of a site. Production has to be open, and every other one closed, unless the opposite is stated.

A policy with environments states that itself. For all other content, the arguments of a site state it.
"""

import os
from typing import Any, Final, NamedTuple

from canfetch.author.closing import find_closing_rule
from canfetch.author.policy_file import BY_HOST, ENVIRONMENT_VARIABLE, PRODUCTION
from canfetch.author.site_policy import SitePolicy
from canfetch.core.choices import unknown_choice
from canfetch.core.document import RobotsTxt
from canfetch.core.quoting import quoted
from canfetch.errors import InvalidOption, ServingError

ENVIRONMENTS: Final = (PRODUCTION, "staging", "development", "test")
"""The environments of content that names none itself."""


class SiteEnvironment(NamedTuple):
    """The environment of a site, and what its arguments state.

    Attributes:
        name: The name, or `by-host`.
        close_outside_production: Whether all environments but production are closed.
        allow_closed: Whether production may be closed.
        allow_open: Whether another environment may be open.
    """

    name: str
    close_outside_production: bool = False
    allow_closed: bool = False
    allow_open: bool = False

    @property
    def is_by_host(self) -> bool:
        """Whether the host of each request decides."""
        return self.name == BY_HOST

    @property
    def is_closed(self) -> bool:
        """Whether a file that disallows everything replaces the content."""
        return self.close_outside_production and self.name != PRODUCTION

    def check_name(self) -> None:
        """Check the name for content without environments.

        Raises: InvalidOption.
        """
        if self.is_by_host:
            raise InvalidOption(
                f"environment {quoted(BY_HOST)} requires a policy with environments, which list their hosts"
            )
        if self.name not in ENVIRONMENTS:
            raise InvalidOption(unknown_choice("environment", self.name, ENVIRONMENTS))

    def check_file(self, robots: RobotsTxt) -> None:
        """Check that a file closes the site, or leaves it open, as it should.

        Raises: ServingError.
        """
        rule = find_closing_rule(robots)
        if self.name == PRODUCTION:
            if rule is not None and not self.allow_closed:
                raise ServingError(
                    f"line {rule.line}, {rule}, closes the whole site to search engines, in {PRODUCTION}; remove the "
                    "rule, or pass allow_closed=True"
                )
        elif rule is None and not self.allow_open and not self.is_closed:
            raise ServingError(
                f"it leaves the site open to search engines, in {self.name}; pass close_outside_production=True "
                "to close it, or allow_open=True"
            )

    def check_hosts(self, policy: SitePolicy) -> None:
        """Check that the host of a request can decide for production.

        Raises: InvalidOption.
        """
        production = policy.get_environment(PRODUCTION)
        if self.is_by_host and production is not None and not production.hosts:
            raise InvalidOption(f"environment {quoted(BY_HOST)} requires the hosts of environment.{PRODUCTION}")


def site_environment(
    name: Any, *, close_outside_production: Any, allow_closed: Any, allow_open: Any
) -> SiteEnvironment:
    """Return the environment of a site.

    Args:
        name: The name, or None for that in the variable.
        close_outside_production, allow_closed, allow_open: See `Site`.
    Raises: InvalidOption: There is no name, or the arguments contradict each other.
    """
    if name is None:
        # Like an option of a command, an empty variable is not set.
        name = os.environ.get(ENVIRONMENT_VARIABLE) or None
    if name is None:
        raise InvalidOption(
            f"no environment: pass environment={quoted(PRODUCTION)}, or set the variable {ENVIRONMENT_VARIABLE}"
        )
    if not isinstance(name, str) or not name:
        raise InvalidOption(f"invalid environment {quoted(name)}: expected a name, such as {quoted(PRODUCTION)}")
    if close_outside_production and allow_open:
        raise InvalidOption("close_outside_production and allow_open contradict each other: pass one of them")
    environment = SiteEnvironment(name, bool(close_outside_production), bool(allow_closed), bool(allow_open))
    if environment.is_by_host and any(environment[1:]):
        raise InvalidOption(
            f"environment {quoted(BY_HOST)} takes no close_outside_production, allow_closed and allow_open: write "
            "closed = true or closed = false into the policy"
        )
    return environment
