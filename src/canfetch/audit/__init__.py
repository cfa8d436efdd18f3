"""Audits: what a site states, what it serves, and what its edge does, in one bounded and polite run.

origin -> robots.txt -> intended file, logs, cache, other addresses -> purposes -> sitemaps, pages -> edge -> report

- `procedure` runs the parts in this order. Open it first.
- `report` has the findings and their JSON form. `text_report` and `html_report` show that form to people,
  and `stored_report` checks it when it is read from a file.
- `intended` finds the file that an address should serve, and `served` compares files by behaviour. `purposes` lists who
  may fetch the site for what, `listed_pages` checks what sitemaps list, and `page_resources` what pages need. `edge`
  compares the answers to crawlers with those to a browser, and `edge_files` their robots.txt with that of the audit.
- `crawls` compares access logs and skip reports with the rules.
- `site_requests` sends all requests, counted and at the pace of the site.

A site that fails in any way is described by the report. Only an error of the caller raises.
"""

from canfetch.audit.crawls import CrawlRecords
from canfetch.audit.findings import AuditFinding, AuditKind
from canfetch.audit.html_report import html_page
from canfetch.audit.procedure import AuditPlan, audit
from canfetch.audit.report import (
    AuditReport,
    CrawlerAccess,
    EdgeAnswer,
    HostCheck,
    ListedPages,
    LogRecords,
    PurposeAccess,
    SkipRecords,
)
from canfetch.audit.text_report import text_lines

__all__ = [
    "AuditFinding",
    "AuditKind",
    "AuditPlan",
    "AuditReport",
    "CrawlRecords",
    "CrawlerAccess",
    "EdgeAnswer",
    "HostCheck",
    "ListedPages",
    "LogRecords",
    "PurposeAccess",
    "SkipRecords",
    "audit",
    "html_page",
    "text_lines",
]
