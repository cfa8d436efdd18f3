"""`canfetch watch`: fetch the robots.txt of origins regularly, and report changes of what agents may fetch."""

import os
import re
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final, NamedTuple, NoReturn

import click

from canfetch.cli.origins.change_text import change_lines
from canfetch.cli.shared.agent_arguments import print_unknown_agent_notes, resolve_agent
from canfetch.cli.shared.command_errors import EXIT_ERROR, EXIT_NEGATIVE, EXIT_OK, CommandError
from canfetch.cli.shared.command_transport import create_http_transport
from canfetch.cli.shared.history_options import history_option
from canfetch.cli.shared.network_options import NetworkOptions, network_parameters, pop_network_options
from canfetch.cli.shared.option_parameters import (
    agent_option,
    exact_option,
    format_option,
    no_color_option,
    profile_option,
)
from canfetch.cli.shared.origin_arguments import to_origin
from canfetch.cli.shared.origin_lookup import OriginLookup
from canfetch.cli.shared.row_writers import JsonWriter
from canfetch.cli.shared.single_value_option import Option
from canfetch.cli.shared.terminal import Palette, output_palette, print_message, shorten_message
from canfetch.client.origin_state import OriginState
from canfetch.client.watch.history import WatchHistory
from canfetch.client.watch.watcher import Watcher
from canfetch.client.watch.webhooks import Webhook
from canfetch.core.quoting import quoted
from canfetch.errors import InvalidOption, StoreError

KEY_VARIABLE: Final = "CANFETCH_WEBHOOK_SECRET"
_DURATION: Final = re.compile(r"(\d{1,6})([smhd])", re.ASCII)
_UNITS: Final = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
_MIN_SECONDS: Final = 60
_MAX_SECONDS: Final = 366 * 86_400
_LIMITS: Final = "one minute to one year"
# The longest sleep, after which a clock that was set is noticed.
_MAX_SLEEP: Final = 60.0
# The options of single requests: every check fetches.
_REPLACED: Final[dict[str, Any]] = {"refresh": True, "offline": False}


