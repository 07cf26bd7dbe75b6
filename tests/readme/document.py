"""README.md as its reader meets it: headings, blocks, sentences, in order."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

HEADING = re.compile(r"(#{1,6}) (.+)")
FENCE = re.compile(r"(`{3,}|~{3,})(.*)")
CODE = re.compile(r"(`+)(.+?)\1")
LINK = re.compile(r"\[(?:[^\[\]]|`[^`]*`)*\]\(([^()\s]+)\)")
COMMENT = re.compile(r"<!--.*-->")


@dataclass
class Block:
    """What stands between two fences. `line` is that of the first fence."""

    line: int
    language: str
    text: str
    shown: "Block | None" = None
    """What these commands print: the `text` or `json` block that follows without a word between."""


@dataclass(frozen=True)
class Sentence:
    """A line of prose, or of a table."""

    line: int
    text: str

    @property
    def spans(self) -> list[str]:
        """What stands in it as code."""
        return [span.strip() for _, span in CODE.findall(self.text)]

    @property
    def links(self) -> list[str]:
        return LINK.findall(CODE.sub("code", self.text))


@dataclass
class Section:
    """A heading, and what follows it until the next one. Before the first heading of level 2 the section is the title's."""

    line: int
    level: int
    heading: str
    blocks: list[Block] = field(default_factory=list)
    sentences: list[Sentence] = field(default_factory=list)

    @property
    def anchor(self) -> str:
        """What a link to it says behind `#`, as GitHub makes it."""
        return re.sub(r"[^\w\- ]", "", self.heading.lower()).replace(" ", "-")


def read(path: Path) -> list[Section]:
    """The sections of a Markdown file, in order."""
    sections: list[Section] = []
    before: Block | None = None
    lines = iter(enumerate(path.read_text().splitlines(), start=1))
    for number, line in lines:
        if heading := HEADING.fullmatch(line):
            sections.append(Section(number, len(heading[1]), heading[2]))
            before = None
        elif fence := FENCE.match(line):
            block = Block(number, fence[2].strip(), inside(fence[1], lines))
            if before and before.language == "sh" and block.language in ("text", "json"):
                before.shown = block
            else:
                sections[-1].blocks.append(block)
            before = block
        elif line.strip() and not COMMENT.fullmatch(line):
            sections[-1].sentences.append(Sentence(number, line))
            before = None
    return sections


def inside(fence: str, lines: Iterator[tuple[int, str]]) -> str:
    """The lines up to the closing fence, each with its end."""
    held = []
    for _, line in lines:
        if line.strip() == fence:
            break
        held.append(line + "\n")
    return "".join(held)
