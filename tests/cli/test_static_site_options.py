"""`canfetch serve --static`: options that do not fit."""

from tests.cli.conftest import RunCommand


def test_the_linter_is_for_a_static_site(run: RunCommand) -> None:
    ran = run("serve", "--with-linter")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "canfetch: --with-linter requires --static\n"
