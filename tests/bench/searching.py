"""The speed of the full-text search, compared with SQLite's FTS5 in the process of the benchmark. Takes about two minutes.

The site has 10,000 posts of 5 kB, whose words have the frequencies of a natural language (Zipf) and inflections. The same texts
are in an FTS5 table with SQLite's stemmer, BM25 and `snippet()`. Both run the same searches, one after the other, and return
the number of results and the ten best.
"""

import http.client
import itertools
import json
import random
import re
import sqlite3
import statistics
import tempfile
import time
import urllib.request
from bisect import bisect
from datetime import timedelta
from pathlib import Path
from urllib.parse import quote_plus

from admin_client import Client
from aims import Aim
from content import FIRST_DAY
from serving import Server, Site, free_port, seed, start_galley
from writing import admin_key

TOOLS = ["taskset"]
POSTS = 10_000
BODY_BYTES = 5_000
EXCERPT_WORDS = 250
LANGUAGE_WORDS = 30_000
ENDINGS = ["", "", "", "s", "ed", "ing"]
LIMIT = 10
SEARCHES = 500
EDITS = 100
# The targets, in milliseconds, and the size of the index as a part of the size of the texts.
P50_MS, P99_MS, EDIT_MS, INDEX_PART = 3, 15, 100, 0.3
# The searches: a name, whether excerpts of the results are shown, and whether the last word is a prefix.
QUESTIONS = [
    ("ids only", False, False),
    ("with highlights", True, False),
    ("with highlights, last word begun", True, True),
]


