"""Latency and throughput of webhook deliveries, compared with a plain client, and their cost to readers when no receiver
responds. Takes about two minutes.

One receiver on loopback, in a separate process, responds with 200 to all requests and records their times. Posts are changed
one by one through the Admin API, and then in bulk. The plain client sends bodies of the same length one after the other, over
one connection.
"""

import itertools
import multiprocessing
import socket
import statistics
import tempfile
import threading
import time
from multiprocessing.connection import Connection
from pathlib import Path

import waiting
from admin_client import Client
from articles import article
from content import write_site
from serving import SERVER_CORE, SETTLED_S, Site, seed, start_galley
from writing import admin_key

TOOLS = ["taskset", "wrk"]
POSTS = 2_000
# The number of posts in content files.
FILES = 1_000
POST_BYTES = 2_000
EDITS = 200
ROUNDS = 5
PATIENCE_S = 120
# Permits receivers on loopback, and bulk changes by an integration.
OPTIONS = {"GALLEY_PRIVATE_RECEIVERS": "true"}
ALL_ADDED = "/posts/bulk/?filter=title:~^%27Post%20%27"
RESPONSE = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"


class Receiver:
    """A receiver that runs until the end of the block."""

    def __enter__(self) -> "Receiver":
        self.pipe, other = multiprocessing.Pipe()
        self.process = multiprocessing.Process(target=receive, args=(other,), daemon=True)
        self.process.start()
        self.port = self.pipe.recv()
        return self

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.join()

    def take(self, count: int) -> list[tuple[int, int]]:
        """Waits for `count` requests. Returns the time of each in nanoseconds, and the length of its body."""
        self.pipe.send(count)
        if not self.pipe.poll(PATIENCE_S):
            raise TimeoutError(f"{count} deliveries did not arrive")
        return self.pipe.recv()


def receive(pipe: Connection) -> None:
    """Responds to all requests, and reports them over the pipe on request."""
    arrived: list[tuple[int, int]] = []
    more = threading.Condition()
    listener = socket.create_server(("127.0.0.1", 0), backlog=64)
    pipe.send(listener.getsockname()[1])

    def accept() -> None:
        while True:
            stream, _ = listener.accept()
            stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=reply, args=(stream,), daemon=True).start()

    def reply(stream: socket.socket) -> None:
        data = b""
        while chunk := stream.recv(1 << 16):
            data += chunk
            end = data.find(b"\r\n\r\n")
            if end < 0:
                continue
            start = data[:end].lower().find(b"content-length:") + len(b"content-length:")
            length = int(data[start : data.find(b"\r\n", start)])
            if len(data) < end + 4 + length:
                continue
            data = data[end + 4 + length :]
            stream.sendall(RESPONSE)
            with more:
                arrived.append((time.monotonic_ns(), length))
                more.notify()

    threading.Thread(target=accept, daemon=True).start()
    while True:
        count = pipe.recv()
        with more:
            more.wait_for(lambda: len(arrived) >= count)
            taken, arrived[:] = arrived[:count], arrived[count:]
        pipe.send(taken)


def measure() -> None:
    """Prints the latency of a delivery, and the deliveries per second."""
    with tempfile.TemporaryDirectory(prefix="galley-bench-") as name, Receiver() as receiver:
        site = Site(FILES, Path(name) / "site")
        # The added posts have its authors.
        write_site(site.folder / "content", site.posts)
        time.sleep(SETTLED_S)
        seed(site)
        with start_galley(site, SERVER_CORE, **OPTIONS) as server:
            client = Client(server, admin_key(site))
            added = [add(client, number) for number in range(POSTS)]
            webhook = subscribe(client, f"http://127.0.0.1:{receiver.port}/")
            latencies = sorted(edit(client, receiver, added[number]) for number in range(EDITS))
            actions = itertools.cycle(["feature", "unfeature"])
            _, length = deliver_in_bulk(client, receiver, next(actions))
            turns = {
                "galley": lambda: deliver_in_bulk(client, receiver, next(actions)),
                "client": lambda: send_plainly(receiver, length),
            }
            rounds = [{who: turn()[0] for who, turn in turns.items()} for _ in range(ROUNDS)]
            client.ask("DELETE", f"/webhooks/{webhook['id']}/")
        speeds = {who: statistics.median(speeds[who] for speeds in rounds) for who in turns}
        print_latencies(latencies)
        print()
        print_speeds(speeds, length)
        print()
        waiting.measure(site, OPTIONS, lambda server: queue_deliveries(Client(server, client.key)))


