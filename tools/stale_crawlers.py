"""Say which entries of the registry were checked too long ago, oldest first.

    python tools/stale_crawlers.py [--days 365] [--today 2027-11-20]

Exit code: 0 where none is older, 1 where some are.
"""

import argparse
import datetime as dt
import sys

from canfetch.agents import CRAWLERS

YEAR_DAYS = 365


def main() -> int:
    """List the entries that are older, and give the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--days", type=int, default=YEAR_DAYS, help="the age from which an entry is old; 365")
    parser.add_argument(
        "--today", type=dt.date.fromisoformat, default=dt.datetime.now(dt.UTC).date(), help="YYYY-MM-DD; today"
    )
    given = parser.parse_args()
    before = given.today - dt.timedelta(days=given.days)
    old = sorted(
        (crawler.checked, crawler.name, crawler.source) for crawler in CRAWLERS if _day(crawler.checked) < before
    )
    for checked, name, source in old:
        print(f"{checked}  {name}  {source}")
    print(f"{len(old)} of {len(CRAWLERS)} entries were checked before {before}", file=sys.stderr)
    return 1 if old else 0


def _day(text: str) -> dt.date:
    return dt.date.fromisoformat(text)


if __name__ == "__main__":
    sys.exit(main())
