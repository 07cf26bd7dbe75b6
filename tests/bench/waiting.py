"""The cost to readers of a hundred thousand waiting deliveries: speed, memory, and the time of a start.

The receiver's port is closed. The same requests are sent before and while deliveries wait; a new start on the same folder
shows the memory when idle.
"""

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

from serving import LIST, SERVER_CORE, Server, Site, get, start_galley, wrk, wrk_uncached

WAITING = 100_000
ROUNDS = 3
# A port on which nothing listens.
DEAD = "http://127.0.0.1:1/"


@dataclass
class Reading:
    """The measurements of one start."""

    start_ms: float
    rest_mib: float
    cached_per_s: float
    uncached_per_s: float


def measure(site: Site, options: dict[str, str], have_wait: Callable[[Server], None]) -> None:
    """Prints the speed of readers; `have_wait` queues a hundred thousand deliveries to `DEAD`."""
    without = reading(site, options)
    with start_galley(site, SERVER_CORE, **options) as server:
        have_wait(server)
    beside = reading(site, options)
    print(f"| Galley | nothing waits | {WAITING:,} deliveries wait | |")
    print("| --- | ---: | ---: | ---: |")
    rows = [
        ("15 posts with tags and authors, cached, requests per second", without.cached_per_s, beside.cached_per_s),
        ("lists, each with another filter, requests per second", without.uncached_per_s, beside.uncached_per_s),
        ("start to the first list, ms", without.start_ms, beside.start_ms),
        ("memory at rest, MiB", without.rest_mib, beside.rest_mib),
    ]
    for what, before, after in rows:
        print(f"| {what} | {before:,.0f} | {after:,.0f} | {after / before:.2f} |")


def reading(site: Site, options: dict[str, str]) -> Reading:
    before = time.monotonic()
    with start_galley(site, SERVER_CORE, **options) as server:
        get(server, LIST.format(key=site.key))
        start_ms = (time.monotonic() - before) * 1000
        # Long enough for a first attempt to fail.
        time.sleep(2)
        rest_mib = server.memory_mib("VmRSS")
        rounds = [(wrk(server, LIST.format(key=site.key)), wrk_uncached(server, site)) for _ in range(ROUNDS)]
    cached, uncached = (statistics.median(speeds) for speeds in zip(*rounds))
    return Reading(start_ms, rest_mib, cached, uncached)
