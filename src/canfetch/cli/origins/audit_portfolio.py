"""Audits of many sites: several at the same time, and continued after an interruption."""

import hashlib
import json
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from canfetch.audit.report import ReportJson
from canfetch.audit.stored_report import is_complete, parse_report
from canfetch.cli.shared.command_errors import CommandError
from canfetch.cli.shared.output_files import replace_file
from canfetch.cli.shared.terminal import print_message
from canfetch.core.quoting import quoted
from canfetch.core.text import printable_text

_SETTINGS: Final = "settings.json"


class WorkFolder:
    """A folder with a report for each finished site.

    Args:
        name: The folder, which is created if it does not exist.
        settings: The options that change reports. A folder continues only with the same ones.
    Raises: CommandError: The folder cannot be used, or belongs to a run with other options.
    """

    def __init__(self, name: str, settings: dict[str, Any]) -> None:
        self._path = Path(name)
        digest = hashlib.sha256(json.dumps(settings).encode()).hexdigest()
        file = self._path / _SETTINGS
        try:
            self._path.mkdir(parents=True, exist_ok=True)
            known = json.loads(file.read_bytes()) if file.exists() else None
        except (OSError, ValueError, RecursionError) as error:
            raise CommandError(f"cannot use --work {quoted(name)}: {error}") from None
        if known is None:
            replace_file(str(file), json.dumps({"options": digest}).encode(), option="--work")
        elif known != {"options": digest}:
            raise CommandError(f"--work {quoted(name)} has reports of a run with other options: choose another folder")

    def read(self, origins: Sequence[str]) -> dict[str, ReportJson]:
        """Return the reports of the finished sites. A file that is not such a report is named on standard error.

        Raises: CommandError: A file cannot be read.
        """
        reports = {}
        for origin in origins:
            file = self._file(origin)
            try:
                report = parse_report(file.read_bytes(), origin)
            except FileNotFoundError:
                continue
            except OSError as error:
                raise CommandError(f"cannot read --work {quoted(str(file))}: {error}") from None
            except ValueError as error:
                reason = printable_text(str(error))
                print_message(f"canfetch: --work {quoted(str(file))} is not used: {reason}; {origin} is audited again")
                continue
            # A site that could not be reached is audited again.
            if is_complete(report):
                reports[origin] = report
        return reports

    def number_of_reports(self, origins: Sequence[str]) -> int:
        """Return how many sites have a report in the folder."""
        return sum(self._file(origin).exists() for origin in origins)

    def write(self, origin: str, report: ReportJson) -> None:
        """Write the report of a site under a temporary name, and rename it."""
        replace_file(str(self._file(origin)), json.dumps(report).encode(), option="--work")

    def _file(self, origin: str) -> Path:
        return self._path / f"{quote(origin, safe='')}.json"


class Portfolio:
    """Audits sites in threads, and yields their reports in order.

    Args:
        run: Audits one origin.
        origins: The origins.
        parallel: The number of sites to audit at the same time.
        work: The folder of finished reports, or None.
        finished: The reports of sites that are not audited.
    """

    def __init__(
        self,
        run: Callable[[str], ReportJson],
        origins: Sequence[str],
        parallel: int,
        work: WorkFolder | None,
        finished: Mapping[str, ReportJson],
    ) -> None:
        self._run = run
        self._origins = origins
        self._parallel = min(parallel, len(origins))
        self._work = work
        self._finished = finished
        self._threads = ThreadPoolExecutor(self._parallel, "canfetch audit")

    def reports(self, advance: Callable[[int], None]) -> Iterator[ReportJson]:
        """Yield the reports.

        Args: advance: Called with 1 after each site.
        Raises: CommandError: A report cannot be written; and what `run` raises.
        """
        waiting: deque[Future[ReportJson]] = deque()
        for origin in self._origins:
            waiting.append(self._threads.submit(self._report, origin))
            # Some are finished out of turn, so that no thread waits for the first.
            if len(waiting) >= 4 * self._parallel:
                yield self._result(waiting, advance)
        while waiting:
            yield self._result(waiting, advance)

    def close(self) -> None:
        """Start no further audit."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    @staticmethod
    def _result(waiting: deque[Future[ReportJson]], advance: Callable[[int], None]) -> ReportJson:
        report = waiting.popleft().result()
        advance(1)
        return report

    def _report(self, origin: str) -> ReportJson:
        report = self._finished.get(origin)
        if report is None:
            report = self._run(origin)
            if self._work is not None and is_complete(report):
                self._work.write(origin, report)
        return report
