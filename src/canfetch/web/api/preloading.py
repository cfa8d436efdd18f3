"""What a worker process imports before its first computation."""

from pydantic_core import to_json

from canfetch.core.agent import Agent
from canfetch.web.api.decisions import comparison, explanation
from canfetch.web.api.facts import Facts
from canfetch.web.api.files import fixed_file
from canfetch.web.api.outcomes import outcome_of
from canfetch.web.api.use import use_answer

_CONTENT = "User-agent: *\nDisallow: /a\n"


def preload() -> None:
    """Answer one request of each kind, because several modules are imported on their first use."""
    facts = Facts(0.0, Agent("*"))
    for answer, request in (
        (comparison, {"old": _CONTENT, "new": "", "urls": ["/a"], "agents": ["GPTBot"]}),
        (explanation, {"content": _CONTENT, "url": "/a", "agent": "GPTBot"}),
        (fixed_file, {"content": _CONTENT}),
        (use_answer, {"content": _CONTENT, "agents": ["GPTBot"]}),
    ):
        outcome_of(answer, to_json(request), facts)
