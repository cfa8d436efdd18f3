"""Checks origins, records what changed, and sends messages about it."""

import time
from collections.abc import Callable, Sequence
from functools import partial
from math import inf
from typing import Any, Final, NamedTuple

from canfetch.client.origin_state import OriginState
from canfetch.client.request_headers import is_foreign
from canfetch.client.sync_client import Client
from canfetch.client.transports.daemon_threads import start_daemon_thread
from canfetch.client.watch.history import Message, Version, WatchHistory
from canfetch.client.watch.observations import Observation
from canfetch.client.watch.webhooks import Attempt, Webhook
from canfetch.compare import Change, diff
from canfetch.core.agent import Agent
from canfetch.core.document import RobotsTxt
from canfetch.core.lists import check_list
from canfetch.core.times import rfc3339
from canfetch.errors import InvalidProductToken, Undecided

# Messages that are sent at the same time, each in a thread.
MAX_PARALLEL_MESSAGES: Final = 16
# After this time no more messages are started, so that a slow receiver does not delay the next checks.
_SENDING_SECONDS: Final = 30.0


class Watcher:
    """Compares what origins permit with what they permitted before.

    Args:
        history: Where versions are recorded.
        agents: The agents whose access is compared. Without any, all that a file names, and one that it does not name.
        profile: How files are parsed.
        webhook: Where changes are sent, or None.
        warn: Called with a line about an origin that does not respond at its first check, or about a message that
            could not be sent.
        clock: Returns seconds since the epoch.
    """

    def __init__(
        self,
        history: WatchHistory,
        *,
        agents: Sequence[Agent] = (),
        profile: str = "rfc9309",
        webhook: Webhook | None = None,
        warn: Callable[[str], None],
        clock: Callable[[], float] = time.time,
    ) -> None:
        check_list("agents", agents)
        self._history = history
        self._agents = tuple(agents)
        self._profile = profile
        self._webhook = webhook
        self._warn = warn
        self._clock = clock

    def record(self, state: OriginState) -> dict[str, Any] | None:
        """Record what an origin permits now.

        Returns: The report on a change of behaviour, or None: nothing changed, or only the text, or the origin is new.
        Raises: StoreError.
        """
        observed = Observation.of_state(state, self._clock())
        while True:
            previous = self._history.last_version(observed.origin)
            if previous is not None and _is_same(previous, observed):
                self._history.record_check(observed.origin, now=observed.at)
                return None
            if previous is None and observed.status is None:
                self._warn(f"no response at the first check of {observed.origin}: {observed.explanation}")
            report = None if previous is None else self._report(previous.observation, observed)
            if self._history.record(observed, previous=previous, change=report, sends=self._webhook is not None):
                return report

    def record_files(self, state: OriginState, client: Client) -> None:
        """Record what else a site states on uses: its tdmrep.json, and the first three licenses that robots.txt names.

        Args:
            state: The state of the origin.
            client: The client that fetches them.
        Raises: StoreError, RequestNotSent.
        """
        # Most watchers parse no licenses.
        from canfetch.client.use import MAX_LICENSES, tdm_file_step  # noqa: PLC0415
        from canfetch.consent.decision import named_licenses  # noqa: PLC0415

        tdm_url = tdm_file_step(str(state.origin)).url
        self._history.record_file(tdm_url, client.tdm_file(tdm_url), now=self._clock())
        if state.file is not None:
            for url in named_licenses(state.file.parse())[:MAX_LICENSES]:
                file = client.license_file(url, cross_origin=is_foreign(url, [state.origin]))
                self._history.record_file(url, file, now=self._clock())

    def send_messages(self, *, until: float = inf) -> None:
        """Send the messages that are due, each once, several at the same time. Those that fail are sent again later.

        Args: until: When no more messages are started, in seconds since the epoch. The first ones are always started.
        Raises: StoreError.
        """
        if self._webhook is None:
            return
        start = self._clock()
        until = min(until, start + _SENDING_SECONDS)
        while messages := self._history.claim_messages(due_at=start, now=self._clock(), limit=MAX_PARALLEL_MESSAGES):
            self._send(messages, self._webhook)
            if self._clock() >= until:
                return

    def _send(self, messages: Sequence[Message], webhook: Webhook) -> None:
        send = partial(webhook.send, now=self._clock())
        futures = [
            start_daemon_thread(partial(send, message.id, message.body), name="canfetch-webhook")
            for message in messages
        ]
        for message, future in zip(messages, futures, strict=True):
            try:
                attempt = future.result()
            except RuntimeError as error:
                # No thread is available.
                attempt = Attempt(delivered=False, reason=str(error))
            retries = self._history.record_attempt(message, attempt, now=self._clock())
            if not attempt.delivered:
                end = "it will be sent again" if retries else "it is not sent again"
                self._warn(f"the webhook did not accept {message.id} ({attempt.reason}): {end}")

    def _report(self, before: Observation, after: Observation) -> dict[str, Any] | None:
        change = compare(before, after, agents=self._agents, profile=self._profile)
        return change_json(before, after, change) if change else None


