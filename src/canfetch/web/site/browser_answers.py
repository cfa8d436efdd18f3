"""The answers that the tester page computes in the browser, in Python without a server.

The page sends what it sends to the HTTP API, and receives the same JSON: `tests/web/test_browser_answers.py` compares
both. Only the standard library and `idna` exist there. Requests are not validated, because the page writes them.

HTML is read with Python's own parser, with the rules of the standard that it lacks. The parser of Python before 3.14
finds other tags. `tests/web/page/test_browser_linter.py` compares what both find.

Source: WHATWG HTML sections 13.2.5.4 (script data), 13.2.5.42 (declarations) and 13.2.5.43 (comments).
"""

import json
import re
import time
from collections.abc import Callable, Mapping, Sequence
from html.parser import HTMLParser
from importlib.util import find_spec
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

from canfetch.access.editions import choose_profile
from canfetch.answers.comparison import compare_verdicts
from canfetch.answers.crawlers import match_user_agent, requested_agents
from canfetch.answers.linting import (
    MAX_FIXED_BYTES,
    LintRequest,
    fix_file,
    format_content,
    lint_file,
)
from canfetch.answers.pages import page_table, parse_header_lines
from canfetch.answers.problems import problem_code
from canfetch.answers.site_facts import site_facts
from canfetch.answers.use import use_table
from canfetch.core.document import RobotsTxt, parse
from canfetch.core.text import content_bytes, printable_text
from canfetch.errors import CanfetchError, InvalidOption
from canfetch.pages import html
from canfetch.pages.page_rules import parse_page

_Body = Mapping[str, Any]
_EMPTY_COMMENT: Final = re.compile("-?>")
_SCRIPT_PART: Final = re.compile(r"<!--(?!-*>)|-->|<(/?)script(?=[\t\n\r\f />])", re.IGNORECASE)


def answer(path: str, body: str) -> str:
    """Return the outcome of a request as JSON: an object with `value`, or with `problem` (RFC 9457).

    Args:
        path: The path below `/v1/`, with its query, such as `lint` or `agents/find?user_agent=GPTBot`.
        body: The JSON of the request, empty if it has none.
    """
    split = urlsplit(path)
    try:
        if split.path == "agents/find":
            value: Mapping[str, Any] = match_user_agent(parse_qs(split.query)["user_agent"][0]).to_json()
        else:
            value = _ANSWERS[split.path](json.loads(body))
        # Long lists are iterators.
        return json.dumps({"value": value}, default=list)
    except CanfetchError as error:
        status, code, detail = 422, problem_code(error), str(error)
    except Exception as error:  # noqa: BLE001 - the page shows it, and stays usable
        status, code, detail = 500, "internal-error", repr(error)
    problem = {"type": f"urn:canfetch:problem:{code}", "title": "not answered", "status": status}
    return json.dumps({"problem": {**problem, "detail": printable_text(detail)}})


def _content(body: _Body, key: str = "content", encoding: str = "content_encoding") -> bytes:
    return content_bytes(body[key], body.get(encoding, "utf-8"))


def _robots(body: _Body) -> RobotsTxt:
    return parse(_content(body), profile=_profile(body))


def _profile(body: _Body) -> str:
    return choose_profile(body.get("profile"), body.get("edition"))


def _lint_request(body: _Body) -> LintRequest:
    return LintRequest(_content(body), body.get("robots_url"), body.get("language", "en"))


def _lint(body: _Body) -> Mapping[str, Any]:
    return lint_file(_lint_request(body)).to_json()


def _fix(body: _Body) -> Mapping[str, Any]:
    request = _lint_request(body)
    if len(request.content) > MAX_FIXED_BYTES:
        raise InvalidOption(f"the file is larger than {MAX_FIXED_BYTES >> 10} KiB: run `canfetch lint --fix`")
    return fix_file(request).to_json()


def _format(body: _Body) -> Mapping[str, Any]:
    return format_content(_content(body)).to_json()


def _facts(body: _Body) -> Mapping[str, Any]:
    return site_facts(_robots(body), requested_agents(body.get("agents", ())), now=time.time()).to_json()


def _use(body: _Body) -> Mapping[str, Any]:
    agents, headers, tdm_file = requested_agents(body["agents"]), body.get("headers", ""), body.get("tdm_file")
    return use_table(_robots(body), body["url"], agents, headers=headers, tdm_file=tdm_file, now=time.time()).to_json()


def _page(body: _Body) -> Mapping[str, Any]:
    agents, headers, url = requested_agents(body["agents"]), parse_header_lines(body["headers"]), body.get("url")
    rules = parse_page(body["html"] or None, headers=headers, url=url)
    robots = parse(_content(body, "robots", "robots_encoding"), profile=_profile(body)) if "robots" in body else None
    return page_table(url, rules, agents, robots=robots, now=time.time(), dialect=body.get("dialect")).to_json()


def _compare(body: _Body) -> Mapping[str, Any]:
    old, new = _content(body, "old", "old_encoding"), _content(body, "new", "new_encoding")
    agents = requested_agents(body["agents"])
    return compare_verdicts(old, new, body.get("urls", ()), agents, profile=_profile(body)).to_json()


_ANSWERS: Final[Mapping[str, Callable[[_Body], Mapping[str, Any]]]] = {
    "lint": _lint,
    "fix": _fix,
    "format": _format,
    "facts": _facts,
    "use": _use,
    "page": _page,
    "compare": _compare,
}


def _feed_target(source: bytes, target: Any) -> None:
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


if find_spec("lxml") is None:
    html.feed_target = _feed_target
