"""The cost of imports: of a large Ghost export, and of a folder of Markdown. Takes about a minute."""

import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import timedelta
from pathlib import Path
from typing import IO, Any

from aims import Aim
from articles import article
from content import AUTHORS, FIRST_DAY, TAGS, sentence
from machine import GALLEY
from markdown_folder import write_folder

TOOLS: list[str] = []
POSTS = 10_000
POST_BYTES = 10_000
ROUNDS = 3
DOCUMENTS = 1064
DOCUMENT_BYTES = 20_600
FOLDER_S_MAX = 2
STORE_GROWTH_MAX = 4

Record = dict[str, Any]


def measure() -> list[Aim]:
    """Prints time and memory of imports into an empty site, as medians of several runs."""
    with tempfile.TemporaryDirectory(prefix="galley-bench-") as name:
        folder = Path(name)
        export = folder / "export.json"
        with export.open("w") as file:
            write_export(file, POSTS)
        costs = [cost_of_import(export, folder / str(number), POSTS) for number in range(ROUNDS)]
        seconds, mib = (statistics.median(column) for column in zip(*costs))
        print(f"| `galley import` of {POSTS:,} posts of {POST_BYTES // 1000} kB, a file of {megabytes(export)} MB | |")
        print("| --- | ---: |")
        print(f"| time, s | {seconds:.1f} |")
        print(f"| memory at most, MiB | {mib:.0f} |\n")
        return measure_folder(folder)


def measure_folder(folder: Path) -> list[Aim]:
    """Prints the cost of an import of a folder of Markdown, and the size of the site afterwards."""
    project = folder / "project"
    written = write_folder(project, DOCUMENTS, DOCUMENT_BYTES)
    sites = [folder / f"site-{number}" for number in range(ROUNDS)]
    costs = [cost_of_import(project, site, DOCUMENTS) for site in sites]
    seconds, mib = (statistics.median(column) for column in zip(*costs))
    growth = (sites[0] / "galley.redb").stat().st_size / written
    print(f"| `galley import` of {DOCUMENTS:,} Markdown documents, {written / 1_000_000:.0f} MB | |")
    print("| --- | ---: |")
    print(f"| time, s | {seconds:.1f} |")
    print(f"| memory at most, MiB | {mib:.0f} |")
    print(f"| size of the site, for each byte of text | {growth:.1f} |")
    return [
        Aim("import of a folder, s", seconds, FOLDER_S_MAX, at_least=False),
        Aim("import of a folder: size of the site, for each byte of text", growth, STORE_GROWTH_MAX, at_least=False),
    ]