def add(client: Client, number: int) -> dict:
    post = {"title": f"Post {number}", "status": "published", "lexical": article(number, POST_BYTES)}
    return client.ask("POST", "/posts/", {"posts": [post]})["posts"][0]


def subscribe(client: Client, target: str) -> dict:
    webhook = {"event": "post.edited", "target_url": target, "secret": "s"}
    return client.ask("POST", "/webhooks/", {"webhooks": [webhook]})["webhooks"][0]


def queue_deliveries(client: Client) -> None:
    """Changes all posts repeatedly, without waiting for events."""
    subscribe(client, waiting.DEAD)
    actions = itertools.cycle(["feature", "unfeature"])
    for _ in range(waiting.WAITING // POSTS):
        client.ask("PUT", ALL_ADDED, {"bulk": {"action": next(actions)}})


def edit(client: Client, receiver: Receiver, post: dict) -> float:
    """Returns the milliseconds from the response to an edit to the arrival of its event; negative if the event came first."""
    change = {"title": post["title"] + " again", "updated_at": post["updated_at"]}
    client.ask("PUT", f"/posts/{post['id']}/", {"posts": [change]})
    responded = time.monotonic_ns()
    [(arrived, _)] = receiver.take(1)
    return (arrived - responded) / 1e6


def deliver_in_bulk(client: Client, receiver: Receiver, action: str) -> tuple[float, int]:
    """Returns the deliveries per second after a bulk change of all posts, and the median length of a body."""
    client.ask("PUT", ALL_ADDED, {"bulk": {"action": action}})
    return speed(receiver.take(POSTS))


def send_plainly(receiver: Receiver, length: int) -> tuple[float, int]:
    """Returns the requests per second and the length of a body with a plain client."""
    head = f"POST / HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n"
    request = head.encode() + b"x" * length
    with socket.create_connection(("127.0.0.1", receiver.port)) as stream:
        stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for _ in range(POSTS):
            stream.sendall(request)
            left = len(RESPONSE)
            while left > 0:
                left -= len(stream.recv(left))
    return speed(receiver.take(POSTS))


def speed(arrived: list[tuple[int, int]]) -> tuple[float, int]:
    times = sorted(when for when, _ in arrived)
    per_s = (len(times) - 1) * 1e9 / (times[-1] - times[0])
    return per_s, int(statistics.median(length for _, length in arrived))


def print_latencies(latencies: list[float]) -> None:
    print("| from an edit's response to the webhook's arrival, ms | median | 95 of 100 | most |")
    print("| --- | ---: | ---: | ---: |")
    within = latencies[len(latencies) * 95 // 100]
    print(f"| {EDITS} edits, one after the other | {statistics.median(latencies):.1f} | {within:.1f} | {latencies[-1]:.1f} |")


def print_speeds(speeds: dict[str, float], length: int) -> None:
    print("| deliveries per second to one receiver | | relative to the plain client |")
    print("| --- | ---: | ---: |")
    client, galley = speeds["client"], speeds["galley"]
    print(f"| a plain client, bodies of {length / 1000:.1f} kB | {client:,.0f} | |")
    print(f"| Galley, {POSTS:,} posts changed at once: signed, committed, logged | {galley:,.0f} | {galley / client:.2f} |")
