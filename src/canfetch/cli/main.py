"""The `canfetch` command: it imports each subcommand when it is used, and reports errors in one line."""

import errno
import io
import os
import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from types import TracebackType
from typing import IO, Final, NoReturn

import click

from canfetch import __version__
from canfetch.cli.shared.command_errors import EXIT_BROKEN_PIPE, EXIT_ERROR, EXIT_INTERRUPTED, format_error
from canfetch.cli.shared.garbage_collection import freeze_objects, paused_collector
from canfetch.cli.shared.terminal import print_message_lines, terminal_width
from canfetch.core.choices import nearest_choice
from canfetch.core.quoting import quoted
from canfetch.errors import CanfetchError
from canfetch.repository import PUBLISHED

# The module of each subcommand, by family, in the order of the help.
_FAMILIES: Final[dict[str, dict[str, str]]] = {
    "Decide": {
        "check": "decisions.check",
        "explain": "decisions.explain",
        "matrix": "decisions.matrix",
        "page": "pages.page",
        "use": "pages.use",
        "evidence": "decisions.evidence",
    },
    "Write and check files": {
        "lint": "linting.lint",
        "fmt": "linting.fmt",
        "diff": "comparing.diff",
        "minimize": "comparing.minimize",
        "test": "comparing.test",
        "init": "authoring.init",
        "policy": "authoring.policy",
    },
    "Fetch and watch sites": {
        "facts": "origins.facts",
        "fetch": "origins.fetch",
        "sitemaps": "origins.sitemaps",
        "audit": "origins.audit",
        "cache": "origins.cache",
        "frontier": "origins.frontier",
        "watch": "origins.watch",
        "history": "origins.history",
    },
    "Study crawlers and archives": {
        "agents": "registry.agents",
        "identity": "registry.identity",
        "logs": "logs.logs",
        "bulk": "bulk.bulk",
        "study": "bulk.study",
    },
    "Serve people, editors and AI agents": {
        "serve": "services.serve",
        "mcp": "services.mcp",
        "lsp": "linting.lsp",
    },
    "Set up": {
        "completion": "completion",
    },
}
_COMMANDS: Final = {name: module for family in _FAMILIES.values() for name, module in family.items()}
# Other programs have them as commands.
_OPTION_WORDS: Final = ("help", "version")
PROGRAM: Final = "canfetch"
# Set by a completion script when the shell requests completions.
COMPLETE_VARIABLE: Final = "_CANFETCH_COMPLETE"
# pip hides the output of builds that succeed, so that this is where users learn about the missing engine.
_NATIVE_HINT: Final = """\
The native engine is not installed. The Python engine returns the same results, but is slower.
To build the native engine, install Rust 1.85 or later, and run{place}:
  CANFETCH_BUILD=native {command}"""
# Environments of pipx and uv have no pip. Both tools cache wheels that they built without Rust.
_PIP: Final = "pip install --force-reinstall --no-deps --no-cache-dir {source}"
_REBUILD: Final = {
    "pipx_metadata.json": "UV_NO_CACHE=1 PIP_NO_CACHE_DIR=1 pipx reinstall canfetch",
    "uv-receipt.toml": "uv tool upgrade --reinstall --no-cache canfetch",
}


class CommandContext(click.Context):
    """A context whose help texts fit the terminal, and whose errors name its command."""

    def __exit__(
        self, exc_type: type[BaseException] | None, exc_value: BaseException | None, tb: TracebackType | None
    ) -> bool | None:
        """Add the context to an error of click's parser, which has none."""
        if isinstance(exc_value, click.UsageError) and exc_value.ctx is None:
            exc_value.ctx = self
        return super().__exit__(exc_type, exc_value, tb)

    def make_formatter(self) -> click.HelpFormatter:
        """Return a formatter for a help text."""
        from canfetch.cli.shared.help_formatter import HelpFormatter  # noqa: PLC0415 - only for help

        # As click computes it, except that its test runner sets the width to 80.
        width = self.terminal_width or max(min(terminal_width(), self.max_content_width or 80) - 2, 50)
        return HelpFormatter(width=width)


