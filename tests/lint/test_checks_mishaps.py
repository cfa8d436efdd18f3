"""Checks of what programs, generators and copies leave in a file: inputs reported, inputs not reported, and fixes."""

import pytest

from canfetch.lint import Linter, LintInput

LINTER = Linter(findings_limit=None)
URL = "https://shop.test/robots.txt"
GROUP = "User-agent: *\nDisallow: /a/\n"


def lines(text: str, code: str) -> list[int]:
    found = LINTER.lint(LintInput(text.encode(), url=URL)).findings
    return [finding.line for finding in found if finding.check.code == code]


def fixed(text: str, code: str) -> str:
    return LINTER.fix(LintInput(text.encode(), url=URL), unsafe=True, only=[code]).content.decode()


@pytest.mark.parametrize(
    "code, text",
    [
        ("CF119", "User-agent: *\nDisallow: NULL\n"),
        ("CF119", "User-agent: undefined\nDisallow: /\n"),
        ("CF119", f"{GROUP}Sitemap: undefined/sitemap.xml\n"),
        ("CF119", f"{GROUP}Sitemap: https://undefined/sitemap.xml\n"),
        ("CF119", f"{GROUP}Sitemap: https://shop.test/null/sitemap.xml\n"),
        ("CF120", "# robots\\r\\nUser-agent: *\\r\\nDisallow: /a/\n"),
        ("CF120", "User-agent: *\\n Disallow : /a/\n"),
        ("CF121", f"+++\ntype = 'page'\n+++\n{GROUP}"),
        ("CF121", f"\n---\nsitemap: false\n\n# note\n---\n{GROUP}"),
        ("CF122", f"{GROUP}<<<<<<< HEAD\nDisallow: /b/\n||||||| base\n=======\n>>>>>>> main\n"),
        ("CF315", f"Content-signal: search=yes\n{GROUP}"),
        ("CF513", "User-agent: Anthropic-AI\nDisallow: /\n"),
        ("CF513", "User-agent: anthropic-ai, CCBot\nDisallow: /\n"),
        ("CF624", f"{GROUP}Sitemap: http://https://shop.test/s.xml\n"),
        ("CF624", f"{GROUP}Sitemap: https://http//shop.test/s.xml\n"),
        ("CF624", f"{GROUP}Sitemap: https:https://shop.test/s.xml\n"),
        ("CF117", "User-agent: a\nDisallow: %PRIVATE_PATH%\n"),
        ("CF117", "User-agent: a\nDisallow: /a/\nSitemap: https://%%HOST_NAME%%/s.xml\n"),
        ("CF117", "User-agent: a\nDisallow: /100%/%A/\nSitemap: https://%HOST%/s.xml\n"),
        ("CF117", "User-agent: [your bot]\nDisallow: /a/\n"),
        ("CF117", "User-agent: *\nDisallow: /{your_folder}/\n"),
        ("CF117", f"{GROUP}Sitemap: https://<Your-Domain>/s.xml\n"),
        ("CF625", f"{GROUP}Sitemap: http://127.0.0.1/s.xml\n"),
        ("CF625", f"{GROUP}Sitemap: http://[::1]/s.xml\n"),
        ("CF625", f"{GROUP}Sitemap: http://192.168.1.10:3000/s.xml\n"),
        ("CF625", f"{GROUP}Sitemap: http://shop.local/s.xml\n"),
        ("CF625", f"{GROUP}Sitemap: https://yourdomain.com/s.xml\n"),
        ("CF626", f"{GROUP}Sitemap: https://www-staging.shop.test/s.xml\n"),
        ("CF626", f"{GROUP}Sitemap: https://stg.shop.test/s.xml\n"),
    ],
)
def test_reported(code: str, text: str) -> None:
    assert lines(text, code)


