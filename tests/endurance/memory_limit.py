"""A memory limit for a process and its children: a control group, of either version."""

import os
import re
import time
from pathlib import Path

GROUPS = Path("/sys/fs/cgroup")
# Timeout for the end of the last process of a group, in seconds.
PATIENCE_S = 5


class MemoryLimit:
    """A control group with this limit, within the block. `run` is a command that runs another command in it; it is empty without
    the necessary permission."""

    def __init__(self, mib: int) -> None:
        self.bytes = mib << 20
        self.group: Path | None = None
        self.run: list[str] = []

    def __enter__(self) -> "MemoryLimit":
        is_second = (GROUPS / "cgroup.controllers").exists()
        parent = GROUPS if is_second else GROUPS / "memory" / own_path("memory")
        group = parent / f"galley-endurance-{os.getpid()}"
        try:
            group.mkdir()
            self.group = group
            for name in ("memory.max", "memory.limit_in_bytes"):
                if (group / name).exists():
                    (group / name).write_text(str(self.bytes))
                    self.run = ["sh", "-c", f'echo $$ > {group}/cgroup.procs && exec "$@"', "sh"]
            for name, most in (("memory.swap.max", 0), ("memory.memsw.limit_in_bytes", self.bytes)):
                if (group / name).exists():
                    (group / name).write_text(str(most))
        except OSError:
            # Without permission to create groups, only the memory of the processes is checked.
            self.run = []
        return self

    def __exit__(self, *_: object) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while self.group and self.group.exists() and time.monotonic() < deadline:
            try:
                self.group.rmdir()
            except OSError:
                time.sleep(0.1)

    def kills(self) -> int:
        """Returns the number of processes that the system killed because of the limit."""
        texts = [self.group / name for name in ("memory.events", "memory.oom_control")] if self.group else []
        found = [re.search(r"^oom_kill (\d+)", text.read_text(), re.M) for text in texts if text.exists()]
        return sum(int(kills[1]) for kills in found if kills)


def own_path(controller: str) -> str:
    """Returns the group of this process below that of the whole machine, in version 1."""
    lines = Path("/proc/self/cgroup").read_text().splitlines()
    return next((path.lstrip("/") for _, names, path in (line.split(":", 2) for line in lines) if controller in names.split(",")), "")
