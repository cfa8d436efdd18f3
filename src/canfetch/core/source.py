"""The bytes that are parsed: transcoded to UTF-8, and cut to the size limit."""

from typing import Final, NamedTuple

from canfetch.core.limits import DEFAULT_MAX_BYTES, MAX_BYTES_LIMIT
from canfetch.core.profiles import Profile
from canfetch.core.quoting import quoted
from canfetch.core.text import encode_text
from canfetch.errors import InvalidLimit

UTF_16_ENCODINGS: Final = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
UTF_16_MARKS: Final = tuple(UTF_16_ENCODINGS)
"""The byte order marks of UTF-16, little endian first."""
# A UTF-16 byte order mark starts with this byte or the one after it, which is the largest.
UTF_16_MARK_START: Final = b"\xfe"
# No longer text is taken for a URL, a file name or a host.
MAX_NAME_CHARACTERS: Final = 2048


class Source(NamedTuple):
    """The bytes to parse, the bytes past the limit, and the encoding of the file."""

    content: bytes
    tail: bytes
    encoding: str


def decode_source(content: bytes, profile: Profile, max_bytes: int) -> Source:
    """Transcode UTF-16 with a byte order mark, and cut content over `max_bytes` at the last line end within it.

    In a UTF-16 file, neither the file nor its UTF-8 is read past the limit.

    Raises: InvalidLimit: `max_bytes` is not an integer, below 500 KiB or above 512 MiB.
    Cost: O(bytes). Content that does not change is not copied.
    Source: RFC 9309 sections 2.2.2 and 2.5.
    """
    if not _is_integer(max_bytes):
        raise InvalidLimit(f"invalid max_bytes {quoted(max_bytes)}: expected an integer")
    if max_bytes < DEFAULT_MAX_BYTES:
        raise InvalidLimit(
            f"invalid max_bytes {max_bytes}: expected at least {DEFAULT_MAX_BYTES} (RFC 9309 section 2.5)"
        )
    if max_bytes > MAX_BYTES_LIMIT:
        raise InvalidLimit(f"invalid max_bytes {max_bytes}: expected at most {MAX_BYTES_LIMIT} (512 MiB)")
    encoding, cut, is_longer = "utf-8", max_bytes, False
    if profile.utf16 and content[:2] in UTF_16_MARKS:
        encoding = UTF_16_ENCODINGS[content[:2]]
        is_longer = len(content) > max_bytes
        if is_longer:
            # The limit also counts the bytes of the file itself: a client that stops there has the same rules.
            cut = min(cut, len(_transcoded(content[: max_bytes - max_bytes % 2], encoding)))
        content = _transcoded(content, encoding)
    if len(content) <= cut and not is_longer:
        return Source(content, b"", encoding)
    if is_longer or content[cut] not in b"\r\n":
        # Part of a line may disallow more than the whole line: `Disallow: /` instead of `Disallow: /private`.
        cut = max(content.rfind(b"\n", 0, cut), content.rfind(b"\r", 0, cut)) + 1
    return Source(content[:cut], content[cut:], encoding)


def _transcoded(content: bytes, encoding: str) -> bytes:
    """Return UTF-16 with a byte order mark as UTF-8. Invalid UTF-16 is replaced, so that no content raises."""
    return content[2:].decode(encoding, "replace").encode()


def encode_content(text: str) -> bytes:
    """Encode the content of a file as UTF-8, and warn if it is the URL or the name of a file instead.

    A URL has no rules, so that every URL would be allowed.
    Cost: O(characters), and O(1) for the warning.
    """
    message = name_instead_of_content(text)
    if message is not None:
        import warnings  # noqa: PLC0415 - not needed for content

        # The caller of `parse`, which calls `encode_content`.
        warnings.warn(message, UserWarning, stacklevel=3)
    return encode_text(text)


def name_instead_of_content(text: str) -> str | None:
    """Return a message if a text is a URL, the name of a file or a host in the place of a content, or None.

    Cost: O(1).
    """
    if len(text) > MAX_NAME_CHARACTERS or "\n" in text.rstrip():
        return None
    text = text.strip()
    if len(text.splitlines()) != 1:
        return None
    lower = text.lower()
    if lower.startswith(("http://", "https://")) and len(text.split()) == 1:
        advice = "a URL, not the content of a robots.txt: fetch it with canfetch.Client, or pass the response's content"
    elif lower.endswith(".txt") and ":" not in text and not text.startswith("#"):
        advice = "a file name, not the content of a robots.txt: pass Path(...).read_bytes()"
    elif _is_host(lower):
        advice = (
            "the name of a host or a file, not the content of a robots.txt: fetch it with canfetch.Client, "
            "or pass Path(...).read_bytes()"
        )
    else:
        return None
    return f"content {quoted(text)} is {advice}"


def _is_host(text: str) -> bool:
    """Return whether a text is a domain name of at least two labels, such as `example.com`."""
    labels = text.split(".")
    return (
        text.isascii()
        and len(labels) > 1
        and all(label.replace("-", "").isalnum() and label.strip("-") == label for label in labels)
        # Versions and addresses end in digits.
        and not labels[-1].isdigit()
    )


def _is_integer(number: object) -> bool:
    return isinstance(number, int)
