"""Generated from tables/access.toml by tools/generate_access_tables.py: edit that file, not this one."""

from typing import Final, Literal, NamedTuple, TypedDict, get_args

ContentValue = Literal["rules", "full-allow", "full-disallow", "unreachable"]
ErrorValue = Literal["full-allow", "full-disallow", "unreachable"]
OversizeValue = Literal["truncate", "full-allow", "full-disallow", "unreachable"]
PhaseWithCopyValue = Literal["copy", "full-allow", "full-disallow", "site-decides"]
PhaseWithoutCopyValue = Literal["full-allow", "full-disallow", "site-decides"]


class UnreachablePhase(NamedTuple):
    """What applies from `from_seconds` after the first failure."""

    from_seconds: int
    with_copy: PhaseWithCopyValue
    without_copy: PhaseWithoutCopyValue


class PolicySettings(TypedDict, total=False):
    """The settings of an access policy, as keyword arguments."""

    other_success: ContentValue
    partial_content: ContentValue
    unauthorized: ErrorValue
    too_many_requests: ErrorValue
    client_error: ErrorValue
    server_error: ErrorValue
    misconfigured_server_error: ErrorValue
    misconfigured_origins: tuple[str, ...]
    other_status: ErrorValue
    network_error: ErrorValue
    redirect_limit: int
    redirect_overflow: ErrorValue
    unfollowable_redirect: ErrorValue
    oversize: OversizeValue
    not_robots: ContentValue
    while_unreachable: tuple[UnreachablePhase, ...]
    default_freshness: int
    max_freshness: int
    min_freshness: int


class PolicyValues(NamedTuple):
    """The name, the summary and the settings of an access policy."""

    name: str
    summary: str
    other_success: ContentValue
    partial_content: ContentValue
    unauthorized: ErrorValue
    too_many_requests: ErrorValue
    client_error: ErrorValue
    server_error: ErrorValue
    misconfigured_server_error: ErrorValue
    misconfigured_origins: tuple[str, ...]
    other_status: ErrorValue
    network_error: ErrorValue
    redirect_limit: int
    redirect_overflow: ErrorValue
    unfollowable_redirect: ErrorValue
    oversize: OversizeValue
    not_robots: ContentValue
    while_unreachable: tuple[UnreachablePhase, ...]
    default_freshness: int
    max_freshness: int
    min_freshness: int


# The values that each setting can have.
CHOICES: Final[dict[str, tuple[str, ...]]] = {
    "other_success": get_args(ContentValue),
    "partial_content": get_args(ContentValue),
    "unauthorized": get_args(ErrorValue),
    "too_many_requests": get_args(ErrorValue),
    "client_error": get_args(ErrorValue),
    "server_error": get_args(ErrorValue),
    "misconfigured_server_error": get_args(ErrorValue),
    "other_status": get_args(ErrorValue),
    "network_error": get_args(ErrorValue),
    "redirect_overflow": get_args(ErrorValue),
    "unfollowable_redirect": get_args(ErrorValue),
    "oversize": get_args(OversizeValue),
    "not_robots": get_args(ContentValue),
}
RANGES: Final[dict[str, tuple[int, int]]] = {
    "redirect_limit": (0, 50),
    "default_freshness": (0, 2_592_000),
    "max_freshness": (0, 2_592_000),
    "min_freshness": (0, 2_592_000),
}
WITH_COPY: Final = get_args(PhaseWithCopyValue)
WITHOUT_COPY: Final = get_args(PhaseWithoutCopyValue)
MAX_PHASE_SECONDS: Final = 31_536_000
MAX_ORIGINS: Final = 100

_RFC9309: Final = PolicyValues(
    name="rfc9309",
    summary="RFC 9309. Where the RFC is silent or allows a choice, canfetch's choice is marked as such.",
    other_success="rules",
    partial_content="unreachable",
    unauthorized="full-allow",
    too_many_requests="unreachable",
    client_error="full-allow",
    server_error="unreachable",
    misconfigured_server_error="unreachable",
    misconfigured_origins=(),
    other_status="unreachable",
    network_error="unreachable",
    redirect_limit=5,
    redirect_overflow="full-allow",
    unfollowable_redirect="unreachable",
    oversize="truncate",
    not_robots="rules",
    while_unreachable=(UnreachablePhase(0, "copy", "full-disallow"), UnreachablePhase(2_592_000, "full-disallow", "full-disallow")),
    default_freshness=86_400,
    max_freshness=86_400,
    min_freshness=300,
)
POLICIES: Final[dict[str, PolicyValues]] = {
    "rfc9309": _RFC9309,
    "google": _RFC9309._replace(
        name="google",
        summary="Google's current documentation.",
        while_unreachable=(UnreachablePhase(0, "full-disallow", "full-disallow"), UnreachablePhase(43_200, "copy", "full-allow"), UnreachablePhase(2_592_000, "site-decides", "site-decides")),
    ),
    "google2019": _RFC9309._replace(
        name="google2019",
        summary="Google's documentation of 2019/20.",
        too_many_requests="full-allow",
        misconfigured_server_error="full-allow",
        unfollowable_redirect="full-allow",
        while_unreachable=(UnreachablePhase(0, "full-disallow", "full-disallow"), UnreachablePhase(2_592_000, "copy", "full-allow")),
        max_freshness=604_800,
    ),
    "yandex": _RFC9309._replace(
        name="yandex",
        summary="Yandex's documentation: any status other than 200 means that everything is allowed.",
        other_success="full-allow",
        partial_content="full-allow",
        too_many_requests="full-allow",
        server_error="full-allow",
        misconfigured_server_error="full-allow",
        other_status="full-allow",
        unfollowable_redirect="full-allow",
        oversize="full-allow",
        not_robots="full-allow",
    ),
    "draft1996": _RFC9309._replace(
        name="draft1996",
        summary="The Internet draft of 1996, draft-koster-robots-00.",
        unauthorized="full-disallow",
        redirect_limit=20,
        default_freshness=604_800,
        max_freshness=604_800,
    ),
}
