"""`canfetch serve`: the tester page and the HTTP API."""

import sys
import webbrowser
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import click

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
from canfetch.cli.shared.terminal import print_message
from canfetch.cli.shared.termination import exit_at_sigterm
from canfetch.core.quoting import quoted
from canfetch.errors import CanfetchError

if TYPE_CHECKING:
    from canfetch.web.settings import Settings

_LIBRARIES: Final = frozenset({"fastapi", "prometheus_client", "pydantic", "pydantic_core", "starlette", "uvicorn"})
_NO_STORE: Final = "none"


class _Options(NamedTuple):
    """The values of the options."""

    host: str
    port: int | None
    store: str | None
    token: str | None
    allow_public: bool
    allow_private: bool
    fetch_allow: tuple[str, ...]
    fetch_refuse: tuple[str, ...]
    host_names: tuple[str, ...]
    cors: tuple[str, ...]
    trusted_proxies: tuple[str, ...]
    rate: float | None
    fetch_rate: float | None
    workers: int
    policy: str
    profile: str
    user_agent: str | None
    open_browser: bool
    static: str | None
    with_linter: bool
    verbose: int


def _run(**values: Any) -> int:
    options = _Options(**values)
    with required_extra(_LIBRARIES, 'the server requires FastAPI and uvicorn: pip install "canfetch[web]"'):
        if options.static is not None:
            _write_site(options.static, with_linter=options.with_linter)
        elif options.with_linter:
            raise CommandError("--with-linter requires --static")
        else:
            exit_at_sigterm()
            _serve(options)
    return EXIT_OK


def _write_site(folder: str, *, with_linter: bool) -> None:
    from canfetch.web.site.assets import Assets  # noqa: PLC0415 - needs the extra
    from canfetch.web.site.browser_linter import find_pyodide, linter_files  # noqa: PLC0415 - not for --help
    from canfetch.web.site.static_site import write_static_site  # noqa: PLC0415 - needs the extra

    linter = linter_files(find_pyodide()) if with_linter else None
    names = write_static_site(Path(folder), Assets(), linter)
    sys.stdout.write(f"{folder}: {len(names)} files\n")


def _serve(options: _Options) -> None:
    from canfetch.web.server.credentials import check_exposure  # noqa: PLC0415 - not for --help
    from canfetch.web.server.listening import address_of, bind, is_loopback, local_names  # noqa: PLC0415 - not for --help
    from canfetch.web.server.process import serve  # noqa: PLC0415 - needs the extra
    from canfetch.web.site.assets import Assets  # noqa: PLC0415 - not for --help

    is_local = is_loopback(options.host)
    settings = _settings(options, is_local=is_local)
    check_exposure(options.host, token=settings.token, allow_public=options.allow_public)
    bound = bind(
        options.host, _default_port() if options.port is None else options.port, is_fixed=options.port is not None
    )
    address = address_of(bound)
    if is_local and not options.trusted_proxies:
        names = (*local_names(bound.getsockname()[1]), *settings.host_names)
        settings = replace(settings, host_names=names)

    missing = Assets().missing_part

    def announce() -> None:
        if missing:
            print_message(f"canfetch: warning: {missing}")
        sys.stdout.write(f"canfetch: listening on {address} (Ctrl-C to stop)\n")
        sys.stdout.flush()
        if options.open_browser:
            webbrowser.open(address)

    serve(settings, bound, announce, verbose=options.verbose)


def _default_port() -> int:
    from canfetch.web.settings import DEFAULT_PORT  # noqa: PLC0415 - not for --help

    return DEFAULT_PORT


def _settings(options: _Options, *, is_local: bool) -> "Settings":
    from canfetch.web.settings import PUBLIC_FETCHES, PUBLIC_REQUESTS, Settings  # noqa: PLC0415 - not for --help

    is_public = not is_local or bool(options.trusted_proxies)
    return Settings(
        store=_store(options.store),
        token=options.token,
        allow_private=options.allow_private,
        fetch_allow=options.fetch_allow,
        fetch_refuse=options.fetch_refuse,
        host_names=options.host_names,
        cors_origins=options.cors,
        trusted_proxies=options.trusted_proxies,
        workers=options.workers,
        policy=options.policy,
        profile=options.profile,
        user_agent=options.user_agent,
        requests=PUBLIC_REQUESTS.with_rate(options.rate if is_public or options.rate is not None else 0),
        fetches=PUBLIC_FETCHES.with_rate(options.fetch_rate if is_public or options.fetch_rate is not None else 0),
    )


