"""Galley compared with Ghost 6 on the same imported site. Takes about six minutes, and seven more the first time.

Ghost is installed from the npm registry if it is missing; if that fails, the reason is printed and this part is skipped. Ghost
runs in production mode with SQLite. Both are set up and filled through the Admin API with the same requests, have one core,
and take turns; wrk has the other core and 16 connections. Medians are reported.
"""

import http.client
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import ghost_installation
from admin_client import Client
from aims import Aim
from importing import write_export
from machine import GALLEY
from serving import CLIENT_CORE, LIST, POST, SERVER_CORE, Server, free_port, get, requests_per_s
from writing import add_posts

TOOLS = ["npm", "tar", "wrk", "taskset"]
POSTS = 48
CONNECTIONS = 16
ROUNDS = 3
# Ghost needs longer to send enough responses for a result.
SECONDS = {"Ghost": 5, "Galley": 2}
EDITS = 20
# The time between a start and the measurement of memory, and the timeout of a start or an import.
REST_S = 5
PATIENCE_S = 600
OWNER = {"name": "Owner", "email": "owner@bench.example", "password": "A long pass phrase for measuring"}

CONTENT = "/ghost/api/content"
CACHED = {
    "15 posts with tags and authors": LIST,
    "the same, compressed with gzip": LIST,
    "one post with tags and authors": POST,
    "tags with their counts": CONTENT + "/tags/?key={key}&include=count.posts",
    "15 posts of a tag": CONTENT + "/posts/?key={key}&limit=15&filter=tag:t7",
    "settings": CONTENT + "/settings/?key={key}",
}
UNCACHED = {
    "15 posts with tags and authors": LIST + "&filter=id:-ID",
    "one post with tags and authors": CONTENT + "/posts/?key={key}&include=tags,authors&limit=1&filter=slug:post-42%2Bid:-ID",
    "tags with their counts": CONTENT + "/tags/?key={key}&include=count.posts&filter=id:-ID",
    "15 posts of a tag": CONTENT + "/posts/?key={key}&limit=15&filter=tag:t7%2Bid:-ID",
}
# Pages that are rendered with Ghost's default theme.
THEME = "source"
PAGES = {"home page": "/", "page of a post": "/post-42/"}
# The targets, as factors.
CACHED_AIM, UNCACHED_AIM, MEMORY_AIM, START_AIM = 1_000, 100, 10, 50
CACHED_PAGES_AIM, UNCACHED_PAGES_AIM = 1_000, 50


@dataclass
class Publication:
    """One of the two programs with its site, and its measured values by name."""

    name: str
    folder: Path
    port: int = field(default_factory=free_port)
    content_key: str = ""
    admin_key: str = ""
    figures: dict[str, list[float]] = field(default_factory=dict)

    def start(self, cores: str = SERVER_CORE, **options: str) -> Server:
        """Starts the program on its core or on others, with these variables, and waits for its first successful response."""
        match self.name:
            case "Ghost":
                command, folder = ghost_installation.command(), ghost_installation.PACKAGE
                environment = ghost_installation.environment(self.folder, self.port)
            case _:
                address = f"127.0.0.1:{self.port}"
                command = [GALLEY, "serve", "--quiet", "--no-content", "--data", self.folder / "data", "--listen", address]
                folder = self.folder
                environment = {name: value for name, value in os.environ.items() if not name.startswith("GALLEY_")} | options
        process = subprocess.Popen(["taskset", "--cpu-list", cores, *command], cwd=folder, env=environment)
        server = Server(self.name, process, self.port)
        wait_until(lambda: responses(server, self.first_target()), f"{self.name} does not respond")
        return server

    def first_target(self) -> str:
        return LIST.format(key=self.content_key) if self.content_key else "/ghost/api/admin/site/"

    def note(self, what: str, figure: float) -> None:
        self.figures.setdefault(what, []).append(figure)

    def median(self, what: str) -> float:
        return statistics.median(self.figures[what])