class _Duration(click.ParamType):  # type: ignore[type-arg]  # generic only since click 8.4
    name = "duration"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return seconds, or fail."""
        if isinstance(value, float):
            return value
        match = _DURATION.fullmatch(value)
        seconds = int(match[1]) * _UNITS[match[2]] if match else 0
        if not _MIN_SECONDS <= seconds <= _MAX_SECONDS:
            self.fail(f"{quoted(value)}: expected {_LIMITS}, such as 30m, 6h or 1d", param, ctx)
        return float(seconds)


class _WatchOptions(NamedTuple):
    origins: tuple[str, ...]
    history: str
    every: float
    once: bool
    uses: bool
    agents: tuple[str, ...]
    exact: bool
    profile: str
    webhook: str | None
    format: str
    no_color: bool


def _run(**values: Any) -> int:
    network = pop_network_options(values | _REPLACED)
    options = _WatchOptions(**{name: values[name] for name in _WatchOptions._fields})
    return _watch(options, network)


def _watch(options: _WatchOptions, network: NetworkOptions) -> int:
    if not options.origins:
        raise CommandError("no origin: pass one or more, such as https://example.com")
    urls = list(dict.fromkeys(str(to_origin(origin)) for origin in options.origins))
    agents = [resolve_agent(name, exact=options.exact) for name in options.agents]
    webhook = None if options.webhook is None else _open_webhook(options.webhook, network)
    print_unknown_agent_notes(agents)
    output = _Output(options.format, output_palette(no_color=options.no_color))
    try:
        with WatchHistory(Path(options.history)) as history:
            watcher = Watcher(
                history,
                agents=[agent.agent for agent in agents],
                profile=options.profile,
                webhook=webhook,
                warn=_warn,
            )
            run = _Run(history, watcher, network, output, uses=options.uses)
            return run.once(urls) if options.once else run.forever(urls, every=options.every)
    except StoreError as error:
        raise CommandError(f"--history {error}") from None


def _open_webhook(url: str, network: NetworkOptions) -> Webhook:
    transport = create_http_transport(network)
    try:
        return Webhook(url, os.environ.get(KEY_VARIABLE), transport=transport)
    except InvalidOption as error:
        raise CommandError(str(error)) from None


class _Run:
    """Checks origins once, or for ever."""

    def __init__(
        self, history: WatchHistory, watcher: Watcher, options: NetworkOptions, output: "_Output", *, uses: bool
    ) -> None:
        self._uses = uses
        self._history = history
        self._watcher = watcher
        self._options = options
        self._output = output

    def once(self, urls: list[str]) -> int:
        """Check each origin, send messages, and return the exit code."""
        code = self._check(urls)
        self._watcher.send_messages()
        return code

    def forever(self, urls: list[str], *, every: float) -> NoReturn:
        """Check each origin when it is due, until Ctrl-C. Messages are sent between the checks."""
        while True:
            self._check([url for url in urls if self._history.claim(url, now=time.time(), every=every)])
            next_check_at = self._history.next_check_at(urls, every=every)
            self._watcher.send_messages(until=next_check_at)
            times = [next_check_at, self._history.next_message_at()]
            seconds = min(time_ for time_ in times if time_ is not None) - time.time()
            # Another process may be checking the origin that is due.
            time.sleep(min(max(seconds, 1.0), _MAX_SLEEP))

    def _check(self, urls: list[str]) -> int:
        code = EXIT_OK
        if not urls:
            return code
        with (
            closing(OriginLookup(self._options, warn=print_message)) as lookup,
            closing(lookup.argument_states(iter(urls))) as states,
        ):
            for _, state in states:
                if not isinstance(state, OriginState):
                    print_message(f"canfetch: {shorten_message(str(state))}")
                    code = EXIT_ERROR
                    continue
                report = self._watcher.record(state)
                if self._uses:
                    self._watcher.record_files(state, lookup.client)
                if report is not None:
                    code = max(code, EXIT_NEGATIVE)
                    self._output.write(report)
        return code


class _Output:
    def __init__(self, format_: str, palette: Palette) -> None:
        self._writer = JsonWriter(lines=True) if format_ == "ndjson" else None
        self._palette = palette

    def write(self, report: dict[str, Any]) -> None:
        """Write a report, and flush it."""
        if self._writer is not None:
            self._writer.write(report)
        else:
            sys.stdout.writelines(f"{line}\n" for line in change_lines(report, self._palette))
        sys.stdout.flush()


def _warn(message: str) -> None:
    print_message(f"canfetch: warning: {message}")


def _parameters() -> Iterator[click.Parameter]:
    return (parameter for parameter in network_parameters() if parameter.name not in _REPLACED)


command: Final = click.Command(
    "watch",
    params=[
        click.Argument(["origins"], nargs=-1, metavar="[ORIGIN]..."),
        history_option(),
        Option(
            ["--every"],
            type=_Duration(),
            metavar="DURATION",
            default="1d",
            help=f"Time between two checks of an origin, {_LIMITS}, such as 30m, 6h or 1d.",
        ),
        Option(["--once"], is_flag=True, help="Check each origin once, and exit. For cron and timers of systemd."),
        Option(
            ["--uses"],
            is_flag=True,
            help="Also keep tdmrep.json and the RSL licenses that robots.txt names, at most three, for 'canfetch use "
            "--at'.",
        ),
        agent_option("GPTBot"),
        exact_option(),
        profile_option(),
        Option(
            ["--webhook"],
            metavar="URL",
            help="Send each change as JSON to this URL. Failed messages are sent again for three days. The variable "
            f"{KEY_VARIABLE} sets the key of their signatures.",
        ),
        format_option(("text", "ndjson")),
        no_color_option(),
        *_parameters(),
    ],
    callback=_run,
    short_help="Report changes of what agents may fetch.",
    help="""Fetch the robots.txt of each origin regularly, keep all versions, and report each change of what agents may
    fetch. Changes of the text alone are kept, but not reported.

    Without --agent, the agents that a version names are compared, and all others together. The comparison
    covers all URLs, and is not a sample.""",
    epilog="""\b
Examples:
  canfetch watch https://example.com example.org --every 6h
  canfetch watch https://example.com --once --agent GPTBot --format ndjson
  canfetch watch https://example.com --webhook https://hooks.example/robots

\b
Exit codes with --once: 0 nothing changed, 1 what agents may fetch changed, 2 an error occurred.""",
)
