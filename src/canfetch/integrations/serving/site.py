"""A site: it answers requests for /robots.txt and the keys of a crawler, and optionally refuses those of crawlers."""

import math
import time
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import partial
from typing import Any, Final, NamedTuple

from canfetch.agents.crawler import Crawler
from canfetch.agents.identity import Identity, IdentityStatus, SignatureCheck, SignatureReason
from canfetch.author.hosts import parse_host
from canfetch.author.refusal import Refusal, status_phrase
from canfetch.author.site_policy import closed_policy
from canfetch.client.argument_checks import check_callable
from canfetch.client.identity import SignedRequest, SigningIdentity
from canfetch.client.identity.failure_limits import OVERLOADED, TOO_MANY_FAILURES
from canfetch.client.identity.key_directories import PENDING
from canfetch.client.loggers import SERVING_LOGGER
from canfetch.client.procedure import Clock
from canfetch.core.origin import find_origin
from canfetch.core.quoting import quoted
from canfetch.core.text import printable_text
from canfetch.core.verdict import Verdict
from canfetch.errors import InvalidOption, ServingError
from canfetch.integrations.serving.enforcement import Declaration, DeclaredCrawler, Enforcement, find_refusal
from canfetch.integrations.serving.environments import site_environment
from canfetch.integrations.serving.http import refuse_method, serve_document, serve_file
from canfetch.integrations.serving.requests import ROBOTS_PATH, Reply, Request, text_reply, whole_reply
from canfetch.integrations.serving.sources import RobotsValue, build_source
from canfetch.integrations.serving.stats import SiteCounters, SiteStats

# RFC 9309 section 2.4: crawlers should not use a copy for more than 24 hours.
_MAX_MAX_AGE: Final = 86_400
_RETRY_AFTER: Final = ("Retry-After", "60")
_MAX_RETRY_AFTER: Final = 86_400
# RFC 9421 section 5.1: what a signature must cover.
_ACCEPT_SIGNATURE: Final = 'sig1=("@authority" "signature-agent";key="sig1");created;expires;{}tag="web-bot-auth"'
# The replies to requests that must be signed, and whose signatures are not verified yet. An attack has many.
_UNCHECKED: Final = {
    reason: (
        ("signatures", reason.value),
        whole_reply(status, f"{status} {status_phrase(status)}: {detail}", ("Retry-After", seconds)),
    )
    for status, reason, detail, seconds in (
        (429, SignatureReason.TOO_MANY_FAILURES, TOO_MANY_FAILURES.detail, "60"),
        (503, SignatureReason.OVERLOADED, OVERLOADED.detail, "60"),
        (503, SignatureReason.DIRECTORY_PENDING, PENDING.detail, "5"),
        (503, SignatureReason.DIRECTORY_UNAVAILABLE, "the directory with the key is not available", "60"),
    )
}


class IdentityCheck(NamedTuple):
    """An allowed request whose crawler has to be verified.

    Attributes: refuse: Refuses the request if it is allowed only because the crawler is exempt, and else None.
    """

    crawler: Crawler
    address: str | None
    signed: SignedRequest | None
    must_sign: bool
    refuse: Callable[[], Reply] | None = None


