"""An authoritative DNS server on loopback, over UDP, and a client for it.

    with DNSServer({"a.example": ["192.0.2.1"]}, pointers={"192.0.2.1": ["a.example"]}) as dns:
        dns.reverse("192.0.2.1")    # ("a.example",)
        dns.resolve("a.example")    # ("192.0.2.1",)

`broken` names are answered with SERVFAIL, and `silent` ones are not answered until the server is released or stopped.
"""

import asyncio
import os
import socket
import struct
from collections.abc import Collection, Mapping, Sequence
from ipaddress import ip_address
from threading import Event, Thread
from types import TracebackType
from typing import Any, Self

_TYPES = {"A": 1, "PTR": 12, "AAAA": 28}
_SECONDS = 60.0
_NXDOMAIN = 3
_SERVFAIL = 2


def _encode_name(name: str) -> bytes:
    labels = [label.encode("latin-1") for label in name.split(".") if label]
    return b"".join(bytes([len(label)]) + label for label in labels) + b"\0"


def _decode_name(message: bytes, offset: int) -> tuple[str, int]:
    labels = []
    while message[offset]:
        end = offset + 1 + message[offset]
        labels.append(message[offset + 1 : end].decode("latin-1"))
        offset = end
    return ".".join(labels), offset + 1


class DNSServer(asyncio.DatagramProtocol):
    """A server with its own port and thread.

    Args:
        addresses: The addresses of each name.
        pointers: The names of each address.
        broken: Names and addresses for which every query fails.
        silent: Names and addresses for which there is no answer while the server is not released.
    """

    def __init__(
        self,
        addresses: Mapping[str, Sequence[str]],
        *,
        pointers: Mapping[str, Sequence[str]],
        broken: Collection[str] = (),
        silent: Collection[str] = (),
    ) -> None:
        self._records: dict[tuple[str, int], list[bytes]] = {}
        for name, values in addresses.items():
            for value in values:
                parsed = ip_address(value)
                self._records.setdefault((name, _TYPES["A" if parsed.version == 4 else "AAAA"]), []).append(
                    parsed.packed
                )
        for address, names in pointers.items():
            self._records[ip_address(address).reverse_pointer, _TYPES["PTR"]] = [_encode_name(name) for name in names]
        self._names = {name for name, _ in self._records}
        self._broken = {_question_name(name) for name in broken}
        self._silent = {_question_name(name) for name in silent}
        self.queries: list[str] = []
        self.port = 0
        self.arrived = Event()
        self._released = Event()
        self._waiting: list[tuple[bytes, Any]] = []
        self._started = Event()
        self._thread = Thread(target=lambda: asyncio.run(self._run()), name="DNSServer", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._started.wait(_SECONDS)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()
        self._loop.call_soon_threadsafe(self._stopping.set)
        self._thread.join(_SECONDS)
        assert not self._thread.is_alive()

    def release(self) -> None:
        """Answer all queries, also those that have waited."""
        self._loop.call_soon_threadsafe(self._answer_waiting)

    def reverse(self, address: str) -> Sequence[str]:
        """Return the names of an address, or raise OSError."""
        answers = self._query(ip_address(address).reverse_pointer, "PTR")
        return tuple(_decode_name(answer, 0)[0] for answer in answers)

    def resolve(self, name: str) -> Sequence[str]:
        """Return the addresses of a name, or raise OSError."""
        found = [*self._query(name, "A"), *self._query(name, "AAAA")]
        if not found:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return tuple(str(ip_address(answer)) for answer in found)

    def _query(self, name: str, kind: str) -> list[bytes]:
        number = os.urandom(2)
        question = _encode_name(name) + struct.pack(">HH", _TYPES[kind], 1)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
            client.settimeout(_SECONDS)
            client.connect(("127.0.0.1", self.port))
            client.send(number + struct.pack(">HHHHH", 0x0100, 1, 0, 0, 0) + question)
            message = client.recv(65_535)
        _, flags, _, count, _, _ = struct.unpack(">HHHHHH", message[:12])
        if flags & 15 == _SERVFAIL:
            raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")
        offset = 12 + len(question)
        answers = []
        for _ in range(count):
            _, offset = _decode_name(message, offset)
            length = struct.unpack(">HHIH", message[offset : offset + 10])[3]
            answers.append(message[offset + 10 : offset + 10 + length])
            offset += 10 + length
        return answers

    async def _run(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stopping = asyncio.Event()
        transport, _ = await self._loop.create_datagram_endpoint(lambda: self, local_addr=("127.0.0.1", 0))
        self._transport = transport
        self.port = transport.get_extra_info("sockname")[1]
        self._started.set()
        await self._stopping.wait()
        transport.close()

    def datagram_received(self, data: bytes, addr: Any) -> None:
        """Answer a query."""
        name, end = _decode_name(data, 12)
        self.queries.append(name)
        if name in self._silent and not self._released.is_set():
            self._waiting.append((data, addr))
            self.arrived.set()
            return
        kind = struct.unpack(">H", data[end : end + 2])[0]
        answers = self._records.get((name, kind), [])
        code = _SERVFAIL if name in self._broken else 0 if name in self._names else _NXDOMAIN
        if code:
            answers = []
        head = data[:2] + struct.pack(">HHHHH", 0x8400 | code, 1, len(answers), 0, 0)
        body = b"".join(
            _encode_name(name) + struct.pack(">HHIH", kind, 1, 60, len(answer)) + answer for answer in answers
        )
        self._transport.sendto(head + data[12 : end + 4] + body, addr)

    def _answer_waiting(self) -> None:
        self._released.set()
        waiting, self._waiting = self._waiting, []
        for data, addr in waiting:
            self.datagram_received(data, addr)


def _question_name(name_or_address: str) -> str:
    try:
        return ip_address(name_or_address).reverse_pointer
    except ValueError:
        return name_or_address
