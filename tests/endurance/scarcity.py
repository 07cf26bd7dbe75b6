"""The machine lacks a resource: disk space, write permission, open files, memory, or a monotonic clock.

Each is tested with the real program. Readers and a writer send requests before, during and after the shortage, and at the end
all acknowledged changes must be stored. The long form repeats the tests.
"""

import http.client
import json
import os
import resource
import shutil
import socket
import subprocess
import tempfile
import time
from contextlib import ExitStack
from datetime import datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Semaphore, Thread

from part import Broken, Form, galley
from processes import in_status
from processes import open_files as open_handles
from scarce_site import ADMIN, Site

TOOLS = ["unshare", "nsenter", "prlimit", "mount", "faketime"]
NO_SPACE = "There is no space left on the server's disk. Nothing was changed."
# A disk of this size is full after a few hundred posts.
DISK_MIB = 8
# The length of a published post, in words of five random bytes in hexadecimal digits.
WORDS = 2_000
# The number of disks that fill up in the short and the long form, and how many times each: acknowledged posts stay on the disk.
DISKS = (1, 20)
FILLINGS = 2
# The limit of open files of a process, and the number of connections to it, which exceeds that limit.
OPEN_FILES = 400
CONNECTIONS = 600
# The additional memory that a process may use, in MiB, and the size of the posts that are published then.
MORE_MIB = (8, 16, 32)
LARGE_POSTS, LARGE_WORDS = 10, 50_000
# How far the clock is set back, in the syntax of `faketime`.
SET_BACK = ["-1h", "-400d"]
# The time from now to the date of scheduled posts.
AHEAD = timedelta(seconds=3)
# Timeout for sending waiting deliveries, in seconds.
SOON_S = 30


def endure(form: Form) -> None:
    for part in (full_disk, read_only_disk, open_files, clock, memory):
        with tempfile.TemporaryDirectory(prefix="galley-endurance-") as folder:
            part(Path(folder), form)


def expect(holds: bool, what: str) -> None:
    if not holds:
        raise Broken(what)


def full_disk(folder: Path, form: Form) -> None:
    """Small disks fill up, and space is freed again."""
    acknowledged, disks = 0, form.choose(*DISKS)
    for number in range(disks):
        own = folder / str(number)
        own.mkdir()
        # The amount of free space differs, so that each disk is full at a different write.
        acknowledged += fill(own, (8 + number % 4) / 12)
    print(f"full disk: {2 * FILLINGS * disks} changes refused with 507, {acknowledged} acknowledged posts stored, readers served throughout")


def fill(folder: Path, ballast_share: float) -> int:
    """Fills a disk of which this share is already used. Returns the number of acknowledged posts."""
    with OwnDisk(folder / "disk") as disk, Site(folder / "disk", "--no-content", before=disk.run) as site:
        preserved = set()
        ballast = disk.seen("ballast")
        for filling in range(FILLINGS):
            ballast.write_bytes(bytes(int(disk.free() * ballast_share)))
            for number in range(1_000):
                title = f"Filling {filling} number {number}"
                status, reply = site.write(title, WORDS)
                if status != 201:
                    break
                preserved.add(title)
            expect(status == 507 and reply["message"] == NO_SPACE, f"a full disk gets {status}: {reply}")
            status, reply = site.upload(DISK_MIB << 20)
            expect(status == 507 and NO_SPACE in reply, f"an upload to a full disk gets {status}: {reply}")
            expect(site.titles() == preserved, "on a full disk, readers do not see exactly the acknowledged posts")
            ballast.unlink()
            status, reply = site.write(f"After filling {filling}")
            expect(status == 201, f"after space is freed, writing gets {status}: {reply}")
            preserved.add(reply["title"])
        site.start_again()
        expect(site.titles() == preserved, "after a restart, readers do not see exactly the acknowledged posts")
        site.stop()
        return len(preserved)


class OwnDisk:
    """A small disk in memory at `place`, in a separate mount namespace."""

    def __init__(self, place: Path) -> None:
        place.mkdir()
        self.place = place
        # In a container, root may need a separate user namespace to mount.
        may_mount = subprocess.run(["unshare", "--mount", "true"], capture_output=True).returncode == 0
        as_root = [] if may_mount else ["--map-root-user"]
        mount = f"mount -t tmpfs -o size={DISK_MIB}m,mode=777 none '{place}' && echo there && exec sleep infinity"
        command = ["unshare", "--mount", *as_root, "sh", "-c", mount]
        self.holder = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        expect(self.holder.stdout.readline() == "there\n", "mounting a disk is not permitted: run this as root")
        spaces = ["--mount"] if may_mount else ["--user", "--preserve-credentials", "--mount"]
        self.run = ["nsenter", "--target", str(self.holder.pid), *spaces, "--"]

    def __enter__(self) -> "OwnDisk":
        return self

    def __exit__(self, *_: object) -> None:
        self.holder.kill()
        self.holder.wait()

    def seen(self, name: str) -> Path:
        """Returns the path of a file of this disk outside of the namespace."""
        return Path(f"/proc/{self.holder.pid}/root{self.place}") / name

    def free(self) -> int:
        return shutil.disk_usage(self.seen("")).free

    def allow_writing(self, is_allowed: bool) -> None:
        how = "rw" if is_allowed else "ro"
        subprocess.run([*self.run, "mount", "-o", f"remount,{how}", self.place], check=True)


