"""Memory under readers and writers at full speed, by allocator. Takes ten minutes, after a second build.

The released program, which includes jemalloc, is compared with a build without it: with the allocator of the C library, and
with other allocators if their Debian packages are installed.
"""

import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from aims import Aim
from machine import GALLEY, REPOSITORY

sys.path.append(str(REPOSITORY / "tests/endurance"))
from processes import forget_most, memory_mib, memory_most_mib
from running import Running
from soak_load import FullSpeedReaders, Load, Reader, Writer, memory_at_start

TOOLS = ["wrk"]
POSTS = 1_000
WRITERS = 4
SECONDS = 60
REST_S = 60
# The targets: peak memory in MiB, and memory after a rest, as a factor of the memory at the start.
MEMORY_MIB_MAX = 120
REST_RATIO_MAX = 1.2
WITHOUT_JEMALLOC = REPOSITORY / "target/system-allocator"
# From the Debian packages libmimalloc2.0 and libjemalloc2. The latter uses jemalloc's own defaults.
LIBRARIES = {"mimalloc": "libmimalloc.so.2", "jemalloc with its defaults": "libjemalloc.so.2"}


@dataclass
class Taken:
    """Memory in MiB, and the work done meanwhile."""

    start: float
    most: float
    rest: float
    reads_per_s: float
    writes_per_s: float


def measure() -> list[Aim]:
    """Prints a row for each allocator."""
    build = ["cargo", "build", "--profile", "dist", "--quiet", "--no-default-features", "--target-dir", WITHOUT_JEMALLOC]
    subprocess.run(build, cwd=REPOSITORY, check=True)
    without = WITHOUT_JEMALLOC / "dist/galley"
    own = take(GALLEY)
    rows = {"jemalloc as released": own, "the C library's": take(without)}
    for name, library in LIBRARIES.items():
        if found := next(Path("/usr/lib").glob(f"*/{library}"), None):
            rows[name] = take(without, LD_PRELOAD=found)
    print(f"| {POSTS:,} posts, {SECONDS} s | MiB at the start | at most | {REST_S} s later | reads a second | writes a second |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for name, row in rows.items():
        print(f"| {name} | {row.start:.0f} | {row.most:.0f} | {row.rest:.0f} | {row.reads_per_s:,.0f} | {row.writes_per_s:,.0f} |")
    return [
        Aim("memory under readers and writers, MiB", own.most, MEMORY_MIB_MAX, at_least=False),
        Aim("memory after them, times that of the start", own.rest / own.start, REST_RATIO_MAX, at_least=False),
    ]


def take(program: Path, **variables: object) -> Taken:
    """Runs the program on a new site, reads and writes, and then leaves it idle."""
    with tempfile.TemporaryDirectory(prefix="galley-bench-") as folder:
        running = Running(Path(folder), POSTS, **variables)
        running.program = program
        with running:
            pid = running.process.pid
            load = Load(running, seed=18)
            writers = [Writer(load, number) for number in range(WRITERS)]
            start = memory_at_start(pid, [*writers, Reader(load)])
            forget_most(pid)
            load.done.clear()
            workers = [FullSpeedReaders(load, POSTS, SECONDS), *writers]
            for worker in workers:
                worker.start()
            time.sleep(SECONDS)
            load.stop.set()
            for worker in workers:
                worker.join()
            most = memory_most_mib(pid)
            if load.broken:
                sys.exit("\n".join(load.broken))
            time.sleep(REST_S)
            reads = load.done.pop("reads at full speed")
            return Taken(start, most, memory_mib(pid), reads / SECONDS, load.done.total() / SECONDS)
