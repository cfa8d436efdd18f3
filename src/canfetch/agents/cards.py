"""Signature agent cards: what a crawler publishes about itself.

    bytes, URL -> AgentCard -> Crawler
    Crawler -> card

A card counts for the origin that it came from only. URLs of another origin are faults, and are not used.

Source: Web Bot Auth, draft-meunier-webbotauth-registry, the text of 10 September 2026 (after version 03),
sections 3 and 5; RFC 7591 for the members outside `web_bot_auth`.
"""

import json
import re
from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any, Final, NamedTuple, cast, get_args

from canfetch.agents.crawler import Crawler, Obeys, PublishedHeader, Purpose, Verification
from canfetch.agents.other_clients import is_other_client
from canfetch.agents.registry import REGISTRY, names_to_look_up
from canfetch.agents.requested import RequestedAgent, alternatives, letters_of, probable_tokens
from canfetch.core.agent import Agent
from canfetch.core.origin import Origin, find_origin
from canfetch.core.quoting import quoted
from canfetch.core.text import printable_text
from canfetch.errors import InvalidOption

CARD_PATH: Final = "/.well-known/signature-agent-card"
"""The path of the card of an origin. The draft has none: a card can have any https URL."""
CARD_TYPE: Final = "application/json"
MAX_CARD_BYTES: Final = 64 * 1024
"""The size of a card. A larger one is not read."""
_MAX_CHARACTERS: Final = 1000
_MAX_ITEMS: Final = 100
_MAX_DEPTH: Final = 10
_MAX_FAULTS: Final = 50
_MAX_NAME: Final = 80
# RFC 9309, with the digits and dots that real names have.
_TOKEN: Final = re.compile("[A-Za-z0-9_.-]+")
# A shorter name can be a part of any other.
_MIN_NAME: Final = 6
_KIND: Final = re.compile("(?:bot|crawler|spider)$")
_EXTENSION: Final = "web_bot_auth"
_TRIGGERS: Final = ("fetcher", "crawler")
# The members of a card, and those of `web_bot_auth`: their names, the attributes of `AgentCard`, and their kinds.
_MEMBERS: Final = {
    "client_id": ("client_id", "text"),
    "client_name": ("name", "text"),
    "client_uri": ("client_uri", "url"),
    "logo_uri": ("logo_uri", "url"),
    "contacts": ("contacts", "list"),
    "jwks_uri": ("jwks_uri", "url"),
    "jwks": ("jwks", "keys"),
}
_EXTENSION_MEMBERS: Final = {
    "expected-user-agent": ("user_agents", "texts"),
    "rfc9309-product-token": ("token", "token"),
    "rfc9309-compliance": ("compliance", "compliance"),
    "trigger": ("trigger", "trigger"),
    "purpose": ("purpose", "text"),
    "targeted-content": ("targeted_content", "text"),
    "rate-control": ("rate_control", "text"),
    "rate-expectation": ("rate_expectation", "text"),
    "known-urls": ("known_urls", "list"),
    "ips_uri": ("ips_uri", "url"),
}
# Purposes of cards that have another name in the registry.
_PURPOSES: Final[Mapping[str, Purpose]] = {"search": "search-index", "train-ai": "training", "ai-train": "training"}


