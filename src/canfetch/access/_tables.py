"""Generated from tables/access.toml by tools/generate_access_tables.py: edit that file, not this one."""

from typing import Final, NamedTuple


class Phase(NamedTuple):
    """What applies from `from_seconds` after the first failure."""

    from_seconds: int
    with_copy: str
    without_copy: str


class Provenance(NamedTuple):
    """The source of a value, and how binding the source is."""

    level: str
    source: str


class AccessPolicy(NamedTuple):
    """One way to react to status codes, failures and age: an immutable set of values."""

    name: str
    summary: str
    other_success: str
    partial_content: str
    authorization: str
    too_many_requests: str
    client_error: str
    server_error: str
    misconfigured_server_error: str
    other_status: str
    network_error: str
    redirect_limit: int
    redirect_overflow: str
    unfollowable_redirect: str
    oversize: str
    while_unreachable: tuple[Phase, ...]
    default_freshness: int
    max_freshness: int
    min_freshness: int


POLICIES: Final[dict[str, AccessPolicy]] = {
    "rfc9309": AccessPolicy(
        name="rfc9309",
        summary="RFC 9309. Where the RFC is silent or allows a choice, canfetch's choice is marked as such.",
        other_success="rules",
        partial_content="unreachable",
        authorization="full-allow",
        too_many_requests="unreachable",
        client_error="full-allow",
        server_error="unreachable",
        misconfigured_server_error="unreachable",
        other_status="unreachable",
        network_error="unreachable",
        redirect_limit=5,
        redirect_overflow="full-allow",
        unfollowable_redirect="unreachable",
        oversize="truncate",
        while_unreachable=(Phase(0, "copy", "full-disallow"), Phase(2_592_000, "full-disallow", "full-disallow")),
        default_freshness=86_400,
        max_freshness=86_400,
        min_freshness=300,
    ),
    "google": AccessPolicy(
        name="google",
        summary="Google's current documentation.",
        other_success="rules",
        partial_content="unreachable",
        authorization="full-allow",
        too_many_requests="unreachable",
        client_error="full-allow",
        server_error="unreachable",
        misconfigured_server_error="unreachable",
        other_status="unreachable",
        network_error="unreachable",
        redirect_limit=5,
        redirect_overflow="full-allow",
        unfollowable_redirect="unreachable",
        oversize="truncate",
        while_unreachable=(Phase(0, "full-disallow", "full-disallow"), Phase(43_200, "copy", "full-allow"), Phase(2_592_000, "site-decides", "site-decides")),
        default_freshness=86_400,
        max_freshness=86_400,
        min_freshness=300,
    ),
    "google2019": AccessPolicy(
        name="google2019",
        summary="Google's documentation of 2019/20.",
        other_success="rules",
        partial_content="unreachable",
        authorization="full-allow",
        too_many_requests="full-allow",
        client_error="full-allow",
        server_error="unreachable",
        misconfigured_server_error="full-allow",
        other_status="unreachable",
        network_error="unreachable",
        redirect_limit=5,
        redirect_overflow="full-allow",
        unfollowable_redirect="unreachable",
        oversize="truncate",
        while_unreachable=(Phase(0, "full-disallow", "full-disallow"), Phase(2_592_000, "copy", "full-allow")),
        default_freshness=86_400,
        max_freshness=86_400,
        min_freshness=300,
    ),
    "yandex": AccessPolicy(
        name="yandex",
        summary="Yandex's documentation: any status other than 200 means that everything is allowed.",
        other_success="full-allow",
        partial_content="full-allow",
        authorization="full-allow",
        too_many_requests="full-allow",
        client_error="full-allow",
        server_error="full-allow",
        misconfigured_server_error="full-allow",
        other_status="full-allow",
        network_error="unreachable",
        redirect_limit=5,
        redirect_overflow="full-allow",
        unfollowable_redirect="full-allow",
        oversize="full-allow",
        while_unreachable=(Phase(0, "copy", "full-disallow"), Phase(2_592_000, "full-disallow", "full-disallow")),
        default_freshness=86_400,
        max_freshness=86_400,
        min_freshness=300,
    ),
    "draft1996": AccessPolicy(
        name="draft1996",
        summary="The Internet draft of 1996, draft-koster-robots-00.",
        other_success="rules",
        partial_content="unreachable",
        authorization="full-disallow",
        too_many_requests="unreachable",
        client_error="full-allow",
        server_error="unreachable",
        misconfigured_server_error="unreachable",
        other_status="unreachable",
        network_error="unreachable",
        redirect_limit=20,
        redirect_overflow="full-allow",
        unfollowable_redirect="unreachable",
        oversize="truncate",
        while_unreachable=(Phase(0, "copy", "full-disallow"), Phase(2_592_000, "full-disallow", "full-disallow")),
        default_freshness=604_800,
        max_freshness=604_800,
        min_freshness=300,
    ),
}

