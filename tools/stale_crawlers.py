"""List the registry entries that were checked too long ago, oldest first.

    python tools/stale_crawlers.py [--days 365] [--today 2027-11-20]

Exit codes: 0 if every entry is recent, 1 otherwise.
"""

import argparse
import datetime as dt
import sys

from canfetch.agents import CRAWLERS

YEAR_DAYS = 365


def main() -> int:
    """List the stale entries, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--days", type=int, default=YEAR_DAYS, help="maximum age in days (default: 365)")
    parser.add_argument(
        "--today",
        type=dt.date.fromisoformat,
        default=dt.datetime.now(dt.UTC).date(),
        help="reference date (default: today)",
    )
    arguments = parser.parse_args()
    oldest = arguments.today - dt.timedelta(days=arguments.days)
    stale = sorted(
        (crawler.checked, crawler.name, crawler.source) for crawler in CRAWLERS if _day(crawler.checked) < oldest
    )
    for checked, name, source in stale:
        print(f"{checked}  {name}  {source}")
    print(f"{len(stale)} of {len(CRAWLERS)} entries were checked before {oldest}", file=sys.stderr)
    return 1 if stale else 0


def _day(text: str) -> dt.date:
    return dt.date.fromisoformat(text)


if __name__ == "__main__":
    sys.exit(main())
