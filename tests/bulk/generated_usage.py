"""Files that state preferences on the use of content, and URLs for them."""

import random

NAMES = ["a", "b", "C", "*", "gptbot"]
PATHS = ["", "/", "/a", "/a/", "/*b", "/a*b", "/b$", "/é", "/a?q=/", "/%61", "/index.html", "*a", "x", "/a\0"]
VALUES = ["train-ai=n", "train-ai=y, search=n", "ai-use=n", "genai=n, ai=n", "Train-AI=n", "", "x=y", "search=é"]
SIGNALS = ["ai-train=no", "search=yes, ai-train=yes", "AI-INPUT=no", "use=reference", "x", "/a ai-train=no", ""]
URLS = [
    *("/", "/a", "/a/b", "/ab", "/b", "/é", "/%C3%A9", "/a?q=%2F", "/a?q=/b", "/index.html", "/robots.txt"),
    *("https://example.com", "https://example.com/a/b#f", "//example.com/b", "not a URL", "", None),
]


def usage_lines(dice: random.Random) -> list[str]:
    """Return lines for a group, or for the whole file."""
    lines = []
    for _ in range(dice.randint(0, 6)):
        key, path = (
            dice.choice(["Content-Usage", "Content-Signal", "DisallowAITraining", "Disallow"]),
            dice.choice(PATHS),
        )
        value = {"Content-Usage": f"{path} {dice.choice(VALUES)}", "Content-Signal": dice.choice(SIGNALS)}.get(
            key, path
        )
        allow = dice.choice(["", "Allow"])
        key = key.replace("Disallow", allow) if allow and key.startswith("Disallow") else key
        key = dice.choice([key, key.lower(), key.upper(), key.replace("Signal", "Signals")])
        lines.append(key + dice.choice([": ", ":\t", " ", " : "]) + value + dice.choice(["", " # x"]))
    return lines


def generated_content(dice: random.Random, names: list[str] = NAMES) -> bytes:
    """Return a file whose groups, for some of the names, have statements, rules, and other records."""
    lines = usage_lines(dice) if dice.random() < 0.5 else []
    for _ in range(dice.randint(0, 4)):
        lines += [f"User-agent: {name}" for name in dice.sample(names, dice.randint(1, 2))]
        lines += usage_lines(dice) + dice.choice([[], ["Sitemap: /s"], [""], ["Crawl-delay: 1"]])
    return dice.choice(["\n", "\r\n"]).join(lines).encode()
