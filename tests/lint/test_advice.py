"""What findings advise in one place: advice never costs a site more than the fault does."""

import pytest

from canfetch import parse
from canfetch.lint import Finding, Linter, Severity

LINTER = Linter(findings_limit=None)
STAR = "User-agent: *\nDisallow: /cart/\nDisallow: /payment/\n\n"
CLOSED = "User-agent: a\nDisallow: /\n\nUser-agent: b\nDisallow: /*\n\n"


def findings(text: str, code: str) -> list[Finding]:
    return [one for one in LINTER.lint(text.encode()).findings if one.check.code == code]


def fixed(text: str) -> str:
    return LINTER.fix(text.encode(), unsafe=True).content.decode()


@pytest.mark.parametrize(
    "group, advice",
    [
        ("User-agent: bingbot\nCrawl-delay: 5\n", "write the `Crawl-delay` into the `*` group"),
        ("User-agent: bingbot\n", "or remove the group. "),
        (CLOSED + "User-agent: bingbot\n", "probably `Disallow: /`"),
    ],
)
def test_group_without_rules_does_not_become_an_exemption(group: str, advice: str) -> None:
    (finding,) = findings(STAR + group, "CF302")
    assert finding.fix is None
    assert advice in finding.how_to_fix()
    assert finding.effect() == "because of line 2, other crawlers may not fetch /cart/; bingbot may"
    assert "Disallow:\n" not in fixed(STAR + group)


def test_group_without_rules_names_all_its_crawlers_at_its_first_line() -> None:
    names = ("AhrefsBot", "bingbot", "slurp", "yandex")
    content = STAR + "\n".join(f"User-agent: {name}\nCrawl-Delay: 2\n" for name in names)
    (finding,) = findings(content, "CF302")
    assert finding.line == 5
    assert finding.message() == (
        "the group of `AhrefsBot, bingbot, slurp, yandex` has no rules: "
        "it lacks 2 rules of the `*` group, such as `/cart/`"
    )
    assert finding.effect() == (
        "because of line 2, other crawlers may not fetch /cart/; bingbot, YandexBot and AhrefsBot may"
    )


def test_rules_that_do_nothing_are_not_counted_as_lacking() -> None:
    star = "User-agent: *\nDisallow: account/\nDisallow: /a/\nAllow: /a/\nDisallow: /b/\nDisallow: /b/\n\n"
    (empty,) = findings(star + "User-agent: bingbot\nCrawl-delay: 5\n", "CF302")
    (other,) = findings(star + "User-agent: bingbot\nDisallow: /c/\n", "CF307")
    for finding in (empty, other):
        assert "lacks 1 rule of the `*` group, such as `/b/`" in finding.message()


@pytest.mark.parametrize("count, shown", [(6, "a0, a1, a2, a3, a4, a5"), (8, "bingbot, a0, a1, a2, a3, a4, ...")])
def test_group_without_rules_names_few_crawlers(count: int, shown: str) -> None:
    names = [f"a{number}" for number in range(count)] + (["bingbot"] if count > 6 else [])
    (finding,) = findings(STAR + "".join(f"User-agent: {name}\n" for name in names), "CF302")
    assert f"the group of `{shown}` has" in finding.message()


def test_group_without_rules_names_the_crawler_that_follows_it() -> None:
    alias = "User-agent: msnbot\nCrawl-delay: 1\n"
    (finding,) = findings(STAR + alias, "CF302")
    assert finding.severity is Severity.WARNING
    assert finding.effect().endswith("bingbot may")
    assert finding.how_to_fix().endswith("`bingbot` follows the group of `msnbot`, because it has no group of its own.")
    (finding,) = findings(STAR + "User-agent: bingbot\nDisallow: /cart/\n\n" + alias, "CF302")
    assert "follows" not in finding.how_to_fix()
    assert "bingbot" not in finding.effect()
    (finding,) = findings(STAR + "User-agent: msnbot\nDisallow: /a/\n", "CF307")
    assert finding.effect() == "because of line 2, other crawlers may not fetch /cart/; bingbot may"


@pytest.mark.parametrize(
    "text",
    [
        # The rules of another group of the crawler apply.
        STAR
        + "User-agent: bingbot\nDisallow: /a/\n\nUser-agent: Foo\nDisallow: /\n\nUser-agent: bingbot\nCrawl-delay: 5\n",
        "User-agent: *\nAllow: /a/\n\nUser-agent: bingbot\nCrawl-delay: 5\n",
    ],
)
def test_group_without_rules_that_frees_no_crawler_is_a_note(text: str) -> None:
    (finding,) = findings(text, "CF302")
    assert finding.severity is Severity.INFO


