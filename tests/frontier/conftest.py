"""The backends of the frontier: most tests of this folder run with each."""

import itertools
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import pytest
from simulation.virtual_time import virtual_now
from tests.frontier.crawls import use_backend
from tests.postgres import PostgresServer, start_postgres
from tests.urlfrontier import URLFrontierServer, start_urlfrontier

from canfetch.client.frontier import URLFrontier
from canfetch.client.frontier.postgres_connection import PostgresConnection
from canfetch.client.frontier.postgres_queue import PostgresQueue
from canfetch.client.frontier.postgres_statements import NOW
from canfetch.client.frontier.urlfrontier_connection import URLFrontierConnection

# A commit is not waited for, because these servers do not crash, and each run draws the same origins.
_OPTIONS: Final = "?options=-csynchronous_commit%3Doff%20-cseed%3D0.5"
_VIRTUAL_NOW: Final = "current_setting('virtual.now')::float8"


# The tests whose subject the URLFrontier protocol can express. The others are about times between whole seconds, the
# order of URLs, several turns of an origin, addresses, or what a file or a table has.
_URLFRONTIER_TESTS: Final = {
    "test_a_depth_survives_retries_and_restarts",
    "test_a_file_that_expires_before_the_delay_of_its_group_is_used_once",
    "test_a_filter_refuses_and_replaces_urls",
    "test_a_frontier_without_urls_waits_for_some",
    "test_a_held_file_from_before_the_clock_was_set_back_is_not_new_again_later",
    "test_a_limit_of_urls_survives_a_restart",
    "test_a_request_that_is_due_is_due_now",
    "test_a_site_that_was_given_up_is_tried_again",
    "test_a_source_that_raises_cancelled_error_is_not_dropped_silently",
    "test_a_turn_that_ends_in_another_thread_raises_and_its_url_is_queued_again",
    "test_a_url_is_visited_in_fixed_intervals",
    "test_a_url_that_fails_is_reported_and_due_again",
    "test_a_url_that_fails_waits_for_the_first_interval",
    "test_a_url_that_is_disallowed_is_reported_and_decided_again",
    "test_a_url_that_is_given_twice_is_refused_once",
    "test_a_url_waits_for_its_next_attempt_after_a_restart_too",
    "test_a_url_whose_process_is_killed_in_its_last_attempt_is_visited_again",
    "test_an_exception_of_on_failure_is_raised_after_the_turn_has_ended",
    "test_an_exception_of_on_skip_stops_only_once",
    "test_an_exception_without_a_text_ends_the_turn",
    "test_an_origin_has_no_more_urls_than_the_limit",
    "test_an_origin_that_is_unreachable_for_long_loses_no_url",
    "test_an_origin_whose_checks_raise_does_not_hold_up_its_group",
    "test_an_outage_of_ten_minutes_loses_no_page",
    "test_check_that_is_cancelled_is_repeated",
    "test_client_that_was_closed_raises_and_keeps_the_urls",
    "test_closing_ends_the_iteration_and_keeps_the_visits",
    "test_closing_ends_the_iteration_and_the_sources",
    "test_closing_in_another_thread_changes_nothing",
    "test_decision_that_cannot_be_recorded_raises_and_keeps_the_url",
    "test_disallowed_urls_of_a_group_are_decided_by_their_own_origin",
    "test_equal_targets_of_the_origins_of_a_group_are_different_urls",
    "test_every_decision_is_recorded",
    "test_exception_of_a_source_is_raised_once_and_keeps_the_urls_before_it",
    "test_exception_of_on_skip_loses_no_url_of_add_many",
    "test_failed_urls_are_listed_with_their_errors_reported_and_queued_again",
    "test_frontier_without_urls_ends_at_once",
    "test_invalid_urls_are_reported_and_the_others_are_added",
    "test_iterating_in_another_thread_leaves_the_sources_to_the_owner",
    "test_lines_of_a_file_are_decided_and_handed_out_without_their_line_ends",
    "test_links_are_added_while_running",
    "test_metadata_survive_retries_and_restarts",
    "test_no_more_files_are_requested_at_the_same_time_than_the_option_says",
    "test_no_more_urls_are_read_than_fit",
    "test_open_files_are_sources",
    "test_same_url_is_added_once",
    "test_stop_async_iteration_of_a_source_does_not_end_the_crawl",
    "test_stop_async_iteration_of_on_skip_does_not_end_the_crawl",
    "test_stop_async_iteration_of_the_transport_does_not_end_the_crawl",
    "test_the_interval_follows_the_changes",
    "test_turn_can_only_end_once",
    "test_turn_that_never_ended_is_reported",
    "test_turn_that_was_open_when_the_frontier_closed",
    "test_url_objects_and_bytes_are_added",
    "test_urls_of_an_origin_that_stays_unreachable_are_skipped",
    "test_urls_that_fail_together_are_not_tried_again_together",
    "test_validators_are_given_to_the_next_turn",
    "test_values_of_other_types_raise_after_the_urls_before_them_are_added",
    "test_what_a_filter_returns_has_no_line_breaks",
    "test_without_a_delay_a_url_is_queued_after_the_others_at_once",
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the tests of what a backend does not have with the others only."""
    items[:] = [
        item
        for item in items
        if not (item.get_closest_marker("files") and "[postgres" in item.name)
        and not ("[urlfrontier" in item.name and not _is_expressed(item))
    ]


def _is_expressed(item: pytest.Item) -> bool:
    return item.name.partition("[")[0] in _URLFRONTIER_TESTS


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """Start a PostgreSQL server for the session."""
    with start_postgres() as server:
        yield server


@pytest.fixture(scope="session")
def urlfrontier() -> Iterator[URLFrontierServer]:
    """Start a test server of the URLFrontier protocol for the session."""
    with start_urlfrontier() as server:
        yield server


@pytest.fixture(
    params=["sqlite", *(pytest.param(name, marks=pytest.mark.service) for name in ("postgres", "urlfrontier"))]
)
def backend(request: pytest.FixtureRequest) -> Iterator[str]:
    """Run the test with each backend."""
    if request.param == "sqlite":
        yield "sqlite"
        return
    if request.param == "urlfrontier":
        with virtual_urlfrontier(request.getfixturevalue("urlfrontier").address, request.node.nodeid):
            yield "urlfrontier"
        return
    server = request.getfixturevalue("postgres")
    with virtual_postgres(server.url() + _OPTIONS, request.node.nodeid):
        yield "postgres"


class _VirtualSession:
    """A connection to a server whose clock is that of the event loop.

    Args: latest: The time, for the thread that renews the lease and has no loop.
    """

    def __init__(self, session: Any, latest: list[float]) -> None:
        self._session = session
        self._latest = latest

    def execute(self, statement: str, values: Any = None, **options: Any) -> Any:
        with suppress(RuntimeError):
            self._latest[0] = virtual_now()
        self._session.execute("SELECT set_config('virtual.now', %s, false)", (repr(self._latest[0]),))
        return self._session.execute(statement.replace(NOW, _VIRTUAL_NOW), values, **options)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._session, name)


@contextmanager
def virtual_postgres(url: str, name: str) -> Iterator[None]:
    """Keep the URLs of all frontiers of a block in PostgreSQL, in virtual time."""
    numbers = itertools.count()
    latest = [0.0]
    connect = PostgresConnection._connected

    def options(path: Path | None) -> dict[str, Any]:
        crawl = f"{name[-100:]} {next(numbers) if path is None else path.name}"
        return {"backend": PostgresQueue(url, crawl=crawl)}

    with pytest.MonkeyPatch.context() as patch, use_backend(options):
        patch.setattr(PostgresConnection, "_connected", lambda connection: _VirtualSession(connect(connection), latest))
        # Nobody else adds URLs, and months of virtual time have too many half seconds.
        patch.setattr("canfetch.client.frontier.postgres_worker._POLL_SECONDS", 1e6)
        patch.setattr("canfetch.client.frontier.postgres_worker._ROUNDING", 0.0)
        # Idle claims are given back after a second of real time, in which any virtual time can pass.
        patch.setattr("canfetch.client.frontier.postgres_worker.IDLE_SECONDS", 1e9)
        yield


@contextmanager
def virtual_urlfrontier(address: str, name: str, lease: float = 1e5) -> Iterator[None]:
    """Keep the URLs of all frontiers of a block in a test server of URLFrontier, in virtual time."""
    numbers = itertools.count()
    latest = [0.0]

    def now() -> float:
        with suppress(RuntimeError):
            latest[0] = virtual_now()
        return latest[0]

    def options(path: Path | None) -> dict[str, Any]:
        crawl = f"{name[-100:]} {next(numbers) if path is None else path.name}"
        return {"backend": URLFrontier(address, crawl=crawl, lease=lease)}

    with pytest.MonkeyPatch.context() as patch, use_backend(options):
        patch.setattr(URLFrontierConnection, "_headers", lambda _: [("test-now", repr(now()))])
        patch.setattr("canfetch.client.frontier.urlfrontier_service.wall_clock", now)
        # Idle claims are given back after a second of real time, in which any virtual time can pass.
        patch.setattr("canfetch.client.frontier.urlfrontier_leases._IDLE_SECONDS", 1e9)
        # Hours of virtual time have too many half seconds.
        patch.setattr("canfetch.client.frontier.urlfrontier_queue._POLL_SECONDS", 5.0)
        yield
