"""Decode a response body incrementally, up to one byte past the size limit. All transports use this decoder."""

from typing import Final

from canfetch.access.responses import FailureKind, Headers
from canfetch.client.transports.content_codings import Decoder, IdentityDecoder, available_codings
from canfetch.client.transports.failures import TransportError

# Encoded data is almost always shorter than its content. The limit stops servers that send data without content, such
# as empty blocks or empty gzip members.
_ENCODED_BYTES_FACTOR: Final = 2
_ENCODED_BYTES_ALLOWANCE: Final = 65_536
# Some decoders copy their unused input, which is quadratic in the size of a step.
_STEP_BYTES: Final = 16_384


def accept_encoding() -> str:
    """Return the value of Accept-Encoding: the codings that can be decoded."""
    return ", ".join(available_codings())


class BodyDecoder:
    """Decodes the body of one response.

    Args:
        headers: Headers of the response. Content-Encoding names the coding.
        max_bytes: Size limit of the decoded body. Decoding stops one byte past it.
    Raises: TransportError: ENCODING if the coding is unsupported, or there is more than one.
    Cost: Memory for the limit and a small multiple of 128 KiB; time linear in the data received.
    """

    def __init__(self, headers: Headers, max_bytes: int) -> None:
        self._decoder = _find_decoder(headers)
        self._max_decoded = max_bytes + 1
        self._max_encoded = _ENCODED_BYTES_FACTOR * self._max_decoded + _ENCODED_BYTES_ALLOWANCE
        self._encoded = 0
        self._decoded = bytearray()

    @property
    def full(self) -> bool:
        """Whether the body exceeds the limit, so that no more data is needed."""
        return len(self._decoded) >= self._max_decoded

    def feed(self, data: bytes) -> None:
        """Decode the next bytes of the body as received.

        Raises: TransportError: ENCODING if they are invalid in their coding.
        """
        for start in range(0, len(data), _STEP_BYTES):
            if self.full:
                return
            step = data[start : start + _STEP_BYTES]
            self._encoded += len(step)
            self._decoded += self._decoder.decode(step, self._max_decoded - len(self._decoded))
            if self._encoded > self._max_encoded and not self.full:
                raise TransportError(
                    FailureKind.ENCODING, f"{self._encoded} encoded bytes contain only {len(self._decoded)} bytes"
                )

    def finish(self) -> bytes:
        """Return the decoded body after the last byte was fed.

        Raises: TransportError: INCOMPLETE if the encoded data is truncated.
        """
        if not self.full and self._encoded and not self._decoder.finished:
            raise TransportError(FailureKind.INCOMPLETE, "encoded body is truncated")
        return bytes(self._decoded)


def _find_decoder(headers: Headers) -> Decoder:
    value = ",".join(value for name, value in headers if name.lower() == "content-encoding")
    codings = [coding for coding in (part.strip().lower() for part in value.split(",")) if coding]
    codings = [coding for coding in codings if coding != "identity"]
    if not codings:
        return IdentityDecoder()
    if len(codings) > 1:
        raise TransportError(FailureKind.ENCODING, f"more than one content coding: {value[:100]}")
    # RFC 9110 section 8.4.1.3: x-gzip is an alias of gzip.
    decoder = available_codings().get("gzip" if codings[0] == "x-gzip" else codings[0])
    if decoder is None:
        raise TransportError(FailureKind.ENCODING, f"unsupported content coding: {value[:100]}")
    return decoder()
