"""Page-level rules and resources: what headers, meta elements and TDMRep permit crawlers to do with a page.

headers, HTML, tdmrep.json -> PageRules -> (agent, now, Verdict of robots.txt) -> PageVerdict

`page_rules` is the file to open first. `headers`, `html` and `tdm` read the sources, `directive_lists` and `directives`
parse their values as each of the `dialects` does, and `decisions` combines them to the decisions of a `verdict`.
`license_links` finds the licenses of a page, and `resources` what a browser loads with it. `style_imports` reads what a
style sheet imports, and `refresh` where a page forwards to.

At most 2 MiB of a page are read unless the caller sets a higher limit, 64 KiB of its headers, and 500 KiB of a TDM
file. The HTML is parsed as a stream of tags, so that deeply nested HTML costs no more than its bytes.
"""

from canfetch.pages.annotations import NoSnippet, QualifiedLink
from canfetch.pages.dialects import PAGE_DIALECTS, PageDialect
from canfetch.pages.directives import Directive, DirectiveNote
from canfetch.pages.license_links import LicenseLink
from canfetch.pages.page_rules import PageNote, PageRules, parse_page
from canfetch.pages.positions import PagePosition, PageSource
from canfetch.pages.resources import PageResources, Resource, ResourceKind, ResourceNote, parse_resources
from canfetch.pages.tdm import Reservation, ReservationNote, TDMFile
from canfetch.pages.verdict import PageDecision, PageReason, PageVerdict

__all__ = [
    "PAGE_DIALECTS",
    "Directive",
    "DirectiveNote",
    "LicenseLink",
    "NoSnippet",
    "PageDecision",
    "PageDialect",
    "PageNote",
    "PagePosition",
    "PageReason",
    "PageResources",
    "PageRules",
    "PageSource",
    "PageVerdict",
    "QualifiedLink",
    "Reservation",
    "ReservationNote",
    "Resource",
    "ResourceKind",
    "ResourceNote",
    "TDMFile",
    "parse_page",
    "parse_resources",
]
