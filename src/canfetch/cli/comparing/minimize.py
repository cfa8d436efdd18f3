"""`canfetch minimize`: the smallest file found with the same verdicts."""

from typing import Any, Final, NamedTuple

import click

from canfetch.cli.comparing.inputs import read_file
from canfetch.cli.shared.command_errors import EXIT_NEGATIVE, EXIT_OK, CommandError
from canfetch.cli.shared.edition_option import edition_option
from canfetch.cli.shared.input_files import STANDARD_INPUT
from canfetch.cli.shared.option_parameters import profile_option, quiet_option
from canfetch.cli.shared.output_files import replace_file, write_standard_output
from canfetch.cli.shared.single_value_option import Option, ProfileChoice, complete_path
from canfetch.cli.shared.terminal import print_message_lines
from canfetch.compare import Minimization, find_minimization
from canfetch.compare.budget import steps_for
from canfetch.core.document import RobotsTxt
from canfetch.core.profiles import PROFILES
from canfetch.core.text import counted
from canfetch.errors import Undecided

# A file is minimized once, so this may take longer than a question in a program.
_MICROSECONDS: Final = 10_000_000


class _Options(NamedTuple):
    """The values of the options."""

    name: str
    profile: str
    for_profiles: tuple[str, ...]
    in_place: bool
    check: bool
    quiet: bool


def _run(**values: Any) -> int:
    options = _Options(**values)
    if options.in_place and options.name == STANDARD_INPUT:
        raise CommandError("--in-place requires a file, not standard input")
    if options.in_place and options.check:
        raise CommandError("--in-place and --check exclude each other")
    robots = read_file(options.name, profile=options.profile, check=_check_encoding)
    profiles = PROFILES if "all" in options.for_profiles else options.for_profiles
    try:
        found = find_minimization(robots, profiles=profiles, steps=steps_for(_MICROSECONDS))
    except Undecided as error:
        raise CommandError(f"cannot minimize {options.name}: {error}") from None
    if options.in_place:
        if found.saved_bytes:
            # The part past the size limit is not read to its end.
            replace_file(options.name, found.content, previous=None if robots.tail else robots.render())
    elif not options.check:
        write_standard_output(found.content)
    if not options.quiet:
        # Standard output is the file.
        print_message_lines("\n".join(_report(found, robots.content)))
    return EXIT_NEGATIVE if options.check and found.saved_bytes else EXIT_OK


def _check_encoding(name: str, robots: RobotsTxt) -> None:
    if robots.source_encoding != "utf-8":
        # Most crawlers read nothing of the file, so the same rules in UTF-8 would change what they may fetch.
        raise CommandError(
            f"cannot minimize {name}: encoding is {robots.source_encoding}: convert the file to UTF-8 first"
        )


def _report(found: Minimization, content: bytes) -> list[str]:
    lines = [f"left out: line {rule.line}, {rule}" for rule in found.removed]
    profiles = ", ".join(found.profiles)
    percent = 100 * found.saved_bytes / len(content) if content else 0
    proof = f"Every agent has the same verdict for every URL ({profiles})."
    return [*lines, f"{counted(len(lines), 'rule')} and {found.saved_bytes} bytes ({percent:.0f} %) left out. {proof}"]


command: Final = click.Command(
    "minimize",
    params=[
        click.Argument(["name"], metavar="FILE|-", shell_complete=complete_path),
        profile_option(),
        edition_option(),
        Option(
            ["--for", "for_profiles"],
            metavar="NAME",
            multiple=True,
            type=ProfileChoice((*PROFILES, "all")),
            help="Also keep the verdicts of this profile; 'all' for all profiles. Can be repeated.",
        ),
        Option(["--in-place"], is_flag=True, help="Replace the file."),
        Option(["--check"], is_flag=True, help="Write nothing; exit with 1 if the file could be smaller."),
        quiet_option(),
    ],
    callback=_run,
    short_help="Leave out the rules of a robots.txt that change nothing.",
    help="""Leave out the rules of a robots.txt that change no verdict, for any agent and any URL.

    The file is written to standard output, and the rules that are left out are listed on standard error. Comments stay,
    except those directly above rules that are all left out. The result is proved. If about ten seconds of
    work are not enough for a proof, the file is not changed.""",
    epilog="""\b
Examples:
  canfetch minimize robots.txt > smaller.txt
  canfetch minimize robots.txt --in-place --for all
  canfetch minimize robots.txt --check

\b
Exit codes: 0 success, 1 the file could be smaller (--check), 2 the file cannot be read, or no proof is found.""",
)
