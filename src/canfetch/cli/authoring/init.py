"""`canfetch init`: write a robots.txt from a recipe, chosen by options or in a dialogue."""

import sys
from collections.abc import Callable, Iterator
from typing import Any, Final, TypeVar

import click

from canfetch.agents import REGISTRY
from canfetch.author.draft import Draft
from canfetch.author.recipes import RECIPES, Parameter, Recipe
from canfetch.cli.shared.agent_arguments import print_notes_about_names
from canfetch.cli.shared.command_errors import EXIT_OK, CommandError
from canfetch.cli.shared.output_files import create_file, write_standard_output
from canfetch.cli.shared.output_parameters import OutputFile, check_outputs
from canfetch.cli.shared.single_value_option import Choice, Option
from canfetch.cli.shared.terminal import is_terminal, pad, print_message, print_notes
from canfetch.core.document import RobotsTxt, parse
from canfetch.core.groups import Group
from canfetch.errors import InvalidDraft, InvalidOption

Answer = TypeVar("Answer")


def _run(
    recipe: str | None,
    list_: bool,  # noqa: FBT001 - click calls it
    sitemap: tuple[str, ...],
    output: str | None,
    force: bool,  # noqa: FBT001 - click calls it
    **values: Any,
) -> int:
    check_outputs()
    if list_:
        sys.stdout.write("".join(_recipe_list()))
        return EXIT_OK
    # Omitted options are None or (). An empty string was passed by the user.
    parameters = {name: value for name, value in values.items() if value not in (None, ())}
    try:
        if recipe is not None:
            draft = RECIPES[recipe].draft(**parameters)
        elif parameters:
            raise CommandError("--recipe NAME is required (list the recipes with --list)")
        elif is_terminal(sys.stdin):
            draft, sitemap = _prompt(sitemap)
        else:
            raise CommandError("--recipe NAME is required without a terminal (list the recipes with --list)")
        draft.sitemap(*sitemap)
        content = draft.render()
    except (InvalidDraft, InvalidOption) as error:
        raise CommandError(str(error)) from None
    robots = parse(content)
    print_notes_about_names(token for group in robots.groups for token in group.tokens)
    if output is None:
        write_standard_output(content)
    else:
        create_file(output, content, force=force)
    print_notes(_blocking_notes(robots))
    return EXIT_OK


def _recipe_list() -> list[str]:
    width = max(map(len, RECIPES))
    lines = []
    for recipe in RECIPES.values():
        options = " ".join(_usage(parameter) for parameter in recipe.parameters)
        lines.append(f"{pad(recipe.name, width)}  {recipe.description}\n")
        if options:
            lines.append(f"{' ' * width}  {options}\n")
    return lines


def _usage(parameter: Parameter) -> str:
    text = f"--{parameter.name.replace('_', '-')} {parameter.example}"
    return text if parameter.default is None else f"[{text}]"


def _prompt(sitemap: tuple[str, ...]) -> tuple[Draft, tuple[str, ...]]:
    """Prompt for the recipe, its parameters and the sitemap. Prompts are written to standard error."""
    click.echo("".join(_recipe_list()), err=True, nl=False)
    name = click.prompt("Recipe", type=Choice(list(RECIPES)), show_choices=False, err=True)
    recipe = RECIPES[name]
    draft = _prompt_until_valid(lambda: recipe.draft(**_prompt_parameters(recipe)))
    if not sitemap:
        sitemap = _prompt_until_valid(_prompt_sitemap)
    return draft, sitemap


def _prompt_until_valid(prompt: Callable[[], Answer]) -> Answer:
    while True:
        try:
            return prompt()
        except (InvalidDraft, InvalidOption) as error:
            print_message(f"Error: {error}")


def _prompt_sitemap() -> tuple[str, ...]:
    url: str = click.prompt("URL of the sitemap (optional)", default="", show_default=False, err=True)
    sitemap = (url,) if url else ()
    Draft().sitemap(*sitemap)
    return sitemap


def _prompt_parameters(recipe: Recipe) -> dict[str, list[str]]:
    return {parameter.name: _prompt_parameter(recipe, parameter) for parameter in recipe.parameters}


def _prompt_parameter(recipe: Recipe, parameter: Parameter) -> list[str]:
    prompt = f"{recipe.name}: {parameter.description}, such as {parameter.example}"
    if parameter.multiple:
        prompt += " (separate several with spaces)"
    text: str = click.prompt(prompt, default=parameter.default, err=True)
    return text.split() if parameter.multiple else [text.strip()]


def _blocking_notes(robots: RobotsTxt) -> Iterator[str]:
    """Yield what disallowed URLs are not protected from, and what protects them.

    Source: Google, create a robots.txt file; RFC 9309 section 3.
    """
    blocking = [group for group in robots.groups if any(not rule.allow and rule.pattern for rule in group.rules)]
    if any(map(_names_search_engine, blocking)):
        yield (
            "search engines may still list a disallowed URL if other pages link to it; to keep a page out of search "
            "results, allow it and serve noindex, or require a password"
        )
    if any(_names_place(rule.pattern) for group in blocking for rule in group.rules if not rule.allow):
        yield (
            "everybody can read robots.txt and the paths in it, and crawlers may ignore it; protect private content "
            "with a password"
        )


def _names_search_engine(group: Group) -> bool:
    crawlers = (REGISTRY.get_crawler(token) for token in group.tokens)
    return "*" in group.tokens or any(
        crawler is not None and "search-index" in crawler.purposes for crawler in crawlers
    )


def _names_place(pattern: bytes) -> bool:
    # A pattern such as `/*.gif$` has no name of a page or folder.
    return pattern.partition(b"*")[0] not in (b"", b"/")


command: Final = click.Command(
    "init",
    params=[
        Option(["--recipe"], type=Choice(list(RECIPES)), metavar="NAME", help="Recipe; see --list."),
        Option(["--list", "list_"], is_flag=True, help="List the recipes and their options."),
        Option(["--crawler"], metavar="TOKEN", help="Crawler that the rules apply to.  [default: all crawlers]"),
        Option(["--path"], multiple=True, metavar="PATH", help="A literal path. Can be repeated."),
        Option(
            ["--file-type"], multiple=True, metavar="TYPE", help="A file name extension, such as gif. Can be repeated."
        ),
        Option(["--ending"], multiple=True, metavar="TEXT", help="The end of URLs. Can be repeated."),
        Option(["--sitemap"], multiple=True, metavar="URL", help="URL of a sitemap. Can be repeated."),
        Option(["--output"], metavar="FILE", type=OutputFile(), help="Write to a file instead of standard output."),
        Option(["--force"], is_flag=True, help="Replace an existing file."),
    ],
    callback=_run,
    short_help="Create a robots.txt from a recipe.",
    help="Create a robots.txt from a recipe. On a terminal, `canfetch init` without --recipe prompts for the choices.",
    epilog="""\b
Examples:
  canfetch init --list
  canfetch init --recipe block-directories --path /calendar/ --path /junk/
  canfetch init --recipe only-one-crawler --crawler Googlebot-News --output robots.txt
  canfetch init --recipe block-ai-training --sitemap https://www.example.com/sitemap.xml

\b
Exit codes: 0 success, 2 an option is invalid or the file cannot be written.""",
)
