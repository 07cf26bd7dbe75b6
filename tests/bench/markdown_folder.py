"""A project of Hugo for benchmarks: the same documents on every machine, with all usual kinds of blocks."""

import random
import textwrap
from pathlib import Path

from content import AUTHORS, TAGS, sentence

FIRST_LINES = "---\ntitle: {title}\ndate: 2026-01-{day:02}\ntags: [{tags}]\nauthor: {author}\n---\n\n"


def write_folder(folder: Path, texts: int, text_bytes: int) -> int:
    """Writes documents of `text_bytes` or slightly more, and returns the total number of bytes."""
    posts = folder / "content" / "posts"
    posts.mkdir(parents=True)
    (folder / "hugo.toml").write_text('title = "A site of many texts"\n')
    total = 0
    for number in range(texts):
        text = markdown(number, text_bytes)
        (posts / f"text-{number:04}.md").write_text(text)
        total += len(text.encode())
    return total


def markdown(number: int, text_bytes: int) -> str:
    chance = random.Random(number)
    author, tags = chance.choice(AUTHORS), ", ".join(chance.sample(TAGS, 2))
    blocks = [FIRST_LINES.format(title=f"Text {number}", day=number % 28 + 1, tags=tags, author=author)]
    length = len(blocks[0])
    while length < text_bytes:
        blocks.append(block(chance) + "\n\n")
        length += len(blocks[-1])
    return "".join(blocks)


def block(chance: random.Random) -> str:
    words = lambda count: sentence(chance, count)
    match chance.randrange(24):
        case 0 | 1:
            return f"## {words(4)}"
        case 2 | 3:
            return "\n".join(f"- {words(8)}" for _ in range(5))
        case 4:
            return "```rust\n" + "\n".join(f"let value_{line} = {line};" for line in range(8)) + "\n```"
        case 5:
            return f"1. {words(6)}\n\n   ```sh\n   make\n   ```\n\n2. {words(5)}\n3. {words(5)}"
        case 6:
            return f"> {words(12)}\n>\n> {words(12)}"
        case 7:
            return "| a | b |\n|---|---|\n" + "\n".join(f"| {words(1)} | {words(2)} |" for _ in range(4))
        case _:
            text = " ".join(words(chance.randint(8, 20)) for _ in range(3))
            return textwrap.fill(f"{text} **{words(3)}** [{words(2)}](https://site.example/a/) *{words(2)}* `{words(1)}`.", 80)
