"""Runs the commands of a section like a reader."""

import os
import re
import subprocess
import tomllib
from dataclasses import dataclass
from difflib import unified_diff

from comparison import Comparison
from document import Block, Place, Section
from scene import HERE, Scene, Workshop
from terminal import Stuck

TABLE = tomllib.loads((HERE / "sections.toml").read_text())
READS = {
    "#!/usr/bin/env bash": ["bash", "-n"],
    "#!/usr/bin/env python3": ["python3", "-c", "import ast, sys; ast.parse(open(sys.argv[1]).read())"],
}
"""The commands that parse a program without running it, by its first line."""
SERVES = "Ctrl-C stops it."
LINES_MAX = 60
"""Maximum number of printed lines for one problem."""


@dataclass
class Report:
    """The commands that were run, and the failures."""

    commands: int = 0
    shown: int = 0
    problems: int = 0

    def problem(self, place: Place, text: str) -> None:
        self.problems += 1
        lines = f"{place}: {text.rstrip()}".splitlines()
        print("\n".join([*lines[:LINES_MAX], *(["…"] if lines[LINES_MAX:] else []), ""]), flush=True)


@dataclass(frozen=True)
class Command:
    place: Place
    text: str

    def is_among(self, patterns: list[str]) -> bool:
        return any(re.search(pattern, self.text) for pattern in patterns)


class Reading:
    """A reader, who continues from section to section until one starts again."""

    def __init__(self, workshop: Workshop, section: Section, report: Report):
        self.workshop, self.report = workshop, report
        self.taken = taken_for_granted(section)
        self.comparison = Comparison(self.taken.get("differs", []))
        self.scene: Scene | None = None

    def read(self, section: Section) -> None:
        """Runs the commands of the section.

        Raises `Stuck` if further commands cannot succeed.
        """
        blocks = [block for block in section.blocks if block.language == "sh"]
        sentences = taken_for_granted(section).get("then", [])
        if not blocks and not sentences:
            return
        if self.scene is None:
            self.begin()
        for block in blocks:
            self.do(block)
        if sentences:
            self.scene.terminal.run(f"cd '{self.scene.folder}'")
        for text in sentences:
            place = next((sentence.place for sentence in section.sentences if text in sentence.spans), None)
            if place is None:
                self.report.problem(section.place, f"sections.toml names a command that no sentence has: {text}")
            else:
                self.run(Command(place, text))

    def begin(self) -> None:
        self.scene = Scene(self.workshop, self.taken)
        code, said = self.scene.terminal.run("set -e\n" + self.taken.get("before", "") + "\nset +e")
        if code:
            raise Stuck(f"the `before` commands of sections.toml fail with {code}:\n{said}")

    def do(self, block: Block) -> None:
        """Runs the commands of a block one by one, as typed, and compares their output with the page."""
        came, continues = "", False
        for command in commands(block):
            if continues and (code := self.scene.terminal.press_ctrl_c()):
                self.report.problem(command.place, f"the preceding command ended with {code} when it was stopped")
            continues = command.is_among(TABLE["continues"])
            if command.text in TABLE["not_run"]:
                self.look_at(command)
            elif continues:
                came += self.start(command, block)
            elif command.is_among(TABLE["silent"]):
                self.run(command)
            else:
                came += self.run(command)
        if block.shown:
            self.compare(block.shown, came)

    def run(self, command: Command) -> str:
        self.report.commands += 1
        code, said = self.scene.terminal.run(command.text)
        is_to_fail = any(text in said for text in self.taken.get("fails", []))
        if (code != 0) != is_to_fail:
            self.report.problem(command.place, f"{command.text}\nends with {code} and says:\n{said}")
        return said

    def start(self, command: Command, block: Block) -> str:
        """Starts a command that continues to run, and waits for the shown output, or until it serves."""
        self.report.commands += 1
        shown = block.shown

        def has_come(said: str) -> bool:
            return self.comparison.holds(shown.language, shown.text, said) if shown else SERVES in said

        said = self.scene.terminal.start(command.text, has_come)
        if not shown and not has_come(said):
            self.report.problem(command.place, f"{command.text}\ndoes not serve, and says:\n{said}")
        return said

    def look_at(self, command: Command) -> None:
        """Checks that a program of the tests exists, and that its interpreter can parse it."""
        program = self.scene.folder / command.text.split()[0]
        first_line = program.read_text().splitlines()[0] if os.access(program, os.X_OK) else ""
        if subprocess.run([*READS.get(first_line, ["false"]), program]).returncode:
            self.report.problem(command.place, f"{command.text} is not a program")

    def compare(self, shown: Block, came: str) -> None:
        self.report.shown += 1
        if self.comparison.holds(shown.language, shown.text, came):
            return
        sides = [self.comparison.masked(text).splitlines() for text in (shown.text, came)]
        difference = unified_diff(*sides, "shown", "came", lineterm="", n=99)
        self.report.problem(shown.place, "the output differs from the page:\n" + "\n".join(difference))

    def end(self) -> None:
        if self.scene:
            self.scene.leave()


def taken_for_granted(section: Section) -> dict:
    return TABLE["page"].get(section.page, {}).get(section.heading, {})


def starts_again(section: Section) -> bool:
    return section.level <= 2 or section.heading in TABLE["page"].get(section.page, {})


def commands(block: Block) -> list[Command]:
    """Returns the commands of a block, each with as many lines as the shell needs for a complete command."""
    found, held, first = [], "", block.place.below(1)
    for number, line in enumerate(block.text.splitlines(keepends=True), start=1):
        if not held and (not line.strip() or line.startswith("#")):
            continue
        first = first if held else block.place.below(number)
        held += line
        if is_whole(held):
            # Comments after commands are for the reader.
            text = held.rstrip() if held.count("\n") > 1 else re.sub(r"\s+# .*$", "", held).rstrip()
            found.append(Command(first, text))
            held = ""
    return [*found, Command(first, held)] if held else found


def is_whole(text: str) -> bool:
    if text.endswith("\\\n"):
        return False
    checked = subprocess.run(["bash", "-n"], input=text, capture_output=True, text=True)
    return checked.returncode == 0 and not checked.stderr
