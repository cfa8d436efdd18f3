"""The terms of an RSL document for one use of one URL.

1. Of the content elements that contain the URL, the one with the most specific pattern that states something on the use
   decides; several with the same specificity count together.
2. A narrower usage overrides a broader one: `ai-train` overrides `ai-all`, and `ai-all` overrides `all`.
3. What is both permitted and prohibited is prohibited.
4. A license that permits usages permits no other one. Several licenses for one content are alternatives.
5. A permission with a condition is not an allowance: the caller may not fulfil it.

Source: RSL 1.0 sections 3.1.1, 3.3, 3.5, 3.6, 3.7 and 3.12.
"""

from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from typing import Final, NamedTuple

from canfetch.consent.purposes import RSL_USAGES
from canfetch.consent.rsl import RSLContent, RSLDocument, RSLLicense, RSLPayment, RSLTerm, RSLTermType
from canfetch.core.extensions.preference import Preference, UsagePurpose

# Other types of payment have to be agreed on.
_WITHOUT_PAYMENT: Final = frozenset({None, "free", "attribution"})
_FAULTY: Final = "the document has errors, so that it permits nothing"
_PROHIBITED: Final = "a prohibition overrides it"
_BROADER: Final = "a narrower usage overrides it"
_LESS_SPECIFIC: Final = "a more specific content element overrides it"


class StatedTerm(NamedTuple):
    """What a document states on a use.

    Attributes:
        preference: Disallow, allow, or unknown for a permission with conditions and for a document that states nothing.
        text: The words of the term. Empty if nothing is stated.
        note: The conditions, or why nothing is stated.
        line: The line of the term, or of the content, from 1, or None.
        is_conditional: Whether it is a permission with conditions.
        content_url: The URL or the pattern of the content that the term applies to. Empty for the page itself, and if
            nothing is stated.
    """

    preference: Preference
    text: str
    note: str
    line: int | None
    is_conditional: bool = False
    content_url: str = ""


class _Offer(NamedTuple):
    """A license and the content that it belongs to."""

    content: RSLContent
    terms: RSLLicense


def stated_terms(document: RSLDocument, url: str, purpose: UsagePurpose, *, is_scope: bool) -> list[StatedTerm]:
    """Return what a document states on a use of a URL; at least one term.

    Args: is_scope: Whether the page names or contains the document, so that an empty `url` means the page.
    Cost: O(bytes of the document times bytes of the URL) at worst.
    """
    matching = [(found, one) for one in document.contents if (found := one.match(url, is_scope=is_scope)) is not None]
    matching.sort(key=itemgetter(0), reverse=True)
    stated: list[StatedTerm] = []
    for _, group in groupby(matching, key=itemgetter(0)):
        offers = [_Offer(content, terms) for _, content in group for terms in content.licenses]
        terms = _terms_of(offers, purpose)
        stated += (_overridden(one, _LESS_SPECIFIC) for one in terms) if stated else terms
    if stated:
        return _without_faulty_permissions(stated, document) if document.problems else stated
    if matching:
        line = matching[0][1].line
        subject = "what was read of it" if document.problems else "it"
        return [StatedTerm(Preference.UNKNOWN, "", f"{subject} states nothing on {purpose}", line)]
    note = "it cannot be read" if document.problems else "it states nothing on this URL"
    return [StatedTerm(Preference.UNKNOWN, "", note, None)]


def _without_faulty_permissions(terms: list[StatedTerm], document: RSLDocument) -> list[StatedTerm]:
    return [without_allowance(one, f"{_FAULTY}: {document.problems[0]}") for one in terms]


def without_allowance(term: StatedTerm, reason: str) -> StatedTerm:
    """Return the term, as a fact if it is an allowance."""
    if term.preference is not Preference.ALLOW:
        return term
    return term._replace(preference=Preference.UNKNOWN, note="; ".join(filter(None, (term.note, reason))))