# The values that a policy sets itself. The others are inherited from rfc9309.
PROVENANCE: Final[dict[str, dict[str, Provenance]]] = {
    "rfc9309": {
        "other_success": Provenance("MUST", "RFC 9309 section 2.3.1.1"),
        "partial_content": Provenance("canfetch", "a partial file may mean the opposite of the whole file"),
        "authorization": Provenance("MAY", "RFC 9309 section 2.3.1.3"),
        "too_many_requests": Provenance("canfetch", "RFC 9309 section 2.3.1.3 allows it (MAY); Google's documentation treats 429 as a server error"),
        "client_error": Provenance("MAY", "RFC 9309 section 2.3.1.3"),
        "server_error": Provenance("MUST", "RFC 9309 section 2.3.1.4"),
        "misconfigured_server_error": Provenance("MUST", "RFC 9309 section 2.3.1.4"),
        "other_status": Provenance("canfetch", "an undefined status is not a permission"),
        "network_error": Provenance("MUST", "RFC 9309 section 2.3.1.4"),
        "redirect_limit": Provenance("SHOULD", "RFC 9309 section 2.3.1.2"),
        "redirect_overflow": Provenance("MAY", "RFC 9309 section 2.3.1.2"),
        "unfollowable_redirect": Provenance("canfetch", "a broken redirect is not a permission"),
        "oversize": Provenance("MUST", "RFC 9309 section 2.5"),
        "while_unreachable": Provenance("MUST", "RFC 9309 sections 2.3.1.4 and 2.4; disallowing after 30 days is canfetch's choice, because the RFC only says MAY"),
        "default_freshness": Provenance("SHOULD", "RFC 9309 section 2.4"),
        "max_freshness": Provenance("SHOULD", "RFC 9309 section 2.4"),
        "min_freshness": Provenance("canfetch", "avoids a fetch before every request if an origin forbids caching"),
    },
    "google": {
        "other_success": Provenance("documented", "Google's specification: result codes"),
        "authorization": Provenance("documented", "Google's specification: result codes"),
        "too_many_requests": Provenance("documented", "Google's specification: result codes"),
        "client_error": Provenance("documented", "Google's specification: result codes"),
        "server_error": Provenance("documented", "Google's specification: result codes"),
        "network_error": Provenance("documented", "Google's specification: result codes"),
        "redirect_limit": Provenance("documented", "Google's specification: result codes"),
        "redirect_overflow": Provenance("documented", "Google's specification: treated as 404 after five hops"),
        "oversize": Provenance("documented", "Google's specification: file size"),
        "while_unreachable": Provenance("documented", "Google's specification: server errors, 12 hours and 30 days"),
        "default_freshness": Provenance("documented", "Google's specification: caching"),
        "max_freshness": Provenance("canfetch", "max-age may lengthen it, and Google documents no limit; RFC 9309 section 2.4 sets this one"),
    },
    "google2019": {
        "other_success": Provenance("documented", "Google's specification of 2019: result codes"),
        "authorization": Provenance("documented", "Google's specification of 2019: result codes"),
        "too_many_requests": Provenance("documented", "Google's specification of 2019: all 4xx are equal"),
        "client_error": Provenance("documented", "Google's specification of 2019: result codes"),
        "server_error": Provenance("documented", "Google's specification of 2019: result codes"),
        "misconfigured_server_error": Provenance("documented", "Google's specification of 2019: treated as 404"),
        "network_error": Provenance("documented", "Google's specification of 2019: failed requests are treated as server errors"),
        "redirect_limit": Provenance("documented", "Google's specification of 2019: result codes"),
        "redirect_overflow": Provenance("documented", "Google's specification of 2019: treated as 404 after five hops"),
        "oversize": Provenance("documented", "Google's specification of 2019: file size"),
        "while_unreachable": Provenance("documented", "Google's specification of 2019: server errors, 30 days"),
        "default_freshness": Provenance("documented", "Google's specification of 2019: caching"),
    },
    "yandex": {
        "other_success": Provenance("documented", "Yandex Webmaster: the status must be 200"),
        "partial_content": Provenance("documented", "Yandex Webmaster: the status must be 200"),
        "authorization": Provenance("documented", "Yandex Webmaster: the status must be 200"),
        "too_many_requests": Provenance("documented", "Yandex Webmaster: the status must be 200"),
        "client_error": Provenance("documented", "Yandex Webmaster: the status must be 200"),
        "server_error": Provenance("documented", "Yandex Webmaster: the status must be 200"),
        "misconfigured_server_error": Provenance("documented", "Yandex Webmaster: the status must be 200"),
        "other_status": Provenance("documented", "Yandex Webmaster: the status must be 200"),
        "redirect_overflow": Provenance("documented", "Yandex Webmaster: the status must be 200"),
        "unfollowable_redirect": Provenance("documented", "Yandex Webmaster: the status must be 200"),
        "oversize": Provenance("documented", "Yandex Webmaster: over 500 KB everything is allowed"),
    },
    "draft1996": {
        "other_success": Provenance("documented", "draft-koster-robots-00 section 3.1"),
        "authorization": Provenance("documented", "draft-koster-robots-00 section 3.1: 401 and 403 restrict the site completely"),
        "client_error": Provenance("documented", "draft-koster-robots-00 section 3.1: 404 is unrestricted; the other 4xx are canfetch's choice"),
        "server_error": Provenance("documented", "draft-koster-robots-00 section 3.1: visits are deferred while it fails"),
        "network_error": Provenance("documented", "draft-koster-robots-00 section 3.1: visits are deferred while it fails"),
        "redirect_limit": Provenance("canfetch", "draft-koster-robots-00 section 3.1 follows redirects until a resource is found; the limit ends loops"),
        "default_freshness": Provenance("documented", "draft-koster-robots-00 section 3.4: seven days"),
        "max_freshness": Provenance("canfetch", "the draft honours Expires without a limit"),
    },
}
