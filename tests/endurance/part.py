"""What a part of the endurance tests is, and what parts share.

A part is a module with `endure(form)`, which prints what it did in figures, one line each, and raises `Broken` when something
does not hold. It cleans up behind itself, whatever happens.
"""

import os
import subprocess
import tempfile
from enum import StrEnum
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]


class Form(StrEnum):
    SHORT = "short"
    LONG = "long"

    def choose(self, short, long):
        """What is meant for this form."""
        return long if self is Form.LONG else short


class Broken(Exception):
    """Something that was promised does not hold; its text says what."""


def galley() -> Path:
    """The program to wear out: that of GALLEY_PROGRAM, else the release build, which is made when it is missing or old."""
    if given := os.environ.get("GALLEY_PROGRAM"):
        return Path(given).resolve()
    subprocess.run(["cargo", "build", "--release", "--locked", "--quiet"], cwd=REPOSITORY, check=True)
    return REPOSITORY / "target/release/galley"


def rust_test(name: str, **variables: object) -> None:
    """Runs one test of `tests/it`, by its full name, with these variables, and passes on what it prints."""
    command = ["cargo", "test", "--locked", "--quiet", "--test", "it", "--", "--exact", "--nocapture", name]
    surroundings = {**os.environ, **{key: str(value) for key, value in variables.items()}}
    # Where a thread panics on purpose, or the test fails, what it says is long.
    with tempfile.TemporaryFile("w+") as complaints:
        test = subprocess.run(command, cwd=REPOSITORY, env=surroundings, stdout=subprocess.PIPE, stderr=complaints, text=True)
        for line in test.stdout.splitlines():
            if line and not line.startswith(("running ", "test result:", ".")):
                print(line)
        complaints.seek(0)
        if test.returncode != 0:
            raise Broken(f"{name} failed\n{complaints.read()}")
    if "1 passed" not in test.stdout:
        raise Broken(f"there is no test {name}")
