#!/usr/bin/env python3
"""How the costs of Galley grow with the site: the same requests, changes and starts on sites of several sizes.

usage: tests/bench/growth.py [POSTS...]     (by default 100 1000 10000 100000, which takes about five minutes)

No response is cached, so every request reads the catalog and the store. One client sends one request after the other. Galley
runs on the first core and the client on the second; a start uses both. Medians are reported.
"""

import http.client
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.dont_write_bytecode = True
from aims import Aim
from articles import article
from content import AUTHORS, TAGS, write_site
from serving import CLIENT_CORE, SETTLED_S, Server, Site, requests_per_s, seed, start_again, start_galley
from tokens import token
from writing import admin_key

TOOLS = ["wrk", "taskset"]
SITES = [100, 1_000, 10_000, 100_000]
# The size that growth factors refer to.
COMPARED = 1_000
# Measurements that must grow by less than this factor from that size to the largest site, and their maximum on the largest.
GROWING = [
    "a list, ms",
    "posts with a tag, ms",
    "one post, ms",
    "an edit through the Admin API, ms",
    "a file is written to, until readers see it, ms",
]
GROWTH_MAX = 2
START_MS_MAX = 2_000
MEMORY_MIB_MAX = 350
SECONDS = 2
EDITS = 30
SAVES = 9
PAGE = 15
CONTENT = "/ghost/api/content/posts/"
ADMIN = "/ghost/api/admin/posts/"
VISIBLE_WITHIN_S = 60


def measure(sizes: list[int] = SITES) -> list[Aim]:
    """Prints the costs on each site, and their growth from smaller to larger ones."""
    columns = []
    with tempfile.TemporaryDirectory(prefix="galley-bench-") as folder:
        for posts in sizes:
            site = Site(posts, Path(folder) / str(posts))
            write_site(site.folder / "content", posts)
            time.sleep(SETTLED_S)
            seed(site)
            start_again(site)
            columns.append(of_site(site))
    print_table(sizes, columns)
    return aims(columns[sizes.index(COMPARED)], columns[-1]) if sizes == SITES else []


def aims(compared: dict[str, float], largest: dict[str, float]) -> list[Aim]:
    growing = max(GROWING, key=lambda name: largest[name] / compared[name])
    size = f"{SITES[-1]:,} posts"
    return [
        Aim(
            f"{size} to {COMPARED:,}: list, posts with a tag, post, edit and file save, the most ({growing.removesuffix(', ms')})",
            largest[growing] / compared[growing],
            GROWTH_MAX,
            at_least=False,
        ),
        Aim(f"{size}: start, ms", largest["start to the first list, ms"], START_MS_MAX, at_least=False),
        Aim(f"{size}: memory at rest, MiB", largest["memory at rest, MiB"], MEMORY_MIB_MAX, at_least=False),
    ]


def of_site(site: Site) -> dict[str, float]:
    """Returns all costs on a site."""
    figures = {}
    with start_galley(site, "0", GALLEY_ANSWERS_CACHE_MB="0") as server:
        for name, question, least, greatest in questions(site.posts):
            target = f"{CONTENT}{question}&key={site.key}"
            figures[name] = 1000 / asked_alone(server, target, least, greatest)
        figures["an edit through the Admin API, ms"] = edit_ms(server, site)
        figures["a file is written to, until readers see it, ms"] = save_ms(server, site, write_into)
        figures["a file is replaced, until readers see it, ms"] = save_ms(server, site, replace)
    figures["start to the first list, ms"] = site.start_ms
    figures["memory at rest, MiB"] = site.rest_mib
    figures["seeding an empty store, s"] = site.seeding_s
    figures["memory at most while seeding, MiB"] = site.seeding_mib
    return figures


