"""Lists of names: a single name in their place is an error, because its characters would be read as names."""

from collections.abc import Callable
from typing import Any

import pytest

from canfetch import Agent, parse
from canfetch.bulk import duckdb, matrix
from canfetch.client.watch.watcher import Watcher
from canfetch.compare import diff, find_minimization, minimize
from canfetch.lint import Linter
from canfetch.web.api_client import APIClient

FILE = parse("User-agent: *\nDisallow: /a\n")
LINTER = Linter()


def register(agents: Any) -> None:
    duckdb.register(pytest.importorskip("duckdb").connect(), agents=agents)


def register_in_spark(agents: Any) -> None:
    pytest.importorskip("pyspark")
    from canfetch.bulk import spark

    spark.register(None, agents=agents)  # type: ignore[arg-type]


CALLS: dict[str, tuple[str, Callable[[Any], object]]] = {
    "diff": ("agents", lambda value: diff(FILE, FILE, agents=value)),
    "minimize": ("profiles", lambda value: minimize(FILE, profiles=value)),
    "find_minimization": ("profiles", lambda value: find_minimization(FILE, profiles=value)),
    "matrix": ("agents", lambda value: matrix("", value, "/")),
    "duckdb": ("agents", register),
    "spark": ("agents", register_in_spark),
    "Linter select": ("checks", lambda value: Linter(select=value)),
    "Linter ignore": ("checks", lambda value: Linter(ignore=value)),
    "Linter ignore_in": ("checks", lambda value: Linter(ignore_in={"*": value})),
    "fix for_profiles": ("for_profiles", lambda value: LINTER.fix(b"", for_profiles=value)),
    "fix only": ("checks", lambda value: LINTER.fix(b"", only=value)),
    "Watcher": ("agents", lambda value: Watcher(None, agents=value, warn=print)),  # type: ignore[arg-type]
    "APIClient urls": ("urls", lambda value: APIClient("http://127.0.0.1:9").decide_many(value, agents=[])),
    "APIClient agents": ("agents", lambda value: APIClient("http://127.0.0.1:9").decide_many([], agents=value)),
}


@pytest.mark.parametrize("value", ["Bot", b"Bot", Agent("Bot")], ids=str)
@pytest.mark.parametrize("call", CALLS)
def test_a_single_name_is_not_a_list(call: str, value: object) -> None:
    name, function = CALLS[call]
    with pytest.raises(TypeError) as caught:
        function(value)
    assert str(caught.value) == f"invalid {name} {value!r}: expected a list, such as [{value!r}]"
