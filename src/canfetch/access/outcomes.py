"""The outcome of fetching a robots.txt, and what it means by itself.

Source: RFC 9309 section 2.3.1; the access policies for the others.
"""

from enum import StrEnum
from typing import Final, NamedTuple

from canfetch.access.policies import AccessPolicy
from canfetch.access.responses import Failure, Response


class Access(StrEnum):
    """The outcome of fetching robots.txt: sections 2.3.1.1, 2.3.1.3 and 2.3.1.4."""

    SUCCESSFUL = "successful"
    UNAVAILABLE = "unavailable"
    UNREACHABLE = "unreachable"


class Effect(StrEnum):
    """What an outcome does: everything is allowed, nothing is, or the file's rules say."""

    FULL_ALLOW = "full-allow"
    FULL_DISALLOW = "full-disallow"
    CONDITIONAL_ALLOW = "conditional-allow"


class Outcome(NamedTuple):
    """The outcome of one fetch: access, the cell of the policy that decided, and what happened.

    `effect` is None for an unreachable origin: there, time and a copy decide.
    """

    access: Access
    effect: Effect | None
    cell: str
    detail: str


# What an access may come to by itself.
EFFECTS: Final = {
    Access.SUCCESSFUL: (Effect.CONDITIONAL_ALLOW,),
    Access.UNAVAILABLE: (Effect.FULL_ALLOW, Effect.FULL_DISALLOW),
    Access.UNREACHABLE: (None,),
}
_BY_VALUE = {
    "rules": (Access.SUCCESSFUL, Effect.CONDITIONAL_ALLOW),
    "full-allow": (Access.UNAVAILABLE, Effect.FULL_ALLOW),
    "full-disallow": (Access.UNAVAILABLE, Effect.FULL_DISALLOW),
    "unreachable": (Access.UNREACHABLE, None),
}


def outcome_in_cell(policy: AccessPolicy, cell: str, detail: str) -> Outcome:
    """Give the outcome that a cell of the policy names."""
    access, effect = _BY_VALUE[getattr(policy, cell)]
    return Outcome(access, effect, cell, detail)


def cell_of_status(status: int, *, misconfigured: bool = False) -> str | None:
    """Name the cell that decides about a status, or None for 200, which every policy reads alike."""
    if status == 200:
        return None
    if status == 206:
        return "partial_content"
    if status in (401, 403):
        return "authorization"
    if status == 429:
        return "too_many_requests"
    by_class = {
        2: "other_success",
        3: "unfollowable_redirect",
        4: "client_error",
        5: "misconfigured_server_error" if misconfigured else "server_error",
    }
    return "other_status" if status == 304 else by_class.get(status // 100, "other_status")


def outcome_of_response(
    response: Response, policy: AccessPolicy, *, max_bytes: int, misconfigured: bool = False
) -> Outcome:
    """Say what a response that is no redirect means.

    Args:
        max_bytes: the parsing limit; a body over it is cut or makes the file void, as the policy says.
        misconfigured: the site is known to answer 5xx for every missing page.
    Source: RFC 9309 sections 2.3.1.1 to 2.3.1.4 and 2.5.
    """
    cell = cell_of_status(response.status, misconfigured=misconfigured)
    if cell is not None and getattr(policy, cell) != "rules":
        return outcome_in_cell(policy, cell, f"status {response.status}")
    if len(response.body) > max_bytes and policy.oversize != "cut":
        return outcome_in_cell(policy, "oversize", f"over {max_bytes} octets")
    return Outcome(Access.SUCCESSFUL, Effect.CONDITIONAL_ALLOW, cell or "success", f"status {response.status}")


def outcome_of_failure(failure: Failure, policy: AccessPolicy) -> Outcome:
    """Say what a failure means."""
    return outcome_in_cell(policy, "network_error", f"{failure.kind}: {failure.detail}")
