"""Disagreements as a person wants them: shrunk, with the right answer, ready for conformance/."""

from tests.differential.oracles import compile_with, google, octets_of_url
from tests.differential.runner import Job
from tests.differential.shrinker import shrunk
from tests.differential.tally import Disagreement, Question

from canfetch.errors import CanfetchError


def report(job: Job, disagreements: list[Disagreement], *, most: int = 5) -> str:
    """Describe disagreements; the first ones are shrunk and written as conformance cases."""
    parts = [described(job, disagreement) for disagreement in disagreements[:most]]
    if len(disagreements) > most:
        parts.append(f"and {len(disagreements) - most} more")
    return "\n\n".join(parts)


def described(job: Job, disagreement: Disagreement) -> str:
    """Describe one disagreement."""
    question = disagreement.question
    if disagreement.whole:
        return f"{disagreement}\nonly with all that was asked before; file and URL: {question!r}"
    small = shrunk(question, lambda candidate: job.difference(candidate) is not None)
    found = job.difference(small) or disagreement.difference
    lines = [str(disagreement), f"shrunk: {found.field}: ours {found.ours!r}, theirs {found.theirs!r}"]
    return "\n".join([*lines, right_case(job, small)])


def right_case(job: Job, question: Question) -> str:
    """Write the question as a case, with the answer of the one who is right: Google's parser, or the Python engine."""
    octets, profile, tokens, star_applies, url = question
    if job.against == "google" and profile == "google":
        return conformance_case(
            question, *google()(octets, tokens[0], octets_of_url(url)), "google/robotstxt, robots.cc"
        )
    try:
        bound = compile_with("python")(octets, profile).bind(tokens, star_applies, None, None)
        allowed, rule = bound.deciding_rule(url)
    except CanfetchError as error:
        return f"# the Python engine raises {error!r} for {question!r}"
    return conformance_case(question, allowed, rule.line if rule else 0, "FIXME")


def conformance_case(question: Question, allowed: bool, line: int, source: str) -> str:  # noqa: FBT001
    """Write a question and its right answer as a case for conformance/."""
    tokens = [quoted(octets_as_text(token)) for token in question.tokens]
    url = _octets("url", octets_of_url(question.url))
    lines = [
        "[[case]]",
        'id = "FIXME"',
        f"source = {quoted(source)}",
        'level = "stated"',
        'why = "FIXME"',
        f"profile = {quoted(question.profile)}",
        f"agent = {tokens[0] if len(tokens) == 1 else '[' + ', '.join(tokens) + ']'}",
        *([] if question.star_applies else ["star_applies = false"]),
        _octets("robots", question.octets),
        f"expect = [{{ {url}, allowed = {str(allowed).lower()}, line = {line} }}]",
    ]
    return "\n".join(lines)


def octets_as_text(octets: bytes) -> str:
    """Decode what should be UTF-8, and show what is not."""
    return octets.decode("utf-8", "backslashreplace")


def _octets(name: str, octets: bytes) -> str:
    try:
        return f"{name} = {quoted(octets.decode())}"
    except UnicodeDecodeError:
        return f'{name}_parts = [{{ hex = "{octets.hex()}" }}]'


def quoted(text: str) -> str:
    """Write a TOML string on one line."""
    return '"' + "".join(map(_escaped, text)) + '"'


def _escaped(character: str) -> str:
    short = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}.get(character)
    if short:
        return short
    if character.isprintable():
        return character
    return f"\\u{ord(character):04X}" if ord(character) < 0x10000 else f"\\U{ord(character):08X}"