def measure() -> list[Aim]:
    """Prints the results of both programs, and the factors between them."""
    if not ghost_installation.install():
        print("Ghost is not installed, so there is no comparison.")
        return []
    with tempfile.TemporaryDirectory(prefix="galley-bench-") as name:
        folder = Path(name)
        both = [Publication("Ghost", folder / "ghost"), Publication("Galley", folder / "galley")]
        export = folder / "export.json"
        with export.open("w") as file:
            write_export(file, POSTS)
        for publication in both:
            publication.folder.mkdir()
            # Only Ghost's first start creates all tables.
            with publication.start(f"{SERVER_CORE},{CLIENT_CORE}") as server:
                owner = Owner(server)
                owner.sign_up(publication)
            with publication.start() as server:
                fill(publication, server, owner, export)
                if publication.name == "Galley":
                    owner.use_theme(ghost_installation.PACKAGE / "content/themes" / THEME)
        for _ in range(ROUNDS):
            for publication in both:
                start_again(publication)
        with ExitStack() as running:
            servers = [running.enter_context(publication.start()) for publication in both]
            hold_alike(both, servers)
            for _ in range(ROUNDS):
                for publication, server in zip(both, servers):
                    read(publication, server)
            for publication, server in zip(both, servers):
                publication.note("memory after load", server.memory_mib("VmRSS"))
            for publication, server in zip(both, servers):
                edit(publication, server)
            for _ in range(ROUNDS):
                for publication, server in zip(both, servers):
                    writers = add_posts(server, publication.admin_key, 1, SECONDS[server.name])
                    publication.note("writes", requests_per_s(writers))
        ghost, galley = both
        with ghost.start() as first, galley.start(GALLEY_ANSWERS_CACHE_MB="0") as second:
            for _ in range(ROUNDS):
                for publication, server in [(ghost, first), (galley, second)]:
                    for what, target in PAGES.items():
                        publication.note(f"rendered: {what}", speed(server, target, compressed=False))
        return print_table(*both)


def fill(publication: Publication, server: Server, owner: "Owner", export: Path) -> None:
    """Imports the export several times, each time into the emptied site."""
    for _ in range(ROUNDS):
        owner.ask("DELETE", "/db/")
        before = time.monotonic()
        owner.bring_in(export)
        wait_until(lambda: posts_served(server, publication) == POSTS, f"{publication.name} did not import all posts")
        publication.note("import", (time.monotonic() - before) * 1000)
        # Ghost continues its import in the background after that.
        time.sleep(1)
    # Both mark imported posts with an internal tag.
    for tag in owner.ask("GET", "/tags/?filter=visibility:internal")["tags"]:
        owner.ask("DELETE", f"/tags/{tag['id']}/")


