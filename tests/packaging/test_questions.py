"""The questions that each package is asked are rows of conformance cases whose level is MUST."""

import tomllib

from check_packages import ROOT, Answer, answers_of, questions


def test_questions_are_rows_of_cases() -> None:
    cases = {
        case["id"]: case
        for file in (ROOT / "conformance" / "rfc9309").glob("*.toml")
        for case in tomllib.loads(file.read_text(encoding="utf-8"))["case"]
    }
    asked = questions()
    assert len(asked) == len({question["case"] for question in asked}) == 20
    for question in asked:
        case = cases[question["case"]]
        assert (case["level"], case["robots"]) == ("MUST", question["robots"])
        rows = [
            (row.get("agent", case["agent"]), row.get("url"), row["allowed"], row["line"]) for row in case["expect"]
        ]
        assert (question["agent"], question["url"], question["allowed"], question["line"]) in rows


def test_questions_are_varied() -> None:
    asked = questions()
    assert 8 <= sum(question["allowed"] for question in asked) <= 12
    assert len({question["line"] for question in asked}) >= 6
    assert {question["case"].split("-")[1] for question in asked} >= {"2.2", "2.2.1", "2.2.2", "2.2.3", "2.3.1.5"}


def test_answers_are_read_from_verdicts() -> None:
    lines = ["disallowed: line 2, Disallow: /a", "allowed: no rule for * matches", "allowed: line 10, Allow: /line 3"]
    assert answers_of(lines) == [Answer(False, 2), Answer(True, 0), Answer(True, 10)]
