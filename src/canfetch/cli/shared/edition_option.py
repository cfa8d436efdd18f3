"""The option `--edition`, and the options whose values it sets."""

from collections.abc import Mapping
from typing import Any, Final

import click
from click.core import ParameterSource

from canfetch.cli.shared.single_value_option import Choice, Option

EDITION: Final = "edition"


class EditionPart(Option):
    """An option that `--edition` sets as well: `--profile` or `--policy`. Both together are an error."""

    def consume_value(self, ctx: click.Context, opts: Mapping[str, Any]) -> Any:
        """Return the value of the option, or that of the edition."""
        editions = opts.get(EDITION)
        if not editions or ctx.resilient_parsing:
            return super().consume_value(ctx, opts)
        option = self.opts[-1]
        if opts.get(self.name or ""):
            raise click.UsageError(f"--edition and {option} cannot be used together: an edition sets {option}", ctx)
        from canfetch.access.editions import EDITIONS  # noqa: PLC0415 - only with the option

        edition = EDITIONS.get(editions[-1])
        if edition is None:
            # The option itself reports an unknown edition.
            return super().consume_value(ctx, opts)
        return getattr(edition, self.name or ""), ParameterSource.DEFAULT


def _help() -> str:
    from canfetch.access.editions import EDITIONS  # noqa: PLC0415 - only for help

    return (
        "Set --profile and --policy, if the command has them, to those of one crawler, or of one edition of the "
        f"standard: {', '.join(EDITIONS)}."
    )


class _EditionOption(Option):
    """The option `--edition`, which imports the editions only when it is used."""

    # Click assigns the help that it was constructed with, which is None.
    help = property(lambda _option: _help(), lambda _option, _text: None)

    def type_cast_value(self, ctx: click.Context, value: Any) -> Any:
        """Check the name of an edition."""
        from canfetch.access.editions import EDITIONS  # noqa: PLC0415 - only with the option

        return None if value is None else Choice(tuple(EDITIONS)).convert(value, self, ctx)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[Any]:
        """Return the editions whose names start with `incomplete`."""
        from canfetch.access.editions import EDITIONS  # noqa: PLC0415 - only during completion

        return Choice(tuple(EDITIONS)).shell_complete(ctx, self, incomplete)


def edition_option() -> Option:
    """Return `--edition`, whose value the command does not see: it sets other options."""
    return _EditionOption([f"--{EDITION}"], metavar="NAME", expose_value=False)
