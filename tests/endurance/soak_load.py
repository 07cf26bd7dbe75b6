"""The load of the soak: workers, each with its own task and rate, and a receiver of webhooks."""

import http.client
import itertools
import json
import random
import re
import signal
import struct
import subprocess
import threading
import time
import zlib
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from content import TAGS, post
from processes import memory_mib
from running import Running
from webhook_receiver import WebhookReceiver

# A token is valid for four minutes.
TOKEN_S = 120
PATIENCE_S = 60
POSTS_MAX = 60
MEMBERS_MAX = 100
UPLOADS_MAX = 20
# The number of posts from content files that the changer may remove, counted from the first. The others always exist.
CHANGED_FILES = 100
# The number of connections of the readers at full speed.
READER_CONNECTIONS = 16
WORDS_OF_BREAK_MAX = 10
# The number of requests of each worker before the memory of a fresh process is measured, and the time in seconds after which
# their responses are no longer cached.
FIRST_REQUESTS = 3
SETTLED_S = 45


class Load:
    """The shared state of the workers: their target, their work, and the expected records."""

    def __init__(self, running: Running, seed: int):
        self.running = running
        self.seed = seed
        self.stop = threading.Event()
        self.broken: list[str] = []
        self.done: Counter = Counter()
        # The acknowledged titles of posts by identifier, and all posts that were added.
        self.posts: dict[str, str] = {}
        self.added: set[str] = set()

    def posts_now(self, running: Running) -> dict[str, str]:
        """Returns the titles of the posts that the writer created, as the Admin API shows them."""
        found = {}
        for page in itertools.count(1):
            reply = running.administer("GET", f"posts/?filter=title:~^%27Soaked%27&fields=id,title&limit=50&page={page}")
            found |= {post["id"]: post["title"] for post in reply["posts"]}
            if reply["meta"]["pagination"]["next"] is None:
                return found

    def break_with(self, words: str) -> None:
        if len(self.broken) < WORDS_OF_BREAK_MAX:
            self.broken.append(words)


class Worker(threading.Thread):
    """Works in steps, `INTERVAL_S` apart, until the load stops or a check fails."""

    INTERVAL_S = 0.1

    def __init__(self, load: Load, number: int = 0):
        super().__init__(daemon=True)
        self.load = load
        self.chance = random.Random(f"{load.seed} {type(self).__name__} {number}")
        self.connection = http.client.HTTPConnection("127.0.0.1", load.running.port, timeout=PATIENCE_S)
        self.token, self.token_until = "", 0.0

    def run(self) -> None:
        try:
            while not self.load.stop.wait(self.INTERVAL_S) and not self.load.broken:
                self.work()
        except Exception as error:
            self.load.break_with(f"{type(self).__name__}: {type(error).__name__}: {error}")

    def work(self) -> None:
        raise NotImplementedError

    def ask(self, method: str, target: str, body: bytes | None = None, **fields: str) -> tuple[int, http.client.HTTPMessage, bytes]:
        self.connection.request(method, target, body, {name.replace("_", "-"): value for name, value in fields.items()})
        reply = self.connection.getresponse()
        return reply.status, reply.headers, reply.read()

    def administer(self, method: str, path: str, body: Any = None, content_type: str = "application/json") -> dict:
        """Returns a successful response of the Admin API."""
        if time.monotonic() > self.token_until:
            self.token, self.token_until = self.load.running.token(), time.monotonic() + TOKEN_S
        sent = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        fields = {"Authorization": f"Ghost {self.token}", "Content_Type": content_type}
        status, _, reply = self.ask(method, f"/ghost/api/admin/{path}", sent, **fields)
        if status // 100 != 2:
            raise RuntimeError(f"{method} {path} gets {status}: {reply[:300]!r}")
        return json.loads(reply) if reply else {}


