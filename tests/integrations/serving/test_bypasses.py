"""No request of a declared crawler reaches a disallowed page, whatever spelling an application and nginx understand."""

from collections.abc import Iterator

import pytest
from tests.integrations.serving.bypasses import (
    APPLICATIONS,
    PROXIES,
    SECRET,
    Site,
    request,
    running_applications,
    status_of,
)

pytestmark = pytest.mark.service
GPTBOT = (
    "User-Agent: Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; GPTBot/1.3; +https://openai.com/gptbot"
)
BROWSER = "User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0"
TARGETS = [
    "/files/report.txt",
    "/files/report.txt/",
    "/files/report.txt//",
    "/files/report.txt/.",
    "/files/report.txt%2f",
    "/files/report.txt/?x",
    "/files/report.txt/%2e",
    "/files/report.txt/x/..",
    "/files/report.txt/x/%2e%2e/",
    "/files/./report.txt/",
    # Views of static files resolve `..` within their folder.
    "/files/../stored/report.txt",
    "/files/%2e%2e/stored/report.txt",
    "/files/..%2fstored/report.txt",
    "/files//../../report.txt",
    "/files/../report.txt",
    "/files/a%00//../report.txt",
    "/files/a%00%2f/../report.txt",
    "/files/.%09./stored/report.txt",
    "/files//report.txt",
    "/exact",
    "/exact#a",
    "/exact#?a",
    "/exact%23",
    "/exact%00",
    "/exact%00a",
    "/exact%0a",
    "/exact%20",
    "//exact",
    "/%2Fexact",
    "/./exact",
    "/exact/.",
    "/ex%61ct",
    "/exact;a",
    "/exact%3F",
    "http://127.0.0.1:{port}/exact",
    "http://127.0.0.1:{port}/exact#a",
    r"/private/x",
    r"/private/x?",
    r"/private/x?a",
    r"/private/x/",
    r"/private//x",
    r"/private/./x",
    r"/private/x.",
    r"/private/x/%2e%2e",
    r"/private/../private/x",
    r"/private%2Fx",
    r"/private%2fx",
    r"/%2Fprivate/x",
    r"/%2fprivate%2fx",
    r"/private%2f/x",
    r"/private%2F%2Fx",
    r"/%2F%2Fprivate/x",
    r"//%2Fprivate/x",
    r"//private/x",
    r"///private//x",
    r"//private%2fx",
    r"/open//../private/x",
    r"/open//..//private/x",
    r"//127.0.0.1/private/x",
    r"/private/..",
    r"/private/../",
    r"/private/../x",
    r"/private/..?x",
    r"/private/.",
    r"/private/%2e%2e",
    r"/private/%2e%2e/x",
    r"/private/..//",
    r"/private/..//x",
    r"/private%2f..%2fx",
    r"/private/x/../../y",
    r"//private/../x",
    r"http://127.0.0.1:{port}/private/../x",
    r"/./private/x",
    r"/open/../private/x",
    r"/open/../../private/x",
    r"/open/%2e%2e/private/x",
    r"/open/%2E%2E%2Fprivate/x",
    r"/%2e/private/x",
    r"/open/..%2fprivate%2fx",
    r"/open%2f..%2fprivate%2fx",
    r"/.%2fprivate/x",
    r"/a%2f%2e%2e%2fprivate/x",
    r"/private/%2E%2E%2Fprivate%2Fx",
    r"/%70rivate/x",
    r"/pr%69vate%2Fx",
    r"/%50rivate/x",
    r"/PRIVATE/x",
    r"/private%252Fx",
    r"/%2570rivate/x",
    r"/open/%252e%252e/private/x",
    r"/private;x/x",
    r"/private;/x",
    r"/private/;x",
    r"/;/private/x",
    r"/private%3B/x",
    r"/open/.;/../private/x",
    r"/open/..;/private/x",
    r"/private%5Cx",
    r"/private\x",
    r"/open/..\private\x",
    r"/%5Cprivate/x",
    r"/open%5C..%5Cprivate%5Cx",
    r"/open/..%5cprivate/x",
    r"/private/%00",
    r"/private%00/x",
    r"/private/x%00",
    r"/%00/private/x",
    r"/private/%0d%0ax",
    r"/private%09/x",
    r"/private/%ff",
    r"/private/%E9",
    r"/private./x",
    r"/private%20/x",
    r"/%20private/x",
    r"/private?/x",
    r"/private/x%3Fa",
    r"/open?/../private/x",
    r"/open%3F/../private/x",
    r"/private/x#a",
    r"/#/../private/x",
    r"/private%23/x",
    r"/private/x%23",
    r"/%23/private/x",
    r"/robots.txt/../private/x",
    r"/robots.txt%2F..%2Fprivate/x",
    r"/robots.txt%00/private/x",
    r"http://127.0.0.1:{port}/private/x",
    r"http://example.org/private/x",
    r"http:///private/x",
    r"http://@/private/x",
    r"http:/private/x",
    r"http://127.0.0.1:{port}//private/x",
    r"http://127.0.0.1:{port}/private%2Fx",
    r"http://127.0.0.1:{port}/open/../private/x",
    r"HTTP://127.0.0.1:{port}/private/x",
    r"https://127.0.0.1/private/x",
    r"http://127.0.0.1:{port}%2fprivate/x",
    r"ftp://x/private/x",
    r"private/x",
    r"%2fprivate/x",
    r"%2Fprivate%2Fx",
    r"%2f%2fprivate/x",
    r"%2fopen/../private/x",
    r"%2fexact",
    r"http:%2fprivate/x",
    r"http:%2F%2Fprivate/x",
    r"http:private/x",
    r"https:/private/x",
    r"HTTP:/exact",
    r"x:/private/x",
    r"x:%2fprivate/x",
    r"://private/x",
    r"?x",
    r"*",
    r"/private%c0%afx",
    r"/private%ef%bc%8fx",
]
# Each request names GPTBot in a field User-Agent.
HEADERS = {
    "after a browser's": [BROWSER, GPTBOT],
    "before a browser's": [GPTBOT, BROWSER],
    "after 1,100 characters": [f"User-Agent: {'x' * 1_100} GPTBot/1.3"],
    "before 1,100 characters": [f"User-Agent: GPTBot/1.3 {'x' * 1_100}"],
    "after 9,000 characters": [f"User-Agent: {'x' * 9_000} GPTBot/1.3"],
    "before 9,000 characters": [f"User-Agent: GPTBot/1.3 {'x' * 9_000}"],
    "after 40,000 characters": [f"User-Agent: {'x' * 40_000} GPTBot/1.3"],
    "after a browser and spaces": [f"{BROWSER}{' ' * 9_000}GPTBot/1.3"],
    "after a browser and words": [f"{BROWSER}{' zz' * 3_000} GPTBot/1.3"],
    "in lower case": ["user-agent: gptbot/1.3"],
    "between tabs": ["User-Agent:\tGPTBot\t/1"],
    "after a byte": ["User-Agent: \xe9 GPTBot/1.3"],
    "with other fields": [GPTBOT, "X-Original-URL: /open", "X-Rewrite-URL: /open", "X-Forwarded-Prefix: /open"],
}
METHODS = ("HEAD", "POST", "PUT", "OPTIONS")


