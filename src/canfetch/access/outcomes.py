"""Fetch outcomes: how an access policy interprets responses and failures.

Source: RFC 9309 section 2.3.1; the sources of the other policies.
"""

from collections.abc import Callable
from enum import StrEnum
from typing import Final, NamedTuple

from canfetch.access.policies import AccessPolicy
from canfetch.access.responses import NOT_CONNECTED, Failure, FailureKind, Response
from canfetch.core.content_formats import foreign_content_note
from canfetch.core.redaction import redact_credentials_in
from canfetch.core.text import printable_text
from canfetch.core.verdict import Access, Effect


class OutcomeKind(StrEnum):
    """The kind of result of a fetch. Each policy has a setting with the same name for most kinds."""

    SUCCESS = "success"  # 200, which every policy treats alike
    NOT_MODIFIED = "not_modified"  # 304 to a conditional request
    OTHER_SUCCESS = "other_success"
    PARTIAL_CONTENT = "partial_content"
    UNAUTHORIZED = "unauthorized"
    TOO_MANY_REQUESTS = "too_many_requests"
    CLIENT_ERROR = "client_error"
    SERVER_ERROR = "server_error"
    MISCONFIGURED_SERVER_ERROR = "misconfigured_server_error"
    OTHER_STATUS = "other_status"
    NETWORK_ERROR = "network_error"
    REDIRECT_OVERFLOW = "redirect_overflow"
    UNFOLLOWABLE_REDIRECT = "unfollowable_redirect"
    OVERSIZE = "oversize"
    NOT_ROBOTS = "not_robots"  # any status with a body that counts, such as 200
    OFFLINE = "offline"  # no request was sent and nothing is cached


# A failure of these kinds shows that a server accepted the connection, except for a timeout before that.
_AFTER_CONNECTING: Final = (
    FailureKind.RESET,
    FailureKind.INCOMPLETE,
    FailureKind.PROTOCOL,
    FailureKind.ENCODING,
    FailureKind.TIMEOUT,
)


class Outcome(NamedTuple):
    """How an access policy interprets one fetch.

    Attributes:
        access: The result in the terms of the RFC.
        effect: What the outcome permits. None if the origin is unreachable, because then the duration of the failure
            and the last good copy decide.
        kind: The kind of result, which selects the setting of the policy.
        detail: What happened, such as `status 404`.
    """

    access: Access
    effect: Effect | None
    kind: OutcomeKind
    detail: str

    @property
    def failure_kind(self) -> FailureKind | None:
        """Why there was no response, or None."""
        if self.kind is not OutcomeKind.NETWORK_ERROR:
            return None
        # The detail starts with the kind of the failure.
        kind = self.detail.partition(":")[0]
        return FailureKind(kind) if kind in list(FailureKind) else None

    @property
    def reached_server(self) -> bool:
        """Whether a server accepted the connection of a request that has no response."""
        return self.failure_kind in _AFTER_CONNECTING and not self.detail.partition(": ")[2].startswith(NOT_CONNECTED)


