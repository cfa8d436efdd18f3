"""`canfetch page`: what an agent may do with a page, by its headers, its meta elements and its TDM file."""

import sys
import time
from contextlib import closing
from typing import Any, Final, NoReturn

import click

from canfetch.cli.decisions.verdict_rows import JsonWriter, as_given
from canfetch.cli.pages.page_text import page_lines
from canfetch.cli.pages.sources import PageQuestion, Pages, Seen, pages_of
from canfetch.cli.shared.agent_arguments import Asker, asker_of
from canfetch.cli.shared.network_options import network_parameters, taken_from
from canfetch.cli.shared.problems import ALLOWED, DISALLOWED, UNCOMPUTED, Problem, cropped
from canfetch.cli.shared.terminal import Palette, shown, wants_color
from canfetch.core.profiles import PROFILES
from canfetch.errors import CanfetchError
from canfetch.pages.dates import parse_date
from canfetch.pages.dialects import PAGE_DIALECTS
from canfetch.pages.html import DEFAULT_MAX_PAGE_BYTES
from canfetch.pages.verdict import PageVerdict


def _run(**given: Any) -> NoReturn:
    network = taken_from(given)
    click.get_current_context().exit(_answer(PageQuestion(**given, network=network)))


def _answer(question: PageQuestion) -> int:
    askers = [asker_of(name, exact=question.exact) for name in dict.fromkeys(question.agents)]
    if not askers:
        raise Problem("no agent: give --agent TOKEN, such as --agent Googlebot")
    now = _now(question.now)
    writer = None if question.format == "text" else JsonWriter(lines=question.format == "ndjson")
    palette = Palette(on=wants_color(no_color=question.no_color))
    code, started = ALLOWED, False
    with closing(pages_of(question)) as pages:
        for asker in askers:
            try:
                seen, verdict = _decided(pages, asker, question, now)
            except (CanfetchError, Problem) as error:
                code = UNCOMPUTED
                sys.stdout.flush()
                click.echo(f"canfetch: {cropped(shown(str(error)))}", err=True)
                if writer is not None and not question.quiet:
                    writer.write(_error_json(question, asker, str(error)))
                continue
            if code == ALLOWED and not verdict.may_index.allowed:
                code = DISALLOWED
            if question.quiet:
                continue
            if writer is not None:
                writer.write(_json(question, asker, seen, verdict))
                continue
            lines = page_lines(question.url, asker, seen, verdict, palette)
            sys.stdout.write("\n" * started + "".join(f"{line}\n" for line in lines))
            started = True
    if writer is not None and not question.quiet:
        writer.end()
    return code


def _decided(pages: Pages, asker: Asker, question: PageQuestion, now: float) -> tuple[Seen, PageVerdict]:
    seen = pages.seen_by(asker.agent)
    verdict = seen.rules.decide(agent=asker.agent, now=now, robots=seen.robots, dialect=question.dialect)
    return seen, verdict


def _now(text: str | None) -> float:
    if text is None:
        return time.time()
    seconds = parse_date(text)
    if seconds is None:
        raise Problem(f"--now {text[:100]!r} is no date: give one such as 2026-01-31T12:00:00Z")
    return seconds


def _json(question: PageQuestion, asker: Asker, seen: Seen, verdict: PageVerdict) -> dict[str, Any]:
    return {
        "url": None if question.url is None else as_given(question.url),
        "agent_name": as_given(asker.name),
        **verdict.to_json(),
        "fetched": seen.fetched,
        "page": seen.rules.to_json(),
    }


def _error_json(question: PageQuestion, asker: Asker, error: str) -> dict[str, Any]:
    return {
        "url": None if question.url is None else as_given(question.url),
        "agent_name": as_given(asker.name),
        "may_index": None,
        "error": error,
    }


command: Final = click.Command(
    "page",
    params=[
        click.Argument(["url"], required=False, metavar="[URL]"),
        click.Option(
            ["--agent", "agents"],
            metavar="TOKEN",
            multiple=True,
            help="Who asks: a product token, such as Googlebot. May be repeated.",
        ),
        click.Option(
            ["--exact"],
            is_flag=True,
            help="Ask for the token itself, without what the registry knows of that crawler.",
        ),
        click.Option(
            ["--html"],
            metavar="FILE",
            type=click.Path(allow_dash=True),
            help="The page's HTML, - is standard input; nobody is asked then.",
        ),
        click.Option(
            ["--header", "headers"],
            metavar="'NAME: VALUE'",
            multiple=True,
            help="A header of the response; nobody is asked then. May be repeated.",
        ),
        click.Option(
            ["--robots"],
            metavar="FILE",
            type=click.Path(allow_dash=True),
            help="The robots.txt beside a page that is given.",
        ),
        click.Option(
            ["--tdm-file"],
            metavar="FILE",
            type=click.Path(allow_dash=True),
            help="The tdmrep.json beside a page that is given.",
        ),
        click.Option(
            ["--dialect"],
            type=click.Choice(tuple(PAGE_DIALECTS)),
            help="Whose reading of page-level rules; by default the agent's own.",
        ),
        click.Option(
            ["--profile"],
            type=click.Choice(tuple(PROFILES)),
            default="rfc9309",
            show_default=True,
            help="Whose reading of robots.txt.",
        ),
        click.Option(["--now"], metavar="DATE", help="The time that is asked about, for unavailable_after."),
        click.Option(
            ["--max-bytes"],
            metavar="N",
            type=click.IntRange(1, 1 << 30),
            default=DEFAULT_MAX_PAGE_BYTES,
            show_default=True,
            help="How much of the page is read.",
        ),
        click.Option(
            ["--format"],
            type=click.Choice(("text", "json", "ndjson")),
            default="text",
            show_default=True,
            help="How the answer is written.",
        ),
        click.Option(["--no-color"], is_flag=True, help="No colour, even on a terminal."),
        click.Option(["-q", "--quiet"], is_flag=True, help="Write no answer: the exit code is it."),
        *network_parameters(),
    ],
    callback=_run,
    short_help="Say what agents may do with a page.",
    help="""Say what each agent may do with a page: index it, follow its links, quote it, train on it, and why.

    The page is fetched if its robots.txt lets the agent, with its redirects, each of which is asked about, too. With
    --html or --header nothing is fetched. X-Robots-Tag, Robots-Tag, robots meta elements and TDMRep count as the
    agent's operator documents it, or as --dialect says.""",
    epilog="""\b
Examples:
  canfetch page https://example.com/fish --agent Googlebot
  canfetch page --header 'X-Robots-Tag: noindex, max-snippet: 50' --agent bingbot
  canfetch page https://example.com/fish --html fish.html --robots robots.txt --agent GPTBot --format json
  curl -sS https://example.com/fish | canfetch page --html - --agent Yandex --quiet && echo indexed

\b
json is a list of objects, ndjson one object a line: url, agent_name, the verdict (docs/pages.md), fetched, page;
without a verdict: url, agent_name, may_index (null), error.

\b
Exit code: 0 all may index, 1 some may not, 2 some answer could not be computed.""",
)
