"""Check URLs for several crawlers and explain the decisions. Run: python examples/quickstart.py."""

from pathlib import Path

import canfetch

EXAMPLES = Path(__file__).parent


def main() -> None:
    """Parse the example file and print decisions."""
    content = (EXAMPLES / "robots.txt").read_bytes()
    robots = canfetch.parse(content, url="https://www.example.com/robots.txt")

    # One decision.
    print("ExampleBot, /shop/cart/:", robots.allows("https://www.example.com/shop/cart/", agent="ExampleBot"))

    # A decision with its reason: the deciding rule, its line, and the other rules that match.
    verdict = robots.decide("https://www.example.com/blog/members/1", agent="GPTBot")
    print(f"GPTBot, /blog/members/1: {verdict}")
    for rule in verdict.also_matched:
        print(f"  line {rule.line} also matches, with specificity {rule.specificity}: {rule}")

    # Many URLs for one agent: select its rules once.
    rules = robots.rules_for("Googlebot")
    urls = (EXAMPLES / "urls.txt").read_text(encoding="utf-8").split()
    for url, allowed in zip(urls, rules.allows_many(urls), strict=True):
        print("Googlebot", "may fetch    " if allowed else "may not fetch", url)

    # Other information in the file.
    print("Sitemaps:", *robots.sitemaps)
    print("Seconds between requests for GPTBot:", robots.crawl_delay(agent="GPTBot"))


if __name__ == "__main__":
    main()
