"""The plain values of statements, which the native engine combines."""

from canfetch.core.engines import get_compiler
from canfetch.core.extensions.content_usage import contradicted_labels
from canfetch.core.extensions.usage_records import USAGE_KEYS, statement_rows

CONTENT = b"""\
Content-Signal: search=yes
User-agent: *
Content-Usage: /a train-ai=y, ai=n
Content-Usage: tdm=n, all=y
AllowAITraining: /b
"""


def test_the_statements_of_a_record_on_each_purpose(engine: str) -> None:
    rows = get_compiler(engine)(CONTENT, "rfc9309").other_records()
    signals, usages, training = statement_rows(CONTENT, rows, [0])
    assert signals == [(1, b"/", (None, (False, "line 1, content-signal: search=yes (allow)"), None))]
    both = (True, "line 4, content-usage: tdm=n, all=y (disallow)")
    allowed = (False, "line 3, content-usage: /a train-ai=y, ai=n (allow)")
    assert usages == [(3, b"/a", (allowed, None, None)), (4, b"/", (both, both, both))]
    assert training == [(5, b"/b", ((False, "line 5, allowaitraining: /b (allow)"), None, None))]
    assert statement_rows(CONTENT, rows, []) == (signals, [], [])


def test_the_keys_of_records_with_statements() -> None:
    names = {b"content-signal", b"content-signals", b"content-usage", b"disallowaitraining", b"allowaitraining"}
    assert names == USAGE_KEYS


def test_labels_that_a_line_states_differently() -> None:
    values = {
        b"train-ai=n, train-ai=y": {"train-ai"},
        b"/blog/ train-ai=n, search=y, train-ai=y": {"train-ai"},
        b"train-ai=n, train-ai=n": set(),
        b"train-ai=n, search=y": set(),
    }
    assert {value: set(contradicted_labels(value)) for value in values} == values
