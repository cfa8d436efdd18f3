"""Options of the commands that use the network."""

import os
import time
from collections.abc import Collection, Iterable
from math import isfinite
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import click
from click.core import ParameterSource

from canfetch import __version__
from canfetch.cli.shared.command_errors import CommandError
from canfetch.cli.shared.edition_option import EDITION, EditionPart, edition_option
from canfetch.cli.shared.single_value_option import Option
from canfetch.core.quoting import quoted
from canfetch.core.times import rfc3339
from canfetch.errors import InvalidOption, UnknownPolicy
from canfetch.repository import default_user_agent

if TYPE_CHECKING:
    from canfetch.access.responses import Headers

# Site owners expect an address at which they can find out about the client.
DEFAULT_USER_AGENT: Final = default_user_agent(__version__)
# The value of `--proxy` that ignores the environment.
NO_PROXY: Final = "none"
DEFAULT_POLICY: Final = "rfc9309"
# Each request occupies a thread.
_DEFAULT_PARALLEL: Final = 64
# The options of commands that fetch other files than robots.txt lack these.
_CACHE_OPTIONS: Final[dict[str, Any]] = {
    "policy": DEFAULT_POLICY,
    "misconfigured_origins": (),
    "store": "none",
    "refresh": False,
    "offline": False,
    "headers": (),
    "parallel": 1,
    "verbose": 0,
}
_TOKEN_VARIABLE: Final = "CANFETCH_TOKEN"  # noqa: S105 - the name of a variable
_MAX_PARALLEL: Final = 1024
_MAX_WAIT_SECONDS: Final = 10.0


class NetworkOptions(NamedTuple):
    """The values of the network options, and the time at which the command started."""

    policy: str
    misconfigured_origins: tuple[str, ...]
    timeout: float
    store: str | None
    refresh: bool
    offline: bool
    user_agent: str
    headers: "Headers"
    public_only: bool
    proxy: str | None
    ca_file: str | None
    client_cert: str | None
    client_key: str | None
    parallel: int
    verbose: int
    started_at: float = 0.0

    def stored_copy_note(self, fetched_at: float | None) -> str:
        """Return a note on a robots.txt that was fetched before this command, with its time, or nothing."""
        if fetched_at is None or fetched_at >= self.started_at:
            return ""
        hint = "" if self.offline else "; --refresh asks the server"
        return f"stored copy of {rfc3339(int(fetched_at))}{hint}"

    @property
    def wait_seconds(self) -> float:
        """The limit for connecting, and for each read. `timeout` limits the whole request."""
        return min(_MAX_WAIT_SECONDS, self.timeout)


def fetch_rule_options() -> list[Option]:
    """Return the options of servers for what they may fetch from."""
    return [
        Option(
            ["--fetch-allow"],
            metavar="TARGET",
            multiple=True,
            help="Fetch only from a host name, a domain such as .example.com, a port such as :443, or a network such "
            "as 192.0.2.0/24. Can be repeated.",
        ),
        Option(
            ["--fetch-refuse"],
            metavar="TARGET",
            multiple=True,
            help="Never fetch from a host name, domain, port or network, even if it is allowed. Can be repeated.",
        ),
    ]


def trusted_proxy_option() -> Option:
    """Return the option of servers for the proxies in front of them."""
    return Option(
        ["--trusted-proxy", "trusted_proxies"],
        metavar="ADDRESS",
        multiple=True,
        help="Address or network of a proxy, whose X-Forwarded-For header names the client. Can be repeated.",
    )


def token_option(text: str) -> Option:
    """Return the option of servers for their bearer token.

    Args: text: What the token is for, for the help.
    """
    return Option(
        ["--token"],
        metavar="TOKEN",
        # Not `envvar`: click treats an empty variable as unset, and the server would have no token.
        callback=lambda _context, _option, value: os.environ.get(_TOKEN_VARIABLE) if value is None else value,
        help=f"{text} The variable {_TOKEN_VARIABLE} sets it without showing it in the list of processes.",
    )


