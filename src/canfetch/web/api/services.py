"""What the endpoints share: the origins, the worker processes, and reading requests and writing responses.

An `endpoint` with a body is an answer: a function of a module from the bytes of the body and facts to JSON. Validation,
computation and serialisation of all but small requests happen in a process, so that other requests do not wait.
"""

import asyncio
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from enum import Enum
from inspect import getdoc
from typing import Any, Final, NamedTuple

from fastapi import APIRouter
from pydantic import BaseModel
from pydantic_core import to_json
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from canfetch.client.documents import NotFetched, quoted_url
from canfetch.client.identity import IdentityVerifier
from canfetch.client.origin_state import OriginState
from canfetch.core.agent import Agent
from canfetch.core.tokens import product_token
from canfetch.errors import CanfetchError, InvalidURL
from canfetch.web.api.errors import BODY_ERRORS, problem_response
from canfetch.web.api.facts import Facts, IdentityNeeded, Need, StateNeeded, StatesNeeded
from canfetch.web.api.outcomes import Answer, outcome_of
from canfetch.web.origins import Origins
from canfetch.web.server.guard import KEEP_BYTES
from canfetch.web.server.problems import Problem
from canfetch.web.server.shares import Shares
from canfetch.web.server.work_queue import WorkQueue
from canfetch.web.settings import Settings

_JSON: Final = "application/json"
# Of a request with all that was fetched for it. A decision about so few bytes takes less time than sending them to a
# process: at most a few milliseconds, whatever the rules and the URL.
INLINE_BYTES: Final = 16 * 1024
# A key or a value can be invalid, and an error takes longer to describe than to read.
_VALUE_COST: Final = 16
# For the robots.txt files that one request needs.
_FETCHES_AT_A_TIME: Final = 4
# Of the time of a request, for all its fetches together. The rest is for the answer.
_FETCHING_SHARE: Final = 5 / 6


class Services(NamedTuple):
    """The parts of a running server. `verifier` returns what verifies recorded requests, and may raise MissingExtra."""

    settings: Settings
    origins: Origins
    queue: WorkQueue
    streams: Shares
    verifier: Callable[[], IdentityVerifier]

    def facts(self) -> Facts:
        """Return the facts of a new request."""
        return Facts(time.time(), Agent(product_token(self.origins.user_agent)), self.settings.profile)

    def deadline(self) -> float:
        """Return the time of the event loop at which the fetches of a request that begins now are late."""
        return asyncio.get_running_loop().time() + self.settings.timeout * _FETCHING_SHARE

    async def learn(self, need: Need, facts: Facts, *, deadline: float, documents: ExitStack) -> None:
        """Fetch what an answer needs, and add it to the facts. What is late is a failure.

        Args: documents: Closed when the facts are no longer in memory.
        Raises: TooManyFetches, RequestNotSent.
        """
        if isinstance(need, StateNeeded):
            await self.learn_state(need, facts, deadline=deadline)
        elif isinstance(need, StatesNeeded):
            await self._learn_states(need.states, facts, deadline)
        elif isinstance(need, IdentityNeeded):
            seconds = max(deadline - asyncio.get_running_loop().time(), 0.0)
            identity = await self.verifier().verify_recorded_async(
                need.request, need.crawler, at=need.at, timeout=seconds, hosts=need.hosts
            )
            facts.identity = need.crawler, identity
        else:
            facts.responses[need.url] = await self.origins.fetch(need, deadline=deadline, documents=documents)
            facts.response_times[need.url] = time.time()

    async def learn_state(self, need: StateNeeded, facts: Facts, *, deadline: float) -> None:
        """Fetch the robots.txt of an origin, and add its state to the facts. See `learn`."""
        facts.states[need.key] = await self._state(need, deadline)

    async def _state(self, need: StateNeeded, deadline: float) -> OriginState | CanfetchError:
        try:
            return await self.origins.state(need.url, refresh=need.refresh, policy=need.policy, deadline=deadline)
        except InvalidURL as error:
            return error
        except TimeoutError:
            return NotFetched(f"the robots.txt of {quoted_url(need.url)} took too long", "timeout")

    async def _learn_states(self, needs: tuple[StateNeeded, ...], facts: Facts, deadline: float) -> None:
        """Fetch the states of origins side by side.

        Raises: TooManyFetches, RequestNotSent.
        """
        slots = asyncio.Semaphore(_FETCHES_AT_A_TIME)

        async def learn(need: StateNeeded) -> None:
            async with slots:
                facts.states[need.key] = await self._state(need, deadline)

        try:
            async with asyncio.TaskGroup() as group:
                for need in needs:
                    group.create_task(learn(need))
        except BaseExceptionGroup as group_error:
            # The first error is that of the request; the other fetches were cancelled.
            raise group_error.exceptions[0] from None


