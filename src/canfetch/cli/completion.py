"""`canfetch completion`: the completion script of a shell."""

from typing import Final

import click

from canfetch.cli.main import COMPLETE_VARIABLE, PROGRAM, cli
from canfetch.cli.shared.command_errors import EXIT_OK
from canfetch.cli.shared.single_value_option import Choice
from canfetch.core.choices import unknown_choice

_SHELLS: Final = ("bash", "zsh", "fish")


@click.command(
    "completion",
    short_help="Print a shell completion script.",
    help="Print the script that makes a shell complete commands, options and names of crawlers.",
    epilog="""\b
Examples:
  eval "$(canfetch completion bash)"                                  in ~/.bashrc
  eval "$(canfetch completion zsh)"                                   in ~/.zshrc
  canfetch completion fish > ~/.config/fish/completions/canfetch.fish""",
)
@click.argument("shell", type=Choice(_SHELLS))
def command(shell: str) -> int:
    """Print the completion script, and return the exit code."""
    from click.shell_completion import ShellComplete, get_completion_class  # noqa: PLC0415 - slow to import

    complete = get_completion_class(shell)
    if complete is None:
        raise click.ClickException(unknown_choice("shell", shell, _SHELLS))
    # BashComplete.source would run bash to check its version, and bash may be missing.
    click.echo(ShellComplete.source(complete(cli, {}, PROGRAM, COMPLETE_VARIABLE)))
    return EXIT_OK
