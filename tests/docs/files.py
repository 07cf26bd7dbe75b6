"""Checks blocks that are not commands: files, which are read by their programs, and listings of folders."""

import json
import os
import re
import shutil
import subprocess
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

from document import Block, Section
from reading import Report, taken_for_granted
from scene import PROGRAM, REPOSITORY, Workshop

FIRST_TEST = REPOSITORY / "tests/it/first_test.rs"
SCHEMA = re.compile(r"(?:#:schema |\$schema=)(\S+)")


def check(section: Section, workshop: Workshop, report: Report) -> None:
    """Checks each block as the kind of file that sections.toml specifies."""
    blocks = [block for block in section.blocks if block.language != "sh"]
    kinds = taken_for_granted(section).get("files", [])
    if kinds[len(blocks) :]:
        report.problem(section.place, f"sections.toml specifies more blocks than there are: {kinds[len(blocks) :]}")
    for block in blocks[len(kinds) :]:
        report.problem(block.place, f"sections.toml does not specify the kind of this block ({block.language})")
    for block, kind in zip(blocks, kinds, strict=False):
        with tempfile.TemporaryDirectory(dir=workshop.top) as folder:
            if refusal := KINDS.get(kind, site_file)(block, kind, Path(folder)):
                report.problem(block.place, f"{kind}: {refusal}")


def site_file(block: Block, name: str, folder: Path) -> str:
    """Checks that the block is a file of the sample site, or the beginning or end of one, and that `galley check` accepts it."""
    for there in ("content", "schema"):
        shutil.copytree(REPOSITORY / there, folder / there)
    file = folder / name.removeprefix("beginning of ").removeprefix("end of ")
    before = file.read_text() if name.startswith("end of ") else ""
    after = file.read_text() if name.startswith("beginning of ") else ""
    file.write_text(before + block.text + after)
    for schema in SCHEMA.findall(block.text):
        if not (file.parent / schema).is_file():
            return f"there is no schema {schema} relative to the file"
    return refusal([PROGRAM, "check", "--strict"], folder)


def test_to_copy(block: Block, _: str, __: Path) -> str:
    """Checks that the block is the end of a test, which tests/run runs."""
    return "" if FIRST_TEST.read_text().endswith(block.text) else f"it is not the end of {FIRST_TEST}"


def nginx(block: Block, _: str, folder: Path) -> str:
    """Checks the block in a configuration with folders and an address that need no permissions."""
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    temporary = "".join(f"{kind}_temp_path {folder}/{kind}; " for kind in kinds)
    text = block.text.replace("listen 80;", f"listen unix:{folder}/nginx.socket;")
    configuration = folder / "nginx.conf"
    around = f"error_log stderr; pid {folder}/nginx.pid; events {{}}"
    configuration.write_text(f"{around} http {{ access_log off; {temporary} {text} }}")
    return refusal(["nginx", "-t", "-q", "-p", folder, "-c", configuration], folder)


def caddy(block: Block, _: str, folder: Path) -> str:
    (folder / "Caddyfile").write_text(block.text)
    return refusal(["caddy", "validate", "--adapter", "caddyfile", "--config", folder / "Caddyfile"], folder)


def prometheus(block: Block, _: str, __: Path) -> str:
    """Checks that the block scrapes the address at which the page configures metrics."""
    addresses = re.findall(r'targets: \["([^"]+)"\]', block.text)
    served = re.findall(r'^listen = "([^"]+)"', (REPOSITORY / block.place.page).read_text(), re.M)
    return "" if addresses and set(addresses) <= set(served) else f"metrics are not served at {addresses}"


def node_module(block: Block, _: str, folder: Path) -> str:
    (folder / "module.mjs").write_text(block.text)
    return refusal(["node", "--check", folder / "module.mjs"], folder)


def routes(block: Block, _: str, folder: Path) -> str:
    """Checks that an import of an archive accepts the routes."""
    with zipfile.ZipFile(folder / "site.zip", "w") as archive:
        archive.writestr("data/site.json", json.dumps({"db": [{"meta": {"version": "6.65.0"}, "data": {"posts": []}}]}))
        archive.writestr("data/routes.yaml", block.text)
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder)}
    ran = subprocess.run([PROGRAM, "import", "site.zip"], cwd=folder, env=environment, capture_output=True, text=True)
    taken = ran.returncode == 0 and re.search(r"^routes +1 ", ran.stdout, re.M)
    return "" if taken else (ran.stdout + ran.stderr).strip()


def refusal(command: list[str | Path], folder: Path) -> str:
    """Returns the error message of a failed command; empty if it succeeds."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder)}
    ran = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    return (ran.stdout + ran.stderr).strip() if ran.returncode else ""


def content_tree(block: Block, _: str, __: Path) -> str:
    """Checks that each line of the tree is a file or a folder below the nearest preceding line with less indentation."""
    above: list[tuple[int, Path]] = []
    for line in block.text.splitlines():
        drawn = re.match(r"[│├└─ ]*", line)[0]
        while above and above[-1][0] >= len(drawn):
            above.pop()
        path = (above[-1][1] if above else REPOSITORY) / line[len(drawn) :].split()[0]
        if not path.exists():
            return f"there is no {path.relative_to(REPOSITORY)}"
        above.append((len(drawn), path))
    return ""


def reader_scripts(block: Block, _: str, __: Path) -> str:
    """Checks that the lines are those in the pages of the Eleventy example."""
    layout = (REPOSITORY / "examples/eleventy/site/_includes/layout.njk").read_text()
    layout = layout.replace("{{ readers.url }}", "https://example.com").replace("{{ readers.key }}", "KEY")
    return "" if block.text.strip() in layout else "the lines differ from those in examples/eleventy"


KINDS: dict[str, Callable[[Block, str, Path], str]] = {
    "nginx": nginx,
    "caddy": caddy,
    "prometheus": prometheus,
    "routes": routes,
    "module of Node": node_module,
    "tree of content": content_tree,
    "scripts for readers": reader_scripts,
    "test to copy": test_to_copy,
}
