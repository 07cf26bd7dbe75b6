"""A terminal in which commands are typed: a shell whose variables and folder persist from one command to the next."""

import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

PATIENCE_S = 120
"""Timeout of a command that ends by itself, in seconds. Installations take longest."""


class Stuck(Exception):
    """A command did not end."""


class Terminal:
    """A shell. `scratch` is a folder for the files through which this process and the shell communicate."""

    def __init__(self, folder: Path, environment: dict[str, str], scratch: Path):
        self.scratch = scratch
        self.typed = self.started = 0
        self.shell = subprocess.Popen(
            ["bash", "--noprofile", "--norc"],
            cwd=folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        )
        # Job control gives each background command a separate process group, as in a real terminal.
        self.shell.stdin.write("set -m\n")

    def run(self, command: str) -> tuple[int, str]:
        """Types a command and waits until it ends. Returns its exit code and its output."""
        status, output = self.type(command, "; echo $?")
        end = time.monotonic() + PATIENCE_S
        while not (code := read(status)).endswith("\n"):
            if self.shell.poll() is not None:
                return self.shell.returncode, read(output)
            if time.monotonic() > end:
                raise Stuck(f"{command}\nis still running after {PATIENCE_S} seconds, and printed:\n{read(output)}")
            time.sleep(0.005)
        return int(code), read(output)

    def start(self, command: str, is_complete: Callable[[str], bool], patience_s: float = 20) -> str:
        """Types a command that continues to run, and waits for the expected output or the timeout. Returns its output."""
        status, output = self.type(command, "& echo $!")
        end = time.monotonic() + patience_s
        while not is_complete(read(output)) and time.monotonic() < end:
            time.sleep(0.005)
        self.started = int(read(status))
        return read(output)

    def press_ctrl_c(self) -> int:
        """Interrupts the command that was started last, and waits until it ends. Returns its exit code."""
        code, _ = self.run(f"kill -INT -- -{self.started}; wait {self.started}")
        return code

    def type(self, command: str, then: str) -> tuple[Path, Path]:
        """Makes the shell read the command from a file. Returns the files of its exit code and its output."""
        self.typed += 1
        script, status, output = (self.scratch / f"{self.typed}.{what}" for what in ("sh", "status", "output"))
        script.write_text(command)
        self.shell.stdin.write(f". '{script}' < /dev/null > '{output}' 2>&1 {then} > '{status}'\n")
        self.shell.stdin.flush()
        return status, output

    def close(self) -> None:
        self.shell.communicate()


def read(path: Path) -> str:
    return path.read_text(errors="replace") if path.exists() else ""


def stop_all(marker: str) -> None:
    """Stops every process whose environment has `marker`: with SIGTERM, then with SIGKILL."""
    for signal_number, patience_s in ((signal.SIGTERM, 15), (signal.SIGKILL, 5)):
        end = time.monotonic() + patience_s
        for process in marked(marker):
            signal_process(process, signal_number)
        while marked(marker) and time.monotonic() < end:
            time.sleep(0.01)


def marked(marker: str) -> list[int]:
    found = []
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            environment = Path(f"/proc/{process}/environ").read_bytes()
            state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            continue
        if marker.encode() in environment.split(b"\0") and state != "Z":
            found.append(int(process))
    return found


def signal_process(process: int, number: signal.Signals) -> None:
    try:
        os.kill(process, number)
    except ProcessLookupError:
        pass
