"""The speed of Galley, compared with nginx. Takes about eight minutes.

Servers run on the first core and wrk on the second, with one worker each. The servers are measured in turns, and medians are
reported.
"""

import http.client
import json
import os
import re
import socket
import ssl
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from aims import Aim
from content import TAGS, write_site
from machine import GALLEY

TOOLS = ["nginx", "wrk", "taskset"]
SITES = [100, 1_000, 10_000]
ROUNDS = 5
ROUNDS_BESIDE_NGINX = 3
STARTS = 5
SECONDS = 2
CONNECTIONS = 32
CONNECTIONS_BESIDE_NGINX = [1, 32, 1_000]
# The targets: responses per second as a factor of nginx's, for long and for short responses.
WANTED = 1.0
WANTED_SHORT, SHORT_BYTES = 1.5, 4096
# A file that changed in the last two seconds is read again at the next start, since it may have changed unnoticed.
SETTLED_S = 3
SERVER_CORE, CLIENT_CORE = "0", "1"
# The certificates of these servers are self-signed.
UNVERIFIED = ssl._create_unverified_context()
LIST = "/ghost/api/content/posts/?key={key}&include=tags,authors&limit=15"
POST = "/ghost/api/content/posts/slug/post-42/?key={key}&include=tags,authors"
TAG = "/ghost/api/content/tags/slug/t7/?key={key}"

NGINX = """
daemon off;
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections 4096; }}
http {{
    access_log off;
    sendfile on;
    tcp_nopush on;
    gzip_static on;
    keepalive_requests 1000000000;
    default_type application/json;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    server {{
        listen 127.0.0.1:{port}{more};
        root {folder};
        location /open/ {{
            alias {folder}/;
            open_file_cache max=16;
        }}
    }}
}}
"""


@dataclass
class Server:
    """A running server and its address. It is stopped at the end of its `with` block."""

    name: str
    process: subprocess.Popen
    port: int
    scheme: str = "http"

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        if self.process.wait(timeout=30) != 0:
            sys.exit(f"{self.name} ended with {self.process.returncode}")

    def address(self, target: str) -> str:
        return f"{self.scheme}://127.0.0.1:{self.port}{target}"

    def memory_mib(self, name: str) -> float:
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(rf"{name}:\s+(\d+) kB", status)[1]) / 1024


@dataclass
class CachedRequest:
    """A request for a response that both servers have: its target on each, and its header fields."""

    name: str
    file: str
    target: str
    compressed: bool = False
    known: bool = False

    def fields(self, server: Server, target: str) -> list[str]:
        """Returns the header fields of the request. If `known`, they contain the entity tag of this server's response."""
        fields = ["Accept-Encoding: gzip"] if self.compressed else []
        if self.known:
            with ask(server, target) as response:
                fields.append(f"If-None-Match: {response.headers['etag']}")
        return fields


REQUESTS = [
    CachedRequest("15 posts with tags and authors", "list", LIST),
    CachedRequest("the same, compressed with gzip", "list", LIST, compressed=True),
    CachedRequest("the same, known already (304)", "list", LIST, known=True),
    CachedRequest("one post", "post", POST),
    CachedRequest("one tag", "tag", TAG),
]


@dataclass
class Speed:
    """The result of a run of wrk."""

    requests_per_s: float
    slowest_ms: float


@dataclass
class Site:
    """A site of `posts` posts: its folders and its measurements."""

    posts: int
    folder: Path
    key: str = ""
    seeding_s: float = 0.0
    seeding_mib: float = 0.0
    start_ms: float = 0.0
    rest_mib: float = 0.0


def measure() -> list[Aim]:
    """Prints requests per second, and the costs of sites of several sizes."""
    with tempfile.TemporaryDirectory(prefix="galley-bench-") as folder, ExitStack() as servers:
        Path(folder).chmod(0o755)  # nginx, when root starts it, reads as somebody else
        return measure_in(Path(folder), servers)


def measure_in(folder: Path, running: ExitStack) -> list[Aim]:
    sites = [Site(posts, folder / str(posts)) for posts in SITES]
    for site in sites:
        write_site(site.folder / "content", site.posts)
    time.sleep(SETTLED_S)
    for site in sites:
        seed(site)
        start_again(site)
    servers = [running.enter_context(start_galley(site, SERVER_CORE)) for site in sites]
    nginx = running.enter_context(start_nginx(folder / "nginx", sites[0], servers[0]))
    aims = print_beside_nginx(sites[0], servers[0], nginx)
    print_sites(sites, servers, alternate(sites, servers))
    return aims


