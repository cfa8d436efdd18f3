"""What a worker process imports before its first computation."""

from pydantic_core import to_json

from canfetch.core.agent import Agent
from canfetch.web.api.decisions import compare, explain
from canfetch.web.api.facts import Facts
from canfetch.web.api.files import fix
from canfetch.web.api.outcomes import outcome_of
from canfetch.web.api.use import use

_CONTENT = "User-agent: *\nDisallow: /a\n"


def preload() -> None:
    """Answer one request of each kind, because several modules are imported on their first use."""
    facts = Facts(0.0, Agent("*"))
    for answer, request in (
        (compare, {"old": _CONTENT, "new": "", "urls": ["/a"], "agents": ["GPTBot"]}),
        (explain, {"content": _CONTENT, "url": "/a", "agent": "GPTBot"}),
        (fix, {"content": _CONTENT}),
        (use, {"content": _CONTENT, "agents": ["GPTBot"]}),
    ):
        outcome_of(answer, to_json(request), facts)