def services_of(request: Request) -> Services:
    """Return the services of the application."""
    services: Services = request.app.state.services
    return services


def endpoint(
    router: APIRouter,
    path: str,
    body_model: type[BaseModel],
    answer_model: type[BaseModel],
    *,
    summary: str,
    tags: list[str | Enum] | None = None,
    errors: Mapping[int | str, Any] = BODY_ERRORS,
    is_small: bool = False,
) -> Callable[[Answer], Answer]:
    """Return a decorator that makes an answer the endpoint of a POST request, described by its docstring.

    The endpoint answers 415 if the body is not declared as JSON, and otherwise as `respond_to` does. The answer also
    validates the body, which takes no time of the event loop.

    Args: is_small: Whether the answer takes less time than a process costs, if the body and the facts are small.
    """
    schema = {"application/json": {"schema": {"$ref": f"#/components/schemas/{body_model.__name__}"}}}

    def register(answer: Answer) -> Answer:
        async def respond(request: Request) -> Response:
            media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
            if media_type != _JSON and not (media_type.startswith("application/") and media_type.endswith("+json")):
                raise HTTPException(415, "expected the header 'Content-Type: application/json'")
            return await respond_to(request, answer, await request.body(), is_small=is_small)

        router.add_api_route(
            path,
            respond,
            methods=["POST"],
            name=answer.__name__,
            response_model=answer_model,
            tags=tags,
            summary=summary,
            description=getdoc(answer),
            responses=dict(errors),
            openapi_extra={"requestBody": {"required": True, "content": schema}},
        )
        return answer

    return register


async def respond_to(request: Request, answer: Answer, body: bytes, *, is_small: bool = False) -> Response:
    """Return the answer to a body.

    Args: is_small: As for `endpoint`.
    Raises: QueueFull, AnswerTooLarge, TooManyFetches.
    """
    services = services_of(request)
    facts, deadline = services.facts(), services.deadline()
    with ExitStack() as documents:
        while True:
            size = len(body) + facts.size
            if is_small and size <= INLINE_BYTES and json_cost(body) + facts.size <= INLINE_BYTES:
                outcome = outcome_of(answer, body, facts)
            else:
                outcome = await services.queue.run(outcome_of, answer, body, facts, size=size)
            if isinstance(outcome, bytes):
                return counted_response(request, outcome)
            if isinstance(outcome, Problem):
                return problem_response(outcome)
            await services.learn(outcome, facts, deadline=deadline, documents=documents)


def json_cost(body: bytes) -> int:
    """Return how long it takes to read JSON, in bytes of one text without quotation marks, commas and escapes.

    Cost: O(bytes).
    """
    return len(body) + _VALUE_COST * (body.count(b'"') + body.count(b",") + body.count(b"\\"))


def counted_response(request: Request, body: bytes, media_type: str = _JSON) -> Response:
    """Return a response whose body counts among the bytes in memory until the client has read it.

    Raises: HTTPException: The client, or all clients, have too many of them.
    """
    request.scope[KEEP_BYTES](len(body))
    return Response(body, media_type=media_type)


def json_response(value: Any) -> Response:
    """Return a small value as JSON."""
    return Response(to_json(value), media_type=_JSON)
