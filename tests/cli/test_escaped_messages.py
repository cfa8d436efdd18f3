"""Messages escape control characters of arguments, files and stores."""

import ast
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from tests.cli.test_control_characters import HOSTILE, assert_safe

import canfetch.cli

Run = Any
ESCAPED = "%1B]0;title%07%E2%80%AE%C2%9B31m"


def test_messages_of_every_command_escape_arguments(run: Run, folder: Path) -> None:
    name = f"x{HOSTILE}"
    (folder / f"{name}.toml").write_text("[site]\nunknown = 1\n", encoding="utf-8")
    store = ("--store", "none")
    commands = [
        (name,),
        (f"--{name}",),
        ("agents", "show", name),
        ("agents", "verify", name, "192.0.2.1"),
        ("cache", "list", name, *store),
        ("cache", "list", "--store", name),
        ("check", name, "--agent", name, "--robots", name),
        ("check", "/", "--agent", "X", "--robots", "robots.txt", "--evidence", f"{name}\n/y"),
        ("diff", name, name),
        ("evidence", "head", name),
        ("evidence", "verify", name),
        ("evidence", "verify", f"http://{name}"),
        ("explain", "/", "--agent", "X", "--robots", name),
        ("fetch", name, *store),
        ("fmt", name),
        ("history", "--history", name),
        ("init", "--recipe", name),
        ("init", "--recipe", "block-directories", "--path", name),
        ("lint", name, "--config", name),
        ("lint", "robots.txt", "--select", name),
        ("logs", name, "--robots", "robots.txt"),
        ("matrix", name, "--agent", "X", "--robots", "robots.txt"),
        ("minimize", name),
        ("page", name, "--agent", "X"),
        ("policy", name),
        ("policy", f"{name}.toml"),
        ("serve", "--host", name, "--port", "1"),
        ("sitemaps", name, *store),
        ("test", name),
        ("watch", name, "--once", *store),
        ("bulk", "parse", name, "-o", name),
        ("bulk", "filter", name, "--robots", name, "--agent", name, "-o", "out.csv"),
    ]
    for arguments in commands:
        ran = run(*arguments)
        assert ran.err, arguments
        assert_safe(ran.err)
        assert_safe(ran.out)


def test_keys_of_a_shared_store_are_escaped(run: Run, folder: Path) -> None:
    run("cache", "list", "--store", "keys.db")
    assert run("check", "http://127.0.0.1:1/", "--agent", "X", "--store", "keys.db", "--timeout", "1").code == 1
    with sqlite3.connect(folder / "keys.db") as connection:
        changed = connection.execute("update entries set key = ?, entry = '{}'", (f"{HOSTILE}\nnext line",))
        assert changed.rowcount == 1
    for action in ("list", "export"):
        ran = run("cache", action, "--store", "keys.db")
        assert ran.code == 2
        assert_safe(ran.err)
        assert ran.err.startswith(f"canfetch: {ESCAPED}%0Anext line: ")
        assert len(ran.err.splitlines()) == 1


@pytest.mark.slow
def test_messages_are_printed_by_the_function_that_escapes() -> None:
    """Only `terminal.py` and the progress bar may write to standard error directly."""
    root = Path(canfetch.cli.__file__).parent
    for path in root.rglob("*.py"):
        if path.name in {"terminal.py", "progress.py"}:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "click.echo":
                raw = [keyword for keyword in node.keywords if keyword.arg == "err"]
                constant = node.args and ast.unparse(node.args[0]) == "''.join(_recipe_list())"
                assert not raw or constant, f"{path}:{node.lineno}: use print_message"
