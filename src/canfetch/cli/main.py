"""`canfetch`: its commands, each imported when it is asked for, and the one place where errors are said."""

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Final, NoReturn

import click

from canfetch import __version__
from canfetch.cli.closed_output import ClosedOutput
from canfetch.cli.shared.problems import INTERRUPTED, NOBODY_READS, UNCOMPUTED, problem_line
from canfetch.core.quoting import quoted
from canfetch.errors import CanfetchError

if TYPE_CHECKING:
    from typing_extensions import override
else:

    def override(method: object) -> object:
        """Mark a method, as `typing.override` does from Python 3.12 on."""
        return method


# The module of each command, in the order in which help lists them.
COMMANDS: Final = {
    "check": "decisions.check",
    "explain": "decisions.explain",
    "matrix": "decisions.matrix",
    "page": "pages.page",
    "fetch": "origins.fetch",
    "sitemaps": "origins.sitemaps",
    "lint": "linting.lint",
    "fmt": "linting.fmt",
    "init": "authoring.init",
    "policy": "authoring.policy",
    "agents": "registry.agents",
    "cache": "origins.cache",
    "evidence": "decisions.evidence",
    "completion": "completion",
}
PROGRAM: Final = "canfetch"
# What a completion script sets when the shell asks.
COMPLETE_VARIABLE: Final = "_CANFETCH_COMPLETE"


class LazyGroup(click.Group):
    """A command whose sub-commands are imported when they are asked for."""

    @override
    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - as click names it
        """List the sub-commands, in the order in which help shows them."""
        return list(COMMANDS)

    @override
    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - as click names it
        """Give a sub-command, or None where there is none of that name."""
        module = COMMANDS.get(cmd_name)
        if module is None:
            return None
        command: click.Command = import_module(f"canfetch.cli.{module}").command
        return command


def _print_version(ctx: click.Context, _option: click.Parameter, wanted: bool) -> None:  # noqa: FBT001 - click calls it
    if not wanted or ctx.resilient_parsing:
        return
    from canfetch.core.engines import engine_name  # noqa: PLC0415 - only for this option

    python = ".".join(map(str, sys.version_info[:3]))
    implementation = "Python" if sys.implementation.name == "cpython" else f"{sys.implementation.name}, Python"
    click.echo(f"canfetch {__version__}, engine {engine_name()}, {implementation} {python}")
    ctx.exit()


cli: Final = LazyGroup(
    PROGRAM,
    params=[
        click.Option(
            ["--version"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_print_version,
            help="Print the version, the engine that answers and Python's version.",
        )
    ],
    help="May this crawler fetch this URL, and why? The Robots Exclusion Protocol (RFC 9309).",
    epilog="""\b
Examples:
  canfetch check https://example.com/fish --agent ExampleBot
  canfetch explain /fish --agent Googlebot-Image --robots robots.txt
  canfetch matrix / /fish --agent GPTBot --agent Googlebot --robots robots.txt
  canfetch page https://example.com/fish --agent Googlebot
  canfetch fetch https://example.com

\b
Exit code: 0 all allowed, 1 some URL is not, 2 some verdict could not be computed.""",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def run(arguments: Sequence[str]) -> int:
    """Run a command line, say in one line on standard error what goes wrong, and give the exit code.

    Args: arguments: what is typed behind `canfetch`.
    """
    if sys.stdout is None:
        sys.stdout = ClosedOutput()
    for stream in (sys.stdout, sys.stderr):
        if reconfigure := getattr(stream, "reconfigure", None):
            # A URL may hold what the terminal's encoding has not; that is no reason to stop.
            reconfigure(errors="backslashreplace")
    try:
        code = _run(list(arguments))
        # Not at the interpreter's end, where an error would be a traceback.
        sys.stdout.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _forget_output()
        return NOBODY_READS
    except OSError as error:
        _forget_output()
        what = "the output cannot be written" if error.filename is None else quoted(os.fsdecode(error.filename))
        click.echo(f"canfetch: {what}: {error.strerror or error}: mend that and run again", err=True)
        return UNCOMPUTED
    return code


def _run(arguments: list[str]) -> int:
    instruction = os.environ.get(COMPLETE_VARIABLE)
    if instruction:
        from click.shell_completion import shell_complete  # noqa: PLC0415 - only while a line is completed

        return shell_complete(cli, {}, PROGRAM, COMPLETE_VARIABLE, instruction)
    try:
        with cli.make_context(PROGRAM, arguments) as ctx:
            cli.invoke(ctx)
    except click.exceptions.Exit as error:
        return error.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return UNCOMPUTED
    except (click.ClickException, CanfetchError) as error:
        # What is answered comes before what went wrong, wherever both end up.
        sys.stdout.flush()
        click.echo(problem_line(error), err=True)
        return UNCOMPUTED
    return 0


def _forget_output() -> None:
    # Otherwise the interpreter writes, at its end, what nobody can read.
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):
        return


def main() -> NoReturn:
    """Run what was typed, and exit."""
    code = run(sys.argv[1:])
    threading = sys.modules.get("threading")
    if threading is not None and threading.active_count() > 1:
        # Threads that still wait, for a network or for input, must not hold the end up; all is written and closed.
        if sys.stderr is not None:
            sys.stderr.flush()
        os._exit(code)
    sys.exit(code)
