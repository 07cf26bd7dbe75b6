"""The definition of a part of the endurance tests, and the code that parts share.

A part is a module with a function `endure(form)`. It prints its results as numbers, one per line, raises `Broken` if a check
fails, and always cleans up.
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
        """Returns the value for this form."""
        return long if self is Form.LONG else short


class Broken(Exception):
    """A failed check, with its description."""


def galley() -> Path:
    """Returns the tested program: GALLEY_PROGRAM, or the release build, which is built if it is missing or outdated."""
    if given := os.environ.get("GALLEY_PROGRAM"):
        return Path(given).resolve()
    subprocess.run(["cargo", "build", "--release", "--locked", "--quiet"], cwd=REPOSITORY, check=True)
    return REPOSITORY / "target/release/galley"


def rust_test(name: str, **variables: object) -> None:
    """Runs one test of `tests/it`, by its full name, with these variables, and prints its output."""
    command = ["cargo", "test", "--locked", "--quiet", "--test", "it", "--", "--exact", "--nocapture", name]
    environment = {**os.environ, **{key: str(value) for key, value in variables.items()}}
    # Standard error is long if a thread panics on purpose or the test fails.
    with tempfile.TemporaryFile("w+") as complaints:
        test = subprocess.run(command, cwd=REPOSITORY, env=environment, stdout=subprocess.PIPE, stderr=complaints, text=True)
        for line in test.stdout.splitlines():
            if line and not line.startswith(("running ", "test result:", ".")):
                print(line)
        complaints.seek(0)
        if test.returncode != 0:
            raise Broken(f"{name} failed\n{complaints.read()}")
    if "1 passed" not in test.stdout:
        raise Broken(f"there is no test {name}")
