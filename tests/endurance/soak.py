"""All functions together, for a long time: readers and a writer at full speed, changed files, webhooks, images, members, imports.

The resource usage of the process must level off: its memory stays below a limit and is flat in the last third, and a minute
after the load it is close to that of a fresh process after its first requests. In the second half, open files, threads and the
store grow by no more than a limit. No request fails on the server's side, and at the end all acknowledged changes are stored.
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
from soak_load import Changer, FullSpeedReaders, Importer, Load, Members, Images, Reader, Receiver, Writer, memory_at_start

TOOLS = ["wrk"]
POSTS = 1_000
READERS = 2
SAMPLE_S = 1
# The maximum memory of the server under the load, in MiB.
MEMORY_MIB_MAX = 120
# In the last third of the long form, memory stays within this part of its median there. A window is long enough for a single
# resized photo or import not to matter.
FLAT_PART = 0.05
FLAT_WINDOW_S = 30
# This long after the load, memory exceeds that at the start (`memory_at_start`) by no more than this part and this number of MiB:
# pages of the program that the first requests did not need, and partially free pages.
REST_S = 60
REST_PART = 0.20
REST_MIB = 2
# The maximum growth from the middle to the end: as a part of the value in the middle, plus a constant. The store's file doubles
# its length when it is full. Caches that are still being filled in the short form have half an hour for that in the long form.
MORE = {
    "open files": {Form.SHORT: (0.0, 16), Form.LONG: (0.0, 16)},
    "threads": {Form.SHORT: (0.0, 32), Form.LONG: (0.0, 16)},
    "store, MiB": {Form.SHORT: (1.0, 2), Form.LONG: (1.0, 2)},
}
# The work that must have been done for a load to count: each kind at least once within this number of seconds.
LOAD = [
    "reads at full speed",
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
# Timeout for the arrival of the last webhooks.
SETTLE_S = 60


@dataclass
class Sample:
    """The resource usage of the process at one moment, in the order of `MORE`."""

    seconds: float
    memory_mib: float
    values: list[float]


def endure(form: Form) -> None:
    seconds = form.choose(short=40, long=30 * 60)
    with tempfile.TemporaryDirectory(prefix="galley-soak-") as name, Receiver() as receiver:
        folder = Path(name)
        # Webhook receivers are on this machine.
        variables = {"GALLEY_PRIVATE_RECEIVERS": "true"}
        with Running(folder, POSTS, **variables) as running:
            start_mib, samples, load = soak(running, receiver, seconds)
            rest_mib = memory_at_rest(running.process.pid, start_mib)
        broken = report(samples, load, form, seconds) + report_memory(samples, form, start_mib, rest_mib)
        with Running(folder, POSTS, **variables) as running:
            if load.posts_now(running) != load.posts:
                broken.append("after a restart, the stored posts differ from the acknowledged ones")
    if broken:
        raise Broken("\n".join(broken))


def soak(running: Running, receiver: Receiver, seconds: float) -> tuple[float, list[Sample], Load]:
    """Returns the memory at the start in MiB, samples under the load, and the load."""
    for event in ["site.changed", "post.added", "post.edited", "post.deleted", "member.added"]:
        running.command("webhook", "add", "--event", event, "--url", receiver.address, "--integration", running.integration)
    seed = int(os.environ.get("GALLEY_SEED", time.time_ns()))
    print(f"seed {seed}", flush=True)
    load = Load(running, seed)
    workers = [Writer(load), Changer(load), Images(load), Members(load), Importer(load)]
    workers += [Reader(load, number) for number in range(READERS)]
    start_mib = memory_at_start(running.process.pid, workers)
    samples = []
    began = time.monotonic()
    with Polite(running.port, running.key) as polite:
        workers.append(FullSpeedReaders(load, POSTS, seconds))
        for worker in workers:
            worker.start()
        while (passed := time.monotonic() - began) < seconds and not load.broken:
            if running.process.poll() is not None:
                raise Broken(f"the server is gone\n{running.last_words()}")
            samples.append(Sample(passed, memory_mib(running.process.pid), taken(running)))
            time.sleep(SAMPLE_S)
        load.stop.set()
        for worker in workers:
            worker.join()
    cached, uncached = polite.noted.p99_ms()
    print(f"p99 meanwhile: {cached:.1f} ms from memory, {uncached:.1f} ms uncached")
    load.broken += [f"a request of the polite client fails: {words}" for words in polite.noted.failed[:5]]
    if load.posts_now(running) != load.posts:
        load.broken.append("the stored posts differ from the acknowledged ones")
    if missing := receiver.wait_for(load.added, SETTLE_S):
        load.broken.append(f"the webhook received no event for {missing} of {len(load.added)} added posts")
    load.done["webhooks"] = receiver.count
    return start_mib, samples, load


def taken(running: Running) -> list[float]:
    pid = running.process.pid
    store = (running.data / "galley.redb").stat().st_size / (1 << 20)
    return [open_files(pid), threads(pid), store]


def memory_at_rest(pid: int, start_mib: float) -> float:
    """Returns the memory after the load: when it is close to that of the start, or at the latest after the timeout."""
    deadline = time.monotonic() + REST_S
    while (memory := memory_mib(pid)) > rest_mib_max(start_mib) and time.monotonic() < deadline:
        time.sleep(SAMPLE_S)
    return memory


def rest_mib_max(start_mib: float) -> float:
    return start_mib * (1 + REST_PART) + REST_MIB


def report_memory(samples: list[Sample], form: Form, start_mib: float, rest_mib: float) -> list[str]:
    """Prints the memory under the load and after it, and returns the exceeded limits."""
    last_third = [sample for sample in samples if sample.seconds > samples[-1].seconds * 2 / 3]
    windows = [
        statistics.median(sample.memory_mib for sample in last_third[begin : begin + FLAT_WINDOW_S])
        for begin in range(0, len(last_third), FLAT_WINDOW_S)
    ]
    middle, most = statistics.median(windows), max(sample.memory_mib for sample in samples)
    print(
        f"memory, MiB: {start_mib:.1f} at the start, {most:.1f} at most, "
        f"{min(windows):.1f} to {max(windows):.1f} in the last third, {rest_mib:.1f} at rest"
    )
    broken = []
    if most > MEMORY_MIB_MAX:
        broken.append(f"memory: {most:.1f} MiB at most; the limit is {MEMORY_MIB_MAX}")
    if form is Form.LONG and not middle * (1 - FLAT_PART) <= min(windows) <= max(windows) <= middle * (1 + FLAT_PART):
        broken.append(f"memory: {min(windows):.1f} to {max(windows):.1f} MiB in the last third; it is not flat")
    if rest_mib > rest_mib_max(start_mib):
        broken.append(f"memory: {start_mib:.1f} MiB at the start and {rest_mib:.1f} {REST_S} s after the load")
    return broken


def report(samples: list[Sample], load: Load, form: Form, seconds: float) -> list[str]:
    """Prints the resource usage, and returns the values that did not level off."""
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
    broken += [f"there was hardly any load: {load.done[what]} {what}" for what in LOAD if load.done[what] < seconds / LOAD_EVERY_S]
    return broken


def around(values: list[float], part: float) -> float:
    """Returns the median of a tenth of the values, around this part of the time."""
    middle, half = len(values) * part, max(len(values) // 20, 1)
    return statistics.median(values[max(int(middle) - half, 0) : int(middle) + half] or values)
