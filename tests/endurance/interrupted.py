"""Commands that create or change a site are killed at each system call that changes files.

Afterwards, the folder contains the old site or the complete new one. Otherwise, every command but the killed one refuses the
folder and names that command, and running it again completes the site. A server never starts on a partial site.
"""

import io
import shutil
import subprocess
import tarfile
import tempfile
from base64 import b64encode
from hashlib import sha512
from pathlib import Path

from part import REPOSITORY, Broken, Form, galley

TOOLS = ["strace"]

# Calls that change files, or make changes durable.
CALLS = [
    *["mkdir", "mkdirat", "rename", "renameat", "renameat2", "link", "linkat", "unlink", "unlinkat", "rmdir"],
    *["ftruncate", "fallocate", "fsync", "fdatasync", "syncfs", "pwrite64", "write"],
]

# At how many invocations of a call a command is killed: each of the first ones, and increasingly distant ones after that.
FIRST = {Form.SHORT: 6, Form.LONG: 400}

EXPORT = REPOSITORY / "examples/files/harbour.ghost.2026-01-31.json"

KILLED = 137


class Case:
    """A command, with its initial folder `before` and its working folder `work`."""

    def __init__(self, folder: Path) -> None:
        self.program = galley()
        self.before, self.work = folder / "before", folder / "work"
        self.before.mkdir()
        self.prepare()

    # Prepares the working folder.
    def prepare(self) -> None:
        pass

    arguments: list[str] = []

    def check(self) -> None:
        """Raises `Broken` unless the folder after a killed command is valid."""

    def run(self, *arguments: object, strace: list[str] | None = None) -> subprocess.CompletedProcess:
        command = [*(strace or []), self.program, *arguments]
        return subprocess.run(command, cwd=self.work, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)

    def done(self, *arguments: object) -> str:
        ended = self.run(*arguments)
        if ended.returncode != 0:
            raise Broken(f"galley {' '.join(map(str, arguments))}: {ended.stderr}")
        return ended.stdout

    def refused(self, data: str, name: str) -> None:
        """Checks that other commands refuse the data folder and name the killed command."""
        for other in (["serve", "--no-content", "--listen", "127.0.0.1:0"], ["status"]):
            ended = self.run(*other, "--data", data)
            if ended.returncode == 0 or f"`{name}` again" not in ended.stderr:
                raise Broken(f"galley {other[0]} does not refuse: {ended.stderr}")

    def kill_at(self, call: str, number: int) -> bool:
        """Kills the command at this invocation of the call, and returns whether there was one."""
        shutil.rmtree(self.work, ignore_errors=True)
        shutil.copytree(self.before, self.work)
        kill = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={call}", "-e", f"inject={call}:signal=SIGKILL:when={number}"]
        ended = self.run(*self.arguments, strace=kill)
        if ended.returncode == 0:
            return False
        if ended.returncode not in (KILLED, -9):
            raise Broken(f"galley {self.arguments[0]} failed: {ended.stderr}")
        return True


class Restore(Case):
    arguments = ["restore", "site.zip", "--data", "data"]

    def prepare(self) -> None:
        self.work = self.before
        self.done("key", "create", "--name", "Reader", "--data", "old")
        for kind in ("images", "media"):
            (self.before / "old" / kind).mkdir()
            (self.before / "old" / kind / "a.bin").write_bytes(b"upload")
        self.done("backup", "site.zip", "--data", "old")
        self.keys = self.done("key", "list", "--data", "old")
        self.work = self.before.with_name("work")

    def check(self) -> None:
        data = self.work / "data"
        if not (data / "galley.redb").exists():
            if data.exists() and any(data.iterdir()):
                self.refused("data", "galley restore")
            self.done(*self.arguments)
        if self.done("key", "list", "--data", "data") != self.keys or not (data / "media/a.bin").exists():
            raise Broken("not all of the backup was restored")


class Import(Case):
    arguments = ["import", str(EXPORT), "--data", "data"]

    def check(self) -> None:
        data = self.work / "data"
        if (data / "unfinished.json").exists():
            self.refused("data", "galley import")
            self.done(*self.arguments)
        elif not (data / "galley.redb").exists():
            if data.exists() and any(data.iterdir()):
                self.refused("data", "galley import")
            return
        if "Owner" not in self.done("user", "list", "--data", "data"):
            raise Broken("the site has no owner")


class Init(Case):
    arguments = ["init", "site", "--title", "Tides", "--email", "ada@example.com"]

    def check(self) -> None:
        site = self.work / "site"
        if not (site / "galley.toml").exists():
            if (site / "galley-data").exists() and any((site / "galley-data").iterdir()):
                self.refused("site/galley-data", "galley init")
            self.done(*self.arguments)
        self.work = site
        staff = self.done("user", "list")
        self.work = site.parent
        if "Owner, active" not in staff or not (site / "content/site.toml").exists():
            raise Broken("the site is not complete")


class Compact(Restore):
    arguments = ["compact", "--data", "old"]

    def check(self) -> None:
        if self.done("key", "list", "--data", "old") != self.keys:
            raise Broken("the site is not the same")


class Backup(Compact):
    arguments = ["backup", "new.zip", "--data", "old"]

    def check(self) -> None:
        super().check()
        if (self.work / "new.zip").exists():
            self.done("check", "new.zip")


class InstallApp(Case):
    def prepare(self) -> None:
        bytes_ = io.BytesIO()
        with tarfile.open(fileobj=bytes_, mode="w:gz") as package:
            for name in ("index.html", "assets/a.js", "assets/b.css"):
                file = tarfile.TarInfo(f"package/core/built/admin/{name}")
                file.size = 2000
                package.addfile(file, io.BytesIO(b" " * 2000))
        (self.before / "app.tgz").write_bytes(bytes_.getvalue())
        integrity = "sha512-" + b64encode(sha512(bytes_.getvalue()).digest()).decode()
        install = ["admin", "install", "--data", "data", "--from", "app.tgz", "--integrity", integrity, "--version"]
        self.work = self.before
        self.done(*install, "6.65.1")
        self.work = self.before.with_name("work")
        self.arguments = [*install, "6.66.0"]

    def check(self) -> None:
        if "admin app 6.6" not in self.done("admin", "status", "--data", "data"):
            raise Broken("no app is installed")
        for name in ("index.html", "assets/a.js", "assets/b.css"):
            if not (self.work / "data/admin-app" / name).exists():
                raise Broken(f"{name} is missing")


def endure(form: Form) -> None:
    for kind in (Restore, Import, Init, Compact, Backup, InstallApp):
        with tempfile.TemporaryDirectory(prefix="galley-interrupted-") as folder:
            case = kind(Path(folder))
            kills = sum(kill_at_all(case, call, FIRST[form]) for call in CALLS)
        print(f"galley {case.arguments[0]}: killed at {kills} system calls")


def kill_at_all(case: Case, call: str, first: int) -> int:
    kills, number = 0, 1
    while case.kill_at(call, number):
        try:
            case.check()
        except Broken as broken:
            raise Broken(f"galley {case.arguments[0]}, killed at call {number} of {call}: {broken}") from None
        kills += 1
        number += max(1, number // first)
    return kills
