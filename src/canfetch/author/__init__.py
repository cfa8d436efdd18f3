"""Writing a robots.txt: built rule by rule, made from what a site wants, and shown to say just that.

Draft -> octets
TOML -> SitePolicy -> Draft -> octets -> Proof
                   -> rules for servers, X-Robots-Tag headers
"""
