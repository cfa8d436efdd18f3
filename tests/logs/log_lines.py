"""Requests, and how each log format writes them."""

import json
from datetime import UTC, datetime
from typing import NamedTuple
from urllib.parse import quote

GPTBOT = "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)"
GOOGLEBOT = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0"
# 2026-11-22 12:00:00 UTC
NOON = 1_795_348_800.0
DAY = 86_400.0


class Request(NamedTuple):
    """A request as a server logs it."""

    target: str = "/"
    user_agent: str = GPTBOT
    at: float = NOON
    client: str = "192.0.2.1"
    host: str = "www.example.com"
    method: str = "GET"
    status: int = 200

    @property
    def moment(self) -> datetime:
        return datetime.fromtimestamp(self.at, UTC)


def combined(request: Request) -> str:
    when = request.moment.strftime("%d/%b/%Y:%H:%M:%S +0000")
    line = f'{request.client} - - [{when}] "{request.method} {request.target} HTTP/1.1" {request.status} 512'
    return f'{line} "https://example.com/" "{request.user_agent}"'


def vhost(request: Request) -> str:
    return f"{request.host}:443 {combined(request)}"


def cloudflare(request: Request) -> str:
    return json.dumps(
        {
            "ClientIP": request.client,
            "ClientRequestHost": request.host,
            "ClientRequestMethod": request.method,
            "ClientRequestURI": request.target,
            "ClientRequestUserAgent": request.user_agent,
            "EdgeResponseStatus": request.status,
            "EdgeStartTimestamp": int(request.at * 1e9),
        }
    )


def nginx_json(request: Request) -> str:
    return json.dumps(
        {
            "time_iso8601": request.moment.isoformat(),
            "remote_addr": request.client,
            "host": request.host,
            "request": f"{request.method} {request.target} HTTP/1.1",
            "http_user_agent": request.user_agent,
            "status": request.status,
        }
    )


def caddy(request: Request) -> str:
    return json.dumps(
        {
            "level": "info",
            "ts": request.at,
            "request": {
                "remote_ip": request.client,
                "client_ip": request.client,
                "method": request.method,
                "host": request.host,
                "uri": request.target,
                "headers": {"User-Agent": [request.user_agent]},
            },
            "status": request.status,
        }
    )


def google_cloud(request: Request) -> str:
    return json.dumps(
        {
            "timestamp": request.moment.isoformat().replace("+00:00", ".123456789Z"),
            "httpRequest": {
                "requestMethod": request.method,
                "requestUrl": f"https://{request.host}{request.target}",
                "remoteIp": request.client,
                "userAgent": request.user_agent,
                "status": request.status,
            },
        }
    )


def cloudfront_json(request: Request) -> str:
    path, _, query = request.target.partition("?")
    return json.dumps(
        {
            "date": request.moment.strftime("%Y-%m-%d"),
            "time": request.moment.strftime("%H:%M:%S"),
            "c-ip": request.client,
            "cs-method": request.method,
            "cs(Host)": "d111111abcdef8.cloudfront.net",
            "cs-uri-stem": path,
            "sc-status": str(request.status),
            "cs(User-Agent)": quote(request.user_agent, safe="/():;+,."),
            "cs-uri-query": query or "-",
            "x-host-header": request.host,
        }
    )


CLOUDFRONT_HEAD = (
    "#Version: 1.0\n#Fields: date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status "
    "cs(Referer) cs(User-Agent) cs-uri-query cs(Cookie) x-edge-result-type x-edge-request-id x-host-header\n"
)


def cloudfront(request: Request) -> str:
    path, _, query = request.target.partition("?")
    values = [
        request.moment.strftime("%Y-%m-%d"),
        request.moment.strftime("%H:%M:%S"),
        "FRA56-P1",
        "512",
        request.client,
        request.method,
        "d111111abcdef8.cloudfront.net",
        path,
        str(request.status),
        "-",
        quote(request.user_agent, safe="/():;+,."),
        query or "-",
        "-",
        "Hit",
        "SOX4xwn4XV6Q4rgb7XiVGOHms_BGlTAC4KyHmureZmBNrjGdRLiNIQ==",
        request.host,
    ]
    return "\t".join(values)


IIS_HEAD = (
    "#Software: Microsoft Internet Information Services 10.0\n"
    "#Fields: date time cs-host cs-method cs-uri-stem cs-uri-query c-ip cs(User-Agent) sc-status\n"
)


def iis(request: Request) -> str:
    path, _, query = request.target.partition("?")
    values = [
        request.moment.strftime("%Y-%m-%d"),
        request.moment.strftime("%H:%M:%S"),
        request.host,
        request.method,
        path,
        query or "-",
        request.client,
        request.user_agent.replace(" ", "+"),
        str(request.status),
    ]
    return " ".join(values)


FORMATS = {
    "combined": ("", combined),
    "vhost": ("", vhost),
    "cloudflare": ("", cloudflare),
    "nginx-json": ("", nginx_json),
    "caddy": ("", caddy),
    "google-cloud": ("", google_cloud),
    "cloudfront-json": ("", cloudfront_json),
    "cloudfront": (CLOUDFRONT_HEAD, cloudfront),
    "iis": (IIS_HEAD, iis),
}


def write_log(requests: list[Request], form: str = "combined") -> bytes:
    """Return a log of some requests."""
    head, line = FORMATS[form]
    return (head + "".join(f"{line(request)}\n" for request in requests)).encode()