def _store(option: str | None) -> str | None:
    """Return the location of the store. Opening it here reports mistakes before the server starts."""
    from canfetch.client.stores.locations import default_path, open_store_at  # noqa: PLC0415 - not for --help

    if option == _NO_STORE:
        return None
    try:
        location = str(default_path()) if option is None else option
        open_store_at(location).close()
    except CanfetchError as error:
        if option is not None:
            raise CommandError(f"--store {error}") from None
        print_message(f"canfetch: warning: {error}; nothing is cached on disk (pass --store FILE)")
        return None
    return location


def _check_port(_ctx: click.Context, _option: click.Parameter, value: int | None) -> int | None:
    if value is not None and not 0 <= value <= 65535:
        raise click.BadParameter(f"{quoted(str(value))} is not a port")
    return value


command: Final = click.Command(
    "serve",
    params=[
        Option(["--host"], metavar="ADDRESS", default="127.0.0.1", help="Address to listen on."),
        Option(
            ["--port"],
            type=int,
            metavar="PORT",
            callback=_check_port,
            help="Port to listen on.  [default: 8420, or a free one if it is taken]",
        ),
        store_option(),
        token_option("Bearer token that the API requires."),
        Option(
            ["--allow-public"],
            is_flag=True,
            help="Listen on an address that other machines can reach, without a token.",
        ),
        Option(
            ["--allow-private"],
            is_flag=True,
            help="Fetch files from private and loopback addresses, too. Everyone who can use the server can then "
            "reach your network through it.",
        ),
        *fetch_rule_options(),
        Option(
            ["--host-name", "host_names"],
            metavar="NAME[:PORT]",
            multiple=True,
            help="Host name that requests may be addressed to. Can be repeated.  [default: those of this machine for "
            "a loopback address, otherwise any]",
        ),
        Option(
            ["--cors"],
            metavar="ORIGIN",
            multiple=True,
            help="Origin of another site whose pages may use the API, such as https://example.com. Can be repeated.",
        ),
        trusted_proxy_option(),
        Option(
            ["--rate"],
            type=click.FloatRange(0, 1_000_000),
            metavar="NUMBER",
            help="Requests a second for each client, and five times as many at once; 0 means unlimited.  [default: 20, "
            "or 0 on a loopback address without --trusted-proxy]",
        ),
        Option(
            ["--fetch-rate"],
            type=click.FloatRange(0, 1_000_000),
            metavar="NUMBER",
            help="Fetches a second for each client, and twenty times as many at once; 0 means unlimited.  "
            "[default: 1, or 0 on a loopback address without --trusted-proxy]",
        ),
        Option(
            ["--workers"],
            type=click.IntRange(1, 64),
            default=1,
            help="Number of worker processes. They share the store.",
        ),
        policy_option(),
        profile_option(),
        edition_option(),
        Option(["--user-agent"], metavar="HEADER", help="User-Agent header of requests.  [default: that of canfetch]"),
        Option(["--open", "open_browser"], is_flag=True, help="Open the page in a browser."),
        Option(
            ["--static"],
            metavar="FOLDER",
            help="Write a site that needs no server into a folder, and exit.",
        ),
        Option(
            ["--with-linter"],
            is_flag=True,
            help="With --static, add the linter, which the page loads into the browser on request. Requires the npm "
            "package pyodide.",
        ),
        Option(["-v", "--verbose"], count=True, help="Log each request without its query and body; -vv logs more."),
    ],
    callback=_run,
    short_help="Serve the tester page and the HTTP API.",
    help="""Serve the tester page and the HTTP API on this machine, until Ctrl-C.

    The page tests a draft: many URLs and many crawlers at once, with the findings of the linter. Files are fetched
    only on request, and never from private addresses unless --allow-private is passed. The command requires the
    extra web: run pip install "canfetch[web]".""",
    epilog="""\b
Examples:
  canfetch serve --open
  canfetch serve --port 8000 --store robots.sqlite3
  CANFETCH_TOKEN=... canfetch serve --host 0.0.0.0 --workers 4 --store redis://cache.example
  canfetch serve --static public/robots-tester
  canfetch serve --static public/robots-tester --with-linter

\b
Exit codes: 0 SIGTERM stopped the server, or the site was written, 1 no worker could start, 2 an error occurred.""",
)