def start_galley(site: Site, cores: str | None = None, **options: str) -> Server:
    """Starts Galley with these variables, on one core if one is given, and waits until it has loaded the site."""
    port = free_port()
    command = [GALLEY, "serve", "--quiet", "--data", site.folder / "data", "--content", site.folder / "content"]
    command += ["--listen", f"127.0.0.1:{port}"]
    if cores is not None:
        command = ["taskset", "--cpu-list", cores, *command]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GALLEY_")}
    environment |= {"GALLEY_SERVER_THREADS": "1", **options}
    server = Server("Galley", subprocess.Popen(command, cwd=site.folder, env=environment), port)
    if "GALLEY_TLS_LISTEN" in options:
        server.scheme, server.port = "https", int(options["GALLEY_TLS_LISTEN"].rsplit(":", 1)[1])
    wait_for(server, "/healthz")
    return server


def start_nginx(
    folder: Path,
    site: Site,
    galley: Server,
    more: str = "",
    scheme: str = "http",
    requests: list[CachedRequest] = REQUESTS,
) -> Server:
    """Starts nginx with the responses of Galley as files. `more` is appended to its listen address."""
    folder.mkdir()
    for request in requests:
        target = request.target.format(key=site.key)
        (folder / request.file).write_bytes(get(galley, target))
        with ask(galley, target, {"Accept-Encoding": "gzip"}) as response:
            if response.headers["content-encoding"] == "gzip":
                (folder / f"{request.file}.gz").write_bytes(response.read())
    port = free_port()
    (folder / "nginx.conf").write_text(NGINX.format(folder=folder, port=port, more=more))
    command = ["taskset", "--cpu-list", SERVER_CORE, "nginx", "-c", folder / "nginx.conf", "-p", folder]
    server = Server("nginx", subprocess.Popen([*command, "-e", folder / "error.log"]), port, scheme)
    wait_for(server, f"/{requests[0].file}")
    return server


def seed(site: Site) -> None:
    """Serves a new store, and measures the time until the first response and the peak memory."""
    before = time.monotonic()
    with start_galley(site) as server:
        site.seeding_s = time.monotonic() - before
        site.seeding_mib = server.memory_mib("VmHWM")
        command = [GALLEY, "key", "list", "--json", "--data", site.folder / "data"]
        site.key = json.loads(subprocess.check_output(command))[0]["content_key"]
        found = json.loads(get(server, LIST.format(key=site.key)))["meta"]["pagination"]["total"]
        if found != site.posts:
            sys.exit(f"{found} posts are served instead of {site.posts}")


def start_again(site: Site) -> None:
    """Starts several times on the seeded store, and measures the time, and the memory when idle."""
    times, memories = [], []
    for _ in range(STARTS):
        before = time.monotonic()
        with start_galley(site) as server:
            get(server, LIST.format(key=site.key))
            times.append((time.monotonic() - before) * 1000)
            time.sleep(0.5)
            memories.append(server.memory_mib("VmRSS"))
    site.start_ms = statistics.median(times)
    site.rest_mib = statistics.median(memories)


def alternate(sites: list[Site], servers: list[Server]) -> list[float]:
    """Returns uncached lists per second of each site, as the median of rounds in turns."""
    rounds = [[wrk_uncached(server, site) for site, server in zip(sites, servers)] for _ in range(ROUNDS)]
    return [statistics.median(speeds) for speeds in zip(*rounds)]


def beside_nginx(site: Site, galley: Server, nginx: Server, request: CachedRequest, connections: int) -> list[Speed]:
    """Returns the speed of nginx, of nginx with an `open_file_cache`, and of Galley, each as the median of rounds."""
    asked = [
        (nginx, f"/{request.file}"),
        (nginx, f"/open/{request.file}"),
        (galley, request.target.format(key=site.key)),
    ]
    fields = [request.fields(server, target) for server, target in asked]
    rounds = [
        [wrk_steady(server, target, connections, own) for (server, target), own in zip(asked, fields)]
        for _ in range(ROUNDS_BESIDE_NGINX)
    ]
    return [
        Speed(
            statistics.median(speed.requests_per_s for speed in speeds),
            statistics.median(speed.slowest_ms for speed in speeds),
        )
        for speeds in zip(*rounds)
    ]


def wrk_steady(server: Server, target: str, connections: int, fields: list[str]) -> Speed:
    """Repeats a request on this number of connections."""
    command = ["taskset", "--cpu-list", CLIENT_CORE, "wrk", "-t1", f"-c{connections}", f"-d{SECONDS}s", "--latency"]
    for field in fields:
        command += ["-H", field]
    output = subprocess.run(
        [*command, server.address(target)], stdout=subprocess.PIPE, text=True, check=True
    ).stdout
    exit_on_errors(output)
    number, unit = re.search(r"99%\s+([\d.]+)(us|ms|s)", output).groups()
    slowest_ms = float(number) * {"us": 0.001, "ms": 1, "s": 1000}[unit]
    return Speed(float(re.search(r"Requests/sec:\s+([\d.]+)", output)[1]), slowest_ms)


def exit_on_errors(output: str) -> None:
    """Ends the program if wrk reports an error response."""
    if "Socket errors" in output or "Non-2xx" in output:
        sys.exit(f"wrk reported errors:\n{output}")