class Owner:
    """The owner, who uses the Admin API from a browser."""

    def __init__(self, server: Server) -> None:
        self.address = f"http://127.0.0.1:{server.port}"
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())

    def sign_up(self, publication: Publication) -> None:
        """Sets the site up, signs in, and creates keys."""
        self.ask("POST", "/authentication/setup/", {"setup": [OWNER | {"blogTitle": "A site of posts"}]})
        self.ask("POST", "/session/", {"username": OWNER["email"], "password": OWNER["password"]})
        made = self.ask("POST", "/integrations/?include=api_keys", {"integrations": [{"name": "Bench"}]})
        keys = {key["type"]: key["secret"] for key in made["integrations"][0]["api_keys"]}
        publication.content_key, publication.admin_key = keys["content"], keys["admin"]

    def ask(self, method: str, path: str, body: dict | None = None) -> dict:
        data = None if body is None else json.dumps(body).encode()
        return self.send(method, path, data, "application/json")

    def bring_in(self, export: Path) -> None:
        mark = "a-mark-that-is-in-no-export"
        head = f'--{mark}\r\nContent-Disposition: form-data; name="importfile"; filename="export.json"\r\n'
        body = f"{head}Content-Type: application/json\r\n\r\n".encode() + export.read_bytes() + f"\r\n--{mark}--\r\n".encode()
        self.send("POST", "/db/", body, f"multipart/form-data; boundary={mark}")

    def use_theme(self, folder: Path) -> None:
        """Uploads a theme and activates it, under a unique name."""
        name, mark = f"{folder.name}-of-ghost", "a-mark-that-is-in-no-theme"
        archive = shutil.make_archive(tempfile.mkdtemp() + f"/{name}", "zip", folder)
        head = f'--{mark}\r\nContent-Disposition: form-data; name="file"; filename="{name}.zip"\r\n'
        body = f"{head}Content-Type: application/zip\r\n\r\n".encode() + Path(archive).read_bytes() + f"\r\n--{mark}--\r\n".encode()
        self.send("POST", "/themes/upload/", body, f"multipart/form-data; boundary={mark}")
        self.ask("PUT", f"/themes/{name}/activate/", {})

    def send(self, method: str, path: str, data: bytes | None, kind: str) -> dict:
        headers = {"Content-Type": kind, "Origin": self.address}
        request = urllib.request.Request(f"{self.address}/ghost/api/admin{path}", data, headers, method=method)
        try:
            with self.opener.open(request, timeout=PATIENCE_S) as reply:
                text = reply.read()
        except urllib.error.HTTPError as error:
            sys.exit(f"{method} {path}: {error.code} {error.read()[:500]!r}")
        return json.loads(text) if text.startswith(b"{") else {}


def start_again(publication: Publication) -> None:
    before = time.monotonic()
    with publication.start() as server:
        publication.note("start", (time.monotonic() - before) * 1000)
        time.sleep(REST_S)
        publication.note("memory at rest", server.memory_mib("VmRSS"))


def hold_alike(both: list[Publication], servers: list[Server]) -> None:
    """Ends the program if the two serve different posts, since they could not be compared."""
    first, second = (served(server, publication) for publication, server in zip(both, servers))
    if first != second:
        sys.exit(f"the two serve different posts: {first} and {second}")


def served(server: Server, publication: Publication) -> list[str]:
    """Returns the posts that readers see, with their tags and authors."""
    posts = json.loads(get(server, f"{CONTENT}/posts/?key={publication.content_key}&limit=100&include=tags,authors"))["posts"]
    return [f"{post['slug']} {[tag['slug'] for tag in post['tags']]} {[author['slug'] for author in post['authors']]}" for post in posts]


def posts_served(server: Server, publication: Publication) -> int:
    """Returns the number of posts that readers see, with a cheap request."""
    try:
        reply = get(server, f"{CONTENT}/posts/?key={publication.content_key}&limit=1&fields=id")
    except urllib.error.HTTPError:
        return 0  # Ghost serves nothing for a moment after everything was deleted.
    return json.loads(reply)["meta"]["pagination"]["total"]


def read(publication: Publication, server: Server) -> None:
    for how, targets in [("cached", CACHED), ("uncached", UNCACHED)]:
        for what, target in targets.items():
            target = target.format(key=publication.content_key)
            publication.note(f"{how}: {what}", speed(server, target, compressed="gzip" in what))
    for what, target in PAGES.items():
        publication.note(f"page: {what}", speed(server, target, compressed=False))


def speed(server: Server, target: str, compressed: bool) -> float:
    """Returns requests per second. Ghost may take long to respond."""
    command = ["taskset", "--cpu-list", CLIENT_CORE, "wrk", "-t1", f"-c{CONNECTIONS}", f"-d{SECONDS[server.name]}s", "--timeout", "60s"]
    command += ["-H", "Accept-Encoding: gzip"] if compressed else []
    address = f"http://127.0.0.1:{server.port}"
    # A script of wrk costs time, so it is used only for uncached responses.
    script = ["-s", Path(__file__).parent / "asking.lua", address, "--", target] if "ID" in target else [address + target]
    client = subprocess.Popen([*command, *script], stdout=subprocess.PIPE, text=True)
    if (per_s := requests_per_s(client)) == 0:
        sys.exit(f"{server.name} responded with nothing to {target} in {SECONDS[server.name]} s")
    return per_s


