"""The lines of answers about uses: everything that an answer depends on, so that it can be computed again.

    {..., "url": "https://...", "use": {<UseVerdict>}, "question": {"purpose": ..., "agent": ..., "now": ...},
     "readings": [{"url": ..., "robots": {...}, "response": {...}, "tdm": {...}, "licenses": {...}}],
     "canfetch": "<version>"}

The last reading is that of the content, and those before it are of the redirects to it. A source that was read has the
state `read` and the hash of its bytes, which the folder can contain. Any other source has its state and the reason.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from math import inf, isfinite
from typing import Any, Final

from canfetch import __version__
from canfetch.client.evidence.chain import is_sha256
from canfetch.client.origin_state import OriginState
from canfetch.client.use import AnsweredUse, FileFetch, UseQuestion, UseReading, answer_use
from canfetch.consent.sources import MissingSource, PageResponse
from canfetch.consent.verdict import SourceState
from canfetch.core.agent import Agent
from canfetch.core.document import RobotsTxt, parse
from canfetch.core.quoting import quoted
from canfetch.core.redaction import redacted_url
from canfetch.core.text import encode_text
from canfetch.errors import CanfetchError, MissingExtra

USE: Final = "use"
_READ: Final = str(SourceState.READ)
# Changes with the words of an answer, so that the evidence of versions with other words stays valid.
_WORDING: Final = 3
# Words, and the time of a content, which once was also that of an error page.
_WORDS: Final = frozenset({"explanation", "combination", "standard", "note", "detail", "fetched_at"})
_INVALID: Final = "invalid record of an answer about a use"
# What an answer cannot lack.
_REQUIRED: Final = frozenset({"schema", "url", "purpose", "allowed", "is_final", "statements", "sources"})

# An authority up to its last `@`. A URL in a header can follow any character, such as `<` in a Link header.
_USER_INFORMATION: Final = re.compile(r"//[^/?#<>\"]*@")

StoreContent = Callable[[bytes], str]
ReadContent = Callable[[str], bytes | None]


def use_fields(
    answered: AnsweredUse, *, describe_state: Callable[[OriginState], dict[str, Any]], store: StoreContent
) -> dict[str, Any]:
    """Return the fields of the line of an answer.

    Args:
        describe_state: Returns how the robots.txt of an origin was fetched.
        store: Stores the content of a source, and returns its hash.
    Raises: EvidenceError: A source cannot be stored.
    """
    question, readings, verdict = answered
    recorded = tuple(map(_without_credentials, readings))
    if any(one is not other for one, other in zip(recorded, readings, strict=True)):
        # The line has the answer about the URLs without credentials, which can be computed again.
        _, readings, verdict = answer_use(question, recorded)
    return {
        "url": redacted_url(verdict.url),
        USE: verdict.to_json(),
        "question": {
            "purpose": question.purpose,
            "agent": {"tokens": list(question.agent.tokens), "star_applies": question.agent.star_applies},
            "now": question.now,
        },
        "readings": [_reading_json(reading, describe_state, store) for reading in readings],
        "wording": _WORDING,
        "canfetch": __version__,
    }


def _without_credentials(reading: UseReading) -> UseReading:
    url, urls = redacted_url(reading.url), {name: redacted_url(name) for name in (*reading.licenses, *reading.fetches)}
    response = _response_without_credentials(reading.response)
    if url == reading.url and all(name == redacted for name, redacted in urls.items()) and response is reading.response:
        return reading
    licenses = {urls[name]: document for name, document in reading.licenses.items()}
    fetches = {urls[name]: fetch for name, fetch in reading.fetches.items()}
    return reading._replace(url=url, licenses=licenses, fetches=fetches, response=response)


def _response_without_credentials(response: PageResponse | MissingSource) -> PageResponse | MissingSource:
    if isinstance(response, MissingSource):
        return response
    headers = response.read_part().headers
    if not isinstance(headers, tuple):
        return response
    redacted = tuple((name, _USER_INFORMATION.sub("//***@", value)) for name, value in headers)
    return response if redacted == headers else response._replace(headers=redacted)


def _reading_json(
    reading: UseReading, describe_state: Callable[[OriginState], dict[str, Any]], store: StoreContent
) -> dict[str, Any]:
    robots, state = reading.robots, reading.state
    return {
        "url": reading.url,
        "robots": {
            **(_robots_json(robots, store) if isinstance(robots, RobotsTxt) else _missing_json(robots)),
            "fetch": None if state is None else describe_state(state),
        },
        "response": _response_json(reading.response, store),
        "tdm": _file_json(reading.tdm, store),
        "licenses": {url: _file_json(document, store) for url, document in reading.licenses.items()},
        "fresh_until": reading.fresh_until if isfinite(reading.fresh_until) else None,
        "fetches": {name: fetch._asdict() for name, fetch in reading.fetches.items()},
    }


def _robots_json(robots: RobotsTxt, store: StoreContent) -> dict[str, Any]:
    return {
        "state": _READ,
        "sha256": store(robots.render()),
        "robots_url": None if robots.origin is None else robots.origin.robots_url,
        "profile": robots.profile,
        "max_bytes": robots.max_bytes,
    }


def _response_json(response: PageResponse | MissingSource, store: StoreContent) -> dict[str, Any]:
    if isinstance(response, MissingSource):
        return _missing_json(response)
    status, headers, html = response.read_part()
    return {
        "state": _READ,
        "status": status,
        "headers": headers,
        # A str is read as UTF-8, whatever the headers and the page declare.
        "html_is_text": isinstance(html, str),
        "sha256": None if html is None else store(encode_text(html) if isinstance(html, str) else bytes(html)),
    }


def _file_json(file: bytes | MissingSource, store: StoreContent) -> dict[str, Any]:
    return _missing_json(file) if isinstance(file, MissingSource) else {"state": _READ, "sha256": store(file)}


def _missing_json(source: MissingSource) -> dict[str, Any]:
    return {"state": str(source.state), "detail": source.detail}


def content_hashes(record: Mapping[str, Any]) -> Iterator[str]:
    """Yield the hashes of the sources in the line of an answer, as far as the line has the right form."""
    readings = record.get("readings")
    for reading in readings if isinstance(readings, list) else ():
        if isinstance(reading, dict):
            licenses = reading.get("licenses")
            documents = licenses.values() if isinstance(licenses, dict) else ()
            for source in (reading.get("robots"), reading.get("response"), reading.get("tdm"), *documents):
                if isinstance(source, dict) and isinstance(source.get("sha256"), str):
                    yield source["sha256"]


def find_copy_problem(record: Mapping[str, Any]) -> str | None:
    """Return how a robots.txt that was read differs from the fetched copy in the same line, by their hashes, or None.

    Args: record: The decoded line of an answer, which need not have the right form.
    """
    readings = record.get("readings")
    for reading in readings if isinstance(readings, list) else ():
        robots = reading.get("robots") if isinstance(reading, dict) else None
        fetch = robots.get("fetch") if isinstance(robots, dict) else None
        copy = fetch.get("copy") if isinstance(fetch, dict) else None
        if (
            isinstance(robots, dict)
            and isinstance(copy, dict)
            and "sha256" in robots
            and robots["sha256"] != copy.get("sha256")
        ):
            return (
                f"the robots.txt of the answer has the hash {quoted(robots['sha256'])}, "
                f"but the fetched copy has {quoted(copy.get('sha256'))}"
            )
    return None


def find_use_problem(record: Mapping[str, Any], read_content: ReadContent) -> str | None:
    """Compute an answer again from its recorded sources, and return how the recorded one differs, or None.

    Args:
        record: The decoded line.
        read_content: Returns the content with a hash. It must exist.
    Raises: MissingExtra: There is HTML to parse, and lxml is not installed.
    Cost: As `canfetch.may_use`.
    """
    recorded = record[USE]
    if not isinstance(recorded, dict) or not recorded.keys() >= _REQUIRED:
        return _INVALID
    try:
        readings = [_reading(reading, read_content) for reading in record["readings"]]
        computed = answer_use(_question(record["question"]), readings).verdict.to_json()
    except MissingExtra:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError, CanfetchError):
        return _INVALID
    computed = json.loads(json.dumps(computed))
    if record.get("wording") != _WORDING:
        computed, recorded = _without_words(computed), _without_words(recorded)
    # In the order of `UseVerdict.to_json`, in which the keys that tell most come first. Later versions can add keys.
    key = next((key for key in (*computed, *recorded) if _differs(key, recorded, computed)), None)
    if key is None and record.get("url") == recorded["url"]:
        return None
    if key is None:
        return f"the line is about {quoted(record.get('url'))}, but its answer about {quoted(recorded['url'])}"
    version = record.get("canfetch")
    versions = "" if version == __version__ else f"; recorded by version {quoted(version)}, this is {__version__}"
    return (
        f"the recorded answer is not that of its sources: {quoted(key)} is {quoted(recorded[key])}, "
        f"expected {quoted(computed.get(key))}{versions}"
    )


def _without_words(value: Any) -> Any:
    """Return an answer without the words that explain it, which later versions may write differently."""
    if isinstance(value, dict):
        # Once, fewer sources had a URL.
        kept = (key for key in value if key not in _WORDS and (key, value[key]) != ("url", None))
        return {key: _without_words(value[key]) for key in kept}
    return [_without_words(item) for item in value] if isinstance(value, list) else value


def _differs(key: str, recorded: Mapping[str, Any], computed: Mapping[str, Any]) -> bool:
    return key in recorded and (key not in computed or not _contains(computed[key], recorded[key]))


def _contains(computed: Any, recorded: Any) -> bool:
    """Return whether two values are the same, apart from keys that only the computed one has."""
    if isinstance(computed, dict) and isinstance(recorded, dict):
        return all(key in computed and _contains(computed[key], value) for key, value in recorded.items())
    if isinstance(computed, list) and isinstance(recorded, list):
        return len(computed) == len(recorded) and all(map(_contains, computed, recorded))
    return bool(computed == recorded)


def _question(value: Mapping[str, Any]) -> UseQuestion:
    agent = Agent(value["agent"]["tokens"], star_applies=value["agent"]["star_applies"])
    return UseQuestion(value["purpose"], agent, value["now"])


def _reading(value: Mapping[str, Any], read_content: ReadContent) -> UseReading:
    def file(source: Mapping[str, Any]) -> bytes | MissingSource:
        return _content(source, read_content) if source["state"] == _READ else _missing(source)

    robots, response, fresh_until = value["robots"], value["response"], value["fresh_until"]
    return UseReading(
        value["url"],
        _robots(robots, read_content) if robots["state"] == _READ else _missing(robots),
        _response(response, read_content) if response["state"] == _READ else _missing(response),
        file(value["tdm"]),
        {url: file(document) for url, document in value["licenses"].items()},
        inf if fresh_until is None else fresh_until,
        # The first lines had no times.
        fetches={name: FileFetch(**fetch) for name, fetch in value.get("fetches", {}).items()},
    )


def _robots(value: Mapping[str, Any], read_content: ReadContent) -> RobotsTxt:
    content = _content(value, read_content)
    return parse(content, url=value["robots_url"], profile=value["profile"], max_bytes=value["max_bytes"])


def _response(value: Mapping[str, Any], read_content: ReadContent) -> PageResponse:
    html: bytes | str | None = None
    if value["sha256"] is not None:
        html = _content(value, read_content)
        if value["html_is_text"]:
            html = html.decode("utf-8", "surrogateescape")
    return PageResponse(value["status"], value["headers"], html)


def _content(value: Mapping[str, Any], read_content: ReadContent) -> bytes:
    sha256 = value["sha256"]
    content = read_content(sha256) if is_sha256(sha256) else None
    if content is None:
        raise ValueError("the content of a source does not exist")
    return content


def _missing(value: Mapping[str, Any]) -> MissingSource:
    return MissingSource(SourceState(value["state"]), value["detail"])
