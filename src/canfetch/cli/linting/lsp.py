"""`canfetch lsp`: the language server for editors."""

from typing import Final

import click

from canfetch.cli.shared.command_errors import required_extra
from canfetch.cli.shared.single_value_option import Option

_LIBRARIES: Final = frozenset({"attrs", "cattrs", "lsprotocol", "pygls"})


def _run(*, verbose: int, stdio: bool) -> int:  # noqa: ARG001 - some editors pass --stdio to every server
    with required_extra(_LIBRARIES, 'the language server requires pygls: pip install "canfetch[lsp]"'):
        from canfetch.lsp.stdio import serve_standard_streams  # noqa: PLC0415 - needs the extra
    return serve_standard_streams(verbose)


command: Final = click.Command(
    "lsp",
    params=[
        Option(["-v", "--verbose"], count=True, help="Log more to standard error; -vv logs every message."),
        Option(["--stdio"], is_flag=True, help="Use standard input and output, the default and the only transport."),
    ],
    callback=_run,
    short_help="Run the language server for editors.",
    help="""Run the language server for robots.txt files, which editors start.

    The server reports the findings of the linter while you type, and offers fixes, explanations, completion, formatting
    and symbols. The settings are those of the linter's configuration file and of the editor. The command requires the
    extra lsp: run pip install "canfetch[lsp]".""",
    epilog="""\b
Examples:
  canfetch lsp
  canfetch lsp -v 2> lsp.log

\b
Neovim starts it with:
  vim.lsp.config('canfetch', { cmd = { 'canfetch', 'lsp' }, filetypes = { 'robots' } })
  vim.lsp.enable('canfetch')

\b
Exit codes: 0 the editor requested the shutdown, 1 it did not, 2 an error occurred.""",
)
