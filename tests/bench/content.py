"""A site of many posts, for benchmarks: a number of posts yields the same bytes on every machine.

Each post has 5 kB of Markdown (links, lists, quotes, code), 5 to 20 of 40 tags and one or two of 3 authors.
"""

import random
from concurrent.futures import ProcessPoolExecutor
from datetime import datetime, timedelta, timezone
from pathlib import Path

TAGS = [f"t{number}" for number in range(40)]
AUTHORS = ["ada", "ben", "cleo"]
BODY_BYTES = 5_000
# The number of posts in one task of a process.
WRITTEN_AT_ONCE = 1_000
FIRST_DAY = datetime(2015, 1, 1, 8, tzinfo=timezone.utc)
WORDS = (
    "harbour letter morning ferry winter paper lamp window river market bread garden story island summer bridge "
    "stone kitchen weather road tide printer almanac schoolhouse postcard timetable orchard lighthouse evening map "
    "with under after before into across beyond without between along the a this every another some"
).split()


def write_site(folder: Path, posts: int) -> None:
    """Writes a content folder of `posts` posts to `folder`, which must not exist."""
    (folder / "authors").mkdir(parents=True)
    (folder / "posts").mkdir()
    (folder / "site.toml").write_text('title = "A site of many posts"\nurl = "https://bench.example"\n')
    for author in AUTHORS:
        (folder / "authors" / f"{author}.toml").write_text(
            f'name = "{author.title()}"\nbio = "Writes many posts."\nlocation = "The harbour"\n'
        )
    with ProcessPoolExecutor() as processes:
        parts = [range(start, min(start + WRITTEN_AT_ONCE, posts)) for start in range(0, posts, WRITTEN_AT_ONCE)]
        list(processes.map(write_posts, [folder] * len(parts), parts))


def write_posts(folder: Path, numbers: range) -> None:
    for number in numbers:
        (folder / "posts" / f"post-{number}.md").write_text(post(number))


def post(number: int) -> str:
    """Returns the file of one post."""
    chance = random.Random(number)
    tags = chance.sample(TAGS, chance.randint(5, 20))
    authors = chance.sample(AUTHORS, chance.choice([1, 1, 1, 2]))
    published = FIRST_DAY + timedelta(hours=number)
    return (
        "+++\n"
        f'title = "{sentence(chance, 6)} ({number})"\n'
        f"date = {published:%Y-%m-%dT%H:%M:%SZ}\n"
        f"tags = {quoted(tags)}\n"
        f"authors = {quoted(authors)}\n"
        f"featured = {str(number % 20 == 0).lower()}\n"
        f'feature_image = "/content/images/{number % 50}.jpg"\n'
        "+++\n\n"
        f"{body(chance, number)}"
    )


def quoted(names: list[str]) -> str:
    return "[" + ", ".join(f'"{name}"' for name in names) + "]"


def body(chance: random.Random, number: int) -> str:
    blocks: list[str] = []
    while sum(len(block) + 2 for block in blocks) < BODY_BYTES:
        blocks.append(block(chance, number, len(blocks)))
    return "\n\n".join(blocks) + "\n"


def block(chance: random.Random, number: int, place: int) -> str:
    match place % 8:
        case 2:
            return f"## {sentence(chance, 4)}"
        case 4:
            return "\n".join(f"- {sentence(chance, 9)}" for _ in range(4))
        case 5:
            return f"> {sentence(chance, 20)}"
        case 7:
            return "```rust\nfn main() {\n    println!(\"" + sentence(chance, 5) + "\");\n}\n```"
        case _:
            link = f"[{sentence(chance, 3)}](post-{max(number - 1, 0)}.md)"
            return f"{sentence(chance, 40)}, **{sentence(chance, 3)}** and {link}. {sentence(chance, 30)}."


def sentence(chance: random.Random, words: int) -> str:
    return " ".join(chance.choices(WORDS, k=words)).capitalize()