def read_only_disk(folder: Path, form: Form) -> None:
    """Files become read-only while the site is served; then the site is started on a read-only disk."""
    with OwnDisk(folder / "disk") as disk, Site(folder / "disk", "--no-content", before=disk.run) as site:
        preserved = {site.write(f"Letter {number}")[1]["title"] for number in range(20)}
        process = site.process.pid
        for _ in range(form.choose(short=2, long=40)):
            resource.prlimit(process, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
            refusal, reply = site.write("Refused")
            expect(refusal >= 500 and reply["message"] != "", f"on a read-only disk, writing gets {refusal}")
            expect(site.titles() == preserved, "on a read-only disk, readers do not see exactly the acknowledged posts")
            resource.prlimit(process, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
            status, reply = site.write(f"Later letter {len(preserved)}")
            expect(status == 201, f"after the disk is writable again, writing gets {status}: {reply}")
            preserved.add(reply["title"])
        site.stop()
        disk.allow_writing(False)
        command = [*disk.run, galley(), "serve", "--no-content", "--data", disk.place / "data", "--listen", "127.0.0.1:0"]
        refused = subprocess.run(command, capture_output=True, text=True, timeout=30, cwd=folder)
        is_said = refused.returncode == 1 and "ead-only" in refused.stderr and "panicked" not in refused.stderr
        expect(is_said, f"a start on a read-only disk ends with {refused.returncode}: {refused.stderr}")
        disk.allow_writing(True)
        site.start()
        expect(site.titles() == preserved, "at the end, readers do not see exactly the acknowledged posts")
        site.stop()
        print(f"read-only disk: changes refused with {refusal}, {len(preserved)} acknowledged posts stored, readers served, start refused: "
              f"{refused.stderr.strip().splitlines()[-1]}")


def open_files(folder: Path, form: Form) -> None:
    """More connections are opened than the process may have open files, while other clients read and write."""
    limits = ["prlimit", f"--nofile={OPEN_FILES}:{OPEN_FILES}"]
    site_folder = folder / "site"
    site_folder.mkdir()
    with Site(site_folder, "--no-content", before=limits) as site:
        preserved, slowest = set(), 0.0
        for turn in range(form.choose(short=3, long=60)):
            with ExitStack() as idle:
                for number in range(CONNECTIONS):
                    connect(idle, site.address, f"127.0.1.{1 + number % 200}")
                    if number % 20 == 0:
                        began = time.monotonic()
                        site.read()
                        slowest = max(slowest, time.monotonic() - began)
                status, reply = site.write(f"Turn {turn}")
                expect(status == 201, f"without open files, writing gets {status}: {reply}")
                preserved.add(reply["title"])
                expect(site.titles() == preserved, "without open files, readers do not see exactly the acknowledged posts")
        files = open_handles(site.process.pid)
        expect(files < OPEN_FILES, f"{files} files are open after all clients have disconnected")
        site.stop()
        print(f"open files: {CONNECTIONS} connections to a process that may open {OPEN_FILES} files, {turn + 1} times; "
              f"the slowest other client waited {slowest * 1000:.0f} ms")


def connect(stack: ExitStack, address: str, own_address: str) -> None:
    """Opens an idle connection. One address may have no more than its share of connections."""
    host, port = address.split(":")
    try:
        stack.enter_context(socket.create_connection((host, int(port)), 5, (own_address, 0)))
    except OSError:
        # The server closed it immediately.
        pass


def clock(folder: Path, form: Form) -> None:
    """The clock is set back by various amounts, and forward again."""
    library = subprocess.check_output(["faketime", "-m", "-f", "+0", "printenv", "LD_PRELOAD"], text=True).strip()
    shift = folder / "shift"
    shift.write_text("+0")
    faked = {"LD_PRELOAD": library, "FAKETIME_TIMESTAMP_FILE": str(shift), "FAKETIME_NO_CACHE": "1"}
    faked["FAKETIME_DONT_FAKE_MONOTONIC"] = "1"
    site_folder = folder / "site"
    site_folder.mkdir()
    with Receiver() as receiver, Site(site_folder, "--no-content", GALLEY_PRIVATE_RECEIVERS="true", **faked) as site:
        # The clients use the clock of the site, since their tokens would be rejected otherwise.
        site.now = lambda: float(subprocess.check_output(["date", "+%s"], env=os.environ | faked))
        webhook = {"event": "post.added", "target_url": receiver.url, "integration_id": site.integration}
        site.must("POST", "/webhooks/", {"webhooks": [webhook]}, site.as_owner())
        newest, edited, waited = "", None, []
        jumps = [*SET_BACK, "+0"] * form.choose(short=1, long=20)
        for number, jump in enumerate(jumps):
            receiver.fails_once = True
            title = f"Letter {number}"
            status, post = site.write(title)
            expect(status == 201, f"writing gets {status}: {post}")
            expect(post["id"] > newest, f"after {post['id']} was not after {newest}")
            newest = post["id"]
            receiver.wait_for_failure()

            shift.write_text(jump)
            began = time.monotonic()
            edited = edit(site, edited or post, f"edit {number}")
            site.must("GET", "/users/me/", None, site.as_owner())
            scheduled = schedule(site, f"Scheduled {number}")
            while not receiver.has(title) or site.must("GET", f"/posts/{scheduled}/")["posts"][0]["status"] != "published":
                expect(time.monotonic() - began < SOON_S, f"after the clock was set to {jump}, deliveries are not sent: {site.said()}")
                time.sleep(0.2)
            waited.append(time.monotonic() - began)
        site.stop()
        print(f"clock: set {len(jumps)} times ({', '.join(SET_BACK)} and forward); identifiers and modification dates increased, "
              f"sessions remained valid, waiting deliveries were sent after {max(waited):.1f} s at most")


def edit(site: Site, post: dict, excerpt: str) -> dict:
    """Edits a post, and returns it. Its modification date must be later than before."""
    change = {"custom_excerpt": excerpt, "updated_at": post["updated_at"]}
    edited = site.must("PUT", f"/posts/{post['id']}/", {"posts": [change]})["posts"][0]
    expect(edited["updated_at"] > post["updated_at"], f"changed at {post['updated_at']}, then at {edited['updated_at']}")
    return edited


def schedule(site: Site, title: str) -> str:
    """Schedules a post shortly after the current time of the site's clock, and returns its identifier."""
    draft = site.must("POST", "/posts/", {"posts": [{"title": title}]})["posts"][0]
    now = datetime.fromisoformat(draft["updated_at"])
    change = {"status": "scheduled", "published_at": (now + AHEAD).isoformat(), "updated_at": draft["updated_at"]}
    site.must("PUT", f"/posts/{draft['id']}/", {"posts": [change]})
    return draft["id"]


class Receiver:
    """The receiver of the webhook. It can be made to fail."""

    def __init__(self) -> None:
        self.fails_once, self.failures, self.received = False, Semaphore(0), set()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                fails, receiver.fails_once = receiver.fails_once, False
                if not fails:
                    receiver.received.add(body["post"]["current"]["title"])
                self.send_response(500 if fails else 200)
                self.send_header("Content-Length", "0")
                self.end_headers()
                if fails:
                    receiver.failures.release()

            def log_message(self, *_: object) -> None:
                pass

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/"
        Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self) -> "Receiver":
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()

    def wait_for_failure(self) -> None:
        expect(self.failures.acquire(timeout=SOON_S), "the webhook gets no event")
        # The result of the delivery is being written to the disk.
        time.sleep(1)

    def has(self, title: str) -> bool:
        return title in self.received


def memory(folder: Path, form: Form) -> None:
    """The program serves the same site without caches, and then with little additional memory."""
    variables = {"GALLEY_ANSWERS_CACHE_MB": "0", "GALLEY_STORE_CACHE_MB": "1"}
    site_folder = folder / "site"
    site_folder.mkdir()
    with Site(site_folder, "--no-content") as site:
        everything = lambda: json.dumps(site.read("limit=all&include=tags,authors")).replace(site.address, "")
        preserved = {site.write(f"Letter {number}", WORDS)[1]["title"] for number in range(40)}
        cached = everything()
        site.variables = variables
        site.start_again()
        expect(everything() == cached, "without caches, responses differ")

        ended = 0
        for turn in range(form.choose(short=2, long=60)):
            process = site.process.pid
            data_mib = int(in_status(process, "VmData")) + MORE_MIB[turn % len(MORE_MIB)]
            resource.prlimit(process, resource.RLIMIT_DATA, (data_mib << 20, resource.RLIM_INFINITY))
            for number in range(LARGE_POSTS):
                title = f"Letter {turn}.{number}"
                try:
                    if site.write(title, LARGE_WORDS)[0] == 201:
                        preserved.add(title)
                    site.ask("GET", f"{ADMIN}/posts/?limit=100&formats=html,plaintext", None, site.as_integration())
                except (OSError, http.client.HTTPException):
                    # The process has exited; the last request may or may not be stored.
                    break
            ended += site.has_ended()
            site.start_again()
            there = site.titles()
            expect(preserved <= there, f"missing posts: {sorted(preserved - there)[:5]}")
            preserved = there
        site.stop()
        print(f"memory: the same responses without caches; {turn + 1} times no more memory than it had, {ended} times it ended by "
              f"that; {len(preserved)} posts, none of the acknowledged lost")