def test_groups_run_together_are_one_error() -> None:
    names = ("Bingbot", "msnbot", "FooBot")
    groups = "".join(f"User-agent: {name}\nCrawl-delay: 10\n\n" for name in names)
    content = f"{STAR}{groups}User-agent: Baiduspider\nDisallow: /\n"
    serious = [one for one in LINTER.lint(content.encode()).findings if one.severity is Severity.ERROR]
    (finding,) = serious
    assert (finding.check.code, finding.line) == ("CF308", 6)
    assert "`Bingbot, msnbot, FooBot, Baiduspider`" in finding.message()
    assert finding.effect() == "because of line 15, bingbot may not fetch /"
    assert finding.fix is None
    assert "does not follow the rules of the `*` group, such as `/cart/`" in finding.how_to_fix()


def test_groups_run_together_are_separated_where_this_exempts_no_crawler() -> None:
    content = "User-agent: A\nCrawl-delay: 1\n\nUser-agent: B\nCrawl-delay: 2\n\nUser-agent: C\nDisallow: /\n"
    (finding,) = findings(content, "CF308")
    assert "`*`" not in finding.how_to_fix()
    assert LINTER.fix(content.encode(), unsafe=True, only=["CF308"]).content.decode() == (
        "User-agent: A\nCrawl-delay: 1\nDisallow:\n\nUser-agent: B\nCrawl-delay: 2\nDisallow:\n\n"
        "User-agent: C\nDisallow: /\n"
    )


def test_search_engine_that_is_named_last_is_blocked_on_purpose() -> None:
    content = STAR + "User-agent: Foo\nCrawl-delay: 5\n\nUser-agent: bingbot\nDisallow: /\n"
    assert findings(content, "CF308")
    assert findings(content, "CF702")


@pytest.mark.parametrize(
    "group, message",
    [
        (
            "User-agent: *\nCrawl-delay: 5\n\nUser-agent: *\nDisallow: /a/\n",
            "`Crawl-delay` does not end the group of `*`, which is named again below it",
        ),
        (
            "User-agent: a\nCrawl-delay: 5\n\nUser-agent: b\nCrawl-delay: 5\n",
            "`Crawl-delay` does not separate `a` from `b`: both are in one group without rules",
        ),
        (
            "User-agent: a\nCrawl-delay: 5\n\nUser-agent: b\nDisallow: /x/\n",
            "`Crawl-delay` does not separate `a` from `b`: the rules below apply to both",
        ),
    ],
)
def test_message_about_a_line_between_user_agent_lines(group: str, message: str) -> None:
    (finding,) = findings(group, "CF308")
    assert finding.message() == message


@pytest.mark.parametrize(
    "text, line, advice",
    [
        ("User-agent: Slurp\nCrawl-delay: 1\n\nUser-agent: YandexBot\nDisallow: /a/\n", None, ""),
        ("User-agent: Googlebot\nCrawl-delay: 1\nDisallow: /a/\nCrawl-delay: 2\n", 2, "Remove the line."),
        (
            "User-agent: A\nCrawl-delay: 2\n\nUser-agent: b\nCrawl-delay: 2\n\nUser-agent: yandex\nCrawl-delay: 2\n",
            8,
            "Remove the line.",
        ),
        (
            "User-agent: Googlebot\nUser-agent: bingbot\nUser-agent: *\nDisallow: /a/\nCrawl-delay: 5\n",
            5,
            "Keep the line for `bingbot, *`.",
        ),
        (
            "User-agent: bingbot\nSitemap: https://example.com/s\nUser-agent: Googlebot\nCrawl-delay: 5\nDisallow: /\n",
            4,
            "Keep the line for `bingbot`.",
        ),
    ],
)
def test_delay_is_reported_where_it_is_written_for_a_crawler_that_ignores_it(
    text: str, line: int | None, advice: str
) -> None:
    found = findings(text, "CF606")
    assert [one.line for one in found] == ([] if line is None else [line])
    assert all(one.how_to_fix().startswith(advice) for one in found)