class AgentCard(NamedTuple):
    """What a card says.

    Attributes:
        client_id: The URL of the card. It is a fault if the card came from another one.
        name: The name of the crawler.
        contacts: URIs of its operator, such as `mailto:bot@example.com`.
        client_uri, logo_uri: A page about it, and its logo.
        jwks_uri, jwks: The URL of its keys, or the keys.
        user_agents: Its User-Agent headers. `*` at the end of one is a wildcard.
        token: Its product token.
        compliance: Whether it claims to obey robots.txt.
        trigger: `fetcher` if users start its requests, or `crawler`.
        purpose, targeted_content: What it uses content for, and which.
        rate_control, rate_expectation: How a site can limit its requests, and how many are expected.
        known_urls: URLs and paths that it requests. `*` is a wildcard.
        ips_uri: The URL of its addresses.
        unknown: The names of other members.
        faults: What is wrong. A value with a fault is not used.
    """

    client_id: str | None = None
    name: str | None = None
    contacts: tuple[str, ...] = ()
    client_uri: str | None = None
    logo_uri: str | None = None
    jwks_uri: str | None = None
    jwks: Mapping[str, Any] | None = None
    user_agents: tuple[str, ...] = ()
    token: str | None = None
    compliance: bool | None = None
    trigger: str | None = None
    purpose: str | None = None
    targeted_content: str | None = None
    rate_control: str | None = None
    rate_expectation: str | None = None
    known_urls: tuple[str, ...] = ()
    ips_uri: str | None = None
    unknown: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the card as plain values."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in self._asdict().items()}

    def to_crawler(self, *, checked: date, purposes: tuple[Purpose, ...] = ()) -> Crawler:
        """Return the registry entry of the crawler. Its operator is the host of the card, which the card's URL proves.

        Args:
            checked: The date on which the card was read.
            purposes: The purposes. Default: that of the card, or `user-triggered` for the trigger `fetcher`.
        Raises: InvalidOption: The card has no valid `client_id` or token, or no purpose of the registry.
        """
        origin = None if self.client_id is None else find_origin(self.client_id)
        if self.client_id is None or origin is None or self.token is None:
            missing = "rfc9309-product-token" if self.token is None else "client_id"
            raise InvalidOption(f"the card has no valid {missing!r}, which an entry of the registry needs")
        if not purposes:
            purpose = _registry_purpose(self)
            if purpose is None:
                stated = f"the purpose {quoted(self.purpose)} of the card is not one of the registry"
                problem = "the card has no purpose" if self.purpose is None else stated
                raise InvalidOption(f"{problem}: choose from {', '.join(get_args(Purpose))}")
            purposes = (purpose,)
        headers = [PublishedHeader(value, self.client_id) for value in self.user_agents if "*" not in value]
        lists, keys = (() if url is None else (url,) for url in (self.ips_uri, self.jwks_uri))
        return Crawler(
            (self.token,),
            str(origin).partition("://")[2],
            purposes,
            self.client_id,
            obeys=_obeys(self),
            checked=checked.isoformat(),
            verification=Verification(address_lists=lists, key_directories=keys),
            headers=tuple(headers),
        )

    def differences(self, crawler: Crawler) -> list[str]:
        """Return where the card differs from the entry of a crawler, as sentences. What one of them omits is equal."""
        purpose, verification = _registry_purpose(self), crawler.verification
        pairs: list[tuple[str, str | None, tuple[str, ...]]] = [
            ("purpose", purpose or self.purpose, crawler.purposes),
            ("compliance", None if self.compliance is None else _obeys(self), (crawler.obeys,)),
            ("addresses", self.ips_uri, verification.address_lists),
            ("keys", self.jwks_uri, verification.key_directories),
        ]
        headers = tuple(header.value for header in crawler.headers)
        pairs += [("header", value, headers) for value in self.user_agents if "*" not in value]
        return [
            f"{label}: the card has {value}, and the registry {', '.join(known) or 'nothing'}"
            for label, value, known in pairs
            if value is not None and value not in known
        ]


def parse_card(content: bytes, url: str | None = None) -> AgentCard:
    """Return what a card says, and what is wrong with it. Invalid content is a fault.

    Args:
        content: The card.
        url: The URL that it was fetched from. Without one, its own `client_id` is the origin that it counts for, and
            nothing proves that it came from there.
    Cost: O(bytes), at most 64 KiB.
    """
    faults: list[str] = []
    document = _load(content, faults)
    if document is None:
        return AgentCard(faults=tuple(faults))
    values, unknown = _read(document, _MEMBERS, "", faults)
    unknown = [name for name in unknown if name != _EXTENSION]
    extension = document.get(_EXTENSION, {})
    if isinstance(extension, dict):
        more, others = _read(extension, _EXTENSION_MEMBERS, f"{_EXTENSION}.", faults)
        values |= more
        unknown += others
    else:
        faults.append(f"{_EXTENSION!r} is not an object")
    _check_members(document, values, unknown, url, faults)
    names = tuple(printable_text(name[:_MAX_NAME]) for name in unknown[:_MAX_ITEMS])
    return AgentCard(**values, unknown=names, faults=tuple(map(printable_text, faults[:_MAX_FAULTS])))


