"""Writing robots.txt: drafts built rule by rule, and site policies that are rendered and verified.

Draft -> robots.txt
TOML -> SitePolicy -> Draft -> robots.txt -> Proof
                   -> server rules, X-Robots-Tag headers
"""

from canfetch.author.draft import Draft, DraftGroup
from canfetch.author.formatting import FormatResult, format_robots
from canfetch.author.policy_file import parse_policy
from canfetch.author.proof import IntentProof, Proof, Shortfall, prove
from canfetch.author.rendering import render_policy
from canfetch.author.site_policy import Audience, Intent, PageIntent, SitePolicy
from canfetch.author.validation import literal_path

__all__ = [
    "Audience",
    "Draft",
    "DraftGroup",
    "FormatResult",
    "Intent",
    "IntentProof",
    "PageIntent",
    "Proof",
    "Shortfall",
    "SitePolicy",
    "format_robots",
    "literal_path",
    "parse_policy",
    "prove",
    "render_policy",
]
