"""The lines of JSON with which the runner asks a program. README.md describes them."""

import base64
import json
from typing import Any

from conformance.cases import RAISED, Answer, Question


def describe(question: Question) -> str:
    """Describe a question on one line. Long URLs and names are shortened."""
    url = question.url if len(question.url) <= 100 else question.url[:80] + b"... (%d bytes)" % len(question.url)
    names = question.agents or (f"{question.user_agent}",)
    agents = ", ".join(name if len(name) <= 40 else f"{name[:40]}..." for name in names)
    decision = "" if question.page is None else f"{question.page['decision']} of "
    step = f" in step {len(question.steps)}" if question.steps else ""
    return f"{question.profile}: {agents}, {decision}{url.decode('utf-8', 'backslashreplace')!r}{step}"


def to_json(question: Question) -> dict[str, Any]:
    """Return a question as the JSON object that a program reads."""
    fields = {
        "id": question.case,
        "profile": question.profile,
        "agents": list(question.agents),
        "user_agent": question.user_agent,
        "star_applies": question.star_applies,
        "robots": base64.b64encode(question.robots).decode(),
        "robots_url": question.robots_url,
        "max_bytes": question.max_bytes,
        "url": base64.b64encode(question.url).decode(),
    }
    return fields if question.page is None else {**fields, "page": question.page}


def export_question(question: Question) -> dict[str, Any]:
    """Return a question and its expected answer as one JSON object."""
    answer = {key: value for key, value in question.expected._asdict().items() if value is not None}
    return {**to_json(question), "expected": answer}


def parse_answer(text: str, *, strict: bool = False) -> "Answer | str":
    """Parse an answer: an object, or a list of one. Return a string, the reason, if the question was skipped.

    Args:
        text: JSON.
        strict: Raise ValueError for an object without a verdict, an error, an exception or a reason for skipping.
    """
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    if isinstance(value, list) and value:
        value = value[0]
    if not isinstance(value, dict):
        raise ValueError(f"invalid answer {text.strip()[:80]!r}: expected a JSON object")  # noqa: TRY004
    if strict and not (isinstance(value.get("allowed"), bool) or {"error", "exception", "skip"} & value.keys()):
        raise ValueError(f'invalid answer {text.strip()[:80]!r}: expected "allowed" with true or false')
    if "skip" in value:
        return str(value["skip"])
    if "exception" in value:
        return Answer(error=f"{RAISED} {value['exception']}")
    line, reason, allowed = value.get("line"), value.get("reason"), value.get("allowed")
    if line is None and "rule" in value:
        line = value["rule"]["line"] if value["rule"] else 0
    if allowed is None:
        return Answer(error=str(value.get("error")))
    return Answer(bool(allowed), line, reason)