@pytest.mark.parametrize(
    "pattern, file",
    [
        ("/wp-content/themes/shop-child/", "/wp-content/themes/shop-child/style.css"),
        ("/blog/wp-content/themes/a*", "/blog/wp-content/themes/a/style.css"),
        ("/thunder/css/", "/thunder/css/style.css"),
        ("/Events/stylesheets", "/Events/stylesheets/style.css"),
        ("/Stylesheets", "/Stylesheets/style.css"),
        ("/lib/generated/js/*", "/lib/generated/js/main.js"),
        ("/a*/javascript/", "/ax/javascript/main.js"),
        ("/blog/wp-includes", "/blog/wp-includes/js/jquery/jquery.min.js"),
        ("/new/typo3temp/", "/new/typo3temp/assets/compressed/merged.css"),
    ],
)
def test_folder_of_scripts_or_styles_is_found_by_its_name(pattern: str, file: str) -> None:
    (finding,) = findings(f"User-agent: *\nDisallow: {pattern}\n", "CF703")
    assert finding.severity is Severity.WARNING
    assert f"such as `{file}`" in finding.message()


@pytest.mark.parametrize(
    "text",
    [
        "User-agent: *\nDisallow: /wp-admin/css/\n",
        "User-agent: *\nDisallow: /maps/api/js/\n",
        "User-agent: *\nDisallow: /a/cookie_law.js\n",
        "User-agent: *\nDisallow: /a/css/\nAllow: /a/css/style\n",
        "User-agent: *\nDisallow: /a/css/?print\n",
        "User-agent: *\nDisallow: /docs/nodejs/\n",
        "User-agent: FooBot\nDisallow: /a/css/\n",
        "User-agent: *\nDisallow: /a/css/\n\nUser-agent: Googlebot\nDisallow: /b/\n",
    ],
)
def test_folder_without_scripts_for_pages_is_not_reported(text: str) -> None:
    assert findings(text, "CF703") == []


@pytest.mark.parametrize(
    "pattern, advice",
    [
        ("/*.js", "Remove the rule."),
        ("*.css$", "Remove the rule."),
        ("/typo3temp/", "add `Allow: /typo3temp/*.css` and `Allow: /typo3temp/*.js`"),
        ("/wp-includes", "add `Allow: /wp-includes/*.css` and `Allow: /wp-includes/*.js`"),
        ("*?v=", "with an `Allow` line that is at least as long as the rule"),
    ],
)
def test_advice_about_scripts_and_styles_is_made_from_the_rule(pattern: str, advice: str) -> None:
    content = f"User-agent: *\nDisallow: {pattern}\n"
    (finding,) = findings(content, "CF703")
    assert advice in finding.how_to_fix()
    if "add" in advice:
        exceptions = "\n".join(part for part in finding.how_to_fix().split("`") if part.startswith("Allow: "))
        assert all(one.severity is Severity.INFO for one in findings(f"{content}{exceptions}\n", "CF703"))


@pytest.mark.parametrize(
    "header, severity",
    [
        ("MauiBot (crawler.feedback+wc@gmail.com)", Severity.INFO),
        ("dotbot/1.0", Severity.INFO),
        ("Baiduspider-render/2.0", Severity.INFO),
        ("ia_archiver ( crawler@alexa.com)", Severity.INFO),
        ("WeSEE:Ads/PageBot (http://www.wesee.com/bot/)", Severity.INFO),
        ("Mozilla/4.0 (compatible; MSIE 4.0; Windows 95)", Severity.INFO),
        ("Mozilla/4.0 (compatible; BullsEye; Windows 95)", Severity.INFO),
        ("mozilla/5", Severity.INFO),
        ("mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)", Severity.ERROR),
        ("Mozilla/4.75 (compatible; PortalBSpider; spider@portalb.com)", Severity.ERROR),
        ("(compatible; GPTBot/1.2)", Severity.ERROR),
    ],
)
def test_header_is_an_error_if_it_hides_a_crawler(header: str, severity: Severity) -> None:
    content = f"User-agent: {header}\nDisallow: /a/\n"
    (finding,) = findings(content, "CF508")
    assert finding.severity is severity
    name = header.partition("/")[0].partition(" ")[0]
    if severity is Severity.INFO and name.replace("_", "").isalpha() and name.lower() != "mozilla":
        for profile in ("rfc9309", "googlebot", "bing", "yandex"):
            assert not parse(content.encode(), profile=profile).allows("/a/", agent=name)


