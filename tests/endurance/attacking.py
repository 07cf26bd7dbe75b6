"""Shared code of attacks: their target, their connections, and their processes.

On one machine, all clients connect from loopback; each address of 127.0.0.0/8 is a separate peer to the server.
"""

import multiprocessing
import os
import resource
import socket
import time
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from processes import cpu_s, open_files

# Real attackers run on other machines. Here, they get a lower priority than the server when processors are busy.
NICENESS = 10

# The maximum number of connections of clients other than the attacker.
OTHERS_MAX = 20

Outcome = Counter


@dataclass(frozen=True)
class Target:
    """A server, and its timeouts."""

    port: int
    program: str
    pid: int
    key: str
    token: str
    headers_s: float
    body_s: float
    write_s: float
    idle_s: float

    def open_files(self) -> int:
        return open_files(self.pid)

    def cpu_s(self) -> float:
        """Returns the processor time of the server in seconds."""
        return cpu_s(self.pid)

    def wait_until_left(self, before: int, within_s: float) -> None:
        """Waits until the server has closed its ends of all connections except for a few of others. A client that does not read
        does not notice that."""
        deadline = time.monotonic() + within_s
        while self.open_files() > before + OTHERS_MAX:
            if time.monotonic() > deadline:
                raise AssertionError(f"after {within_s:.0f} s the server still has {self.open_files()} open files; there were {before} before")
            time.sleep(0.1)


def connect(target: Target, peer: int = 0) -> socket.socket:
    """Opens a connection from the peer with this number."""
    connection = socket.socket()
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.settimeout(30)
    connection.bind((f"127.0.0.{2 + peer % 240}", 0))
    connection.connect(("127.0.0.1", target.port))
    return connection


def get(path: str, *fields: str) -> bytes:
    lines = [f"GET {path} HTTP/1.1", "Host: localhost", *fields]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def read_to_end(connection: socket.socket, wait_s: float, bytes_max: int = 1 << 22) -> tuple[bytes, bool]:
    """Returns the remaining data, and whether the server closed the connection within a time."""
    heard = bytearray()
    deadline = time.monotonic() + wait_s
    while len(heard) < bytes_max and (left := deadline - time.monotonic()) > 0:
        connection.settimeout(left)
        try:
            piece = connection.recv(65536)
        except TimeoutError:
            break
        except OSError:
            return bytes(heard), True
        if not piece:
            return bytes(heard), True
        heard += piece
    return bytes(heard), False


def status_of(heard: bytes) -> str:
    """Returns the status of the first response in the received data, or `closed`."""
    return heard[9:12].decode() if heard.startswith(b"HTTP/1.") else "closed"


def until_closed(connections: list[socket.socket], within_s: float, speak: Callable[[socket.socket], None] | None = None) -> Outcome:
    """Waits until the server has closed all connections; every half second, `speak` sends more on each. Counts the statuses of
    their responses."""
    outcome: Outcome = Counter()
    heard = {connection: bytearray() for connection in connections}
    for connection in connections:
        connection.setblocking(False)
    deadline = time.monotonic() + within_s
    while heard and time.monotonic() < deadline:
        for connection in list(heard):
            # Read first: the server closes the connection after a response, and sending more would reset it.
            try:
                while piece := connection.recv(65536):
                    heard[connection] += piece
            except BlockingIOError:
                if speak is not None:
                    say_more(connection, speak)
                continue
            except OSError:
                pass
            outcome[status_of(bytes(heard.pop(connection)))] += 1
            connection.close()
        time.sleep(0.5)
    if heard:
        raise AssertionError(f"{len(heard)} of {len(connections)} connections are still open after {within_s:.0f} s")
    return outcome


def say_more(connection: socket.socket, speak: Callable[[socket.socket], None]) -> None:
    """Calls `speak` to send more. If the connection no longer accepts data, the next read notices that."""
    try:
        speak(connection)
    except OSError:
        pass


class Attacker:
    """An attack, `attack(target, seconds)`, in a separate process that returns its outcome."""

    def __init__(self, attack: Callable[[Target, float], Outcome], target: Target, seconds: float):
        self.here, there = multiprocessing.Pipe()
        self.process = multiprocessing.Process(target=work, args=(attack, target, seconds, there), daemon=True)
        self.process.start()

    def outcome(self, within_s: float) -> Outcome | str:
        """Returns the outcome, or the description of a failure."""
        if not self.here.poll(within_s):
            self.process.kill()
            return f"the attack is not over after {within_s:.0f} s"
        outcome = self.here.recv()
        self.process.join()
        return outcome


def work(attack, target: Target, seconds: float, result) -> None:
    os.nice(NICENESS)
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    try:
        result.send(attack(target, seconds))
    except AssertionError as error:
        result.send(str(error))
    except Exception:
        result.send(traceback.format_exc())