class Site:
    """The robots.txt of a site, for the middlewares of ASGI, WSGI and Django.

        site = Site(Path("robots.txt"), environment="production")

    Args:
        robots: The robots.txt: a `pathlib.Path`, which is read again when the file changes; bytes or text; a `Draft`;
            a `SitePolicy`, or the path of a policy that ends with `.toml`; a function that returns the content for a
            host, or None; or a mapping of hosts, or of patterns such as `*.example.com`, to these, with the key `*` for
            all other hosts. Requests for the robots.txt of a host without one reach the application.
        environment: `production`, `staging`, `development` or `test`, or an environment of the policy. `by-host`: The
            host of each request decides, for a policy with environments. Default: the variable `CANFETCH_ENVIRONMENT`.
        close_outside_production: Whether all other environments serve a file that closes the site to all crawlers.
        allow_closed: Whether the site may be closed to all search engines in production. A policy with environments
            states that itself.
        allow_open: Whether the site may be open to search engines in the other environments. A policy with
            environments states that itself.
        max_age: Seconds for which caches may store the file, at most a day.
        enforcement: How requests of crawlers are checked. Default: they are not.
        suspend_until: When a suspension of crawling ends, with a time zone. Until then, requests for the robots.txt get
            503 with `Retry-After`, and so do all requests of declared crawlers if there is an `enforcement`.
        identity: The identity of a crawler. Its public keys, signed, and its signature agent card are served at their
            URLs, to requests for the host of these URLs.
        clock: Returns seconds since the epoch.
    Raises: ServingError: The robots.txt is missing or invalid, closes the site in production, or leaves it open in
        another environment; InvalidOption: An argument is invalid.
    """

    def __init__(
        self,
        robots: RobotsValue | Mapping[str, RobotsValue],
        *,
        environment: str | None = None,
        close_outside_production: bool = False,
        allow_closed: bool = False,
        allow_open: bool = False,
        max_age: int = 3600,
        enforcement: Enforcement | None = None,
        suspend_until: datetime | None = None,
        identity: SigningIdentity | None = None,
        clock: Clock = time.time,
    ) -> None:
        chosen = site_environment(
            environment,
            close_outside_production=close_outside_production,
            allow_closed=allow_closed,
            allow_open=allow_open,
        )
        _check_max_age(max_age)
        if enforcement is not None and not isinstance(enforcement, Enforcement):
            raise InvalidOption(f"invalid enforcement {quoted(enforcement)}: expected an Enforcement or None")
        if identity is not None and not isinstance(identity, SigningIdentity):
            raise InvalidOption(f"invalid identity {quoted(identity)}: expected a SigningIdentity or None")
        check_callable("clock", clock)
        self._identity = identity
        self._suspended_until = _timestamp(suspend_until)
        # Build the configured source in every environment, so that its errors are found before production.
        self._source = build_source(robots, chosen, clock=clock)
        if chosen.is_closed:
            reason = "the environment is not production"
            self._source = build_source(closed_policy(f"Everything is disallowed: {reason}."), chosen, clock=clock)
        self.environment = chosen.name
        self._max_age = max_age
        self._enforcement = enforcement
        self._clock = clock
        self._counters = SiteCounters()

    @property
    def stats(self) -> SiteStats:
        """A snapshot of the counters."""
        return self._counters.snapshot()

    @property
    def enforces(self) -> bool:
        """Whether requests of crawlers are checked."""
        return self._enforcement is not None

    def concerns(self, path: str) -> bool:
        """Return whether requests for a path are answered or checked."""
        if self._enforcement is not None or path == ROBOTS_PATH:
            return True
        return self._identity is not None and path in self._published()

    def respond(self, request: Request) -> Reply | None:
        """Return the reply to a request, or None if the application handles it."""
        reply = self._examine(request)
        if not isinstance(reply, IdentityCheck):
            return reply
        assert self._enforcement is not None
        assert self._enforcement.identity is not None
        identity = self._enforcement.identity.verify(
            reply.crawler, reply.address, request=reply.signed, require_signature=reply.must_sign
        )
        return self._conclude(request, reply, identity)

    async def respond_async(self, request: Request) -> Reply | None:
        """Return the reply to a request, or None, without blocking the event loop. See `respond`."""
        reply = self._examine(request)
        if not isinstance(reply, IdentityCheck):
            return reply
        assert self._enforcement is not None
        assert self._enforcement.identity is not None
        identity = await self._enforcement.identity.verify_async(
            reply.crawler, reply.address, request=reply.signed, require_signature=reply.must_sign
        )
        return self._conclude(request, reply, identity)

    def _examine(self, request: Request) -> Reply | IdentityCheck | None:
        reply = None if self._identity is None else self._publish(request)
        if reply is not None:
            return reply
        if request.path == ROBOTS_PATH:
            return self._suspend(request) if self._is_suspended else self._serve(request)
        user_agent = None if self._enforcement is None else request.header("user-agent")
        if self._enforcement is None or not user_agent:
            return None
        declaration = self._enforcement.read(user_agent)
        return None if declaration is None else self._check(request, declaration, self._enforcement)

    @property
    def _is_suspended(self) -> bool:
        return self._suspended_until > 0 and self._suspended_until > self._clock()

    def _suspend(self, request: Request) -> Reply:
        self._counters.add("suspended")
        seconds = max(math.ceil(self._suspended_until - self._clock()), 1)
        retry_after = ("Retry-After", str(min(seconds, _MAX_RETRY_AFTER)))
        return text_reply(request, 503, "503 Service Unavailable: crawling is suspended", retry_after)

    def _published(self) -> dict[str, str]:
        """Return the URLs of the public keys and of the card, by their paths."""
        if self._identity is None:
            return {}
        urls = (self._identity.card_url, self._identity.directory_url)
        return {"/" + url.split("/", 3)[3]: url for url in urls if url is not None}

    def _publish(self, request: Request) -> Reply | None:
        """Return the public keys or the card, or None for other paths and hosts.

        Keys that are signed for another host would prove that the owner of the host has the private keys.
        """
        url = self._published().get(request.path)
        if url is None or self._identity is None or find_origin(f"https://{request.host}/") != find_origin(url):
            return None
        is_card = url == self._identity.card_url
        headers, body = self._identity.card() if is_card else self._identity.directory(url.split("/", 3)[2])
        return refuse_method(request) or serve_document(request, headers, body)

    def _serve(self, request: Request) -> Reply | None:
        try:
            file = self._source.file_for(parse_host(request.host))
        except ServingError as error:
            # A crawler uses its last copy, and asks again soon. With a 404 it would fetch everything.
            reply = text_reply(request, 503, f"503 Service Unavailable: {error}", _RETRY_AFTER)
        else:
            if file is None:
                return None
            reply = refuse_method(request) or serve_file(
                request, file, max_age=self._max_age, varies_by_host=self._source.varies_by_host
            )
        self._counters.add({200: "served", 304: "not_modified"}.get(reply.status, "failed"))
        return reply

    def _check(
        self, request: Request, declaration: Declaration, enforcement: Enforcement
    ) -> Reply | IdentityCheck | None:
        if self._is_suspended:
            known = declaration.known
            if known is None or not known.is_exempt:
                return self._suspend(request)
            self._counters.add("crawler_requests")
            return self._identity_check(request, known, enforcement, partial(self._suspend, request))
        try:
            file = self._source.file_for(parse_host(request.host))
        except ServingError:
            return None
        crawler = None if file is None else declaration.crawler_for(file)
        if file is None or crawler is None:
            return None
        unchecked = enforcement.find_unchecked(request) if crawler.must_sign else None
        if unchecked is not None:
            address, check = unchecked
            # One call: beyond the limit, junk must cost as little time as possible.
            self._counters.add("crawler_requests", _UNCHECKED[check.reason][0], ("unchecked", crawler.name))
            return _refuse_unchecked(request, crawler.name, address, check)
        self._counters.add("crawler_requests")
        verdict = find_refusal(crawler, file, request)
        refuse = None if verdict is None else partial(self._disallow, request, crawler, verdict, enforcement.refusal)
        if refuse is not None and not crawler.is_exempt:
            return refuse()
        return self._identity_check(request, crawler, enforcement, refuse)

    def _disallow(self, request: Request, crawler: DeclaredCrawler, verdict: Verdict, refusal: Refusal) -> Reply:
        self._counters.add(("refused", crawler.name))
        SERVING_LOGGER.debug("refused %s: %s", crawler.name, verdict)
        name = printable_text(crawler.name)
        return _refuse(request, refusal, f"robots.txt disallows this for {name}\n{verdict.explanation}")

    @staticmethod
    def _identity_check(
        request: Request, crawler: DeclaredCrawler, enforcement: Enforcement, refuse: Callable[[], Reply] | None
    ) -> IdentityCheck | None:
        if enforcement.identity is None or crawler.entry is None:
            return None
        address, signed = enforcement.client_address(request), enforcement.signed_request(request)
        return IdentityCheck(crawler.entry, address, signed, crawler.must_sign, refuse)

    def _conclude(self, request: Request, check: IdentityCheck, identity: Identity) -> Reply | None:
        name = check.crawler.name
        if check.refuse is not None and self._enforcement is not None and not self._enforcement.exempts(identity):
            SERVING_LOGGER.info("%s is not exempt as %s: %s", check.address, name, identity.reason)
            return check.refuse()
        if identity.signature is not None:
            self._counters.add(("signatures", identity.signature.reason.value))
        if identity.status is IdentityStatus.VERIFIED:
            self._counters.add("verified")
            return None
        is_blocked = self._enforcement is not None and self._enforcement.block_impostors
        signature = identity.signature if check.must_sign and is_blocked else None
        if signature is not None and signature.reason in _UNCHECKED:
            self._counters.add(("unchecked", name))
            return _refuse_unchecked(request, name, check.address, signature)
        if not identity.is_impostor:
            self._counters.add("undecided")
            if self._enforcement is None or not self._enforcement.block_undecided:
                return None
            SERVING_LOGGER.info("%s may not be %s: %s", check.address, name, identity.reason)
            return _refuse(
                request, self._enforcement.refusal, f"this client may not be {name}\n{printable_text(identity.reason)}"
            )
        self._counters.add(("impostors", name))
        SERVING_LOGGER.info("%s is not %s: %s", check.address, name, identity.reason)
        if self._enforcement is None or not self._enforcement.block_impostors:
            return None
        reason = f"this client is not {name}\n{printable_text(identity.reason)}"
        if not check.must_sign:
            return _refuse(request, self._enforcement.refusal, reason)
        nonce = "nonce;" if self._enforcement.requires_nonce else ""
        return _refuse(
            request, self._enforcement.refusal, reason, ("Accept-Signature", _ACCEPT_SIGNATURE.format(nonce))
        )


def _refuse_unchecked(request: Request, name: str, address: str | None, check: SignatureCheck) -> Reply:
    SERVING_LOGGER.info("%s was not checked as %s: %s", address, name, check.detail)
    return _UNCHECKED[check.reason][1].reply_to(request)


def _refuse(request: Request, refusal: Refusal, reason: str, *headers: tuple[str, str]) -> Reply:
    status, text = refusal
    return text_reply(request, status, f"{status} {refusal.phrase}: {reason}" if text is None else text, *headers)


def _timestamp(suspend_until: Any) -> float:
    if suspend_until is None:
        return 0.0
    if not isinstance(suspend_until, datetime) or suspend_until.tzinfo is None:
        raise InvalidOption(
            f"invalid suspend_until {quoted(suspend_until)}: expected a datetime with a time zone, or None"
        )
    return suspend_until.timestamp()


def _check_max_age(max_age: Any) -> None:
    if isinstance(max_age, bool) or not isinstance(max_age, int) or not 0 <= max_age <= _MAX_MAX_AGE:
        raise InvalidOption(f"invalid max_age {quoted(max_age)}: expected an integer from 0 to {_MAX_MAX_AGE}")
