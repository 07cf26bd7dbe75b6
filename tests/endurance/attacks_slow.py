"""Slow clients: slow to send, slow to read, or idle."""

import resource
import socket
import time
from collections import Counter

from attacking import Outcome, Target, connect, get, until_closed

CONNECTIONS = 400
IDLE_CONNECTIONS = 10_000
# The number of open files that the attacker needs for other purposes, at most.
OTHER_FILES = 100
UNREAD_PEERS = 3
# The tolerance for timeouts in seconds, for a busy machine.
LATE_S = 5
# All fields of 100 posts: more than half a megabyte, with a unique filter for each request.
LONG = "/ghost/api/content/posts/?key={key}&limit=100&formats=html,plaintext&filter=slug:-long-{number}"


def begun(target: Target, head: bytes) -> list[socket.socket]:
    """Opens connections, each of which sends `head` immediately, since opening all of them may take longer than the idle
    timeout."""
    connections = []
    for peer in range(CONNECTIONS):
        connections.append(connect(target, peer))
        connections[-1].sendall(head)
    return connections


def slow_headers(target: Target, _seconds: float) -> Outcome:
    """Sends a byte of a header every half second."""
    connections = begun(target, b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
    return until_closed(connections, target.headers_s + LATE_S, lambda connection: connection.send(b"x"))


def slow_bodies(target: Target, _seconds: float) -> Outcome:
    """Sends a byte of a body every half second."""
    head = b"POST /ghost/api/admin/session/ HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n"
    connections = begun(target, head)
    outcome = until_closed(connections, target.body_s + LATE_S, lambda connection: connection.send(b" "))
    if set(outcome) != {"408"}:
        raise AssertionError(f"slow bodies get {dict(outcome)} instead of 408")
    return outcome


def idle(target: Target, _seconds: float) -> Outcome:
    """Opens ten thousand connections, on half of which one request is sent. Then all are idle."""
    outcome: Outcome = Counter()
    connections = []
    request = get("/healthz")
    # Some systems permit fewer open files.
    open_files_max, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    for number in range(min(IDLE_CONNECTIONS, open_files_max - OTHER_FILES)):
        connection = connect(target, number)
        connections.append(connection)
        if number % 2:
            connection.send(request)
    outcome["opened"] = len(connections)
    time.sleep(1)
    for connection in connections:
        connection.setblocking(False)
        try:
            while connection.recv(4096):
                pass
        except BlockingIOError:
            outcome["held"] += 1
            continue
        except OSError:
            pass
        outcome["had to make room"] += 1
        connection.close()
    outcome += until_closed([connection for connection in connections if connection.fileno() >= 0], target.idle_s + LATE_S)
    return outcome


def never_reading(target: Target, _seconds: float) -> Outcome:
    """Each connection requests a long uncached response and reads nothing of it."""
    before = target.open_files()
    connections = []
    for number in range(CONNECTIONS):
        connection = socket.socket()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        # Each peer gets a quarter of the memory, so that a fourth peer could still get a response.
        connection.bind((f"127.0.0.{2 + number % UNREAD_PEERS}", 0))
        connection.connect(("127.0.0.1", target.port))
        connection.sendall(get(LONG.format(key=target.key, number=f"{time.time_ns()}-{number}"), "Accept-Encoding: identity"))
        connections.append(connection)
    # The last responses wait for memory; a client that waits for ten seconds gets 503 with Retry-After.
    target.wait_until_left(before, 10 + max(target.write_s, target.idle_s) + LATE_S)
    return Counter(closed=len(connections))


ATTACKS = {
    "slow headers, 400 connections": slow_headers,
    "slow bodies, 400 connections": slow_bodies,
    "10,000 idle connections": idle,
    "responses that no client reads, 400 connections": never_reading,
}
