"""`canfetch mcp`: the MCP server for AI agents."""

import logging
import threading
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import click
from click.core import ParameterSource

from canfetch.cli.shared.command_errors import EXIT_OK, CommandError, required_extra
from canfetch.cli.shared.edition_option import edition_option
from canfetch.cli.shared.network_options import (
    fetch_rule_options,
    policy_option,
    store_option,
    token_option,
    trusted_proxy_option,
)
from canfetch.cli.shared.option_parameters import profile_option
from canfetch.cli.shared.single_value_option import Option
from canfetch.cli.shared.store_option import open_store
from canfetch.cli.shared.terminal import print_message
from canfetch.cli.shared.termination import call_at_sigterm, exit_at_sigterm
from canfetch.client.loggers import FETCH_LOGGER
from canfetch.errors import InvalidOption, InvalidProductToken

if TYPE_CHECKING:
    from canfetch.web.mcp.service import Service

_LIBRARIES: Final = frozenset({"anyio", "mcp", "mcp_types", "pydantic", "starlette", "uvicorn"})
_HTTP_OPTIONS: Final = ("host", "port", "token", "allow_public", "host_names", "trusted_proxies")
# By the number of -v.
_LOG_LEVELS: Final = (logging.WARNING, logging.INFO, logging.DEBUG)


class _Options(NamedTuple):
    """The values of the options."""

    user_agent: str | None
    policy: str
    profile: str
    timeout: float
    store: str | None
    allow_private: bool
    fetch_allow: tuple[str, ...]
    fetch_refuse: tuple[str, ...]
    http: bool
    host: str
    port: int
    token: str | None
    allow_public: bool
    host_names: tuple[str, ...]
    trusted_proxies: tuple[str, ...]
    verbose: int


def _run(**values: Any) -> int:
    options = _Options(**values)
    stopped = threading.Event()
    if options.http:
        exit_at_sigterm()
    else:
        _reject_http_options()
        # Requests that the host has written by then are answered.
        call_at_sigterm(stopped.set)
    with required_extra(_LIBRARIES, 'the MCP server requires the MCP SDK: pip install "canfetch[mcp]"'):
        from canfetch.web.mcp.server import create_server  # noqa: PLC0415 - needs the extra
    _write_log(options.verbose)
    if not options.http:
        from canfetch.web.mcp.stdio import serve_standard_streams  # noqa: PLC0415 - needs the extra

        serve_standard_streams(create_server(_open_service(options)), is_stopped=stopped.is_set)
        return EXIT_OK
    from canfetch.web.mcp.http import HTTPSettings, serve_http  # noqa: PLC0415 - needs the extra

    settings = HTTPSettings(
        options.host, options.port, options.token, options.allow_public, options.host_names, options.trusted_proxies
    )
    settings.check()
    service = _open_service(options, is_open=settings.is_open)
    serve_http(
        service, settings, announce=lambda url: print_message(f"canfetch: serving MCP at {url} (Ctrl-C to stop)")
    )
    return EXIT_OK


def _open_service(options: _Options, *, is_open: bool = False) -> "Service":
    from canfetch.client.transports.fetch_rules import FetchRules  # noqa: PLC0415 - not for --help
    from canfetch.web.mcp.service import Service, ServiceSettings  # noqa: PLC0415 - needs the extra
    from canfetch.web.settings import MAX_STORE_BYTES, PUBLIC_FETCHES, UNLIMITED  # noqa: PLC0415 - not for --help

    settings = ServiceSettings(
        user_agent=options.user_agent,
        policy=options.policy,
        profile=options.profile,
        timeout=options.timeout,
        allow_private=options.allow_private,
        rules=FetchRules(allow=options.fetch_allow, refuse=options.fetch_refuse),
        fetches=PUBLIC_FETCHES if is_open else UNLIMITED,
        is_shared=options.http,
    )
    # The options are checked before the store is created.
    try:
        Service(settings)
    except (InvalidProductToken, InvalidOption) as error:
        raise CommandError(f"--user-agent: {error}") from None
    max_store_bytes = MAX_STORE_BYTES if options.http else None
    return Service(settings._replace(store=open_store(options.store, warn=print_message, max_bytes=max_store_bytes)))


