"""Where a page comes from: files and headers that are given, or its own server, asked as a crawler would ask it."""

import time
from contextlib import closing
from typing import Any, Final, NamedTuple, Protocol
from urllib.parse import urljoin

from canfetch.access.responses import Failure, Response
from canfetch.cli.shared.input_files import close_input, open_input
from canfetch.cli.shared.network_options import NetworkOptions
from canfetch.cli.shared.problems import Problem
from canfetch.core.agent import Agent
from canfetch.core.document import RobotsTxt, parse
from canfetch.core.origin import Origin
from canfetch.core.quoting import quoted
from canfetch.core.verdict import Verdict
from canfetch.errors import CanfetchError, InvalidURL
from canfetch.pages.page_rules import PageRules, parse_page
from canfetch.pages.tdm import MAX_TDM_BYTES, TDM_FILE_PATH

# As many as Googlebot follows.
_MOST_REDIRECTS: Final = 10
_REDIRECTS: Final = (301, 302, 303, 307, 308)
_SUCCESS: Final = 2
_NOT_THERE: Final = (404, 410)
_WAIT_SECONDS: Final = 10.0
# UTF-16 takes two octets where UTF-8 takes one, and the cut needs the octet behind the limit.
_ROBOTS_OCTETS: Final = 2 * 512_000 + 4


class PageQuestion(NamedTuple):
    """The options of `canfetch page`, as given."""

    url: str | None
    agents: tuple[str, ...]
    exact: bool
    html: str | None
    headers: tuple[str, ...]
    robots: str | None
    tdm_file: str | None
    dialect: str | None
    profile: str
    now: str | None
    max_bytes: int
    format: str
    no_color: bool
    quiet: bool
    network: NetworkOptions

    @property
    def is_given(self) -> bool:
        """Whether the page is given, and nobody is asked."""
        return self.html is not None or bool(self.headers)


class Seen(NamedTuple):
    """What an agent gets to see: the page's rules, the verdict of robots.txt, and how the page was come by."""

    rules: PageRules
    robots: Verdict | None
    fetched: dict[str, Any] | None


class Pages(Protocol):
    """Gives an agent the page."""

    def seen_by(self, agent: Agent) -> Seen:
        """Give what the agent gets to see."""

    def close(self) -> None:
        """Give back what is held."""


def pages_of(question: PageQuestion) -> Pages:
    """Give the page that a question is about.

    Raises: Problem: it cannot be read, or the options do not fit.
    """
    if question.is_given:
        return _GivenPage(question)
    if question.url is None:
        raise Problem("no page: give its URL, or --html FILE, or --header 'X-Robots-Tag: ...'")
    if question.network.offline:
        raise Problem("--offline asks nobody, and no page is kept: give --html FILE or --header")
    if question.robots is not None or question.tdm_file is not None:
        raise Problem("--robots and --tdm-file go with a page that is given: add --html FILE or --header")
    return _FetchedPages(question, question.url)


class _GivenPage:
    """The same page for everyone."""

    def __init__(self, question: PageQuestion) -> None:
        if question.url is None and question.robots is not None:
            raise Problem("--robots needs to know what it is asked about: give the page's URL, too")
        if question.url is None and question.tdm_file is not None:
            raise Problem("--tdm-file says what holds for which path: give the page's URL, too")
        named = [question.html, question.robots, question.tdm_file]
        if named.count("-") > 1:
            raise Problem("standard input can be read once: give one of the two as a file")
        self._url = question.url
        html = None if question.html is None else _read(question.html, "--html", question.max_bytes + 1)
        tdm_file = None
        if question.tdm_file is not None:
            tdm_file = _read(question.tdm_file, "--tdm-file", MAX_TDM_BYTES + 1)
        self._rules = parse_page(
            html,
            headers=[_header(line) for line in question.headers],
            url=question.url,
            tdm_file=tdm_file,
            max_bytes=question.max_bytes,
        )
        self._robots: RobotsTxt | None = None
        if question.robots is not None:
            self._robots = parse(_read(question.robots, "--robots", _ROBOTS_OCTETS), profile=question.profile)

    def seen_by(self, agent: Agent) -> Seen:
        robots = None
        if self._robots is not None and self._url is not None:
            robots = self._robots.decide(self._url, agent=agent)
        return Seen(self._rules, robots, None)

    def close(self) -> None:
        """Nothing is held."""


