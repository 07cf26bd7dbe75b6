"""A client that sends requests at a constant rate, independent of their responses.

The latency of a response counts from the time at which its request was due, not from the time at which it could be sent: if a
server pauses for a second, all requests that were due in it are late. Requests that find every connection busy wait for one,
and their latency includes the wait.
"""

import gc
import select
import socket
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

CONNECTIONS = 64
# The longest wait for a response.
PATIENCE_S = 30
RECEIVED_BYTES = 1 << 18
GOOD = b"HTTP/1.1 200 "


@dataclass
class Response:
    """A response: the time at which its request was due, on the clock of the machine, its latency and its error."""

    due: float
    ms: float
    error: str | None


class Connection:
    """A persistent connection, with at most one request in flight."""

    def __init__(self, port: int) -> None:
        self.stream = socket.create_connection(("127.0.0.1", port))
        self.stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.due = 0.0
        self.left: int | None = None

    def close(self) -> None:
        self.stream.close()

    def fileno(self) -> int:
        return self.stream.fileno()

    def send(self, due: float, request: bytes) -> None:
        self.due, self.left, self.error = due, None, None
        self.stream.sendall(request)

    def receive(self, buffer: bytearray) -> bool:
        """Receives available bytes, and returns whether the response is complete."""
        received = self.stream.recv_into(buffer)
        if received == 0:
            raise ConnectionError("closed before the reply was complete")
        if self.left is None:
            head = bytes(buffer[: min(received, 4096)])
            end = head.find(b"\r\n\r\n") + 4
            name = head.lower().find(b"\r\ncontent-length:", 0, end)
            if end < 4 or name < 0:
                raise ConnectionError("a response without a length")
            self.left = end + int(head[name + 17 : head.find(b"\r\n", name + 17)])
            if not head.startswith(GOOD):
                self.error = head[: head.find(b"\r\n")].decode("latin-1")
        self.left -= received
        return self.left <= 0


def ask(port: int, requests: Iterator[bytes], per_s: float, going: Callable[[], bool]) -> list[Response]:
    """Sends a request each time one is due while `going` returns true, and waits for the outstanding responses."""
    responses: list[Response] = []
    free = [Connection(port) for _ in range(CONNECTIONS)]
    busy: set[Connection] = set()
    buffer = bytearray(RECEIVED_BYTES)

    def done(connection: Connection, error: str | None) -> None:
        responses.append(Response(connection.due, (time.monotonic() - connection.due) * 1000, error))
        busy.remove(connection)

    gc.collect()
    gc.disable()
    try:
        start, sent = time.monotonic(), 0
        while (more := going()) or busy:
            due = start + sent / per_s
            while more and free and due <= time.monotonic():
                connection = free.pop()
                connection.send(due, next(requests))
                busy.add(connection)
                sent += 1
                due = start + sent / per_s
            wait_s = max(due - time.monotonic(), 0) if more and free else PATIENCE_S
            ready, _, _ = select.select(list(busy), [], [], wait_s)
            if not ready and wait_s == PATIENCE_S:
                raise TimeoutError(f"no reply within {PATIENCE_S} s")
            for connection in ready:
                try:
                    if connection.receive(buffer):
                        done(connection, connection.error)
                        free.append(connection)
                except OSError as error:
                    done(connection, str(error))
                    connection.close()
                    free.append(Connection(port))
    finally:
        gc.enable()
        for connection in free:
            connection.close()
    return responses


def percentile(responses: list[Response], share: float) -> float:
    """Returns the latency within which this share of the responses arrived, in milliseconds."""
    times = sorted(reply.ms for reply in responses)
    return times[min(int(len(times) * share), len(times) - 1)]
