"""A Galley process on a separate site, and its resource usage."""

import http.client
import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

from part import REPOSITORY, Broken, galley

sys.path.append(str(REPOSITORY / "tests/bench"))
from content import write_site
from tokens import token

# Timeouts of a start, which reads and stores all posts, and of a stop.
START_S = 120
STOP_S = 60


class Running:
    """Galley on a new site of `posts` posts of 5 kB in `folder`, with these variables, which runs until the end of the block."""

    def __init__(self, folder: Path, posts: int, before: list[str] | None = None, **variables: object):
        self.folder = folder
        self.content = folder / "content"
        self.data = folder / "data"
        self.program = galley()
        # A command in which the program is run.
        self.before = before or []
        if not self.content.exists():
            write_site(self.content, posts)
        self.port = free_port()
        self.variables = {name: str(value) for name, value in variables.items()}

    def __enter__(self) -> "Running":
        command = [*self.before, self.program, "serve", "--quiet", "--data", self.data, "--content", self.content]
        command += ["--listen", f"127.0.0.1:{self.port}"]
        self.log = open(self.folder / "log", "ab")
        self.process = subprocess.Popen(command, cwd=self.folder, env=environment() | self.variables, stderr=self.log)
        try:
            self.wait_until_it_responses()
            self.integration = f"Endurance {time.time_ns()}"
            made = self.command("key", "create", "--name", self.integration, "--json")
            keys = json.loads(made)
            self.key, self.admin_key = keys["content_key"], keys["admin_key"]
        except BaseException:
            self.process.kill()
            raise
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        self.process.terminate()
        try:
            code = self.process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise Broken(f"it does not stop within {STOP_S} s\n{self.last_words()}") from None
        finally:
            self.log.close()
        if code != 0 and kind is None:
            raise Broken(f"it ended with {code}\n{self.last_words()}")

    def command(self, *words: str | Path) -> str:
        """Returns the output of a command of Galley on the same site."""
        return subprocess.check_output([self.program, *words, "--data", self.data], cwd=self.folder, text=True, env=environment())

    def token(self) -> str:
        """Returns a token of the Admin API, valid for four minutes."""
        return token(self.admin_key)

    def ask(self, method: str, target: str, body: object = None, **headers: str) -> tuple[int, bytes]:
        """Sends a request on a new connection, with `body` as JSON unless it is bytes. Returns the status and the body."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            fields = {name.replace("_", "-"): value for name, value in headers.items()}
            if body is not None and not isinstance(body, bytes):
                body = json.dumps(body).encode()
                fields["Content-Type"] = "application/json"
            connection.request(method, target, body, fields)
            reply = connection.getresponse()
            return reply.status, reply.read()
        finally:
            connection.close()

    def administer(self, method: str, path: str, body: object = None, **headers: str) -> dict:
        """Returns the JSON of a response of the Admin API. Any status other than success fails the part."""
        authority = {"Authorization": f"Ghost {self.token()}"}
        status, reply = self.ask(method, f"/ghost/api/admin/{path}", body, **authority, **headers)
        if status // 100 != 2:
            raise Broken(f"{method} {path} gets {status}: {reply[:500]!r}")
        return json.loads(reply) if reply else {}

    def last_words(self) -> str:
        """Returns the end of the log."""
        return (self.folder / "log").read_text(errors="replace")[-2000:]

    def wait_until_it_responses(self) -> None:
        deadline = time.monotonic() + START_S
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                raise Broken(f"it does not start: {self.process.returncode}\n{self.last_words()}")
            try:
                if self.ask("GET", "/healthz")[0] == 200:
                    return
            except OSError:
                time.sleep(0.02)
        raise Broken(f"it does not respond within {START_S} s of its start")


def environment() -> dict[str, str]:
    """Returns the environment variables of this process that are not options of Galley."""
    return {name: value for name, value in os.environ.items() if not name.startswith("GALLEY_")}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