class _FetchedPages:
    """The page as its server sends it to those whom robots.txt lets; every redirect is asked about, too."""

    def __init__(self, question: PageQuestion, url: str) -> None:
        # None of it is needed beside a given page, and all of it costs a start some time.
        from canfetch.cli.shared.origin_lookup import Origins  # noqa: PLC0415
        from canfetch.cli.shared.progress import Progress  # noqa: PLC0415
        from canfetch.client.transports.stdlib_transport import StdlibTransport  # noqa: PLC0415

        self._question = question
        self._url = url
        self._origins = Origins(question.network, say=Progress().say, profile=question.profile)
        self._transport = StdlibTransport()
        # Failures, too: what did not come for one agent is not waited for again for the next.
        self._answers: dict[str, Response | Failure] = {}

    def seen_by(self, agent: Agent) -> Seen:
        url = self._url
        hops: list[dict[str, Any]] = []
        while True:
            verdict = self._robots_verdict(url, agent)
            fetched: dict[str, Any] = {"url": url, "status": None, "octets": 0, "hops": list(hops)}
            if not verdict.allowed:
                return Seen(parse_page(url=url), verdict, fetched)
            response = self._asked(url)
            if response.status not in _REDIRECTS:
                break
            hops.append({"url": url, "status": response.status})
            if len(hops) > _MOST_REDIRECTS:
                raise Problem(
                    f"{quoted(self._url)} redirects more than {_MOST_REDIRECTS} times: give the URL that it ends at"
                )
            url = _place(url, response)
        if response.status // 100 != _SUCCESS:
            raise Problem(f"{quoted(url)} answers {response.status}, and so is no page: give the URL of one")
        fetched |= {"status": response.status, "octets": len(response.body)}
        tdm = self._tdm_file(url, agent)
        rules = parse_page(
            response.body,
            headers=response.headers,
            url=url,
            tdm_file=tdm.octets,
            max_bytes=self._question.max_bytes,
        )
        return Seen(rules if tdm.problem is None else rules.with_unreachable_tdm_file(tdm.problem), verdict, fetched)

    def close(self) -> None:
        self._transport.close()
        self._origins.close()

    def _robots_verdict(self, url: str, agent: Agent) -> Verdict:
        rows = self._origins.ahead(iter([url]), url_of=_as_it_is, weight_of=len, most_weight=1)
        with closing(rows):
            _, known = next(rows)
        if isinstance(known, CanfetchError | Problem):
            raise known
        return known.decide(url, agent, time.time())

    def _asked(self, url: str) -> Response:
        """Ask for a URL once, whoever wants it.

        Raises: Problem: there is no answer.
        """
        answer = self._answer(url, self._question.max_bytes)
        if isinstance(answer, Failure):
            raise Problem(
                f"{quoted(url)} gives no page, {answer.kind}: {answer.detail}: try again, or give --html FILE"
            )
        return answer

    def _answer(self, url: str, max_bytes: int) -> Response | Failure:
        answer = self._answers.get(url)
        if answer is None:
            answer = self._answers[url] = self._ask(url, max_bytes)
        return answer

    def _ask(self, url: str, max_bytes: int) -> Response | Failure:
        from canfetch.client.transports import TransportRequest  # noqa: PLC0415 - as above

        network = self._question.network
        wait = min(_WAIT_SECONDS, network.timeout)
        return self._transport.send(
            TransportRequest(
                url=url,
                headers=(("User-Agent", network.user_agent), ("Accept", "text/html, */*;q=0.5")),
                max_bytes=max_bytes,
                connect_timeout=wait,
                read_timeout=wait,
                timeout=network.timeout,
                allow_private=not network.public_only,
            )
        )

    def _tdm_file(self, url: str, agent: Agent) -> "_TDMAnswer":
        """Ask for the origin's TDM file, where it may be fetched."""
        place = f"{Origin.from_url(url)}{TDM_FILE_PATH}"
        if not self._robots_verdict(place, agent).allowed:
            return _TDMAnswer()
        for _ in range(_MOST_REDIRECTS + 1):
            answer = self._answer(place, MAX_TDM_BYTES)
            if isinstance(answer, Failure):
                return _TDMAnswer(problem=f"{quoted(place)} gives no answer, {answer.kind}: {answer.detail}")
            if answer.status in _NOT_THERE:
                return _TDMAnswer()
            if answer.status // 100 == _SUCCESS:
                return _TDMAnswer(answer.body)
            if answer.status not in _REDIRECTS:
                return _TDMAnswer(problem=f"{quoted(place)} answers {answer.status}")
            try:
                place = _place(place, answer)
                if not self._robots_verdict(place, agent).allowed:
                    return _TDMAnswer(problem=f"robots.txt does not let {quoted(place)} be fetched")
            except (CanfetchError, Problem) as error:
                return _TDMAnswer(problem=str(error))
        return _TDMAnswer(problem=f"it redirects more than {_MOST_REDIRECTS} times")


class _TDMAnswer(NamedTuple):
    """The octets of a TDM file, None where there is none; or why it is not known whether there is one."""

    octets: bytes | None = None
    problem: str | None = None


def _as_it_is(url: str) -> str:
    if url.startswith("/"):
        raise InvalidURL(f"{quoted(url)} has no origin to ask: give an absolute URL, or the page with --html FILE")
    return url


def _place(base: str, response: Response) -> str:
    """Give the place that a redirect names.

    Raises: Problem: it names none that can be followed.
    """
    location = (response.header("location") or "").strip()
    try:
        place = urljoin(base, location).partition("#")[0]
        if location and Origin.from_url(place).scheme in {"http", "https"}:
            return place
    except ValueError:
        # What urljoin cannot read, or what is no URL.
        pass
    raise Problem(f"{quoted(base)} redirects to {quoted(location)}, which cannot be followed: give another URL")


def _header(line: str) -> tuple[str, str]:
    name, colon, value = line.partition(":")
    if not colon or not name.strip() or " " in name.strip():
        raise Problem(f"--header {line[:100]!r} is no header: give one such as 'X-Robots-Tag: noindex'")
    return name.strip(), value.strip()


def _read(name: str, option: str, most_octets: int) -> bytes:
    stream = open_input(name, option)
    try:
        return stream.read(most_octets)
    except OSError as error:
        raise Problem(f"{option} {quoted(name)} cannot be read: {error.strerror}: give another file") from None
    finally:
        close_input(stream)