def edit(publication: Publication, server: Server) -> None:
    """Measures the time from sending an edit until readers see it."""
    client = Client(server, publication.admin_key)
    post = client.ask("GET", "/posts/slug/post-42/")["posts"][0]
    reader = http.client.HTTPConnection("127.0.0.1", server.port)
    for number in range(EDITS):
        title = f"Edited {number} times"
        before = time.monotonic()
        change = {"title": title, "updated_at": post["updated_at"]}
        post = client.ask("PUT", f"/posts/{post['id']}/", {"posts": [change]})["posts"][0]
        wait_until(lambda: title_read(reader, publication) == title, f"{publication.name} does not show an edit")
        publication.note("edit", (time.monotonic() - before) * 1000)


def title_read(reader: http.client.HTTPConnection, publication: Publication) -> str:
    reader.request("GET", f"{CONTENT}/posts/slug/post-42/?key={publication.content_key}&fields=title")
    return json.loads(reader.getresponse().read())["posts"][0]["title"]


def wait_until(condition: Callable[[], bool], otherwise: str) -> None:
    """Polls the condition at intervals of about a hundredth of the time until it is true: precise, but without much load."""
    start = time.monotonic()
    while not condition():
        waited = time.monotonic() - start
        if waited > PATIENCE_S:
            sys.exit(otherwise)
        time.sleep(max(waited / 100, 0.0005))


def responses(server: Server, target: str) -> bool:
    """Whether a target gets 200. Ghost responds 503 while it starts."""
    if server.process.poll() is not None:
        sys.exit(f"{server.name} ended with {server.process.returncode}")
    try:
        get(server, target)
        return True
    except OSError:
        return False


def print_table(ghost: Publication, galley: Publication) -> list[Aim]:
    """Prints a row for each value. For rows with a common target, the worst one counts."""
    print(f"{POSTS} posts of 5 kB, {CONNECTIONS} connections, Ghost {ghost_installation.GHOST} on Node {ghost_installation.NODE}:\n")
    print("| | Ghost | Galley | times as good | aim |")
    print("| --- | ---: | ---: | ---: | ---: |")
    aims = []

    def print_rows(rows: list[tuple[str, str]], aimed: str = "", aim: int | None = None, less_is_better: bool = False) -> None:
        times = []
        for what, name in rows:
            before, after = ghost.median(name), galley.median(name)
            times.append(before / after if less_is_better else after / before)
            print(f"| {what} | {rounded(before)} | {rounded(after)} | {rounded(times[-1])} | {f'{aim:,}' if aim else ''} |")
        if aim:
            aims.append(Aim(f"beside Ghost: {aimed}, how many times as good", min(times), aim))

    print_rows([(f"{what}, cached, per second", f"cached: {what}") for what in CACHED], "cached reads", CACHED_AIM)
    print_rows([(f"{what}, uncached, per second", f"uncached: {what}") for what in UNCACHED], "uncached reads", UNCACHED_AIM)
    print_rows([(f"{what}, from memory, per second", f"page: {what}") for what in PAGES], "pages from memory", CACHED_PAGES_AIM)
    print_rows([(f"{what}, rendered, per second", f"rendered: {what}") for what in PAGES], "rendered pages", UNCACHED_PAGES_AIM)
    print_rows([("posts added one by one, durable, per second", "writes")])
    print_rows([("start to the first list, ms", "start")], "start", START_AIM, less_is_better=True)
    memory = [("memory at rest, MiB", "memory at rest"), ("memory after load, MiB", "memory after load")]
    print_rows(memory, "memory", MEMORY_AIM, less_is_better=True)
    others = [(f"import of {POSTS} posts, ms", "import"), ("from an edit to readers, ms", "edit")]
    print_rows(others, less_is_better=True)
    return aims


def rounded(figure: float) -> str:
    return f"{figure:,.1f}" if figure < 10 else f"{figure:,.0f}"