class Reader(Worker):
    """Requests lists, posts, files and pages, with and without compression, and with and without a known entity tag."""

    INTERVAL_S = 0.01

    def work(self) -> None:
        posts = f"/ghost/api/content/posts/?key={self.load.running.key}"
        number, tag = self.chance.randrange(300), self.chance.choice(TAGS)
        kind, target, fields = self.chance.choice(
            [
                ("lists from memory", f"{posts}&limit=15&include=tags,authors", {}),
                ("compressed lists", f"{posts}&limit=15&include=tags,authors", {"Accept_Encoding": "gzip"}),
                ("lists of a tag", f"{posts}&limit=15&filter=tag:{tag}&page={1 + number % 3}", {"Accept_Encoding": "br"}),
                ("lists never asked for", f"{posts}&limit=15&filter=tag:{tag}%2Bslug:-{time.time_ns()}", {}),
                ("posts", f"/ghost/api/content/posts/slug/post-{number}/?key={self.load.running.key}&include=authors", {}),
                ("pages for people", "/", {}),
                ("tags", f"/ghost/api/content/tags/?key={self.load.running.key}&include=count.posts&limit=50", {}),
            ]
        )
        status, heard, _ = self.ask("GET", target, **fields)
        # A post is missing for a moment while its file is missing.
        if status != 200 and not (kind == "posts" and status == 404):
            raise RuntimeError(f"{target} gets {status}")
        self.load.done[kind] += 1
        if etag := heard.get("ETag"):
            status, _, _ = self.ask("GET", target, If_None_Match=etag, **fields)
            if status not in (200, 304, 404):
                raise RuntimeError(f"{target} with its entity tag gets {status}")
            self.load.done[f"responses {status} to who has one"] += 1


def memory_at_start(pid: int, workers: list[Worker]) -> float:
    """Returns the memory of a fresh process in MiB after the first requests of these workers, which have not been started yet."""
    for worker in workers:
        for _ in range(FIRST_REQUESTS):
            worker.work()
        # The worker connects again when it is started, because the server may close an idle connection.
        worker.connection.close()
    time.sleep(SETTLED_S)
    return memory_mib(pid)