class LazyGroup(click.Group):
    """A click group that imports a subcommand when it is used."""

    context_class: type[click.Context] = CommandContext

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the names of the subcommands, in the order of the help."""
        return list(_COMMANDS)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the subcommands by family, with all descriptions in one column."""
        name_width = max(map(len, _COMMANDS))
        for title, family in _FAMILIES.items():
            commands = [(name, self.get_command(ctx, name)) for name in family]
            with formatter.section(title):
                formatter.write_dl(
                    [
                        (name.ljust(name_width), command.get_short_help_str(formatter.width - 6 - name_width))
                        for name, command in commands
                        if command is not None
                    ]
                )

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the subcommand, or suggest the nearest one."""
        if args[0] not in _COMMANDS and not args[0].startswith("-") and not ctx.resilient_parsing:
            raise click.UsageError(f"no such command {quoted(args[0])}{_command_advice(args[0])}", ctx)
        return super().resolve_command(ctx, args)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        """Import and return a subcommand, or return None if the name is unknown."""
        module = _COMMANDS.get(cmd_name)
        if module is None:
            return None
        name = f"canfetch.cli.{module}"
        if name not in sys.modules:
            # Imports create many objects, and nearly all of them are kept.
            with paused_collector():
                import_module(name)
                freeze_objects()
        command: click.Command = sys.modules[name].command
        _set_context_class(command)
        return command


def _command_advice(word: str) -> str:
    if word in _OPTION_WORDS:
        return f": did you mean '--{word}'?"
    if "://" in word or word.startswith("/"):
        return ": expected a command first, as in 'canfetch check URL --agent TOKEN'"
    if os.path.isfile(word):  # noqa: PTH113 - a word as typed
        return ": expected a command first, as in 'canfetch lint FILE'"
    suggestion = nearest_choice(word, _COMMANDS)
    return "" if suggestion is None else f": did you mean {suggestion!r}?"


def _set_context_class(command: click.Command) -> None:
    command.context_class = CommandContext
    if isinstance(command, click.Group):
        for subcommand in command.commands.values():
            _set_context_class(subcommand)


def _print_version(ctx: click.Context, _option: click.Parameter, wanted: bool) -> None:  # noqa: FBT001 - click calls it
    if not wanted or ctx.resilient_parsing:
        return
    from canfetch.core.engines import engine_name, native_module  # noqa: PLC0415 - only for this option

    python = ".".join(map(str, sys.version_info[:3]))
    implementation = "Python" if sys.implementation.name == "cpython" else f"{sys.implementation.name}, Python"
    click.echo(f"canfetch {__version__}, engine {engine_name()}, {implementation} {python}")
    if "CANFETCH_ENGINE" not in os.environ and sys.implementation.name == "cpython" and native_module() is None:
        print_message_lines(native_hint(published=PUBLISHED))
    ctx.exit()


def native_hint(*, published: bool) -> str:
    """Return how to build the native engine: from the sdist on PyPI, from what pipx or uv installed, or a checkout."""
    if published:
        return _NATIVE_HINT.format(place="", command=_PIP.format(source="--no-binary canfetch canfetch"))
    from pathlib import Path  # noqa: PLC0415 - only for this message

    for file, command in _REBUILD.items():
        if Path(sys.prefix, file).exists():
            return _NATIVE_HINT.format(place="", command=command)
    return _NATIVE_HINT.format(place=" in a checkout", command=_PIP.format(source="."))


cli: Final = LazyGroup(
    PROGRAM,
    params=[
        click.Option(
            ["--version"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_print_version,
            help="Print version information and exit.",
        )
    ],
    help="Check which URLs robots.txt (RFC 9309) allows crawlers to fetch, and why.",
    epilog="""\b
Examples:
  canfetch check https://example.com/fish --agent ExampleBot
  canfetch explain /fish --agent Googlebot-Image --robots robots.txt
  canfetch matrix / /fish --agent GPTBot --agent Googlebot --robots robots.txt
  canfetch page https://example.com/fish --agent Googlebot
  canfetch fetch https://example.com