def _is_same(version: Version, observed: Observation) -> bool:
    before = version.observation
    return (before.effect, before.content) == (observed.effect, observed.content)


CHANGE_SCHEMA: Final = "canfetch.change/1"
# A token that no file names. It represents all crawlers without a group of their own.
_OTHERS: Final = Agent("*")
_MAX_AGENTS: Final = 1_000
_MAX_EXAMPLES: Final = 10


class BehaviourChange(NamedTuple):
    """The result of comparing two observations.

    Attributes:
        changes: What changes for which agents. Empty if nothing does.
        undecided: Why the files could not be compared, or None.
    """

    changes: tuple[Change, ...]
    undecided: str | None = None

    def __bool__(self) -> bool:
        return bool(self.changes) or self.undecided is not None


def compare(before: Observation, after: Observation, *, agents: Sequence[Agent], profile: str) -> BehaviourChange:
    """Return what changed for some agents.

    Args: agents: The agents. Without any, all that one of the files names, and one that neither names.
    Cost: As `canfetch.compare.diff`.
    """
    old, new = before.robots(profile), after.robots(profile)
    try:
        return BehaviourChange(tuple(diff(old, new, agents=agents or _named_agents(old, new))))
    except Undecided as error:
        return BehaviourChange((), str(error))


def _named_agents(*files: RobotsTxt) -> list[Agent]:
    agents = {_OTHERS: None}
    for robots in files:
        for group in robots.groups:
            for token in group.tokens:
                if len(agents) == _MAX_AGENTS:
                    return list(agents)
                try:
                    agents.setdefault(Agent(token))
                except InvalidProductToken:
                    # No crawler has such a name.
                    continue
    return list(agents)


def change_json(before: Observation, after: Observation, change: BehaviourChange) -> dict[str, Any]:
    """Return a change with schema `canfetch.change/1`."""
    return {
        "schema": CHANGE_SCHEMA,
        "origin": after.origin,
        "at": rfc3339(after.at),
        "before": _observation_json(before),
        "after": _observation_json(after),
        "changes": [
            {
                "agents": [name_of(agent) for agent in one.agents],
                "newly_disallowed": one.newly_disallowed.to_dict(max_examples=_MAX_EXAMPLES),
                "newly_allowed": one.newly_allowed.to_dict(max_examples=_MAX_EXAMPLES),
            }
            for one in change.changes
        ],
        "undecided": change.undecided,
    }


def name_of(agent: Agent) -> str:
    """Return the name of an agent in reports."""
    return agent.tokens[0]


def _observation_json(observation: Observation) -> dict[str, Any]:
    return {
        "at": rfc3339(observation.at),
        "effect": str(observation.effect),
        "status": observation.status,
        "explanation": observation.explanation,
        "sha256": observation.sha256,
    }
