"""Three processes on one PostgreSQL, each randomly killed, paused or cut off from the database, which is itself restarted from
time to time, while clients write through all of them.

No acknowledged change is lost or duplicated, scheduled posts are published, each webhook gets every event, and at the end all
processes respond with the same bytes.
"""

import collections
import http.client
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from datetime import datetime, timedelta, timezone
from pathlib import Path

from part import REPOSITORY, Broken, Form, galley
from postgres import Network, Postgres
from running import free_port
from webhook_receiver import WebhookReceiver

sys.path.append(str(REPOSITORY / "tests/bench"))
from tokens import token

NODES = 3
CLIENTS = 4
WEBHOOKS = 2
# For how long a node is paused or cut off, in seconds: also longer than the lease time, which is ten.
AWAY_S = [0.2, 1, 3, 14]
# Timeouts for starting, following and sending the last events, in seconds.
START_S = 60
AGREE_S = 60
SEND_S = 90
# Timeout of a request, in seconds.
ASK_S = 60


class Node:
    """One of the processes."""

    def __init__(self, folder: Path, number: int, postgres: Postgres, uploads: Path):
        self.number = number
        self.folder = folder / f"node-{number}"
        self.folder.mkdir()
        self.network = Network(postgres.port)
        self.port = free_port()
        self.variables = {
            "GALLEY_STORE_URL": f"postgres://galley@127.0.0.1:{self.network.port}/postgres",
            "GALLEY_UPLOADS_FOLDER": str(uploads),
            "GALLEY_PRIVATE_RECEIVERS": "true",
            "GALLEY_URL": "http://127.0.0.1",
        }
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("GALLEY_")}
        self.environment |= self.variables

    def start(self) -> None:
        command = [galley(), "serve", "--quiet", "--no-content", "--listen", f"127.0.0.1:{self.port}"]
        self.log = open(self.folder / "log", "ab")
        self.process = subprocess.Popen(command, cwd=self.folder, env=self.environment, stdout=self.log, stderr=self.log)

    def wait_until_it_responses(self) -> None:
        deadline = time.monotonic() + START_S
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                raise Broken(f"node {self.number} ended with {self.process.returncode}\n{self.last_words()}")
            try:
                if self.ask("GET", "/healthz")[0] == 200:
                    return
            except OSError:
                time.sleep(0.05)
        raise Broken(f"node {self.number} does not respond within {START_S} s\n{self.last_words()}")

    def restart(self) -> None:
        """Restarts the process, even while the database is unavailable."""
        deadline = time.monotonic() + START_S
        while True:
            self.start()
            try:
                return self.wait_until_it_responses()
            except Broken:
                if self.process.poll() is None or time.monotonic() > deadline:
                    raise
                time.sleep(0.5)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        self.log.close()

    def command(self, *words: str) -> str:
        return subprocess.check_output([galley(), *words], cwd=self.folder, env=self.environment, text=True)

    def ask(self, method: str, target: str, body: object = None, **headers: str) -> tuple[int, bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=ASK_S)
        try:
            fields = {name.replace("_", "-"): value for name, value in headers.items()}
            if body is not None:
                fields["Content-Type"] = "application/json"
            connection.request(method, target, json.dumps(body) if body is not None else None, fields)
            reply = connection.getresponse()
            return reply.status, reply.read()
        except http.client.HTTPException as error:
            raise OSError(str(error)) from error
        finally:
            connection.close()

    def last_words(self) -> str:
        return (self.folder / "log").read_text(errors="replace")[-2000:]


