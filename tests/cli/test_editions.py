"""`--edition`, which sets the parsing profile and the access policy."""

from pathlib import Path
from typing import Any

import pytest
from tests.cli.commands import commands
from tests.cli.conftest import serving
from tests.servers.valid import respond

from canfetch.access.editions import EDITIONS

Run = Any
MISSPELT = "User-agent: *\nDissallow: /a\n"


@pytest.mark.parametrize("edition, code", [("google2019", 0), ("googlebot", 1)])
def test_edition_sets_the_profile(run: Run, folder: Path, edition: str, code: int) -> None:
    (folder / "misspelt.txt").write_text(MISSPELT)
    check = ("check", "/a", "--agent", "GPTBot", "--robots", "misspelt.txt")
    ran, same = run(*check, "--edition", edition), run(*check, "--profile", edition)
    assert (ran.code, ran.err) == (code, "")
    assert ran == same


@pytest.mark.parametrize("edition, code", [("google2019", 0), ("google", 1)])
def test_google2019_too_many_requests_allow_everything(run: Run, edition: str, code: int) -> None:
    with serving(respond(b"busy", status=429)) as site:
        ran = run("check", site.url("a"), "--agent", "GPTBot", "--store", "none", "--edition", edition)
    assert ran.code == code


@pytest.mark.parametrize("option", ["--profile", "--policy"])
def test_edition_and_what_it_sets_are_an_error(ask: Run, option: str) -> None:
    assert ask("check", "/a", "--edition", "google", option, "google").refusal == (
        f"canfetch: --edition and {option} cannot be used together: an edition sets {option} "
        "(see 'canfetch check --help')\n"
    )


def test_unknown_edition_is_an_error(ask: Run) -> None:
    ran = ask("check", "/a", "--edition", "google2018")
    assert "invalid value for '--edition': unknown value 'google2018': did you mean 'google2019'?" in ran.refusal


@pytest.mark.slow
def test_every_command_with_a_profile_or_a_policy_has_editions() -> None:
    found = []
    for _, command in commands():
        names = {parameter.name for parameter in command.params}
        assert ("edition" in names) == bool({"profile", "policy"} & names), command.name
        if "edition" in names:
            found.append(command.name)
    assert {"check", "diff", "fetch", "logs", "mcp", "page", "serve", "study", "watch"} <= set(found)


def test_help_lists_the_editions(run: Run) -> None:
    text = " ".join(run("check", "--help").out.split())
    assert "Set --profile and --policy, if the command has them, to those of one crawler" in text
    assert ", ".join(EDITIONS) in text
