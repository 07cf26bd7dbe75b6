"""A site that is served by a separate process, whose resources can be limited."""

import http.client
import json
import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "bench"))
from part import Broken, galley
from tokens import token

ADMIN = "/ghost/api/admin"
OWNER = {"name": "Ada", "email": "ada@example.com", "password": "Sup3r-secret-pw!", "blogTitle": "Letters"}
# Timeout for a response, and for the end of a process, in seconds.
PATIENCE_S = 30


class Site:
    """A `galley serve` below `folder`, with an owner for writes and a key for reads."""

    def __init__(self, folder: Path, *flags: str, before: list[str] | None = None, **variables: str) -> None:
        """Starts the server. `before` is a command in which the program is run, and `variables` are added to its environment."""
        self.folder, self.flags, self.before, self.variables = folder, flags, before or [], variables
        self.headers: dict[str, str] = {}
        # Returns the current time for the tokens of clients, in seconds since 1970.
        self.now: Callable[[], float] = time.time
        self.start()
        origin = {"Origin": f"http://{self.address}", "Content-Type": "application/json"}
        self.must("POST", "/authentication/setup/", {"setup": [OWNER]}, origin)
        credentials = {"username": OWNER["email"], "password": OWNER["password"]}
        self.must("POST", "/session/", credentials, origin)
        made = self.must("POST", "/integrations/?include=api_keys", {"integrations": [{"name": "Readers"}]}, self.as_owner())
        self.integration = made["integrations"][0]["id"]
        keys = {key["type"]: key["secret"] for key in made["integrations"][0]["api_keys"]}
        self.content_key, self.admin_key = keys["content"], keys["admin"]

    def start(self) -> None:
        command = [*self.before, galley(), "serve", "--data", self.folder / "data", "--listen", "127.0.0.1:0", *self.flags]
        self.log = open(self.folder / "log", "a+")
        # A process that ignores this signal gets an error instead when it reaches the file size
        # limit.
        self.process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=self.log,
            text=True,
            cwd=self.folder,
            env={**os.environ, **self.variables},
            restore_signals=False,
        )
        for line in self.process.stdout:
            if "curl 'http://" in line:
                self.address = line.split("curl 'http://")[1].split("/")[0]
            if "Ctrl-C stops it" in line:
                return
        raise Broken(f"it does not serve: {self.said()}")

    def __enter__(self) -> "Site":
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def kill(self) -> None:
        """Kills the server."""
        self.process.kill()
        self.process.wait()

    def stop(self) -> None:
        """Stops the server like an operator. It must exit successfully."""
        self.process.send_signal(signal.SIGTERM)
        if (code := self.process.wait(PATIENCE_S)) != 0:
            raise Broken(f"it ended with {code}: {self.said()}")

    def start_again(self) -> None:
        """Kills the server, and restarts it on the same folder."""
        self.kill()
        self.start()

    def said(self) -> str:
        """Returns the end of the log."""
        return (self.folder / "log").read_text()[-2000:]

    def has_ended(self) -> bool:
        """Returns whether the server exits by itself, possibly after a short wait."""
        try:
            self.process.wait(1)
        except subprocess.TimeoutExpired:
            return False
        return True

    def as_owner(self) -> dict[str, str]:
        return {"Cookie": self.cookie, "Origin": f"http://{self.address}", "Content-Type": "application/json"}

    def as_integration(self) -> dict[str, str]:
        made = token(self.admin_key, self.now())
        return {"Authorization": f"Ghost {made}", "Content-Type": "application/json"}

    def ask(self, method: str, path: str, body: object = None, headers: dict[str, str] | None = None) -> tuple[int, bytes]:
        """Returns the status and body of a response, on a new connection."""
        connection = http.client.HTTPConnection(self.address, timeout=PATIENCE_S)
        try:
            data = body if body is None or isinstance(body, bytes) else json.dumps(body)
            connection.request(method, path, data, headers or {})
            reply = connection.getresponse()
            if cookie := reply.getheader("Set-Cookie"):
                self.cookie = cookie.split(";")[0]
            return reply.status, reply.read()
        finally:
            connection.close()

    def must(self, method: str, endpoint: str, body: object = None, headers: dict[str, str] | None = None) -> dict:
        """Returns the JSON of a successful response of the Admin API."""
        status, reply = self.ask(method, ADMIN + endpoint, body, headers or self.as_integration())
        if status >= 300:
            raise Broken(f"{method} {endpoint} gets {status}: {reply.decode()[:500]}")
        return json.loads(reply) if reply.startswith(b"{") else {}

    def write(self, title: str, words: int = 100) -> tuple[int, dict]:
        """Publishes a post. Returns the status, and the post or the error."""
        post = {"title": title, "html": f"<p>{title} {os.urandom(5 * words).hex()}</p>", "status": "published"}
        endpoint = f"{ADMIN}/posts/?source=html"
        status, reply = self.ask("POST", endpoint, {"posts": [post]}, self.as_integration())
        reply = json.loads(reply or '{"errors": [{"message": ""}]}')
        return status, reply["posts"][0] if status == 201 else reply["errors"][0]

    def read(self, query: str = "limit=15") -> list[dict]:
        """Returns posts, as readers get them."""
        path = f"/ghost/api/content/posts/?key={self.content_key}&{query}"
        status, reply = self.ask("GET", path)
        if status != 200:
            raise Broken(f"readers get {status}: {reply.decode()[:500]}")
        return json.loads(reply)["posts"]

    def titles(self) -> set[str]:
        """Returns the titles of all posts, as readers see them."""
        titles, page = set(), 1
        while posts := self.read(f"limit=100&page={page}&fields=title"):
            titles.update(post["title"] for post in posts)
            page += 1
        return titles

    def upload(self, length: int) -> tuple[int, str]:
        """Uploads a file of this number of bytes. Returns the status and the body of the response."""
        border = uuid.uuid4().hex
        head = f'--{border}\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\n'
        body = head.encode() + b"x" * length + f"\r\n--{border}--\r\n".encode()
        headers = {**self.as_owner(), "Content-Type": f"multipart/form-data; boundary={border}"}
        status, reply = self.ask("POST", f"{ADMIN}/files/upload/", body, headers)
        return status, reply.decode()
