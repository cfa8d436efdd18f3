"""Checks origins, records what changed, and sends messages about it."""

import time
from collections.abc import Callable, Sequence
from typing import Any, Final

from canfetch.client.origin_state import OriginState
from canfetch.client.watch.behaviour import change_json, compare
from canfetch.client.watch.history import Version, WatchHistory
from canfetch.client.watch.observations import Observation
from canfetch.client.watch.webhooks import Webhook
from canfetch.core.agent import Agent

# Messages that are sent at a time, so that checks are not delayed for long.
_MAX_MESSAGES: Final = 100


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

    def send_messages(self) -> None:
        """Send the messages that are due. Those that fail are sent again later.

        Raises: StoreError.
        """
        if self._webhook is None:
            return
        for _ in range(_MAX_MESSAGES):
            message = self._history.claim_message(now=self._clock())
            if message is None:
                return
            attempt = self._webhook.send(message.id, message.body, now=self._clock())
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
