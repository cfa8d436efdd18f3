"""The options of a client, validated."""

import sys
from collections.abc import Collection, Iterable
from typing import Any, Final, NamedTuple, Self, TypedDict, Unpack

from canfetch.access.editions import get_lone_edition
from canfetch.access.policies import AccessPolicy, get_policy
from canfetch.access.responses import Headers
from canfetch.client.request_headers import RequestHeaders, is_header_value, parse_request_headers
from canfetch.core.agent import Agent, as_agent
from canfetch.core.choices import unknown_choice
from canfetch.core.engines import get_compiler
from canfetch.core.limits import DEFAULT_MAX_BYTES, MAX_BYTES_LIMIT
from canfetch.core.origin import Origin
from canfetch.core.profiles import Profile, get_profile
from canfetch.core.quoting import quoted
from canfetch.core.tokens import product_token
from canfetch.errors import InvalidLimit, InvalidOption

DEFAULT_MAX_MEMORY_BYTES: Final = 64 * 1024 * 1024
_LEASE_MARGIN: Final = 5.0


class ClientOptions(TypedDict, total=False):
    """The optional keyword arguments of `Client` and `AsyncClient`.

    Attributes:
        agent: Product token, or chain of tokens, that selects the rules. Default: the token of `user_agent`.
        policy: The access policy, which defines what status codes, errors and time mean: a name in `POLICIES`, or a
            policy that `AccessPolicy.replace` returned. Default: `rfc9309`.
        profile: Name of the parsing profile. Default: `rfc9309`.
        edition: Name of an edition in `EDITIONS`, such as `google2019`, which sets `profile` and `policy`. It cannot be
            combined with either.
        max_bytes: Parsing limit in bytes. Default and minimum: 512000 (500 KiB).
        connect_timeout: Seconds to wait for a connection. Default: 10.
        read_timeout: Seconds to wait for the next bytes. Default: 10.
        timeout: Seconds for a fetch with all its redirects. Default: 30.
        allow_private: Whether to connect to private and loopback addresses, after a redirect too. Default: True.
            Pass False if untrusted users choose the URLs.
        headers: Headers to add to every request, such as `{"From": "bot@example.com"}`. Headers with credentials are
            sent only to the origins that the caller names, not to those that a site names. Default: none.
        revalidate: Whether to send conditional requests if a copy has an ETag or a date. Default: False.
        misconfigured_origins: Origins that are known to respond with 5xx for every missing page, such as
            `["https://example.com"]`, in addition to those of the policy. The policy `google2019` reads their 5xx as
            404. Default: none.
        stale_while_revalidate: Seconds for which an expired file may be used while it is fetched again. Default: 0.
        max_memory_bytes: Approximate memory for cached origins, in bytes. Default: 64 MiB.
        engine: Name of the parsing engine. Default: the fastest available.
    """

    agent: str | Agent | None
    policy: str | AccessPolicy
    profile: str
    edition: str
    max_bytes: int
    connect_timeout: float
    read_timeout: float
    timeout: float
    allow_private: bool
    headers: RequestHeaders
    revalidate: bool
    misconfigured_origins: Collection[str]
    stale_while_revalidate: float
    max_memory_bytes: int
    engine: str | None