def _reject_http_options() -> None:
    context = click.get_current_context()
    for parameter in context.command.params:
        name = parameter.name or ""
        if name in _HTTP_OPTIONS and context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise CommandError(f"{parameter.opts[-1]} requires --http")


def _write_log(verbose: int) -> None:
    """Log to standard error. No part of a message is logged, except the hosts that are fetched."""
    from canfetch.web.server.error_log import ErrorLogHandler  # noqa: PLC0415 - not before SIGTERM is handled

    logging.basicConfig(handlers=[ErrorLogHandler()], format="canfetch: %(message)s")
    # The SDK logs messages that it drops, so it keeps the level of warnings.
    level = _LOG_LEVELS[min(verbose, len(_LOG_LEVELS) - 1)]
    for name in ("canfetch", "uvicorn"):
        logging.getLogger(name).setLevel(level)
    # Decisions are about what agents ask.
    logging.getLogger("canfetch.decisions").setLevel(logging.WARNING)
    if not verbose:
        # Answers show failed fetches.
        FETCH_LOGGER.setLevel(logging.ERROR)


command: Final = click.Command(
    "mcp",
    params=[
        Option(
            ["--user-agent"],
            metavar="HEADER",
            help="User-Agent header of requests, whose product token is also the agent of questions without one. "
            " [default: the header of canfetch, and * as a stand-in]",
        ),
        policy_option(),
        profile_option(),
        edition_option(),
        Option(
            ["--timeout"],
            metavar="SECONDS",
            type=click.FloatRange(0.001, 60),
            default=10.0,
            help="Total time for one robots.txt, including redirects.",
        ),
        store_option(),
        Option(
            ["--allow-private"],
            is_flag=True,
            help="Answer for private and loopback addresses, and use the proxies of the environment.",
        ),
        *fetch_rule_options(),
        Option(["--http"], is_flag=True, help="Serve over streamable HTTP instead of standard input and output."),
        Option(
            ["--host"],
            metavar="ADDRESS",
            default="127.0.0.1",
            help="Address to listen on, with --http.",
        ),
        Option(
            ["--port"],
            metavar="N",
            type=click.IntRange(0, 65535),
            default=8421,
            help="Port to listen on, with --http; 0 chooses a free one.",
        ),
        token_option("Bearer token that requests must have, with --http. Required beyond loopback."),
        Option(
            ["--allow-public"],
            is_flag=True,
            help="Listen on an address that other machines can reach, without a token.",
        ),
        Option(
            ["--host-name", "host_names"],
            metavar="NAME",
            multiple=True,
            help="Host name under which clients reach the server, such as that of a proxy. Can be repeated.",
        ),
        trusted_proxy_option(),
        Option(["-v", "--verbose"], count=True, help="Log each fetch on standard error; -vv also logs each request."),
    ],
    callback=_run,
    short_help="Run the MCP server for AI agents.",
    help="""Run the MCP server, with which AI agents check robots.txt before they fetch a page.

    Its tools are may_fetch, explain, who_may_train and lint. Hosts such as Claude Desktop start this command and use
    its standard input and output; with --http, it serves them over the network. The command requires the extra
    mcp: run pip install "canfetch[mcp]".""",
    epilog="""\b
Examples:
  canfetch mcp
  canfetch mcp --user-agent 'ExampleBot/1.0 (+https://example.com/bot)'
  canfetch mcp --http --port 8421
  CANFETCH_TOKEN=... canfetch mcp --http --host 0.0.0.0 --host-name mcp.example.com

\b
Exit codes: 0 the host closed standard input, SIGTERM stopped it, or Ctrl-C stopped --http; 2 an error occurred.""",
)