# The effects that an outcome can have, by its access.
EFFECTS: Final = {
    Access.SUCCESSFUL: (Effect.CONDITIONAL_ALLOW,),
    Access.UNAVAILABLE: (Effect.FULL_ALLOW, Effect.FULL_DISALLOW),
    Access.UNREACHABLE: (None,),
}
_RULES: Final = "rules"
_TRUNCATE: Final = "truncate"
_BY_POLICY_VALUE: Final = {
    _RULES: (Access.SUCCESSFUL, Effect.CONDITIONAL_ALLOW),
    "full-allow": (Access.UNAVAILABLE, Effect.FULL_ALLOW),
    "full-disallow": (Access.UNAVAILABLE, Effect.FULL_DISALLOW),
    "unreachable": (Access.UNREACHABLE, None),
}
_POLICY_VALUE: Final[dict[OutcomeKind, Callable[[AccessPolicy], str]]] = {
    OutcomeKind.OTHER_SUCCESS: lambda policy: policy.other_success,
    OutcomeKind.PARTIAL_CONTENT: lambda policy: policy.partial_content,
    OutcomeKind.UNAUTHORIZED: lambda policy: policy.unauthorized,
    OutcomeKind.TOO_MANY_REQUESTS: lambda policy: policy.too_many_requests,
    OutcomeKind.CLIENT_ERROR: lambda policy: policy.client_error,
    OutcomeKind.SERVER_ERROR: lambda policy: policy.server_error,
    OutcomeKind.MISCONFIGURED_SERVER_ERROR: lambda policy: policy.misconfigured_server_error,
    OutcomeKind.OTHER_STATUS: lambda policy: policy.other_status,
    OutcomeKind.NETWORK_ERROR: lambda policy: policy.network_error,
    OutcomeKind.REDIRECT_OVERFLOW: lambda policy: policy.redirect_overflow,
    OutcomeKind.UNFOLLOWABLE_REDIRECT: lambda policy: policy.unfollowable_redirect,
    OutcomeKind.OVERSIZE: lambda policy: policy.oversize,
    OutcomeKind.NOT_ROBOTS: lambda policy: policy.not_robots,
}
_BY_STATUS: Final = {
    200: OutcomeKind.SUCCESS,
    206: OutcomeKind.PARTIAL_CONTENT,
    304: OutcomeKind.OTHER_STATUS,
    401: OutcomeKind.UNAUTHORIZED,
    403: OutcomeKind.UNAUTHORIZED,
    429: OutcomeKind.TOO_MANY_REQUESTS,
}
_BY_STATUS_CLASS: Final = {
    2: OutcomeKind.OTHER_SUCCESS,
    3: OutcomeKind.UNFOLLOWABLE_REDIRECT,
    4: OutcomeKind.CLIENT_ERROR,
    5: OutcomeKind.SERVER_ERROR,
}


def make_outcome(policy: AccessPolicy, kind: OutcomeKind, detail: str) -> Outcome:
    """Return the outcome that a policy defines for a kind of result. Unprintable characters of `detail` are escaped."""
    access, effect = _BY_POLICY_VALUE[_POLICY_VALUE[kind](policy)]
    return Outcome(access, effect, kind, printable_text(detail))


def classify_status(status: int, *, misconfigured: bool = False) -> OutcomeKind:
    """Return the kind of result that a status code is.

    Args:
        misconfigured: Whether the site is known to respond with 5xx for every missing page.
    """
    kind = _BY_STATUS.get(status) or _BY_STATUS_CLASS.get(status // 100, OutcomeKind.OTHER_STATUS)
    return OutcomeKind.MISCONFIGURED_SERVER_ERROR if misconfigured and kind is OutcomeKind.SERVER_ERROR else kind


def evaluate_response(
    response: Response, policy: AccessPolicy, *, max_bytes: int, misconfigured: bool = False
) -> Outcome:
    """Interpret a response that is not a redirect.

    Args:
        max_bytes: The parsing limit. The policy defines whether a longer body is truncated or invalid.
        misconfigured: Whether the site is known to respond with 5xx for every missing page.
    Source: RFC 9309 sections 2.3.1.1 to 2.3.1.4 and 2.5.
    """
    kind = classify_status(response.status, misconfigured=misconfigured)
    if kind is not OutcomeKind.SUCCESS and _POLICY_VALUE[kind](policy) != _RULES:
        return make_outcome(policy, kind, f"status {response.status}")
    if len(response.body) > max_bytes and policy.oversize != _TRUNCATE:
        return make_outcome(policy, OutcomeKind.OVERSIZE, f"more than {max_bytes:,} bytes")
    return evaluate_content(response.body, policy, kind, f"status {response.status}")


def evaluate_content(content: bytes, policy: AccessPolicy, kind: OutcomeKind, detail: str) -> Outcome:
    """Interpret the content of a successful response, which can be an error page instead of a robots.txt.

    Args:
        kind: The kind of result if the content can be a robots.txt.
        detail: What happened, such as `status 200`.
    Cost: O(1) for content that starts like text, otherwise O(bytes).
    """
    note = foreign_content_note(content)
    if note is not None:
        return make_outcome(policy, OutcomeKind.NOT_ROBOTS, f"{detail}, but {note}")
    return Outcome(Access.SUCCESSFUL, Effect.CONDITIONAL_ALLOW, kind, detail)


def evaluate_failure(failure: Failure, policy: AccessPolicy) -> Outcome:
    """Interpret a request that failed."""
    return make_outcome(policy, OutcomeKind.NETWORK_ERROR, f"{failure.kind}: {redact_credentials_in(failure.detail)}")
