"""The cost of scheduled backups, compared with whole ones: bytes, time, and processor time of an idle site. On request only.

A day is simulated: 20 posts are edited, each with a new body, the changes are backed up, and then the whole state is.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import machine
from admin_client import Client
from aims import Aim
from articles import article
from importing import POST_BYTES, write_export
from serving import Server, free_port, wait_for

TOOLS: list[str] = []
POSTS = 50_000
DAYS = 30
EDITS = 20
QUIET_S = 60
# A site is idle if its server uses less than this share of a processor.
REST_SHARE_MAX = 0.005
PATIENCE_S = 600
PROCESSOR_MAX = 0.01


def measure(posts: int = POSTS, days: int = DAYS) -> list[Aim]:
    with tempfile.TemporaryDirectory(prefix="galley-bench-") as name:
        folder = Path(name)
        export = folder / "export.json"
        with export.open("w") as file:
            write_export(file, posts)
        command(folder, "import", export)
        export.unlink()
        begun = time.monotonic()
        command(folder, "backup", "whole.zip")
        whole_s, whole = time.monotonic() - begun, (folder / "whole.zip").stat().st_size
        compressed = len(subprocess.check_output(["gzip", "-c", folder / "whole.zip"]))
        (folder / "whole.zip").unlink()
        key = json.loads(command(folder, "key", "create", "--name", "Writer", "--json"))["admin_key"]
        first, segments, states, seconds, size, objects = thirty_days(folder, key, days)
        quiet = [quiet_share(folder, backed_up) for backed_up in (False, True)]
        restore_begun = time.monotonic()
        command(folder, "restore", "backups", "--data", folder / "restored")
        restore_s = time.monotonic() - restore_begun
    print(f"| {posts:,} posts of {POST_BYTES // 1000} kB, {days} days of {EDITS} edits | whole backups | regular backups |")
    print("| --- | ---: | ---: |")
    print(f"| the first, MB | {whole / 1e6:,.1f} ({compressed / 1e6:,.1f} with gzip) | {first / 1e6:,.1f} |")
    print(f"| the first, s | {whole_s:.1f} | {seconds[0]:.1f} |")
    print(f"| the state of a later day, MB | {whole / 1e6:,.1f} | {median(states) / 1e6:,.2f} |")
    print(f"| the state of a later day, s | {whole_s:.1f} | {median(seconds[1:]):.1f} |")
    print(f"| the changes of an edit, kB | | {median(segments) / EDITS / 1e3:,.1f} |")
    print(f"| after {days} days, MB | {whole * (days + 1) / 1e6:,.0f} | {size / 1e6:,.1f} |")
    print(f"| objects | {days + 1} | {objects:,} |")
    print(f"| restore of the last moment, s | | {restore_s:.1f} |")
    print(f"| processor time of a quiet site, % | {quiet[0] * 100:.2f} (without backups) | {quiet[1] * 100:.2f} |\n")
    return [Aim("processor time that backups take on a quiet site", quiet[1] - quiet[0], PROCESSOR_MAX, at_least=False)]


def thirty_days(folder: Path, key: str, days: int) -> tuple:
    """Edits posts, and waits for the state after each simulated day."""
    location = folder / "backups"
    segments, states, seconds = [], [], []
    # Whole states are written one interval after each other, so the interval is long enough for the edits.
    with start(folder, GALLEY_BACKUP_EVERY="15s", GALLEY_BACKUP_MAX_LOSS="1s") as server:
        new_state(location, set())
        first, known = size_of(location), names(location, "states")
        seconds.append(duration(folder))
        for day in range(days):
            before, of_segments = size_of(location), size_of(location / "segments")
            client = Client(server, key)
            for number in range(EDITS):
                edit(client, day * EDITS + number)
            known = new_state(location, known)
            seconds.append(duration(folder))
            changes = size_of(location / "segments") - of_segments
            segments.append(changes)
            states.append(size_of(location) - before - changes)
    objects = sum(1 for path in location.rglob("*") if path.is_file())
    return first, segments, states, seconds, size_of(location), objects


def edit(client: Client, number: int) -> None:
    """Gives a post another body. On a site of 1,000 posts or more, all of these posts are different."""
    total = client.ask("GET", "/posts/?limit=1&fields=id")["meta"]["pagination"]["total"]
    post = client.ask("GET", f"/posts/slug/post-{number * 7 % total}/")["posts"][0]
    change = {"lexical": article(1_000_000 + number, POST_BYTES), "updated_at": post["updated_at"]}
    client.ask("PUT", f"/posts/{post['id']}/", {"posts": [change]})


def new_state(location: Path, known: set[str]) -> set[str]:
    deadline = time.monotonic() + PATIENCE_S
    while names(location, "states") <= known:
        if time.monotonic() > deadline:
            sys.exit("there is no new state")
        time.sleep(0.05)
    return names(location, "states")


def names(location: Path, kind: str) -> set[str]:
    folder = location / kind
    return {path.name for path in folder.glob("*.gz")} if folder.exists() else set()


def duration(folder: Path) -> float:
    """Returns the duration of the last backup, in whole seconds."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        backups = json.loads(command(folder, "status", "--json"))["backups"]
        if backups["last"] and backups["last_seconds"] is not None:
            return backups["last_seconds"]
        time.sleep(0.05)
    sys.exit("there is no backup")


def quiet_share(folder: Path, backed_up: bool) -> float:
    """Returns the share of a processor that a site without requests uses."""
    more = {} if backed_up else {"GALLEY_BACKUP_TO": ""}
    with start(folder, **more) as server:
        # The search index of a large site is built for a while after the start.
        deadline = time.monotonic() + PATIENCE_S
        while share(server, 5) > REST_SHARE_MAX and time.monotonic() < deadline:
            pass
        return share(server, QUIET_S)


def share(server: Server, seconds: float) -> float:
    """Returns the share of a processor that the server uses during some seconds."""
    before = processor_s(server)
    time.sleep(seconds)
    return (processor_s(server) - before) / seconds


def processor_s(server: Server) -> float:
    fields = Path(f"/proc/{server.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def start(folder: Path, **variables: str) -> Server:
    port = free_port()
    command_line = [machine.GALLEY, "serve", "--quiet", "--no-content", "--data", folder / "data", "--listen", f"127.0.0.1:{port}"]
    environment = surroundings() | {"GALLEY_BACKUP_TO": str(folder / "backups"), "GALLEY_BACKUP_KEEP_DAYS": "60"} | variables
    server = Server("Galley", subprocess.Popen(command_line, cwd=folder, env=environment), port)
    wait_for(server, "/healthz")
    return server


def command(folder: Path, *arguments: object) -> bytes:
    words = [machine.GALLEY, "--data", folder / "data", *arguments] if "--data" not in arguments else [machine.GALLEY, *arguments]
    return subprocess.check_output(words, cwd=folder, env=surroundings())


def surroundings() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("GALLEY_")}


def size_of(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) if folder.exists() else 0


def median(values: list[float]) -> float:
    return sorted(values)[len(values) // 2] if values else 0
