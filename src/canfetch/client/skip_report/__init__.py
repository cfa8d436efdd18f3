"""Skip reports: the URLs that a crawl did not fetch, in the form of Browsertrix's `reports/skippedPages.jsonl`.

    URL, verdict -> SkippedPage -> line -> SkipReport (a file that threads and processes share) -> read_skip_report

Open `skipped_page.py` first: it has the form. `writer.py` appends lines, and `reader.py` reads files of canfetch and of
Browsertrix.
"""

from canfetch.client.skip_report.reader import DamagedLine, read_skip_report
from canfetch.client.skip_report.skipped_page import SkippedPage, SkipReason
from canfetch.client.skip_report.writer import SkipReport

__all__ = ["DamagedLine", "SkipReason", "SkipReport", "SkippedPage", "read_skip_report"]
