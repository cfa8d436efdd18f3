"""Reports of disagreements: shrink, with the right answer, as cases for conformance/."""

from tests.differential.oracles import compile_with, encode_url, google
from tests.differential.runner import Job
from tests.differential.shrinker import shrink
from tests.differential.tally import Disagreement, Question

from canfetch.errors import CanfetchError


def report(job: Job, disagreements: list[Disagreement], *, most: int = 5) -> str:
    """Describe disagreements. The first ones are shrink and written as conformance cases."""
    parts = [describe(job, disagreement) for disagreement in disagreements[:most]]
    if len(disagreements) > most:
        parts.append(f"and {len(disagreements) - most} more")
    return "\n\n".join(parts)


def describe(job: Job, disagreement: Disagreement) -> str:
    """Describe one disagreement."""
    question = disagreement.question
    if disagreement.whole:
        return f"{disagreement}\nnot reproducible alone; file and URL: {question!r}"
    small = shrink(question, lambda candidate: job.difference(candidate) is not None)
    found = job.difference(small) or disagreement.difference
    lines = [str(disagreement), f"shrink: {found.field}: ours {found.ours!r}, theirs {found.theirs!r}"]
    return "\n".join([*lines, case_with_answer(job, small)])


def case_with_answer(job: Job, question: Question) -> str:
    """Write the question as a case, with the right answer: that of Google's parser or of the Python engine."""
    content, profile, tokens, star_applies, url = question
    if job.against == "google" and profile == "google":
        return conformance_case(question, *google()(content, tokens[0], encode_url(url)), "google/robotstxt, robots.cc")
    try:
        bound = compile_with("python")(content, profile).bind(tokens, star_applies, None, None)
        allowed, rule = bound.deciding_rule(url)
    except CanfetchError as error:
        return f"# the Python engine raises {error!r} for {question!r}"
    return conformance_case(question, allowed, rule.line if rule else 0, "FIXME")


def conformance_case(question: Question, allowed: bool, line: int, source: str) -> str:  # noqa: FBT001
    """Write a question and its answer as a case for conformance/."""
    tokens = [quoted(decode_for_display(token)) for token in question.tokens]
    url = _toml_bytes("url", encode_url(question.url))
    lines = [
        "[[case]]",
        'id = "FIXME"',
        f"source = {quoted(source)}",
        'level = "stated"',
        'why = "FIXME"',
        f"profile = {quoted(question.profile)}",
        f"agent = {tokens[0] if len(tokens) == 1 else '[' + ', '.join(tokens) + ']'}",
        *([] if question.star_applies else ["star_applies = false"]),
        _toml_bytes("robots", question.content),
        f"expect = [{{ {url}, allowed = {str(allowed).lower()}, line = {line} }}]",
    ]
    return "\n".join(lines)


def decode_for_display(content: bytes) -> str:
    """Decode UTF-8, with escapes for invalid bytes."""
    return content.decode("utf-8", "backslashreplace")


def _toml_bytes(name: str, content: bytes) -> str:
    try:
        return f"{name} = {quoted(content.decode())}"
    except UnicodeDecodeError:
        return f'{name}_parts = [{{ hex = "{content.hex()}" }}]'


def quoted(text: str) -> str:
    """Return a TOML string on one line."""
    return '"' + "".join(map(_escaped, text)) + '"'


def _escaped(character: str) -> str:
    short = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}.get(character)
    if short:
        return short
    if character.isprintable():
        return character
    return f"\\u{ord(character):04X}" if ord(character) < 0x10000 else f"\\U{ord(character):08X}"
