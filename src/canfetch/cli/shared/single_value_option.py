"""The class of all options: an option with one value cannot be passed twice."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from canfetch.core.quoting import quoted

if TYPE_CHECKING:
    from typing_extensions import override
else:

    def override(method: object) -> object:
        """Mark a method, as `typing.override` does from Python 3.12 on."""
        return method


class Option(click.Option):
    """A click option that raises UsageError for a second value, unless it is `multiple`.

    Click uses the last value and ignores the others, so that a check may read another file than intended.
    """

    @override
    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        """Collect all values of the option."""
        if self.is_flag or self.multiple or self.count:
            super().add_to_parser(parser, ctx)
        else:
            parser.add_option(obj=self, opts=self.opts, dest=self.name, action="append", nargs=self.nargs)

    @override
    def consume_value(self, ctx: click.Context, opts: Mapping[str, Any]) -> Any:
        """Return the only value, or the default."""
        values = opts.get(self.name or "")
        if isinstance(values, list) and not self.multiple:
            if len(values) > 1 and not ctx.resilient_parsing:
                *others, last = map(_shown, values)
                got = f"{', '.join(others)} and {last}"
                raise click.UsageError(f"{self.opts[-1]} can be passed only once, but got {got}", ctx)
            opts = {**opts, self.name or "": values[-1]}
        return super().consume_value(ctx, opts)


def _shown(value: object) -> str:
    text = str(value)
    scheme, separator, rest = text.partition("://")
    # The user information or the query of a store's URL may contain a password.
    return quoted(f"{scheme}://..." if separator and ("@" in rest or "?" in rest) else text)
