"""`lint` of a robots.txt on a real FTP server."""

from pathlib import Path
from typing import Any

import pytest
from tests.servers.ftp import FtpSite

Run = Any


@pytest.mark.service
@pytest.mark.parametrize(
    "content, expected",
    [("User-agent: *\nDisallow: /private/\n", []), ("User-agent: *\nDisallow /private/\n", ["CF201"])],
)
def test_google2019_file_on_an_ftp_server_has_no_content_type(
    run: Run, tmp_path: Path, content: str, expected: list[str]
) -> None:
    (tmp_path / "robots.txt").write_text(content)
    with FtpSite(tmp_path) as site:
        ran = run("lint", site.url(), "--store", "none", "--format", "ndjson")
        assert site.commands[-1] in {"RETR", "QUIT"}
    assert ran.err == ""
    assert [code for code in ("CF201", "CF803") if code in ran.out] == expected
    assert ran.code == (1 if expected else 0)
