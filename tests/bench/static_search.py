"""The fetched bytes and results of a static search, with the index of `galley build --search` and with Pagefind. Takes a minute.

Both index the same posts and pages, and search for the same words of twenty of them: ten times words of the title, and ten times
words that are close to each other in the text. The bytes are those of ten results with highlights, compressed. BENCH_SITE may
name the content folder of a real site, which is then measured as well.
"""

import json
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from html import unescape
from pathlib import Path

from machine import GALLEY, REPOSITORY
from searching import Language, post, write_posts
from serving import Site

TOOLS = ["npm", "node"]
PAGEFIND = "1.6.0"
POSTS = 500
QUERIES = 20
READER = REPOSITORY / "examples/eleventy/site/search-index.js"
PAGE = "<!doctype html><html lang='en'><title>{title}</title><main data-pagefind-body><h1>{title}</h1>{html}</main></html>"


def measure() -> None:
    """Prints bytes and ranks for each site."""
    with tempfile.TemporaryDirectory(prefix="galley-bench-") as name:
        folder = Path(name)
        command = ["npm", "install", "--silent", "--prefix", folder / "npm", f"pagefind@{PAGEFIND}"]
        installing = subprocess.run(command, capture_output=True, text=True)
        if installing.returncode != 0:
            print(f"npm cannot install Pagefind: {installing.stderr.strip()}", file=sys.stderr)
            return
        site, language = Site(POSTS, folder / "site"), Language()
        write_posts(site, [post(language, number) for number in range(POSTS)])
        sites = [(f"{POSTS} generated posts", site.folder / "content")]
        if real := os.environ.get("BENCH_SITE"):
            sites.append((Path(real).name, Path(real)))
        print(f"| medians of {QUERIES} searches, Pagefind {PAGEFIND} | | first search, kB | each further one, kB | found first | among ten | mean reciprocal rank |")
        print("| --- | --- |" + " ---: |" * 5)
        for what, content in sites:
            print_site(what, content, folder)


def print_site(what: str, content: Path, folder: Path) -> None:
    public, html = folder / "public", folder / "html"
    for used in [public, html]:
        shutil.rmtree(used, ignore_errors=True)
    command = [GALLEY, "build", public, "--search", "--quiet", "--url", "https://bench.example", "--content", content]
    subprocess.run(command, cwd=folder, check=True, stderr=subprocess.DEVNULL)
    posts = [post for kind in ["posts", "pages"] for post in json.loads(read(public / f"ghost/api/content/{kind}/index.html"))[kind]]
    for each in posts:
        place = html / each["slug"]
        place.mkdir(parents=True)
        (place / "index.html").write_text(PAGE.format(title=each["title"], html=each["html"] or ""))
    pagefind = folder / "npm/node_modules/.bin/pagefind"
    subprocess.run([pagefind, "--site", html, "--quiet"], check=True, stdout=subprocess.DEVNULL)
    shutil.copy(html / "pagefind/pagefind.js", html / "pagefind/reader.mjs")
    wanted = searches(posts)
    for tool, root, reader in [("galley", public, READER), ("pagefind", html, html / "pagefind/reader.mjs")]:
        command = ["node", REPOSITORY / "tests/bench/static_search.mjs", tool, root, reader]
        queries = json.dumps([query for query, _ in wanted])
        responses = json.loads(subprocess.run(command, input=queries, stdout=subprocess.PIPE, text=True, check=True).stdout)
        ranks = [rank(reply["paths"], path) for reply, (_, path) in zip(responses, wanted)]
        first = statistics.median(reply["start"] + reply["search"] for reply in responses)
        further = statistics.median(reply["search"] for reply in responses)
        found = [each for each in ranks if each]
        cells = f"{first / 1000:.1f} | {further / 1000:.1f} | {ranks.count(1)} | {len(found)} | {sum(1 / each for each in found) / QUERIES:.2f}"
        print(f"| {what}, {len(posts)} documents | {tool.title()} | {cells} |", flush=True)


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def searches(posts: list[dict]) -> list[tuple[str, str]]:
    """Returns words and the path of their post: the longest words of a title or of a part of a text."""
    chance = random.Random(13)
    long = [post for post in posts if len(words_of(post)) > 40 and len(longest(post["title"].split())) > 1]
    wanted = []
    for number, each in enumerate(chance.sample(long, QUERIES)):
        words = words_of(each)
        start = chance.randrange(len(words) - 12)
        of_text = longest(words[start : start + 12])[:3]
        wanted.append((" ".join(of_text if number % 2 else longest(each["title"].split())[:3]), f"/{each['slug']}/"))
    return wanted


def words_of(post: dict) -> list[str]:
    text = unescape(re.sub(r"<(script|style|pre).*?</\1>|<[^>]*>", " ", post["html"] or "", flags=re.DOTALL))
    return re.findall(r"[^\W\d_]+", text)


def longest(words: list[str]) -> list[str]:
    words = [word for text in words for word in re.findall(r"[^\W\d_]+", text)]
    return sorted({word.lower() for word in words if len(word) > 3}, key=lambda word: (-len(word), word))


def rank(paths: list[str], path: str) -> int:
    """Returns the rank of a path, from 1; 0 if it is missing."""
    return paths.index(path) + 1 if path in paths else 0
