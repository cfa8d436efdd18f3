"""`canfetch policy`: render a site's policy from TOML, and prove it.

With `--check --format json`, the output is `Proof.to_json`, schema `canfetch.proof/2`. With `--format json` alone, the
output is an object with `holds` and `forms`, the text of each form.
"""

import json
import sys
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import click

from canfetch.author.policy_file import ENVIRONMENT_VARIABLE
from canfetch.author.proof import CURRENT_PROFILES, IntentProof, Proof, Shortfall, prove
from canfetch.author.rendering import FORMS, SERVERS, render_policy
from canfetch.author.servers.iis import MAX_WEB_CONFIG_BYTES
from canfetch.author.site_policy import SitePolicy
from canfetch.cli.shared.agent_arguments import print_notes_about_names
from canfetch.cli.shared.command_errors import EXIT_NEGATIVE, EXIT_OK, CommandError
from canfetch.cli.shared.input_files import read_whole_input
from canfetch.cli.shared.option_parameters import format_option, no_color_option
from canfetch.cli.shared.output_files import write_standard_output
from canfetch.cli.shared.policy_files import choose_environment, read_policy
from canfetch.cli.shared.single_value_option import Choice, Option, complete_path
from canfetch.cli.shared.terminal import Palette, output_palette, pad, print_message, printable
from canfetch.core.profiles import PROFILES
from canfetch.core.text import counted
from canfetch.errors import InvalidDraft, InvalidSitePolicy

_ALL: Final = "all"
_MAX_BYTES: Final = 1 << 20
_MAX_CRAWLERS: Final = 3


class _Options(NamedTuple):
    file: str
    to: str
    environment: str | None
    host: str | None
    check: bool
    format: str
    no_color: bool


def _run(**values: Any) -> int:
    options = _Options(**values)
    file = options.file
    policy = read_policy(read_whole_input(file, max_bytes=_MAX_BYTES), file)
    policy = choose_environment(policy, file, environment=options.environment, host=options.host)
    try:
        proof = prove(policy)
        forms = {} if options.check else dict(_render(policy, options.to))
    except (InvalidDraft, InvalidSitePolicy) as error:
        raise CommandError(f"{file}: {error}") from None
    of_pages = [page.crawler for page in policy.pages if page.crawler is not None]
    print_notes_about_names([*(intent.audience.name for intent in policy.crawlers), *of_pages])
    if options.format == "json":
        value: dict[str, Any] = proof.to_json() if options.check else {"holds": proof.holds, "forms": forms}
        sys.stdout.write(json.dumps(value) + "\n")
    elif options.check:
        lines = _proof_lines(proof, output_palette(no_color=options.no_color))
        sys.stdout.write("".join(f"{line}\n" for line in lines))
    else:
        for name, text in forms.items():
            write_standard_output(((f"# === {name}\n" if len(forms) > 1 else "") + text).encode())
    sys.stdout.flush()
    if not proof.holds:
        _print_shortfalls(file, proof)
    return EXIT_OK if proof.holds else EXIT_NEGATIVE


def _render(policy: SitePolicy, to: str) -> Iterator[tuple[str, str]]:
    for form in FORMS if to == _ALL else (to,):
        try:
            text = render_policy(policy, form)
        except InvalidSitePolicy as error:
            if to != _ALL:
                raise
            # Other servers may support what this one does not.
            print_message(f"canfetch: skipped {form}: {error}")
            continue
        size = len(text.encode())
        if form == "iis" and size > MAX_WEB_CONFIG_BYTES:
            print_message(
                f"canfetch: note: the web.config has {-(-size // 1024)} KB, and IIS reads at most "
                f"{MAX_WEB_CONFIG_BYTES // 1024} KB by default. Use fewer rules, or set MaxWebConfigFileSizeInKB in "
                "the Windows registry"
            )
        yield form, text


def _print_shortfalls(file: str, proof: Proof) -> None:
    faults = [shortfall for shortfall in proof.shortfalls if shortfall.is_fault]
    print_message(f"canfetch: {file}: {counted(len(faults), 'shortfall')}, see --check: {faults[0]}")


