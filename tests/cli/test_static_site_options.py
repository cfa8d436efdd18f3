"""`canfetch serve --static`: options that do not fit."""

from tests.cli.conftest import RunCommand


def test_the_linter_is_for_a_static_site(run: RunCommand) -> None:
    assert run("serve", "--with-linter").refusal == "canfetch: --with-linter requires --static\n"
