"""The steps of fetching a robots.txt: redirects, conditional requests, and results."""

import pytest

from canfetch.access.fetch_plan import FetchResult, Request, Validators, first_request, next_step
from canfetch.access.outcomes import evaluate_failure
from canfetch.access.policies import get_policy
from canfetch.access.responses import Failure, FailureKind, Response
from canfetch.core.origin import Origin
from canfetch.core.verdict import Access, Effect
from canfetch.errors import UnknownPolicy

RFC9309 = get_policy("rfc9309")
ORIGIN = Origin.from_url("https://example.com/a?b")
ROBOTS = "https://example.com/robots.txt"


def redirect(url: str, location: str, status: int = 301) -> Response:
    return Response(url, status, (("location", location),), b"")


def follow(location: str, base: str = ROBOTS) -> Request | FetchResult:
    return next_step(Request(base), redirect(base, location), RFC9309)


def test_rfc9309_2_3_first_request_is_for_the_top_level_path() -> None:
    assert first_request(ORIGIN) == Request(ROBOTS)
    assert first_request(ORIGIN).headers == ()
    assert first_request(Origin.from_url("http://user@EXAMPLE.com:8080/x")).url == "http://example.com:8080/robots.txt"


@pytest.mark.parametrize(
    "location, url",
    [
        ("/other", "https://example.com/other"),
        ("other", "https://example.com/other"),
        ("//other.example/robots.txt", "https://other.example/robots.txt"),
        ("http://example.com/robots.txt", "http://example.com/robots.txt"),
        ("ftp://example.com/robots.txt", "ftp://example.com/robots.txt"),
        ("  https://example.com:444/robots.txt#part ", "https://example.com:444/robots.txt"),
        ("?a", "https://example.com/robots.txt?a"),
    ],
)
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_rfc9309_2_3_1_2_redirects_are_followed_to_any_authority(location: str, url: str, status: int) -> None:
    step = next_step(Request(ROBOTS), redirect(ROBOTS, location, status), RFC9309)

    assert isinstance(step, Request)
    assert step.url == url
    assert [hop.status for hop in step.hops] == [status]


@pytest.mark.parametrize(
    "location",
    [
        "",
        "   ",
        "javascript:alert(1)",
        "file:///etc/passwd",
        "data:text/plain,x",
        "https://",
        "https:",
        "//",
        "/r" * 5000,
        "/\U0001f600" * 2000,
    ],
)
def test_redirect_without_a_valid_target_is_unreachable(location: str) -> None:
    step = follow(location)

    assert isinstance(step, FetchResult)
    assert (step.outcome.access, step.outcome.kind) == (Access.UNREACHABLE, "unfollowable_redirect")


@pytest.mark.parametrize("status", [300, 301, 302, 307, 308])
def test_google2019_redirect_without_a_target_is_a_404(status: int) -> None:
    answer = Response(ROBOTS, status, (), b"")
    google2019 = next_step(Request(ROBOTS), answer, get_policy("google2019"))
    rfc9309 = next_step(Request(ROBOTS), answer, RFC9309)

    assert isinstance(google2019, FetchResult)
    assert isinstance(rfc9309, FetchResult)
    assert google2019.outcome.kind == rfc9309.outcome.kind == "unfollowable_redirect"
    assert google2019.outcome.effect is Effect.FULL_ALLOW
    assert rfc9309.outcome.access is Access.UNREACHABLE


def test_joined_redirect_target_is_limited_too() -> None:
    step = follow("/" + "a/" * 2500)
    assert isinstance(step, Request)
    assert isinstance(follow("a" * 3000, step.url), Request)
    assert isinstance(follow("a" * 5000, step.url), FetchResult)


def test_rfc9309_2_3_1_2_five_redirects_are_followed() -> None:
    step: Request | FetchResult = first_request(ORIGIN)
    for number in range(5):
        assert isinstance(step, Request)
        step = next_step(step, redirect(step.url, f"/{number}"), RFC9309)
    assert isinstance(step, Request)
    sixth = next_step(step, redirect(step.url, "/6"), RFC9309)

    assert isinstance(sixth, FetchResult)
    assert sixth.outcome.effect is Effect.FULL_ALLOW
    assert len(sixth.hops) == 6
    found = next_step(step, Response(step.url, 200, (), b"x"), RFC9309)
    assert isinstance(found, FetchResult)
    assert found.outcome.access is Access.SUCCESSFUL


def test_rfc9309_2_3_1_2_loop_is_detected() -> None:
    step = follow("/other")
    assert isinstance(step, Request)
    back = next_step(step, redirect(step.url, ROBOTS), RFC9309)

    assert isinstance(back, FetchResult)
    assert back.outcome.kind == "redirect_overflow"


