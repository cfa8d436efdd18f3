"""`canfetch bulk`: archives with responses of other URLs than /robots.txt."""

import json
from pathlib import Path
from typing import Any

from tests.bulk.warc_files import compressed, http_response, record, redirect, response

Run = Any
PAGE = "https://a.example/page"
REASON = f"for other URLs than /robots.txt, such as {PAGE!r}"


def write_rows(path: Path, urls: list[str]) -> None:
    path.write_text("".join(json.dumps({"url": url, "content": ""}) + "\n" for url in urls), encoding="utf-8")


def test_a_table_of_pages(run: Run, folder: Path) -> None:
    write_rows(folder / "pages.ndjson", [PAGE, "https://a.example/robots.txt?x"])
    warning = f"canfetch: warning: 'pages.ndjson': no robots.txt found: 2 records are left out, {REASON}\n"
    done = run("bulk", "parse", "pages.ndjson", "-o", "out.ndjson", "-j1")
    assert done == (0, "", f"{warning}canfetch: warning: wrote 0 files to out.ndjson\n")
    (folder / "urls.txt").write_text(PAGE, encoding="utf-8")
    done = run("bulk", "filter", "urls.txt", "--robots", "pages.ndjson", "--agent", "GPTBot", "-o", "o.csv", "-j1")
    assert done.err.startswith(warning)


def test_a_table_with_a_page(run: Run, folder: Path) -> None:
    write_rows(folder / "rows.ndjson", ["https://a.example/robots.txt", "https://b.example/robots.txt", PAGE])
    done = run("bulk", "parse", "rows.ndjson", "-o", "out.ndjson", "-j1")
    assert (
        done.err
        == f"canfetch: warning: 'rows.ndjson': 1 record is left out, {REASON}\ncanfetch: wrote 2 files to out.ndjson\n"
    )


def test_a_target_of_a_redirect_is_used(run: Run, folder: Path) -> None:
    rows = [{"url": "https://a.example/robots.txt", "status": 301, "location": "/page"}, {"url": PAGE, "content": ""}]
    (folder / "rows.ndjson").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    done = run("bulk", "parse", "rows.ndjson", "-o", "out.ndjson", "-j1")
    assert "warning" not in done.err


def test_warc_files(run: Run, folder: Path) -> None:
    """A crawl has many pages, which are worth a warning only if it has no robots.txt."""
    page = record(PAGE, http_response(b""))
    (folder / "crawl.warc.gz").write_bytes(compressed([response("a.example"), redirect("b.example", "/other"), page]))
    (folder / "pages.warc.gz").write_bytes(compressed([page]))
    done = run("bulk", "parse", "crawl.warc.gz", "pages.warc.gz", "-o", "out.ndjson", "-j1")
    warning = f"canfetch: warning: 'pages.warc.gz': no robots.txt found: 1 record is left out, {REASON}\n"
    assert done.err == f"{warning}canfetch: wrote 2 files to out.ndjson\n"


def test_targets_of_redirects_before_them_on_standard_input(run: Run, folder: Path) -> None:
    """Standard input cannot be read again. The URL is not decided, and a warning shows why."""
    records = [record(PAGE, http_response(b"User-agent: *\nAllow: /\n")), redirect("a.example", "/page")]
    (folder / "urls.txt").write_text(PAGE, encoding="utf-8")
    (folder / "robots.warc").write_bytes(b"".join(records))
    options = ("--input-format", "warc", "--agent", "GPTBot", "-o", "o.csv", "--force", "-j1")
    done = run("bulk", "filter", "urls.txt", "--robots", "-", *options, stdin=b"".join(records))
    assert done.err == (
        "canfetch: warning: '-': 1 URL that redirects lead to was left out: the redirects come later, and only a file "
        "can be read again: pass a file instead of a stream\n"
        "canfetch: warning: 1 URL: 0 allowed, 0 disallowed, 1 unknown: redirect-unresolved 1; wrote o.csv\n"
    )
    assert ",redirect-unresolved," in (folder / "o.csv").read_text(encoding="utf-8")
    done = run("bulk", "filter", "urls.txt", "--robots", "robots.warc", *options)
    assert done.err == "canfetch: 1 URL: 1 allowed, 0 disallowed, 0 unknown; wrote o.csv\n"