def _proof_lines(proof: Proof, palette: Palette) -> Iterator[str]:
    """Yield a table of intents and profiles, then the shortfalls, then the limitations."""
    rows: dict[str, list[IntentProof]] = {}
    for row in proof.intents:
        rows.setdefault(str(row.intent.audience), []).append(row)
    width = max(len(name) for name in (*rows, "INTENT"))
    widths = {profile: max(len(profile), len("partly")) for profile in PROFILES}
    yield palette.strong("  ".join([pad("INTENT", width), *(pad(name, wide) for name, wide in widths.items())]))
    for name, cells in rows.items():
        words = (_cell(cell, widths[cell.profile], palette) for cell in cells)
        yield "  ".join([pad(name, width), *words]).rstrip()
    checked = sum(row.checked for row in proof.intents)
    engines = dict.fromkeys(engine for row in proof.intents for engine in row.engines)
    yield ""
    yield f"{checked} decisions checked with the engines {', '.join(engines)}"
    yield from _shortfall_lines(proof, palette)
    for limitation in proof.limitations:
        yield printable(f"note: {limitation}")


def _shortfall_lines(proof: Proof, palette: Palette) -> Iterator[str]:
    """Yield a line for all shortfalls with the same reason, with one target as an example; faults come first."""
    groups: dict[tuple[bool, str, str, str, str], list[Shortfall]] = {}
    for shortfall in proof.shortfalls:
        many = len(shortfall.crawlers) > _MAX_CRAWLERS
        crawlers = f"{len(shortfall.crawlers)} crawlers" if many else ", ".join(shortfall.crawlers)
        audience = str(shortfall.intent.audience)
        key = (not shortfall.is_fault, shortfall.profile, audience, crawlers, shortfall.reason)
        groups.setdefault(key, []).append(shortfall)
    for (is_known, profile, audience, crawlers, reason), group in sorted(groups.items(), key=lambda item: item[0][0]):
        first = group[0]
        more = f" (and {len(group) - 1} more)" if len(group) > 1 else ""
        difference = f"{first.subject} is {first.actual}, expected {first.expected}{more}"
        text = f"{profile}: {audience}: {crawlers}: {reason}: {difference}"
        yield (
            palette.faint(printable(f"known limitation: {text}"))
            if is_known
            else palette.bad(printable(f"not met: {text}"))
        )


def _cell(row: IntentProof, width: int, palette: Palette) -> str:
    if row.is_met:
        return palette.good(pad("met", width))
    return (palette.warning if row.profile in CURRENT_PROFILES else palette.faint)(pad("partly", width))


command: Final = click.Command(
    "policy",
    params=[
        click.Argument(["file"], metavar="FILE", shell_complete=complete_path),
        Option(
            ["--to"],
            type=Choice([*FORMS, _ALL]),
            metavar="FORM",
            default="robots",
            help=f"What to render: robots, headers (those of pages), {_ALL}, or rules for a server: "
            f"{', '.join(SERVERS)}.",
        ),
        Option(
            ["--environment"],
            metavar="NAME",
            help="Environment of the policy, such as production. An unknown one is closed.  [default: the variable "
            f"{ENVIRONMENT_VARIABLE}]",
        ),
        Option(["--host"], metavar="HOST", help="Host whose environment is rendered. An unknown one is closed."),
        Option(["--check"], is_flag=True, help="Render nothing; show for which profiles every intent is met."),
        format_option(["text", "json"]),
        no_color_option(),
    ],
    callback=_run,
    short_help="Render a site's policy, and prove it.",
    help="Render a site's policy, written in TOML, as robots.txt, headers or server rules. Each time, the result is "
    "parsed again, and canfetch verifies the decisions for every crawler in the registry with every profile and "
    "engine. With -, the policy is read from standard input.",
    epilog="""\b
Examples:
  canfetch policy policy.toml > robots.txt
  canfetch policy policy.toml --check
  canfetch policy policy.toml --to nginx > canfetch.conf
  canfetch policy policy.toml --to all --format json
  canfetch policy environments.toml --environment staging
  canfetch policy environments.toml --host staging.example.com

\b
Exit codes: 0 every intent is met in every current profile, 1 some intent is not met, 2 the policy is invalid.""",
)
