"""`canfetch init`: a robots.txt from a recipe, asked for by options or by a few questions on a terminal."""

import sys
from typing import Any, Final, NoReturn

import click

from canfetch.author.draft import Draft
from canfetch.author.recipes import RECIPES, Parameter, Recipe
from canfetch.cli.outputs import write_output
from canfetch.cli.shared.problems import ALLOWED, Problem
from canfetch.cli.shared.terminal import is_terminal, padded
from canfetch.errors import InvalidDraft, InvalidOption

_PARAMETERS: Final = ("crawler", "path", "file_type", "ending")


def _run(
    recipe: str | None,
    list_: bool,  # noqa: FBT001 - click calls it
    sitemap: tuple[str, ...],
    output: str | None,
    force: bool,  # noqa: FBT001 - the same
    **given: Any,
) -> NoReturn:
    if list_:
        sys.stdout.write("".join(_listed()))
        click.get_current_context().exit(ALLOWED)
    # What is not given is None, or no texts; an empty text is given.
    given = {name: value for name, value in given.items() if value not in (None, ())}
    try:
        if recipe is not None:
            draft = RECIPES[recipe].draft(**given)
        elif given:
            raise Problem("parameters are a recipe's: give --recipe NAME, or see them with --list")
        elif is_terminal(sys.stdin):
            draft, sitemap = _asked(sitemap)
        else:
            raise Problem("nobody is there to be asked: give --recipe NAME, or see them with --list")
        draft.sitemap(*sitemap)
        octets = draft.render()
    except (InvalidDraft, InvalidOption) as error:
        raise Problem(str(error)) from None
    if output is None:
        sys.stdout.write(octets.decode("ascii"))
    else:
        write_output(output, octets, force=force)
    click.get_current_context().exit(ALLOWED)


def _listed() -> list[str]:
    width = max(map(len, RECIPES))
    lines = []
    for recipe in RECIPES.values():
        options = " ".join(_option(parameter) for parameter in recipe.parameters)
        lines.append(f"{padded(recipe.name, width)}  {recipe.description}\n")
        if options:
            lines.append(f"{' ' * width}  {options}\n")
    return lines


def _option(parameter: Parameter) -> str:
    text = f"--{parameter.name.replace('_', '-')} {parameter.example}"
    return text if parameter.default is None else f"[{text}]"


def _asked(sitemap: tuple[str, ...]) -> tuple[Draft, tuple[str, ...]]:
    """Ask which recipe, what it needs, and where the sitemap is; the questions are on standard error."""
    click.echo("".join(_listed()), err=True, nl=False)
    name = click.prompt("Which recipe", type=click.Choice(list(RECIPES)), show_choices=False, err=True)
    recipe = RECIPES[name]
    given = {parameter.name: _answer(recipe, parameter) for parameter in recipe.parameters}
    draft = recipe.draft(**given)
    if not sitemap:
        url = click.prompt("Sitemap's URL, if there is one", default="", show_default=False, err=True)
        sitemap = (url,) if url else ()
    return draft, sitemap


def _answer(recipe: Recipe, parameter: Parameter) -> list[str]:
    question = f"{recipe.name}: {parameter.description}, such as {parameter.example}"
    if parameter.multiple:
        question += "; several with a space between"
    text: str = click.prompt(question, default=parameter.default, err=True)
    return text.split() if parameter.multiple else [text.strip()]


command: Final = click.Command(
    "init",
    params=[
        click.Option(["--recipe"], type=click.Choice(list(RECIPES)), metavar="NAME", help="Which file; see --list."),
        click.Option(["--list", "list_"], is_flag=True, help="List the recipes, with the options that they take."),
        click.Option(["--crawler"], metavar="TOKEN", help="Whom it is for; everyone where it is not given."),
        click.Option(["--path"], multiple=True, metavar="PATH", help="A path, as it is; several are possible."),
        click.Option(["--file-type"], multiple=True, metavar="TYPE", help="A file type, such as gif; several are."),
        click.Option(["--ending"], multiple=True, metavar="TEXT", help="What URLs end with; several are possible."),
        click.Option(["--sitemap"], multiple=True, metavar="URL", help="A sitemap; several are possible."),
        click.Option(
            ["--output"], metavar="FILE", type=click.Path(), help="Write it there, instead of to standard output."
        ),
        click.Option(["--force"], is_flag=True, help="Replace a file that is there."),
    ],
    callback=_run,
    short_help="Write a robots.txt from a recipe.",
    help="Write a robots.txt from a recipe. Without one, a few questions are asked on a terminal.",
    epilog="""\b
Examples:
  canfetch init --list
  canfetch init --recipe block-directories --path /calendar/ --path /junk/
  canfetch init --recipe only-one-crawler --crawler Googlebot-News --output robots.txt
  canfetch init --recipe block-ai-training --sitemap https://www.example.com/sitemap.xml

\b
Exit code: 0 it is written, 2 it cannot be meant or written.""",
)
