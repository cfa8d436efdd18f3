"""`canfetch fetch`: what an origin's robots.txt is, how it was come by, and what that means."""

import sys
import time
from collections.abc import Iterator
from contextlib import closing
from typing import Any, Final, NoReturn

import click

from canfetch.access.outcomes import Access, Cell, Effect
from canfetch.cli.decisions.urls import MOST_CHARACTERS
from canfetch.cli.decisions.verdict_rows import JsonWriter, Writer, as_given
from canfetch.cli.shared.network_options import NetworkOptions, network_parameters, taken_from
from canfetch.cli.shared.origin_arguments import url_of_origin
from canfetch.cli.shared.origin_lookup import Origins
from canfetch.cli.shared.problems import ALLOWED, DISALLOWED, UNCOMPUTED, Problem, cropped
from canfetch.cli.shared.progress import progress_of
from canfetch.cli.shared.terminal import Palette, is_terminal, shown, wants_color
from canfetch.client.origin_state import OriginState


def _run(**given: Any) -> NoReturn:
    options = taken_from(given)
    click.get_current_context().exit(_fetch(given["origins"], options, given["format"], no_color=given["no_color"]))


def _fetch(names: tuple[str, ...], options: NetworkOptions, format_: str, *, no_color: bool) -> int:
    if not names:
        raise Problem("no origin: give one or more, such as https://example.com")
    code, started = ALLOWED, False
    writer: Writer[dict[str, Any]] | None = JsonWriter(lines=format_ == "ndjson") if format_ != "text" else None
    palette = Palette(on=wants_color(no_color=no_color))
    progress = progress_of(len(names), wanted=not is_terminal(sys.stdout))
    with closing(progress), closing(Origins(options, say=progress.say)) as origins:
        rows = origins.ahead(iter(names), url_of=url_of_origin, weight_of=len, most_weight=MOST_CHARACTERS)
        with closing(rows):
            for name, known in rows:
                if not isinstance(known, OriginState):
                    code = UNCOMPUTED
                    progress.say(f"canfetch: {cropped(str(known))}")
                    if writer is not None:
                        writer.write({"origin": as_given(name), "error": str(known)})
                    continue
                now = time.time()
                if known.effective_access(now).access is Access.UNREACHABLE and code == ALLOWED:
                    code = DISALLOWED
                if writer is not None:
                    writer.write(origin_json(known, now))
                else:
                    if started:
                        sys.stdout.write("\n")
                    started = True
                    sys.stdout.write("".join(f"{line}\n" for line in origin_lines(known, now, palette)))
                progress.advance(1)
    if writer is not None:
        writer.end()
    return code


def origin_json(known: OriginState, now: float) -> dict[str, Any]:
    """Give what is known of an origin in plain values; the file's octets are not among them, their hash is."""
    entry, standing = known.entry, known.effective_access(now)
    copy = standing.copy
    return {
        "schema": "canfetch.origin/1",
        "origin": entry.origin,
        "robots_url": known.origin.robots_url,
        "access": str(standing.access),
        "effect": str(standing.effect),
        "explanation": standing.explanation,
        "policy": entry.policy,
        "cell": entry.outcome.cell,
        "status": entry.status,
        "url": entry.url,
        "hops": [hop._asdict() for hop in entry.hops],
        "headers": dict(entry.headers),
        "fetched_at": entry.fetched_at,
        "next_fetch_at": entry.next_fetch_at,
        "failures": entry.failures,
        "copy": None
        if copy is None
        else {
            "sha256": copy.sha256,
            "octets": len(copy.content),
            "url": copy.url,
            "fetched_at": copy.fetched_at,
        },
    }


def origin_lines(known: OriginState, now: float, palette: Palette) -> Iterator[str]:
    """Yield what is known of an origin as lines for people."""
    entry, standing = known.entry, known.effective_access(now)
    paint = {Effect.FULL_ALLOW: palette.good, Effect.FULL_DISALLOW: palette.bad}.get(standing.effect, palette.strong)
    yield f"{palette.strong(known.origin.robots_url)}: {paint(str(standing.effect))}"
    for hop in entry.hops:
        yield f"  {hop.status}  {shown(hop.url)} -> {shown(hop.location)}"
    status = "---" if entry.status is None else str(entry.status)
    yield f"  {status}  {shown(entry.url)}"
    for name, value in entry.headers:
        yield palette.faint(f"       {name}: {shown(value)}")
    yield f"  access   {standing.access}: {shown(standing.explanation)}"
    yield f"  policy   {entry.policy}, {entry.outcome.cell}"
    if standing.copy is not None:
        yield f"  file     {len(standing.copy.content)} octets, sha256 {standing.copy.sha256[:16]}..."
    if entry.outcome.cell is Cell.OFFLINE:
        yield "  fetched  never"
        return
    left = entry.next_fetch_at - now
    word = "asked again" if standing.access is Access.UNREACHABLE else "fresh for"
    yield f"  fetched  {_moment(entry.fetched_at)}, {word} {_left(left, standing.access)}"


def _moment(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%SZ", time.gmtime(seconds))


def _left(seconds: float, access: Access) -> str:
    if seconds <= 0:
        return "now" if access is Access.UNREACHABLE else "no longer"
    text = f"{seconds / 3600:.1f} h" if seconds >= 3600 else f"{seconds / 60:.0f} min"
    return f"in {text}" if access is Access.UNREACHABLE else f"{text} more"


command: Final = click.Command(
    "fetch",
    params=[
        click.Argument(["origins"], nargs=-1, metavar="[ORIGIN]..."),
        *network_parameters(),
        click.Option(
            ["--format"],
            type=click.Choice(("text", "json", "ndjson")),
            default="text",
            show_default=True,
            help="How the answer is written.",
        ),
        click.Option(["--no-color"], is_flag=True, help="No colour, even on a terminal."),
    ],
    callback=_run,
    short_help="Fetch robots.txt, and show what came of it.",
    help="""Fetch the robots.txt of each origin, and show the hops, the status, what it means and for how long.

    An origin is a URL, of which the path does not count, or a host, which means https. What is kept and still
    fresh is shown without a request, unless --refresh is given.""",
    epilog="""\b
Examples:
  canfetch fetch https://example.com
  canfetch fetch example.com example.org --policy google --refresh
  canfetch fetch https://example.com --offline --format json

\b
Exit code: 0 all answered, 1 some origin is unreachable, 2 some text is no origin.""",
)
