"""Everything at once, for long: readers, writers, changed files, webhooks, pictures, members, imports.

What the process takes has to level off: in the second half its memory, open files, threads and the store grow by no more
than a bound. No request fails on the server's side, and in the end all is there that was acknowledged.
"""

import os
import statistics
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from part import Broken, Form
from polite import Polite
from processes import memory_mib, open_files, threads
from running import Running
from soak_load import Changer, Importer, Load, Members, Pictures, Reader, Receiver, Writer

POSTS = 300
READERS = 2
SAMPLE_S = 1
# How much more there may be at the end than in the middle: of what was in the middle, and besides. The store's file grows to
# twice its length when it has to; what is still being warmed up in the short form has half an hour for that in the long one.
MORE = {
    "memory, MiB": {Form.SHORT: (1.0, 64), Form.LONG: (0.10, 24)},
    "open files": {Form.SHORT: (0.0, 16), Form.LONG: (0.0, 16)},
    "threads": {Form.SHORT: (0.0, 32), Form.LONG: (0.0, 16)},
    "store, MiB": {Form.SHORT: (1.0, 2), Form.LONG: (1.0, 2)},
}
# What has to have happened, and at least once in how many seconds, for it to have been a load at all.
LOAD = [
    "lists from memory",
    "lists never asked for",
    "posts added",
    "posts edited",
    "posts deleted",
    "files written",
    "imports",
    "webhooks",
]
LOAD_EVERY_S = 20
# Time in which the last webhooks arrive.
SETTLE_S = 60


@dataclass
class Sample:
    """What the process takes at one moment, in the order of `MORE`."""

    seconds: float
    values: list[float]


def endure(form: Form) -> None:
    seconds = form.choose(short=40, long=30 * 60)
    with tempfile.TemporaryDirectory(prefix="galley-soak-") as name, Receiver() as receiver:
        folder = Path(name)
        # Members are deleted by an integration, and webhooks told on this machine.
        variables = {"GALLEY_SECURITY_INTEGRATION_SCOPE": "ghost", "GALLEY_PRIVATE_RECEIVERS": "true"}
        with Running(folder, POSTS, **variables) as running:
            samples, load = soak(running, receiver, seconds)
        broken = report(samples, load, form, seconds)
        with Running(folder, POSTS, **variables) as running:
            if load.posts_now(running) != load.posts:
                broken.append("after another start, other posts are there than were acknowledged")
    if broken:
        raise Broken("\n".join(broken))


def soak(running: Running, receiver: Receiver, seconds: float) -> tuple[list[Sample], Load]:
    for event in ["site.changed", "post.added", "post.edited", "post.deleted", "member.added"]:
        running.command("webhook", "add", "--event", event, "--url", receiver.address, "--integration", running.integration)
    seed = int(os.environ.get("GALLEY_SEED", time.time_ns()))
    print(f"seed {seed}", flush=True)
    load = Load(running, seed)
    workers = [Writer(load), Changer(load), Pictures(load), Members(load), Importer(load)]
    workers += [Reader(load, number) for number in range(READERS)]
    samples = []
    began = time.monotonic()
    with Polite(running.port, running.key) as polite:
        for worker in workers:
            worker.start()
        while (passed := time.monotonic() - began) < seconds and not load.broken:
            if running.process.poll() is not None:
                raise Broken(f"the server is gone\n{running.last_words()}")
            samples.append(Sample(passed, taken(running)))
            time.sleep(SAMPLE_S)
        load.stop.set()
        for worker in workers:
            worker.join()
    cached, uncached = polite.noted.p99_ms()
    print(f"p99 meanwhile: {cached:.1f} ms from memory, {uncached:.1f} ms made anew")
    load.broken += [f"a request of the polite client fails: {words}" for words in polite.noted.failed[:5]]
    if load.posts_now(running) != load.posts:
        load.broken.append("other posts are there than were acknowledged")
    if missing := receiver.wait_for(load.added, SETTLE_S):
        load.broken.append(f"of {len(load.added)} posts that were added the webhook was not told of {missing}")
    load.done["webhooks"] = receiver.count
    return samples, load


def taken(running: Running) -> list[float]:
    pid = running.process.pid
    store = (running.data / "galley.redb").stat().st_size / (1 << 20)
    return [memory_mib(pid), open_files(pid), threads(pid), store]


def report(samples: list[Sample], load: Load, form: Form, seconds: float) -> list[str]:
    """Prints what was taken, and tells what did not level off."""
    broken = list(load.broken)
    done = ", ".join(f"{count:,} {what}" for what, count in sorted(load.done.items()))
    print(f"{sum(load.done.values()) / seconds:.0f} requests per second: {done}")
    for place, (what, bounds) in enumerate(MORE.items()):
        part, besides = bounds[form]
        values = [sample.values[place] for sample in samples]
        begin, middle, end = around(values, 0.1), around(values, 0.5), around(values, 0.95)
        print(f"{what}: {begin:.1f} at first, {middle:.1f} in the middle, {end:.1f} at the end, {max(values):.1f} at most")
        if end > middle * (1 + part) + besides:
            broken.append(f"{what}: {middle:.1f} in the middle and {end:.1f} at the end; it does not level off")
    broken += [f"there was next to no load: {load.done[what]} {what}" for what in LOAD if load.done[what] < seconds / LOAD_EVERY_S]
    return broken


def around(values: list[float], part: float) -> float:
    """The median of a tenth of the values, around a part of the time."""
    middle, half = len(values) * part, max(len(values) // 20, 1)
    return statistics.median(values[max(int(middle) - half, 0) : int(middle) + half] or values)
