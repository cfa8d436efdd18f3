"""Comparison of the profiles `google` and `googlebot` with Google's parser: the verdict and the line."""

from tests.differential.generator import Case
from tests.differential.oracles import CompileFile, GoogleParser, encode_url
from tests.differential.tally import Difference, Disagreement, Question, Tally

from canfetch.core.profiles import get_profile
from canfetch.errors import InvalidURL

# For a profile that encodes the URL, Google's parser gets the encoded target.
_ANY_ORIGIN = b"https://h"
# For a batch of this size, the native engine builds its index first.
_BATCH = [b"/"] * 40


def compare_with_google(
    case: Case, origin: str, profile: str, compile_file: CompileFile, google: GoogleParser
) -> Tally:
    """Compare every agent and URL of a case. Invalid URLs are skipped.

    Args: origin: where the case is from, for the report.
    """
    tally = Tally(cases=1)
    content = case.content
    encodes = get_profile(profile).encode_target
    compiled = compile_file(content, profile)
    # Converted once for all agents, because the conversion takes as long as a decision.
    urls = [(url, encode_url(url)) for url in case.urls]
    for agent in case.agents:
        bound = compiled.bind((agent,), True, None, None)
        if case.seed % 2:
            bound.allows_many(_BATCH)
        decide = bound.decide
        for url, url_bytes in urls:
            try:
                allowed, reason, rule, _, target = decide(url)
            except InvalidURL:
                tally.refused += 1
                continue
            tally.triples += 1
            tally.disallowed += not allowed
            tally.ruled += rule is not None
            ours = (allowed, rule.line if rule else 0)
            if encodes:
                theirs = (True, 0) if reason == "robots-txt" else google(content, agent, _ANY_ORIGIN + target)
            else:
                theirs = google(content, agent, url_bytes)
            if ours != theirs:
                question = Question(content, profile, (agent,), star_applies=True, url=url)
                whole = google_difference(question, compile_file, google) is None
                difference = Difference("(allowed, line)", ours, theirs)
                tally.note(Disagreement(origin, "google", question, difference, whole))
    return tally


def google_difference(question: Question, compile_file: CompileFile, google: GoogleParser) -> Difference | None:
    """Compare one question, before and after the index is built.

    Returns: None if both agree, or the URL is invalid.
    """
    content, profile, tokens, star_applies, url = question
    bound = compile_file(content, profile).bind(tokens, star_applies, None, None)
    for batch in ([], _BATCH):
        bound.allows_many(batch)
        try:
            allowed, reason, rule, _, target = bound.decide(url)
        except InvalidURL:
            return None
        ours = (allowed, rule.line if rule else 0)
        if not get_profile(profile).encode_target:
            theirs = google(content, tokens[0], encode_url(url))
        elif reason == "robots-txt":
            theirs = (True, 0)
        else:
            theirs = google(content, tokens[0], _ANY_ORIGIN + target)
        if ours != theirs:
            return Difference("(allowed, line)", ours, theirs)
    return None
