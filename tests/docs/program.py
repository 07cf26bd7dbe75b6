"""Checks that commands in sentences and tables of pages exist, and runs those that can be run."""

import re
import shlex
import subprocess
from functools import cache

from document import Section, Sentence
from reading import Report, TABLE, taken_for_granted
from scene import PROGRAM

OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+|(?<![\w-])-[a-z]\b")
COMMAND = re.compile(r"(\w+=\S+ )*(galley|cargo|npm|npx|node|git|curl|docker|tests(/\w+)?/run) ")
PLACEHOLDER = re.compile(r"\[|…|\b[A-Z]{2,}\b")


def check(sections: list[Section], report: Report) -> None:
    for section in sections:
        for sentence in section.sentences:
            for span in sentence.spans:
                if COMMAND.match(span + " ") and span != "galley":
                    check_run(section, sentence, span, report)
                if span.startswith("galley ") and not span.startswith("galley help"):
                    check_span(sentence, span, report)
    [table] = [section for section in sections if section.name == "docs/command-line.md#Commands"]
    check_table(table, report)


def check_run(section: Section, sentence: Sentence, span: str, report: Report) -> None:
    """Runs complete commands. Names of commands, such as `galley export`, and commands that need a value are not run."""
    taken = taken_for_granted(section)
    is_name = span.startswith("galley ") and all(word.startswith("-") for word in split(span)[1]) or " " not in span
    is_known = span in taken.get("then", []) or span in taken.get("named", {}) or span in TABLE["not_run"]
    if not (is_name or is_known or PLACEHOLDER.search(span)):
        report.problem(sentence.place, f"can be run, but is not in sections.toml: {span}")


def check_span(sentence: Sentence, span: str, report: Report) -> None:
    """Checks that a command of the program exists, with its options."""
    command, _ = split(span)
    if not command:
        report.problem(sentence.place, f"there is no such command: {span}")
    for option in OPTION.findall(span.split(" -- ")[0]):
        if option not in options(command):
            report.problem(sentence.place, f"galley {' '.join(command)} has no option {option}")


def check_table(section: Section, report: Report) -> None:
    """Checks that each command has a row, and that each row has every option that is specific to its command."""
    rows = {}
    for sentence in section.sentences:
        if sentence.text.startswith("| `galley"):
            named, _, _ = sentence.text.strip("| ").partition(" | ")
            for span in Sentence(sentence.place, named).spans:
                rows[split(span)[0]] = sentence
    common = options(("status",)) - {"--json"}
    for command in commands():
        listed = set(OPTION.findall(rows[command].text)) if command in rows else None
        has = {option for option in options(command) - common if option.startswith("--")}
        if listed is None:
            report.problem(section.place, f"the table has no galley {' '.join(command)}")
        elif left_out := has - listed:
            report.problem(rows[command].place, f"galley {' '.join(command)} also has {', '.join(sorted(left_out))}")
        for option in sorted((listed or set()) - options(command)):
            report.problem(rows[command].place, f"galley {' '.join(command)} has no option {option}")


def split(span: str) -> tuple[tuple[str, ...], list[str]]:
    """Returns the words of the command name, and the words after them."""
    words = shlex.split(span.replace("…", ""))[1:]
    count = 0
    while count < len(words) and words[count] in subcommands(tuple(words[:count])):
        count += 1
    return tuple(words[:count]), words[count:]


def commands(above: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    """Returns all commands that can be run, except for `help`."""
    below = [(*above, name) for name in subcommands(above)]
    return [found for command in below for found in (commands(command) or [command])]


@cache
def subcommands(command: tuple[str, ...]) -> frozenset[str]:
    _, _, listed = said_of(command).partition("\nCommands:\n")
    names = re.findall(r"^  (\w[\w-]*)", listed.split("\n\n")[0], re.MULTILINE)
    return frozenset(names) - {"help"}


@cache
def options(command: tuple[str, ...]) -> frozenset[str]:
    _, _, listed = said_of(command).partition("\nOptions:\n")
    lines = re.findall(r"^ +(-.*)", listed.split("\n\n")[0], re.MULTILINE)
    return frozenset(OPTION.findall(" ".join(lines)))


@cache
def said_of(command: tuple[str, ...]) -> str:
    return subprocess.run([PROGRAM, "help", *command], check=True, capture_output=True, text=True).stdout