@pytest.fixture(scope="module")
def sites(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Site]]:
    for library in ("starlette", "django", "flask", "uvicorn", "gunicorn"):
        pytest.importorskip(library)
    with running_applications(tmp_path_factory.mktemp("applications")) as running:
        yield running


def test_the_page_is_served_to_browsers_and_not_to_the_crawler(sites: list[Site]) -> None:
    assert len(sites) == len(APPLICATIONS) * (1 + len(PROXIES))
    for site in sites:
        assert SECRET in site.send(request("/private/x", BROWSER, port=site.port)), site
        assert status_of(site.send(request("/private/x", GPTBOT, port=site.port))) == 403, site
        assert status_of(site.send(request("/open", GPTBOT, port=site.port))) == 200, site


def test_no_spelling_of_the_target_reaches_the_page(sites: list[Site]) -> None:
    served = [
        (target, site)
        for target in TARGETS
        for site in sites
        if SECRET in site.send(request(target, GPTBOT, port=site.port))
    ]
    assert served == []


def test_applications_route_many_spellings_to_the_page(sites: list[Site]) -> None:
    """The list of targets is worth trying: browsers reach the page by many of them."""
    direct = [site for site in sites if not site.proxy]
    routed = {
        target for target in TARGETS for site in direct if SECRET in site.send(request(target, BROWSER, port=site.port))
    }
    assert len(routed) > 40


@pytest.mark.parametrize("name", HEADERS)
def test_no_form_of_the_header_reaches_the_page(sites: list[Site], name: str) -> None:
    served = [site for site in sites if SECRET in site.send(request("/private/x", *HEADERS[name], port=site.port))]
    assert served == []


@pytest.mark.parametrize("method", METHODS)
def test_no_method_reaches_the_page(sites: list[Site], method: str) -> None:
    for site in sites:
        assert status_of(site.send(request("/private/x", GPTBOT, method=method, port=site.port))) == 403
