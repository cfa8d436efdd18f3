"""The robots.txt that a site should serve: a file, or a policy, whose environment depends on the host."""

from canfetch.author import SitePolicy, render_policy
from canfetch.author.closing import find_closing_rule
from canfetch.author.policy_file import is_policy_content
from canfetch.core.choices import unknown_choice
from canfetch.core.document import RobotsTxt, parse
from canfetch.core.origin import Origin
from canfetch.errors import InvalidOption


class IntendedFiles:
    """The intended robots.txt of each address.

    Args:
        source: The robots.txt, or the policy from which it is made, or None if it is unknown.
        environment: The environment of the policy, or None for that of each host.
        profile: The parsing profile.
    Raises: InvalidOption: There is no such environment to choose.
    """

    def __init__(self, source: bytes | SitePolicy | None, environment: str | None, profile: str) -> None:
        if isinstance(source, bytes) and is_policy_content(source):
            raise InvalidOption("the source is a policy in TOML, not a robots.txt: pass parse_policy(text)")
        if environment is not None:
            if not isinstance(source, SitePolicy):
                raise InvalidOption("an environment requires the policy as the source")
            source.for_environment(environment)
            check_environment(source, environment)
        self._source = source
        self._environment = environment
        self._profile = profile

    def is_unknown(self, origin: Origin) -> bool:
        """Return whether the policy has environments for hosts, and none for an address. Then it closes the address."""
        has_environments = isinstance(self._source, SitePolicy) and bool(self._source.environments)
        return has_environments and self.environment_of(origin) is None

    def environment_of(self, origin: Origin) -> str | None:
        """Return the name of the environment of an address, or None if it belongs to none."""
        if not isinstance(self._source, SitePolicy):
            return None
        if self._environment is not None:
            return self._environment
        found = self._source.environment_of(_host(origin))
        return None if found is None else found.name

    def file_for(self, origin: Origin) -> RobotsTxt | None:
        """Return the intended file of an address, or None if it is unknown.

        Raises: InvalidDraft, InvalidSitePolicy: The policy cannot be written as a robots.txt.
        """
        if self._source is None:
            return None
        content = self._source
        if isinstance(content, SitePolicy):
            chosen = self._environment
            policy = content.for_host(_host(origin)) if chosen is None else content.for_environment(chosen)
            content = render_policy(policy).encode()
        return parse(content, profile=self._profile)


def check_environment(policy: SitePolicy, name: str, *, of: str = "") -> None:
    """Check that a policy has an environment. With a misspelled name, an open site would have to be closed.

    Args: of: What has the policy, for the message.
    Raises: InvalidOption.
    """
    if policy.get_environment(name) is None:
        raise InvalidOption(unknown_choice("environment", name, [one.name for one in policy.environments], of=of))


def is_closed(robots: RobotsTxt | None) -> bool:
    """Return whether an intended file closes the site to search engines."""
    return robots is not None and find_closing_rule(robots) is not None


def _host(origin: Origin) -> str:
    return str(origin).partition("://")[2]
