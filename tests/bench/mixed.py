"""The latency of readers while a site changes. Takes about three minutes.

Readers send typical requests at a constant rate, 1,000 per second. Meanwhile, posts are edited through the Admin API, all files
of the content folder change together, or both. Galley has one core, everything else the other. The same client first requests
files from nginx, which shows how much of the latency is caused by the client.
"""

import json
import multiprocessing
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path

from admin_client import Client
from aims import Aim
from articles import article
from constant_rate import Response, ask, percentile
from content import TAGS, post, write_site
from serving import CLIENT_CORE, LIST, SERVER_CORE, SETTLED_S, Server, Site, get, seed, start_galley, start_nginx
from writing import admin_key

TOOLS = ["nginx", "taskset"]
FILES = 10_000
READS_PER_S = 1_000
EDITS_PER_S = 50
EDITED_POSTS = 100
EDITED_BYTES = 5_000
SECONDS = 10
RESEEDS = 3
# The pause between two reseeds, so that the measurements of one do not include the end of another.
PAUSE_S = 1
# Timeout of a reseed.
RESEED_MAX_S = 120
ASKING_S = 0.05
WANTED_MS = 10
# A forked process also holds the servers that were started before it.
FORKED = multiprocessing.get_context("fork")

# The requests of readers, with their weights: those of a front page, a page of a post, the parts around a page, pages of tags,
# a menu of tags and a search that is not cached.
READS = {
    "the list of 15 with tags and authors": 25,
    "one of a thousand posts": 40,
    "the settings": 10,
    "a page of one of 40 tags": 10,
    "all tags with their counts": 5,
    "a list with a filter that was never asked for": 10,
}


def requests(key: str) -> Iterator[bytes]:
    """Yields the requests of readers. Their order is the same each time, but their filters differ."""
    chance, never = random.Random(8), random.Random()
    kinds, weights = list(READS), list(READS.values())
    content, responses = "/ghost/api/content", "include=tags,authors"
    while True:
        match kinds.index(chance.choices(kinds, weights)[0]):
            case 0:
                target = LIST.format(key=key)
            case 1:
                target = f"{content}/posts/slug/post-{FILES - 1 - chance.randrange(1_000)}/?key={key}&{responses}"
            case 2:
                target = f"{content}/settings/?key={key}"
            case 3:
                asked = f"filter=tag:t{chance.randrange(len(TAGS))}&page={chance.randint(1, 3)}"
                target = f"{content}/posts/?key={key}&{responses}&limit=15&{asked}"
            case 4:
                target = f"{content}/tags/?key={key}&include=count.posts&limit=all"
            case _:
                asked = f"filter=tag:t{chance.randrange(len(TAGS))}%2Bid:-{never.getrandbits(96):024x}"
                target = f"{content}/posts/?key={key}&{responses}&limit=15&{asked}"
        yield request(target)


def request(target: str) -> bytes:
    return f"GET {target} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n".encode()


@dataclass
class Phase:
    """The responses to readers during other work."""

    name: str
    responses: list[Response] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    edits_ms: list[float] = field(default_factory=list)
    reseeds_s: list[float] = field(default_factory=list)
    # The share of its core that the server used, if measured.
    used: float | None = None

    def ask(self, server: Server, reads: Iterator[bytes], going: Callable[[], bool]) -> None:
        """Reads while `going` returns true, and records the share of its core that Galley uses meanwhile."""
        start, before = time.monotonic(), processor_s(server)
        self.responses = ask(server.port, reads, READS_PER_S, going)
        if server.name == "Galley":
            self.used = (processor_s(server) - before) / (time.monotonic() - start)
        self.errors += [reply.error for reply in self.responses if reply.error]


def measure() -> list[Aim]:
    """Prints the latency of readers in each phase, and the time of a reseed."""
    with tempfile.TemporaryDirectory(prefix="galley-bench-") as name, ExitStack() as running:
        folder = Path(name)
        folder.chmod(0o755)  # nginx, when root starts it, reads as somebody else
        site = Site(FILES, folder / "site")
        write_site(site.folder / "content", site.posts)
        time.sleep(SETTLED_S)
        seed(site)
        server = running.enter_context(start_galley(site, SERVER_CORE))
        nginx = running.enter_context(start_nginx(folder / "nginx", site, server))
        client = Client(server, admin_key(site))
        posts = [added(client, number) for number in range(EDITED_POSTS)]
        own = os.sched_getaffinity(0)
        os.sched_setaffinity(0, {int(CLIENT_CORE)})
        try:
            phases = [
                beside_nothing("nginx and files, for the client's own part", nginx, files()),
                beside_nothing("nothing else", server, requests(site.key)),
                read_while(f"{EDITS_PER_S} edits a second", server, site, client.key, posts, reseeds=0),
                read_while(f"a reseed of {FILES:,} files", server, site, client.key, [], RESEEDS),
                read_while("both", server, site, client.key, posts, RESEEDS),
            ]
        finally:
            os.sched_setaffinity(0, own)
        print_phases(phases)
    last = phases[-1]
    return [
        Aim(f"{READS_PER_S:,} reads a second beside edits and a reseed: errors", len(last.errors), 0, at_least=False),
        Aim("the same: p99, ms", percentile(last.responses, 0.99), WANTED_MS, at_least=False),
    ]


def added(client: Client, number: int) -> dict:
    body = {"title": f"Edited {number}", "status": "published", "lexical": article(number, EDITED_BYTES)}
    return client.ask("POST", "/posts/", {"posts": [body]})["posts"][0]