def cost_of_import(export: Path, data: Path, posts: int) -> tuple[float, float]:
    """Returns the seconds and MiB of an import into a new site."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GALLEY_")}
    before = time.monotonic()
    command = [GALLEY, "import", export, "--data", data, "--json"]
    process = subprocess.Popen(command, cwd=export.parent, env=environment, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.monotonic() - before
    if status != 0:
        sys.exit(f"galley import ended with {os.waitstatus_to_exitcode(status)}")
    status_of_site = subprocess.check_output([GALLEY, "status", "--data", data, "--json"], cwd=export.parent, env=environment)
    found = json.loads(status_of_site)["counts"]["posts published"]
    if found != posts:
        sys.exit(f"{found} posts are there after an import of {posts}")
    return seconds, usage.ru_maxrss / 1024


def megabytes(file: Path) -> int:
    return round(file.stat().st_size / 1_000_000)


def write_export(file: IO[str], posts: int) -> None:
    """Writes an export in the format of Ghost 6: every column of every table, one record at a time."""
    tables = {
        "roles": iter([{"id": identifier("8", 0), "name": "Author"}]),
        "users": (user(number) for number in range(len(AUTHORS))),
        "tags": (tag(number) for number in range(len(TAGS))),
        "roles_users": (role_of(number) for number in range(len(AUTHORS))),
        "posts": (post(number) for number in range(posts)),
        "posts_meta": (meta(number) for number in range(0, posts, 10)),
        "posts_authors": (relation for number in range(posts) for relation in authors_of(number)),
        "posts_tags": (relation for number in range(posts) for relation in tags_of(number)),
        "settings": iter([{"id": identifier("6", 0), "key": "title", "value": "A site of many posts", "type": "string"}]),
    }
    file.write('{"db":[{"meta":{"exported_on":1767225600000,"version":"6.65.0"},"data":{')
    for index, (name, records) in enumerate(tables.items()):
        file.write(f'{"," if index else ""}"{name}":[')
        for number, record in enumerate(records):
            file.write(("," if number else "") + json.dumps(record, ensure_ascii=False, separators=(",", ":")))
        file.write("]")
    file.write("}}]}")


def identifier(kind: str, number: int) -> str:
    return f"{kind}{number:023x}"


def instant(number: int) -> str:
    return f"{FIRST_DAY + timedelta(hours=9 * number):%Y-%m-%dT%H:%M:%S.000Z}"


def user(number: int) -> Record:
    name = AUTHORS[number]
    times = {"created_at": instant(0), "updated_at": instant(0)}
    return {
        "id": identifier("1", number),
        "name": name.title(),
        "slug": name,
        "email": f"{name}@bench.example",
        "bio": "Writes many posts.",
        "location": "The harbour",
        "status": "active",
        "visibility": "public",
        **times,
    }


def role_of(number: int) -> Record:
    return {"id": identifier("9", number), "role_id": identifier("8", 0), "user_id": identifier("1", number)}


def tag(number: int) -> Record:
    times = {"created_at": instant(0), "updated_at": instant(0)}
    return {"id": identifier("2", number), "name": TAGS[number], "slug": TAGS[number], "visibility": "public", **times}


def post(number: int) -> Record:
    chance = random.Random(number)
    # These columns contain the text of the document, at about the length that it would have in an
    # export of Ghost.
    words = sentence(chance, POST_BYTES // 14)
    return {
        "id": identifier("3", number),
        "uuid": f"00000000-0000-4000-8000-{number:012x}",
        "title": f"{sentence(chance, 6)} ({number})",
        "slug": f"post-{number}",
        "mobiledoc": None,
        "lexical": article(number, POST_BYTES),
        "html": f"<p>{words}</p>",
        "comment_id": identifier("3", number),
        "plaintext": words,
        "feature_image": f"__GHOST_URL__/content/images/{number % 50}.jpg",
        "featured": int(number % 20 == 0),
        "type": "post",
        "status": "published",
        "locale": None,
        "visibility": "public",
        "email_recipient_filter": "all",
        "created_at": instant(number),
        "updated_at": instant(number),
        "published_at": instant(number),
        "custom_excerpt": None,
        "codeinjection_head": None,
        "codeinjection_foot": None,
        "custom_template": None,
        "canonical_url": None,
        "newsletter_id": None,
        "show_title_and_feature_image": 1,
    }


def meta(number: int) -> Record:
    return {"id": identifier("4", number), "post_id": identifier("3", number), "meta_title": f"Post {number}", "og_title": None}


def authors_of(number: int) -> list[Record]:
    chance = random.Random(number)
    chosen = chance.sample(range(len(AUTHORS)), chance.choice([1, 1, 1, 2]))
    return related(number, "author_id", [identifier("1", author) for author in chosen], "5")


def tags_of(number: int) -> list[Record]:
    chance = random.Random(number)
    chosen = chance.sample(range(len(TAGS)), chance.randint(5, 20))
    return related(number, "tag_id", [identifier("2", tag) for tag in chosen], "7")


def related(number: int, column: str, others: list[str], kind: str) -> list[Record]:
    """Returns records that link a post to others, in their order."""
    post_id = identifier("3", number)
    return [
        {"id": identifier(kind, number * 100 + index), "post_id": post_id, column: other, "sort_order": index}
        for index, other in enumerate(others)
    ]