def card_of(crawler: Crawler, *, url: str | None = None) -> dict[str, Any]:
    """Return the card of a registry entry, as plain values without those that are unknown.

    Args: url: The URL at which the card will be published, its `client_id`. URLs of other origins are omitted then.
    """
    verification = crawler.verification
    origin = None if url is None else find_origin(url)

    def first(*urls: str) -> str | None:
        return next((one for one in urls if url is None or _is_of(one, origin)), None)

    headers = [header.value for header in crawler.headers if header.source_kind == "operator"]
    extension = {
        "expected-user-agent": headers[0] if len(headers) == 1 else headers,
        "rfc9309-product-token": crawler.name,
        "rfc9309-compliance": None if crawler.obeys == "not-documented" else crawler.obeys == "yes",
        "trigger": "fetcher" if "user-triggered" in crawler.purposes else "crawler",
        "purpose": crawler.purposes[0],
        "ips_uri": first(*verification.address_lists),
    }
    return build_card(
        extension,
        client_id=url,
        client_name=crawler.name,
        client_uri=first(crawler.source),
        jwks_uri=first(*verification.key_directories),
    )


def build_card(extension: Mapping[str, Any], **members: Any) -> dict[str, Any]:
    """Return a card without the members that are None or empty.

    Args:
        extension: The members of `web_bot_auth`.
        members: The other members.
    """
    bot = {name: value for name, value in extension.items() if value not in (None, [], "")}
    card = {name: value for name, value in members.items() if value not in (None, [], "")}
    return {**card, _EXTENSION: bot} if bot else card


def token_conflict(token: str) -> str | None:
    """Return why the token of a card would be taken for another crawler or client, or None.

    Cost: O(headers of the registry).
    """
    headers = ((one.name, header.value) for one in REGISTRY.crawlers for header in one.headers)
    others = "browsers, apps or libraries"
    if not is_other_client(token):
        others = next((name for name, header in headers if token.lower() in names_to_look_up(header)), "")
    if others:
        return f"headers of {others} have the token {token} as well"
    name = letters_of(token)
    known = ((one.name, letters_of(one.name)) for one in REGISTRY.crawlers)
    tokens = [one for one, letters in known if letters == name or (len(letters) >= _MIN_NAME and letters in name)][:1]
    for text in filter(None, (name, _KIND.sub("", name))):
        tokens = tokens or list(probable_tokens(RequestedAgent(text, Agent(text), None)))
    return f"the token {token} can be taken for {alternatives(tokens)}" if tokens else None


def _load(content: bytes, faults: list[str]) -> dict[str, Any] | None:
    if len(content) > MAX_CARD_BYTES:
        faults.append(f"the card is longer than {MAX_CARD_BYTES:,} bytes")
        return None

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            faults.append("an object of the card has two members with the same name")
        return found

    def refuse(constant: str) -> None:
        raise ValueError(constant)

    try:
        document = json.loads(content.decode("utf-8"), object_pairs_hook=unique, parse_constant=refuse)
    except (ValueError, RecursionError):
        faults.append("the card is not valid JSON in UTF-8")
        return None
    if not isinstance(document, dict):
        faults.append("the card is not an object")
    elif _is_deep(document):
        faults.append(f"the card has more than {_MAX_DEPTH} levels")
    else:
        return document
    return None


def _is_deep(document: Any) -> bool:
    level = [document]
    for _ in range(_MAX_DEPTH):
        level = [child for value in level for child in _children(value)]
    return bool(level)


