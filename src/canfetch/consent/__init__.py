"""One answer from all statements of a site on the use of its content: may this be used for that purpose?

robots.txt, response, tdmrep.json -> statements -> UseVerdict

`decision` is the file to open first: it collects what each source states, and combines it. `verdict` has the values,
and `purposes` the names of purposes and the tokens that control them. `rsl` reads RSL documents, `license_terms` finds
what one states on a use, and `licenses` combines all that apply. Nothing here fetches or reads a clock.
"""

from canfetch.consent.decision import may_use
from canfetch.consent.rsl import (
    RSLContent,
    RSLCopyright,
    RSLDocument,
    RSLLegal,
    RSLLicense,
    RSLPayment,
    RSLProblem,
    RSLTerm,
    RSLTermType,
    parse_rsl,
)
from canfetch.consent.sources import MissingSource, PageResponse
from canfetch.consent.verdict import SourceState, StatementKind, UseSource, UseStatement, UseVerdict

__all__ = [
    "MissingSource",
    "PageResponse",
    "RSLContent",
    "RSLCopyright",
    "RSLDocument",
    "RSLLegal",
    "RSLLicense",
    "RSLPayment",
    "RSLProblem",
    "RSLTerm",
    "RSLTermType",
    "SourceState",
    "StatementKind",
    "UseSource",
    "UseStatement",
    "UseVerdict",
    "may_use",
    "parse_rsl",
]