class Language:
    """Words with the frequencies of a natural language: the nth is 1/n as frequent as the first."""

    def __init__(self) -> None:
        chance = random.Random(11)
        syllables = [c + v for c in ["b", "d", "f", "g", "k", "l", "m", "n", "p", "r", "st", "t", "tr", "v"] for v in "aeiou"]
        words: dict[str, None] = {}
        while len(words) < LANGUAGE_WORDS:
            syllable_count = min(2 + len(words) // 3000, 4)
            words["".join(chance.choices(syllables, k=chance.randint(1, syllable_count))) + chance.choice("nrlkt")] = None
        self.words = list(words)
        self.sums = list(itertools.accumulate(1 / (place + 2) for place in range(LANGUAGE_WORDS)))

    def word(self, chance: random.Random) -> str:
        return self.words[bisect(self.sums, chance.random() * self.sums[-1])]

    def text(self, chance: random.Random, length: int) -> str:
        text = ""
        while len(text) < length:
            words = [self.word(chance) + chance.choice(ENDINGS) for _ in range(chance.randint(6, 18))]
            text += " ".join(words).capitalize() + (".\n\n" if chance.random() < 0.2 else ". ")
        return text.strip()

    def searches(self) -> list[str]:
        """Returns searches of one to three words: frequent ones and rare ones."""
        chance = random.Random(12)
        return [
            " ".join(self.words[int(10 ** chance.uniform(1, 4))] for _ in range(chance.choice([1, 2, 2, 3])))
            for _ in range(SEARCHES)
        ]


def measure() -> list[Aim]:
    """Prints the latency of searches, the time until an edit is found, and the memory of the index."""
    with tempfile.TemporaryDirectory(prefix="galley-bench-") as name:
        language = Language()
        posts = [post(language, number) for number in range(POSTS)]
        site, empty = Site(POSTS, Path(name) / "site"), Site(POSTS, Path(name) / "empty")
        write_posts(site, posts)
        # Posts that repeat one word: titles of the same length, and texts with the length of the excerpts in lists.
        write_posts(empty, [("a " * (len(title) // 2), "a " * EXCERPT_WORDS) for title, _ in posts])
        for each in [site, empty]:
            seed(each)
        texts = sum(len(title) + len(text) for title, text in posts)
        aims = [memory(site, empty, texts)]
        print()
        database = copied(posts)
        with start_galley(site, "0") as server:
            wait_until_indexed(server, site)
            aims += print_searches(server, site, database, language.searches())
            print()
            aims.append(edits(server, site))
        return aims


def post(language: Language, number: int) -> tuple[str, str]:
    chance = random.Random(number)
    return language.text(chance, 30).replace("\n\n", " "), language.text(chance, BODY_BYTES)


def write_posts(site: Site, posts: list[tuple[str, str]]) -> None:
    folder = site.folder / "content/posts"
    folder.mkdir(parents=True)
    (folder.parent / "site.toml").write_text('title = "A site to search"\nurl = "https://bench.example"\nlocale = "en"\n')
    for number, (title, text) in enumerate(posts):
        date = FIRST_DAY + timedelta(hours=number)
        (folder / f"post-{number}.md").write_text(f'+++\ntitle = "{title}"\ndate = {date:%Y-%m-%dT%H:%M:%SZ}\n+++\n\n{text}\n')


def wait_until_indexed(server: Server, site: Site) -> None:
    target = f"/ghost/api/content/search/?key={site.key}&q=a"
    while True:
        connection = http.client.HTTPConnection("127.0.0.1", server.port)
        connection.request("GET", target)
        status = connection.getresponse().status
        connection.close()
        if status == 200:
            return
        time.sleep(0.1)


def memory(site: Site, empty: Site, texts: int) -> Aim:
    """Prints the size of the index according to its metric, and compared with posts that repeat one word. Returns the target."""
    mibs, counted = [], 0
    for each in [site, empty]:
        port = free_port()
        with start_galley(each, GALLEY_METRICS_LISTEN=f"127.0.0.1:{port}") as server:
            wait_until_indexed(server, each)
            time.sleep(1)
            mibs.append(server.memory_mib("VmRSS"))
            if each is site:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as response:
                    metrics = response.read().decode()
                counted = float(re.search(r"^galley_search_bytes (\S+)", metrics, re.MULTILINE)[1])
    more = (mibs[0] - mibs[1]) * 1024 * 1024
    print(f"| index of {POSTS:,} posts, {texts / 1e6:.0f} MB of text | MB | to the texts |")
    print("| --- | ---: | ---: |")
    print(f"| by its own count | {counted / 1e6:.1f} | {counted / texts:.2f} |")
    print(f"| memory at rest, more than posts of one word | {more / 1e6:.1f} | {more / texts:.2f} |")
    return Aim("memory of the search index, beside the texts", more / texts, INDEX_PART, at_least=False)


def copied(posts: list[tuple[str, str]]) -> sqlite3.Connection:
    database = sqlite3.connect(":memory:")
    database.execute("create virtual table posts using fts5 (title, body, tokenize = 'porter unicode61')")
    database.executemany("insert into posts values (?, ?)", posts)
    database.execute("insert into posts (posts) values ('optimize')")
    return database


def print_searches(server: Server, site: Site, database: sqlite3.Connection, searches: list[str]) -> list[Aim]:
    client = http.client.HTTPConnection("127.0.0.1", server.port)
    print(f"| {SEARCHES} searches of {POSTS:,} posts, ms | Galley, over HTTP, p50 | p99 | FTS5, in the process, p50 | p99 | p50, Galley to FTS5 |")
    print("| --- |" + " ---: |" * 5)
    aims = []
    for name, is_shown, is_begun in QUESTIONS:
        ours = [timed(lambda: galley(client, site.key, text, is_shown, is_begun)) for text in searches]
        theirs = [timed(lambda: fts5(database, text, is_shown, is_begun)) for text in searches]
        cells = [quantile(times, part) for times in [ours, theirs] for part in [50, 99]]
        row = " | ".join(f"{cell:.2f}" for cell in cells)
        print(f"| {name} | {row} | {cells[0] / cells[2]:.2f} |", flush=True)
        aims.append(Aim(f"search, {name}, p50, ms", cells[0], P50_MS, at_least=False))
        aims.append(Aim(f"search, {name}, p99, ms", cells[1], P99_MS, at_least=False))
    client.close()
    return aims


def timed(work) -> float:
    """Returns the time of some work in milliseconds."""
    before = time.perf_counter()
    work()
    return (time.perf_counter() - before) * 1000


def quantile(times: list[float], part: int) -> float:
    return statistics.quantiles(times, n=100)[part - 1]


def galley(client: http.client.HTTPConnection, key: str, text: str, is_shown: bool, is_begun: bool) -> bytes:
    # The last word is complete if it is followed by a blank.
    words = quote_plus(text[:-1] if is_begun else f"{text} ")
    if is_shown:
        target = f"/ghost/api/content/search/?key={key}&q={words}&limit={LIMIT}"
    else:
        target = f"/ghost/api/content/posts/?key={key}&search={words}&limit={LIMIT}&fields=id"
    client.request("GET", target)
    response = client.getresponse()
    body = response.read()
    if response.status != 200:
        raise RuntimeError(f"{target}: {response.status} {body[:500]}")
    return body


def fts5(database: sqlite3.Connection, text: str, is_shown: bool, is_begun: bool) -> tuple[int, list]:
    words = f"{text[:-1]}*" if is_begun else text
    shown = "title, snippet(posts, 1, '<mark>', '</mark>', '…', 30)" if is_shown else "rowid"
    total = database.execute("select count(*) from posts where posts match ?", [words]).fetchone()[0]
    page = f"select {shown} from posts where posts match ? order by bm25(posts, 6, 1) limit {LIMIT}"
    return total, database.execute(page, [words]).fetchall()


def edits(server: Server, site: Site) -> Aim:
    """Returns the time from the response to an edit through the Admin API until a search finds it."""
    admin = Client(server, admin_key(site))
    reader = http.client.HTTPConnection("127.0.0.1", server.port)
    known = admin.ask("POST", "/posts/", {"posts": [{"title": "Begun", "status": "published"}]})["posts"][0]
    times = []
    for number in range(EDITS):
        # Words of letters, none of which is a prefix of another one.
        word = "zyx" + "".join(chr(ord("a") + int(digit)) for digit in f"{number:04}")
        change = {"title": f"Edited {word}", "updated_at": known["updated_at"]}
        known = admin.ask("PUT", f"/posts/{known['id']}/", {"posts": [change]})["posts"][0]
        before = time.perf_counter()
        while not json.loads(galley(reader, site.key, word, False, False))["posts"]:
            pass
        times.append((time.perf_counter() - before) * 1000)
    reader.close()
    print("| from the response to an edit until it is found, ms | p50 | p99 | most |")
    print("| --- | ---: | ---: | ---: |")
    print(f"| {EDITS} edits through the Admin API | {quantile(times, 50):.1f} | {quantile(times, 99):.1f} | {max(times):.1f} |")
    return Aim("an edit is found, at most, ms", max(times), EDIT_MS, at_least=False)
