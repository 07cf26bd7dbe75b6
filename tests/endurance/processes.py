"""The resource usage of a process."""

import os
import re
from pathlib import Path


def memory_mib(pid: int) -> float:
    """Returns the memory of a process, in MiB."""
    return in_status(pid, "VmRSS")


def memory_most_mib(pid: int) -> float:
    """Returns the peak memory of a process since `forget_most`."""
    return in_status(pid, "VmHWM")


def forget_most(pid: int) -> None:
    Path(f"/proc/{pid}/clear_refs").write_text("5")


def open_files(pid: int) -> int:
    return len(os.listdir(f"/proc/{pid}/fd"))


def threads(pid: int) -> int:
    return len(os.listdir(f"/proc/{pid}/task"))


def cpu_s(pid: int) -> float:
    """Returns the processor time of a process in seconds."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def in_status(pid: int, name: str) -> float:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(re.search(rf"{name}:\s+(\d+) kB", status)[1]) / 1024