def questions(posts: int) -> list[tuple[str, str, int, int]]:
    """Returns the requests, with the range of numbers that replace NUMBER."""
    page = f"?include=tags,authors&limit={PAGE}"
    middle = max(posts // PAGE // 2, 1)
    return [
        ("a list, ms", f"{page}&page=NUMBER", 1, 6),
        ("posts with a tag, ms", f"{page}&filter=tag:tNUMBER", 0, len(TAGS) - 1),
        ("posts by an author, ms", f"{page}&filter=author:{AUTHORS[0]}", 0, 0),
        ("posts with a word in the title, ms", f"{page}&filter=title:~%27harbour%27", 0, 0),
        ("the page in the middle, ms", f"{page}&page={middle}", 0, 0),
        ("one post, ms", "slug/post-NUMBER/?include=tags,authors", 0, posts - 1),
    ]


def asked_alone(server: Server, target: str, least: int, greatest: int) -> float:
    """Returns the requests per second of one client."""
    script = Path(__file__).parent / "growth.lua"
    command = ["taskset", "--cpu-list", CLIENT_CORE, "wrk", "-t1", "-c1", f"-d{SECONDS}s", "-s", script]
    address = f"http://127.0.0.1:{server.port}/"
    arguments = [target, str(least), str(greatest)]
    return requests_per_s(subprocess.Popen([*command, address, "--", *arguments], stdout=subprocess.PIPE, text=True))


def edit_ms(server: Server, site: Site) -> float:
    """Returns the time from a change of a post until its response, which is sent when the change is on disk."""
    client = http.client.HTTPConnection("127.0.0.1", server.port)
    headers = {"Authorization": f"Ghost {token(admin_key(site))}", "Content-Type": "application/json"}

    def ask(method: str, target: str, post: dict) -> dict:
        client.request(method, target, json.dumps({"posts": [post]}), headers)
        reply = client.getresponse()
        text = reply.read()
        if reply.status >= 300:
            sys.exit(f"{method} {target} got {reply.status}: {text[:500]}")
        return json.loads(text)["posts"][0]

    tags = [{"slug": tag} for tag in TAGS[:12]]
    known = ask("POST", ADMIN, {"title": "Begun", "status": "published", "tags": tags, "lexical": article(0, 5_000)})
    times = []
    for number in range(EDITS):
        change = {"title": f"Edited {number}", "updated_at": known["updated_at"]}
        before = time.monotonic()
        known = ask("PUT", f"{ADMIN}{known['id']}/", change)
        times.append((time.monotonic() - before) * 1000)
    return statistics.median(times)


def save_ms(server: Server, site: Site, save: Callable[[Path, str], None]) -> float:
    """Returns the time until readers see the new title of a file."""
    client = http.client.HTTPConnection("127.0.0.1", server.port)
    times = []
    for number in range(SAVES):
        name = f"post-{number * site.posts // SAVES}"
        file = site.folder / "content/posts" / f"{name}.md"
        title = f"Saved at {time.time_ns()}"
        lines = file.read_text().split("\n")
        lines[1] = f'title = "{title}"'
        save(file, "\n".join(lines))
        before = time.monotonic()
        while title_of(client, name, site.key) != title:
            if time.monotonic() - before > VISIBLE_WITHIN_S:
                sys.exit(f"{file} was saved, but is not served")
            time.sleep(0.001)
        times.append((time.monotonic() - before) * 1000)
    return statistics.median(times)


def write_into(file: Path, text: str) -> None:
    file.write_text(text)


def replace(file: Path, text: str) -> None:
    """Saves a file like many editors do: a new file replaces the old one."""
    new = file.with_name(f".{file.name}.new")
    new.write_text(text)
    new.rename(file)


def title_of(client: http.client.HTTPConnection, slug: str, key: str) -> str:
    client.request("GET", f"{CONTENT}slug/{slug}/?key={key}&fields=title")
    return json.loads(client.getresponse().read())["posts"][0]["title"]


def print_table(sizes: list[int], columns: list[dict[str, float]]) -> None:
    compared = sizes.index(COMPARED) if COMPARED in sizes else 0
    last = len(sizes) - 1
    heads = " | ".join(f"{posts:,} posts" for posts in sizes)
    print(f"| Galley on a site of | {heads} | {sizes[last]:,} to {sizes[compared]:,} |")
    print("| --- |" + " ---: |" * (len(sizes) + 1))
    for name in columns[0]:
        cells = [column[name] for column in columns]
        factor = cells[last] / cells[compared]
        print(f"| {name} | " + " | ".join(map(shown, cells)) + f" | {factor:.2f} |")


def shown(figure: float) -> str:
    return f"{figure:,.0f}" if figure >= 100 else f"{figure:.3g}"


if __name__ == "__main__":
    measure([int(posts) for posts in sys.argv[1:]] or SITES)