class Receiver(WebhookReceiver):
    """Records the events of each webhook, in order."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.deliveries: dict[str, list[tuple[str, str]]] = collections.defaultdict(list)

    def take(self, path: str, headers: Mapping[str, str], body: dict) -> None:
        title = body["post"]["current"]["title"]
        with self.lock:
            self.deliveries[path].append((headers["X-Galley-Delivery"], title))

    def titles(self, path: str) -> set[str]:
        with self.lock:
            return {title for _, title in self.deliveries[path]}


class Client(threading.Thread):
    """Writes posts through random nodes, and records the acknowledged ones."""

    def __init__(self, number: int, nodes: list[Node], admin_key: str, seed: int):
        super().__init__(daemon=True)
        self.number = number
        self.nodes = nodes
        self.admin_key = admin_key
        self.random = random.Random(seed * 1000 + number)
        self.is_over = threading.Event()
        self.acknowledged: list[str] = []
        self.refused: list[str] = []
        self.unknown = 0
        self.longest_s = 0.0
        self.failed: str | None = None

    def run(self) -> None:
        count = 0
        while not self.is_over.wait(0.02):
            count += 1
            title = f"client {self.number} post {count}"
            post = {"title": title, "status": "published"}
            if self.random.random() < 0.1:
                due = datetime.now(timezone.utc) + timedelta(seconds=2)
                post |= {"status": "scheduled", "published_at": due.isoformat()}
            began = time.monotonic()
            try:
                authority = {"Authorization": f"Ghost {token(self.admin_key)}"}
                node = self.random.choice(self.nodes)
                status, reply = node.ask("POST", "/ghost/api/admin/posts/", {"posts": [post]}, **authority)
            except OSError:
                self.unknown += 1
                continue
            self.longest_s = max(self.longest_s, time.monotonic() - began)
            if status == 201:
                self.acknowledged.append(title)
            elif status == 503:
                self.refused.append(title)
            elif status == 500:
                # The result is unknown; the log shows the cause.
                self.unknown += 1
            else:
                self.failed = f"{status}: {reply[:300]!r}"
                return


def endure(form: Form) -> None:
    rounds = form.choose(short=10, long=300)
    seed = int(os.environ.get("GALLEY_SEED") or time.time_ns())
    print(f"seed {seed}")
    with tempfile.TemporaryDirectory(prefix="galley-nodes-") as folder, Postgres() as postgres, Receiver() as receiver:
        uploads = Path(folder) / "uploads"
        uploads.mkdir()
        nodes = [Node(Path(folder), number, postgres, uploads) for number in range(NODES)]
        try:
            for node in nodes:
                node.start()
            for node in nodes:
                node.wait_until_it_responses()
            wear_out(nodes, postgres, receiver, rounds, random.Random(seed), seed)
        finally:
            for node in nodes:
                node.process.send_signal(signal.SIGCONT)
                node.kill()


def wear_out(
    nodes: list[Node], postgres: Postgres, receiver: Receiver, rounds: int, dice: random.Random, seed: int
) -> None:
    made = json.loads(nodes[0].command("key", "create", "--name", "Endurance", "--json"))
    key, admin_key = made["content_key"], made["admin_key"]
    for number in range(WEBHOOKS):
        url = f"{receiver.address}/{number}"
        nodes[0].command("webhook", "add", "--event", "post.published", "--url", url, "--integration", "Endurance")
    clients = [Client(number, nodes, admin_key, seed) for number in range(CLIENTS)]
    for client in clients:
        client.start()
    happened = collections.Counter()
    for _ in range(rounds):
        time.sleep(dice.uniform(0.2, 2))
        harm(dice.choice(nodes), postgres, dice, happened)
    time.sleep(2)
    for client in clients:
        client.is_over.set()
    for client in clients:
        client.join()
        if client.failed:
            raise Broken(f"a client got {client.failed}")
    acknowledged = [title for client in clients for title in client.acknowledged]
    refused = {title for client in clients for title in client.refused}
    unknown = sum(client.unknown for client in clients)
    longest_s = max(client.longest_s for client in clients)
    events = ", ".join(f"{count} {what}" for what, count in sorted(happened.items()))
    print(f"{rounds} rounds: {events}")
    print(
        f"{len(acknowledged)} posts acknowledged, {len(refused)} refused with 503, {unknown} with unknown result; "
        f"the longest reply took {longest_s:.1f} s"
    )
    if len(acknowledged) < rounds:
        raise Broken("hardly any post was acknowledged")
    found = all_agree(nodes, key, admin_key)
    counts = collections.Counter(found)
    if lost := [title for title in acknowledged if counts[title] == 0]:
        raise Broken(f"{len(lost)} acknowledged posts are lost, such as {lost[0]}")
    if twice := [title for title, count in counts.items() if count > 1]:
        raise Broken(f"{len(twice)} posts exist twice, such as {twice[0]}")
    if there := sorted(refused & set(counts)):
        raise Broken(f"{len(there)} refused posts exist, such as {there[0]}")
    all_sent(receiver, set(counts), happened)


def harm(node: Node, postgres: Postgres, dice: random.Random, happened: collections.Counter) -> None:
    """Injects a fault into a node or the database, and waits until it is over."""
    what = dice.choices(["kills", "pauses", "cuts", "restarts of the database"], [4, 3, 3, 1])[0]
    happened[what] += 1
    away_s = dice.choice(AWAY_S)
    if what == "kills":
        node.kill()
        node.restart()
    elif what == "pauses":
        node.process.send_signal(signal.SIGSTOP)
        time.sleep(away_s)
        node.process.send_signal(signal.SIGCONT)
    elif what == "cuts":
        node.network.cut()
        time.sleep(away_s)
        node.network.repair()
    else:
        postgres.stop()
        time.sleep(min(away_s, 3))
        postgres.resume()


def all_agree(nodes: list[Node], key: str, admin_key: str) -> list[str]:
    """Waits until all nodes respond with the same bytes and no post is still scheduled. Returns the titles of all posts."""
    deadline = time.monotonic() + AGREE_S
    while True:
        pages = [all_pages(node, key, admin_key) for node in nodes]
        posts = [post for page in pages[0] for post in json.loads(page)["posts"]]
        is_over = all(post["status"] == "published" for post in posts)
        if is_over and all(page == pages[0] for page in pages):
            return [post["title"] for post in posts]
        if time.monotonic() > deadline:
            waiting = sum(post["status"] != "published" for post in posts)
            same = [page == pages[0] for page in pages]
            raise Broken(f"the nodes differ after {AGREE_S} s ({same}), {waiting} posts are not published")
        time.sleep(0.5)


def all_pages(node: Node, key: str, admin_key: str) -> list[bytes]:
    pages = []
    while True:
        authority = {"Authorization": f"Ghost {token(admin_key)}"}
        order = "order=id%20asc&limit=100&formats=html,lexical"
        status, reply = node.ask("GET", f"/ghost/api/admin/posts/?{order}&page={len(pages) + 1}", **authority)
        if status != 200:
            raise Broken(f"node {node.number} responds with {status}: {reply[:300]!r}\n{node.last_words()}")
        status, _ = node.ask("GET", f"/ghost/api/content/posts/?key={key}&limit=1")
        if status != 200:
            raise Broken(f"node {node.number} responds with {status} to a reader")
        pages.append(reply)
        if json.loads(reply)["meta"]["pagination"]["next"] is None:
            return pages


def all_sent(receiver: Receiver, titles: set[str], happened: collections.Counter) -> None:
    """Waits until each webhook has received the event of each post, and checks their number and order."""
    deadline = time.monotonic() + SEND_S
    paths = [f"/{number}" for number in range(WEBHOOKS)]
    while any(titles - receiver.titles(path) for path in paths):
        if time.monotonic() > deadline:
            missing = [len(titles - receiver.titles(path)) for path in paths]
            raise Broken(f"events are missing after {SEND_S} s: {missing} of {len(titles)}")
        time.sleep(0.5)
    repeated = 0
    for path in paths:
        deliveries = receiver.deliveries[path]
        names = [name for name, _ in deliveries]
        repeated += len(names) - len(set(names))
        by_title = collections.defaultdict(set)
        for name, title in deliveries:
            by_title[title].add(name)
        if twice := [title for title, names in by_title.items() if len(names) > 1]:
            raise Broken(f"{len(twice)} events were generated twice, such as that of {twice[0]}")
        if strange := {title for _, title in deliveries} - titles:
            raise Broken(f"{len(strange)} events are of posts that do not exist")
        # After a crash, deliveries are repeated from the last recorded one.
        first = list(dict.fromkeys(names))
        if first != sorted(first, key=number_of):
            raise Broken(f"the events of webhook {path} are out of order")
    print(f"{len(titles)} events for each of {WEBHOOKS} webhooks, {repeated} sent again after {sum(happened.values())} faults")


def number_of(name: str) -> int:
    """Returns the number in the name of a delivery. Numbers follow the order of commits."""
    return int(name.rsplit("-", 1)[-1])
