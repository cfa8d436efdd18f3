"""What the endpoints share: the origins, the worker processes, and reading requests and writing responses.

An endpoint with a body is an answer: a function of a module from the bytes of the body and facts to JSON. Validation,
computation and serialisation of all but small requests happen in a process, so that they hold up nobody else.
"""

import asyncio
from typing import Any, Final, NamedTuple

from pydantic_core import to_json
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from canfetch.client.documents import NotFetched, quoted_url
from canfetch.client.origin_state import OriginState
from canfetch.core.agent import Agent
from canfetch.core.tokens import product_token
from canfetch.errors import CanfetchError, InvalidURL
from canfetch.web.api.errors import problem_response
from canfetch.web.api.facts import Facts, Need, StateNeeded, StatesNeeded
from canfetch.web.api.outcomes import Answer, outcome_of
from canfetch.web.documents import fetch
from canfetch.web.origins import Origins
from canfetch.web.server.guard import KEEP_BYTES
from canfetch.web.server.problems import Problem
from canfetch.web.server.work_queue import WorkQueue
from canfetch.web.settings import Settings

_JSON: Final = "application/json"
# Of a request with all that was fetched for it. A decision about so few bytes takes less time than sending them to a
# process: at most a few milliseconds, whatever the rules and the URL.
INLINE_BYTES: Final = 16 * 1024
# For the robots.txt files that one request needs.
_FETCHES_AT_A_TIME: Final = 4
_STATES_SECONDS: Final = 30.0


class Services(NamedTuple):
    """The parts of a running server."""

    settings: Settings
    origins: Origins
    queue: WorkQueue

    def facts(self) -> Facts:
        """Return the facts of a new request."""
        return Facts(self.origins.clock(), Agent(product_token(self.origins.user_agent)), self.settings.profile)

    async def learn(self, need: Need, facts: Facts) -> None:
        """Fetch what an answer needs, and add it to the facts.

        Raises: TooManyFetches, RequestNotSent.
        """
        if isinstance(need, StateNeeded):
            facts.states[need.key] = await self._state(need)
        elif isinstance(need, StatesNeeded):
            await self._learn_states(need.states, facts)
        else:
            facts.responses[need.url] = await fetch(self.origins, need)

    async def _state(self, need: StateNeeded) -> OriginState | CanfetchError:
        try:
            return await self.origins.state(need.url, refresh=need.refresh, policy=need.policy)
        except InvalidURL as error:
            return error

    async def _learn_states(self, needs: tuple[StateNeeded, ...], facts: Facts) -> None:
        """Fetch the states of several origins. Those that take too long are errors.

        Raises: TooManyFetches, RequestNotSent.
        """
        slots = asyncio.Semaphore(_FETCHES_AT_A_TIME)

        async def learn(need: StateNeeded) -> None:
            async with slots:
                facts.states[need.key] = await self._state(need)

        try:
            async with asyncio.timeout(_STATES_SECONDS), asyncio.TaskGroup() as group:
                for need in needs:
                    group.create_task(learn(need))
        except TimeoutError:
            for need in needs:
                late = NotFetched(f"the robots.txt of {quoted_url(need.url)} took too long", "timeout")
                facts.states.setdefault(need.key, late)
        except BaseExceptionGroup as group_error:
            # The first error is that of the request; the other fetches were cancelled.
            raise group_error.exceptions[0] from None


def services_of(request: Request) -> Services:
    """Return the services of the application."""
    services: Services = request.app.state.services
    return services


async def respond(request: Request, answer: Answer, *, is_small: bool = False) -> Response:
    """Return the answer to the body of a request.

    Args: is_small: Whether the answer takes less time than a process costs, if the body and the facts are small.
    Raises: QueueFull, AnswerTooLarge, TooManyFetches; HTTPException: The body is not declared as JSON.
    """
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type != _JSON and not (media_type.startswith("application/") and media_type.endswith("+json")):
        raise HTTPException(415, "expected the header 'Content-Type: application/json'")
    return await respond_to(request, answer, await request.body(), is_small=is_small)


async def respond_to(request: Request, answer: Answer, body: bytes, *, is_small: bool = False) -> Response:
    """Return the answer to a body. See `respond`."""
    services = services_of(request)
    facts = services.facts()
    while True:
        if is_small and len(body) + facts.size <= INLINE_BYTES:
            outcome = outcome_of(answer, body, facts)
        else:
            outcome = await services.queue.run(outcome_of, answer, body, facts)
        if isinstance(outcome, bytes):
            request.scope[KEEP_BYTES](len(outcome))
            return Response(outcome, media_type=_JSON)
        if isinstance(outcome, Problem):
            return problem_response(outcome)
        await services.learn(outcome, facts)


def json_response(value: Any, status: int = 200) -> Response:
    """Return a small value as JSON."""
    return Response(to_json(value), status_code=status, media_type=_JSON)
