"""Changes of many records on a site with thirty webhooks, each of which receives all of them: content files with as many tags
as a post may have, and one with far more, which is refused.

Readers get the tags soon, no writer waits long meanwhile, and memory stays below a limit, however many requests wait.
"""

import json
import tempfile
import threading
import time
from pathlib import Path

from part import Broken, Form
from processes import forget_most, memory_mib, memory_most_mib
from running import Running
from soak_load import Receiver

POSTS = 300
WEBHOOKS = 30
WRITERS = 2
# The maximum number of tags of a post, and a number above it.
TAGS_OF_FILE = 1_000
TOO_MANY_TAGS = 100_000
# The time until readers get the tags, for each thousand of them, and the longest wait of a writer, in seconds. Both have a
# tolerance for a machine that is busy with other work.
SERVED_S = 5
WAIT_S_MAX = 5
# The maximum memory of the server, in MiB, and for how long it is measured after all tags are served, in seconds.
MEMORY_MIB_MAX = 120
WATCHED_S = 20
FILE = "+++\ntitle = {title}\ndate = 2020-01-01T00:00:00Z\ntags = {tags}\n+++\n\nA post of many tags.\n"


class Waits(threading.Thread):
    """Adds members one after the other, and records the longest wait and the failures."""

    def __init__(self, running: Running, number: int):
        super().__init__(daemon=True)
        self.running = running
        self.number = number
        self.stop = threading.Event()
        self.count = 0
        self.longest_s = 0.0
        self.failed: str | None = None

    def run(self) -> None:
        try:
            while not self.stop.wait(0.02):
                began = time.monotonic()
                email = f"writer-{self.number}-{self.count}@example.com"
                self.running.administer("POST", "members/", {"members": [{"email": email}]})
                self.longest_s = max(self.longest_s, time.monotonic() - began)
                self.count += 1
        except Exception as error:
            self.failed = f"{type(error).__name__}: {error}"


def endure(form: Form) -> None:
    files = form.choose(short=5, long=20)
    with tempfile.TemporaryDirectory(prefix="galley-webhooks-") as folder, Receiver() as receiver:
        with Running(Path(folder), POSTS, GALLEY_PRIVATE_RECEIVERS="true") as running:
            broken = add_tags(running, receiver, files)
    if broken:
        raise Broken("\n".join(broken))


def add_tags(running: Running, receiver: Receiver, files: int) -> list[str]:
    for number in range(WEBHOOKS):
        url = f"{receiver.address}/{number}"
        running.command("webhook", "add", "--event", "tag.added", "--url", url, "--integration", running.integration)
    pid = running.process.pid
    start_mib = memory_mib(pid)
    forget_most(pid)
    writers = [Waits(running, number) for number in range(WRITERS)]
    for writer in writers:
        writer.start()
    before = tag_count(running)
    began = time.monotonic()
    write_tags(running, "too-many", TOO_MANY_TAGS)
    for number in range(files):
        write_tags(running, f"many-{number}", TAGS_OF_FILE)
    due, bound_s = before + files * TAGS_OF_FILE, files * TAGS_OF_FILE / 1000 * SERVED_S
    while (found := tag_count(running)) != due and time.monotonic() - began < bound_s:
        time.sleep(0.02)
    served_s = time.monotonic() - began
    time.sleep(WATCHED_S)
    for writer in writers:
        writer.stop.set()
        writer.join()
    found, most, longest_s = tag_count(running), memory_most_mib(pid), max(writer.longest_s for writer in writers)
    print(
        f"{files * TAGS_OF_FILE:,} tags for {WEBHOOKS} webhooks are served after {served_s:.1f} s; {receiver.count:,} requests were "
        f"sent, {sum(writer.count for writer in writers):,} writes meanwhile waited at most {longest_s:.1f} s; "
        f"memory {start_mib:.0f} MiB before, {most:.0f} at most, {memory_mib(pid):.0f} then"
    )
    broken = [writer.failed for writer in writers if writer.failed]
    if found != due:
        broken.append(f"{found:,} tags are served instead of {due:,}")
    if longest_s > WAIT_S_MAX:
        broken.append(f"a writer waits {longest_s:.1f} s; the limit is {WAIT_S_MAX}")
    if most > MEMORY_MIB_MAX:
        broken.append(f"the server takes {most:.0f} MiB; the limit is {MEMORY_MIB_MAX}")
    if receiver.count == 0:
        broken.append("no webhook was sent")
    return broken


def write_tags(running: Running, name: str, count: int) -> None:
    tags = json.dumps([f"Tag {number} of {name}" for number in range(count)])
    path = running.content / "posts" / f"{name}.md"
    beside = path.with_suffix(".part")
    beside.write_text(FILE.format(title=json.dumps(name), tags=tags))
    beside.rename(path)


def tag_count(running: Running) -> int:
    """Returns the number of tags that readers get."""
    _, reply = running.ask("GET", f"/ghost/api/content/tags/?key={running.key}&limit=1")
    return json.loads(reply)["meta"]["pagination"]["total"]
