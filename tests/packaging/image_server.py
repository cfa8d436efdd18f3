"""A program for a container: it starts the server, waits for the health check, and prints the answers to requests."""

import json
import os
import subprocess
import sys
import time
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

SECONDS = 120.0
PORT = 8420
FOLDERS = ("/", "/etc", "/usr/local", "/work", "/tmp", "/cache")  # noqa: S108 - whether they can be written to


def ask(method: str, path: str, token: str | None = None, body: object = None) -> tuple[int, str, str]:
    connection = HTTPConnection("127.0.0.1", PORT, timeout=SECONDS)
    headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
    connection.request(method, path, None if body is None else json.dumps(body), headers)
    response = connection.getresponse()
    return response.status, response.getheader("content-type", ""), response.read().decode()


def is_read_only(folder: str) -> bool:
    try:
        Path(folder, "probe").touch()
    except OSError:
        return True
    return False


def main() -> None:
    health_check, server = sys.argv[1], sys.argv[2:]
    token = os.environ["CANFETCH_TOKEN"]
    question = {"content": "User-agent: *\nDisallow: /private", "url": "/private/1", "agent": "GPTBot"}
    found: dict[str, Any] = {"before": subprocess.run([health_check], check=False, capture_output=True).returncode}
    with subprocess.Popen(server, stdout=sys.stderr) as process:
        deadline = time.monotonic() + SECONDS
        while subprocess.run([health_check], check=False, capture_output=True).returncode != 0:
            if process.poll() is not None or time.monotonic() > deadline:
                sys.exit("the server did not start")
            time.sleep(0.1)
        found["healthz"] = ask("GET", "/healthz")
        found["page"] = ask("GET", "/")
        found["without_token"] = ask("POST", "/v1/decide", None, question)
        found["decide"] = ask("POST", "/v1/decide", token, question)
        process.terminate()
        found["exit"] = process.wait(SECONDS)
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    status = dict(line.split(":\t", 1) for line in lines)
    found["user"] = [os.getuid(), os.getgid(), os.getgroups()]
    found["capabilities"] = [status[name] for name in ("CapPrm", "CapEff", "CapBnd", "CapAmb")]
    found["read_only"] = [folder for folder in FOLDERS if is_read_only(folder)]
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main()
