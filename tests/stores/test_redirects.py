"""The access cases about redirects to the robots.txt of another origin: in memory and in every store."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from tests.access.conftest import load_cases
from tests.access.scripted_web import AsyncScriptedWeb, ScriptedWeb

from canfetch.client.async_client import AsyncClient
from canfetch.client.stores import Store
from canfetch.client.sync_client import Client

CASES = load_cases("redirects.toml")
HOUR = 3600.0


def check_step(web: ScriptedWeb, step: dict[str, Any], is_open: bool, is_forbidden: bool) -> None:  # noqa: FBT001 - verdicts
    assert (is_open, is_forbidden, web.urls) == (step["open"], step["forbidden"], step["requests"]), step


def run_case(case: dict[str, Any], store: Store | None, *, is_new_client: bool) -> None:
    now = [0.0]
    web = ScriptedWeb(case["responses"])

    def new_client() -> Client:
        # Not closed, because that would close the store.
        return Client(
            user_agent="ExampleBot/1.0",
            policy=case["policy"],
            revalidate=case.get("revalidate", False),
            transport=web,
            store=store,
            clock=lambda: now[0],
        )

    client = new_client()
    for step in case["steps"]:
        now[0] = step["at_hours"] * HOUR
        web.responses |= step.get("responses", {})
        client = new_client() if is_new_client else client
        check_step(web, step, client.allows(f"{step['origin']}/open"), client.allows(f"{step['origin']}/forbidden"))


def run_case_async(case: dict[str, Any], store: Store | None, *, is_new_client: bool) -> None:
    async def run() -> None:
        now = [0.0]
        web = AsyncScriptedWeb(case["responses"])

        def new_client() -> AsyncClient:
            return AsyncClient(
                user_agent="ExampleBot/1.0",
                policy=case["policy"],
                revalidate=case.get("revalidate", False),
                transport=web,
                store=store,
                clock=lambda: now[0],
            )

        client = new_client()
        for step in case["steps"]:
            now[0] = step["at_hours"] * HOUR
            web.responses |= step.get("responses", {})
            client = new_client() if is_new_client else client
            origin = step["origin"]
            check_step(web, step, await client.allows(f"{origin}/open"), await client.allows(f"{origin}/forbidden"))

    asyncio.run(run())


RUNNERS = pytest.mark.parametrize("run", [run_case, run_case_async], ids=["sync", "async"])
PARAMETERS = pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])


@RUNNERS
@PARAMETERS
def test_access_case_of_redirects_in_memory(case: dict[str, Any], run: Callable[..., None]) -> None:
    run(case, None, is_new_client=False)


@RUNNERS
@PARAMETERS
def test_access_case_of_redirects_in_a_store(store: Store, case: dict[str, Any], run: Callable[..., None]) -> None:
    run(case, store, is_new_client=True)