def test_rfc9111_4_3_conditions_are_sent_to_the_url_of_the_copy() -> None:
    validators = Validators("https://example.com/moved", '"one"', "Thu, 01 Jan 2026 00:00:00 GMT")
    begin = first_request(ORIGIN, validators=validators)
    assert begin.headers == ()

    moved = next_step(begin, redirect(ROBOTS, "/moved"), RFC9309)
    assert isinstance(moved, Request)
    assert moved.headers == (
        ("If-None-Match", '"one"'),
        ("If-Modified-Since", "Thu, 01 Jan 2026 00:00:00 GMT"),
    )
    unchanged = next_step(moved, Response(moved.url, 304, (), b""), RFC9309)
    assert isinstance(unchanged, FetchResult)
    assert unchanged.not_modified

    unexpected = next_step(begin, Response(ROBOTS, 304, (), b""), RFC9309)
    assert isinstance(unexpected, FetchResult)
    assert unexpected.outcome.access is Access.UNREACHABLE


@pytest.mark.parametrize(
    "etag, is_sent",
    [
        ('"one"', True),
        ('W/"one"', True),
        ('W/"one"  ', True),
        ("unquoted-1", True),
        ('""', True),
        ("*", False),
        (" * ", False),
        ('"a", "b"', False),
        ("a,b", False),
        ("a b", False),
        ('"a', False),
        ("", False),
    ],
)
def test_rfc9110_13_1_2_only_one_entity_tag_is_sent(etag: str, *, is_sent: bool) -> None:
    """`If-None-Match: *` would match every file, so that the server would always respond with 304."""
    request = first_request(ORIGIN, validators=Validators(ROBOTS, etag, None))
    assert request.headers == ((("If-None-Match", etag.strip()),) if is_sent else ())


@pytest.mark.parametrize("kind", FailureKind)
def test_rfc9309_2_3_1_4_failure_is_unreachable(kind: FailureKind) -> None:
    step = next_step(Request(ROBOTS), Failure(ROBOTS, kind, "details"), RFC9309)

    assert isinstance(step, FetchResult)
    assert step.outcome.access is Access.UNREACHABLE
    assert step.outcome.detail == f"{kind}: details"


def test_google2019_misconfigured_5xx_is_a_404() -> None:
    begin = first_request(ORIGIN, misconfigured=True)
    answer = Response(ROBOTS, 500, (), b"")

    google2019 = next_step(begin, answer, get_policy("google2019"))
    rfc9309 = next_step(begin, answer, RFC9309)

    assert isinstance(google2019, FetchResult)
    assert isinstance(rfc9309, FetchResult)
    assert google2019.outcome.effect is Effect.FULL_ALLOW
    assert rfc9309.outcome.access is Access.UNREACHABLE


@pytest.mark.parametrize("status", [100, 199, 0, 600, 999])
def test_other_status_is_unreachable(status: int) -> None:
    step = next_step(Request(ROBOTS), Response(ROBOTS, status, (), b""), RFC9309)
    assert isinstance(step, FetchResult)
    assert step.outcome.kind == "other_status"


def test_unknown_policy_raises_and_lists_the_known_ones() -> None:
    with pytest.raises(UnknownPolicy, match="'rfc9309', 'google', 'google2019', 'yandex', 'draft1996'"):
        get_policy("bing")


@pytest.mark.parametrize(
    "stored, received, is_usable",
    [
        ('"a"', None, True),
        ('"a"', '"a"', True),
        ('"a"', ' "a" ', True),
        ('"a"', 'W/"a"', True),
        ('W/"a"', 'W/"a"', True),
        (None, None, True),
        ('"a"', '"b"', False),
        ('"a"', 'W/"b"', False),
        ('W/"a"', '"a"', False),
        (None, '"a"', False),
        (None, 'W/"a"', False),
    ],
)
def test_rfc9111_4_3_4_etag_of_a_304(stored: str | None, received: str | None, *, is_usable: bool) -> None:
    request = first_request(ORIGIN, validators=Validators(ROBOTS, stored, "Thu, 01 Jan 1970 00:00:00 GMT"))
    headers = () if received is None else (("ETag", received),)
    step = next_step(request, Response(ROBOTS, 304, headers, b""), RFC9309)
    if is_usable:
        assert isinstance(step, FetchResult)
        assert step.not_modified
    else:
        assert isinstance(step, Request)
        assert (step.url, step.headers) == (ROBOTS, ())


def test_rfc3986_3_2_1_details_do_not_contain_credentials() -> None:
    location = "http://us:secret@example.com/r b?us:secret@c d"
    step: Request | FetchResult = first_request(Origin.from_url("http://example.com/"))
    while isinstance(step, Request):
        step = next_step(step, Response(step.url, 302, (("Location", location),), b""), RFC9309)
    assert step.outcome.detail == "redirect loop to http://***@example.com/r%20b?us:secret@c%20d"

    failure = Failure(location, FailureKind.PROTOCOL, "cannot read http://us:secret@example.com/")
    assert evaluate_failure(failure, RFC9309).detail == "protocol: cannot read http://***@example.com/"
