"""`canfetch completion`: the script by which a shell completes commands, options and names of crawlers."""

import click

from canfetch.cli.main import COMPLETE_VARIABLE, PROGRAM, cli
from canfetch.core.choices import unknown_choice

_SHELLS = ("bash", "zsh", "fish")


@click.command(
    "completion",
    short_help="Print a shell's completion script.",
    help="Print the script by which a shell completes commands, options and the names of known crawlers.",
    epilog="""\b
Examples:
  eval "$(canfetch completion bash)"                                  in ~/.bashrc
  eval "$(canfetch completion zsh)"                                   in ~/.zshrc
  canfetch completion fish > ~/.config/fish/completions/canfetch.fish""",
)
@click.argument("shell", type=click.Choice(_SHELLS))
def command(shell: str) -> None:
    """Print the script of one shell."""
    from click.shell_completion import ShellComplete, get_completion_class  # noqa: PLC0415 - slow to import

    complete = get_completion_class(shell)
    if complete is None:
        raise click.ClickException(unknown_choice("shell", shell, _SHELLS))
    # The base's: that of bash starts bash to ask for its version, and may not find one.
    click.echo(ShellComplete.source(complete(cli, {}, PROGRAM, COMPLETE_VARIABLE)))
