"""A page as a reader sees it: headings, blocks and sentences, in order."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

HEADING = re.compile(r"(#{1,6}) (.+)")
FENCE = re.compile(r"(`{3,}|~{3,})(.*)")
CODE = re.compile(r"(`+)(.+?)\1")
LINK = re.compile(r"\[(?:[^\[\]]|`[^`]*`)*\]\(([^()\s]+)\)")
COMMENT = re.compile(r"<!--.*-->")


@dataclass(frozen=True)
class Place:
    """A line of a page."""

    page: str
    line: int

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"

    def below(self, lines: int) -> "Place":
        return Place(self.page, self.line + lines)


@dataclass
class Block:
    """The lines between two fences. `place` is the position of the first fence."""

    place: Place
    language: str
    text: str
    shown: "Block | None" = None
    """The shown output of the commands: a `text` or `json` block that directly follows them."""


@dataclass(frozen=True)
class Sentence:
    """A line of prose or of a table."""

    place: Place
    text: str

    @property
    def spans(self) -> list[str]:
        """Returns the code spans of the sentence."""
        return [span.strip() for _, span in CODE.findall(self.text)]

    @property
    def links(self) -> list[str]:
        return LINK.findall(CODE.sub("code", self.text))


@dataclass
class Section:
    """A heading and the text up to the next one. The section before the first heading of level 2 is named by the title."""

    place: Place
    level: int
    heading: str
    blocks: list[Block] = field(default_factory=list)
    sentences: list[Sentence] = field(default_factory=list)

    @property
    def page(self) -> str:
        return self.place.page

    @property
    def name(self) -> str:
        """Returns the name of the section on the command line: `docs/install.md#Start a site`."""
        return f"{self.page}#{self.heading}"

    @property
    def anchor(self) -> str:
        """Returns the fragment of a link to the section, as on GitHub."""
        heading = LINK.sub(lambda link: link[0][1:].split("](")[0], self.heading)
        return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def read(repository: Path, page: str) -> list[Section]:
    """Returns the sections of a page, in order. `page` is its path in the repository."""
    sections: list[Section] = []
    before: Block | None = None
    lines = iter(enumerate((repository / page).read_text().splitlines(), start=1))
    for number, line in lines:
        place = Place(page, number)
        if heading := HEADING.fullmatch(line):
            sections.append(Section(place, len(heading[1]), heading[2]))
            before = None
        elif fence := FENCE.match(line):
            block = Block(place, fence[2].strip(), inside(fence[1], lines))
            if before and before.language == "sh" and block.language in ("text", "json"):
                before.shown = block
            else:
                sections[-1].blocks.append(block)
            before = block
        elif line.strip() and not COMMENT.fullmatch(line):
            sections[-1].sentences.append(Sentence(place, line))
            before = None
    return sections


def inside(fence: str, lines: Iterator[tuple[int, str]]) -> str:
    """Returns the lines up to the closing fence, with their line breaks."""
    held = []
    for _, line in lines:
        if line.strip() == fence:
            break
        held.append(line + "\n")
    return "".join(held)