def wrk(server: Server, target: str, *script: str) -> float:
    """Returns requests per second. Ends the program if a response is an error."""
    command = ["taskset", "--cpu-list", CLIENT_CORE, "wrk", "-t1", f"-c{CONNECTIONS}", f"-d{SECONDS}s"]
    address = server.address(target)
    options, arguments = (["-s", script[0]], ["--", *script[1:]]) if script else ([], [])
    return requests_per_s(subprocess.Popen([*command, *options, address, *arguments], stdout=subprocess.PIPE, text=True))


def requests_per_s(client: subprocess.Popen) -> float:
    """Waits for a run of wrk, and returns its requests per second."""
    output, _ = client.communicate()
    if client.returncode != 0:
        sys.exit(f"wrk failed:\n{output}")
    exit_on_errors(output)
    return float(re.search(r"Requests/sec:\s+([\d.]+)", output)[1])


def wrk_uncached(server: Server, site: Site) -> float:
    return wrk(server, "/", str(Path(__file__).parent / "uncached.lua"), site.key, str(len(TAGS)), "2")


def print_beside_nginx(site: Site, galley: Server, nginx: Server, requests: list[CachedRequest] = REQUESTS) -> list[Aim]:
    aims = []
    over = " over TLS" if galley.scheme == "https" else ""
    print("One core for each server and one for wrk; slowest: 99 of 100 are quicker:\n")
    print("| cached reply | connections | nginx, requests/s | Galley, requests/s | Galley to nginx | to nginx, open_file_cache ", end="")
    print("| slowest of nginx, ms | of Galley, ms | Galley to nginx |")
    print("| --- |" + " ---: |" * 8)
    for request in requests:
        for connections in CONNECTIONS_BESIDE_NGINX:
            plain, opened, own = beside_nginx(site, galley, nginx, request, connections)
            cells = [
                f"{plain.requests_per_s:,.0f}",
                f"{own.requests_per_s:,.0f}",
                f"{own.requests_per_s / plain.requests_per_s:.2f}",
                f"{own.requests_per_s / opened.requests_per_s:.2f}",
                f"{plain.slowest_ms:.2f}",
                f"{own.slowest_ms:.2f}",
                f"{own.slowest_ms / plain.slowest_ms:.2f}",
            ]
            print(f"| {request.name} | {connections:,} | " + " | ".join(cells) + " |", flush=True)
            row = f"{request.name}{over}, {connections:,} connections"
            body_bytes = 0 if request.known else len(get(nginx, f"/{request.file}"))
            wanted = WANTED_SHORT if body_bytes < SHORT_BYTES and not over else WANTED
            aims.append(Aim(f"{row}: beside nginx", own.requests_per_s / plain.requests_per_s, wanted))
            slower = own.slowest_ms / plain.slowest_ms
            aims.append(Aim(f"{row}: slowest beside nginx", slower, 1.0, at_least=False))
    print()
    return aims


def print_sites(sites: list[Site], servers: list[Server], uncached: list[float]) -> None:
    print("| Galley on a site of | " + " | ".join(f"{site.posts:,} posts" for site in sites) + " |")
    print("| --- |" + " ---: |" * len(sites))
    rows = [
        ("lists per second, each with another filter", [f"{speed:,.0f}" for speed in uncached]),
        ("the same, relative to the smallest site", [f"{speed / uncached[0]:.2f}" for speed in uncached]),
        ("start to the first list, ms", [f"{site.start_ms:.0f}" for site in sites]),
        ("seeding an empty store, s", [f"{site.seeding_s:.2f}" for site in sites]),
        ("memory at rest, MiB", [f"{site.rest_mib:.0f}" for site in sites]),
        ("memory at most while seeding, MiB", [f"{site.seeding_mib:.0f}" for site in sites]),
        ("memory at most under load, MiB", [f"{server.memory_mib('VmHWM'):.0f}" for server in servers]),
    ]
    for what, cells in rows:
        print(f"| {what} | " + " | ".join(cells) + " |")


def get(server: Server, target: str) -> bytes:
    with ask(server, target) as response:
        return response.read()


def ask(server: Server, target: str, fields: dict[str, str] | None = None) -> http.client.HTTPResponse:
    request = urllib.request.Request(server.address(target), headers=fields or {})
    return urllib.request.urlopen(request, context=UNVERIFIED)


def wait_for(server: Server, target: str) -> None:
    """Waits until `target` gets 200. Galley responds 503 while it loads the site."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        if server.process.poll() is not None:
            sys.exit(f"{server.name} ended with {server.process.returncode}")
        try:
            get(server, target)
            return
        except urllib.error.HTTPError as error:
            if error.code != 503:
                sys.exit(f"{server.name} responds {error.code}")
            time.sleep(0.001)
        except OSError:
            time.sleep(0.001)
    sys.exit(f"{server.name} does not respond")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
