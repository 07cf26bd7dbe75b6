"""The time until an edit through the Admin API is in the repository of the site. Takes about a minute and a half.

The bare repository is on the same disk and followed over file://. Posts are edited one after the other; each edit is a commit
that is pushed. The time is measured from the response to the edit until the commit is in the branch, less the settle time.
"""

import json
import os
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from admin_client import Client
from aims import Aim
from content import write_site
from machine import GALLEY
from serving import Server, free_port, wait_for

TOOLS = ["git"]
SIZES = [100, 10_000]
EDITS = 20
SETTLE_S = 1
ALLOWED_S = 2
LOOKED_AT_EVERY_S = 0.005


def measure() -> list[Aim]:
    """Prints the times for sites of several sizes."""
    times = {size: on_site(size) for size in SIZES}
    print("| Galley on a site of | " + " | ".join(f"{size:,} posts" for size in SIZES) + " |")
    print("| --- |" + " ---: |" * len(SIZES))
    for name, of in [("median", statistics.median), ("most", max)]:
        row = " | ".join(f"{of(times[size]) * 1000:,.0f}" for size in SIZES)
        print(f"| an edit in the repository after the settle time, ms, {name} | {row} |")
    slowest = max(max(of_site) for of_site in times.values())
    return [Aim("seconds until an edit is in the repository, after the settle time", slowest, ALLOWED_S, at_least=False)]


def on_site(posts: int) -> list[float]:
    with tempfile.TemporaryDirectory(prefix="galley-bench-") as name:
        folder = Path(name)
        write_site(folder / "work", posts)
        bare = folder / "site.git"
        git(folder / "work", "init", "-q", "-b", "main")
        git(folder / "work", "add", "--all")
        git(folder / "work", "commit", "-q", "-m", "All posts")
        git(folder, "clone", "-q", "--bare", "work", bare)
        # Garbage collection would continue in the background when the folder is deleted.
        git(bare, "config", "receive.autogc", "false")
        with start(folder, bare) as server:
            command = [GALLEY, "key", "create", "--name", "Writer", "--json", "--data", folder / "data"]
            key = json.loads(subprocess.check_output(command))["admin_key"]
            client = Client(server, key)
            return [edited(client, bare, number) for number in range(EDITS)]


def start(folder: Path, bare: Path) -> Server:
    port = free_port()
    command = [GALLEY, "serve", "--quiet", "--data", folder / "data", "--git", f"file://{bare}", "--listen", f"127.0.0.1:{port}"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GALLEY_")}
    environment |= {"GALLEY_SOURCE_WRITE_BACK": "push", "GALLEY_SOURCE_WRITE_BACK_SETTLE_S": str(SETTLE_S)}
    server = Server("Galley", subprocess.Popen(command, cwd=folder, env=environment), port)
    wait_for(server, "/healthz")
    return server


def edited(client: Client, bare: Path, number: int) -> float:
    """Edits a post, and returns the time until the commit is in the branch, less the settle time."""
    before = tip(bare)
    post = client.ask("GET", f"/posts/slug/post-{number}/")["posts"][0]
    change = {"title": f"Edited {number}", "updated_at": post["updated_at"]}
    client.ask("PUT", f"/posts/{post['id']}/", {"posts": [change]})
    saved = time.monotonic()
    while tip(bare) == before:
        time.sleep(LOOKED_AT_EVERY_S)
    return time.monotonic() - saved - SETTLE_S


def tip(bare: Path) -> str:
    branch = bare / "refs/heads/main"
    return branch.read_text() if branch.exists() else ""


def git(folder: Path, *arguments: object) -> None:
    settings = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "gc.auto=0"]
    subprocess.run(["git", *settings, *arguments], cwd=folder, check=True)
