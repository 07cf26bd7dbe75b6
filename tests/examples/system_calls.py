#!/usr/bin/python3
"""Converts the restrictions of a systemd unit to the system call filter that systemd would install, for `bwrap --seccomp`.

usage: system_calls.py UNIT > FILTER     needs Debian's python3-seccomp, and systemd-analyze

Supports SystemCallFilter, RestrictAddressFamilies and MemoryDenyWriteExecute. A forbidden call kills the program, so that the
tests notice it; under systemd the call would only fail.
"""

import mmap
import re
import socket
import subprocess
import sys
from pathlib import Path

import seccomp

ALLOW = seccomp.ALLOW


def main() -> None:
    unit = re.findall(r"^(\w+)=(.*)$", Path(sys.argv[1]).read_text(), re.MULTILINE)
    allowed: set[str] = set()
    for words in (value for name, value in unit if name == "SystemCallFilter"):
        if words.startswith("~"):
            allowed -= system_calls(words[1:].split())
        else:
            allowed |= system_calls(words.split())
    settings = dict(unit)
    known = seccomp.SyscallFilter(seccomp.KILL_PROCESS)
    families = settings["RestrictAddressFamilies"].split()
    assert settings["MemoryDenyWriteExecute"] == "yes"
    for name in sorted(allowed):
        match name:
            case "socket":
                for family in families:
                    known.add_rule(ALLOW, name, seccomp.Arg(0, seccomp.EQ, getattr(socket, family)))
            case "mmap":
                for absent in [mmap.PROT_WRITE, mmap.PROT_EXEC]:
                    known.add_rule(ALLOW, name, seccomp.Arg(2, seccomp.MASKED_EQ, absent, 0))
            case "mprotect":
                known.add_rule(ALLOW, name, seccomp.Arg(2, seccomp.MASKED_EQ, mmap.PROT_EXEC, 0))
            case _:
                if seccomp.resolve_syscall(seccomp.Arch(), name) != -1:
                    known.add_rule(ALLOW, name)
    known.export_bpf(sys.stdout.buffer)


def system_calls(words: list[str]) -> set[str]:
    """Returns the system calls of these words. A word that begins with @ is a set, which may contain other sets."""
    found: set[str] = set()
    for word in words:
        if word.startswith("@"):
            listed = subprocess.run(
                ["systemd-analyze", "syscall-filter", word], check=True, capture_output=True, text=True
            ).stdout
            lines = (line.strip() for line in listed.splitlines()[1:])
            found |= system_calls([line for line in lines if line and not line.startswith("#")])
        else:
            found.add(word)
    return found


main()
