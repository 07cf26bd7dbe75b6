"""A site in PostgreSQL compared with the same site in a file. Takes about five minutes, mostly for the site of 100,000 posts.

The database is on the same machine and disk. For reads, the server has the first core and wrk the second; for changes, all
share both cores. The sites are measured in turns, and medians are reported.
"""

import http.client
import json
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from aims import Aim
from content import write_site
from machine import GALLEY, REPOSITORY
from serving import LIST, POST, SETTLED_S, Server, Site, get, requests_per_s, start_galley, wrk, wrk_uncached
from tokens import token
from writing import add_posts, medians

sys.path.append(str(REPOSITORY / "tests/endurance"))
from postgres import Postgres

TOOLS = ["wrk", "taskset"]
POSTS = 1_000
LARGE = 100_000
NODES = 3
SECONDS = 3
CLIENTS = [1, 16]
COMMITS = 300
ALLOWED_MS = 50
EQUAL = 0.95
STARTS = 3


def measure() -> list[Aim]:
    """Prints reads and changes of both, the time until other processes see a commit, and the time of starts."""
    with tempfile.TemporaryDirectory(prefix="galley-bench-") as name, Postgres() as postgres, ExitStack() as running:
        folder = Path(name)
        write_site(folder / "content", POSTS)
        time.sleep(SETTLED_S)
        node_sites = [Site(POSTS, folder / f"node-{number}") for number in range(NODES)]
        alone = Site(POSTS, folder / "file")
        for site in [alone, *node_sites]:
            site.folder.mkdir()
            (site.folder / "content").symlink_to(folder / "content")
        variables = shared(postgres, "small", folder)
        server = running.enter_context(start_galley(alone, "0"))
        nodes = [running.enter_context(start_galley(site, "0", **variables)) for site in node_sites]
        own_key, key = admin_key(alone), admin_key(node_sites[0], variables)
        alone.key, node_sites[0].key = content_key(alone), content_key(node_sites[0], variables)
        aims = reads(alone, node_sites[0], server, nodes[0])
        print()
        changes(server, nodes, own_key, key)
        print()
        aims += commits(nodes, key, node_sites[0].key)
        print()
    with tempfile.TemporaryDirectory(prefix="galley-bench-") as name, Postgres() as postgres:
        starts(Path(name), postgres)
    return aims


def shared(postgres: Postgres, schema: str, folder: Path) -> dict[str, str]:
    """Returns the options of processes that share a site."""
    postgres.ask(f"CREATE SCHEMA {schema}")
    uploads = folder / "uploads"
    uploads.mkdir()
    options = f"options=-csearch_path%3D{schema}"
    return {
        "GALLEY_STORE_URL": f"postgres://galley@127.0.0.1:{postgres.port}/postgres?{options}",
        "GALLEY_UPLOADS_FOLDER": str(uploads),
    }


def galley(site: Site, variables: dict[str, str], *words: str) -> str:
    command = [GALLEY, *words, "--data", site.folder / "data"]
    return subprocess.check_output(command, cwd=site.folder, env=variables or None, text=True)


def admin_key(site: Site, variables: dict[str, str] = {}) -> str:
    return json.loads(galley(site, variables, "key", "create", "--name", "Writers", "--json"))["admin_key"]


def content_key(site: Site, variables: dict[str, str] = {}) -> str:
    return json.loads(galley(site, variables, "key", "list", "--json"))[0]["content_key"]


def reads(alone: Site, node: Site, server: Server, shared_server: Server) -> list[Aim]:
    questions = {
        "15 posts with tags and authors, cached": lambda site, on: wrk(on, LIST.format(key=site.key)),
        "one post, cached": lambda site, on: wrk(on, POST.format(key=site.key)),
        "lists, each with another filter": lambda site, on: wrk_uncached(on, site),
    }
    print("| requests per second | a file | PostgreSQL | PostgreSQL to file |")
    print("| --- | ---: | ---: | ---: |")
    aims = []
    for name, ask in questions.items():
        speeds = medians({"file": lambda: ask(alone, server), "database": lambda: ask(node, shared_server)})
        ratio = speeds["database"] / speeds["file"]
        print(f"| {name} | {speeds['file']:,.0f} | {speeds['database']:,.0f} | {ratio:.2f} |")
        aims.append(Aim(f"PostgreSQL to a file: {name}", ratio, EQUAL))
    return aims


