"""`canfetch policy`: a site's policy in TOML, proven, and put into effect.

`--check` gives the proof alone; with `--format json` it is `Proof.to_json`, schema `canfetch.proof/2`. Otherwise, with
`--format json`, an object of the forms, each a text, and `holds`.
"""

import json
import sys
from collections.abc import Iterator
from typing import Any, Final, NoReturn

import click

from canfetch.author.policy_file import parse_policy
from canfetch.author.proof import CURRENT_PROFILES, IntentProof, Proof, Shortfall, prove
from canfetch.author.rendering import FORMS, SERVERS, render_policy
from canfetch.author.site_policy import SitePolicy
from canfetch.cli.shared.input_files import close_input, open_input
from canfetch.cli.shared.problems import ALLOWED, DISALLOWED, Problem
from canfetch.cli.shared.terminal import Palette, padded, shown, wants_color
from canfetch.core.profiles import PROFILES
from canfetch.errors import InvalidDraft, InvalidSitePolicy

_ALL: Final = "all"
_POLICY_OCTETS_LIMIT: Final = 1 << 20


def _run(file: str, to: str, check: bool, format: str, no_color: bool) -> NoReturn:  # noqa: A002, FBT001 - click calls it
    policy = _read(file)
    try:
        proof = prove(policy)
        forms = {} if check else dict(_rendered(policy, to))
    except (InvalidDraft, InvalidSitePolicy) as error:
        raise Problem(f"{shown(file)}: {error}") from None
    if format == "json":
        shape: dict[str, Any] = proof.to_json() if check else {"holds": proof.holds, "forms": forms}
        sys.stdout.write(json.dumps(shape) + "\n")
    elif check:
        sys.stdout.write(
            "".join(f"{line}\n" for line in _proof_lines(proof, Palette(on=wants_color(no_color=no_color))))
        )
    else:
        for name, text in forms.items():
            sys.stdout.write((f"# === {name}\n" if len(forms) > 1 else "") + text)
    sys.stdout.flush()
    if not proof.holds:
        faults = [shortfall for shortfall in proof.shortfalls if shortfall.is_fault]
        click.echo(f"canfetch: {shown(file)}: {len(faults)} shortfalls: {shown(str(faults[0]))}: see --check", err=True)
    click.get_current_context().exit(ALLOWED if proof.holds else DISALLOWED)


def _read(file: str) -> SitePolicy:
    stream = open_input(file, "FILE")
    try:
        octets = stream.read(_POLICY_OCTETS_LIMIT + 1)
    except OSError as error:
        raise Problem(f"{shown(file)} cannot be read: {error.strerror or error}: give another file") from None
    finally:
        close_input(stream)
    if len(octets) > _POLICY_OCTETS_LIMIT:
        raise Problem(f"{shown(file)} has more than {_POLICY_OCTETS_LIMIT} octets: give a policy")
    try:
        return parse_policy(octets.decode("utf-8"))
    except UnicodeDecodeError:
        raise Problem(f"{shown(file)} is no UTF-8: save it as UTF-8") from None
    except InvalidSitePolicy as error:
        raise Problem(f"{shown(file)}: {error}") from None


def _rendered(policy: SitePolicy, to: str) -> Iterator[tuple[str, str]]:
    for form in FORMS if to == _ALL else (to,):
        try:
            yield form, render_policy(policy, form)
        except InvalidSitePolicy as error:
            if to != _ALL:
                raise
            # What one server cannot, others can.
            click.echo(f"canfetch: {form} is left out: {error}", err=True)


def _proof_lines(proof: Proof, palette: Palette) -> Iterator[str]:
    """Yield a table of intents by profiles, then what is not as wanted, then what no file can do."""
    rows: dict[str, list[IntentProof]] = {}
    for row in proof.intents:
        rows.setdefault(str(row.intent.audience), []).append(row)
    width = max(len(name) for name in (*rows, "INTENT"))
    names = {profile: max(len(profile), len("partly")) for profile in PROFILES}
    yield palette.strong("  ".join([padded("INTENT", width), *(padded(name, wide) for name, wide in names.items())]))
    for name, cells in rows.items():
        words = (_cell(cell, names[cell.profile], palette) for cell in cells)
        yield "  ".join([padded(name, width), *words]).rstrip()
    asked = sum(row.checked for row in proof.intents)
    engines = dict.fromkeys(engine for row in proof.intents for engine in row.engines)
    yield ""
    yield f"{asked} questions, by the engines {', '.join(engines)}"
    yield from _shortfall_lines(proof, palette)
    for note in proof.limitations:
        yield shown(f"note: {note}")


def _shortfall_lines(proof: Proof, palette: Palette) -> Iterator[str]:
    """Yield a line for all that falls short for one reason, with one target as the example; faults come first."""
    alike: dict[tuple[bool, str, str, str, str], list[Shortfall]] = {}
    for shortfall in proof.shortfalls:
        whom = f"{len(shortfall.crawlers)} crawlers" if len(shortfall.crawlers) > 3 else ", ".join(shortfall.crawlers)
        key = (not shortfall.is_fault, shortfall.profile, str(shortfall.intent.audience), whom, shortfall.reason)
        alike.setdefault(key, []).append(shortfall)
    for (is_known, profile, audience, whom, why), found in sorted(alike.items(), key=lambda item: item[0][0]):
        first = found[0]
        more = f" and {len(found) - 1} more targets" if len(found) > 1 else ""
        text = f"{profile}: {audience}: {whom}: {why}: {first.subject} is {first.actual}, not {first.expected}{more}"
        yield palette.faint(shown(f"known: {text}")) if is_known else palette.bad(shown(f"not met: {text}"))


def _cell(row: IntentProof, wide: int, palette: Palette) -> str:
    if row.is_met:
        return palette.good(padded("met", wide))
    return (palette.odd if row.profile in CURRENT_PROFILES else palette.faint)(padded("partly", wide))


command: Final = click.Command(
    "policy",
    params=[
        click.Argument(["file"], metavar="FILE"),
        click.Option(
            ["--to"],
            type=click.Choice([*FORMS, _ALL]),
            default="robots",
            show_default=True,
            help=f"What is written: the file, the headers of pages, or the rules of {', '.join(SERVERS)}.",
        ),
        click.Option(
            ["--check"], is_flag=True, help="Write no rules, but whether every intent is met, and by whom not."
        ),
        click.Option(["--format"], type=click.Choice(["text", "json"]), default="text", show_default=True),
        click.Option(["--no-color"], is_flag=True, help="No colours, on a terminal either."),
    ],
    callback=_run,
    short_help="Write what a site's policy comes to, and prove it.",
    help="Write what a site's policy, in TOML, comes to: a robots.txt, headers, rules of servers. The file is "
    "read back each time, and every crawler of the registry is asked, on every profile and engine, whether it is as "
    "the policy wants it. FILE may be -, standard input.",
    epilog="""\b
Examples:
  canfetch policy policy.toml > robots.txt
  canfetch policy policy.toml --check
  canfetch policy policy.toml --to nginx > canfetch.conf
  canfetch policy policy.toml --to all --format json

\b
Exit code: 0 every intent is met on every profile of today, 1 some is not, 2 the policy cannot be meant.""",
)
