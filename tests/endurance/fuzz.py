"""Malformed input of every kind: the corpus in the short form; in the long form, new inputs for ten minutes per kind, and
requests generated from the OpenAPI document for ten minutes.
"""

import subprocess

from part import REPOSITORY, Broken, Form, galley

# The duration of the long form for each kind, and for the requests.
SECONDS = 600


def endure(form: Form) -> None:
    if form is Form.SHORT:
        check("the corpus", ["cargo", "test", "--locked", "--quiet", "--test", "it", "bad_input::"])
        return
    check("new inputs", ["tests/fuzz/bad_input", str(SECONDS)])
    galley()
    check("requests", ["tests/fuzz/run", str(SECONDS)])


def check(what: str, command: list[str]) -> None:
    if subprocess.run(command, cwd=REPOSITORY).returncode != 0:
        raise Broken(f"{what}: {' '.join(command)} failed")