def changes(server: Server, nodes: list[Server], own_key: str, key: str) -> None:
    def added(on: list[Server], with_key: str, clients: int) -> float:
        each = [add_posts(one, with_key, max(clients // len(on), 1), SECONDS) for one in on]
        return sum(requests_per_s(client) for client in each)

    turns = {}
    for clients in CLIENTS:
        turns[f"file, {clients}"] = lambda clients=clients: added([server], own_key, clients)
        turns[f"1 process, {clients}"] = lambda clients=clients: added(nodes[:1], key, clients)
    turns[f"{NODES} processes, {CLIENTS[-1]}"] = lambda: added(nodes, key, CLIENTS[-1])
    speeds = medians(turns)
    print(f"| durable changes per second | {CLIENTS[0]} client | {CLIENTS[1]} clients |")
    print("| --- | ---: | ---: |")
    few, many = CLIENTS
    print(f"| a file | {speeds[f'file, {few}']:,.0f} | {speeds[f'file, {many}']:,.0f} |")
    print(f"| PostgreSQL, one process | {speeds[f'1 process, {few}']:,.0f} | {speeds[f'1 process, {many}']:,.0f} |")
    print(f"| PostgreSQL, {NODES} processes | | {speeds[f'{NODES} processes, {many}']:,.0f} |")


def commits(nodes: list[Server], key: str, content_key: str) -> list[Aim]:
    """Returns the time from a response until the commit is visible on another node."""
    writer, reader = (http.client.HTTPConnection("127.0.0.1", node.port) for node in nodes[:2])
    times = []
    for number in range(COMMITS):
        headers = {"Authorization": f"Ghost {token(key)}", "Content-Type": "application/json"}
        title = f"Seen elsewhere {number} {time.monotonic_ns()}"
        body = json.dumps({"posts": [{"title": title, "status": "published"}]})
        writer.request("POST", "/ghost/api/admin/posts/", body, headers)
        response = writer.getresponse()
        slug = json.loads(response.read())["posts"][0]["slug"]
        responded = time.monotonic()
        while True:
            reader.request("GET", f"/ghost/api/content/posts/slug/{slug}/?key={content_key}")
            response = reader.getresponse()
            response.read()
            if response.status == 200:
                break
        times.append((time.monotonic() - responded) * 1000)
    times.sort()
    p99 = times[len(times) * 99 // 100]
    print("| from the response to a change until another process serves it, ms | median | p99 | most |")
    print("| --- | ---: | ---: | ---: |")
    print(f"| {COMMITS} changes, one after the other | {statistics.median(times):.1f} | {p99:.1f} | {times[-1]:.1f} |")
    return [Aim("ms until another process serves a change, p99", p99, ALLOWED_MS, at_least=False)]


def starts(folder: Path, postgres: Postgres) -> None:
    write_site(folder / "content", LARGE)
    variables = shared(postgres, "large", folder)
    alone = Site(LARGE, folder / "file")
    node = Site(LARGE, folder / "node")
    other = Site(LARGE, folder / "other")
    for site in [alone, node]:
        site.folder.mkdir()
        (site.folder / "content").symlink_to(folder / "content")
    other.folder.mkdir()
    (other.folder / "content").mkdir()
    time.sleep(SETTLED_S)

    def started(site: Site, given: dict[str, str]) -> float:
        began = time.monotonic()
        with start_galley(site, **given) as server:
            get(server, LIST.format(key=site.key)) if site.key else None
            return time.monotonic() - began

    started(alone, {})
    started(node, variables)
    own, again = ([started(site, given) for _ in range(STARTS)] for site, given in [(alone, {}), (node, variables)])
    # The content belongs to the first node, which is not running; this node would find its files missing.
    with start_galley(node, **variables):
        filled = started(other, variables)
    print(f"| start with {LARGE:,} posts, until the first response, s | |")
    print("| --- | ---: |")
    print(f"| a file | {statistics.median(own):.1f} |")
    print(f"| PostgreSQL, with the replica of the last time | {statistics.median(again):.1f} |")
    print(f"| PostgreSQL, with an empty replica | {filled:.1f} |")
