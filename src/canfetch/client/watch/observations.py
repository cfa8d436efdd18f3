"""What was observed at an origin at one time, reduced to what it permits."""

from hashlib import sha256
from typing import Final, NamedTuple, Self

from canfetch.client.origin_state import OriginState
from canfetch.core.document import RobotsTxt, parse
from canfetch.core.redaction import redact_credentials_in
from canfetch.core.verdict import Effect

# Files that mean the same as a response without rules.
_RULES_OF_EFFECTS: Final = {Effect.FULL_ALLOW: b"", Effect.FULL_DISALLOW: b"User-agent: *\nDisallow: /\n"}


class Observation(NamedTuple):
    """The state of an origin at one time.

    Attributes:
        origin: The origin, such as `https://example.com`.
        at: Seconds since the epoch.
        effect: What the response permits.
        status: The status of the last response, or None if there was none.
        explanation: Why it has this effect, as a sentence.
        content: The file whose rules apply, or None.
    """

    origin: str
    at: float
    effect: Effect
    status: int | None
    explanation: str
    content: bytes | None

    @classmethod
    def of_state(cls, state: OriginState, now: float) -> Self:
        """Return what the state of an origin in a client permits now."""
        effective = state.effective_access(now)
        content = None if effective.copy is None else effective.copy.content
        explanation = redact_credentials_in(effective.explanation)
        return cls(str(state.origin), now, effective.effect, state.entry.status, explanation, content)

    @property
    def sha256(self) -> str | None:
        """The hash of the file in hexadecimal digits, or None."""
        return None if self.content is None else sha256(self.content).hexdigest()

    def robots(self, profile: str) -> RobotsTxt:
        """Return a file that permits the same: the file itself, or one that allows or disallows everything."""
        content = _RULES_OF_EFFECTS.get(self.effect)
        return parse(self.content or b"" if content is None else content, profile=profile)