class _PolicyName(click.ParamType):  # type: ignore[type-arg]  # generic only since click 8.4
    """The name of an access policy. Converted to the canonical name."""

    name = "policy"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the canonical name, or fail."""
        if value == DEFAULT_POLICY:
            return DEFAULT_POLICY
        # A run with a local file does not need the policies.
        from canfetch.access.policies import get_policy  # noqa: PLC0415

        try:
            return get_policy(value).name
        except (InvalidOption, UnknownPolicy) as error:
            self.fail(str(error), param, ctx)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
        """Return the policies whose names start with `incomplete`."""
        from click.shell_completion import CompletionItem  # noqa: PLC0415 - only during completion

        from canfetch.access.policies import POLICIES  # noqa: PLC0415 - as above

        del ctx, param
        return [
            CompletionItem(name, help=policy.summary)
            for name, policy in POLICIES.items()
            if name.startswith(incomplete)
        ]


def _policy_help(_option: click.Option) -> str:
    from canfetch.access.policies import POLICIES  # noqa: PLC0415 - only for help

    return (
        "Access policy: what status codes mean, and how long responses are cached. "
        f"One of {', '.join(POLICIES)}, or one of them with other values of some settings, such as "
        "rfc9309+unauthorized=full-disallow."
    )


class _PolicyOption(EditionPart):
    """The option `--policy`, which imports the policies only when its help is printed."""

    # Click assigns the help that it was constructed with, which is None.
    help = property(_policy_help, lambda _option, _help: None)


_VERBOSE_HELP: Final = "Log each fetch on standard error; -vv also logs each request."


def policy_option() -> click.Option:
    """Return the click parameter of `--policy`. `edition_option` belongs to it."""
    return _PolicyOption(
        ["--policy"],
        type=_PolicyName(),
        metavar="NAME[+SETTING=VALUE]...",
        default=DEFAULT_POLICY,
    )


def store_option() -> click.Option:
    """Return the click parameter of `--store`."""
    return Option(
        ["--store"],
        metavar="FILE|URL|none",
        help="Cache: an SQLite file, a redis:// URL, or none.  [default: a file in the user's cache directory]",
    )


def network_parameters(*, verbose_help: str = "", fetched: str = "robots.txt") -> list[click.Parameter]:
    """Return the click parameters of the network options.

    Args:
        verbose_help: What `--verbose` does in addition to logging, as a sentence.
        fetched: What the command fetches, for the help of `--timeout`.

    """
    return [
        policy_option(),
        edition_option(),
        Option(
            ["--misconfigured-origin", "misconfigured_origins"],
            metavar="URL",
            multiple=True,
            help="Origin that responds with 5xx for every missing page. The policies google2019 and yandex read its "
            "5xx as 404. Can be repeated.",
        ),
        Option(
            ["--timeout"],
            metavar="SECONDS",
            type=click.FloatRange(0.001, 3600),
            default=30.0,
            help=f"Total time for one {fetched}, including redirects.",
        ),
        store_option(),
        Option(["--refresh"], is_flag=True, help="Fetch again, even if the cached copy is fresh."),
        Option(["--offline"], is_flag=True, help="Use cached data only."),
        Option(
            ["--user-agent"],
            metavar="HEADER",
            default=DEFAULT_USER_AGENT,
            help="User-Agent header of requests.",
        ),
        Option(
            ["--header", "headers"],
            metavar="'NAME: VALUE'",
            multiple=True,
            help="Header to add to requests, such as 'From: bot@example.com'. Headers with credentials are sent only "
            "to the origins that you name. Can be repeated.",
        ),
        Option(
            ["--public-only"],
            is_flag=True,
            help="Refuse private and loopback addresses, also after redirects. Use it for untrusted URLs.",
        ),
        Option(
            ["--proxy"],
            metavar="URL|none",
            help="HTTP proxy of requests, as http://USER:PASSWORD@HOST:PORT, or none.  [default: HTTP_PROXY, "
            "HTTPS_PROXY, ALL_PROXY and NO_PROXY]",
        ),
        Option(
            ["--ca-file"],
            metavar="FILE",
            help="PEM file with the certificate authorities to trust.  [default: those of the system]",
        ),
        Option(
            ["--client-cert"],
            metavar="FILE",
            help="PEM file with the certificate of the client and its private key, for servers that request one.",
        ),
        Option(
            ["--client-key"],
            metavar="FILE",
            help="PEM file with the private key, if it is not in the file of --client-cert.",
        ),
        Option(
            ["--parallel"],
            metavar="N",
            type=click.IntRange(1, _MAX_PARALLEL),
            default=_DEFAULT_PARALLEL,
            help="Number of origins to fetch from at the same time.",
        ),
        Option(
            ["-v", "--verbose"],
            count=True,
            help=f"{verbose_help} {_VERBOSE_HELP}".strip(),
        ),
    ]


def connection_parameters(fetched: str, *, without: Collection[str] = ()) -> list[click.Parameter]:
    """Return the click parameters of the network options that concern connections only, and not the cache.

    Args:
        fetched: What the command fetches, for the help of `--timeout`.
        without: The names of parameters to leave out.
    """
    left_out = {*_CACHE_OPTIONS, EDITION, *without}
    return [parameter for parameter in network_parameters(fetched=fetched) if parameter.name not in left_out]


def pop_connection_options(values: dict[str, Any]) -> NetworkOptions:
    """Remove the options of `connection_parameters` from the values of a command, and return them.

    Raises: CommandError: An option is invalid.
    """
    values |= _CACHE_OPTIONS
    return pop_network_options(values)


def reject_network_options(reason: str) -> None:
    """Check that the command line has no option of requests that will not be sent.

    `--offline` is accepted: nothing is fetched indeed. So is `--verbose`, which then logs nothing.

    Args: reason: What makes the options useless, such as `--robots FILE`.
    Raises: CommandError: An option has no effect.
    """
    context = click.get_current_context()
    for parameter in context.command.params:
        name = parameter.name or ""
        is_passed = context.get_parameter_source(name) is ParameterSource.COMMANDLINE
        if is_passed and name in NetworkOptions._fields and name not in {"offline", "verbose"}:
            raise CommandError(f"{parameter.opts[-1]} and {reason} cannot be used together: nothing is fetched")


def pop_network_options(values: dict[str, Any]) -> NetworkOptions:
    """Remove the network options from the values of a command, and return them.

    Raises: CommandError: An option is invalid, or two options contradict each other.
    """
    values["started_at"] = time.time()
    options = NetworkOptions(**{name: values.pop(name) for name in NetworkOptions._fields})
    if options.refresh and options.offline:
        raise CommandError("--refresh and --offline cannot be used together")
    if not isfinite(options.timeout):
        # FloatRange accepts NaN, because every comparison with it is false.
        raise CommandError(f"invalid --timeout {options.timeout}: expected 0.001 to 3600 seconds")
    header = options.user_agent
    if not header.isascii() or not header.isprintable() or not header.strip():
        raise CommandError(f"invalid --user-agent {quoted(header)}: expected printable ASCII text")
    return options._replace(headers=_parse_headers(options.headers)) if options.headers else options


def _parse_headers(lines: Iterable[Any]) -> "Headers":
    """Return the headers that `--header` adds. Messages contain no values, because they may be secret."""
    from canfetch.client.request_headers import parse_request_headers  # noqa: PLC0415 - rarely needed

    pairs = []
    for line in lines:
        name, colon, value = line.partition(":")
        if not colon:
            shown = line.split()[:1]
            raise CommandError(
                f"invalid --header {quoted(''.join(shown))}: expected 'NAME: VALUE', such as 'From: bot@example.com'"
            )
        pairs.append((name.strip(), value.strip()))
    try:
        return parse_request_headers(pairs)
    except InvalidOption as error:
        message = str(error).replace("the option user_agent", "--user-agent")
        raise CommandError(f"--header: {message}") from None