\b
Exit codes: 0 all URLs are allowed, 1 some URL is disallowed, 2 an error occurred.""",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


class _ClosedOutput(io.TextIOBase):
    """Replaces standard output if that is closed. Commands that write nothing still work."""

    def write(self, _text: str, /) -> NoReturn:
        raise OSError(errno.EBADF, "standard output is closed")


def run(arguments: Sequence[str]) -> int:
    """Run a command line, report errors on standard error, and return the exit code.

    Args: arguments: The arguments after `canfetch`.
    """
    try:
        return _run_and_report(list(arguments))
    except Exception as error:  # noqa: BLE001 - an exit code of 1 would mean that a URL is disallowed
        return _report_internal_error(error)


def _run_and_report(arguments: list[str]) -> int:
    if sys.stdout is None:
        sys.stdout = _ClosedOutput()
    for stream in (sys.stdout, sys.stderr):
        if reconfigure := getattr(stream, "reconfigure", None):
            # A URL may contain characters that the terminal's encoding does not have.
            reconfigure(errors="backslashreplace")
    try:
        code = _run(arguments)
        # An error during the flush at interpreter exit would be a traceback.
        sys.stdout.flush()
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        _discard_output()
        return EXIT_BROKEN_PIPE
    except OSError as error:
        _discard_output()
        subject = "cannot write the output" if error.filename is None else quoted(os.fsdecode(error.filename))
        _print_error(f"canfetch: {subject}: {error.strerror or error}")
        return EXIT_ERROR
    return code


def _report_internal_error(error: Exception) -> int:
    import traceback  # noqa: PLC0415 - only for an error of the program itself

    try:
        # Answers that precede the error must appear before it.
        sys.stdout.flush()
    except (OSError, ValueError):
        _discard_output()
    summary = " ".join("".join(traceback.format_exception_only(error)).split())
    _print_error(f"canfetch: internal error: {summary}\n{''.join(traceback.format_exception(error)).rstrip()}")
    return EXIT_ERROR


def _print_warning(message: Warning | str, *_: object, **__: object) -> None:
    """Print a warning of Python, such as that of a damaged registry, as one of the command."""
    _print_error(f"canfetch: warning: {message}")


def _print_error(text: str) -> None:
    try:
        print_message_lines(text)
    except (OSError, ValueError):
        # Nothing can be reported without standard error. The exit code remains.
        _discard(sys.stderr)


def _run(arguments: list[str]) -> int:
    instruction = os.environ.get(COMPLETE_VARIABLE)
    if instruction:
        from click.shell_completion import shell_complete  # noqa: PLC0415 - only during completion

        return shell_complete(cli, {}, PROGRAM, COMPLETE_VARIABLE, instruction)
    try:
        with cli.make_context(PROGRAM, arguments) as ctx:
            code: int = cli.invoke(ctx)
            return code
    except click.exceptions.Exit as error:
        return error.exit_code
    except click.Abort as error:
        # Prompts of click raise it for Ctrl-C, and for Ctrl-D or the end of the input.
        if not isinstance(error.__context__, EOFError):
            return EXIT_INTERRUPTED
        _print_error("\ncanfetch: the input ended before all questions were answered")
        return EXIT_ERROR
    except click.exceptions.NoArgsIsHelpError as error:
        _print_error(error.format_message())
        return EXIT_ERROR
    except (click.ClickException, CanfetchError) as error:
        # Answers that precede the error must appear before it.
        sys.stdout.flush()
        _print_error(format_error(error))
        return EXIT_ERROR


def _discard_output() -> None:
    _discard(sys.stdout)


def _discard(stream: IO[str]) -> None:
    # Otherwise the interpreter fails at exit, when it flushes what could not be written.
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    except (OSError, ValueError):
        return


def main() -> NoReturn:
    """Run the command line of this process, and exit."""
    warnings.showwarning = _print_warning
    code = run(sys.argv[1:])
    threading = sys.modules.get("threading")
    if threading is not None and threading.active_count() > 1:
        # Do not wait for threads that wait for the network or for input. All output has been flushed.
        try:
            if sys.stderr is not None:
                sys.stderr.flush()
        finally:
            os._exit(code)
    sys.exit(code)