class Options(NamedTuple):
    """The validated options of a client. `ClientOptions` describes them."""

    user_agent: str
    agent: Agent
    policy: AccessPolicy
    profile: Profile
    max_bytes: int
    connect_timeout: float
    read_timeout: float
    timeout: float
    allow_private: bool
    headers: Headers
    revalidate: bool
    misconfigured_origins: frozenset[str]
    stale_while_revalidate: float
    max_memory_bytes: int
    engine: str | None
    lease_seconds: float = 0.0

    @classmethod
    def validated(cls, *, user_agent: str, **arguments: Unpack["ClientOptions"]) -> Self:
        """Validate the arguments of a client.

        Raises: InvalidOption, InvalidLimit, InvalidProductToken, InvalidURL, UnknownEdition, UnknownPolicy,
            UnknownProfile, EngineError.
        """
        _check_names(arguments)
        if not is_header_value(user_agent):
            raise InvalidOption(
                f"invalid user_agent {quoted(user_agent)}: expected a non-empty string of printable ASCII"
            )
        max_bytes = arguments.get("max_bytes", DEFAULT_MAX_BYTES)
        if not _is_parsing_limit(max_bytes):
            raise InvalidLimit(
                f"invalid max_bytes {quoted(max_bytes)}: expected an integer from {DEFAULT_MAX_BYTES} to "
                f"{MAX_BYTES_LIMIT}"
            )
        agent = arguments.get("agent")
        profile, policy = _profile_and_policy(arguments)
        origins = _parse_origins(arguments.get("misconfigured_origins", ()))
        options = cls(
            user_agent=user_agent,
            agent=as_agent(product_token(user_agent) if agent is None else agent),
            policy=policy,
            profile=profile,
            max_bytes=max_bytes,
            connect_timeout=arguments.get("connect_timeout", 10.0),
            read_timeout=arguments.get("read_timeout", 10.0),
            timeout=arguments.get("timeout", 30.0),
            allow_private=arguments.get("allow_private", True),
            headers=parse_request_headers(arguments.get("headers", ())),
            revalidate=arguments.get("revalidate", False),
            misconfigured_origins=origins.union(policy.misconfigured_origins),
            stale_while_revalidate=arguments.get("stale_while_revalidate", 0.0),
            max_memory_bytes=arguments.get("max_memory_bytes", DEFAULT_MAX_MEMORY_BYTES),
            engine=arguments.get("engine"),
        )
        options._check_values()
        # Raises now if the engine is missing, and not when the first file is parsed.
        get_compiler(options.engine)
        # A lease lasts little longer than a fetch, so that a worker that dies does not block the others.
        return options._replace(lease_seconds=options.timeout + _LEASE_MARGIN)

    def _check_values(self) -> None:
        for name in ("connect_timeout", "read_timeout", "timeout"):
            seconds = getattr(self, name)
            if not _is_finite_number(seconds) or seconds <= 0:
                raise InvalidOption(f"invalid {name} {quoted(seconds)}: expected a positive, finite number of seconds")
        for name in ("stale_while_revalidate", "max_memory_bytes"):
            number = getattr(self, name)
            if not _is_finite_number(number) or number < 0:
                raise InvalidOption(f"invalid {name} {quoted(number)}: expected a finite number, 0 or more")
        for name in ("allow_private", "revalidate"):
            flag = getattr(self, name)
            if not isinstance(flag, bool):
                raise InvalidOption(f"invalid {name} {quoted(flag)}: expected True or False")


def _check_names(names: Iterable[str]) -> None:
    known = ClientOptions.__annotations__
    for name in names:
        if name not in known:
            raise InvalidOption(unknown_choice("option", name, known))


def _profile_and_policy(arguments: ClientOptions) -> tuple[Profile, AccessPolicy]:
    if "edition" not in arguments:
        return get_profile(arguments.get("profile", "rfc9309")), get_policy(arguments.get("policy", "rfc9309"))
    edition = get_lone_edition(arguments["edition"], [name for name in ("profile", "policy") if name in arguments])
    return get_profile(edition.profile), get_policy(edition.policy)


def _parse_origins(origins: object) -> frozenset[str]:
    if isinstance(origins, str | bytes) or not isinstance(origins, Iterable):
        example = quoted(origins) if isinstance(origins, str) else "'https://example.com'"
        raise InvalidOption(
            f"invalid misconfigured_origins {quoted(origins)}: expected a collection of origins, such as [{example}]"
        )
    return frozenset(str(Origin.from_url(origin)) for origin in origins)


def _is_parsing_limit(value: object) -> bool:
    return isinstance(value, int) and DEFAULT_MAX_BYTES <= value <= MAX_BYTES_LIMIT


def _is_finite_number(value: Any) -> bool:
    # `isfinite` raises for larger integers. No comparison with NaN holds.
    return isinstance(value, int | float) and abs(value) <= sys.float_info.max
