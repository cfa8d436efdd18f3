"""What readers of archives yield: captures and faults."""

from canfetch.bulk.reading.captures import Capture, Fault


def captures(items: list[Capture | Fault]) -> list[Capture]:
    return [item for item in items if isinstance(item, Capture)]


def faults(items: list[Capture | Fault]) -> list[Fault]:
    return [item for item in items if isinstance(item, Fault)]


def unexpected(fault: Fault) -> None:
    raise AssertionError(fault)
