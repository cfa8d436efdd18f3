"""Page-level rules: what headers, meta elements and TDMRep permit crawlers to do with a page.

headers, HTML, tdmrep.json -> PageRules -> (agent, now, Verdict of robots.txt) -> PageVerdict
"""

from canfetch.pages.annotations import NoSnippet, QualifiedLink
from canfetch.pages.dialects import PAGE_DIALECTS, PageDialect
from canfetch.pages.directives import Directive, DirectiveNote
from canfetch.pages.page_rules import PageNote, PageRules, parse_page
from canfetch.pages.positions import PagePosition, PageSource
from canfetch.pages.tdm import Reservation, ReservationNote, TDMFile
from canfetch.pages.verdict import PageDecision, PageReason, PageVerdict

__all__ = [
    "PAGE_DIALECTS",
    "Directive",
    "DirectiveNote",
    "NoSnippet",
    "PageDecision",
    "PageDialect",
    "PageNote",
    "PagePosition",
    "PageReason",
    "PageRules",
    "PageSource",
    "PageVerdict",
    "QualifiedLink",
    "Reservation",
    "ReservationNote",
    "TDMFile",
    "parse_page",
]
