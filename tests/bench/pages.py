"""The speed of theme pages: compared with nginx, after an edit, and after a change of the theme. Takes two minutes."""

import http.client
import statistics
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from admin_client import Client
from aims import Aim
from articles import article
from content import write_site
from serving import SERVER_CORE, SETTLED_S, CachedRequest, Server, Site, print_beside_nginx, seed, start_galley, start_nginx
from writing import admin_key

TOOLS = ["nginx", "wrk", "taskset"]
POSTS, MANY_POSTS = 100, 10_000
EDITS = 30
# The number of pages that are read before memory is measured.
PAGES = 100
# The targets: the time until the first page after an edit and after a change of the theme, and the memory of pages.
EDIT_MS_MAX, THEME_MS_MAX, MEMORY_MIB_MAX = 5, 100, 10
REQUESTS = [
    CachedRequest("home page", "home", "/"),
    CachedRequest("the same, compressed with gzip", "home", "/", compressed=True),
    CachedRequest("page of a post", "post-page", "/post-42/"),
]


def measure() -> list[Aim]:
    """Prints requests per second of Galley and nginx, times until the first page, and the memory of pages."""
    with tempfile.TemporaryDirectory(prefix="galley-bench-") as name, ExitStack() as running:
        folder = Path(name)
        folder.chmod(0o755)  # nginx, when root starts it, reads as somebody else
        sites = [Site(posts, folder / str(posts)) for posts in [POSTS, MANY_POSTS]]
        for site in sites:
            write_site(site.folder / "content", site.posts)
        time.sleep(SETTLED_S)
        for site in sites:
            seed(site)
        memory = memory_of_pages(sites[0])
        galley = running.enter_context(start_galley(sites[0], SERVER_CORE))
        nginx = running.enter_context(start_nginx(folder / "nginx", sites[0], galley, requests=REQUESTS))
        aims = print_beside_nginx(sites[0], galley, nginx, REQUESTS)
        many = running.enter_context(start_galley(sites[1], SERVER_CORE))
        return aims + print_first_pages(sites[1], many, memory)


def memory_of_pages(site: Site) -> float:
    """Returns the additional memory of a site whose pages are read, compared with the same site without page requests."""
    taken = []
    for front_end in ["none", "theme"]:
        with start_galley(site, SERVER_CORE, GALLEY_FRONT_END=front_end, GALLEY_ANSWERS_CACHE_MB="0") as server:
            connection = http.client.HTTPConnection("127.0.0.1", server.port)
            for number in range(PAGES):
                read(connection, f"/post-{number}/")
            taken.append(server.memory_mib("VmRSS"))
    return taken[1] - taken[0]


def print_first_pages(site: Site, server: Server, memory: float) -> list[Aim]:
    client = Client(server, admin_key(site))
    connection = http.client.HTTPConnection("127.0.0.1", server.port)
    added = {"title": "Begun", "slug": "begun", "status": "published", "lexical": article(0, 5_000)}
    post = client.ask("POST", "/posts/", {"posts": [added]})["posts"][0]

    def edit(number: int) -> None:
        nonlocal post
        change = {"custom_excerpt": f"Edited {number} times", "updated_at": post["updated_at"]}
        post = client.ask("PUT", f"/posts/{post['id']}/", {"posts": [change]})["posts"][0]

    def change_theme(number: int) -> None:
        client.ask("PUT", f"/themes/{['casper', 'source'][number % 2]}/activate/")

    rows = [
        (f"first home page after an edit, {MANY_POSTS:,} posts, ms", first_pages(connection, edit, "/"), EDIT_MS_MAX),
        (f"first page of a post after an edit, {MANY_POSTS:,} posts, ms", first_pages(connection, edit, "/begun/"), EDIT_MS_MAX),
        ("activation of a theme, and its first page, ms", with_change(connection, change_theme), THEME_MS_MAX),
        ("memory for pages, MiB", memory, MEMORY_MIB_MAX),
    ]
    print("| | measured | aim, at most |")
    print("| --- | ---: | ---: |")
    for what, figure, most in rows:
        print(f"| {what} | {figure:.2f} | {most} |")
    return [Aim(what, figure, most, at_least=False) for what, figure, most in rows]


def first_pages(connection: http.client.HTTPConnection, change, target: str) -> float:
    """Returns the median time of the first page after each change, in ms."""
    times = []
    for number in range(EDITS):
        change(number)
        before = time.monotonic()
        read(connection, target)
        times.append((time.monotonic() - before) * 1000)
    return statistics.median(times)


def with_change(connection: http.client.HTTPConnection, change) -> float:
    """Returns the median time of each change and the first page after it, in ms."""
    times = []
    for number in range(EDITS):
        before = time.monotonic()
        change(number)
        read(connection, "/")
        times.append((time.monotonic() - before) * 1000)
    return statistics.median(times)


def read(connection: http.client.HTTPConnection, target: str) -> None:
    connection.request("GET", target)
    response = connection.getresponse()
    response.read()
    if response.status >= 500:
        sys.exit(f"{target}: {response.status}")
