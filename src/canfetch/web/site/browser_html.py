"""HTML in the browser, where lxml does not exist: Python's own parser, with the rules of the standard that it lacks.

`tests/web/page/test_browser_linter.py` compares what both find. The parser of Python before 3.14 finds other tags.

Source: WHATWG HTML sections 13.2.5.4 (script data), 13.2.5.42 (declarations) and 13.2.5.43 (comments).
"""

import re
from collections.abc import Sequence
from html.parser import HTMLParser
from typing import Any, Final

_EMPTY_COMMENT: Final = re.compile("-?>")
_SCRIPT_PART: Final = re.compile(r"<!--(?!-*>)|-->|<(/?)script(?=[\t\n\r\f />])", re.IGNORECASE)


def feed_target(source: bytes, target: Any) -> None:
    """Pass the tags and the text of a page in UTF-8 to a target of lxml's parser. Cost: O(bytes)."""
    parser = _Parser(target)
    parser.feed(source.decode("utf-8", "replace").replace("\0", "\ufffd"))
    parser.close()


class _ScriptEnd:
    """Finds the end of a script like a regular expression. In a comment, a script can contain another one."""

    def search(self, text: str, start: int) -> re.Match[str] | None:
        """Return the end tag, or None."""
        # 1 in a comment, 2 in a script in a comment.
        depth = 0
        for part in _SCRIPT_PART.finditer(text, start):
            if part[1] is None:
                depth = 0 if part[0] == "-->" else depth or 1
            elif part[1] == "":
                depth += depth == 1
            elif depth < 2:
                return part
            else:
                depth = 1
        return None


class _Parser(HTMLParser):
    def __init__(self, target: Any) -> None:
        super().__init__()
        self._target = target

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        attributes: dict[str, str] = {}
        for name, value in attrs:
            attributes.setdefault(name, value or "")
        self._target.start(tag, attributes)

    def handle_startendtag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        self._target.end(tag)

    def handle_data(self, data: str) -> None:
        self._target.data(data)

    def set_cdata_mode(self, elem: str, **options: Any) -> None:
        super().set_cdata_mode(elem, **options)
        if elem == "script":
            self.interesting: Any = _ScriptEnd()

    def parse_comment(self, i: int, *options: Any) -> int:
        end = _EMPTY_COMMENT.match(self.rawdata, i + 4)
        return end.end() if end else super().parse_comment(i, *options)

    def parse_html_declaration(self, i: int) -> int:
        # Only SVG and MathML have sections of CDATA.
        if self.rawdata.startswith("<![CDATA[", i):
            return self.parse_bogus_comment(i)
        return super().parse_html_declaration(i)
