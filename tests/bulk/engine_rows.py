"""Rows that DuckDB, Polars, pandas and Spark decide, and what `canfetch.bulk` returns for them."""

from typing import Any

from canfetch import Agent, bulk

CONTENT = "user-agent: *\ndisallow: /a\nsitemap: /s\n\nuser-agent: GPTBot\nContent-Signal: ai-train=no\nallow: /\n"
CONTENTS = [CONTENT, CONTENT, None, "user-agent: gptbot\ndisallow: /é"]
AGENTS = ["GPTBot", "bot", "bot", "two words"]
URLS = ["/a", "https://A.example:443/a", "/a", "/é"]
IDS = [1, 2, 3, 4]
AGENT_LIST: list[str | Agent] = ["GPTBot", Agent("bot")]
FILES = dict(zip(IDS, CONTENTS, strict=True))


def expected_rows(files: bulk.Files) -> dict[str, list[Any]]:
    """Return the rows of each function."""
    columns = {
        "allows": bulk.allows(CONTENTS, AGENTS, URLS),
        "decide": bulk.decide(CONTENTS, AGENTS, URLS),
        "usage": bulk.usage(CONTENTS, AGENTS, URLS, purpose="training"),
        "may_use": bulk.may_use(CONTENTS, AGENTS, URLS, purpose="training"),
        "matrix": bulk.matrix(CONTENTS, AGENT_LIST, URLS),
        "rules": bulk.rules(CONTENTS),
        "sitemaps": bulk.sitemaps(CONTENTS),
        "metrics": bulk.metrics(CONTENTS),
        "origins": bulk.origins(URLS),
        "allows_at": files.allows_at(IDS, AGENTS, URLS),
        "decide_at": files.decide_at(IDS, AGENTS, URLS),
        "matrix_at": files.matrix_at(IDS, AGENT_LIST, URLS),
    }
    return {name: column.to_pylist() for name, column in columns.items()}