def files() -> Iterator[bytes]:
    chance = random.Random(8)
    while True:
        yield request(chance.choice(["/list", "/post", "/post", "/post"]))


def beside_nothing(name: str, server: Server, reads: Iterator[bytes]) -> Phase:
    phase = Phase(name)
    ending = time.monotonic() + SECONDS
    phase.ask(server, reads, lambda: time.monotonic() < ending)
    return phase


def processor_s(server: Server) -> float:
    """Returns the processor time of the server's process in seconds, without its child processes, which nginx has."""
    fields = Path(f"/proc/{server.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Beside:
    """A process that works while this one reads, signals its end, and then returns its result."""

    def __init__(self, work: Callable, *arguments: object) -> None:
        self.pipe, end = FORKED.Pipe()
        self.process = FORKED.Process(target=in_background, args=(end, work, *arguments), daemon=True)
        self.process.start()
        end.close()

    def going(self) -> bool:
        return not self.pipe.poll()

    def take(self) -> object:
        outcome = self.pipe.recv()
        self.process.join()
        if isinstance(outcome, Exception):
            raise outcome
        return outcome


def in_background(pipe: Connection, work: Callable, *arguments: object) -> None:
    # The readers' client has priority: other work on its core must not look like a slow response of the server.
    os.nice(10)
    try:
        pipe.send(work(*arguments))
    except Exception as error:
        pipe.send(error)


def read_while(name: str, server: Server, site: Site, key: str, posts: list[dict], reseeds: int) -> Phase:
    """Reads while posts are edited and files change. With reseeds, only requests during one are counted."""
    phase = Phase(name)
    ending = time.monotonic() + SECONDS
    stop, stopped = FORKED.Pipe()
    editing = Beside(edit_on, server.port, key, posts, stopped) if posts else None
    reseeding = Beside(reseed, site, server, reseeds) if reseeds else None
    going = reseeding.going if reseeding else lambda: time.monotonic() < ending
    phase.ask(server, requests(site.key), going)
    if reseeding:
        spans = reseeding.take()
        phase.reseeds_s = [end - start for start, end in spans]
        phase.responses = [reply for reply in phase.responses if any(start <= reply.due <= end for start, end in spans)]
    if editing:
        stop.send(None)
        try:
            phase.edits_ms = editing.take()
        except RuntimeError as error:
            phase.errors.append(str(error))
    return phase


def edit_on(port: int, key: str, posts: list[dict], stopped: Connection) -> list[float]:
    """Edits a post each time an edit is due, until stopped. Returns the latencies from the due times, in milliseconds."""
    client = Client(Server("Galley", None, port), key)
    posts = [client.ask("GET", f"/posts/{post['id']}/")["posts"][0] for post in posts]
    took, start = [], time.monotonic()
    while not stopped.poll():
        due = start + len(took) / EDITS_PER_S
        time.sleep(max(due - time.monotonic(), 0))
        place = len(took) % len(posts)
        post = posts[place]
        change = {"title": f"Edited {place} for the {len(took)}th time", "updated_at": post["updated_at"]}
        posts[place] = client.ask("PUT", f"/posts/{post['id']}/", {"posts": [change]})["posts"][0]
        took.append((time.monotonic() - due) * 1000)
    return took


def reseed(site: Site, server: Server, times: int) -> list[tuple[float, float]]:
    """Changes all files several times. Returns the times at which each change began and was completely served."""
    spans = []
    for _ in range(times):
        tag = f"changed-{time.monotonic_ns()}"
        changed = site.folder / tag
        changed.mkdir()
        for place in range(FILES):
            (changed / f"post-{place}.md").write_text(post(place).replace("tags = [", f'tags = ["{tag}", ', 1))
        time.sleep(PAUSE_S)
        start = time.monotonic()
        for place in range(FILES):
            os.rename(changed / f"post-{place}.md", site.folder / "content/posts" / f"post-{place}.md")
        while tagged(server, site, tag) < FILES:
            if time.monotonic() - start > RESEED_MAX_S:
                raise TimeoutError(f"{tagged(server, site, tag)} of {FILES} files are served {RESEED_MAX_S} s after they changed")
            time.sleep(ASKING_S)
        spans.append((start, time.monotonic()))
    return spans


def tagged(server: Server, site: Site, tag: str) -> int:
    target = f"/ghost/api/content/posts/?key={site.key}&filter=tag:{tag}&fields=id&limit=1"
    return json.loads(get(server, target))["meta"]["pagination"]["total"]


def print_phases(phases: list[Phase]) -> None:
    print(f"{READS_PER_S:,} reads a second from one core, Galley on the other:\n")
    print("| reads during | reads | errors | p50, ms | p99, ms | most, ms | core in use | edits, p99, ms | reseed, s |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for phase in phases:
        edits = sorted(phase.edits_ms)
        cells = [
            f"{len(phase.responses):,}",
            str(len(phase.errors)),
            *(f"{percentile(phase.responses, share):.1f}" for share in [0.5, 0.99, 1]),
            f"{phase.used:.0%}" if phase.used is not None else "",
            f"{edits[len(edits) * 99 // 100]:.1f}" if edits else "",
            ", ".join(f"{seconds:.1f}" for seconds in phase.reseeds_s),
        ]
        print(f"| {phase.name} | " + " | ".join(cells) + " |")
        if errors := phase.errors:
            print(f"there were invalid responses; the first one: {errors[0]}", file=sys.stderr)
