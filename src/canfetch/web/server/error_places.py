"""Descriptions of unexpected errors for the log: their kind and place. Their messages could quote a draft."""


def describe_error(error: BaseException) -> str:
    """Return the kind of an error, and the file and line that raised it."""
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    where = "" if place is None else f" in {place.tb_frame.f_code.co_filename}:{place.tb_lineno}"
    return f"{type(error).__name__}{where}"
