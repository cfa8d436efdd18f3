"""Writing robots.txt: drafts built rule by rule, and site policies that are rendered and verified.

Draft -> robots.txt
TOML -> SitePolicy -> (registry) Resolution -> Draft -> bytes -> RobotsTxt -> Proof
                                            -> server rules, X-Robots-Tag headers

- `policy_file` parses a policy with its environments, and `policy_tables` the tables of each. `hosts` has the patterns
  of their hosts, and `closing` decides whether a robots.txt closes the site.
- `resolution` finds the crawlers that each of its intents applies to.
- `policy_compiler` writes the policy as a draft, `rendering` renders the result, and `servers` has one module for each
  server.
- `refusal` is what crawlers get from a server or a middleware in place of what they may not fetch.
- `proof` parses the rendered file. The verdicts of every crawler in every profile are compared with the policy, through
  code that shares only the normalisation of patterns.
- `formatting` is the formatter of existing files, and `recipes` has the files that `canfetch init` writes.
"""

from canfetch.author.draft import Draft, DraftGroup
from canfetch.author.formatting import FormatResult, format_robots
from canfetch.author.hosts import HostPattern
from canfetch.author.policy_file import parse_policy
from canfetch.author.proof import IntentProof, Proof, Shortfall, prove
from canfetch.author.refusal import Refusal
from canfetch.author.rendering import render_policy
from canfetch.author.site_policy import Audience, Environment, Intent, PageIntent, SitePolicy
from canfetch.author.validation import literal_path

__all__ = [
    "Audience",
    "Draft",
    "DraftGroup",
    "Environment",
    "FormatResult",
    "HostPattern",
    "Intent",
    "IntentProof",
    "PageIntent",
    "Proof",
    "Refusal",
    "Shortfall",
    "SitePolicy",
    "format_robots",
    "literal_path",
    "parse_policy",
    "prove",
    "render_policy",
]
