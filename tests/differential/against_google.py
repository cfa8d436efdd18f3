"""Profiles `google` and `googlebot` beside Google's parser: the same verdict and the same line."""

from tests.differential.generator import Case
from tests.differential.oracles import AskGoogle, CompileFile, octets_of_url
from tests.differential.tally import Difference, Disagreement, Question, Tally

from canfetch.core.profiles import get_profile
from canfetch.errors import InvalidURL

# Google's parser is asked what a profile that encodes the URL made of it.
_ANY_ORIGIN = b"https://h"
# In a batch of so many, the native engine uses its index from the first one on.
_BATCH = [b"/"] * 40


def compare_with_google(case: Case, origin: str, profile: str, compile_file: CompileFile, ask: AskGoogle) -> Tally:
    """Compare every agent and URL of a case; URLs that are none are no question to Google.

    Args: origin: where the case is from, for the report.
    """
    tally = Tally(cases=1)
    octets = case.octets
    encodes = get_profile(profile).encode_target
    compiled = compile_file(octets, profile)
    # A list of octets once for all agents: the conversion costs as much as the answer.
    urls = [(url, octets_of_url(url)) for url in case.urls]
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
                theirs = (True, 0) if reason == "robots-txt" else ask(octets, agent, _ANY_ORIGIN + target)
            else:
                theirs = ask(octets, agent, url_bytes)
            if ours != theirs:
                question = Question(octets, profile, (agent,), star_applies=True, url=url)
                whole = google_difference(question, compile_file, ask) is None
                difference = Difference("(allowed, line)", ours, theirs)
                tally.note(Disagreement(origin, "google", question, difference, whole))
    return tally


def google_difference(question: Question, compile_file: CompileFile, ask: AskGoogle) -> Difference | None:
    """Ask one question of both, from nothing and again when the index stands.

    Returns: None where they agree, or where Google cannot be asked.
    """
    octets, profile, tokens, star_applies, url = question
    bound = compile_file(octets, profile).bind(tokens, star_applies, None, None)
    for batch in ([], _BATCH):
        bound.allows_many(batch)
        try:
            allowed, reason, rule, _, target = bound.decide(url)
        except InvalidURL:
            return None
        ours = (allowed, rule.line if rule else 0)
        if not get_profile(profile).encode_target:
            theirs = ask(octets, tokens[0], octets_of_url(url))
        elif reason == "robots-txt":
            theirs = (True, 0)
        else:
            theirs = ask(octets, tokens[0], _ANY_ORIGIN + target)
        if ours != theirs:
            return Difference("(allowed, line)", ours, theirs)
    return None
