"""Page-level rules: what a page says of itself, in its headers, its HTML and its origin's TDM file.

headers, HTML, tdmrep.json -> PageRules -> (agent, now, Verdict of robots.txt) -> PageVerdict
"""
