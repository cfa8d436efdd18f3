"""Update the links from docs/scoreboard to the lines of conformance cases, or check that they are up to date.

`make scoreboard` writes them. They change when a case file is edited.
"""

import argparse
import json
import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
LINK = re.compile(r"\[`(?P<id>[^`]+)`(?:, line \d+)?\]\((?P<root>\.\.(?:/\.\.)*)/conformance/[^)]+\)")

sys.path.insert(0, str(ROOT))

from conformance.cases import Case  # noqa: E402 - the runner is not installed
from conformance.scoreboard.catalogue import LOADERS  # noqa: E402
from conformance.scoreboard.page import case_link  # noqa: E402


def update_page(text: str, cases: dict[str, Case]) -> str:
    """Return a page with current links."""
    return LINK.sub(lambda match: case_link(cases[match["id"]], match["root"]), text)


def update_report(text: str, cases: dict[str, Case]) -> str:
    """Return the JSON file with current files and lines."""
    report = json.loads(text)
    for implementation in report["implementations"]:
        for profile in implementation["profiles"]:
            profile["failures"] = [update_failure(failure, cases) for failure in profile["failures"]]
    return json.dumps(report, indent=1, ensure_ascii=False) + "\n"


def update_failure(failure: dict[str, Any], cases: dict[str, Case]) -> dict[str, Any]:
    """Return a failure with the current file and line of its case."""
    case = cases[failure["case"]]
    return {"case": case.id, "file": f"conformance/{case.file}", "line": case.line} | {
        key: value for key, value in failure.items() if key not in {"case", "file", "line"}
    }


def main() -> int:
    """Write or check the links. Return 1 if `--check` finds one out of date, or if a case does not exist."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if a link is out of date")
    check = parser.parse_args().check
    cases = {case.id: case for load in LOADERS.values() for case in load()}
    outdated = False
    for path in [DOCS / "scoreboard.json", DOCS / "scoreboard.md", *sorted((DOCS / "scoreboard").glob("*.md"))]:
        text = path.read_text(encoding="utf-8")
        try:
            updated = (update_report if path.suffix == ".json" else update_page)(text, cases)
        except KeyError as error:
            print(f"{path.relative_to(ROOT)}: there is no case {error}: run `make scoreboard`")
            return 1
        if updated != text:
            outdated = True
            if not check:
                path.write_text(updated, encoding="utf-8")
            print(f"{path.relative_to(ROOT)} {'is out of date' if check else 'written'}")
    return int(check and outdated)


if __name__ == "__main__":
    sys.exit(main())