def _children(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        yield from value.values()
    elif isinstance(value, list):
        yield from value


def _read(
    table: Mapping[str, Any], members: Mapping[str, tuple[str, str]], prefix: str, faults: list[str]
) -> tuple[dict[str, Any], list[str]]:
    """Return the values of the members of a table, by attribute, and the names of the others."""
    values: dict[str, Any] = {}
    for name, (attribute, kind) in members.items():
        if name in table:
            value = _value(table[name], kind)
            if isinstance(value, _Fault):
                faults.append(f"{prefix + name!r} {value.text}")
            else:
                values[attribute] = value
    return values, [f"{prefix}{name}" for name in table if name not in members]


class _Fault(NamedTuple):
    text: str


def _value(value: Any, kind: str) -> Any:
    """Return the value of a member, or its fault."""
    if kind in _OTHER_KINDS:
        return _OTHER_KINDS[kind](value)
    if not _is_text(value):
        return _Fault(f"is not a text of 1 to {_MAX_CHARACTERS} characters")
    if kind == "trigger" and value not in _TRIGGERS:
        return _Fault(f"is {quoted(value[:_MAX_NAME])}, not {' or '.join(map(repr, _TRIGGERS))}")
    if kind == "token" and not _is_token(value):
        return _Fault(f"is {quoted(value[:_MAX_NAME])}, which is not a product token")
    return value


def _list(value: Any) -> Any:
    if not _is_list(value):
        return _Fault(f"is not a list of at most {_MAX_ITEMS} texts of {_MAX_CHARACTERS} characters")
    return tuple(value)


def _keys(value: Any) -> Any:
    keys = value.get("keys") if isinstance(value, dict) else None
    is_set = isinstance(keys, list) and len(keys) <= _MAX_ITEMS
    return value if is_set else _Fault(f"is not a set of at most {_MAX_ITEMS} keys")


def _compliance(value: Any) -> Any:
    # Up to version 03, a list of the records that are obeyed.
    return bool(value) if isinstance(value, bool) or _is_list(value) else _Fault("is not true or false")


_OTHER_KINDS: Final = {
    "list": _list,
    "texts": lambda value: _list([value] if isinstance(value, str) else value),
    "keys": _keys,
    "compliance": _compliance,
}


def _is_list(value: Any) -> bool:
    return isinstance(value, list) and len(value) <= _MAX_ITEMS and all(map(_is_text, value))


def _is_token(value: str) -> bool:
    # A letter of another alphabet that looks like an ASCII letter would make two crawlers look like one.
    return _TOKEN.fullmatch(value) is not None


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and 0 < len(value) <= _MAX_CHARACTERS and value.isprintable()


def _check_members(
    document: Mapping[str, Any], values: dict[str, Any], unknown: list[str], url: str | None, faults: list[str]
) -> None:
    """Report members that contradict each other or the origin of the card, and remove them."""
    if not values:
        faults.append("the card has no member that is known")
    if "jwks" in document and "jwks_uri" in document:
        faults.append("the card has both 'jwks' and 'jwks_uri'")
        values.pop("jwks", None)
        values.pop("jwks_uri", None)
    stated = values.get("client_id")
    if url is not None and stated != url:
        found = "missing" if stated is None else quoted(stated)
        faults.append(f"'client_id' is {found}, not the URL of the card, {url}")
        values.pop("client_id", None)
    address = url or stated
    origin = None if address is None else find_origin(address)
    if origin is None or origin.scheme != "https":
        if address is not None:
            faults.append(f"'client_id' is {quoted(address)}, which is not an https URL")
            values.pop("client_id", None)
        origin = None
    for name, (attribute, kind) in (_MEMBERS | _EXTENSION_MEMBERS).items():
        if kind == "url" and attribute in values and not _is_of(values[attribute], origin):
            where = "of a known origin, because the card has no 'client_id'" if origin is None else f"of {origin}"
            faults.append(f"{name!r} is {quoted(values.pop(attribute))}, which is not a URL {where}: it is not used")
    faults += [
        f"{name!r} is outside of {_EXTENSION!r}, where it is not read" for name in unknown if name in _EXTENSION_MEMBERS
    ]


def _is_of(url: str, origin: Origin | None) -> bool:
    # A backslash and user information are read in different ways.
    return origin is not None and not {"\\", "@", "#"}.intersection(url) and find_origin(url) == origin


def _registry_purpose(card: AgentCard) -> Purpose | None:
    purpose = (card.purpose or "").lower()
    if purpose in get_args(Purpose):
        return cast("Purpose", purpose)
    return _PURPOSES.get(purpose) or ("user-triggered" if card.trigger == "fetcher" else None)


def _obeys(card: AgentCard) -> Obeys:
    # False means that sites cannot assume it.
    return "not-documented" if card.compliance is None else "yes" if card.compliance else "might-ignore"
