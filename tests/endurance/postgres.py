"""PostgreSQL for a part: a separate server, and a proxy to it that can be cut."""

import os
import shutil
import socket
import subprocess
import tempfile
import threading
import time
from pathlib import Path

from running import free_port

START_S = 60


class Postgres:
    """A server on a port of this machine with an empty database, which runs until the end of the block."""

    def __enter__(self) -> "Postgres":
        versions = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
        if not versions:
            raise SystemExit("PostgreSQL is missing: apt-get install postgresql")
        self.programs = versions[-1]
        self.folder = Path(tempfile.mkdtemp(prefix="galley-pg-"))
        if os.geteuid() == 0:
            shutil.chown(self.folder, "postgres", "postgres")
        self.port = free_port()
        data = self.folder / "data"
        self.run("initdb", "--auth=trust", "--username=galley", "--no-sync", "--encoding=UTF8", "-D", data)
        self.resume()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        shutil.rmtree(self.folder)

    def resume(self) -> None:
        options = ["-c", "listen_addresses=127.0.0.1", "-c", f"port={self.port}", "-c", "max_connections=200"]
        command = self.as_postgres(self.programs / "postgres", "-D", self.folder / "data", "-k", self.folder, *options)
        self.log = open(self.folder.with_suffix(".log"), "ab")
        self.process = subprocess.Popen(command, cwd="/", stdout=self.log, stderr=self.log)
        deadline = time.monotonic() + START_S
        while time.monotonic() < deadline:
            try:
                self.ask("SELECT 1")
                return
            except subprocess.CalledProcessError:
                time.sleep(0.05)
        raise SystemExit(f"PostgreSQL does not start, see {self.log.name}")

    def stop(self) -> None:
        """Stops the server immediately, like a crash: data that was not yet on disk is lost."""
        self.process.send_signal(3)
        self.process.wait()
        self.log.close()

    def ask(self, statement: str) -> str:
        arguments = ["-qAt", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1", "-p", str(self.port), "-U", "galley"]
        return self.run("psql", *arguments, "-d", "postgres", "-c", statement)

    def run(self, program: str, *arguments: object) -> str:
        command = self.as_postgres(self.programs / program, *arguments)
        return subprocess.run(command, cwd="/", check=True, capture_output=True, text=True).stdout.strip()

    @staticmethod
    def as_postgres(*command: object) -> list[str]:
        words = [str(word) for word in command]
        if os.geteuid() == 0:
            return ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--", *words]
        return words


class Network:
    """A proxy for a port of this machine. While it is cut, it accepts bytes and forwards none."""

    def __init__(self, port: int):
        self.to = port
        self.is_whole = threading.Event()
        self.is_whole.set()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self) -> None:
        while True:
            client, _ = self.listener.accept()
            try:
                server = socket.create_connection(("127.0.0.1", self.to))
            except OSError:
                client.close()
                continue
            for pair in [(client, server), (server, client)]:
                threading.Thread(target=self.pass_on, args=pair, daemon=True).start()

    def pass_on(self, source: socket.socket, target: socket.socket) -> None:
        try:
            while data := source.recv(1 << 16):
                # Data that was sent during the cut arrives late, as in any network.
                self.is_whole.wait()
                target.sendall(data)
        except OSError:
            pass
        for end in (source, target):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def cut(self) -> None:
        self.is_whole.clear()

    def repair(self) -> None:
        self.is_whole.set()
