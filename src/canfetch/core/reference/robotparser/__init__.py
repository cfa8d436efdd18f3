"""The readings of Python's own urllib.robotparser, before its rewrite for RFC 9309 and after.

It decodes before it looks, knows lines as `str` does, and asks whether a group's name is within the crawler's;
so it shares nothing with the other profiles but the questions. Written from its documented and observed
behaviour; what raises there is a rule that matches nothing here, or a URL that no rule matches.
"""

from canfetch.core.reference.robotparser.file import compile_file

__all__ = ["compile_file"]