class FullSpeedReaders(threading.Thread):
    """Reads with wrk on several connections without a pause, until the load stops."""

    def __init__(self, load: Load, posts: int, seconds: float):
        super().__init__(daemon=True)
        self.load = load
        running = load.running
        script = Path(__file__).with_name("soak.lua")
        # wrk is stopped with the other workers; the duration only ensures that it ends.
        self.command = ["wrk", "-t1", f"-c{READER_CONNECTIONS}", f"-d{int(seconds) + PATIENCE_S}s", f"-s{script}"]
        self.command += [f"--timeout={PATIENCE_S}s", f"http://127.0.0.1:{running.port}", "--", running.key, str(posts), str(CHANGED_FILES)]

    def run(self) -> None:
        with subprocess.Popen(self.command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as wrk:
            self.load.stop.wait()
            wrk.send_signal(signal.SIGINT)
            report = wrk.stdout.read()
        if found := re.search(r"(\d+) requests in", report):
            self.load.done["reads at full speed"] += int(found[1])
        if not found or "Non-2xx" in report or "Socket errors" in report:
            self.load.break_with(f"wrk reports: {report}")


class Writer(Worker):
    """Adds, edits and deletes posts without a pause. At most sixty exist."""

    INTERVAL_S = 0

    def __init__(self, load: Load, number: int = 0):
        super().__init__(load, number)
        self.times: dict[str, str] = {}
        self.number = 0

    def work(self) -> None:
        self.number += 1
        known = list(self.times)
        body = {"title": f"Soaked {self.number}", "html": f"<p>{'soak ' * self.chance.randrange(1000)}</p>"}
        match self.chance.random():
            case value if value < 0.3 and len(known) < POSTS_MAX or not known:
                body |= {"status": self.chance.choice(["draft", "published"]), "tags": [self.chance.choice(TAGS)]}
                made = self.administer("POST", "posts/?source=html", {"posts": [body]})["posts"][0]
                self.note("posts added", made)
                self.load.added.add(made["id"])
            case value if value < 0.75:
                post = self.chance.choice(known)
                body["updated_at"] = self.times[post]
                self.note("posts edited", self.administer("PUT", f"posts/{post}/?source=html", {"posts": [body]})["posts"][0])
            case _:
                post = self.chance.choice(known)
                self.administer("DELETE", f"posts/{post}/")
                self.load.done["posts deleted"] += 1
                del self.times[post], self.load.posts[post]

    def note(self, what: str, post: dict) -> None:
        self.load.done[what] += 1
        self.times[post["id"]] = post["updated_at"]
        self.load.posts[post["id"]] = post["title"]


class Members(Worker):
    """Adds, edits and deletes members. At most a hundred exist."""

    INTERVAL_S = 0.3

    def __init__(self, load: Load):
        super().__init__(load)
        self.known: list[str] = []
        self.number = 0

    def work(self) -> None:
        self.number += 1
        if len(self.known) >= MEMBERS_MAX or self.known and self.chance.random() < 0.3:
            self.administer("DELETE", f"members/{self.known.pop(0)}/")
            self.load.done["members deleted"] += 1
        elif self.known and self.chance.random() < 0.5:
            self.administer("PUT", f"members/{self.chance.choice(self.known)}/", {"members": [{"note": f"Note {self.number}"}]})
            self.load.done["members edited"] += 1
        else:
            member = {"email": f"soak-{self.number}@example.com", "name": f"Member {self.number}"}
            self.known.append(self.administer("POST", "members/", {"members": [member]})["members"][0]["id"])
            self.load.done["members added"] += 1


class Changer(Worker):
    """Rewrites content files, removes some and restores them."""

    INTERVAL_S = 0.3

    def work(self) -> None:
        number = self.chance.randrange(CHANGED_FILES)
        path = self.load.running.content / "posts" / f"post-{number}.md"
        if path.exists() and self.chance.random() < 0.1:
            path.unlink()
            self.load.done["files deleted"] += 1
            return
        beside = path.with_suffix(".part")
        beside.write_text(post(number) + f"\nChanged at {time.time_ns()}.\n")
        beside.rename(path)
        self.load.done["files written"] += 1


class Images(Worker):
    """Changes images of the content folder, requests resized ones, and uploads a few."""

    INTERVAL_S = 0.5

    def __init__(self, load: Load):
        super().__init__(load)
        self.uploads = 0

    def work(self) -> None:
        name = f"soak-{self.chance.randrange(8)}.png"
        folder = self.load.running.content / "images"
        folder.mkdir(exist_ok=True)
        if not (folder / name).exists() or self.chance.random() < 0.3:
            (folder / name).write_bytes(photo(self.chance))
            self.load.done["images changed"] += 1
        width = self.chance.choice([300, 600])
        status, _, _ = self.ask("GET", f"/content/images/size/w{width}/{name}")
        if status not in (200, 301, 302, 307):
            raise RuntimeError(f"/content/images/size/w{width}/{name} gets {status}")
        self.load.done[f"images in sizes, {status}"] += 1
        if self.uploads < UPLOADS_MAX and self.chance.random() < 0.1:
            head = b'--soak\r\nContent-Disposition: form-data; name="file"; filename="soak.png"\r\nContent-Type: image/png\r\n\r\n'
            form = head + photo(self.chance) + b"\r\n--soak--\r\n"
            self.administer("POST", "images/upload/", form, "multipart/form-data; boundary=soak")
            self.uploads += 1
            self.load.done["images uploaded"] += 1


class Importer(Worker):
    """Imports five posts with the command line, and deletes them."""

    INTERVAL_S = 5

    def work(self) -> None:
        path = self.load.running.folder / "export.json"
        path.write_text(json.dumps(export(5)))
        self.load.running.command("import", path)
        found = self.administer("GET", "posts/?filter=tag:soak-import&fields=id")["posts"]
        if len(found) != 5:
            raise RuntimeError(f"{len(found)} of five imported posts exist")
        self.administer("DELETE", "posts/?filter=tag:soak-import")
        self.load.done["imports"] += 1


def export(posts: int) -> dict:
    """Returns an export of Ghost."""
    numbers = range(1, posts + 1)
    data = {
        "posts": [
            {"id": n, "title": f"Imported {n}", "slug": f"imported-{n}", "html": "<p>In.</p>", "status": "published"} for n in numbers
        ],
        "tags": [{"id": 1, "name": "Soak import", "slug": "soak-import"}],
        "posts_tags": [{"post_id": n, "tag_id": 1} for n in numbers],
    }
    return {"db": [{"meta": {"exported_on": 1700000000000, "version": "6.0.0"}, "data": data}]}


def photo(chance: random.Random) -> bytes:
    """Returns a random PNG of 800 by 600 pixels."""
    points = chance.randbytes(2400)
    return png(800, 600, zlib.compress(b"".join(b"\0" + points[row:] + points[:row] for row in range(600)), 1))


def png(width: int, height: int, rows: bytes) -> bytes:
    """Returns a PNG with these rows."""

    def piece(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + piece(b"IHDR", head) + piece(b"IDAT", rows) + piece(b"IEND", b"")


class Receiver(WebhookReceiver):
    """Records the posts of the events that it receives."""

    def __init__(self) -> None:
        self.received: set[str] = set()
        self.count = 0

    def take(self, path: str, headers: Mapping[str, str], body: dict) -> None:
        self.count += 1
        if body["event"] == "post.added":
            self.received.add(body["post"]["current"]["id"])

    def wait_for(self, posts: set[str], seconds: float) -> int:
        """Waits until events for all these posts have been received. Returns how many are missing after the timeout."""
        deadline = time.monotonic() + seconds
        while posts - self.received and time.monotonic() < deadline:
            time.sleep(0.1)
        return len(posts - self.received)
