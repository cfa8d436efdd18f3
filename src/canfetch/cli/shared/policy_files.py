"""Site policies that options name, and the environment that an option, the variable or a host selects."""

import os

from canfetch.author.hosts import parse_configured_host
from canfetch.author.policy_file import BY_HOST, ENVIRONMENT_VARIABLE, parse_policy
from canfetch.author.site_policy import SitePolicy
from canfetch.cli.shared.command_errors import CommandError
from canfetch.cli.shared.terminal import print_message
from canfetch.core.choices import unknown_choice
from canfetch.core.quoting import quoted
from canfetch.errors import InvalidSitePolicy


def read_policy(content: bytes, name: str) -> SitePolicy:
    """Return the policy in a file.

    Args:
        content: The content.
        name: The file, for messages.
    Raises: CommandError: It is not a policy.
    """
    try:
        return parse_policy(content.decode("utf-8"))
    except UnicodeDecodeError:
        raise CommandError(f"{name} is not UTF-8") from None
    except InvalidSitePolicy as error:
        hint = "; expected a policy in TOML, not a robots.txt" if name.lower().endswith(".txt") else ""
        raise CommandError(f"{name}: {error}{hint}") from None


def choose_environment(policy: SitePolicy, name: str, *, environment: str | None, host: str | None) -> SitePolicy:
    """Return the policy of the environment that the options select, or else the variable.

    Args:
        policy: The policy.
        name: The file, for messages.
        environment, host: The values of `--environment` and `--host`.
    Raises: CommandError: The options contradict each other or the policy, or nothing selects an environment.
    """
    if environment is not None and host is not None:
        raise CommandError("--environment and --host contradict each other: pass one of them")
    if not policy.environments:
        check_environments(policy, name, "--environment" if host is None else "--host", environment or host)
        return policy
    if environment == "":
        raise CommandError("invalid --environment '': expected a name, such as 'production'")
    if host is not None:
        if parse_configured_host(host) is None:
            raise CommandError(f"invalid --host {quoted(host)}: expected a host, such as 'www.example.com'")
        if policy.environment_of(host) is None:
            print_message(f"canfetch: no environment of {name} has the host {quoted(host)}: everything is disallowed")
        return policy.for_host(host)
    if environment is None:
        # Like that of other options, an empty variable is not set.
        environment = os.environ.get(ENVIRONMENT_VARIABLE) or None
    if environment in {None, BY_HOST}:
        names = ", ".join(repr(one.name) for one in policy.environments)
        raise CommandError(f"{name} has environments: pass --environment with one of {names}, or --host HOST")
    assert environment is not None
    _warn_about_environment(policy, name, environment)
    return policy.for_environment(environment)


def check_environments(policy: SitePolicy, name: str, option: str, value: str | None) -> None:
    """Check that a policy has environments if an option selects one.

    Raises: CommandError.
    """
    if value is not None and not policy.environments:
        raise CommandError(f"{option} {quoted(value)} requires environments, which {name} does not have")


def _warn_about_environment(policy: SitePolicy, name: str, environment: str) -> None:
    """Print a message if a policy does not have an environment, which therefore is closed."""
    if policy.get_environment(environment) is None:
        names = [one.name for one in policy.environments]
        reason = unknown_choice("environment", environment, names, of=name)
        print_message(f"canfetch: everything is disallowed: {reason}")
