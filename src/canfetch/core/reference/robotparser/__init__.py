"""The profiles of Python's own urllib.robotparser, before and after its rewrite for RFC 9309.

urllib.robotparser decodes values before comparing them, splits lines as `str.splitlines` does, and checks whether a
group's name is part of the crawler's. So these profiles share no code with the others, only the interface. They are
written from its documented and observed behaviour. A rule or URL for which urllib.robotparser raises does not match.
"""

from canfetch.core.reference.robotparser.file import compile_file

__all__ = ["compile_file"]
