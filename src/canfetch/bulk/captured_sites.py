"""Sites as web archives captured them: answers as of a date, by robots.txt, pages, TDM files and licenses."""

from collections.abc import Iterator
from contextlib import ExitStack
from datetime import datetime
from functools import partial
from os import PathLike, fspath
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Self

from canfetch.access.policies import get_policy
from canfetch.agents.requested import named_agent
from canfetch.bulk.archives.archive_job import collect
from canfetch.bulk.archives.capture_store import CaptureStore
from canfetch.bulk.archives.captured_uses import CapturedUses
from canfetch.bulk.archives.url_decisions import URLDecisions
from canfetch.bulk.reading.captures import Fault
from canfetch.bulk.reading.sources import WEB_ARCHIVES, sources_of
from canfetch.client.options import Options
from canfetch.client.origin_state import OriginState
from canfetch.client.watch.observations import Observation
from canfetch.client.watch.past import KnownCopy, PastVerdict, seconds_of
from canfetch.consent.purposes import find_purpose
from canfetch.consent.sources import PageResponse, url_text
from canfetch.consent.verdict import UseVerdict
from canfetch.core.agent import Agent
from canfetch.core.origin import Origin
from canfetch.core.profiles import get_profile
from canfetch.core.urls import AnyURL


class CapturedSites:
    """The sites in archives. Each answer is that of the last captures until a time, and never of a later one.

        with CapturedSites("crawl.warc.gz") as sites:
            sites.may_use(url, at=datetime(2026, 5, 1, tzinfo=UTC), purpose="training", agent="GPTBot").allowed

    The archives are read once, into a temporary SQLite file. WARC and ARC files have robots.txt files, pages, TDM
    files and licenses. Other inputs of `canfetch bulk parse` have only robots.txt files.

    Args:
        archives: The paths of the archives.
        policy: The access policy.
        profile: The parsing profile.
    Raises: InvalidOption: The format of an archive is unknown; UnknownPolicy, UnknownProfile; StoreError; MissingExtra:
        There is HTML to parse, and lxml is not installed, or another extra for the format; OSError: An archive cannot
        be read.
    Cost: O(bytes of the archives) for the constructor.
    """

    def __init__(self, *archives: str | PathLike[str], policy: str = "rfc9309", profile: str = "rfc9309") -> None:
        get_profile(profile)
        chosen = get_policy(policy)
        sources = [source for archive in archives for source in sources_of(fspath(archive), None)]
        self._profile = profile
        self._options = Options.validated(user_agent="canfetch/1.0", policy=policy, profile=profile)
        self._cleanup = ExitStack()
        try:
            folder = self._cleanup.enter_context(TemporaryDirectory(prefix="canfetch-"))
            path = Path(folder) / "captures.sqlite"
            pages = [source for source in sources if source.format in WEB_ARCHIVES]
            collect(sources, path, pages=pages, advance=lambda _: None, on_fault=lambda _: None)
            self._store = self._cleanup.enter_context(CaptureStore(path, read_only=True))
        except BaseException:
            self.close()
            raise
        self._decisions = URLDecisions(self._store, policy=chosen, profile=profile, missing=None)
        self._uses = CapturedUses(self._store.pages, self._decisions)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Delete the temporary file."""
        self._cleanup.close()

    def faults(self) -> Iterator[Fault]:
        """Yield the records of archives that cannot be used and were set aside."""
        return self._store.faults()

    def decide(self, url: AnyURL, *, at: datetime, agent: str | Agent) -> PastVerdict:
        """Decide whether an agent might fetch a URL at a time, by the capture of robots.txt that was the last one then.

        Args:
            url: The absolute URL.
            at: The time, with a time zone.
            agent: The agent.
        Returns: The verdict. Its `allowed` is None if no capture is that old.
        Raises: InvalidURL, InvalidProductToken; InvalidOption: `at` has no time zone; TypeError.
        """
        return self.copy_at(url, at=at).decide(url, agent=agent, profile=self._profile)

    def may_use(
        self,
        url: AnyURL,
        *,
        at: datetime,
        purpose: str,
        agent: str | Agent = "*",
        response: PageResponse | None = None,
    ) -> UseVerdict:
        """Decide whether the content of a URL might be used for a purpose at a time, by all captures of its site.

        Redirects of the page, of tdmrep.json and of licenses are followed within the archives.

        Args:
            url: The absolute URL of the content.
            at: The time, with a time zone.
            purpose: As for `canfetch.may_use`.
            agent: Who collected the content.
            response: The response with the content, if it is not the one in the archives.
        Returns: The verdict. What was not captured is a source that was not read.
        Raises: As `decide` and `canfetch.may_use`.
        """
        wanted, chosen = find_purpose(purpose), named_agent(agent)
        return self._uses.verdict(url_text(url), seconds_of(at), chosen, wanted, response)

    def copy_at(self, url: AnyURL, *, at: datetime) -> KnownCopy:
        """Return what was known about the robots.txt of an origin at a time.

        Args:
            url: A URL of the origin.
            at: The time, with a time zone.
        Raises: As `decide`.
        """
        origin, seconds = Origin.from_url(url), seconds_of(at)
        state = self._decisions.state_at(url, seconds)
        observation = None
        if state is not None and state.entry is not None:
            observed = Observation.of_state(OriginState(origin, state.entry, self._options), seconds)
            observation = observed._replace(at=state.capture.time or 0.0)
        next_at = self._decisions.next_at(url, seconds)
        return KnownCopy(origin, seconds, observation, next_at, partial(self._uses.file_at, seconds))
