"""A polite client, which sends requests at a constant rate and records the latency of each response, in a separate process."""

import http.client
import multiprocessing
import time
from dataclasses import dataclass, field

# Pause between two requests, in seconds.
INTERVAL_S = 0.01
# A request that takes longer than this counts as failed, in seconds.
PATIENCE_S = 15
# Number of requests on one connection.
NEW_CONNECTION_EVERY = 10
# One of this number of requests is for an uncached response.
NEW_RESPONSE_EVERY = 4

CACHED = "/ghost/api/content/posts/?key={key}&include=tags,authors&limit=15"
UNCACHED = "/ghost/api/content/posts/?key={key}&limit=5&filter=slug:-polite-{number}"


@dataclass
class Noted:
    """The latencies of responses in seconds, and the errors."""

    cached_s: list[float] = field(default_factory=list)
    uncached_s: list[float] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)

    def p99_ms(self) -> tuple[float, float]:
        """Returns the 99th percentiles of responses from memory and of uncached ones, in milliseconds."""
        return quantile(self.cached_s, 0.99) * 1000, quantile(self.uncached_s, 0.99) * 1000


def quantile(values: list[float], part: float) -> float:
    return sorted(values)[min(int(len(values) * part), len(values) - 1)] if values else 0.0


class Polite:
    """Sends requests within the block. Afterwards, `noted` contains the record."""

    def __init__(self, port: int, key: str):
        self.here, there = multiprocessing.Pipe()
        self.process = multiprocessing.Process(target=ask_steadily, args=(port, key, there), daemon=True)

    def __enter__(self) -> "Polite":
        self.process.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.here.send("enough")
        self.noted: Noted = self.here.recv()
        self.process.join()


def ask_steadily(port: int, key: str, asked) -> None:
    noted = Noted()
    connection = None
    number = time.time_ns()
    due = time.monotonic()
    while not asked.poll():
        number += 1
        is_new = number % NEW_RESPONSE_EVERY == 0
        target = (UNCACHED if is_new else CACHED).format(key=key, number=number)
        if connection is None or number % NEW_CONNECTION_EVERY == 0:
            if connection is not None:
                connection.close()
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
        began = time.monotonic()
        try:
            connection.request("GET", target)
            reply = connection.getresponse()
            reply.read()
            if reply.status != 200:
                noted.failed.append(f"{reply.status}")
        except (OSError, http.client.HTTPException) as error:
            noted.failed.append(f"{type(error).__name__} {error}")
            connection.close()
            connection = None
        (noted.uncached_s if is_new else noted.cached_s).append(time.monotonic() - began)
        # After waiting for a response, the client does not catch up with a burst of requests.
        due = max(due + INTERVAL_S, time.monotonic())
        time.sleep(max(0.0, due - time.monotonic()))
    asked.send(noted)
