"""The access cases about redirects to the robots.txt of another origin: in memory and in every store."""

from typing import Any

import pytest
from tests.access.conftest import load_cases
from tests.access.scripted_web import ScriptedWeb
from tests.client.either import BOTH, EitherClient

from canfetch.client.stores import Store

CASES = load_cases("redirects.toml")
HOUR = 3600.0


def run_case(case: dict[str, Any], kind: str, store: Store | None, *, is_new_client: bool) -> None:
    now = [0.0]
    web = ScriptedWeb(case["responses"])

    def new_client() -> EitherClient:
        # Not closed, because that would close the store.
        return EitherClient(
            kind,
            web,
            policy=case["policy"],
            revalidate=case.get("revalidate", False),
            store=store,
            clock=lambda: now[0],
        )

    client = new_client()
    for step in case["steps"]:
        now[0] = step["at_hours"] * HOUR
        web.responses |= step.get("responses", {})
        client = new_client() if is_new_client else client
        allowed = [client.allows(f"{step['origin']}/{page}") for page in ("open", "forbidden")]
        assert (*allowed, web.urls) == (step["open"], step["forbidden"], step["requests"]), step


PARAMETERS = pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])


@BOTH
@PARAMETERS
def test_access_case_of_redirects_in_memory(case: dict[str, Any], kind: str) -> None:
    run_case(case, kind, None, is_new_client=False)


@BOTH
@PARAMETERS
def test_access_case_of_redirects_in_a_store(store: Store, case: dict[str, Any], kind: str) -> None:
    run_case(case, kind, store, is_new_client=True)
