"""May these crawlers fetch these URLs, and why? Run: python examples/quickstart.py."""

from pathlib import Path

import canfetch

EXAMPLES = Path(__file__).parent


def main() -> None:
    """Answer from the file beside this one."""
    octets = (EXAMPLES / "robots.txt").read_bytes()
    robots = canfetch.parse(octets, url="https://www.example.com/robots.txt")

    # One question, one answer.
    print("ExampleBot, /shop/cart/:", robots.allows("https://www.example.com/shop/cart/", agent="ExampleBot"))

    # The answer with its reason: the deciding rule, its line, and the rules that lost.
    verdict = robots.decide("https://www.example.com/blog/members/1", agent="GPTBot")
    print(f"GPTBot, /blog/members/1: {verdict}")
    for rule in verdict.also_matched:
        print(f"  line {rule.line} matched too, with {rule.specificity} octets: {rule}")

    # Many questions for one agent: bind its rules once.
    rules = robots.rules_for("Googlebot")
    urls = (EXAMPLES / "urls.txt").read_text(encoding="utf-8").split()
    for url, allowed in zip(urls, rules.allows_many(urls), strict=True):
        print("Googlebot", "may fetch    " if allowed else "may not fetch", url)

    # What else the file says.
    print("Sitemaps:", *robots.sitemaps)
    print("Seconds between requests for GPTBot:", robots.crawl_delay(agent="GPTBot"))


if __name__ == "__main__":
    main()