def _terms_of(offers: list[_Offer], purpose: UsagePurpose) -> Iterator[StatedTerm]:
    """Yield the terms that decide, and those that they override as facts."""
    has_decided = False
    narrower: frozenset[str] = frozenset()
    for tokens in RSL_USAGES[purpose]:
        prohibited = [
            _prohibition(offer, term, _words("prohibits", term))
            for offer in offers
            for term in _naming(offer.terms.prohibits, tokens, narrower)
        ]
        permitted = [
            _permission(offer, term) for offer in offers for term in _naming(offer.terms.permits, tokens, narrower)
        ]
        if has_decided:
            yield from (_overridden(one, _BROADER) for one in (*prohibited, *permitted))
        else:
            yield from prohibited or permitted
            yield from (_overridden(one, _PROHIBITED) for one in (permitted if prohibited else ()))
        has_decided = has_decided or bool(prohibited or permitted)
        narrower |= tokens
    if not has_decided:
        note = f"which does not include {purpose}"
        for offer in offers:
            for term in _usages(offer.terms.permits):
                yield _prohibition(offer, term, f"{_words('permits', term)} only", note)


def _overridden(term: StatedTerm, note: str) -> StatedTerm:
    return term._replace(preference=Preference.UNKNOWN, note=note, is_conditional=False)


def _prohibition(offer: _Offer, term: RSLTerm, text: str, note: str = "") -> StatedTerm:
    return StatedTerm(Preference.DISALLOW, text, note, term.line, content_url=offer.content.url)


def _permission(offer: _Offer, term: RSLTerm) -> StatedTerm:
    conditions = list(_conditions(offer))
    payment = offer.terms.payment
    note = "; ".join(conditions)
    if not conditions and payment is not None:
        required = "attribution is required" if payment.type == "attribution" else ""
        note = "; ".join(filter(None, (required, payment.standard and f"by the terms {payment.standard}")))
    preference = Preference.UNKNOWN if conditions else Preference.ALLOW
    return StatedTerm(preference, _words("permits", term), note, term.line, bool(conditions), offer.content.url)


def _conditions(offer: _Offer) -> Iterator[str]:
    """Yield the conditions of a license that a caller may not fulfil. Addresses in them are not read."""
    content, terms = offer
    if content.server is not None:
        yield f"the server {content.server} has to issue a license"
    if content.encrypted:
        yield "the content is encrypted"
    payment = _payment_words(terms.payment)
    if payment:
        yield f"payment: {payment}"
    for kind, noun in ((RSLTermType.USER, "users"), (RSLTermType.GEO, "countries")):
        yield from (f"only for {noun}: {_limit(term)}" for term in terms.permits if term.type is kind)
        yield from (f"not for {noun}: {_limit(term)}" for term in terms.prohibits if term.type is kind)
    if terms.reporting:
        yield f"reports are required: {' '.join(terms.reporting)}"


def _limit(term: RSLTerm) -> str:
    values = " ".join(term.values)
    return values.upper() if term.type is RSLTermType.GEO else values


def _payment_words(payment: RSLPayment | None) -> str:
    """Return the words of a payment, or an empty string if there is nothing to pay or to agree on."""
    if payment is None:
        return ""
    parts = (payment.type, payment.amount, payment.standard, payment.custom, payment.accepts)
    words = ", ".join(filter(None, parts))
    if payment.type not in _WITHOUT_PAYMENT or payment.amount or payment.custom or payment.accepts:
        return words or "unknown"
    # Shared terms such as those of Creative Commons name the attribution. Without a type, they can contain a price.
    return words if payment.type is None and payment.standard else ""


def _usages(terms: Iterable[RSLTerm]) -> Iterator[RSLTerm]:
    return (term for term in terms if term.type is RSLTermType.USAGE)


def _naming(terms: Iterable[RSLTerm], tokens: frozenset[str], narrower: frozenset[str]) -> Iterator[RSLTerm]:
    """Return the terms about usages with one of some tokens, and with no narrower one."""
    usages = _usages(terms)
    return (one for one in usages if not tokens.isdisjoint(one.values) and narrower.isdisjoint(one.values))


def _words(verb: str, term: RSLTerm) -> str:
    return f"{verb} {' '.join(term.values)}"
