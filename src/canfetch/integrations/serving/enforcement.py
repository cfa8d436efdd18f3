"""Enforcement: a declared crawler that requests what it may not fetch is refused, and impostors are found.

A crawler is declared if its User-Agent header names a crawler of the registry, or a product token that the file names.
All other requests pass, above all those of browsers: a robots.txt does not apply to them.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from functools import lru_cache
from itertools import takewhile
from posixpath import normpath
from typing import Any, Final, NamedTuple
from urllib.parse import quote_from_bytes, unquote_to_bytes, urlparse

from canfetch.agents.crawler import Crawler
from canfetch.agents.identity import Identity, IdentityStatus, SignatureCheck
from canfetch.agents.other_clients import declared_names
from canfetch.agents.registry import REGISTRY, Registry
from canfetch.agents.requested import requested_agent
from canfetch.author.refusal import DEFAULT_REFUSAL, Refusal
from canfetch.client.argument_checks import check_flag
from canfetch.client.identity import IdentityVerifier, SignedRequest
from canfetch.core.agent import Agent, cached_agent
from canfetch.core.quoting import quoted
from canfetch.core.verdict import Reason, Verdict
from canfetch.errors import InvalidOption, InvalidURL
from canfetch.integrations.serving.requests import Request
from canfetch.integrations.serving.served_file import ServedFile
from canfetch.integrations.serving.trusted_proxies import TrustedProxies

# nginx and Apache refuse longer ones by default. A header of this length takes milliseconds, and a usual one a tenth of
# one, if it is not cached. Clients choose it.
_MAX_HEADER: Final = 8192
_CACHED_HEADERS: Final = 1024
# nginx and Apache refuse longer request lines by default. The readings of a target take microseconds for each byte.
_MAX_TARGET: Final = 8192
_ANY_HOST: Final = b"http://host"
_ORIGIN: Final = re.compile(rb"[A-Za-z][A-Za-z0-9+.-]*:(?://[^/?]*)?")
_MANY_SLASHES: Final = re.compile(rb"/{2,}")
_AMBIGUOUS: Final = re.compile(rb"[#\t\n\r]")
_DOT_SEGMENT: Final = re.compile(rb"/(?:\.|%2[Ee]){1,2}(?:[/?]|$)")
_PARENT_SEGMENT: Final = re.compile(rb"(?:^|[/\\])\.\.(?:[/\\]|$)")
# Characters of a path that need no escape, and stay as they are.
_PATH_CHARACTERS: Final = "/!$&'()*+,;=:@"
# A path of these characters without empty segments, which applications can read in one way only.
_PLAIN_PATH: Final = re.compile(rb"(?:/[A-Za-z0-9_.~!$&'()*+,;=:@-]+)*/?")
# Operators whose parsers read some files in another way than RFC 9309.
_PROFILES: Final = {"Google": "googlebot", "Microsoft": "bing", "Yandex": "yandex"}
# Each reading decodes the same target again.
_unquote: Final = lru_cache(maxsize=8)(unquote_to_bytes)


class DeclaredCrawler(NamedTuple):
    """A crawler that a request declares.

    Attributes:
        name: Its product token.
        agent: Its product tokens.
        entry: Its entry in the registry, or None if only the file names it.
        must_sign: Whether its requests must be signed.
        is_exempt: Whether it may fetch everything, once its identity is verified. See `Enforcement.exempts`.
    """

    name: str
    agent: Agent
    entry: Crawler | None
    must_sign: bool
    is_exempt: bool = False


class Declaration(NamedTuple):
    """What a User-Agent header declares.

    Attributes:
        known: The crawler of the registry, or None.
        names: Without one, the names to look up in the file, in lower case and in this order.
    """

    known: DeclaredCrawler | None
    names: tuple[str, ...] = ()

    def crawler_for(self, file: ServedFile) -> DeclaredCrawler | None:
        """Return the crawler that a file applies to, or None."""
        if self.known is not None:
            return self.known
        found = next(filter(file.tokens.__contains__, self.names), None)
        if found is None:
            return None
        name = file.tokens[found]
        return DeclaredCrawler(name, cached_agent(name), None, must_sign=False)


class Enforcement:
    """How a site enforces its robots.txt.

    Args:
        registry: The crawlers that are known by their User-Agent header.
        exempt: Product tokens of crawlers that may fetch everything. With `identity`, impostors under their names may
            not, and with `block_undecided` only verified requests may. Without it, the name in the header is enough.
        identity: Verifies that requests come from the crawlers that they name. Default: no verification.
        block_impostors: Whether to refuse requests of impostors. By default, they are only counted.
        block_undecided: Whether to refuse requests of crawlers of the registry whose identity cannot be verified, as
            well. Then failing name servers, a missing list, or a proxy that is not listed close the site to crawlers.
        require_signature: Product tokens of crawlers of the registry whose requests must be signed. Others under their
            names are impostors, whatever their address is.
        trusted_proxies: Addresses and networks of proxies whose `X-Forwarded-For` is believed, and `unix` for a server
            that listens on a Unix socket. Default: none, so that the address of the connection counts.
        refusal: The status and the text of the response to what is refused. Default: 403, with the reason.
    Raises: InvalidOption, InvalidProductToken.
    """

    def __init__(
        self,
        *,
        registry: Registry = REGISTRY,
        exempt: Collection[str] = (),
        identity: IdentityVerifier | None = None,
        block_impostors: bool = False,
        block_undecided: bool = False,
        require_signature: Collection[str] = (),
        trusted_proxies: Iterable[str] = (),
        refusal: Refusal = DEFAULT_REFUSAL,
    ) -> None:
        if not isinstance(registry, Registry):
            raise InvalidOption(f"invalid registry {quoted(registry)}: expected a Registry")
        if identity is not None and not isinstance(identity, IdentityVerifier):
            raise InvalidOption(f"invalid identity {quoted(identity)}: expected an IdentityVerifier or None")
        check_flag("block_impostors", block_impostors)
        check_flag("block_undecided", block_undecided)
        if isinstance(exempt, str | bytes):
            raise InvalidOption(f"invalid exempt {quoted(exempt)}: expected a list, such as [{quoted(exempt)}]")
        if block_impostors and identity is None:
            raise InvalidOption("block_impostors requires identity=IdentityVerifier(...)")
        if block_undecided and not block_impostors:
            raise InvalidOption("block_undecided requires block_impostors=True")
        for token in exempt:
            requested_agent(token, exact=True)
            if block_undecided and registry.get_crawler(token) is None:
                raise InvalidOption(
                    f"invalid exempt {quoted(token)}: with block_undecided=True, an exempt crawler has to be in the "
                    "registry, because others cannot be verified; pass registry=REGISTRY.with_crawlers(...)"
                )
        self._must_sign = _names_of_signers(require_signature, registry, identity)
        if not isinstance(refusal, Refusal):
            raise InvalidOption(f"invalid refusal {quoted(refusal)}: expected a Refusal")
        self.identity = identity
        self.refusal = refusal
        self.block_impostors = block_impostors
        self.block_undecided = block_undecided
        self._registry = registry
        self._exempt = frozenset(token.lower() for token in exempt)
        if not self._exempt.isdisjoint(name.lower() for name in self._must_sign):
            raise InvalidOption("require_signature and exempt have the same crawler: remove it from one of them")
        self._proxies = TrustedProxies(trusted_proxies)
        self._read = lru_cache(maxsize=_CACHED_HEADERS)(self._read_uncached)

    @property
    def requires_nonce(self) -> bool:
        """Whether a signature must have a nonce."""
        return (
            self.identity is not None
            and self.identity.signatures is not None
            and self.identity.signatures.requires_nonce
        )

    def read(self, user_agent: str) -> Declaration | None:
        """Return what a User-Agent header declares, or None if it declares no crawler, such as that of a browser.

        Of a header of more than 8,192 characters, a half of that counts at each end.

        Cost: A dictionary lookup, or O(characters) for a header that was not seen recently.
        """
        if len(user_agent) > _MAX_HEADER:
            half = _MAX_HEADER // 2
            return self._read_uncached(f"{user_agent[:half]} {user_agent[-half:]}")
        return self._read(user_agent)

    def _read_uncached(self, user_agent: str) -> Declaration | None:
        entry = self._registry.find_crawler(user_agent)
        if entry is None:
            # No entry states whether the name is that of a browser or an app.
            names = tuple(takewhile(lambda name: name not in self._exempt, declared_names(user_agent)))
            return Declaration(None, names) if names else None
        is_exempt = entry.name.lower() in self._exempt
        if is_exempt and self.identity is None:
            return None
        return Declaration(DeclaredCrawler(entry.name, entry.agent, entry, entry.name in self._must_sign, is_exempt))

    def exempts(self, identity: Identity) -> bool:
        """Return whether a request with the name of an exempt crawler may fetch everything."""
        if self.block_undecided:
            return identity.status is IdentityStatus.VERIFIED
        return not identity.is_impostor

    def client_address(self, request: Request) -> str | None:
        """Return the address of the client of a request, or None if it is unknown."""
        field = request.header("x-forwarded-for") if self._proxies else None
        return self._proxies.client_address(request.peer, field)

    def find_unchecked(self, request: Request) -> tuple[str | None, SignatureCheck] | None:
        """Return the address and the result for a request that must be signed but is not examined, or None.

        Requests of impostors that are not blocked have no such result: they are checked like all others.
        """
        if not self.block_impostors:
            return None
        assert self.identity is not None
        assert self.identity.signatures is not None
        address = self.client_address(request)
        check = self.identity.signatures.find_unchecked(request.header("signature-input"), address)
        return None if check is None else (address, check)

    def signed_request(self, request: Request) -> SignedRequest | None:
        """Return a request as it was signed, or None if it is not signed, or if signatures are not considered.

        Cost: A lookup of a header for a request without a signature.
        """
        if self.identity is None or self.identity.signatures is None or request.header("signature-input") is None:
            return None
        scheme = self._proxies.client_scheme(request.peer, request.scheme, request.header("x-forwarded-proto"))
        target = request.target
        if request.prefix and target.startswith(b"/"):
            target = _with_prefix(target, _quoted_prefix(request))
        return SignedRequest(request.method, scheme, request.host, target.decode("latin-1"), request.header)


def _names_of_signers(names: Any, registry: Registry, identity: IdentityVerifier | None) -> frozenset[str]:
    if isinstance(names, str | bytes):
        raise InvalidOption(f"invalid require_signature {quoted(names)}: expected a list, such as [{quoted(names)}]")
    found = set()
    for name in names:
        signatures = None if identity is None else identity.signatures
        if signatures is None:
            raise InvalidOption(
                "require_signature requires identity=IdentityVerifier(signatures=SignatureVerifier(...))"
            )
        crawler = registry.get_crawler(name) if isinstance(name, str) else None
        if crawler is None:
            raise InvalidOption(f"invalid require_signature {quoted(name)}: it is not a crawler of the registry")
        if not signatures.directories_of(crawler):
            raise InvalidOption(
                f"no directory of {crawler.name} is known: pass directories={{{crawler.name!r}: 'https://...'}} to the "
                "SignatureVerifier"
            )
        found.add(crawler.name)
    return frozenset(found)


def find_refusal(crawler: DeclaredCrawler, file: ServedFile, request: Request) -> Verdict | None:
    """Return the verdict by which a crawler may not fetch the target of a request, or None if it may.

    A request is refused if its target is disallowed as it was sent, or as an application may read it, or if the path
    and the query that the application receives are disallowed. Applications may resolve dot segments or keep them, and
    views of static files resolve `..` within their folder: a path with `..`, or a target of more than 8,192 bytes, is
    refused if anything is disallowed. A crawler whose operator reads files in another way is refused only if both
    readings of the file agree.
    """
    if max(len(request.target), len(request.path)) > _MAX_TARGET:
        return _any_refusal(crawler, file)
    verdict = _first_refusal(crawler, file, _urls(request))
    if verdict is None and request.other_paths and not _is_about_server(request):
        # If a proxy removed the prefix, the path is that of another page, which a rule may allow.
        urls = (url for path in request.other_paths for url in _urls_of_path(request, path))
        verdict = _first_refusal(crawler, file, urls, above=_allowing_specificity(crawler, file, request))
    if verdict is None and _has_parent_segment(request):
        verdict = _any_refusal(crawler, file)
    return verdict


def _first_refusal(
    crawler: DeclaredCrawler, file: ServedFile, urls: Iterator[bytes], *, above: int = -1
) -> Verdict | None:
    """Return the first verdict that refuses, by a rule with a specificity above a number."""
    for url in dict.fromkeys(urls):
        verdict = _refusal(crawler, file, url)
        if verdict is None and _DOT_SEGMENT.search(url):
            verdict = _refusal(crawler, file, url, keeps_dots=True)
        if verdict is not None and (verdict.rule is None or verdict.rule.specificity > above):
            return verdict
    return None


def _allowing_specificity(crawler: DeclaredCrawler, file: ServedFile, request: Request) -> int:
    """Return the specificity of the rule that allows the target as sent, or -1."""
    try:
        rule = file.robots.decide(next(_urls(request)), agent=crawler.agent).rule
    except InvalidURL:
        return -1
    return -1 if rule is None else rule.specificity


def _has_parent_segment(request: Request) -> bool:
    """Return whether an application can find `..` in a path, also after it was decoded twice."""
    if _is_about_server(request):
        return False
    for path in (request.target.partition(b"?")[0], request.path.encode("utf-8", "surrogateescape")):
        once = _unquote(path)
        if once.count(b".") + once.count(b"%") < 2:
            continue
        for read in (once, _unquote(once)):
            kept = read.translate(None, b"\t\n\r\0").decode("utf-8", "ignore").encode()
            if _PARENT_SEGMENT.search(kept) or _PARENT_SEGMENT.search(read.partition(b"\0")[0]):
                return True
    return False


def _any_refusal(crawler: DeclaredCrawler, file: ServedFile) -> Verdict | None:
    """Return a verdict with a rule that disallows something, or None if the crawler may fetch everything.

    A rule counts as one unless another one allows the same pattern. So if several rules together allow all that it
    disallows, the crawler is refused nevertheless.
    """
    profile = None if crawler.entry is None else _PROFILES.get(crawler.entry.operator)
    rule = file.disallowing_rule(crawler.agent)
    if rule is None or (profile is not None and file.disallowing_rule(crawler.agent, profile) is None):
        return None
    verdict = file.robots.decide(_ANY_HOST + b"/", agent=crawler.agent)
    return verdict._replace(allowed=False, reason=Reason.DISALLOW_RULE, rule=rule, also_matched=())


def _urls(request: Request) -> Iterator[bytes]:
    """Yield the URLs that a request can mean."""
    path, mark, query = request.target.partition(b"?")
    received = query if request.query is None else request.query
    if (
        _PLAIN_PATH.fullmatch(path)
        and not (b"." in path and (path.endswith(b"/") or b"/." in path))
        and not request.prefix
        and path == request.path.encode("utf-8", "surrogateescape")
        and bool(mark) == bool(query)
        and query == received
        and not _AMBIGUOUS.search(query)
    ):
        yield _ANY_HOST + request.target
        return
    if _is_about_server(request):
        return
    target = _without_origin(request.target)
    prefix = _quoted_prefix(request)
    yield from _readings(_with_prefix(target, prefix))
    if target[:2] == b"/*":
        # Sanic drops the first character, whatever it is.
        yield from _readings(_with_prefix(b"/" + target[2:], prefix))
    # Servers and frameworks differ in how they derive it from the target.
    yield from _urls_of_path(request, request.path)


def _urls_of_path(request: Request, path: str) -> Iterator[bytes]:
    query = request.target.partition(b"?")[2]
    for rooted in _rooted(path):
        for each in dict.fromkeys((query, query if request.query is None else request.query)):
            yield from _readings(rooted + b"?" + each if each else rooted)


def _is_about_server(request: Request) -> bool:
    """Return whether a request is about the whole server. With other methods, applications route `*` as `/*`."""
    return request.target == b"*" and request.method == "OPTIONS"


def _rooted(path: str) -> Iterator[bytes]:
    """Yield the paths that a decoded path can mean.

    If it does not start with a slash, frameworks add one, parse it as a URL, or start it at its first slash, as the
    DispatcherMiddleware of Werkzeug does.
    """
    read = [path]
    if path[:1] != "/":
        read.append(path.partition("/")[2])
        with suppress(ValueError):
            read.append(urlparse(path).path)
    for each in read:
        yield _quote(f"/{each.removeprefix('/')}".encode("utf-8", "surrogateescape"))


def _without_origin(target: bytes) -> bytes:
    """Return a target as a path: some clients send the whole URL, and servers ignore its host."""
    origin = _ORIGIN.match(target)
    if origin is not None:
        target = target[origin.end() :]
    # Some frameworks route `private/x` and `%2fprivate/x` as `/private/x`.
    return target if target[:1] == b"/" else b"/" + target


def _quoted_prefix(request: Request) -> bytes:
    return _quote(request.prefix.rstrip("/").encode("utf-8", "surrogateescape"))


def _with_prefix(target: bytes, prefix: bytes) -> bytes:
    """Return a target with the prefix that the application is mounted at, which a proxy may have removed."""
    path = _MANY_SLASHES.sub(b"/", _unquote(target.partition(b"?")[0]))
    mounted_at = _unquote(prefix)
    return target if path == mounted_at or path.startswith(mounted_at + b"/") else prefix + target


def _readings(target: bytes) -> Iterator[bytes]:
    """Yield the URLs that a target can mean: as sent, and decoded, because applications route `/a%2Fb` as `/a/b`."""
    # Parsers of URLs that follow the WHATWG drop tabs and line breaks anywhere.
    for read in dict.fromkeys((target, target.translate(None, b"\t\n\r"))):
        # A fragment is never sent. For some servers a raw `#` is part of the path, and others drop what follows.
        before, hash_sign, _ = read.partition(b"#")
        yield from _decodings(read.replace(b"#", b"%23"))
        if hash_sign:
            yield from _decodings(before)


def _decodings(target: bytes) -> Iterator[bytes]:
    # An absolute URL, so that the first segment of `//segment/` is not taken for a host.
    yield _ANY_HOST + target
    path, mark, query = target.partition(b"?")
    decoded = _unquote(path)
    # Null bytes end a path for some programs, servers merge slashes, and the `$` of a route also matches before a line
    # feed at the end.
    ended = decoded.partition(b"\0")[0]
    merged = dict.fromkeys(_MANY_SLASHES.sub(b"/", read) for read in _without_ignored(ended))
    is_read = b"%" in path or b"//" in path or b"\\" in path
    paths = (decoded, *merged) if is_read else ()
    # Views of static files ignore a slash after the name of a file.
    files = [file for one in merged if b"." in (file := normpath(one)).rpartition(b"/")[2] and file != one]
    for read in dict.fromkeys((*paths, *files)):
        quoted_path = _quote(read)
        yield _ANY_HOST + quoted_path + mark + query
        if b"[" in read or b"]" in read:
            # They need an escape in a path, but a rule can have them without one, and they are different then.
            yield _ANY_HOST + quoted_path.replace(b"%5B", b"[").replace(b"%5D", b"]") + mark + query


def _without_ignored(path: bytes) -> Iterator[bytes]:
    """Yield a decoded path without what applications ignore, in each combination.

    Some parsers of URLs drop tabs and line breaks, and others drop bytes that are not UTF-8. The `$` of a route also
    matches before a line feed at the end. Bottle drops slashes and backslashes at both ends of the name of a static
    file.
    """
    for kept in dict.fromkeys((path, path.decode("utf-8", "ignore").encode())):
        for slashed in dict.fromkeys((kept, kept.replace(b"\\", b"/"))):
            yield slashed
            yield slashed.removesuffix(b"\n")
            yield slashed.translate(None, b"\t\n\r")


def _quote(path: bytes) -> bytes:
    return quote_from_bytes(path, safe=_PATH_CHARACTERS).encode("ascii")


def _refusal(crawler: DeclaredCrawler, file: ServedFile, url: bytes, *, keeps_dots: bool = False) -> Verdict | None:
    robots = file.with_profile(file.robots.profile, keeps_dots=keeps_dots)
    try:
        if robots.allows(url, agent=crawler.agent):
            return None
        verdict = robots.decide(url, agent=crawler.agent)
        profile = None if crawler.entry is None else _PROFILES.get(crawler.entry.operator)
        # The normalised target, `/private` for `/%70rivate`, because some profiles decode no escapes. So rules are
        # read without the escapes that they do not need, as well.
        if profile is not None and all(
            own.allows(_ANY_HOST + verdict.target, agent=crawler.agent)
            for own in (
                file.with_profile(profile, keeps_dots=keeps_dots),
                file.unescaped(profile, keeps_dots=keeps_dots),
            )
        ):
            return None
    except InvalidURL:
        return None
    return verdict