@pytest.mark.parametrize(
    "code, text",
    [
        ("CF119", "User-agent: *\nDisallow: /undefined\n"),
        ("CF119", "User-agent: *\nDisallow: none\n"),
        ("CF119", f"{GROUP}Sitemap: https://shop.test/nullable/sitemap.xml\n"),
        ("CF120", "User-agent: *\nDisallow: /folder\\name\n"),
        ("CF120", "# write \\n for a line break\nUser-agent: *\nDisallow: /a/\n"),
        ("CF121", f"---\n{GROUP}---\n"),
        ("CF121", f"---\n{GROUP}"),
        ("CF121", f"--------\nlayout: null\n--------\n{GROUP}"),
        ("CF122", f"{GROUP}# =======\n# >>>>>>> end\n"),
        ("CF122", f"=======\n{GROUP}>>>>>>> end\n"),
        ("CF315", f"{GROUP}Content-Signal: search=yes\n"),
        ("CF513", "User-agent: anthropic-ai\nUser-agent: ClaudeBot\nDisallow: /\n"),
        ("CF513", "User-agent: GPTBot, ClaudeBot\nDisallow: /\n\nUser-agent: anthropic-ai\nDisallow: /\n"),
        ("CF624", f"{GROUP}Sitemap: https://shop.test/https://shop.test/s.xml\n"),
        ("CF624", f"{GROUP}Sitemap: https://httpbin.test/s.xml\n"),
        ("CF117", "User-agent: a\nDisallow: /%C3%BC/%DE%\n"),
        ("CF117", "User-agent: a\nDisallow: /*<price>\nDisallow: /*[id]\nDisallow: /%a%b%\n"),
        ("CF117", "User-agent: a\nDisallow: /<your-folder\n"),
        ("CF627", f"{GROUP}Sitemap: https://shop.test/a.xml https://shop.test/b.xml\n"),
        ("CF627", f"{GROUP}Sitemap: my sitemap.xml\n"),
        ("CF627", f"{GROUP}Sitemap: https://shop.test/a.xml # text\n"),
        ("CF625", f"{GROUP}Sitemap: https://1.1.1.1/s.xml\n"),
        ("CF625", f"{GROUP}Sitemap: https://local.shop.test/s.xml\n"),
        ("CF626", f"{GROUP}Sitemap: https://shop.test/staging/s.xml\n"),
        ("CF626", f"{GROUP}Sitemap: https://www.stages.test/s.xml\n"),
    ],
)
def test_not_reported(code: str, text: str) -> None:
    assert lines(text, code) == []


@pytest.mark.parametrize("code, host", [("CF625", "shop.local"), ("CF626", "staging.shop.test")])
def test_host_of_the_file_itself_is_not_reported(code: str, host: str) -> None:
    content = f"{GROUP}Sitemap: https://{host}/s.xml\n".encode()
    report = LINTER.lint(LintInput(content, url=f"https://{host}/robots.txt"))
    assert code not in [finding.check.code for finding in report.findings]


@pytest.mark.parametrize(
    "code, before, after",
    [
        (
            "CF120",
            "# robots\\r\\nUser-agent: *\\nDisallow: /a/\\n\nDisallow: /b/\n",
            "# robots\nUser-agent: *\nDisallow: /a/\nDisallow: /b/\n",
        ),
        ("CF513", "User-agent: Claude-Web\nDisallow: /\n", "User-agent: ClaudeBot\nDisallow: /\n"),
        (
            "CF513",
            "User-agent: Claude-Web\nUser-agent: anthropic-ai\nDisallow: /\n",
            "User-agent: Claude-Web\nUser-agent: ClaudeBot\nDisallow: /\n",
        ),
        ("CF624", f"{GROUP}Sitemap: https://http//a.test/s.xml\n", f"{GROUP}Sitemap: https://a.test/s.xml\n"),
        ("CF624", f"{GROUP}Sitemap: https://HTTP://a.test/s.xml\n", f"{GROUP}Sitemap: HTTP://a.test/s.xml\n"),
        (
            "CF624",
            f"{GROUP}Sitemap: https://a.test/s.xml\nSitemap: https://https://a.test/s.xml\n",
            f"{GROUP}Sitemap: https://a.test/s.xml\nSitemap: https://https://a.test/s.xml\n",
        ),
    ],
)
def test_fix(code: str, before: str, after: str) -> None:
    assert fixed(before, code) == after


@pytest.mark.parametrize("word", ["undefined", "null", "[object Object]"])
def test_no_fix_makes_a_path_of_a_missing_value(word: str) -> None:
    before = f"User-agent: *\nDisallow: {word}\n"
    for severities in ("all", "lighthouse"):
        after = Linter(severities=severities).fix(before.encode(), unsafe=True).content.decode()
        assert f"/{word}" not in after


@pytest.mark.slow
def test_a_template_is_reported_once() -> None:
    text = "{% if a %}\nUser-agent: *\nDisallow: {{ b }}\nDisallow: c/\n{% endif %}\n"
    found = [(one.check.code, one.line) for one in LINTER.lint(text.encode()).findings]
    assert found == [("CF117", 1), ("CF401", 4)]
