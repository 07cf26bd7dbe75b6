"""The durable changes per second of Galley, compared with the flushes of the disk. Takes about two minutes.

wrk adds posts through the Admin API, and each response is sent when the post is on disk. On the same file system, a file is
repeatedly appended to and flushed. Galley runs on the first core and wrk on the second. The measurements take turns, and
medians are reported.
"""

import json
import os
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from articles import article
from content import write_site
from machine import GALLEY
from serving import CLIENT_CORE, LIST, POST, SETTLED_S, Server, Site, requests_per_s, seed, start_galley, wrk, wrk_uncached
from tokens import token

TOOLS = ["wrk", "taskset"]
POSTS = 100
POST_BYTES = 2_000
ROUNDS = 5
SECONDS = 2
CLIENTS = [1, 16]
# A page of memory, the minimum that a commit writes.
FLUSHED_BYTES = 4_096
ADD = "/ghost/api/admin/posts/"
# Maximum duration of a measurement of readers during writes.
WRITING_S = SECONDS + 2


def measure() -> None:
    """Prints durable changes per second, and the speed of readers meanwhile."""
    with tempfile.TemporaryDirectory(prefix="galley-bench-") as name:
        folder = Path(name)
        site = Site(POSTS, folder / "site")
        write_site(site.folder / "content", site.posts)
        time.sleep(SETTLED_S)
        seed(site)
        with start_galley(site, "0") as server:
            key = admin_key(site)
            print_writing(alternate(folder, server, key))
            print()
            print_reading(with_and_without_writers(server, site, key))


def admin_key(site: Site) -> str:
    command = [GALLEY, "key", "create", "--name", "Writers", "--json", "--data", site.folder / "data"]
    return json.loads(subprocess.check_output(command))["admin_key"]


def alternate(folder: Path, server: Server, key: str) -> dict[str, float]:
    """Returns flushes and changes per second, each as the median of rounds in turns."""
    turns = {"flushes": lambda: flushes(folder)}
    for clients in CLIENTS:
        turns[f"{clients} clients"] = lambda clients=clients: requests_per_s(add_posts(server, key, clients, SECONDS))
    return medians(turns)


def medians(turns: dict) -> dict[str, float]:
    rounds = [{name: turn() for name, turn in turns.items()} for _ in range(ROUNDS)]
    return {name: statistics.median(speeds[name] for speeds in rounds) for name in turns}


def flushes(folder: Path) -> float:
    """Returns how many times per second a file can be appended to and flushed."""
    file = os.open(folder / "appended", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    try:
        count, start = 0, time.monotonic()
        while time.monotonic() - start < SECONDS:
            os.write(file, b"\0" * FLUSHED_BYTES)
            os.fdatasync(file)
            count += 1
        return count / (time.monotonic() - start)
    finally:
        os.close(file)


def add_posts(server: Server, key: str, clients: int, seconds: int) -> subprocess.Popen:
    """Starts wrk, which adds posts. Each client sends the next request after the response to its last one."""
    script = Path(__file__).parent / "adding.lua"
    body = {"posts": [{"title": "TITLE", "status": "published", "lexical": article(0, POST_BYTES)}]}
    command = ["taskset", "--cpu-list", CLIENT_CORE, "wrk", "-t1", f"-c{clients}", f"-d{seconds}s", "--timeout", "60s", "-s", script]
    address = f"http://127.0.0.1:{server.port}{ADD}"
    arguments = [token(key), json.dumps(body), str(time.monotonic_ns())]
    return subprocess.Popen([*command, address, "--", *arguments], stdout=subprocess.PIPE, text=True)


def with_and_without_writers(server: Server, site: Site, key: str) -> dict[str, tuple[float, float]]:
    """Returns the requests per second of readers, alone and during writes."""
    reads = {
        "15 posts with tags and authors, cached": lambda: wrk(server, LIST.format(key=site.key)),
        "one post, cached": lambda: wrk(server, POST.format(key=site.key)),
        "lists, each with another filter": lambda: wrk_uncached(server, site),
    }

    def during_writes(read) -> float:
        writers = add_posts(server, key, max(CLIENTS), WRITING_S)
        time.sleep((WRITING_S - SECONDS) / 2)
        speed = read()
        requests_per_s(writers)
        return speed

    alone = medians(reads)
    busy = medians({name: lambda read=read: during_writes(read) for name, read in reads.items()})
    return {name: (alone[name], busy[name]) for name in reads}


def print_writing(speeds: dict[str, float]) -> None:
    few, many = (speeds[f"{clients} clients"] for clients in CLIENTS)
    flushed = speeds["flushes"]
    print(f"| durable changes per second | | relative to the disk | relative to {CLIENTS[0]} client |")
    print("| --- | ---: | ---: | ---: |")
    print(f"| the disk: append {FLUSHED_BYTES // 1024} KiB and flush, one after the other | {flushed:,.0f} | | |")
    print(f"| {CLIENTS[0]} client adds posts | {few:,.0f} | {few / flushed:.2f} | |")
    print(f"| {CLIENTS[1]} clients add posts | {many:,.0f} | {many / flushed:.2f} | {many / few:.1f} |")


def print_reading(speeds: dict[str, tuple[float, float]]) -> None:
    print(f"| requests per second | alone | during writes of {max(CLIENTS)} clients | |")
    print("| --- | ---: | ---: | ---: |")
    for name, (alone, busy) in speeds.items():
        print(f"| {name} | {alone:,.0f} | {busy:,.0f} | {busy / alone:.2f} |")
