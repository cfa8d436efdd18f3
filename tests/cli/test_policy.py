"""`canfetch policy`: render and prove a site's policy."""

import json
from pathlib import Path
from typing import Any

import pytest

from canfetch.author.draft import Draft
from canfetch.author.policy_file import parse_policy
from canfetch.author.rendering import FORMS, render_policy
from canfetch.core.profiles import PROFILES

Run = Any
POLICY = """
[everyone]
disallow = ["/private/"]

[purpose.training]
fetch = "none"

[[page]]
paths = ["/drafts/"]
rules = ["noindex"]
"""


@pytest.fixture
def policy_file(folder: Path) -> Path:
    """Write a policy into the folder."""
    path = folder / "policy.toml"
    path.write_text(POLICY, encoding="utf-8")
    return path


@pytest.mark.slow
@pytest.mark.usefixtures("policy_file")
@pytest.mark.parametrize("form", FORMS)
def test_policy_is_rendered_in_each_form(run: Run, form: str) -> None:
    ran = run("policy", "policy.toml", "--to", form)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == render_policy(parse_policy(POLICY), form)


def test_crawler_that_does_not_exist_is_noted(run: Run, folder: Path) -> None:
    page = '[[page]]\npaths = ["/a"]\nrules = ["noindex"]\ncrawler = "Googlbot"\n'
    (folder / "names.toml").write_text('[crawler.GPTBto]\nfetch = "none"\n' + page, encoding="utf-8")
    ran = run("policy", "names.toml", "--check")
    assert ran.code == 0
    assert ran.err.splitlines() == [
        "canfetch: note: unknown crawler 'GPTBto': did you mean 'GPTBot'?",
        "canfetch: note: unknown crawler 'Googlbot': did you mean 'Googlebot'?",
    ]


def test_a_robots_txt_is_not_a_policy(run: Run, folder: Path) -> None:
    (folder / "robots.txt").write_text("User-agent: *\nDisallow: /a\n", encoding="utf-8")
    ran = run("policy", "robots.txt")
    assert ran.code == 2
    assert ran.err.startswith("canfetch: robots.txt: invalid TOML: ")
    assert ran.err.endswith("; expected a policy in TOML, not a robots.txt\n")


@pytest.mark.slow
@pytest.mark.usefixtures("policy_file")
def test_default_form_is_robots_txt(run: Run) -> None:
    assert run("policy", "policy.toml").out.endswith("Disallow: /\n\nUser-agent: *\nDisallow: /private/\n")
    assert run("policy", "-", stdin=POLICY.encode()).out == run("policy", "policy.toml").out


@pytest.mark.slow
@pytest.mark.usefixtures("policy_file")
def test_all_forms_at_once(run: Run) -> None:
    ran = run("policy", "policy.toml", "--to", "all")
    assert (ran.code, ran.err) == (0, "")
    assert [line.removeprefix("# === ") for line in ran.lines if line.startswith("# === ")] == list(FORMS)
    shape = json.loads(run("policy", "policy.toml", "--to", "all", "--format", "json").out)
    assert shape["holds"] is True
    assert shape["forms"] == {form: render_policy(parse_policy(POLICY), form) for form in FORMS}


@pytest.mark.slow
def test_unsupported_form_is_skipped_and_reported(run: Run, folder: Path) -> None:
    (folder / "query.toml").write_text("[everyone]\ndisallow = ['/*?']", encoding="utf-8")
    ran = run("policy", "query.toml", "--to", "all", "--format", "json")
    assert (ran.code, set(json.loads(ran.out)["forms"])) == (0, set(FORMS) - {"traefik"})
    assert ran.err.startswith("canfetch: skipped traefik: unsupported pattern '/*?': ")
    ran = run("policy", "query.toml", "--to", "traefik")
    assert ran.refusal.startswith("canfetch: query.toml: unsupported pattern '/*?': ")


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [("--to", "iis"), ("--to", "all", "--format", "json")])
def test_a_web_config_that_iis_does_not_read_by_default_is_noted(
    run: Run, folder: Path, arguments: tuple[str, ...]
) -> None:
    # A rule that disallows repeats those that allow.
    allow, disallow = ([f"/{part}/{number}" for number in range(45)] for part in ("allowed", "not"))
    (folder / "many.toml").write_text(f"[crawler.GPTBot]\n{allow = }\n{disallow = }\n", encoding="utf-8")
    ran = run("policy", "many.toml", *arguments)
    assert ran.code == 0
    assert ran.err.startswith("canfetch: note: the web.config has ")
    assert ran.err.endswith(
        " KB, and IIS reads at most 250 KB by default. Use fewer rules, or set MaxWebConfigFileSizeInKB in the Windows "
        "registry\n"
    )
    assert "MaxWebConfigFileSizeInKB" in ran.out


