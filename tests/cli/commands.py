"""Every command of `canfetch`, and its context."""

from collections.abc import Iterator

import click

from canfetch.cli.main import PROGRAM, cli


def command_context(*names: str, width: int | None = None) -> click.Context:
    """Return the context of a command, as `canfetch` makes it.

    A command stores its help option, with the names in its first context, so that another context changes later runs.
    """
    context = cli.make_context(PROGRAM, [], resilient_parsing=True, terminal_width=width)
    for name in names:
        assert isinstance(context.command, click.Group)
        command = context.command.get_command(context, name)
        assert command is not None
        context = command.make_context(name, [], parent=context, resilient_parsing=True)
    return context


def commands(*names: str) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Yield a command with its names, and every command below it."""
    context = command_context(*names)
    yield names, context.command
    if isinstance(context.command, click.Group):
        for name in context.command.list_commands(context):
            yield from commands(*names, name)
