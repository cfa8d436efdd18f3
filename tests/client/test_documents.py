"""The procedures that fetch documents, with scripted servers in place of a network."""

from functools import partial
from typing import Any

import pytest

from canfetch import parse
from canfetch.access.responses import Failure, FailureKind, Response
from canfetch.answers.pages import PageView, fetch_page
from canfetch.client.documents import FetchStep, NotFetched, Step, run_steps
from canfetch.core.origin import Origin
from canfetch.errors import CanfetchError, InvalidURL, RequestNotSent

ROBOTS = parse(b"User-agent: *\nDisallow: /closed\n")
PAGE = "https://example.com/page"
TDM_FILE = "https://example.com/.well-known/tdmrep.json"


def redirect(location: str) -> Response:
    return Response("", 302, (("Location", location),), b"")


def perform(sites: dict[str, Response | Failure], step: Step) -> Any:
    if isinstance(step, FetchStep):
        return sites.get(step.url, Response(step.url, 404, (), b""))
    if "//busy.example" in step.url:
        raise Busy
    if Origin.from_url(step.url).scheme not in {"http", "https"}:
        raise InvalidURL(f"invalid URL {step.url}")
    return ROBOTS.decide(step.url, agent="ExampleBot")


class Busy(CanfetchError):
    """Raised in place of a step that the front end refuses to perform."""


def view_with(tdm_file: Response | Failure) -> PageView:
    html = Response(PAGE, 200, (("Content-Type", "text/html"), ("X-Robots-Tag", "noindex")), b"<html></html>")
    return run_steps(fetch_page(PAGE, max_bytes=1_000_000), partial(perform, {PAGE: html, TDM_FILE: tdm_file}))


# Whatever the site responds for the TDM file, the rules of the page are known.
@pytest.mark.parametrize(
    "tdm_file, problem",
    [
        (redirect(TDM_FILE), "too many redirects from "),
        (redirect("ftp://example.com/x"), "cannot follow the redirect of "),
        (redirect("mailto:x@example.com"), "cannot follow the redirect of "),
        (redirect("https://[/x"), "cannot follow the redirect of "),
        (Response("", 302, (), b""), "cannot follow the redirect of "),
        (redirect("/closed"), "robots.txt disallows "),
        (Response("", 500, (), b""), f"'{TDM_FILE}' responded with status 500"),
        *(
            (Failure("", kind, "x"), f"cannot fetch '{TDM_FILE}': {kind}: x")
            for kind in FailureKind
            if kind is not FailureKind.LOCAL
        ),
    ],
)
def test_a_tdm_file_that_cannot_be_fetched_is_a_problem_of_the_page(tdm_file: Response | Failure, problem: str) -> None:
    rules = view_with(tdm_file).rules
    assert rules.tdm_file is not None
    assert rules.tdm_file.problem is not None
    assert rules.tdm_file.problem.startswith(problem)
    assert [directive.name for directive in rules.directives] == ["noindex"]


def test_a_failure_of_this_machine_is_not_a_problem_of_the_page() -> None:
    with pytest.raises(RequestNotSent, match=r"/\.well-known/tdmrep\.json was not requested: no connection"):
        view_with(Failure("", FailureKind.LOCAL, "no connection"))


@pytest.mark.parametrize("status", [404, 410])
def test_a_tdm_file_that_does_not_exist_is_not_a_problem(status: int) -> None:
    assert view_with(Response("", status, (), b"")).rules.tdm_file is None


def test_a_page_that_cannot_be_fetched_is_an_error() -> None:
    for response in (redirect(PAGE), redirect("ftp://example.com/x"), Response("", 500, (), b"")):
        with pytest.raises(NotFetched):
            run_steps(fetch_page(PAGE, max_bytes=1_000_000), partial(perform, {PAGE: response}))


def test_a_step_that_the_front_end_refuses_ends_the_procedure() -> None:
    with pytest.raises(Busy):
        view_with(redirect("https://busy.example/x"))
