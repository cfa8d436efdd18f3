"""Editors that analyse without running complete the public names."""

import jedi
import pytest


@pytest.mark.slow
@pytest.mark.parametrize(
    "code, name",
    [
        ("import canfetch; canfetch.", "parse"),
        ("import canfetch; canfetch.", "Client"),
        ("import canfetch; canfetch.parse('').", "allows"),
        ("import canfetch; canfetch.parse('').decide('/', agent='a').", "also_matched"),
        ("import canfetch; canfetch.pages.", "parse_page"),
        ("from canfetch.lint import ", "Linter"),
        ("import canfetch; canfetch.Client(user_agent='a').", "decide"),
    ],
)
def test_jedi_completes_public_names(code: str, name: str) -> None:
    assert name in {completion.name for completion in jedi.Script(code).complete()}