@pytest.mark.parametrize("name", ["mozilla/5", "Mozilla/4.0 (compatible; MSIE 4.0; Windows 95)", "Opera/9.80"])
def test_name_of_a_browser_is_not_recommended(name: str) -> None:
    content = f"User-agent: {name}\nDisallow: /\n"
    (finding,) = findings(content, "CF508")
    assert finding.how_to_fix().startswith("Remove the line: no crawler has the name `")
    assert finding.fix is None


def test_comment_after_a_name_can_be_removed() -> None:
    before = "User-agent: MauiBot (crawler.feedback+wc@gmail.com)\nDisallow: /\n"
    assert fixed(before) == "User-agent: MauiBot\nDisallow: /\n"


@pytest.mark.parametrize(
    "name, severity",
    [
        ("Boomtrain-Content-Bot*", Severity.INFO),
        ("Mediapartners-Google*", Severity.INFO),
        ("GPTBot*", Severity.INFO),
        ("Mail.RU_Bot*", Severity.INFO),
        ("goo*", Severity.ERROR),
        ("*MJ12bot*", Severity.ERROR),
        ("WebEMailExtrac.*", Severity.ERROR),
        ("Teleport Pro*", Severity.ERROR),
    ],
)
def test_star_after_a_name_is_an_error_if_crawlers_read_another_name(name: str, severity: Severity) -> None:
    (finding,) = findings(f"User-agent: {name}\nDisallow: /a/\n", "CF509")
    assert finding.severity is severity
    if severity is Severity.INFO:
        assert finding.how_to_fix() == "Remove the `*`."
        for profile in ("rfc9309", "bing", "yandex") + (("google", "googlebot") if "." not in name else ()):
            robots = parse(f"User-agent: {name}\nDisallow: /a/\n".encode(), profile=profile)
            assert not robots.allows("/a/", agent=name.rstrip("*"))


@pytest.mark.parametrize("pattern", ["/", "/*"])
def test_allow_for_the_whole_site_is_removed_without_an_alternative(pattern: str) -> None:
    (finding,) = findings(f"User-agent: *\nAllow: {pattern}\nDisallow: /a/\n", "CF428")
    assert finding.how_to_fix() == "Remove the rule: everything that no `Disallow` matches is allowed anyway."
    (finding,) = findings("User-agent: *\nAllow: /shop/\nDisallow: /a/\n", "CF428")
    assert "add `Disallow: /`" in finding.how_to_fix()


def test_redundant_rule_of_another_group_is_explained() -> None:
    (finding,) = findings(
        "User-agent: a\nDisallow: /\n\nUser-agent: b\nDisallow: /x\n\nUser-agent: a\nDisallow: /x\n", "CF427"
    )
    assert finding.message() == "`/x` has no effect, because of `/` (line 2), also in other groups of the same crawler"


def test_noindex_for_a_disallowed_page_is_removed() -> None:
    (finding,) = findings("User-agent: *\nDisallow: /a/\nNoindex: /a/\n", "CF611")
    assert finding.how_to_fix().startswith("Remove the line. A page that crawlers may not fetch can still be listed")
    (finding,) = findings("User-agent: *\nDisallow: /a/\nNoindex: /b/\n", "CF611")
    assert finding.how_to_fix().endswith("and let crawlers fetch the page.")


@pytest.mark.parametrize(
    "value, start", [("http://help.example.com/x", "Write only the path"), ("myapp://open", "If the value is a link")]
)
def test_only_a_link_that_is_not_a_web_address_may_open_an_app(value: str, start: str) -> None:
    (finding,) = findings(f"User-agent: *\nDisallow: {value}\n", "CF213")
    assert finding.how_to_fix().startswith(start)


@pytest.mark.parametrize("rule", ["Disallow:", "Allow: /", "Disallow:\nAllow: /*"])
def test_search_engine_that_may_fetch_everything_has_a_note(rule: str) -> None:
    (finding,) = findings(f"{STAR}User-agent: Googlebot\n{rule}\n", "CF307")
    assert finding.severity is Severity.INFO
    assert finding.effect() == "because of line 2, other crawlers may not fetch /cart/; Googlebot may"
    assert not findings(f"{STAR}User-agent: FooBot\n{rule}\n", "CF307")


@pytest.mark.parametrize("name, count", [("AdsBot-Google", 0), ("Googlebot", 1), ("bingbot", 1)])
def test_crawlers_that_ignore_star_lack_no_rules_of_it(name: str, count: int) -> None:
    assert len(findings(f"{STAR}User-agent: {name}\nDisallow: /landing/\n", "CF307")) == count