@pytest.mark.slow
@pytest.mark.usefixtures("policy_file")
def test_check_prints_the_proof(run: Run) -> None:
    ran = run("policy", "policy.toml", "--check")
    assert (ran.code, ran.err) == (0, "")
    assert ran.lines[0].split() == ["INTENT", *PROFILES]
    assert [line.split()[0] for line in ran.lines[1:3]] == ["purpose.training", "everyone"]
    assert ran.lines[2].split()[1] == "met"
    assert "decisions checked with the engines python" in ran.out
    assert any(line.startswith("note: tokens that never send requests") for line in ran.lines)
    assert any(line.startswith("known limitation: draft1996: ") for line in ran.lines)


@pytest.mark.slow
@pytest.mark.usefixtures("policy_file")
def test_check_prints_the_proof_as_json(run: Run) -> None:
    ran = run("policy", "policy.toml", "--check", "--format", "json")
    shape = json.loads(ran.out)
    assert (ran.code, shape["schema"], shape["holds"]) == (0, "canfetch.proof/2", True)
    assert {row["profile"] for row in shape["intents"]} == set(PROFILES)


@pytest.mark.slow
@pytest.mark.usefixtures("policy_file")
def test_unmet_intent_is_exit_1(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = Draft.render
    monkeypatch.setattr(Draft, "render", lambda draft: whole(draft).replace(b"/private/", b"/privat/"))
    ran = run("policy", "policy.toml", "--check")
    assert ran.code == 1
    assert "not met: rfc9309: everyone: " in ran.out
    assert ran.err.startswith("canfetch: policy.toml: ")
    assert " shortfalls, see --check: " in ran.err
    assert run("policy", "policy.toml").code == 1


@pytest.mark.parametrize(
    "toml, message",
    [
        (b"[everyone", "policy.toml: invalid TOML: "),
        (
            b"[purpose.traning]",
            "policy.toml: purpose.traning: unknown purpose 'traning': did you mean 'training'? (choose from 'ads', ",
        ),
        (b"[everyone]\ndisallow = ['a']", "policy.toml: everyone.disallow: invalid pattern 'a'"),
        (b"[everyone]\ndisallow = ['/a**b']", "policy.toml: everyone.disallow: invalid pattern '/a**b'"),
        (b"[everyone]\ndisallow_file_types = ['']", "policy.toml: everyone.disallow_file_types: invalid file type ''"),
        (b"\xff", "policy.toml is not UTF-8"),
        (b"#" * (1 << 21), "'policy.toml' is too large: expected at most 1048576 bytes"),
    ],
)
def test_invalid_policy_is_exit_2(run: Run, folder: Path, toml: bytes, message: str) -> None:
    (folder / "policy.toml").write_bytes(toml)
    assert run("policy", "policy.toml").refusal.startswith(f"canfetch: {message}")


def test_byte_order_mark_of_a_policy_is_ignored(run: Run, folder: Path) -> None:
    (folder / "policy.toml").write_bytes(b"\xef\xbb\xbf[everyone]\nfetch = 'none'\n")
    assert run("policy", "policy.toml") == (0, "User-agent: *\nDisallow: /\n", "")


def test_missing_policy_is_exit_2(run: Run) -> None:
    assert "no such file" in run("policy", "none.toml").refusal


ENVIRONMENTS = (
    POLICY
    + """
[environment.production]
hosts = ["www.example.com"]

[environment.staging]
hosts = ["*.preview.example.com", "m\u00fcller.example"]
closed = true
"""
)
UNKNOWN = "unknown environment 'Staging' of site.toml: did you mean 'staging'? (choose from 'production', 'staging')\n"
CHOOSE = (
    "canfetch: site.toml has environments: pass --environment with one of 'production', 'staging', or --host HOST\n"
)


@pytest.fixture
def site_file(folder: Path) -> str:
    (folder / "site.toml").write_text(ENVIRONMENTS, encoding="utf-8")
    return "site.toml"


def content(**choice: str) -> str:
    policy = parse_policy(ENVIRONMENTS)
    return render_policy(policy.for_host(**choice) if "host" in choice else policy.for_environment(**choice))


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments, name, message",
    [
        (("--environment", "production"), "production", ""),
        (("--environment", "staging"), "staging", ""),
        (("--host", "WWW.example.com.:443"), "production", ""),
        (("--host", "pr-1.preview.example.com"), "staging", ""),
        (("--host", "m\u00fcller.example"), "staging", ""),
        (
            ("--environment", "Staging"),
            "",
            f"canfetch: everything is disallowed: {UNKNOWN}",
        ),
    ],
)
def test_environment_is_rendered(run: Run, site_file: str, arguments: tuple[str, ...], name: str, message: str) -> None:
    ran = run("policy", site_file, *arguments)
    assert (ran.code, ran.err) == (0, message)
    assert ran.out == content(name=name)


@pytest.mark.slow
def test_host_without_an_environment_is_closed(run: Run, site_file: str) -> None:
    ran = run("policy", site_file, "--host", "example.org")
    assert (ran.code, ran.out) == (0, content(host="example.org"))
    assert ran.err == "canfetch: no environment of site.toml has the host 'example.org': everything is disallowed\n"


@pytest.mark.slow
def test_variable_selects_the_environment_unless_an_option_does(run: Run, site_file: str, policy_file: Path) -> None:
    env = {"CANFETCH_ENVIRONMENT": "staging"}
    assert run("policy", site_file, env=env).out == content(name="staging")
    assert run("policy", site_file, "--environment", "production", env=env).out == content(name="production")
    assert run("policy", site_file, "--host", "www.example.com", env=env).out == content(name="production")
    # A policy without environments is the same everywhere.
    assert run("policy", policy_file.name, env=env).out == render_policy(parse_policy(POLICY))


@pytest.mark.parametrize("value", ["", "by-host"])
def test_environment_has_to_be_chosen(run: Run, site_file: str, value: str) -> None:
    assert run("policy", site_file, "--check", env={"CANFETCH_ENVIRONMENT": value}) == (2, "", CHOOSE)


@pytest.mark.usefixtures("policy_file", "site_file")
@pytest.mark.parametrize(
    "arguments, message",
    [
        (("site.toml", "--environment", "staging", "--host", "a"), "--environment and --host contradict each other"),
        (
            ("site.toml", "--host", "https://www.example.com/"),
            "invalid --host 'https://www.example.com/': expected a h",
        ),
        (("site.toml", "--environment", ""), "invalid --environment '': expected a name, such as 'production'"),
        (("site.toml", "--host", ""), "invalid --host '': expected a host, such as 'www.example.com'"),
        (
            ("policy.toml", "--environment", "staging"),
            "--environment 'staging' requires environments, which policy.toml",
        ),
        (
            ("policy.toml", "--host", "a.example"),
            "--host 'a.example' requires environments, which policy.toml does not",
        ),
    ],
)
def test_invalid_choice_is_exit_2(run: Run, arguments: tuple[str, ...], message: str) -> None:
    assert run("policy", *arguments).refusal.startswith(f"canfetch: {message}")


def test_open_staging_is_exit_2(run: Run, folder: Path) -> None:
    (folder / "site.toml").write_text(ENVIRONMENTS.replace("closed = true", ""), encoding="utf-8")
    ran = run("policy", "site.toml", "--environment", "production")
    assert ran.refusal.startswith(
        "canfetch: site.toml: environment.staging: it leaves the site open to search engines; "
    )
    assert ran.err.endswith(" (at line 15)\n")


EXAMPLE = Path(__file__).parents[2] / "examples" / "policy.toml"


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [
        ("policy", str(EXAMPLE)),
        ("init", "--recipe", "block-ai-training", "--sitemap", "https://www.example.com/sitemap.xml"),
        ("init", "--recipe", "block-documents"),
        ("init", "--recipe", "only-one-crawler", "--crawler", "Googlebot"),
    ],
)
def test_rendered_robots_txt_is_clean_and_formatted(run: Run, folder: Path, arguments: tuple[str, ...]) -> None:
    (folder / "robots.txt").write_text(run(*arguments).out, encoding="utf-8")
    ran = run("lint", "robots.txt", "--isolated", "--fail-on", "error")
    assert ran.code == 0, ran.out
    assert run("fmt", "--check", "robots.txt").code == 0


@pytest.mark.slow
def test_the_example_holds(run: Run) -> None:
    assert run("policy", str(EXAMPLE), "--check").code == 0
